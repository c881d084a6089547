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

import numpy as np

from engine.kernel.game_core import BLOCK_COUNT, FAULT, LEG_IS_OVER, RECORDS_ARE_FULL, GameCore
from engine.kernel.records import Table
from tournament.arrays import Floats
from tournament.containment import BotTrouble, contained, containing
from tournament.contests.contest import Contest, CoreSetup
from tournament.contests.settings import ContestSettings
from tournament.errors import RunError, printable, truncate
from tournament.leg import Leg, Seat, Unfit
from tournament.store.columns import buffer_fields
from tournament.store.field import MAX_REASON, FailedLeg
from tournament.store.leg_result import NO_RARE_FIELDS, LegResult, RareFields, Used, are_too_large, select_faults
from tournament.store.leg_sums import compute_leg_sums, share_variances
from tournament.store.legs import Legs, digest_column, pair_keys
from tournament.worker.faults import LegFaults, Stopped
from tournament.worker.wasm.kept import Irregular, KeptBots, is_short, kept_bots
from tournament.worker.wasm.loading import LoadedBot, load_bot
from tournament.worker.wasm.seating import BotLimits, Seating
from tournament.worker.wasm.stack import deeply, was_interrupted


class RulesFailed(RunError):
    """Raised when the contest's rules fail in a leg. No bot caused this, and other legs can be played.

    Args:
        contest: Name of the contest.
        failed: The leg, and what happened.

    Attributes:
        failed: The leg, and what happened.
    """

    def __init__(self, contest: str, failed: FailedLeg) -> None:
        super().__init__(f"the rules of {contest} failed in {failed}")
        self.failed, self._contest = failed, contest

    def __reduce__(self) -> tuple[object, ...]:
        return RulesFailed, (self._contest, self.failed)


class RowSink(Protocol):
    """The tables in which a batch's rows gather.

    Attributes:
        games: Rows of games, in the order of play.
        sessions: Rows of sessions, in the order of play.
    """

    games: Table
    sessions: Table

    def clear(self) -> None:
        """Empty the tables after their rows have been handled.

        Raises:
            OSError: The rows can't be written.
        """


def leg_values(leg: Leg) -> dict[str, str | int]:
    """Return the values of the columns that all rows of a leg share, by name.

    They are `replica`, `bot_N` for each seat N from 0, and `house` only if the leg has a house player.
    """
    names = {f"bot_{seat}": name for seat, name in enumerate(leg.names)}
    house = {"house": leg.house.name} if leg.house else {}
    return {"replica": leg.plan.replica} | names | house


@dataclass
class NullSink:
    """A sink that throws rows away.

    Attributes:
        games: Rows of games since the last `clear`.
        sessions: Rows of sessions since the last `clear`.
    """

    games: Table
    sessions: Table

    @staticmethod
    def of(contest: Contest, rows: int) -> NullSink:
        """Return a sink whose tables hold this many rows each."""
        return NullSink(Table(buffer_fields(contest.games), rows), Table(buffer_fields(contest.sessions), rows))

    def clear(self) -> None:
        """Discard the rows."""
        self.games.rows = self.sessions.rows = 0


@dataclass(slots=True)
class Outcome:
    """The result of a leg.

    Attributes:
        leg: The leg.
        sums: The core's sums by seat, packed as doubles: points, their squares, and points by block.
        sessions: Number of sessions played.
        games: Number of games played.
        length: Number of sessions that the blocks of sums divide, or of games if games are scored. 0 if a fault ended
            the leg early.
        rest: Fields that few legs have. Legs without such fields share one object, which must not be changed.
        used: Usage of each entrant's bots, by entrant.
        seconds: Wall-clock seconds that a worker spent on it. For legs with processes it is 0 until `_Lanes.take` sets
            it.
    """

    leg: Leg
    sums: bytes
    sessions: int
    games: int
    length: int
    rest: RareFields
    used: Sequence[Used]
    seconds: float = 0.0


