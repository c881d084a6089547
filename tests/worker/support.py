"""Playing bots that are processes in tests: legs as a worker plays them, and single questions."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from typing import Any

from engine.kernel.game_core import GameCore
from engine.watching.scripted_core import ScriptedCore
from tests.built_in import VON_NEUMANN_POKER
from tests.oracles.deals import key_of
from tests.oracles.von_neumann_poker import Game, Record, Session
from tests.support import VIEW, poker_tables, take_rows
from tournament.artifacts.bot import Entrant
from tournament.cache import cache_folder
from tournament.contests.contest import CoreSetup, NewCore
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.entrants.build import build_entrants
from tournament.leg import Leg, Seat
from tournament.runner.schedule.fixtures import Competitor
from tournament.runner.schedule.legs import RoundRobin
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.field import Origin
from tournament.store.leg_result import Fault, LegResult
from tournament.worker.processes.lanes import play_in_lanes
from tournament.worker.processes.leg_in_play import PlayedLeg
from tournament.worker.processes.spool import LegRows, Spool

CONTEST = VON_NEUMANN_POKER.name
Source = str | bytes | Mapping[str, str]
Question = tuple[int, bytes]
ON = SandboxSettings()
SILENT_C = "int a(const Bot *b) { return 0; } int b(const Bot *b, int x) { return 0; }"


def origin_of(field: Iterable[Competitor], house: Iterable[Competitor] = ()) -> Origin:
    """Return the origin of legs of these competitors."""
    players = (*field, *house)
    return Origin(
        CONTEST,
        VON_NEUMANN_POKER.engine_version,
        {},
        names=tuple(one.name for one in players),
        numbers=tuple(one.number for one in players),
        artifacts=b"".join(bytes.fromhex(one.artifact or "0" * 64) for one in players),
    )


def write_bot(path: Path, source: Source) -> None:
    """Write a bot's file, or its folder, with all files executable."""
    if isinstance(source, Mapping):
        path.mkdir()
        for name, text in source.items():
            (path / name).write_text(dedent(text))
            (path / name).chmod(0o755)
    else:
        path.write_bytes(source if isinstance(source, bytes) else dedent(source).encode())


def build(bots: Mapping[str, Source], sandbox: SandboxSettings = ON) -> list[Entrant]:
    """Build entrants of these files and folders, by name, which can be unfit."""
    with tempfile.TemporaryDirectory(prefix="bots-") as name:
        for file_name, source in bots.items():
            write_bot(Path(name, file_name), source)
        return build_entrants(VON_NEUMANN_POKER, Settings(), sandbox, Path(name), lambda _text: None)


def problem_of(source: Source, name: str = "bot.py", sandbox: SandboxSettings = ON) -> str:
    (entrant,) = build({name: source}, sandbox)
    assert entrant.problem is not None, "it is fit"
    return entrant.problem


def script(text: str, *more: str) -> dict[str, str]:
    """Return the folder of a program that is a Python script."""
    words = ", ".join(f'"{word}"' for word in ("python3", "-u", "bot.py", *more))
    return {"bot.toml": f"command = [{words}]\n", "bot.py": dedent(text)}


def answering(a: str, b: str) -> dict[str, str]:
    """Return a program that bets and calls by expressions of card, previous, money, theirs and bet."""
    return script(f"""
        import json, sys
        sys.stdin.readline()
        for line in sys.stdin:
            if not line.startswith("{{"):
                break
            kind, card, previous, money, theirs, bet = [*json.loads(line).values(), 0][:6]
            print("ACTION", {a} if kind == "a" else int({b}))
        """)


@dataclass(frozen=True)
class Played:
    """A leg as it was played, with its rows."""

    result: LegResult
    games: list[Game]
    sessions: list[Session]
    decisions: tuple[int, ...]

    @property
    def faults(self) -> tuple[Fault, ...]:
        return self.result.faults

    @property
    def what_counts(self) -> tuple[LegResult, list[Game], list[Session]]:
        """The parts that are equal for shared and unshared processes: all but the last output."""
        faults = tuple(replace(fault, last_output="") for fault in self.faults)
        return replace(self.result, faults=faults), self.games, self.sessions


def read(leg: PlayedLeg) -> Played:
    """Return a leg with its rows as the oracle writes them."""
    record = record_of(leg.rows)
    return Played(leg.result, record.games, record.sessions, leg.decisions)


def record_of(rows: LegRows) -> Record:
    """Return a leg's rows as the oracle writes them."""
    (games, sessions), record = poker_tables(1 << 13, 1 << 13), Record()
    sink: Any = SimpleNamespace(games=games, sessions=sessions, clear=lambda: take_rows(games, sessions, record))
    rows.replay_into(sink)
    sink.clear()
    return record


