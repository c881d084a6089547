"""A contest in Python that tells values of all kinds, with bots of all kinds, and fields of them for tests."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from engine.kernel.records import Table
from engine.rules.decisions import Question
from engine.rules.session_core import SessionCore, seating
from tests.oracles.deals import key_of
from tournament.cache import cache_folder
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.entrants.build import build_entrant
from tournament.entrants.folder import read_submission
from tournament.keys import trial_key
from tournament.leg import Leg, LegPlan, Seat
from tournament.rules import Column, Decision, Float, Int, LegalAction, List, Questions, Rules, Session, Text
from tournament.rules.rules import decisions_of
from tournament.rules.sessions import placements_of
from tournament.runner.schedule.fixtures import Competitor
from tournament.runner.schedule.legs import RoundRobin
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import buffer_fields
from tournament.store.leg_result import LegResult
from tournament.worker.leg import NullSink, play_leg, result_of
from tournament.worker.processes.lanes import play_in_lanes
from tournament.worker.processes.spool import Spool

Answer = Callable[[Question], int]
Rows = dict[str, dict[str, Any]]  # keyed by table and column

_PROGRAM = """\
import json, sys
sys.stdin.readline()
for line in sys.stdin:
    if not line.startswith("{"):
        break
    t = json.loads(line)
    n = t["small"] + t.get("large", 0) + sum(t.get("smalls", [])) + sum(t.get("larges", []))
    n += int(8 * t.get("share", 0)) + sum(int(8 * s) for s in t.get("shares", []))
    legal = t.get("legal_actions")
    print("ACTION", legal[n % len(legal)] if t["decision"] == "act" else 2 * t["small"], flush=True)
"""
_IN_C = """\
int act(const View *b)
{
    int64_t n = b->small + b->large + (int)(8 * b->share);
    for (int i = 0; i < b->smalls_count; i++) n += b->smalls[i];
    for (int i = 0; i < b->larges_count; i++) n += b->larges[i];
    for (int i = 0; i < b->shares_count; i++) n += (int)(8 * b->shares[i]);
    return b->legal_actions[n % b->legal_actions_count];
}
int name(const View *b) { return 2 * b->small; }
"""
_IN_PYTHON = """\
def act(b):
    n = b.small + b.large + int(8 * b.share) + sum(b.smalls) + sum(b.larges) + sum(int(8 * s) for s in b.shares)
    return b.legal_actions[n % len(b.legal_actions)]


def name(b):
    return 2 * b.small
"""
_AS_CLASS = _IN_PYTHON.replace("\n", "\n    ").replace("(b)", "(self, b)")


class Everything(Rules):
    """Rules that ask both for a number and for another. Observations depend on the session's number alone."""

    name = "everything"
    seats = 2
    LEGAL: ClassVar[list[int]] = [17, 3, 29, -4, 99]
    WORDS: ClassVar[list[str]] = ["", "plain", "naïve → ∞", "𝔘🂡", 'quo"te\\ and\nline', "\ud800"]
    BOTS: ClassVar[dict[str, tuple[str, str]]] = {
        "c": (".c", _IN_C),
        "cpp": (".cpp", _IN_C),
        "object": (".py", f"class Player:\n    {_AS_CLASS}"),
        "program": ("", _PROGRAM),
        "py": (".py", _IN_PYTHON),
    }
    decisions = (
        Decision(
            "act",
            "Choose",
            observation={
                "small": Int(0, 9, "a number"),
                "word": Text(description="a text"),
                "large": Int(0, 2**40, "a large number"),
                "smalls": List(Int(0, 9), 5, "numbers"),
                "share": Float("an eighth or more"),
                "words": List(Text(), description="texts"),
                "larges": List(Int(0, 2**40), 5, "large numbers"),
                "shares": List(Float(), 5, "eighths"),
            },
            answer=LegalAction(Int(-4, 99), 5, "one of these"),
        ),
        Decision(
            "name",
            "Name a number",
            observation={"word": Text(description="a text"), "small": Int(0, 9, "a number")},
            answer=Int(0, 50, "a number"),
            default=5,
        ),
    )
    columns = (
        Column("x_chose", "int16", "what x chose"),
        Column("x_named", "uint8", "what x named"),
        Column("y_named", "uint8", "what y named"),
    )

    def play(self, session: Session) -> Questions:
        act, name = self.decisions
        n = session.number
        told: dict[str, Any] = {
            "small": (n + 3) % 10,
            "word": self.WORDS[n % len(self.WORDS)],
            "large": n << 35,
            "smalls": [n % 10] * (n % 6),
            "share": n / 8,
            "words": self.WORDS[: n % len(self.WORDS)],
            "larges": tuple(range(n % 6)),
            "shares": [n / 8, 0.5],
            "legal_actions": self.LEGAL[: 1 + n % len(self.LEGAL)],
        }
        x_chose = yield act(0, **told)
        y_chose = yield act(1, **told)
        naming: dict[str, Any] = {"word": told["word"], "small": told["small"]}
        x_named = yield name(0, **naming)
        y_named = yield name(1, **naming)
        points = x_chose - y_chose
        session.record([points, -points], x_chose=x_chose, x_named=x_named, y_named=y_named)


