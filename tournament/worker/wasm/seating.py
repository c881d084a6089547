"""The WebAssembly runtime: with `instances` the only module that knows wasmtime.

Settings here decide what bots may do and that they do the same everywhere;
together with the bots' bytes they determine every answer.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import wasmtime
from wasmtime import _ffi as ffi

from engine.game_core import GameCore
from engine.referee import PACKED_VALUES, Referee
from tournament.contests.contest import Helpers, Import, Interface
from tournament.contests.questions import refusal
from tournament.keys import KEY_BYTES
from tournament.worker.wasm.calls import Extern, Instance, address_of, context_of, native_function
from tournament.worker.wasm.fuel_bound import constant_functions, most_instructions

PAGE = 65536
# Instantiating may copy large tables; a bot that needs more than this to start is endless.
START_FUEL_FACTOR = 100

# What libc drags in, each without effect: errno "not supported" for a call, a trap for exit.
# No stand-in reads or writes the bot's memory, so clocks and files have nothing to tell.
_NOT_SUPPORTED = 58
_INERT_CALLS: dict[str, str] = {
    "args_get": "ii",
    "args_sizes_get": "ii",
    "clock_res_get": "ii",
    "clock_time_get": "iIi",
    "environ_get": "ii",
    "environ_sizes_get": "ii",
    "fd_close": "i",
    "fd_fdstat_get": "ii",
    "fd_fdstat_set_flags": "ii",
    "fd_prestat_dir_name": "iii",
    "fd_prestat_get": "ii",
    "fd_read": "iiii",
    "fd_seek": "iIii",
    "fd_write": "iiii",
    "random_get": "ii",
    "sched_yield": "",
}
_WASI = "wasi_snapshot_preview1"


def _stand_ins_text() -> str:
    types = {"i": "i32", "I": "i64"}
    lines = ["(module"]
    for name, parameters in _INERT_CALLS.items():
        signature = " ".join(types[letter] for letter in parameters)
        lines.append(f'(func (export "{name}") (param {signature}) (result i32) (i32.const {_NOT_SUPPORTED}))')
    lines.append('(func (export "proc_exit") (param i32) unreachable)')
    # rand for modules that import it; bots that we compile bring their own.
    # SplitMix64, as in bot_runtime.c.
    lines.append(
        """
        (global $seed (mut i64) (i64.const 0))
        (global $state (mut i64) (i64.const 0))
        (func (export "tournament_seed_random") (param i64)
          (global.set $seed (local.get 0)) (global.set $state (local.get 0)))
        (func (export "srand") (param i32)
          (global.set $state (i64.add (global.get $seed)
            (i64.mul (i64.const 0xD1B54A32D192ED03)
                     (i64.add (i64.extend_i32_u (local.get 0)) (i64.const 1))))))
        (func (export "rand") (result i32) (local $z i64)
          (local.set $z (i64.add (global.get $state) (i64.const 0x9E3779B97F4A7C15)))
          (global.set $state (local.get $z))
          (local.set $z (i64.mul (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 30)))
                                 (i64.const 0xBF58476D1CE4E5B9)))
          (local.set $z (i64.mul (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 27)))
                                 (i64.const 0x94D049BB133111EB)))
          (i32.wrap_i64 (i64.shr_u (i64.xor (local.get $z) (i64.shr_u (local.get $z) (i64.const 31)))
                                   (i64.const 33))))
        """
    )
    lines.append(")")
    return "\n".join(lines)


_RANDOM_IMPORTS = ("rand", "srand")
# What the commonest forbidden imports come from.
_FORBIDDEN = {
    "path_open": "opens files (fopen, open: imports path_open)",
    "poll_oneoff": "sleeps or waits (sleep, usleep: imports poll_oneoff)",
    "sock_accept": "uses sockets (imports sock_accept)",
}


_CALL_UNCHECKED = address_of(ffi.dll.wasmtime_func_call_unchecked)
_SET_FUEL = address_of(ffi.dll.wasmtime_context_set_fuel)
_GET_FUEL = address_of(ffi.dll.wasmtime_context_get_fuel)
_NEW_TRAP = address_of(ffi.dll.wasmtime_trap_new)

_making = threading.RLock()
_engines: dict[bool, wasmtime.Engine] = {}


def _engine(counts_fuel: bool) -> wasmtime.Engine:
    """The process's engine that counts fuel, or the one that doesn't; their modules can't be mixed."""
    with _making:
        if counts_fuel not in _engines:
            _engines[counts_fuel] = _new_engine(counts_fuel)
        return _engines[counts_fuel]