class ShortLegs:
    """A player of short legs between WebAssembly bots that are kept. Everything unusual is left to `play_leg`.

    Args:
        contest: The contest.
        settings: The contest's settings.
        artifacts: Contents of bots and house players, by sha256.
        stopping: Returns whether the run is stopping. By default it never is. Ctrl-C counts, too.
    """

    def __init__(
        self,
        contest: Contest,
        settings: ContestSettings,
        artifacts: Mapping[str, bytes],
        stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        self._contest, self._settings, self._artifacts = contest, settings, artifacts
        self._stopping: Callable[[], bool] = lambda: stopping() or was_interrupted()
        self._limits = limits_of(settings)
        self._bots: dict[str, LoadedBot] = {}
        self._are_short = True
        self._kept: KeptBots | None = None

    @deeply
    def play(self, leg: Leg, sink: RowSink) -> Outcome | None:
        """Play a leg, or return None if `play_leg` must play it. Then the sink has none of its rows.

        It must if a bot isn't of WebAssembly, legs aren't short, kept bots refuse this one, or something irregular
        happens, such as a fault.

        Args:
            leg: The leg.
            sink: Receives the rows. It is cleared before the leg if its tables might be too full, but not at the end.

        Raises:
            BotTrouble: A bot can't be loaded.
            RulesFailed: The rules failed.
            Stopped: The run is stopping.
            RunError: This machine can't play.
            OSError: The sink can't be cleared.
        """
        if not self._are_short or {seat.kind for seat in leg.seats} != {"wasm"}:
            return None
        began, contest, games, sessions = time.perf_counter(), self._contest, sink.games, sink.sessions
        leg = leg.with_team_seats(contest.members)
        bots, seeds = [self._bot(seat) for seat in leg.seats], [seat.random_seed for seat in leg.seats]
        if self._kept is not None and self._kept.refuses(bots):
            return None
        core = new_core(contest, self._settings, leg, self._artifacts, games, sessions)
        if self._kept is None or self._kept.are_many:
            self._are_short = is_short(core, self._limits) and len(leg.seats) == core.seats
            if not self._are_short:
                return None
            self._kept = kept_bots(self._limits, core)
        if min(games.capacity - games.rows, sessions.capacity - sessions.rows) < core.most_decisions:
            sink.clear()
        before = games.rows, sessions.rows
        try:
            used = self._kept.play(core, bots, seeds, self._stopping)
        except Irregular:
            games.rows, sessions.rows = before
            if self._stopping():
                raise Stopped from None
            return None
        if used is None:
            return None
        faults = LegFaults(contest, self._settings, leg)
        return outcome_of(contest, leg, core, faults, used, time.perf_counter() - began)

    def _bot(self, seat: Seat) -> LoadedBot:
        """Return a seat's bot, loaded once for all legs.

        Raises:
            BotTrouble: It can't be loaded.
            RunError: This machine can't load any bot.
        """
        if seat.name not in self._bots:
            self._bots[seat.name] = _loaded(self._contest, self._settings, seat, self._artifacts, self._limits)
        return self._bots[seat.name]


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
    measures_bots: bool = False,
) -> Outcome:
    """Play one leg of WebAssembly bots, or one against the house, to its end, or to one fault too many.

    The leg also ends when a bot can't start, though it could when it entered. With more than two entrants it continues
    with default answers instead.

    Args:
        contest: The contest.
        settings: The contest's settings.
        leg: The leg.
        artifacts: Contents of bots and house players, by sha256.
        sink: Receives the rows. It is cleared whenever its tables are full, but not at the end.
        stopping: Returns whether the run is stopping. By default it never is.
        meters: Receives a tuple for each entrant, in their order: its number of decisions, the units of fuel that they
            used, and the most that one used. With None fuel isn't measured by decision.
        measures_bots: Whether to measure each bot's time, so that a late one is known.

    Raises:
        Stopped: The run is stopping.
        BotTrouble: A bot failed for a reason outside of the game, or takes far longer than its fuel should.
        RulesFailed: The rules failed.
        RunError: This machine can't play.
        OSError: The sink can't be cleared.
    """
    began = time.perf_counter()
    leg = leg.with_team_seats(contest.members)
    core = new_core(contest, settings, leg, artifacts, sink.games, sink.sessions)
    core.set_stop_check(stopping)
    faults = LegFaults(contest, settings, leg)
    seating = new_seating(
        *(contest, settings, leg, artifacts, core, faults, stopping),
        measure_fuel=meters is not None,
        measures_bots=measures_bots,
        starts=len(leg.seats) * (1 + settings.max_faults),
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
            restart = faults.add(core, seating.take_failure(), seating.printed(at_fault))
            if restart and seat_again(seating, at_fault, restart, core, faults):
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
    return outcome_of(contest, leg, core, faults, seating.used(), time.perf_counter() - began)


def new_core(
    contest: Contest, settings: ContestSettings, leg: Leg, artifacts: Mapping[str, bytes], games: Table, sessions: Table
) -> GameCore:
    """Return the core that plays a leg, with the house player's content if there is one.

    Seats that are out in the leg are dismissed before play.

    Args:
        contest: The contest.
        settings: The contest's settings.
        leg: The leg, with a seat for each bot of a team.
        artifacts: Contents of house players, by sha256.
        games: Receives the rows of games.
        sessions: Receives the rows of sessions.

    Raises:
        RulesFailed: The rules raised an exception at the start of the leg.
    """
    house = artifacts[leg.house.artifact] if leg.house else None
    try:
        core = contest.new_core(CoreSetup(leg.plan, settings, games, sessions, house))
        for number in leg.out:
            core.dismiss(number)
        return core
    except Exception as failure:
        raise _rules_failure(contest, leg, (0, 0), failure) from failure


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
    measures_bots: bool = False,
    starts: int = 0,
) -> Seating:
    """Seat a leg's WebAssembly bots.

    A bot that can't start is at fault and disqualified. With one or two entrants the leg is over then, and no further
    bot is seated. Call it on a deep stack.

    Args:
        contest: The contest.
        settings: The contest's settings.
        leg: The leg, with a seat for each bot of a team.
        artifacts: Contents of bots, by sha256.
        core: The leg's core. Bots that can't start are dismissed in it.
        faults: Receives the faults of bots that can't start.
        stopping: Returns whether the run is stopping. Ctrl-C counts, too.
        measure_fuel: Whether to count the fuel of each decision.
        measures_bots: Whether to measure each bot's time, which makes games slower.
        starts: Maximum number of bots' starts in a short leg; 0 if they are unlimited.

    Raises:
        BotTrouble: A bot failed for a reason outside of the game.
        Stopped: The run is stopping.
        RunError: This machine can't play.
    """
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
        measures_bots=measures_bots,
        starts=starts,
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
    """Return a seat's bot, loaded. Because it could be loaded when it entered, a failure is no fault of the bot.

    Raises:
        BotTrouble: It can't be loaded.
        RunError: This machine can't load any bot, or too many files are open.
    """
    try:
        return load_bot(
            artifacts[seat.artifact], contest.interface, seat.name, settings.memory_megabytes, limits.engine
        )
    except Unfit as unfit:
        raise BotTrouble((seat.name,), str(unfit)) from None
    except Exception as error:
        raise contained(error, seat.name, "it could not be loaded") from error


