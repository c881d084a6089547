"""What stands behind a bot's imports from libc, each without effect: stand_ins.wat. The core has some with one."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import wasmtime

from tournament.worker.wasm.engine import Metering, compile_module

WASI = "wasi_snapshot_preview1"
# These come from "env"; the others from WASI. The last is called before a bot starts, and not for bots.
RANDOM_IMPORTS = ("rand", "srand")
SEED_RANDOM = "tournament_seed_random"

# What bots print with, listened to (engine.wasm.printing), and what libc asks to learn whether it prints to a terminal.
WRITE, STATUS = "fd_write", "fd_fdstat_get"

# What bots ask for the time and for random bytes (engine.wasm.surroundings): what they do may then depend on the fuel
# that they have used, and on their seed.
SURROUNDINGS = ("clock_time_get", "clock_res_get", "random_get")

_WIDE_PARAMETERS = {"clock_time_get": (1,)}
_PARAMETER_COUNTS = {WRITE: 4, STATUS: 2, "clock_time_get": 3, "clock_res_get": 2, "random_get": 2}


@cache
def _stand_ins_code() -> bytes:
    return bytes(wasmtime.wat2wasm(Path(__file__).with_name("stand_ins.wat").read_text()))


@cache
def type_of(name: str, metering: Metering) -> wasmtime.FuncType:
    """The type of WRITE, STATUS or one of the SURROUNDINGS. The engine in which it is first used keeps it."""
    number, wide = wasmtime.ValType.i32, _WIDE_PARAMETERS.get(name, ())
    parameters = [wasmtime.ValType.i64() if n in wide else number() for n in range(_PARAMETER_COUNTS[name])]
    return wasmtime.FuncType(parameters, [number()])


def stand_ins(metering: Metering) -> wasmtime.Module:
    """The module whose exports they are."""
    return compile_module(_stand_ins_code(), metering)
