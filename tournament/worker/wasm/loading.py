"""Bots' WebAssembly, checked against the contest and against this machine's limits, and compiled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

import wasmtime

from engine.wasm.instances import Program
from engine.wasm.modules import BEGIN, FUEL, Module, Refused, read_module
from tournament.artifacts.limits import BOT_STACK, MAX_ELEMENTS
from tournament.contests.bots import Import
from tournament.contests.interface import Interface
from tournament.leg import Unfit
from tournament.sandbox.inside.function_names import NotChosen, choose, choose_news, names_for
from tournament.worker.wasm import calls
from tournament.worker.wasm.engine import Engine, compile_module, engine, forget_module
from tournament.worker.wasm.notes import FAILURE, UNCAUGHT
from tournament.worker.wasm.stand_ins import (
    ANSWERED,
    RANDOM_IMPORTS,
    SEED_RANDOM,
    SURROUNDINGS,
    WASI,
    stand_ins,
    type_of,
)

PAGE = 65536
_INVALID = "not a WebAssembly module that can run here"
_ELEMENT = 8  # bytes of a table's element
# Explanations of the most common forbidden imports.
_FORBIDDEN = {
    "path_open": "opens files (fopen, open: imports path_open)",
    "poll_oneoff": "sleeps or waits (sleep, usleep: imports poll_oneoff)",
    "sock_accept": "uses sockets (imports sock_accept)",
}
# Called before anything else, if a bot has them: libc's initialisers, then the adapter's,
# which takes the address of the bot's struct and the seed of its rand().
STARTERS = {"_initialize": [], "tournament_start": ["i32", "i64"]}


@dataclass(frozen=True, eq=False)  # compared by identity: a key of caches
class LoadedBot:
    """A compiled bot.

    Attributes:
        code: The bytes as given.
        counted: The bytes that play, with fuel.
        interface: The contest's interface.
        functions: Names of the functions that answer the questions, in the questions' order. A question in `missing`
            has the name of another one's function.
        results: What they return, i32 or i64, in the same order.
        imports: Names of its imports, in order.
        called_first: Exports to be called before any other.
        is_told: Whether it has tournament_start, to be called after these.
        ignored_questions: Indices of the questions that are never asked: `missing`, and those that only give the bot
            news and whose function does nothing.
        missing: Indices of the questions that it has no function for.
        notes: Exports with which it notes why it gave up, the variable first. Empty without that variable.
        variables: Exports of all variables that a leg changes in it. None if a leg changes more than these and its
            memory, or if anything depends on the seed before the bot starts.
    """

    code: bytes
    counted: bytes
    interface: Interface
    functions: tuple[str, ...]
    results: tuple[str, ...]
    imports: tuple[str, ...]
    called_first: tuple[bytes, ...]
    is_told: bool
    ignored_questions: frozenset[int]
    missing: frozenset[int]
    notes: tuple[str, ...]
    variables: tuple[bytes, ...] | None

    @cached_property
    def _programs(self) -> dict[Engine, Program]:
        return {}

    def program(self, kind: Engine) -> Program:
        """Return the bot, compiled for an engine, ready to be started.

        Raises:
            wasmtime.WasmtimeError: It can't be compiled.
            RunError: The machine is at fault.
        """
        if kind not in self._programs:
            exports = tuple(name.encode() for name in ("memory", FUEL, *self.functions))
            pages = -(-self.interface.struct_size // PAGE)
            self._programs[kind] = calls.program(
                compile_module(self.counted, kind), exports, self.called_first, self.is_told, pages
            )
        return self._programs[kind]


def read_bot(code: bytes, memory_megabytes: int) -> Module:
    """Read a bot's module without compiling it.

    The runtime validates the original first: with fuel, invalid code could be valid.

    Args:
        code: The bytes as given.
        memory_megabytes: Memory of a bot by the settings, in MiB, without the stack.

    Raises:
        Unfit: It isn't valid WebAssembly, or has too much of something, or something forbidden.
    """
    try:
        wasmtime.Module.validate(engine(Engine.PLAIN), code)
        module = read_module(code)
    except wasmtime.WasmtimeError as error:
        raise Unfit(f"{_INVALID}: {_first_lines(str(error))}") from None
    except Refused as problem:
        raise Unfit(str(problem)) from None
    if module.table_elements > MAX_ELEMENTS:
        raise Unfit(f"has a table of {module.table_elements:,} elements; at most {MAX_ELEMENTS:,} are allowed")
    needed = module.memory_pages * PAGE + module.table_elements * _ELEMENT
    if needed > (memory_megabytes << 20) + BOT_STACK:
        raise Unfit(
            f"needs {needed / (1 << 20):,.1f} MB of memory; at most {memory_megabytes} are allowed,"
            f" and {BOT_STACK >> 20} for its stack"
        )
    return module


_loaded: dict[tuple[bytes, Interface, str, int, Engine], LoadedBot] = {}
_codes_by_owner: dict[str, frozenset[bytes]] = {}


def load_bot(
    code: bytes, interface: Interface, stem: str, memory_megabytes: int, kind: Engine = Engine.PLAIN
) -> LoadedBot:
    """Compile a bot's WebAssembly, once in a process, and check that it fits the contest. All callers share the result.

    Args:
        code: The bytes as given.
        interface: The contest's interface.
        stem: Name of the bot, after which its functions can be named.
        memory_megabytes: Memory of a bot by the settings, in MiB, without the stack.
        kind: The engine that plays it, by default PLAIN. Others can play it, too.

    Raises:
        Unfit: It isn't valid WebAssembly, would take too much, imports something forbidden, or lacks a function.
        RunError: The machine is at fault.
    """
    key = code, interface, stem, memory_megabytes, kind
    loaded = _loaded.get(key)
    return loaded or _loaded.setdefault(key, _load(*key))


def keep_for(owner: str, codes: Iterable[bytes]) -> None:
    """Name an owner's bots, and unload all bots that no owner named last. An old version would occupy megabytes.

    Bots that are in use stay valid.

    Args:
        owner: Any name that is unique to the caller. Its earlier bots are forgotten.
        codes: Bytes of the owner's bots, as given.
    """
    _codes_by_owner[owner] = frozenset(codes)
    retained = frozenset().union(*_codes_by_owner.values())
    for key, loaded in list(_loaded.items()):
        if key[0] not in retained:
            del _loaded[key]
            forget_module(loaded.counted)


def _load(code: bytes, interface: Interface, stem: str, memory_megabytes: int, kind: Engine) -> LoadedBot:
    """Compile a bot and check it, as `load_bot` does for a bot that isn't loaded yet.

    Raises:
        Unfit: It isn't valid WebAssembly, would take too much, imports something forbidden, or lacks a function.
        RunError: The machine is at fault.
    """
    read = read_bot(code, memory_megabytes)
    try:
        counted = read.metered()
        module = compile_module(counted, kind)
    except Refused as problem:
        raise Unfit(str(problem)) from None
    except wasmtime.WasmtimeError as error:
        raise Unfit(f"{_INVALID}: {_first_lines(str(error))}") from None
    _check_imports(module, interface)
    exports = {item.name: item.type for item in module.exports if item.name not in (FUEL, BEGIN)}
    if not isinstance(exports.get("memory"), wasmtime.MemoryType):
        raise Unfit("exports no memory called memory")
    exports_by_question = _functions(exports, interface, stem)
    # Any function will do in the place of one that is never called: of a question for processes alone, of news that
    # the bot ignores.
    functions = [
        exports_by_question.get(question.name, next(iter(exports_by_question.values())))
        for question in interface.questions
    ]
    missing = frozenset(
        kind for kind, question in enumerate(interface.questions) if question.name not in exports_by_question
    )
    results = [str(_function(exports[name]).results[0]) for name in functions]
    imports = tuple(item.name or "" for item in module.imports)
    starters = _starters(exports)
    # Asking a question takes fuel, which is the bot's time. So bots that might ask for the time are always asked.
    constant = frozenset() if set(SURROUNDINGS) & set(imports) else read.constant_functions(functions)
    ignored_questions = frozenset(
        kind
        for kind, (question, function) in enumerate(zip(interface.questions, functions))
        if kind in missing or (question.is_news and function in constant)
    )
    variables = read.changing_variables
    changes_more = interface.compiled.new_helpers is not None or not set(ANSWERED).isdisjoint(imports)
    return LoadedBot(
        code,
        counted,
        interface,
        tuple(functions),
        tuple(results),
        imports,
        ((BEGIN.encode(),) if read.has_start else ()) + ((b"_initialize",) if "_initialize" in starters else ()),
        "tournament_start" in starters,
        ignored_questions,
        missing,
        _notes(exports),
        None if changes_more or variables is None else tuple(name.encode() for name in variables),
    )


def _notes(exports: Mapping[str, object]) -> tuple[str, ...]:
    """Return the exports with which a bot notes why it gave up, the variable first, or none without that variable."""
    noted, uncaught = exports.get(FAILURE), exports.get(UNCAUGHT)
    if not isinstance(noted, wasmtime.GlobalType) or str(noted.content) != "i32":
        return ()
    has_handler = isinstance(uncaught, wasmtime.FuncType) and not [*uncaught.params, *uncaught.results]
    return (FAILURE, UNCAUGHT) if has_handler else (FAILURE,)


def _starters(exports: Mapping[str, object]) -> frozenset[str]:
    """Return the names of the functions to be called when a bot starts.

    Raises:
        Unfit: One of them has other parameters or a result.
    """
    names = set()
    for name, wanted in STARTERS.items():
        if isinstance(kind := exports.get(name), wasmtime.FuncType):
            parameters, results = [str(p) for p in kind.params], [str(r) for r in kind.results]
            if parameters != wanted or results:
                raise Unfit(
                    f"the function {name} is ({', '.join(parameters)}) -> ({', '.join(results)}),"
                    f" expected ({', '.join(wanted)}) -> ()"
                )
            names.add(name)
    return frozenset(names)


def _functions(exports: Mapping[str, object], interface: Interface, stem: str) -> dict[str, str]:
    """Return the export that answers each question, by the question's name. Optional questions can be missing.

    Args:
        exports: Types of the bot's exports by name.
        interface: The contest's interface.
        stem: Name of the bot, after which its functions can be named.

    Raises:
        Unfit: No export answers a required question, or several might.
    """
    fitting: dict[str, list[str]] = {}
    refusals: list[str] = []
    for question in interface.answered:
        fitting[question.name] = []
        for name in names_for(stem, question.name, exports):
            kind = exports.get(name)
            if isinstance(kind, wasmtime.FuncType):
                if (expected := _expected(kind)) is None:
                    fitting[question.name].append(name)
                else:
                    refusals.append(f"the function {name} is {expected}")
    try:
        required = {question.name: fitting[question.name] for question in interface.required}
        exports_by_question = dict(zip(required, choose(stem, required)))
    except NotChosen as problem:
        raise Unfit("; ".join([*refusals, str(problem)])) from None
    return exports_by_question | choose_news(
        stem, {question.name: fitting[question.name] for question in interface.optional}
    )


def _expected(kind: wasmtime.FuncType) -> str | None:
    """Return None for a function that can answer a question, otherwise its type and the expected one as text."""
    parameters, results = [str(p) for p in kind.params], [str(r) for r in kind.results]
    if parameters == ["i32"] and results in (["i32"], ["i64"]):
        return None
    return f"({', '.join(parameters)}) -> ({', '.join(results)}), expected (i32) -> (i32 or i64)"


def _function(kind: object) -> wasmtime.FuncType:
    assert isinstance(kind, wasmtime.FuncType)
    return kind


@cache
def _offered() -> dict[str, str | None]:
    """Return the signatures of all possible imports, except a contest's helpers, by name. All callers share them.

    Raises:
        RunError: The machine is at fault.
    """
    exports = {item.name or "": item.type for item in stand_ins(Engine.PLAIN).exports if item.name != SEED_RANDOM}
    return {name: _signature(kind) for name, kind in exports.items()} | {
        name: _signature(type_of(name, Engine.PLAIN)) for name in ANSWERED
    }


def _signature(kind: object) -> str | None:
    """Return a function's parameters and results as text, or None for other objects."""
    return f"{kind.params} {kind.results}" if isinstance(kind, wasmtime.FuncType) else None