def limits_of(settings: ContestSettings) -> BotLimits:
    """Return the limits of a WebAssembly bot by the contest's settings.

    A start gets as much fuel as a decision. The object is shared by all legs with these settings.
    """
    return _limits(settings.fuel_per_call, settings.fuel_per_leg, settings.memory_megabytes)


@lru_cache
def _limits(fuel_per_call: int, fuel_per_leg: int, memory_megabytes: int) -> BotLimits:
    """Return the limits with this fuel, in units, and this memory, in MiB. Calls with the same values share one."""
    return BotLimits(fuel_per_call, memory_megabytes, fuel_per_call, fuel_per_leg)


@deeply
def seat_again(seating: Seating, number: int, seat: Seat, core: GameCore, faults: LegFaults) -> bool:
    """Start a new WebAssembly bot at a seat after a fault.

    Args:
        seating: The leg's bots.
        number: Number of the seat.
        seat: The seat with the new bot's seed.
        core: The leg's core, in which the bot's question is pending.
        faults: Receives a fault if the bot can't start.

    Returns:
        Whether it could start. If it couldn't, that is one more fault, which disqualifies the bot.

    Raises:
        BotTrouble: The bot failed for a reason outside of the game.
        Stopped: The run is stopping.
        RunError: This machine can't play.
    """
    try:
        seating.seat(number, seat.random_seed)
        seating.join()
    except Unfit as unfit:
        faults.add(core, unfit.failure, replaceable=False)
        return False
    return True