def version() -> str:
    """What compiles and runs bots."""
    return f"wasmtime {importlib.metadata.version('wasmtime')}"


def engine_settings(counts_fuel: bool) -> dict[str, bool | int]:
    """The settings of an engine, by their names in wasmtime."""
    return {
        "consume_fuel": counts_fuel,
        "cranelift_nan_canonicalization": True,
        # Signal handlers of Ray and faulthandler would replace the runtime's own: check explicitly.
        "signals_based_traps": False,
        # The view's address is taken once, so memory must stay where it is.
        "memory_may_move": False,
        "memory_reservation": 1 << 32,
        "max_wasm_stack": 512 * 1024,
        "wasm_threads": False,
        "shared_memory": False,
        "wasm_memory64": False,
        "wasm_relaxed_simd": False,
        "wasm_multi_memory": False,
        "wasm_component_model": False,
        "wasm_exceptions": False,
        "wasm_gc": False,
        "wasm_function_references": False,
        "wasm_stack_switching": False,
    }


def _new_engine(counts_fuel: bool) -> wasmtime.Engine:
    config = wasmtime.Config()
    for name, value in engine_settings(counts_fuel).items():
        setattr(config, name, value)
    return wasmtime.Engine(config)


@cache
def _stand_ins(counts_fuel: bool) -> wasmtime.Module:
    return wasmtime.Module(_engine(counts_fuel), bytes(wasmtime.wat2wasm(_stand_ins_text())))


# Called before anything else, if a bot has them: libc's initialisers, then the adapter's,
# which takes the address of the bot's struct and the seed of its rand().
_STARTERS = {"_initialize": [], "tournament_start": ["i32", "i64"]}
_ADDRESS = wasmtime.GlobalType(wasmtime.ValType.i32(), False)


class BotUnfit(Exception):
    """A module that can't be a bot of the contest; the message says why."""


class FunctionTypes(NamedTuple):
    """WebAssembly types of a bot's function, without the bot's address, its first parameter."""

    arguments: tuple[str, ...]
    result: str


@dataclass(frozen=True)
class LoadedBot:
    """A compiled bot: `functions` are the names that answer the questions, in order.

    `starters` are those to be called before anything else; `ignored_questions` are the questions that
    only tell it something and whose function does nothing; `most_instructions` bounds what a
    decision can take, where that can be told.
    """

    artifact: bytes
    module: wasmtime.Module  # counts fuel
    interface: Interface
    functions: tuple[str, ...]
    types: tuple[FunctionTypes, ...]
    imports: tuple[str, ...]
    starters: frozenset[str]
    ignored_questions: frozenset[int]
    most_instructions: int | None

    @cached_property
    def uncounted_module(self) -> wasmtime.Module:
        """The bot for the engine that doesn't count fuel."""
        with _making:
            return wasmtime.Module(_engine(False), self.artifact)


