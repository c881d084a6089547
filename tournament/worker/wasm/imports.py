"""A bot's imports: the contest's helpers, time, randomness, output, and stand-ins for all other imports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from engine.wasm.fuel import Fuel
from engine.wasm.instances import Store
from engine.wasm.surroundings import Surroundings
from tournament.contests.bots import Helpers
from tournament.contests.interface import Interface
from tournament.keys import helpers_key, random_bytes_key
from tournament.worker.wasm import calls
from tournament.worker.wasm.calls import Extern
from tournament.worker.wasm.engine import Engine
from tournament.worker.wasm.loading import LoadedBot, helper_type
from tournament.worker.wasm.stand_ins import ANSWERED, SEED_RANDOM, STATUS, stand_ins, type_of


@dataclass(frozen=True)
class Imports:
    """A bot's imports by name, and the objects behind them.

    It must be kept as long as the bot can be called, because the bot has the addresses of these objects.

    Attributes:
        externs: The imports by name. It must not be changed, because bots without imports share one.
        helpers: The contest's helpers; None if the bot imports nothing, or the contest has none.
        surroundings: Time, random bytes and printing; None if the bot imports none of these.
        seed_random: Called with a number of 64 bits, seeds the rand() that replaces libc's. None if the bot imports no
            stand-ins.
    """

    externs: dict[str, Extern]
    helpers: Helpers | None
    surroundings: Surroundings | None
    seed_random: Callable[[int], None] | None


_NO_IMPORTS = Imports({}, None, None, None)


def imports_of(store: Store, bot: LoadedBot, kind: Engine, seed: int, fuel: Fuel, *, by_lines: bool) -> Imports:
    """Return a bot's imports, which must be kept as long as the bot can be called.

    Args:
        store: Store of the bot.
        bot: The bot. Its imports must have been checked.
        kind: The store's engine.
        seed: Seed of the bot's rand(), from which all randomness of the imports follows.
        fuel: Charged for calls of the imports.
        by_lines: Whether libc writes the bot's output line by line, as to a terminal.

    Raises:
        wasmtime.Trap: The stand-ins can't be started.
        wasmtime.WasmtimeError: The stand-ins can't be instantiated or compiled.
        RunError: The machine is at fault.
    """
    if not bot.imports:
        return _NO_IMPORTS
    helpers, externs = _new_helpers(store, bot.interface, helpers_key(seed), fuel)
    surroundings = None
    if any(name in bot.imports for name in ANSWERED):
        surroundings = _surround(store, externs, bot, kind, random_bytes_key(seed), fuel, by_lines=by_lines)
    seed_random = None
    if inert := tuple(name for name in bot.imports if name not in externs):
        behind = calls.new_instance(store, stand_ins(kind), [])
        externs |= zip(inert, behind.exports(tuple(name.encode() for name in inert)))
        seed_random = partial(behind.call, SEED_RANDOM.encode())
    return Imports(externs, helpers, surroundings, seed_random)


def _surround(
    store: Store, natives: dict[str, Extern], bot: LoadedBot, kind: Engine, key: bytes, fuel: Fuel, *, by_lines: bool
) -> Surroundings:
    """Add the functions for time, random bytes and printing to `natives`, for a bot's imports of these.

    Args:
        store: Store of the bot.
        natives: Receives the functions by name.
        bot: The bot.
        kind: The store's engine.
        key: Key of the random bytes.
        fuel: Charged for calls of the functions.
        by_lines: Whether libc writes the bot's output line by line.

    Returns:
        The object behind the functions, which must be kept as long as these can be called.
    """
    surroundings = Surroundings(key, fuel=fuel, context=store.context)
    functions = surroundings.functions | ({STATUS: surroundings.terminal} if by_lines else {})
    for name, function in functions.items():
        if name in bot.imports:
            natives[name] = calls.native_function(store, type_of(name, kind), *function)
    return surroundings


def _new_helpers(
    store: Store, interface: Interface, key: bytes, fuel: Fuel
) -> tuple[Helpers | None, dict[str, Extern]]:
    """Return the contest's helpers for a bot, and the functions to import by name.

    Without helpers in the contest these are None and an empty dictionary. The helpers must be kept as long as the
    functions can be called.

    Args:
        store: Store of the bot.
        interface: The contest's interface.
        key: Key of the helpers' random numbers.
        fuel: Charged for calls of the helpers.
    """
    if interface.compiled.new_helpers is None:
        return None, {}
    helpers = interface.compiled.new_helpers(key, fuel=fuel)
    return helpers, {
        helper.name: calls.native_function(store, helper_type(helper), *helpers.functions[helper.name])
        for helper in interface.compiled.imports
    }