def outcome_of(
    contest: Contest,
    leg: Leg,
    core: GameCore,
    faults: LegFaults,
    used: Sequence[Used],
    seconds: float = 0.0,
    tries: int = 1,
) -> Outcome:
    """Return the result of a leg, from its core, its faults, and its bots' usage.

    Args:
        contest: The contest.
        leg: The leg, with a seat for each bot of a team.
        core: The core, which has ended.
        faults: The leg's faults.
        used: Usage of each seat's bot, by seat. For teams, the outcome has the usage of each entrant.
        seconds: Wall-clock seconds of the leg; 0 if they aren't known yet.
        tries: How often the leg has begun, this time included, by default once.

    Raises:
        RulesFailed: The rules failed.
        BotTrouble: The faults can't be kept.
        RunError: Too many files are open.
    """
    try:
        core.check()
    except Exception as failure:
        raise _rules_failure(contest, leg, core.position(), failure) from failure
    sessions, games = core.sessions_played, core.games_recorded
    length = 0 if faults.ended_by is not None else games if contest.scored.table == "games" else sessions
    rare_fields = _rare_fields(leg, faults, tries) if faults.all or tries > 1 else NO_RARE_FIELDS
    if leg.members > 1:
        used = [_sum_usage([used[seat] for seat in seats]) for seats in seats_by_entrant(leg)]
    return Outcome(leg, core.packed_sums(), sessions, games, length, rare_fields, used, seconds)


def _rare_fields(leg: Leg, faults: LegFaults, tries: int) -> RareFields:
    """Return the fields that few legs have: selected faults, disqualified seats, omitted faults, and tries.

    The seats are sorted. If a fault has ended the leg, only its seat is among them.

    Raises:
        BotTrouble: The faults can't be kept.
        RunError: Too many files are open.
    """
    disqualified = tuple(sorted({*faults.out})) if faults.ended_by is None else (faults.ended_by,)
    with containing(leg.entrants[faults.all[-1].seat if faults.all else 0], "its faults could not be kept"):
        faults_stored, omitted = select_faults(tuple(faults.all), disqualified, len(leg.entrants))
    return RareFields(faults_stored, disqualified, omitted, tries)


def seats_by_entrant(leg: Leg) -> list[range]:
    """Return the seat numbers of each entrant's bots, by entrant. The bots of a team sit side by side."""
    return [range(first, first + leg.members) for first in range(0, len(leg.seats), leg.members)]


def _sum_usage(used: Sequence[Used]) -> Used:
    """Return an entrant's usage: the sums of its bots' fuel and time, and the maxima of memory and slowest answer."""
    return Used(
        sum(one.fuel for one in used),
        sum(one.cpu_seconds for one in used),
        max(one.memory_bytes for one in used),
        max(one.slowest_seconds for one in used),
    )


