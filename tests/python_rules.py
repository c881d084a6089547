"""Fields and tables of bots that play rules in Python, for tests."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from engine.kernel.records import Table
from tests.oracles.deals import key_of
from tournament.cache import cache_folder
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.entrants.build import build_entrant
from tournament.entrants.folder import read_submission
from tournament.keys import trial_key
from tournament.leg import Leg, LegPlan, Seat
from tournament.runner.schedule.fixtures import Competitor
from tournament.runner.schedule.legs import RoundRobin
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import buffer_fields
from tournament.store.leg_result import LegResult
from tournament.worker.leg import NullSink, play_leg, result_of
from tournament.worker.processes.lanes import play_in_lanes
from tournament.worker.processes.spool import Spool

Rows = dict[str, dict[str, Any]]  # keyed by table and column
AS_PROGRAM = """\
import json, sys, types

SOURCE

for line in sys.stdin:
    if line.startswith("{"):
        told = json.loads(line)
        play = globals().get(told.pop("decision"), lambda view: None)
        said = play(types.SimpleNamespace(**told))
        if said is not None:
            print("ACTION", json.dumps(said), flush=True)
"""


def as_program(source: str) -> tuple[str, str]:
    """Return a program that answers by the functions of a bot in Python."""
    return "", AS_PROGRAM.replace("SOURCE", source)


def tables_of(contest: Contest, rows: int) -> tuple[Table, Table]:
    return Table(buffer_fields(contest.games), rows), Table(buffer_fields(contest.sessions), rows)


def rows_of(tables: tuple[Table, Table]) -> Rows:
    return {
        name: {column: values[: table.rows].copy() for column, values in table.arrays.items()}
        for name, table in zip(("games", "sessions"), tables)
    }


def of_seat(rows: Mapping[str, Any], column: str, seat: int) -> Any:
    """Return a column's values of the bot at a seat, from rows by position."""
    at = np.stack([rows[name] for name in sorted(rows, key=len) if name.startswith("bot_")])
    return np.stack([rows[f"{column}_{position}"] for position in range(len(at))])[
        (at == seat).argmax(axis=0), np.arange(at.shape[1])
    ]


def play_field(
    contest: Contest, bots: Mapping[str, tuple[str, str]], *, sessions: int, **settings: Any
) -> dict[tuple[str, ...], tuple[LegResult, Rows]]:
    """Play all pairs of bots, and return results and rows by pair. Bots are (suffix, source), "" for a program."""
    chosen = contest.settings.model_validate({"sessions": sessions, **settings})
    seats, artifacts = _built(contest, bots, chosen)
    competitors = [Competitor(number, seat.name, seat.kind, seat.artifact) for number, seat in enumerate(seats)]
    key = trial_key("tests of rules in Python")
    legs = [*RoundRobin(contest.name, chosen.playing(), key, competitors, first_by_name=True).legs()]
    played = play_legs(contest, chosen, legs, artifacts)
    return {leg.names: played[leg.digest] for leg in legs}


def play_table(
    contest: Contest, bots: Mapping[str, tuple[str, str]], *, sessions: int, legs: int = 1, **settings: Any
) -> list[tuple[LegResult, Rows]]:
    """Play legs of all bots at one table, in the order in which they are given, another first in each leg."""
    chosen = contest.settings.model_validate({"sessions": sessions, **settings})
    seats, artifacts = _built(contest, bots, chosen)
    count = len(seats)
    plans = [LegPlan(0, leg, sessions, key_of(1), seats=count, rotation=leg % count) for leg in range(legs)]
    tables = [Leg(f"{plan.number:064}", plan, tuple(seats)) for plan in plans]
    return [*play_legs(contest.seated(count), chosen, tables, artifacts).values()]


def _built(
    contest: Contest, bots: Mapping[str, tuple[str, str]], settings: ContestSettings
) -> tuple[list[Seat], dict[str, bytes]]:
    """Return the seats of bots, and their artifacts by sha256."""
    seats: list[Seat] = []
    artifacts: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (suffix, source) in bots.items():
            path = Path(folder, f"{name}{suffix}")
            if not suffix:
                path.mkdir()
                (path / "bot.toml").write_text('command = ["python3", "bot.py"]\n')
            (path if suffix else path / "bot.py").write_text(source)
            entrant = build_entrant(read_submission(path), contest.interface, settings, SandboxSettings())
            assert entrant.artifact and entrant.artifact_sha256, entrant.problem
            artifacts[entrant.artifact_sha256] = entrant.artifact
            seats.append(Seat(entrant.name, entrant.plays_as, entrant.artifact_sha256, 7 + len(seats)))
    return seats, artifacts


def play_legs(
    contest: Contest,
    settings: ContestSettings,
    legs: Sequence[Leg],
    artifacts: Mapping[str, bytes],
    rows: int = 10_000,
    sandbox: SandboxSettings | None = None,
) -> dict[str, tuple[LegResult, Rows]]:
    """Play legs as a worker does, and return results and rows by digest, in the order of the legs."""
    played: dict[str, tuple[LegResult, Rows]] = {}
    for leg in legs:
        if not leg.has_processes:
            sink = NullSink(*tables_of(contest, rows))
            result = result_of(contest, play_leg(contest, settings, leg, artifacts, sink))
            played[leg.digest] = result, rows_of((sink.games, sink.sessions))
    in_lanes = [leg for leg in legs if leg.has_processes]
    with contextlib.closing(Spool()) as spool:
        chosen = sandbox or SandboxSettings()
        for one in play_in_lanes(contest, settings, chosen, in_lanes, artifacts, cache_folder(), spool):
            sink = NullSink(*tables_of(contest, rows))
            one.rows.replay_into(sink)
            played[one.result.digest] = one.result, rows_of((sink.games, sink.sessions))
    return {leg.digest: played[leg.digest] for leg in legs}
