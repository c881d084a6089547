"""The WebAssembly bots of a leg at their seats: started, limited, and joined by the loop that plays them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import wasmtime

from engine.kernel.game_core import GameCore
from engine.wasm.direct_step import direct_step
from engine.wasm.fuel import Fuel
from engine.wasm.instances import StartedBot, Store, handle_of_function, take_places
from engine.wasm.referee import Referee
from engine.wasm.watch import ANY_SEAT, Watch
from tournament.artifacts.limits import BOT_STACK, MAX_ELEMENTS
from tournament.containment import BotTrouble
from tournament.contests.interface import Interface
from tournament.contests.questions import refusal
from tournament.leg import Failure, Unfit, cant_start
from tournament.store.leg_result import Used
from tournament.worker.faults import Stopped
from tournament.worker.wasm import calls, notes
from tournament.worker.wasm.calls import Extern
from tournament.worker.wasm.engine import Engine, compile_module, engine, has_pool, version
from tournament.worker.wasm.imports import Imports, imports_of
from tournament.worker.wasm.loading import LoadedBot
from tournament.worker.wasm.loop_text import loop_text
from tournament.worker.wasm.stack import on_deep_stack, was_interrupted
from tournament.worker.wasm.traps import OUT_OF_FUEL, describe, is_of_system, is_own_doing, is_uncaught, where

# Instances, tables and memories of a store: a bot that starts again is a new instance, and the old one stays until the
# leg is over.
MAX_INSTANCES = 10_000
# Processor time after which a bot is late: twice what a unit of fuel may take (docs/explanation/sandbox.md), but for
# memory that no cache has; ordinary bots take at most a nanosecond.
_SECONDS_PER_FUEL = 25e-9
# A call with no more fuel than this ends within minutes, whatever it does. The time is checked between calls.
_FUEL_WITHOUT_CLOCK = 2_000_000_000
# Processor time for the core, and for what the runtime does once: mapping memory, the first run of code.
_SECONDS_PER_DECISION, _SECONDS_MORE = 1e-4, 10.0

# Fuel for a bot's own code that describes what it threw.
_FUEL_TO_DESCRIBE = 1_000_000

# The C library's allocator takes blocks of powers of two and never joins those that are freed: a block that grows
# leaves as much behind as it takes, and takes up to twice what was asked.
_MEMORY_PER_PROMISED = 4

BANK_IS_EMPTY = "used up the fuel of its leg"


@dataclass(frozen=True)
class BotLimits:
    """The limits of a bot.

    Attributes:
        fuel: Units of fuel for a decision.
        memory_megabytes: Memory by the contest's settings in MiB, without the stack.
        fuel_to_start: Units of fuel for each start, by default 10⁹.
        fuel_per_leg: Units of fuel for a complete leg, starts included. None for no limit, the default.
    """

    fuel: int
    memory_megabytes: int
    fuel_to_start: int = 1_000_000_000
    fuel_per_leg: int | None = None

    @cached_property
    def memory_bytes(self) -> int:
        """Maximum bytes of a bot's memory, stack included, so that its allocator can provide all that is promised."""
        return _MEMORY_PER_PROMISED * (self.memory_megabytes << 20) + BOT_STACK

    @cached_property
    def wanted(self) -> int:
        """Units of fuel without which a bot isn't called: a decision's limit, or 0 if it is at least the leg's bank."""
        return 0 if self.fuel_per_leg is not None and self.fuel >= self.fuel_per_leg else self.fuel

    @cached_property
    def engine(self) -> Engine:
        """Engine of bots with these limits. It also measures time if a call can get more than 2·10⁹ units of fuel."""
        max_per_call = max(self.fuel, self.fuel_to_start)
        return Engine.PLAIN if max_per_call <= _FUEL_WITHOUT_CLOCK else Engine.TIMED


