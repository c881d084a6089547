"""What a worker does: play a batch of legs and write its parts aside."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from engine.game_core import FAULT, LEG_IS_OVER, RECORDS_ARE_FULL
from engine.records import Table
from tournament import runtime
from tournament.contests import find_contest
from tournament.contests.contest import Contest, ContestSettings, buffer_fields
from tournament.schedule import Leg
from tournament.store.ledger import Batch, Fault, LegResult, batch_name
from tournament.store.parts import ROWS_PER_GROUP, PartWriter
from tournament.store.root import Root, open_root


@dataclass(frozen=True)
class Task:
    """A batch of legs to play, and where its parts go."""

    contest: str
    settings: dict[str, Any]
    location: str
    legs: tuple[Leg, ...]

    @property
    def name(self) -> str:
        """The name of its batch."""
        first = self.legs[0].plan
        return batch_name(first.match, first.number, (leg.digest for leg in self.legs))


@dataclass(frozen=True)
class Receipt:
    """A played batch, ready to commit, and the seconds that it took."""

    batch: Batch
    seconds: float


class Stopped(Exception):
    """The run was asked to stop before the batch was done."""


class Desk(Protocol):
    """Where a batch's rows gather; `clear` takes them away."""

    games: Table
    sessions: Table

    def clear(self) -> None: ...


@dataclass
class PartsDesk:
    """A desk whose rows go out to the batch's parts."""

    games: Table
    sessions: Table
    games_part: PartWriter
    sessions_part: PartWriter

    def clear(self) -> None:
        """Write out the rows. Raises OSError."""
        self.games_part.write(self.games)
        self.sessions_part.write(self.sessions)


def play_task(task: Task, artifacts: Mapping[str, bytes], stopping: Callable[[], bool] = lambda: False) -> Receipt:
    """Play a batch. `artifacts` are the bots' bytes, and the house players' contents, by sha256.

    Raises OSError when the parts can't be written, Stopped once `stopping()`;
    either way nothing is left behind.
    """
    started = time.perf_counter()
    contest = find_contest(task.contest)
    settings = contest.settings.model_validate(task.settings)
    root = open_root(task.location)
    staged = f"staging/{task.name}-{uuid.uuid4().hex}"
    desk = _open_desk(contest, root, task.name, staged)
    try:
        results = [play_leg(contest, settings, leg, artifacts, desk, stopping) for leg in task.legs]
        desk.clear()
        parts = (desk.games_part.finish(), desk.sessions_part.finish())
    except BaseException:
        desk.games_part.abandon()
        desk.sessions_part.abandon()
        raise
    return Receipt(Batch(task.name, parts, tuple(results)), time.perf_counter() - started)


def _open_desk(contest: Contest, root: Root, name: str, staged: str) -> PartsDesk:
    file = f"{name}.parquet"
    games_part = PartWriter(root, "games", contest.games, file, f"{staged}-games")
    try:
        sessions_part = PartWriter(root, "sessions", contest.sessions, file, f"{staged}-sessions")
    except BaseException:
        games_part.abandon()
        raise
    return PartsDesk(
        Table(buffer_fields(contest.games), ROWS_PER_GROUP),
        Table(buffer_fields(contest.sessions), ROWS_PER_GROUP),
        games_part,
        sessions_part,
    )


def play_leg(
    contest: Contest,
    settings: ContestSettings,
    leg: Leg,
    artifacts: Mapping[str, bytes],
    desk: Desk,
    stopping: Callable[[], bool] = lambda: False,
    meters: list[tuple[int, int, int]] | None = None,
) -> LegResult:
    """Play one leg to its end, or to the fault that is one too many.

    Into `meters`, if given, goes what each seat's decisions took: (decisions,
    instructions, the most for one).
    """
    house = artifacts[leg.y.artifact] if contest.house else None
    core = contest.new_core(leg.plan, settings, desk.games, desk.sessions, house)
    seats = (leg.x, leg.y)
    bots = [
        None
        if contest.house and seat is leg.y
        else runtime.load_bot(artifacts[seat.artifact], contest.interface, seat.name)
        for seat in seats
    ]
    faults: list[Fault] = []
    ended_by: int | None = None
    seating = runtime.Seating(
        core,
        contest.interface,
        bots,
        fuel=settings.fuel_per_decision,
        memory_megabytes=settings.memory_megabytes,
        fuel_per_leg=settings.fuel_per_leg,
        measure_fuel=meters is not None,
    )
    for number, seat in enumerate(seats):
        if bots[number]:
            seating.seat(number, seat.random_seed)
    answer = 0
    while (status := seating.referee.play(answer)) != LEG_IS_OVER:
        if status == RECORDS_ARE_FULL:
            desk.clear()
            if stopping():
                raise Stopped
            continue
        assert status == FAULT, "every bot answers at once"
        kind, at_fault, _arguments, _view = core.pending()
        session, game = core.position()
        question = contest.interface.questions[kind].name
        faults.append(Fault(at_fault, leg.plan.first_session + session, game, question, seating.take_failure()))
        count = sum(fault.seat == at_fault for fault in faults)
        if count > settings.faults_allowed:
            ended_by = at_fault
            break
        # A new start with the same rand() might only lead to the same fault.
        seating.seat(at_fault, (seats[at_fault].random_seed + count) % (1 << 64))
        core.note_restart(at_fault)
        answer = core.default()
    if meters is not None:
        meters += [seating.referee.fuel_used(0), seating.referee.fuel_used(1)]
    return LegResult(
        digest=leg.digest,
        match=leg.plan.match,
        number=leg.plan.number,
        x=leg.x.name,
        y=leg.y.name,
        sessions=core.sessions_played,
        games=core.games_recorded,
        points=core.points,
        squared_points=core.squared_points,
        blocks=tuple(core.blocks().tolist()),
        faults=tuple(faults),
        ended_by=ended_by,
        counts=core.counts(),
    )
