"""WebAssembly bots of short legs, which start once in a thread and are restored to their start for each leg.

The module `seating` plays everything else: bots that can't be restored, and legs with a fault or a late bot.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence

import wasmtime

from engine.kernel.game_core import FAULT, LEG_IS_OVER, GameCore
from engine.wasm.direct_step import direct_step
from engine.wasm.fuel import Fuel
from engine.wasm.instances import KeptBot
from engine.wasm.referee import Referee
from tournament.artifacts.limits import BOT_STACK, MAX_ELEMENTS
from tournament.cores import cores
from tournament.errors import RunError
from tournament.store.leg_result import Used
from tournament.worker.wasm import calls
from tournament.worker.wasm.engine import Engine, version
from tournament.worker.wasm.imports import imports_of
from tournament.worker.wasm.loading import LoadedBot
from tournament.worker.wasm.seating import MAX_INSTANCES, BotLimits, new_loop, new_store, new_watch, step_function

# Decisions. Longer legs take far longer than their bots' starts.
_MAX_DECISIONS = 1 << 15
# Bots that are kept in a process. Each takes some 50 KB, and some of the memory maps that the system allows.
_MAX_KEPT = 4096
# Maximum number of loops in a thread's store, which keeps them until it is deleted.
_MAX_LOOPS = 4096


class Irregular(Exception):
    """Raised when `seating` must play a leg from its beginning."""


class KeptBots:
    """The kept bots of a thread, and the loops that play them.

    Args:
        limits: Limits of the bots.
        core: A core with the seats of the legs.

    Raises:
        RunError: This machine can't run a bot.
    """

    def __init__(self, limits: BotLimits, core: GameCore) -> None:
        self._limits, self._seats, self._process = limits, core.seats, os.getpid()
        self._store = new_store(Engine.PLAIN)
        self._fuel = [Fuel(self._store.context) for _ in range(core.seats)]
        self._watch = new_watch(
            self._store, Engine.PLAIN, self._fuel, core, stopping=lambda: False, measures_bots=False
        )
        bank = limits.fuel_per_leg or 0
        self._referee = Referee(
            core, context=self._store.context, fuels=self._fuel, fuel=limits.fuel, bank=bank, watch=self._watch
        )
        step = step_function(self._store, self._referee, Engine.PLAIN)
        self._direct = direct_step(step, self._referee, version())
        self._step = self._direct.function if self._direct else step
        self._given = min(limits.fuel_to_start, self._referee.fuel_left(0))
        self._bots: dict[tuple[LoadedBot, int], KeptBot | None] = {}
        self._loops: dict[tuple[KeptBot, ...], bytes] = {}
        try:
            self._pages = os.open("/proc/self/pagemap", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._pages = -1

    def __del__(self) -> None:
        if self._pages >= 0:
            os.close(self._pages)

    def serve(self, limits: BotLimits, seats: int) -> bool:
        """Return whether the bots can play legs with these limits and this many seats, in this process.

        They can't after a fork, because they belong to the parent process.
        """
        return seats == self._seats and limits == self._limits and self._process == os.getpid()

    @property
    def are_many(self) -> bool:
        """True if the store has too many loops and must be replaced."""
        return len(self._loops) >= _MAX_LOOPS

    def refuses(self, bots: Sequence[LoadedBot]) -> bool:
        """Return whether it is known that one of a leg's bots can't be kept. Untried bots aren't refused."""
        return any(self._bots.get(slot, slot) is None for slot in _slots(bots))

    def play(
        self, core: GameCore, bots: Sequence[LoadedBot], seeds: Sequence[int], stopping: Callable[[], bool]
    ) -> list[Used] | None:
        """Play a leg to its end, and return usage by seat. Return None before the start if a bot can't be kept.

        Args:
            core: A new core of the leg.
            bots: The bots by seat.
            seeds: The start of each bot's randomness, by seat.
            stopping: Returns whether the run is stopping.

        Returns:
            For each seat the units of fuel, 0 seconds, and the bytes of memory without the stack. It is None if a bot
            can't be kept.

        Raises:
            Irregular: Other means must play the leg, with a new core: a bot is at fault or late, or the run must stop.
        """
        slots, seated = _slots(bots), []
        for slot in slots:
            kept = self._bots[slot] if slot in self._bots else self._keep(slot)
            if kept is None:
                return None
            seated.append(kept)
        self._referee.begin(core, stopping)
        self._watch.begin(0)
        for seat, kept in enumerate(seated):
            try:
                is_back = kept.begin(self._fuel[seat], seeds[seat])
            except (wasmtime.Trap, wasmtime.WasmtimeError):
                is_back = False
            if not is_back:
                self._bots[slots[seat]] = None
                raise Irregular
            core.write_views_to(seat, kept.window)
            if ignored := bots[seat].ignored_questions:
                core.skip_questions(seat, ignored)
        if not self._watch.end():
            raise Irregular
        if (key := tuple(seated)) not in self._loops:
            self._loops[key] = self._new_loop(bots, seated)
        self._referee.seat_bots(self._loops[key])
        if (status := self._referee.play()) != LEG_IS_OVER:
            calls.failure(*self._referee.take_failure())
            if status == FAULT:
                self._bots[slots[core.pending()[1]]] = None
            raise Irregular
        return [Used(fuel.spent, 0.0, max(one.memory_bytes - BOT_STACK, 0)) for fuel, one in zip(self._fuel, seated)]

    def _keep(self, slot: tuple[LoadedBot, int]) -> KeptBot | None:
        """Start a bot and keep it, or return None if it can't be kept.

        It can't if its variables can't be restored, it fails at its start, or the machine doesn't show changed pages.
        It can't either if too many are kept. A failure at the start also counts later.

        Args:
            slot: The bot, and the number of lower seats that it also has.
        """
        bot = slot[0]
        if bot.variables is None or self._pages < 0 or len(self._bots) >= _MAX_KEPT // (2 * cores()):
            return None
        fuel = Fuel(self._store.context)
        self._store.limit(self._limits.memory_bytes, MAX_ELEMENTS, MAX_INSTANCES)
        try:
            imports = imports_of(self._store, bot, Engine.PLAIN, 0, fuel, by_lines=False)
            externs = [imports.externs[name] for name in bot.imports]
            arguments = externs, imports.seed_random, bot.variables, fuel, self._given, self._pages
            kept = KeptBot(bot.program(Engine.PLAIN), self._store, *arguments)
        except (wasmtime.Trap, wasmtime.WasmtimeError, ValueError, RunError):
            kept = None
        self._bots[slot] = kept
        return kept

    def _new_loop(self, bots: Sequence[LoadedBot], kept: Sequence[KeptBot]) -> bytes:
        """Return the handle of the loop that plays these bots.

        Raises:
            Irregular: It can't be made.
        """
        results, started = tuple([bot.results for bot in bots]), [one.started for one in kept]
        try:
            return new_loop(self._store, self._step, results, started, self._seats, self._limits, Engine.PLAIN)
        except (wasmtime.WasmtimeError, RunError):
            raise Irregular from None


def _slots(bots: Sequence[LoadedBot]) -> list[tuple[LoadedBot, int]]:
    """Return each bot, by seat, with the number of lower seats that it also has. Each seat needs its own instance."""
    return [(bot, bots[:seat].count(bot)) for seat, bot in enumerate(bots)]


_here = threading.local()


def kept_bots(limits: BotLimits, core: GameCore) -> KeptBots:
    """Return this thread's kept bots for a core's leg, new ones if those don't fit or have too many loops.

    Raises:
        RunError: This machine can't run a bot.
    """
    bots: KeptBots | None = getattr(_here, "kept", None)
    if bots is None or bots.are_many or not bots.serve(limits, core.seats):
        bots = _here.kept = KeptBots(limits, core)
    return bots


def is_short(core: GameCore, limits: BotLimits) -> bool:
    """Return whether bots of a core's leg can be kept.

    The leg must have an upper limit of at most 32,768 decisions, and its calls no clock. The core must neither observe
    the bots nor run rules in Python.
    """
    return (
        0 < core.most_decisions <= _MAX_DECISIONS
        and limits.engine is Engine.PLAIN
        and not core.observes
        and not core.steps_in_python
    )