class Seating:
    """The bots of one leg at their seats, and the loop that plays them against a core.

    All are in one store, each in a memory of its own that the others can't reach. A seat without a bot (None) gets its
    answers from the caller of the referee's `play`, unless the core never asks it.

    Args:
        core: The core of the leg.
        interface: The contest's interface, for messages about refused answers.
        bots: The bots by seat, with None for a seat without a bot.
        limits: Limits of each bot.
        names: Names of the bots by seat, for messages. By default each of two seats is called "a bot".
        measure_fuel: Whether to count each decision's fuel. Then no question is skipped that a bot has a function for.
        stopping: Returns whether the run is stopping. By default it never is.
        measures_bots: Whether to measure each bot's time, which makes games slower.
        starts: Maximum number of bots' starts, for which places of the pool are taken. With 0, the default, or without
            enough free places, none are taken.

    Attributes:
        core: The core of the leg.
        engine: Engine of the store. It is the pool's only if that has places for all starts.
        watch: The watch over the bots.
        referee: The referee that calls the bots. A bank of 0 there means no limit for the leg.
        direct: The step without the binding, or None if it can't be used with this version of the runtime.

    Raises:
        RunError: This machine can't run a bot.
    """

    def __init__(
        self,
        core: GameCore,
        interface: Interface,
        bots: Sequence[LoadedBot | None],
        limits: BotLimits,
        *,
        names: Sequence[str] = ("a bot", "a bot"),
        measure_fuel: bool = False,
        stopping: Callable[[], bool] = lambda: False,
        measures_bots: bool = False,
        starts: int = 0,
    ) -> None:
        self.core = core
        self._interface = interface
        self._bots = bots
        self._limits = limits
        self._names = names
        self.engine, self._store = _store_for(limits, starts)
        self._fuel = [Fuel(self._store.context) for _ in bots]
        self.watch = new_watch(
            self._store, self.engine, self._fuel, core, stopping=stopping, measures_bots=measures_bots
        )
        self.referee = Referee(
            core,
            context=self._store.context,
            fuels=self._fuel,
            fuel=limits.fuel,
            bank=limits.fuel_per_leg or 0,
            watch=self.watch,
        )
        if measure_fuel:
            self.referee.measure_fuel()  # counts decisions, so all that the bot has functions for are asked
        for seat, bot in enumerate(bots):
            if bot and (skipped := bot.missing if measure_fuel else bot.ignored_questions):
                core.skip_questions(seat, skipped)
        self._step = step_function(self._store, self.referee, self.engine)
        self.direct = direct_step(self._step, self.referee, version())
        self._seated: list[_SeatedBot | None] = [None] * len(bots)

    @property
    def memory_bytes(self) -> int:
        """Bytes of the bots' memories together, of whose stacks only the resident pages count."""
        memories = [seated.started.memory for seated in self._seated if seated]
        return sum(
            max(self._store.size_of(memory) - BOT_STACK, 0) + calls.resident(self._store, memory, BOT_STACK)
            for memory in memories
        )

    def used(self) -> list[Used]:
        """Return what each seat's bots used so far, by seat. Their seconds are always 0.

        The memory, in bytes, is that of the last started bot without its stack, or 0 if the seat has no bot.
        """
        return [
            Used(fuel.spent, 0.0, max(self._store.size_of(seated.started.memory) - BOT_STACK, 0) if seated else 0)
            for fuel, seated in zip(self._fuel, self._seated)
        ]

    def seat(self, seat: int, seed: int) -> None:
        """Start a bot at a seat in fresh memory, at the leg's expense. The memory of the seat's former bot is emptied.

        The bot plays after the next call of `join`. All its randomness follows from the seed. If the start fails, the
        seat is empty. Call this on a deep stack.

        Args:
            seat: Number of a seat that has a bot.
            seed: Start of the bot's randomness.

        Raises:
            Unfit: The bot has too much memory, its initialisers trap or don't end, or the leg's fuel is used up.
            BotTrouble: They take far too long for their fuel, or the machine gives no memory.
            Stopped: The run is stopping.
            RunError: This machine can't run a bot.
        """
        bot = self._bots[seat]
        assert bot is not None
        if former := self._seated[seat]:
            calls.empty(self._store, former.started.memory)
        self._seated[seat] = None
        fuel = self._fuel[seat]
        fuel_to_start = min(self._limits.fuel_to_start, self.referee.fuel_left(seat))
        self.watch.begin(seat)
        try:
            seated = _start(
                self._store, bot, self._limits, seed, fuel_to_start, self.engine, fuel, by_lines=self.core.observes
            )
        except _NoMemory as trouble:
            raise BotTrouble((self._names[seat],), f"can't start: {trouble}") from None
        except Unfit as unfit:
            if not self.watch.end():
                self._look_at_time()
            if unfit.is_permanent and fuel_to_start < self._limits.fuel_to_start and not self.referee.fuel_left(seat):
                raise cant_start(BANK_IS_EMPTY, "other", is_permanent=True) from None
            raise
        finally:
            goes_on = self.watch.end()
        if not goes_on:
            self._look_at_time()
        self._seated[seat] = seated
        if surroundings := seated.imports.surroundings:
            self.core.set_output_reader(seat, surroundings.take_printed)
        self.core.write_views_to(seat, seated.started.window)

    def join(self) -> None:
        """Make the loop that plays the bots which are seated now. Without any, nothing changes.

        Raises:
            wasmtime.WasmtimeError: The runtime can't make it.
            RunError: This machine can't run a bot.
        """
        started = [seated.started for seated in self._seated if seated]
        if not started:
            return
        results = tuple([seated and seated.bot.results for seated in self._seated])
        step = self.direct.function if self.direct else self._step
        loop = new_loop(self._store, step, results, started, self.core.seats, self._limits, self.engine)
        self.referee.seat_bots(loop)

    def take_failure(self) -> Failure:
        """Return why the last decision of the pending bot failed, and take the failure from the referee.

        Its kind is "fuel" if the fuel of the decision or leg ran out. Otherwise the bot trapped, threw or answered what
        the core refuses.

        Raises:
            BotTrouble: A bot takes far too long for its fuel.
            Stopped: The run is stopping.
            RunError: No deep thread can be started.
        """
        error = calls.failure(*self.referee.take_failure())
        self._look_at_time()
        seat = self.core.pending()[1]
        seated, left, fuel = self._seated[seat], self.referee.fuel_left(seat), self._fuel[seat]
        line = where(error, seated.bot.code) if error and seated else ""
        if fuel.ran_out and left == 0:
            return Failure(BANK_IS_EMPTY, "fuel")
        if fuel.ran_out:
            return Failure((describe(error, ran_out=True) if error else OUT_OF_FUEL) + line, "fuel")
        if not error:
            return Failure(refusal(self._interface, self.core))
        message = self._noted(seated, error, fuel) if seated else ""
        if message.startswith(notes.ASSERTION):  # already names its line
            return Failure(message)
        return Failure(f"{message or describe(error)}{line}")

    def _noted(self, seated: _SeatedBot, error: wasmtime.Trap | wasmtime.WasmtimeError, fuel: Fuel) -> str:
        """Return a bot's note on its failure, or "" if it exports no variable for notes or noted nothing valid.

        The bot's own code names a thrown value. If that code fails, it isn't called again.

        Raises:
            RunError: No deep thread can be started.
        """
        if notes.UNCAUGHT in seated.bot.notes and is_uncaught(error):
            fuel.give(_FUEL_TO_DESCRIBE)
            with contextlib.suppress(wasmtime.Trap, wasmtime.WasmtimeError):
                on_deep_stack(seated.started.instance.call, notes.UNCAUGHT.encode())
            fuel.give(0)
        if notes.FAILURE not in seated.bot.notes:
            return ""
        (noted,) = seated.started.instance.exports((notes.FAILURE.encode(),))
        return notes.noted_failure(self._store, seated.started.memory, noted)

    def printed(self, seat: int) -> bytes:
        """Return the end of the output of a seat's bot. It is b"" if the bot prints nothing, or the seat has no bot."""
        seated = self._seated[seat]
        return seated.imports.surroundings.printed if seated and seated.imports.surroundings else b""

    def _look_at_time(self) -> None:
        """Raise what ended the bots' code, if that wasn't a bot. Otherwise do nothing. KeyboardInterrupt is passed on.

        Raises:
            Stopped: The run is stopping.
            BotTrouble: A bot takes far too long for its fuel.
        """
        if self.watch.interruption:
            raise self.watch.interruption
        if self.watch.is_stopped:
            raise Stopped
        if self.watch.late >= 0:
            seconds, fuel = self.watch.used_by(self.watch.late)
            suspects = range(len(self._bots)) if self.watch.late == ANY_SEAT else [self.watch.late]
            names = tuple(self._names[seat] for seat in suspects if self._bots[seat])
            raise BotTrouble(names, late(seconds, fuel))


