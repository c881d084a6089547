"""Playing one leg between WebAssembly bots, and the result of any leg."""

from __future__ import annotations

import itertools
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from engine.kernel.game_core import FAULT, LEG_IS_OVER, RECORDS_ARE_FULL, GameCore
from engine.kernel.records import Table
from tournament.arrays import Floats
from tournament.containment import BotTrouble, contained, containing
from tournament.contests.contest import Contest, CoreSetup
from tournament.contests.settings import ContestSettings
from tournament.errors import RunError, printable, truncate
from tournament.leg import Leg, Seat, Unfit
from tournament.store.columns import buffer_fields
from tournament.store.field import MOST_REASON, FailedLeg
from tournament.store.leg_result import Fault, LegResult, Used, are_too_large, kept_faults
from tournament.store.leg_sums import leg_sums, sums_of_deal
from tournament.worker.faults import LegFaults, Stopped
from tournament.worker.wasm.loading import LoadedBot, load_bot
from tournament.worker.wasm.seating import BotLimits, Seating
from tournament.worker.wasm.stack import deeply, was_interrupted


class RulesFailed(RunError):
    """Raised when the contest's rules fail in a leg. No bot is to blame, and other legs can be played.

    Attributes:
        failed: The leg, and what happened.
    """

    def __init__(self, contest: str, failed: FailedLeg) -> None:
        super().__init__(f"the rules of {contest} failed in {failed}")
        self.failed, self._contest = failed, contest

    def __reduce__(self) -> tuple[object, ...]:
        return RulesFailed, (self._contest, self.failed)


class RowSink(Protocol):
    """Where a batch's rows gather; `clear` empties it."""

    games: Table
    sessions: Table

    def clear(self) -> None: ...


def leg_values(leg: Leg) -> dict[str, str | int]:
    """Return the values of the columns that all rows of a leg share, by name."""
    names = {f"bot_{seat}": name for seat, name in enumerate(leg.names)}
    house = {"house": leg.house.name} if leg.house else {}
    return {"replica": leg.plan.replica} | names | house


@dataclass
class NullSink:
    """A sink that throws rows away."""

    games: Table
    sessions: Table

    @staticmethod
    def of(contest: Contest, rows: int) -> NullSink:
        """With room for this many rows of either kind."""
        return NullSink(Table(buffer_fields(contest.games), rows), Table(buffer_fields(contest.sessions), rows))

    def clear(self) -> None:
        self.games.rows = self.sessions.rows = 0


@deeply
def play_leg(
    contest: Contest,
    settings: ContestSettings,
    leg: Leg,
    artifacts: Mapping[str, bytes],
    sink: RowSink,
    stopping: Callable[[], bool] = lambda: False,
    meters: list[tuple[int, int, int]] | None = None,
    *,
    apart: bool = False,
    take_luck: Callable[[], Floats | None] = lambda: None,
) -> LegResult:
    """Play one leg of WebAssembly bots, or one against the house, to its end, or to one fault too many.

    The leg also ends when a bot can't start, though it could when it entered.
    `meters`, if given, gets what each seat's decisions took: (decisions,
    instructions, the most for one). `apart`: each bot's time is taken, so that a
    late one is known. `take_luck` tells, once the rows are there, what luck was worth,
    as `leg_sums` takes it. Raises Stopped once `stopping()`, and BotTrouble for whatever
    else goes wrong with a bot, or when one takes far longer than its fuel should.
    """
    began = time.perf_counter()
    leg = leg.of_teams(contest.members)
    core = new_core(contest, settings, leg, artifacts, sink.games, sink.sessions)
    core.heed(stopping)
    faults = LegFaults(contest, settings, leg)
    seating = new_seating(
        contest, settings, leg, artifacts, core, faults, stopping, measure_fuel=meters is not None, apart=apart
    )
    answer = 0
    while faults.ended_by is None and (status := seating.referee.play(answer)) != LEG_IS_OVER:
        if status == RECORDS_ARE_FULL:
            sink.clear()
            if stopping():
                raise Stopped
            continue
        assert status == FAULT, "every bot answers at once"
        at_fault = core.pending()[1]
        with containing(leg.names[at_fault], "its fault could not be told", Stopped):
            again = faults.add(core, seating.take_failure(), seating.printed(at_fault))
            if again and seat_again(seating, at_fault, again, core, faults):
                core.note_restart(at_fault)
            else:
                core.dismiss(at_fault)
            answer = core.default()
    if meters is not None:
        meters += [
            (sum(decisions), sum(fuel), max(most))
            for decisions, fuel, most in (
                zip(*[seating.referee.fuel_used(seat) for seat in seats]) for seats in seats_by_entrant(leg)
            )
        ]
    return leg_result(contest, leg, core, faults, seating.used(), take_luck(), time.perf_counter() - began)