def fold(asked: Question) -> int:
    """Return what the bots answer, worked out once more."""
    told = asked.plain()
    if asked.decision.name == "name":
        return 2 * int(told["small"])
    eighths = [told["share"], *told["shares"]]
    n = told["small"] + told["large"] + sum(told["smalls"]) + sum(told["larges"]) + sum(int(8 * one) for one in eighths)
    return int(told["legal_actions"][n % len(told["legal_actions"])])


def tables_of(contest: Contest, rows: int) -> tuple[Table, Table]:
    return Table(buffer_fields(contest.games), rows), Table(buffer_fields(contest.sessions), rows)


def new_core(
    rules: type[Rules], games: Table, sessions: Table, count: int, *, number: int = 0, **settings: Any
) -> SessionCore:
    """Return a core of rules in Python, without a contest around it."""
    played = rules(settings)
    return SessionCore(
        games,
        sessions,
        played.play,
        [(column.name, column.dtype, column.per_seat) for column in rules.columns],
        placements_of(decisions_of(rules, settings), 2),
        deals_key=key_of(1),
        sessions=count,
        max_questions=1_000,
        rotation=number % 2,
        zero_sum=rules.zero_sum,
    )


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


def answered(play: Questions, answers: tuple[Answer, Answer], session: Session) -> Questions:
    """Play a session that asks no one: functions answer for both bots."""
    asked = next(play, None)
    with contextlib.suppress(StopIteration):
        while asked is not None:
            assert isinstance(asked, Question)
            asked = play.send(answers[seating(session)[asked.position]](asked))
    yield from ()


def play_field(
    contest: Contest, bots: Mapping[str, tuple[str, str]], *, sessions: int, **settings: Any
) -> dict[tuple[str, ...], tuple[LegResult, Rows]]:
    """Play all pairs of bots, and return results and rows by pair. Bots are (suffix, source), "" for a program."""
    chosen = contest.settings.model_validate({"sessions": sessions, **settings})
    seats, artifacts = _built(contest, bots, chosen)
    competitors = [Competitor(number, seat.name, seat.kind, seat.artifact) for number, seat in enumerate(seats)]
    legs = list(
        RoundRobin(
            contest.name, chosen.playing(), trial_key("tests of rules in Python"), competitors, first_by_name=True
        ).legs()
    )
    return _played(contest, chosen, legs, artifacts)


def play_table(
    contest: Contest, bots: Mapping[str, tuple[str, str]], *, sessions: int, legs: int = 1, **settings: Any
) -> list[tuple[LegResult, Rows]]:
    """Play legs of all bots at one table, in the order in which they are given, another first in each leg."""
    chosen = contest.settings.model_validate({"sessions": sessions, **settings})
    seats, artifacts = _built(contest, bots, chosen)
    count = len(seats)
    plans = [LegPlan(0, leg, sessions, key_of(1), seats=count, rotation=leg % count) for leg in range(legs)]
    tables = [Leg(f"{plan.number:064}", plan, tuple(seats)) for plan in plans]
    return list(_played(contest.seated(count), chosen, tables, artifacts, by_number=True).values())


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


def _played(
    contest: Contest,
    settings: ContestSettings,
    legs: list[Leg],
    artifacts: dict[str, bytes],
    *,
    by_number: bool = False,
) -> dict[tuple[str, ...], tuple[LegResult, Rows]]:
    """Results and rows by the names at the table, or by the leg's number."""
    played: dict[tuple[str, ...], tuple[LegResult, Rows]] = {}
    keys = {leg.digest: (f"{leg.plan.number:03}",) if by_number else leg.names for leg in legs}
    for leg in legs:
        if not leg.has_processes:
            sink = NullSink(*tables_of(contest, 10_000))
            result = result_of(contest, play_leg(contest, settings, leg, artifacts, sink))
            played[keys[leg.digest]] = (result, rows_of((sink.games, sink.sessions)))
    with contextlib.closing(Spool()) as spool:
        in_lanes = [leg for leg in legs if leg.has_processes]
        for one in play_in_lanes(contest, settings, SandboxSettings(), in_lanes, artifacts, cache_folder(), spool):
            sink = NullSink(*tables_of(contest, 10_000))
            one.rows.replay_into(sink)
            played[keys[one.result.digest]] = (one.result, rows_of((sink.games, sink.sessions)))
    return dict(sorted(played.items()))


def played_by_functions(rules: type[Rules], contest: Contest, x: Answer, y: Answer, sessions: int) -> Rows:
    """Return the rows of a leg in which functions answer."""

    class Answered(rules):  # type: ignore[misc, valid-type]
        def play(self, session: Session) -> Questions:
            return answered(super().play(session), (x, y), session)

    tables = tables_of(contest, 10_000)
    core = new_core(Answered, *tables, sessions)
    assert core.play() == 0
    core.check()
    return rows_of(tables)


def plan(sessions: int, number: int = 0) -> LegPlan:
    return LegPlan(0, number, sessions, key_of(1), rotation=number % 2)