def late(seconds: float, fuel: int) -> str:
    """Return why a bot is late, as part of a sentence about the bot.

    Args:
        seconds: Processor time that it took.
        fuel: Units of fuel that it used in this time.
    """
    return f"takes far longer here than its fuel should: {seconds:.0f} s of processor time for {fuel:,} units of fuel"


def try_start(bot: LoadedBot, limits: BotLimits) -> None:
    """Start a bot with the seed 0 as a trial, and throw it away. Ctrl-C is raised once the bot has stopped.

    Raises:
        Unfit: It can't start, or takes far too long for its fuel.
        MemoryError: The machine gives it no memory.
        RunError: This machine can't run a bot.
    """
    store = new_store(limits.engine)
    fuel = (Fuel(store.context),)
    watch = new_watch(store, limits.engine, fuel, None, stopping=was_interrupted, measures_bots=True)
    try:
        watch.begin(0)
        on_deep_stack(_start, store, bot, limits, 0, limits.fuel_to_start, limits.engine, fuel[0])
    except Unfit:
        watch.end()
        if watch.late >= 0:
            raise cant_start(late(*watch.used_by(0))) from None
        raise
    except _NoMemory as trouble:
        raise MemoryError(str(trouble)) from None


def require_memory() -> None:
    """Start a module of our own, to check that this machine can run any.

    Raises:
        MemoryError: The machine gives it no memory.
        RunError: This machine can't run a bot.
    """
    module = compile_module(bytes(wasmtime.wat2wasm("(module (memory 1))")), Engine.PLAIN)
    try:
        calls.new_instance(new_store(Engine.PLAIN), module, [])
    except wasmtime.WasmtimeError as error:
        raise MemoryError(describe(error)) from None