def new_core(
    contest: Contest,
    settings: ContestSettings,
    leg: Leg,
    artifacts: Mapping[str, bytes],
    games: Table,
    sessions: Table,
) -> GameCore:
    """The core that plays a leg, with the house player's content if there is one. Raises RulesFailed when rules in
    Python can't begin."""
    house = artifacts[leg.house.artifact] if leg.house else None
    try:
        core = contest.new_core(CoreSetup(leg.plan, settings, games, sessions, house))
        for number in leg.out:
            core.dismiss(number)
        return core
    except Exception as failure:
        raise _failure_of_rules(contest, leg, (0, 0), failure) from failure


def new_seating(
    contest: Contest,
    settings: ContestSettings,
    leg: Leg,
    artifacts: Mapping[str, bytes],
    core: GameCore,
    faults: LegFaults,
    stopping: Callable[[], bool],
    *,
    measure_fuel: bool = False,
    apart: bool = False,
) -> Seating:
    """The seating of a leg's bots that are WebAssembly. One that can't start is at fault, and the leg over. Raises
    BotTrouble and Stopped."""
    limits = limits_of(settings)
    bots = [_loaded(contest, settings, seat, artifacts, limits) if seat.kind == "wasm" else None for seat in leg.seats]
    seating = Seating(
        core,
        contest.interface,
        bots,
        limits,
        names=leg.names,
        measure_fuel=measure_fuel,
        stopping=lambda: stopping() or was_interrupted(),
        apart=apart,
    )
    for number, seat in enumerate(leg.seats):
        with containing(seat.name, "it could not be started", Stopped):
            if seat.kind != "wasm" or faults.ended_by is not None:
                continue
            try:
                seating.seat(number, seat.random_seed)
            except Unfit as unfit:
                faults.add_at_start(number, unfit.failure)
                core.dismiss(number)
    seating.join()
    return seating


def _loaded(
    contest: Contest, settings: ContestSettings, seat: Seat, artifacts: Mapping[str, bytes], limits: BotLimits
) -> LoadedBot:
    """A seat's bot, which could be loaded when it entered. Raises BotTrouble."""
    try:
        return load_bot(
            artifacts[seat.artifact], contest.interface, seat.name, settings.memory_megabytes, limits.engine
        )
    except Unfit as unfit:
        raise BotTrouble((seat.name,), str(unfit)) from None
    except Exception as error:
        raise contained(error, seat.name, "it could not be loaded") from error


def limits_of(settings: ContestSettings) -> BotLimits:
    """What the settings of a contest allow a WebAssembly bot: a call gets no more than the leg's bank."""
    return _limits(settings.fuel_per_call, settings.fuel_per_leg, settings.memory_megabytes)


@lru_cache
def _limits(fuel_per_call: int, fuel_per_leg: int, memory_megabytes: int) -> BotLimits:
    return BotLimits(fuel_per_call, memory_megabytes, fuel_per_call, fuel_per_leg)


def seat_again(seating: Seating, number: int, seat: Seat, core: GameCore, faults: LegFaults) -> bool:
    """Start a WebAssembly bot again after a fault; false when it can't start, which is one more."""
    try:
        seating.seat(number, seat.random_seed)
        seating.join()
    except Unfit as unfit:
        faults.add(core, unfit.failure, replaceable=False)
        return False
    return True


