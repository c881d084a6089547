"""Measure tables of more than two: C bots in a game of small Python rules, and six-max Hold'em next to OpenSpiel's.

python -m benchmarks.tables [--rounds N]
"""

from __future__ import annotations

import importlib.util
import random
import statistics
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from benchmarks.fields import ROOT
from benchmarks.rows import medians, print_rows
from tournament.artifacts.bot import Entrant
from tournament.config import load_config
from tournament.contests.contest import Contest
from tournament.entrants.build import build_entrants
from tournament.keys import KEY_BYTES
from tournament.rules import Decision, Int, Questions, Rules, Session
from tournament.rules.contests import get_contest
from tournament.runner.schedule.fixtures import Competitor
from tournament.runner.schedule.legs import RoundRobin
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import ROWS_PER_BUFFER
from tournament.worker.leg import NullSink, play_leg

SEATS, CARDS = 4, 5
LEGAL = Int(1, CARDS)
EXAMPLE = ROOT / "examples" / "holdem"
# Everybody calls everything: 24 decisions a hand.
CALLS = "int act(const View *view) { return CALL; }\nint raise_to(const View *view) { return 0; }\n"
OPEN_SPIEL = (
    "universal_poker(betting=nolimit,numPlayers=6,numRounds=4,blind=1 2 0 0 0 0,firstPlayer=3 1 1 1,numSuits=4,"
    "numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,stack=200 200 200 200 200 200,bettingAbstraction=fullgame)"
)


class InTurn(Rules):
    """Each chooses a number after seeing earlier ones, and the lowest that no one else chose wins."""

    name = "in_turn"
    seats = SEATS
    decisions: ClassVar = (Decision("say", "Say a number", observation={"said": Int(0, CARDS)}, answer=LEGAL),)

    def play(self, session: Session) -> Questions:
        (say,) = self.decisions
        for _ in range(100):
            numbers = [0] * SEATS
            before = 0
            for seat in range(session.seats):
                numbers[seat] = before = yield say(seat, said=before)
            session.record(_points(numbers))


class Together(InTurn):
    """The same, asked at the same time."""

    name = "together"

    def play(self, session: Session) -> Questions:
        (say,) = self.decisions
        for _ in range(100):
            said = yield [say(seat, said=0) for seat in range(SEATS)]
            session.record(_points(list(said.values())))


def _points(numbers: list[int]) -> list[int]:
    alone = [number for number in numbers if numbers.count(number) == 1]
    won = numbers.index(min(alone)) if alone else -1
    return [0 if won < 0 else SEATS - 1 if seat == won else -1 for seat in range(SEATS)]


def built(contest: Contest, sources: Mapping[str, str]) -> list[Entrant]:
    """C bots of these sources."""
    with TemporaryDirectory(prefix="tournament-bench-") as folder:
        for name, source in sources.items():
            (Path(folder) / f"{name}.c").write_text(source)
        return build_entrants(
            contest, contest.settings(), SandboxSettings(), Path(folder), lambda text: print(text, file=sys.stderr)
        )


def games_a_second(contest: Contest, entrants: list[Entrant], sessions: int, **more: int) -> float:
    """Games of one table with all of these bots, on one core, sandboxed and recorded in memory."""
    settings = contest.settings.model_validate({"sessions": sessions, **more})
    played = contest.seated(len(entrants))
    artifacts = {one.artifact_sha256 or "": one.artifact or b"" for one in entrants}
    competitors = [Competitor(n, one.name, "wasm", one.artifact_sha256 or "") for n, one in enumerate(entrants)]
    schedule = RoundRobin(contest.rules, settings.playing(), bytes(KEY_BYTES), competitors, seats=len(entrants))
    (leg,) = schedule.legs()
    sink = NullSink.of(played, ROWS_PER_BUFFER)
    started = time.perf_counter()
    result = play_leg(played, settings, leg, artifacts, sink)
    assert not result.rest.faults
    return result.games / (time.perf_counter() - started)


def hands_of_open_spiel(hands: int) -> float:
    """Return hands per second of its engine in C++, driven from Python, of six who call everything, without records."""
    import pyspiel

    game, chance = pyspiel.load_game(OPEN_SPIEL), random.Random(1)
    started = time.perf_counter()
    for _ in range(hands):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(chance.choice(state.legal_actions()) if state.is_chance_node() else 1)
        state.returns()
    return hands / (time.perf_counter() - started)


def rows(rounds: int) -> Iterator[tuple[str, str, str, float | None, str]]:
    """Rows: name, ours, the other's, their ratio, and the wanted limit."""
    for rules, asked in ((InTurn, "one after the other"), (Together, "together")):
        contest = get_contest(rules)
        bots = built(
            contest, {f"says_{n}": f"int say(const View *view) {{ return {n}; }}\n" for n in range(1, SEATS + 1)}
        )
        rate = statistics.median(SEATS * games_a_second(contest, bots, 200) for _ in range(rounds))
        what = f"four C bots, rules in Python, asked {asked}, decisions"
        yield what, f"{rate:,.0f}/s", "—", None, ""
    contest = load_config("holdem", EXAMPLE / "tournament.toml").played
    bots = built(contest, {f"calls_{n}": CALLS for n in range(6)})
    what = "Hold'em for six, all C bots that call, rules in Python, against OpenSpiel's universal_poker in C++"

    def ours() -> float:
        return games_a_second(contest, bots, 10, seats=6, hands=200)

    if importlib.util.find_spec("pyspiel") is None:
        yield what, f"{statistics.median(ours() for _ in range(rounds)):,.0f} hands/s", "not installed", None, ""
        return
    mine, other, ratio = medians([(ours(), hands_of_open_spiel(4_000)) for _ in range(rounds)])
    yield what, f"{mine:,.0f} hands/s", f"{other:,.0f} hands/s", ratio, ""


if __name__ == "__main__":
    print_rows("Measure tables of four and of six.", rows)