def legs_of(contest: Contest, played: Sequence[Outcome], luck: Floats | None = None, legs_of_deals: int = 1) -> Legs:
    """Return played legs as columns, in the order of `played`.

    Args:
        contest: The contest.
        played: The legs, ordered by match and number.
        luck: Points due to luck of the first seat, by leg and block. None if the contest doesn't correct for luck.
        legs_of_deals: Number of legs of a replica, which share their deals. With 1 each leg has its own.

    Raises:
        RulesFailed: The rules gave points in a leg that no record holds.
    """
    if not played:
        return Legs.from_results(())
    seat_sums = np.frombuffer(b"".join([outcome.sums for outcome in played])).reshape(len(played), -1, 2 + BLOCK_COUNT)
    totals = np.ascontiguousarray(seat_sums[:, : len(played[0].leg.entrants)])
    lengths = np.array([outcome.length for outcome in played])
    sums = compute_leg_sums(totals, lengths, luck)
    if len(wrong := np.flatnonzero(are_too_large(sums))):
        outcome = played[wrong[0]]
        failure = ValueError("it gives points beyond 10¹⁵, or none at all")
        raise _rules_failure(contest, outcome.leg, (outcome.sessions, 0), failure)
    plans = [outcome.leg.plan for outcome in played]
    counts = np.array(
        [(plan.match, plan.number, outcome.sessions, outcome.games) for plan, outcome in zip(plans, played)], np.int64
    )
    if legs_of_deals > 1:
        deals = pair_keys(counts[:, 0], counts[:, 1] // legs_of_deals)
        share_variances(sums, totals, lengths, luck, deals, legs_of_deals)
    seated = [(*outcome.leg.entrants, outcome.leg.house.name if outcome.leg.house else "") for outcome in played]
    names = {name: place for place, name in enumerate(dict.fromkeys(filter(None, itertools.chain(*seated))))}
    player_indices = np.array([[names.get(name, -1) for name in leg] for leg in seated], np.int32, order="F")
    rare_fields = {NO_RARE_FIELDS: 0}
    more = np.array([rare_fields.setdefault(outcome.rest, len(rare_fields)) for outcome in played], np.int32)
    return Legs(
        digest_column(outcome.leg.digest for outcome in played),
        tuple(names),
        player_indices[:, :-1],
        player_indices[:, -1],
        np.asfortranarray(counts),
        np.asfortranarray(sums),
        tuple(rare_fields),
        more,
        np.array([outcome.seconds for outcome in played], np.float32),
        np.array([outcome.used for outcome in played], np.float32, order="F"),
    )


def result_of(contest: Contest, outcome: Outcome) -> LegResult:
    """Return the result of a leg, without a correction for luck.

    Raises:
        RulesFailed: The rules gave points that no record holds.
    """
    # Legs that no schedule has, such as those of a trial, can have any digest, which might fit no column.
    without = replace(outcome, leg=replace(outcome.leg, digest=""))
    return replace(legs_of(contest, [without])[0], digest=outcome.leg.digest)


def _rules_failure(contest: Contest, leg: Leg, position: tuple[int, int], failure: Exception) -> RulesFailed:
    """Return the error for an exception in a contest's rules, with its line in their file or in what they call.

    Args:
        position: Session of the leg and game of the session, from 0.

    The message is cut to 300 characters, and the reason to somewhat less than MAX_REASON.
    """
    session, game = position
    where = locate_failure(contest, failure)
    message = truncate(printable(" ".join(str(failure).split())), 300)
    return RulesFailed(
        contest.name,
        FailedLeg(
            leg.plan.match,
            leg.plan.number,
            leg.entrants,
            leg.house.name if leg.house else "",
            leg.plan.first_session + session,
            game,
            truncate(f"{type(failure).__name__}: {message}{where}", MAX_REASON - 50),
        ),
    )


def locate_failure(contest: Contest, failure: Exception) -> str:
    """Return " (FILE, line N)" for an exception in a contest's rules, with the innermost line.

    Rules from a file have only lines of that file. Otherwise any line of Python counts. The result is "" if there is no
    such line in the traceback.
    """
    frames = [place for place in traceback.extract_tb(failure.__traceback__) if place.filename.endswith(".py")]
    if contest.source and contest.source.content is not None:  # a file's rules: lines of others would mislead
        frames = [place for place in frames if place.filename == contest.source.place]
    return f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
