"""Two tiers of tests: `make test` leaves out those that are long, and `make test-long` runs these.

A test is long if it takes more than a second, its fixtures apart, by durations.json; or if it isn't there yet. Those in
HOLDS_UP are never long: nothing shorter holds what they hold.

`make durations` times all tests and writes durations.json: seconds by the test's name, one figure for all cases of a
test where none is long.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

LONG_SECONDS = 1.0
DURATIONS = Path(__file__).parent / "durations.json"

# Tests by name, with or without a case, and what each holds up.
HOLDS_UP = {
    "tests/hostile/test_mixed_field.py::test_every_kind_of_bot_here_and_on_ray": "Ray; a field of hostile bots",
    "tests/hostile/test_programs.py::test_hostile_builds": "builds that attack",
    "tests/worker/test_legs_in_lanes.py::test_a_mixed_field_gives_the_same_records_however_it_is_played": "lanes",
    "tests/chaos/test_chaos.py::test_six_rounds": "kills, and faults of the machine",
    "tests/runner/test_incremental.py::test_an_object_store_is_resumed_and_adapted_as_a_folder_is": "object stores",
    "tests/test_examples.py::test_new_bots_pass_the_check_and_play_the_same_in_every_language[two_card_draw]": "bots",
    "tests/worker/test_turns.py::test_legs_with_the_same_deals_play_one_after_the_other": "turns",
    "tests/sandbox/test_addresses.py::test_addresses_are_the_same_in_every_run[standard]": "addresses",
    "tests/sandbox/test_fork_server.py::test_forks_die_with_the_tournament": "no process is left",
    "tests/docs/test_languages.py::test_it_plays[Node]": "memory that is only reserved",
    "tests/docs/test_blocks.py::test_blocks_run[README.md]": "the first page",
    "tests/docs/test_blocks.py::test_blocks_run[docs/tutorials/hold_a_contest.md]": "an organiser's way",
    "tests/docs/test_blocks.py::test_blocks_run[docs/tutorials/write_a_bot.md]": "an author's way",
    "tests/docs/test_blocks.py::test_blocks_run[docs/how_to/analysis.md]": "a reader's way",
}


def is_long(test: str) -> bool:
    """Whether `make test` leaves it out. `test`: its name, such as "tests/test_keys.py::test_a_guess[1]"."""
    name = test.partition("[")[0]
    if test in HOLDS_UP or name in HOLDS_UP:
        return False
    seconds = durations()
    return seconds.get(test, seconds.get(name, float("inf"))) > LONG_SECONDS


@cache
def durations() -> dict[str, float]:
    """Seconds by the names of tests, with their cases where these differ."""
    known: dict[str, float] = json.loads(DURATIONS.read_text())
    return known


def keep_durations(timed: Mapping[str, float]) -> None:
    """Write durations.json anew. `timed`: seconds of every test, by its name."""
    by_name = defaultdict[str, dict[str, float]](dict)
    for test, seconds in timed.items():
        by_name[test.partition("[")[0]][test] = round(seconds, 1)
    kept: dict[str, float] = {}
    for name, cases in by_name.items():
        longest = max(cases.values())
        kept |= {name: longest} if longest <= LONG_SECONDS else cases
    DURATIONS.write_text(json.dumps(kept, indent=0, sort_keys=True) + "\n")
