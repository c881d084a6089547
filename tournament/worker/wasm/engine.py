"""The engines that compile and run WebAssembly: their settings, what they have compiled, and their clock.

The settings decide what bots may do and that they do the same everywhere;
together with the bots' bytes they determine every answer.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import threading
import time

import wasmtime

# From one tick of the clock by which a bot is stopped that takes far too long for its fuel.
TICK_SECONDS = 1.0

_making = threading.Lock()
_engines: dict[bool, wasmtime.Engine] = {}


def version() -> str:
    """What compiles and runs bots."""
    return f"wasmtime {importlib.metadata.version('wasmtime')}"


def engine_settings(counts_fuel: bool) -> dict[str, bool | int]:
    """The settings of an engine, by their names in wasmtime."""
    return {
        "consume_fuel": counts_fuel,
        # Where fuel isn't counted, what bots take was proved beforehand.
        "epoch_interruption": counts_fuel,
        "cranelift_nan_canonicalization": True,
        # Signal handlers of Ray and faulthandler would replace the runtime's own: check explicitly.
        "signals_based_traps": False,
        # The view's address is taken once, so memory must stay where it is.
        "memory_may_move": False,
        "memory_reservation": 1 << 32,
        "max_wasm_stack": MOST_STACK,
        # What the languages don't need. Reference types stay on for what compilers write with
        # them on, long indices; their instructions are refused when a module is loaded.
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
        "wasm_tail_call": False,
        "wasm_wide_arithmetic": False,
        "wasm_custom_page_sizes": False,
    }


MOST_STACK = 512 * 1024  # bytes, of a bot's calls in the runtime


def engine(counts_fuel: bool) -> wasmtime.Engine:
    """The process's engine that counts fuel, or the one that doesn't; their modules can't be mixed."""
    with _making:
        if counts_fuel not in _engines:
            config = wasmtime.Config()
            for name, value in engine_settings(counts_fuel).items():
                setattr(config, name, value)
            _engines[counts_fuel] = wasmtime.Engine(config)
            if counts_fuel:
                threading.Thread(target=_tick, args=(_engines[counts_fuel],), daemon=True, name="bots' clock").start()
        return _engines[counts_fuel]


def _tick(of: wasmtime.Engine) -> None:
    while True:
        time.sleep(TICK_SECONDS)
        of.increment_epoch()


class _Compiled:
    """A module, or the place where it will be."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.module: wasmtime.Module | None = None


_compiled: dict[tuple[str, bool], _Compiled] = {}


def compile_module(code: bytes, counts_fuel: bool) -> wasmtime.Module:
    """A module compiled for one of the engines, once in a process; others don't wait for it. Raises WasmtimeError."""
    compiled = _compiled.setdefault((hashlib.sha256(code).hexdigest(), counts_fuel), _Compiled())
    with compiled.lock:
        if compiled.module is None:
            compiled.module = wasmtime.Module(engine(counts_fuel), code)
        return compiled.module