class _SeatedBot(NamedTuple):
    """A started bot with all that it needs to be kept alive.

    Attributes:
        bot: The bot as it was loaded.
        started: Its instance.
        imports: Its imports, whose addresses it has.
    """

    bot: LoadedBot
    started: StartedBot
    imports: Imports  # kept alive: the bot has their addresses


class _NoMemory(Exception):
    """The machine gave a bot no memory to start."""


def new_store(kind: Engine) -> Store:
    """Return a store of this process's engine of a kind. It takes no place of the pool."""
    return calls.new_store(engine(kind))


def _store_for(limits: BotLimits, starts: int) -> tuple[Engine, Store]:
    """Return an engine and a store of it.

    They are the pool's if it has places for this many starts, and the bots need no clock. With 0 starts they never are.
    The store keeps the places until it is deleted.
    """
    if starts and limits.engine is Engine.PLAIN and has_pool() and take_places(starts):
        return Engine.POOLED, calls.new_store(engine(Engine.POOLED), starts)
    return limits.engine, new_store(limits.engine)


def new_watch(
    store: Store,
    kind: Engine,
    fuel: Sequence[Fuel],
    core: GameCore | None,
    *,
    stopping: Callable[[], bool],
    measures_bots: bool,
) -> Watch:
    """Return the watch over a store's bots. It must be kept as long as the store.

    Args:
        store: The store. With the timed engine it calls the watch every 0.1 seconds.
        kind: The store's engine. Only the timed one lets the watch interrupt a call.
        fuel: Fuel of each bot, by seat.
        core: The core that they play; None for a trial.
        stopping: Returns whether the run is stopping.
        measures_bots: Whether to measure each bot's time. Otherwise any bot can be the late one.
    """
    watch = Watch(
        fuel,
        seconds=_SECONDS_MORE + (_SECONDS_PER_DECISION * core.most_decisions if core else 0),
        seconds_per_fuel=_SECONDS_PER_FUEL,
        stopping=stopping,
        measures_bots=measures_bots,
        times_core=bool(core and core.steps_in_python),
    )
    if kind is Engine.TIMED:
        store.call_at_ticks(*watch.callback)
    return watch


