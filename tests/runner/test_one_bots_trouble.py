"""An error of our own code while one bot plays concerns that bot alone, and so does a late bot."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from tests.contest_runs import ContestDir, Listener, Outcome, assert_same, in_order, make_contest, read_outcome
from tournament.containment import BotTrouble
from tournament.errors import RunError
from tournament.leg import Failure
from tournament.records.results import load
from tournament.worker.leg import ShortLegs
from tournament.worker.processes.bot_process import BotProcess
from tournament.worker.wasm import seating

FIELD = ["bold", "calm", "dull"]
# Bots that fail now and then, and start again each time.
ODDS = {
    ".c": "int a(const Bot *b) { if (rand() % 4 == 0) abort(); return 0; } int b(const Bot *b, int x) { return 1; }",
    ".py": "def a(bot):\n  assert bot.card < 0.9\n  return 0\ndef b(bot, bet): return 1\n",
}
BROKEN = {".c": "int a(", ".py": "def a(bot:\n"}
SETTINGS = "max_faults = 1000\nreplicas = 2"


def place_of(folder: Path, odd: str, suffix: str = ".c", sessions: int = 8) -> ContestDir:
    place = make_contest(folder, FIELD, sessions, SETTINGS)
    (place.entrants / f"odd{suffix}").write_text(odd)
    return place


def records_of(place: ContestDir) -> Outcome:
    """Return the records of matches between the others, and their lines unless they met the odd bot."""
    found = read_outcome(place.results)
    of_odd = found.matches.match[found.matches.bot == "odd"]
    games, sessions, matches = (
        table[~table.match.isin(of_odd)].reset_index(drop=True)
        for table in (found.games, found.sessions, found.matches)
    )
    lines = [line for line in load(str(place.results)).ranking.entrants if line.name != "odd" and not len(of_odd)]
    entrants = found.entrants[found.entrants["name"] != "odd"].reset_index(drop=True)
    return in_order(Outcome(games, sessions, matches, entrants, str(lines)))


@pytest.fixture(scope="module")
def without(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    """Return the others' records where the bot can't play, by its kind."""
    found = {}
    for suffix, code in BROKEN.items():
        place = place_of(tmp_path_factory.mktemp("without"), code, suffix)
        place.play()
        found[suffix] = records_of(place)
    return found


def failing(*given: object, **named: object) -> object:
    raise ZeroDivisionError("injected\nhere")


def set_aside(place: ContestDir, said: Listener) -> str:
    """Return why the odd bot isn't played to the end, which was said."""
    (line,) = (line for line in load(str(place.results)).ranking.entrants if line.name == "odd")
    assert line.status == "incomplete" and line.reason and "\n" not in line.reason
    start, _, reason = line.reason.partition(": ")
    assert start == "not all played, set aside in the last run"
    assert f"odd is set aside in this run: {reason}" in said.said, said.said
    return reason


# Calls that only this bot causes, by the suffix of its file.
SITES = [
    (".c", "wasm.seating.Seating.take_failure"),
    (".c", "faults.LegFaults.add"),
    (".py", "processes.leg_in_play.LegInPlay.fault"),
    (".py", "processes.lanes.LegsInLanes._handle_event"),
    (".py", "processes.pool.Pool.seat"),
]


@pytest.mark.parametrize(("suffix", "site"), SITES)
def test_error_of_our_own_is_trouble_of_one_bot(
    suffix: str, site: str, tmp_path: Path, without: dict[str, Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"tournament.worker.{site}", failing)
    place, said = place_of(tmp_path, ODDS[suffix], suffix), Listener()
    place.play(listener=said)
    why = set_aside(place, said)
    assert "ZeroDivisionError: injected here; please report it, with " in why
    assert "in failing" in Path(why.rpartition(" with ")[2]).read_text()
    assert_same(records_of(place), without[suffix])


def test_bot_late_twice_is_set_aside_alone(
    tmp_path: Path, without: dict[str, Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    place, said = place_of(tmp_path, ODDS[".c"]), Listener()
    tries: list[bool] = []  # whether times were measured by bot
    original = seating.Seating.seat

    def slow(self: seating.Seating, seat: int, seed: int) -> None:
        original(self, seat, seed)
        if self._names[seat] == "odd" and len(tries) < 2:
            tries.append(self.watch.measures_bots)
            names = ("odd",) if self.watch.measures_bots else self._names
            raise BotTrouble(tuple(names), seating.late(99.0, 123_456_789))

    monkeypatch.setattr(seating.Seating, "seat", slow)
    place.play(listener=said)
    assert tries == [False, True]
    assert set_aside(place, said) == (
        "takes far longer here than its fuel should: 99 s of processor time for 123,456,789 units of fuel"
    )
    assert_same(records_of(place), without[".c"])
    # The verdict is this run's alone.
    place.play()
    assert {line.status for line in load(str(place.results)).ranking.entrants} == {"ok"}


# A process of its own for each leg, in which it ends, or sleeps, at its second decision.
OF_ITS_OWN = "import os, time\nn = 0\ndef a(bot):\n  global n\n  n += 1\n  {}\n  return 0\ndef b(bot, bet): return 1\n"


def test_bot_killed_from_outside_thrice_is_set_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = OF_ITS_OWN.format("os._exit(1) if n == 2 else None")
    calm, place = (place_of(tmp_path / name, odd, ".py", sessions=1) for name in ("calm", "killed"))
    said = Listener()
    calm.play()
    killed: list[str] = []
    failure = BotProcess.failure

    def killed_first(self: BotProcess, passed: Failure | None) -> Failure | None:
        found = failure(self, passed)
        if len(killed) == 3 or (killed and self.leg.digest != killed[0]):
            return found
        killed.append(self.leg.digest)
        return None

    monkeypatch.setattr(BotProcess, "failure", killed_first)
    place.play(listener=said)
    assert "its process was killed from outside" in set_aside(place, said)
    pd.testing.assert_frame_equal(records_of(place).games, records_of(calm).games)


def test_trouble_with_all_bots_is_the_machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = place_of(tmp_path, ODDS[".c"])
    place.play()
    before = records_of(place)
    text = place.config.read_text()
    place.config.write_text(text.replace("replicas = 2", "replicas = 4"))

    def without_memory(*given: object, **named: object) -> object:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(seating.Seating, "seat", without_memory)
        patched.setattr(ShortLegs, "play", lambda *_: None)  # no bot can be kept for its next leg
        with pytest.raises(RunError, match="MemoryError"):
            place.play()
    place.config.write_text(text)
    place.play()
    assert_same(records_of(place), before)
