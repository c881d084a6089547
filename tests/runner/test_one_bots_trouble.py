"""An error of our own code while one bot plays concerns that bot alone, and so does a late bot."""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
import pytest
import wasmtime

from tests.contest_runs import ContestDir, Listener, Outcome, assert_same, in_order, make_contest, read_outcome
from tournament.artifacts.bot import Entrant, Submission
from tournament.cli.commands import main
from tournament.containment import BotTrouble
from tournament.entrants.build import Builds, PostponedBuild
from tournament.errors import RunError
from tournament.leg import Failure
from tournament.records.results import load
from tournament.worker.leg import ShortLegs
from tournament.worker.processes.bot_process import BotProcess
from tournament.worker.wasm import seating

FIELD = ["bold", "calm", "dull"]
# A bot that prints, asks for chance, and fails now and then with words in its memory; it starts again each time.
ODD = """(module (import "env" "rand" (func $rand (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1) (global (export "tournament_assertion") i32 (i32.const 16))
  (data (i32.const 16) "\\40\\00\\00\\00\\07\\00\\00\\00\\00\\00\\00\\00")
  (data (i32.const 32) "\\40\\00\\00\\00\\04\\00\\00\\00")
  (data (i32.const 64) "odd\\0a\\00")
  (func (export "_initialize"))
  (func (export "a") (param i32) (result i32)
    (drop (call $write (i32.const 1) (i32.const 32) (i32.const 1) (i32.const 56)))
    (if (i32.eqz (i32.and (call $rand) (i32.const 3))) (then unreachable)) (i32.const 0))
  (func (export "b") (param i32) (result i32) (i32.const 1)))"""
PYTHON = "def a(bot):\n  print('odd')\n  assert bot.card < 0.9\n  return 0\ndef b(bot, bet): return 1\n"
SETTINGS = "max_faults = 1000\nreplicas = 2"


def place_of(folder: Path, odd: bytes, suffix: str = ".wasm", sessions: int = 8) -> ContestDir:
    place = make_contest(folder, FIELD, sessions, SETTINGS)
    (place.entrants / f"odd{suffix}").write_bytes(odd)
    return place


ODDS = {".wasm": bytes(wasmtime.wat2wasm(ODD)), ".py": PYTHON.encode()}
BROKEN = {".wasm": b"\0asm", ".py": b"def a(bot:\n"}


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


class Injected(Exception):
    """An error that no code of ours expects."""


def failing(*given: object, **named: object) -> object:
    raise Injected("injected\nhere")


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
    (".wasm", "wasm.seating.Seating.take_failure"),
    (".wasm", "faults.LegFaults.add"),
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
    assert "Injected: injected here; please report it, with " in why
    assert "in failing" in Path(why.rpartition(" with ")[2]).read_text()
    assert_same(records_of(place), without[suffix])


def late_in(monkeypatch: pytest.MonkeyPatch, tries: int) -> list[bool]:
    """Have the odd bot be late in its first tries, and return of each whether times were taken apart."""
    made: list[bool] = []
    original = seating.Seating.seat

    def slow(self: seating.Seating, seat: int, seed: int) -> None:
        original(self, seat, seed)
        if self._names[seat] == "odd" and len(made) < tries:
            made.append(self.watch.measures_bots)
            names = ("odd",) if self.watch.measures_bots else self._names
            raise BotTrouble(tuple(names), seating.late(99.0, 123_456_789))

    monkeypatch.setattr(seating.Seating, "seat", slow)
    return made


def test_bot_late_twice_is_set_aside_alone(
    tmp_path: Path, without: dict[str, Outcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    place, said = place_of(tmp_path, ODDS[".wasm"]), Listener()
    tries = late_in(monkeypatch, 2)
    place.play(listener=said)
    assert tries == [False, True]
    assert set_aside(place, said) == (
        "takes far longer here than its fuel should: 99 s of processor time for 123,456,789 units of fuel"
    )
    assert_same(records_of(place), without[".wasm"])
    # The verdict is this run's alone.
    place.play()
    assert {line.status for line in load(str(place.results)).ranking.entrants} == {"ok"}


def test_bot_not_loaded_for_lack_of_memory_keeps_matches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    place = place_of(tmp_path, ODDS[".wasm"])
    place.play()
    before = read_outcome(place.results)
    place.config.write_text(place.config.read_text().replace("replicas = 2", "replicas = 3"))
    built = Builds.build

    def without_memory(builds: Builds, submission: Submission) -> Entrant | PostponedBuild:
        return PostponedBuild(submission, MemoryError()) if submission.name == "odd" else built(builds, submission)

    monkeypatch.setattr(Builds, "build", without_memory)
    monkeypatch.setattr(sys, "argv", ["tournament", *place.arguments()])
    with pytest.raises(SystemExit) as ended:
        main()
    shown = capsys.readouterr()
    assert ended.value.code == 3 and "out of the records" not in shown.err + shown.out
    assert "odd: incomplete: not all played, set aside in the last run" in shown.out
    after = read_outcome(place.results)
    assert len(after.games.merge(before.games, on=["match", "session", "game"])) == len(before.games)


# A process of its own for each leg, in which it ends, or sleeps, at its second decision.
OF_ITS_OWN = "import os, time\nn = 0\ndef a(bot):\n  global n\n  n += 1\n  {}\n  return 0\ndef b(bot, bet): return 1\n"


def test_bot_killed_from_outside_thrice_in_leg_is_set_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = OF_ITS_OWN.format("os._exit(1) if n == 2 else None").encode()
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
    pd.testing.assert_frame_equal(*(records_of(one).games for one in (place, calm)))


def test_sleeping_bot_is_at_fault_in_first_try(tmp_path: Path) -> None:
    place = place_of(tmp_path, OF_ITS_OWN.format("time.sleep(99 * (n == 2))").encode(), ".py", sessions=1)
    place.config.write_text(f"{place.config.read_text()}idle_seconds = 1.2\n")
    place.play()
    results = load(str(place.results))
    assert len(results.faults) >= 4 and results.faults.message.str.startswith("did not answer for ").all()
    assert pd.read_parquet(place.results / "legs").tries.eq(1).all()


def test_trouble_with_all_bots_is_the_machines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = place_of(tmp_path, ODDS[".wasm"])
    place.play()
    before = records_of(place)
    text = place.config.read_text()
    place.config.write_text(text.replace("replicas = 2", "replicas = 4"))

    def failing(*given: object, **named: object) -> object:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(seating.Seating, "seat", failing)
        patched.setattr(ShortLegs, "play", lambda *_: None)  # no bot can be kept for its next leg
        with pytest.raises(RunError, match="MemoryError"):
            place.play()
    place.config.write_text(text)
    place.play()
    assert_same(records_of(place), before)
