"""A leg starts all its processes together: what they may take is compared with what there is before anything plays."""

from __future__ import annotations

import pytest

from tests.contest_runs import Listener
from tournament.errors import InputError
from tournament.leg import PlaysAs
from tournament.runner import leg_room
from tournament.runner.leg_room import check_room
from tournament.runner.schedule.fixtures import Competitor, MatchLegs
from tournament.sandbox.outside.settings import SandboxSettings


def match_of(*kinds: PlaysAs) -> MatchLegs:
    return MatchLegs(0, range(1), tuple(Competitor(n, f"bot{n}", kind, "") for n, kind in enumerate(kinds)))


# Programs take 64 MB beside what their bots may.
@pytest.mark.parametrize(
    ("free_megabytes", "files", "line"),
    [
        (328, 84, ""),
        (
            327,
            84,
            "the 2 processes of a leg (bot0 against bot1) may take 328 MB, and 327 MB are free: if they take more, they"
            " are killed and set aside; lower memory_megabytes",
        ),
        (
            1000,
            83,
            "the 2 processes of a leg (bot0 against bot1) need 84 open files, and 83 are allowed (ulimit -Hn); allow"
            " more",
        ),
    ],
)
def test_leg_that_does_not_fit_is_named_with_numbers(
    free_megabytes: int, files: int, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leg_room, "free_memory", lambda: free_megabytes << 20)
    monkeypatch.setattr(leg_room, "most_descriptors", lambda: files)
    listener, matches = Listener(), [match_of("wasm", "wasm"), match_of("program", "program")]
    try:
        check_room(matches, 100, SandboxSettings(), listener.on_message)
    except InputError as problem:
        assert str(problem) == line
    else:
        assert listener.said == ([line] if line else [])