def leg_result(
    contest: Contest,
    leg: Leg,
    core: GameCore,
    faults: LegFaults,
    used: Sequence[Used],
    luck: Floats | None = None,
    seconds: float = 0.0,
) -> LegResult:
    """The result of a leg, from its core, what its bots `used`, `luck` as `leg_sums` takes it, and the seconds that it
    took. Raises RulesFailed."""
    try:
        core.check()
        by_block = core.sums()
        length = _length_of(contest, core.sessions_played, core.games_recorded, faults.ended_by)
        sums = leg_sums(by_block, length, luck)
        if are_too_large(sums):
            raise ValueError("it gives points beyond 10¹⁵, or none at all")
    except Exception as failure:
        raise _failure_of_rules(contest, leg, core.position(), failure) from failure
    out = tuple(sorted({*faults.out})) if faults.ended_by is None else (faults.ended_by,)
    kept, left_out = _kept_faults(leg, faults, out)
    return LegResult(
        digest=leg.digest,
        match=leg.plan.match,
        number=leg.plan.number,
        seats=leg.entrants,
        sessions=core.sessions_played,
        games=core.games_recorded,
        sums=sums,
        faults=kept,
        out=out,
        faults_left_out=left_out,
        house=leg.house.name if leg.house else "",
        by_block=by_block,
        luck_by_block=luck,
        seconds=seconds,
        used=tuple([_together([used[seat] for seat in seats]) for seats in seats_by_entrant(leg)]),
    )


def seats_by_entrant(leg: Leg) -> list[range]:
    """Return the seats of each entrant's bots."""
    return [range(first, first + leg.members) for first in range(0, len(leg.seats), leg.members)]


def _together(used: Sequence[Used]) -> Used:
    """Return what an entrant's bots used together."""
    if len(used) == 1:
        return used[0]
    return Used(
        sum(one.fuel for one in used),
        sum(one.cpu_seconds for one in used),
        max(one.memory_bytes for one in used),
        max(one.slowest_seconds for one in used),
    )


def _kept_faults(leg: Leg, faults: LegFaults, out: tuple[int, ...]) -> tuple[tuple[Fault, ...], tuple[int, ...]]:
    if not faults.all:
        return kept_faults((), (), len(leg.entrants))
    with containing(leg.entrants[faults.all[-1].seat], "its faults could not be kept"):
        return kept_faults(tuple(faults.all), out, len(leg.entrants))


def length_of(contest: Contest, leg: LegResult) -> int:
    """Return how many sessions, or games, a leg's blocks divide; 0 for one that was cut short."""
    return _length_of(contest, leg.sessions, leg.games, leg.ended_by)


def share_variances(contest: Contest, legs: Sequence[LegResult], legs_of_deals: int) -> list[LegResult]:
    """Return legs in order, those that share their deals with the variances of their sum.

    Args:
        contest: The contest.
        legs: Legs that were just played.
        legs_of_deals: How many legs in a row share their deals. If some of them aren't here, each has its own variance.
    """
    if legs_of_deals == 1:
        return list(legs)
    found: list[LegResult] = []
    for _, group in itertools.groupby(legs, key=lambda leg: (leg.match, leg.number // legs_of_deals)):
        several = list(group)
        lengths = {length_of(contest, leg) for leg in several}
        if len(several) == legs_of_deals and len(lengths) == 1:
            blocks, luck = [leg.by_block for leg in several], [leg.luck_by_block for leg in several]
            shared = sums_of_deal([leg.sums for leg in several], blocks, lengths.pop(), luck)
            several = [replace(leg, sums=sums) for leg, sums in zip(several, shared)]
        found += several
    return found


def _length_of(contest: Contest, sessions: int, games: int, ended_by: int | None) -> int:
    return 0 if ended_by is not None else games if contest.scored.table == "games" else sessions


def _failure_of_rules(contest: Contest, leg: Leg, position: tuple[int, int], failure: Exception) -> RulesFailed:
    """Return the error for an exception in a contest's rules, with its place: in their file, or in what they call."""
    session, game = position
    places = [place for place in traceback.extract_tb(failure.__traceback__) if place.filename.endswith(".py")]
    if contest.source and contest.source.content is not None:  # in a file: lines of others would mislead
        places = [place for place in places if place.filename == contest.source.place]
    where = f" ({Path(places[-1].filename).name}, line {places[-1].lineno})" if places else ""
    what = truncate(printable(" ".join(str(failure).split())), 300)
    return RulesFailed(
        contest.name,
        FailedLeg(
            leg.plan.match,
            leg.plan.number,
            leg.entrants,
            leg.house.name if leg.house else "",
            leg.plan.first_session + session,
            game,
            truncate(f"{type(failure).__name__}: {what}{where}", MOST_REASON - 50),
        ),
    )
