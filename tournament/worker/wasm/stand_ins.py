"""The functions behind a bot's imports from libc, without effect: stand_ins.wat. The core replaces some of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import wasmtime

from tournament.worker.wasm.engine import Engine, compile_module

WASI = "wasi_snapshot_preview1"
# These come from "env"; the others from WASI. The last is not for bots: it is called before one starts.
RANDOM_IMPORTS = ("rand", "srand")
SEED_RANDOM = "tournament_seed_random"

# The calls with which bots print, and with which libc asks whether it prints to a terminal.
WRITE, STATUS = "fd_write", "fd_fdstat_get"

# The calls for time and random bytes (engine.wasm.surroundings). A bot that makes them might play by the fuel that it
# has used, and by its seed.
SURROUNDINGS = ("clock_time_get", "clock_res_get", "random_get")
# Its answer: there are no variables.
ENVIRONMENT = "environ_sizes_get"
# Those that the core answers, each with a price.
ANSWERED = (*SURROUNDINGS, ENVIRONMENT, WRITE)

_WIDE_PARAMETERS = {"clock_time_get": (1,)}
_PARAMETER_COUNTS = dict.fromkeys((STATUS, ENVIRONMENT, *SURROUNDINGS), 2) | {WRITE: 4, "clock_time_get": 3}


@cache
def _stand_ins_code() -> bytes:
    """Return the module that exports the stand-ins as bytes of WebAssembly, translated once in a process."""
    return bytes(wasmtime.wat2wasm(Path(__file__).with_name("stand_ins.wat").read_text()))


@cache
def type_of(name: str, kind: Engine) -> wasmtime.FuncType:
    """Return the type of STATUS or of one of the functions ANSWERED. It belongs to the engine that uses it first.

    All callers in a process share it.

    Args:
        name: Name of the function.
        kind: The engine that uses the type. Each has its own.
    """
    number, wide = wasmtime.ValType.i32, _WIDE_PARAMETERS.get(name, ())
    parameters = [wasmtime.ValType.i64() if n in wide else number() for n in range(_PARAMETER_COUNTS[name])]
    return wasmtime.FuncType(parameters, [number()])


def stand_ins(kind: Engine) -> wasmtime.Module:
    """Return the module that exports the stand-ins, compiled for an engine once in a process. All callers share it.

    Raises:
        wasmtime.WasmtimeError: It can't be compiled.
        RunError: The machine is at fault.
    """
    return compile_module(_stand_ins_code(), kind)