def _check_imports(module: wasmtime.Module, interface: Interface) -> None:
    """Check that a module imports only allowed functions, with their types.

    Raises:
        Unfit: It imports something else, or a function with another type.
        RunError: The machine is at fault.
    """
    helpers = {helper.name: _signature(helper_type(helper)) for helper in interface.compiled.imports}
    offered = _offered()
    for item in module.imports:
        name = item.name or ""
        allowed = (item.module == WASI and name in offered and name not in RANDOM_IMPORTS) or (
            item.module == "env" and (name in RANDOM_IMPORTS or name in helpers)
        )
        if not allowed:
            raise Unfit(f"{_FORBIDDEN.get(name, f'imports {item.module}.{name}')}, which bots may not")
        signature = _signature(item.type)
        if signature is None:
            raise Unfit(f"imports {item.module}.{name} as something other than a function")
        if signature != (helpers.get(name) or offered[name]):
            raise Unfit(f"imports {item.module}.{name} with another signature than it has")


def helper_type(helper: Import) -> wasmtime.FuncType:
    """Return the type of a function that the contest offers."""
    kinds = {"i32": wasmtime.ValType.i32, "i64": wasmtime.ValType.i64}
    return wasmtime.FuncType([kinds[name]() for name in helper.parameters], [kinds[helper.result]()])


def _first_lines(text: str) -> str:
    """Return the lines of a text as one line, cut to 300 characters."""
    return "; ".join(line.strip() for line in text.splitlines() if line.strip())[:300]