def legs_of(entrants: Iterable[Entrant], settings: Settings) -> list[Leg]:
    """Return the legs of a round robin in which at least one bot is a process.

    Seeds depend on names, not on contents, so that other bots of these names have the same.
    """
    competitors, artifacts = [], {}
    for number, entrant in enumerate(entrants):
        competitors.append(Competitor(number, entrant.name, entrant.plays_as, entrant.name))
        artifacts[entrant.name] = digest_of(entrant)

    def seated(seat: Seat) -> Seat:
        return seat._replace(artifact=artifacts[seat.name])

    legs = [leg for leg in round_robin(competitors, settings) if leg.has_processes]
    return [replace(leg, seats=tuple(map(seated, leg.seats))) for leg in legs]


def digest_of(entrant: Entrant) -> str:
    """Return the digest of the artifact of a bot that is fit to play."""
    assert entrant.artifact_sha256 is not None, f"{entrant.name}: {entrant.problem}"
    return entrant.artifact_sha256


def round_robin(competitors: list[Competitor], settings: Settings) -> Iterator[Leg]:
    key = key_of(int(settings.seed or 1))
    return RoundRobin(VON_NEUMANN_POKER.name, settings.playing(), key, competitors, first_by_name=True).legs()


def artifacts_of(entrants: Iterable[Entrant]) -> dict[str, bytes]:
    return {entrant.artifact_sha256 or "": entrant.artifact or b"" for entrant in entrants}


def play(
    entrants: Sequence[Entrant],
    settings: Settings,
    sandbox: SandboxSettings = ON,
    legs: Sequence[Leg] | None = None,
    new_core: NewCore = VON_NEUMANN_POKER.new_core,
) -> list[Played]:
    """Play legs as one batch, by default those of a round robin, and return them in the schedule's order."""
    chosen = legs_of(entrants, settings) if legs is None else legs
    contest = replace(VON_NEUMANN_POKER, new_core=new_core)
    how = artifacts_of(entrants), cache_folder()
    with contextlib.closing(Spool()) as spool:
        playing = play_in_lanes(contest, settings, sandbox, chosen, *how, spool)
        played = {leg.result.digest: read(leg) for leg in playing}
    return [played[leg.digest] for leg in chosen]


def pair(x: Source, y: Source, settings: Settings, sandbox: SandboxSettings = ON, kinds: str = "py py") -> Played:
    """Play one leg between two bots.

    Args:
        kinds: The endings of their files, "" for a folder.
    """
    names = [f"{name}.{kind}".rstrip(".") for name, kind in zip(("first", "second"), kinds.split(" "))]
    (played,) = play(build(dict(zip(names, (x, y))), sandbox), settings, sandbox)
    return played


def view(card: float = 0.5, previous: float = -1.0, money: int = 100, theirs: int = 100, bet: int = 0) -> bytes:
    return VIEW.pack(card, previous, money, theirs, bet)


A: Question = (0, view())
B: Question = (1, view(bet=20))


@dataclass(frozen=True)
class Answered:
    """A bot's answers to a list of questions, with 0 for a fault, its faults, and the seed of its rand()."""

    answers: list[int]
    faults: tuple[Fault, ...]
    random_seed: int

    @property
    def what(self) -> list[str]:
        return [fault.message for fault in self.faults]


def ask_each(
    bots: Mapping[str, Source],
    questions: Sequence[Question] = (A, B),
    settings: Settings | None = None,
    sandbox: SandboxSettings = ON,
) -> dict[str, Answered]:
    """Ask each bot these questions in a leg of its own, and return the answers by name."""
    settings = settings or Settings(max_faults=len(questions))
    *entrants, silent = build({**bots, "zzz.c": SILENT_C}, sandbox)
    legs: list[Leg] = []
    other = Competitor(0, silent.name, "wasm", digest_of(silent))
    for number, entrant in enumerate(entrants, 1):
        own = Competitor(number, entrant.name, entrant.plays_as, digest_of(entrant))
        legs += round_robin([other, own], settings)
    cores: dict[int, ScriptedCore] = {}

    def new_core(setup: CoreSetup[Any]) -> GameCore:
        core = cores[setup.leg.match] = ScriptedCore(questions, VON_NEUMANN_POKER.interface.view_size)
        return core

    played = play([*entrants, silent], settings, sandbox, legs, new_core)
    return {
        leg.names[0]: Answered(cores[leg.plan.match].answers, result.faults, leg.seats[0].random_seed)
        for leg, result in zip(legs, played)
    }


def ask(
    source: Source,
    questions: Sequence[Question] = (A, B),
    settings: Settings | None = None,
    sandbox: SandboxSettings = ON,
) -> Answered:
    name = "bot" if isinstance(source, Mapping) else "bot.py"
    return ask_each({name: source}, questions, settings, sandbox)["bot"]
