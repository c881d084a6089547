"""The engines that compile and run WebAssembly: their settings, compiled modules, and clock.

The settings decide what bots can do and that they do the same everywhere. Together with the bots' bytes they determine
every answer.
"""

from __future__ import annotations

import importlib.metadata
import mmap
import threading
import time
from enum import IntEnum, auto
from functools import cache

import wasmtime

from engine.wasm.instances import open_pool
from tournament.cores import cores
from tournament.worker.wasm import calls
from tournament.worker.wasm.stack import MAX_STACK
from tournament.worker.wasm.traps import blame_machine


class Engine(IntEnum):
    """The kinds of engines. Modules of different ones can't be mixed. None counts fuel: modules do (`modules`)."""

    PLAIN = auto()
    TIMED = auto()  # A call can have so much fuel that it is watched while it runs.
    # Plays PLAIN's code in a pool of memories that are made once: for bots that start for a short leg.
    POOLED = auto()


# Places in the pool. Of their addresses only what a bot has touched takes memory.
_PLACES_PER_CORE, _MAX_PLACES = 32, 1024
_SLOT_BYTES = 5 << 30  # includes guard pages

# Between looks at whether a bot takes far too long for its fuel, or the run is to stop.
_TICK_SECONDS = 0.1

_lock = threading.Lock()
_engines: dict[Engine, wasmtime.Engine] = {}


@cache
def version() -> str:
    """Return the name and version of the runtime, such as "wasmtime 1.2.3"."""
    return f"wasmtime {importlib.metadata.version('wasmtime')}"


def engine_settings(kind: Engine) -> dict[str, bool | int]:
    """Return the settings of an engine, by their names in wasmtime."""
    return {
        "epoch_interruption": kind is Engine.TIMED,
        # Signal handlers of Ray and faulthandler would replace the runtime's own: check explicitly.
        "signals_based_traps": False,
        # The view's address is taken once, so memory must stay where it is.
        "memory_may_move": False,
        "memory_reservation": 1 << 32,
        "max_wasm_stack": MAX_STACK,
        "async_stack_size": MAX_STACK,  # unused, and must not be less
        # For C++. Other uses are refused when a module is loaded.
        "wasm_exceptions": True,
        # Not needed by the languages. Reference types stay on for the long indices that compilers
        # write; their instructions are refused when a module is loaded.
        "wasm_threads": False,
        "shared_memory": False,
        "wasm_memory64": False,
        "wasm_relaxed_simd": False,
        "wasm_multi_memory": False,
        "wasm_component_model": False,
        "wasm_gc": False,
        "wasm_function_references": False,
        "wasm_stack_switching": False,
        "wasm_tail_call": False,
        "wasm_wide_arithmetic": False,
        "wasm_custom_page_sizes": False,
    }


def engine(kind: Engine) -> wasmtime.Engine:
    """Return the process's engine of a kind, made at the first call. Its code must be entered on a deep stack.

    Call it for the pool only if the machine has one (`has_pool`).
    """
    with _lock:
        if kind not in _engines:
            config = wasmtime.Config()
            calls.apply(engine_settings(kind), config)
            if kind is Engine.POOLED:
                calls.pool_memories(config, _slots())
            new_engine = wasmtime.Engine(config)
            if kind is Engine.TIMED:
                threading.Thread(target=_tick, args=(new_engine,), daemon=True, name="bots' clock").start()
            if kind is Engine.POOLED:
                open_pool(_slots())
            _engines[kind] = new_engine  # only now, because without its clock no bot on it would be stopped
        return _engines[kind]


@cache
def _slots() -> int:
    """Return the number of places in the pool: 32 for each core, at most 1,024."""
    return min(_PLACES_PER_CORE * cores(), _MAX_PLACES)


@cache
def has_pool() -> bool:
    """Return whether the machine has addresses for the pool, and the runtime has pools. If so, make its engine.

    The answer is found once in a process.
    """
    try:
        # Twice as many, so that enough are left. The runtime would end the process without the pool's.
        mmap.mmap(-1, 2 * _slots() * _SLOT_BYTES, mmap.MAP_PRIVATE, prot=0).close()
        engine(Engine.POOLED)
    except (OSError, AttributeError):
        return False
    return True


def _tick(of: wasmtime.Engine) -> None:
    """Advance an engine's clock every 0.1 seconds, indefinitely."""
    while True:
        time.sleep(_TICK_SECONDS)
        of.increment_epoch()


def forget_module(code: bytes) -> None:
    """Forget the modules compiled from these bytes, for all engines. Modules that are in use stay valid."""
    for kind in Engine:
        _compiled.pop((code, kind), None)


class _Compiled:
    """The place of a compiled module, None until it is compiled, and a lock for its compilation."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.module: wasmtime.Module | None = None


_compiled: dict[tuple[bytes, Engine], _Compiled] = {}


def compile_module(code: bytes, kind: Engine) -> wasmtime.Module:
    """Return a module compiled for an engine, once in a process. Different modules compile simultaneously.

    The module is kept until a call of `forget_module`. All callers share it.

    Raises:
        wasmtime.WasmtimeError: The module can't be compiled.
        RunError: The machine is at fault.
    """
    key = code, kind
    compiled = _compiled.get(key) or _compiled.setdefault(key, _Compiled())
    if compiled.module is None:
        with compiled.lock:
            if compiled.module is None:
                try:
                    compiled.module = _from_twin(code, kind) or wasmtime.Module(engine(kind), code)
                except wasmtime.WasmtimeError as error:
                    blame_machine(error)
                    raise
    return compiled.module


_TWINS = {Engine.PLAIN: Engine.POOLED, Engine.POOLED: Engine.PLAIN}


def _from_twin(code: bytes, kind: Engine) -> wasmtime.Module | None:
    """Return the module without compiling it, if the engine with the same machine code has compiled it. Otherwise None.

    Raises:
        wasmtime.WasmtimeError: The machine code can't be loaded.
    """
    twin = _compiled.get((code, _TWINS[kind])) if kind in _TWINS else None
    return wasmtime.Module.deserialize(engine(kind), twin.module.serialize()) if twin and twin.module else None