def _start(
    store: Store,
    bot: LoadedBot,
    limits: BotLimits,
    seed: int,
    given: int,
    kind: Engine,
    fuel: Fuel,
    *,
    by_lines: bool = False,
) -> _SeatedBot:
    """Start a bot in a store, whose limits for further memories are set to those of the bot.

    Args:
        store: The store.
        bot: The bot.
        limits: Limits of the bot.
        seed: All randomness of the bot follows from it.
        given: Units of fuel for the start.
        kind: The store's engine.
        fuel: Counts what the bot uses of `given`.
        by_lines: Whether the bot prints line by line, to be observed.

    Raises:
        Unfit: The bot fails as it starts.
        _NoMemory: The machine gives it no memory.
        RunError: This machine can't run a bot.
    """
    fuel.count_by(b"")
    store.limit(limits.memory_bytes, MAX_ELEMENTS, MAX_INSTANCES)
    try:
        imports = imports_of(store, bot, kind, seed, fuel, by_lines=by_lines)
        externs = [imports.externs[name] for name in bot.imports]
        started = bot.program(kind).start(store, externs, imports.seed_random, seed, fuel, given)
    except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
        raise _why_not_started(error, bot.code, ran_out=fuel.ran_out) from None
    return _SeatedBot(bot, started, imports)


def _why_not_started(error: wasmtime.Trap | wasmtime.WasmtimeError, code: bytes, *, ran_out: bool) -> Exception:
    """Return the error for a start that failed: an Unfit, or a _NoMemory if the machine is the cause.

    Args:
        error: The error of the runtime.
        code: The bot's module, for the line in its source.
        ran_out: Whether the bot ran out of fuel. Then the Unfit has the kind "fuel" and is permanent.
    """
    if ran_out:
        return cant_start(describe(error, ran_out=True), "fuel", is_permanent=True)
    if is_of_system(error):
        return _NoMemory(f"this machine gives it no memory ({describe(error)})")
    return cant_start(f"{describe(error)}{where(error, code)}", is_permanent=is_own_doing(error))


def step_function(store: Store, referee: Referee, kind: Engine) -> Extern:
    """Return a referee's step, as the runtime calls it. The referee must be kept as long as it can be called.

    Args:
        store: Store in which the step is called.
        referee: The referee.
        kind: The store's engine.
    """
    return calls.native_function(store, _step_type(kind), *referee.step_function)


def new_loop(
    store: Store,
    step: Extern,
    results: tuple[tuple[str, ...] | None, ...],
    bots: Sequence[StartedBot],
    seats: int,
    limits: BotLimits,
    kind: Engine,
) -> bytes:
    """Return the handle of the loop that plays started bots. It is valid as long as the store.

    Args:
        store: Store of the bots.
        step: The step of the core.
        results: What the functions of each seat's bot return, "i32" or "i64" by question. None for a seat without one
            of these bots.
        bots: The bots by seat, at least one, without empty seats.
        seats: Number of the core's seats.
        limits: Limits of each bot.
        kind: The store's engine.

    Raises:
        wasmtime.WasmtimeError: The runtime can't make it.
        RunError: This machine can't run a bot.
    """
    imports = [step]
    for one in bots:
        imports += one.functions
    imports += [one.address for one in bots] + [one.counter for one in bots]
    (loop,) = calls.new_instance(store, _loop_module(results, seats, limits.wanted, kind), imports).exports((b"play",))
    return handle_of_function(loop)


@cache
def _step_type(_kind: Engine) -> wasmtime.FuncType:
    """Return the type of a core's step: (answer) -> what to call next. It belongs to the engine that uses it first."""
    return wasmtime.FuncType([wasmtime.ValType.i64()], [wasmtime.ValType.i32()])


@cache
def _loop_module(
    seats: tuple[tuple[str, ...] | None, ...], seat_count: int, fuel: int, kind: Engine
) -> wasmtime.Module:
    """Return the compiled loop for bots with these functions. Processes keep it.

    Args:
        seats: What the functions of each seat's bot return, "i32" or "i64" by question, None for a seat without one.
        seat_count: Number of the core's seats.
        fuel: Units of fuel without which a bot isn't called.
        kind: Engine that compiles it.

    Raises:
        wasmtime.WasmtimeError: The runtime can't compile it.
        RunError: This machine can't compile it.
    """
    return compile_module(bytes(wasmtime.wat2wasm(loop_text(seats, seat_count, fuel))), kind)