@cache
def load_bot(artifact: bytes, interface: Interface, stem: str) -> LoadedBot:
    """Compile a bot's WebAssembly, once in a process, and check that it fits the contest.

    Raises BotUnfit when it isn't valid WebAssembly, imports what bots may not,
    or lacks a function.
    """
    try:
        module = wasmtime.Module(_engine(True), artifact)
    except wasmtime.WasmtimeError as error:
        raise BotUnfit(f"not a WebAssembly module that can run here: {_first_lines(str(error))}") from None
    _check_imports(module, interface)
    exports = {item.name: item.type for item in module.exports}
    if not isinstance(exports.get("memory"), wasmtime.MemoryType):
        raise BotUnfit("exports no memory called memory")
    functions = []
    types = []
    for question in interface.questions:
        for name in function_names(stem, question.name):
            kind = exports.get(name)
            if isinstance(kind, wasmtime.FuncType):
                break
        else:
            raise BotUnfit(f"lacks the function {question.name}")
        parameters = [str(p) for p in kind.params]
        results = [str(r) for r in kind.results]
        if (
            len(parameters) != len(question.parameters)
            or any(p not in accepted for p, accepted in zip(parameters, question.parameters))
            or len(results) != 1
            or results[0] not in question.result
        ):
            wanted = ", ".join(" or ".join(accepted) for accepted in question.parameters)
            raise BotUnfit(
                f"the function {name} is ({', '.join(parameters)}) -> ({', '.join(results)}),"
                f" expected ({wanted}) -> ({' or '.join(question.result)})"
            )
        functions.append(name)
        types.append(FunctionTypes(tuple(parameters[interface.passes_address :]), results[0]))
    bound = most_instructions(artifact, [*functions, "tournament_start"]) if artifact[:4] == b"\0asm" else None
    if any(item.name in {helper.name for helper in interface.imports} for item in module.imports):
        bound = None  # what a helper takes depends on what it is asked
    imports = tuple(item.name or "" for item in module.imports)
    constant = constant_functions(artifact, functions) if artifact[:4] == b"\0asm" else frozenset()
    ignored_questions = frozenset(
        kind
        for kind, (question, function) in enumerate(zip(interface.questions, functions))
        if question.only_tells and function in constant
    )
    return LoadedBot(
        artifact,
        module,
        interface,
        tuple(functions),
        tuple(types),
        imports,
        _starters(exports),
        ignored_questions,
        bound,
    )


def _starters(exports: Mapping[str, object]) -> frozenset[str]:
    """Which functions are to be called when a bot starts. Raises BotUnfit when one takes something else."""
    there = set()
    for name, wanted in _STARTERS.items():
        if isinstance(kind := exports.get(name), wasmtime.FuncType):
            parameters, results = [str(p) for p in kind.params], [str(r) for r in kind.results]
            if parameters != wanted or results:
                raise BotUnfit(
                    f"the function {name} is ({', '.join(parameters)}) -> ({', '.join(results)}),"
                    f" expected ({', '.join(wanted)}) -> ()"
                )
            there.add(name)
    return frozenset(there)


def function_names(stem: str, question: str) -> list[str]:
    """The names under which a bot called `stem` may define a question's function, best first."""
    word = "".join(c for c in stem if c.isalnum() or c == "_")
    return [word + question, word + question.upper(), f"{word}_{question}", question]


def _check_imports(module: wasmtime.Module, interface: Interface) -> None:
    offered = {item.name: item.type for item in _stand_ins(True).exports}
    helpers = {helper.name: _function_type(helper) for helper in interface.imports}
    for item in module.imports:
        allowed = (item.module == _WASI and item.name in offered and item.name not in _RANDOM_IMPORTS) or (
            item.module == "env" and (item.name in _RANDOM_IMPORTS or item.name in helpers)
        )
        if not allowed or item.name is None:
            what = _FORBIDDEN.get(item.name or "", f"imports {item.module}.{item.name}")
            raise BotUnfit(f"{what}, which bots may not")
        wanted, given = item.type, helpers.get(item.name) or offered[item.name]
        if not isinstance(wanted, wasmtime.FuncType) or not isinstance(given, wasmtime.FuncType):
            raise BotUnfit(f"imports {item.module}.{item.name} as something other than a function")
        if [str(t) for t in wanted.params + wanted.results] != [str(t) for t in given.params + given.results]:
            raise BotUnfit(f"imports {item.module}.{item.name} with another signature than it has")


def _function_type(helper: Import) -> wasmtime.FuncType:
    kinds = {"i32": wasmtime.ValType.i32, "i64": wasmtime.ValType.i64}
    return wasmtime.FuncType([kinds[name]() for name in helper.parameters], [kinds[helper.result]()])


class Seating:
    """The bots of one leg at their seats, and the loop that plays them against a core.

    Both live in one store, each in a memory of its own that the other can't
    reach. A seat without a bot (None) gets its answers from the caller of the
    referee's `play`, unless the core never asks it. `fuel` is for a decision,
    `fuel_per_leg` for all that a bot takes of a leg; it is not counted when the
    bots are proved to stay within it.
    """

    def __init__(
        self,
        core: GameCore,
        interface: Interface,
        bots: Sequence[LoadedBot | None],
        *,
        fuel: int,
        memory_megabytes: int,
        fuel_per_leg: int | None = None,
        measure_fuel: bool = False,
    ) -> None:
        self.core = core
        self._interface = interface
        self._bots = bots
        self._fuel = fuel
        bounds = [bot.most_instructions for bot in bots if bot]
        # A core that doesn't know how many decisions a leg has, such as a questionnaire, knows no such limit.
        bank = fuel_per_leg if fuel_per_leg and core.most_decisions else 0
        least = min(fuel, bank // core.most_decisions) if bank else fuel
        self.counts_fuel = measure_fuel or any(bound is None or bound > least for bound in bounds)
        self._store = wasmtime.Store(_engine(self.counts_fuel))
        # Limits hold only for what is made after them. Tables: 8 bytes an element. A restarted
        # bot is a new instance, and the old one stays until the leg is over.
        self._store.set_limits(
            memory_size=memory_megabytes << 20, table_elements=100_000, instances=10_000, tables=10_000, memories=10_000
        )
        self._context = context_of(self._store)
        self.referee = Referee(
            core,
            call_unchecked=_CALL_UNCHECKED,
            set_fuel=_SET_FUEL,
            get_fuel=_GET_FUEL,
            context=self._context,
            questions=len(interface.questions),
            most_arguments=interface.most_arguments,
            packed=_packs(interface),
            fuel=fuel if self.counts_fuel else 0,
            bank=bank,
        )
        if measure_fuel:
            self.referee.measure_fuel()  # which counts decisions, so all are asked
        else:
            for seat, bot in enumerate(bots):
                if bot:
                    core.skip_questions(seat, bot.ignored_questions)
        step_type = _step_type(_value_count(interface), self.counts_fuel)
        self._step = native_function(self._context, step_type, *self.referee.step_function)
        self._seated: list[_SeatedBot | None] = [None, None]

    def seat(self, seat: int, seed: int, helpers_key: bytes) -> None:
        """Start the seat's bot: fresh memory, rand() at the start of `seed`, helpers that draw by their key.

        Raises BotUnfit when it can't start: too much memory, or its initialisers
        trap or don't end.
        """
        bot = self._bots[seat]
        assert bot is not None
        self._seated[seat] = None
        seated = _start(self._store, bot, seed, helpers_key, self._fuel, self.counts_fuel)
        self._seated[seat] = seated
        if self._interface.passes_address:
            self.core.write_views_to(seat, seated.window)
        kinds = tuple(there and there.bot.types for there in self._seated)
        module = _loop_module(self._interface, kinds, self.counts_fuel)
        functions = [self._step]
        addresses: list[Extern] = []
        for bot_there in self._seated:
            if bot_there:
                functions += bot_there.functions
                addresses += bot_there.addresses
        if self.counts_fuel:
            self._store.set_fuel(self._fuel)
        (loop,) = Instance(self._context, module, [*functions, *addresses]).exports(("play",))
        self.referee.seat_bots(bytes(loop.of.func), self._seated[0] is not None, self._seated[1] is not None)

    def ask(self, kind: int, arguments: Sequence[int]) -> int:
        """Put a question to the bot in seat x directly, beside the leg. Raises BotUnfit when it traps."""
        seated = self._seated[0]
        assert seated is not None and not self._interface.passes_address
        if self.counts_fuel:
            self._store.set_fuel(self._fuel)
        try:
            answer = wasmtime.Func._from_raw(seated.functions[kind].of.func)(self._store, *arguments)
        except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
            raise BotUnfit(_describe(error)) from None
        assert isinstance(answer, int)
        return answer

    def take_failure(self) -> str:
        """Say in a few words why the last decision failed."""
        error, trap = self.referee.take_failure()
        if trap:
            return _describe(wasmtime.Trap._from_ptr(ctypes.cast(trap, ctypes.POINTER(ffi.wasm_trap_t))))
        if error:
            pointer = ctypes.cast(error, ctypes.POINTER(ffi.wasmtime_error_t))
            return _describe(wasmtime.WasmtimeError._from_ptr(pointer))
        return refusal(self._interface, self.core)


def try_start(bot: LoadedBot, *, fuel: int, memory_megabytes: int) -> None:
    """Start a bot for nobody. Raises BotUnfit when it can't."""
    seating = Seating(
        GameCore(), bot.interface, [bot, None], fuel=fuel, memory_megabytes=memory_megabytes, measure_fuel=True
    )
    seating.seat(0, 0, bytes(KEY_BYTES))


@dataclass(frozen=True)
class _SeatedBot:
    bot: LoadedBot
    functions: list[Extern]
    addresses: list[Extern]  # of the bot's struct, in its memory, if it has one
    window: int  # in our memory: where its view is written
    helpers: Helpers | None  # kept alive: the bot's imports point to them


def _start(
    store: wasmtime.Store, bot: LoadedBot, seed: int, helpers_key: bytes, fuel: int, counts_fuel: bool
) -> _SeatedBot:
    # Initialisers see nothing that varies, so those that ended in `try_start` end here too.
    if counts_fuel:
        store.set_fuel(fuel * START_FUEL_FACTOR)
    module = bot.module if counts_fuel else bot.uncounted_module
    interface = bot.interface
    context = context_of(store)
    try:
        helpers, natives = _new_helpers(context, interface, helpers_key)
        inert = tuple(name for name in bot.imports if name not in natives)
        if inert:
            stand_ins = Instance(context, _stand_ins(counts_fuel), [])
            seed_random, *found = stand_ins.exports(("tournament_seed_random", *inert))
            natives |= zip(inert, found)
        instance = Instance(context, module, [natives[name] for name in bot.imports])
        names = ("memory", *bot.starters, *bot.functions)
        exports = dict(zip(names, instance.exports(names)))
        if initialize := exports.get("_initialize"):
            instance.call(initialize)
        address = window = 0
        if interface.passes_address:
            memory = wasmtime.Memory._from_raw(exports["memory"].of.memory)
            # The bot's struct goes into pages of its own, out of the way of its allocator.
            address = memory.grow(store, -(-interface.bot_size // PAGE)) * PAGE
            window = address_of(memory.data_ptr(store)) + address + interface.view_offset
        if inert:
            stand_ins.call(seed_random, _signed(seed, 64))
        if start := exports.get("tournament_start"):
            instance.call(start, address, _signed(seed, 64))
    except (wasmtime.Trap, wasmtime.WasmtimeError) as error:
        raise BotUnfit(f"can't start: {_describe(error)}") from None
    return _SeatedBot(
        bot,
        [exports[name] for name in bot.functions],
        [_constant(store, address)] if interface.passes_address else [],
        window,
        helpers,
    )


def _constant(store: wasmtime.Store, value: int) -> Extern:
    return wasmtime.Global(store, _ADDRESS, wasmtime.Val.i32(_signed(value, 32)))._as_extern()


def _new_helpers(context: int, interface: Interface, key: bytes) -> tuple[Helpers | None, dict[str, Extern]]:
    """What stands behind a bot's imports, and these by name."""
    if interface.new_helpers is None:
        return None, {}
    helpers = interface.new_helpers(
        key,
        set_fuel=_SET_FUEL,
        get_fuel=_GET_FUEL,
        new_trap=_NEW_TRAP,
        context=context,
    )
    return helpers, {
        helper.name: native_function(context, _function_type(helper), *helpers.functions[helper.name])
        for helper in interface.imports
    }


@cache
def _step_type(values: int, counts_fuel: bool) -> wasmtime.FuncType:
    """A core's step: (answer) -> (what to call next, the arguments). The engine in which it is first used keeps it."""
    return wasmtime.FuncType([wasmtime.ValType.i64()], [wasmtime.ValType.i32(), *[wasmtime.ValType.i64()] * values])


@cache
def _loop_module(
    interface: Interface, seats: tuple[tuple[FunctionTypes, ...] | None, ...], counts_fuel: bool
) -> wasmtime.Module:
    return wasmtime.Module(_engine(counts_fuel), bytes(wasmtime.wat2wasm(loop_text(interface, seats))))


def loop_text(interface: Interface, seats: tuple[tuple[FunctionTypes, ...] | None, ...]) -> str:
    """The loop as WebAssembly text, for bots whose functions have these types; None is a seat without a bot.

    It imports the core's step, each bot's functions and each bot's address,
    and exports play: (answer to the pending decision) -> ().
    """
    packs = _packs(interface)
    values = _value_count(interface)
    lines = [f'(module (import "" "step" (func $step (param i64) (result i32{" i64" * values})))']
    addresses = []
    calls = []
    for seat, functions in enumerate(seats):
        if functions is None:
            continue
        for question, kinds in enumerate(functions):
            parameters = " ".join(["i32"] * interface.passes_address + [*kinds.arguments])
            name = f"${seat}_{question}"
            lines.append(f'(import "" "" (func {name} (param {parameters}) (result {kinds.result})))')
            passed = " ".join(_argument(i, kind, packs) for i, kind in enumerate(kinds.arguments))
            address = f"(global.get $bot{seat})" if interface.passes_address else ""
            call = f"(call {name} {address}{passed})"
            answer = call if kinds.result == "i64" else f"(i64.extend_i32_s {call})"
            calls.append((seat * len(interface.questions) + question, f"(local.set $answer {answer}) (br $again)"))
        if interface.passes_address:
            addresses.append(f'(import "" "" (global $bot{seat} i32))')
    lines += addresses
    lines.append('(func (export "play") (param $answer i64) (local $next i32)')
    lines += [f"(local $value{i} i64)" for i in range(values)]
    lines.append("(loop $again (call $step (local.get $answer))")
    lines += [f"(local.set $value{i})" for i in reversed(range(values))]
    lines.append("(local.set $next)")
    # One block for each function, and a chain of tests: a jump through a table costs as much as a step.
    labels = [f"$call{number}" for number in range(len(seats) * len(interface.questions))]
    served = dict(calls)
    lines.append("(block $stop")
    lines += [f"(block {label}" for label in reversed(labels)]
    lines += [f"(br_if {label} (i32.eq (local.get $next) (i32.const {number})))" for number, label in enumerate(labels)]
    lines.append("(br $stop)")
    for number in range(len(labels)):
        lines.append(f") {served.get(number, '(br $stop)')}")
    lines.append("))))")
    return "\n".join(lines)


@cache
def _packs(interface: Interface) -> bool:
    """Whether all arguments are of 32 bits, so that the core's step can hand them over two in a value."""
    return all(kinds == ("i32",) for question in interface.questions for kinds in question.parameters)


def _value_count(interface: Interface) -> int:
    return PACKED_VALUES if _packs(interface) else interface.most_arguments


def _argument(number: int, kind: str, packs: bool) -> str:
    """An argument of a question, from the values that the core's step gave."""
    if not packs:
        value = f"(local.get $value{number})"
        return f"(i32.wrap_i64 {value})" if kind == "i32" else value
    value = f"(local.get $value{number // 2})"
    return f"(i32.wrap_i64 {f'(i64.shr_u {value} (i64.const 32))' if number % 2 else value})"


_TRAPS = {
    wasmtime.TrapCode.STACK_OVERFLOW: "recursed too deep (stack overflow)",
    wasmtime.TrapCode.MEMORY_OUT_OF_BOUNDS: "read or wrote out of bounds of its memory (or recursed too deep)",
    wasmtime.TrapCode.INTEGER_DIVISION_BY_ZERO: "divided by zero",
    wasmtime.TrapCode.UNREACHABLE: "gave up (abort, exit, a throw, or a path without a return)",
    wasmtime.TrapCode.OUT_OF_FUEL: "ran out of fuel (an endless loop?)",
}


def _describe(error: Exception) -> str:
    if isinstance(error, wasmtime.Trap):
        code = error.trap_code
        if code in _TRAPS:
            return _TRAPS[code]
    text = str(error)
    if "all fuel consumed" in text:
        return _TRAPS[wasmtime.TrapCode.OUT_OF_FUEL]
    causes = [line.strip() for line in text.splitlines() if line.strip()]
    return causes[-1].removeprefix("0: ").removeprefix("wasm trap: ") if causes else "unknown failure"


def _first_lines(text: str) -> str:
    return "; ".join(line.strip() for line in text.splitlines() if line.strip())[:300]


def _signed(number: int, bits: int) -> int:
    number &= (1 << bits) - 1
    return number - (1 << bits) if number >> (bits - 1) else number
