"""What stands behind a bot's imports from libc, each without effect: stand_ins.wat."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import wasmtime

from tournament.worker.wasm.engine import Metering, compile_module

WASI = "wasi_snapshot_preview1"
# These come from "env"; the others from WASI. The last is called before a bot starts, and not for bots.
RANDOM_IMPORTS = ("rand", "srand")
SEED_RANDOM = "tournament_seed_random"

# What bots print with, listened to (engine.printing), and what libc asks to learn whether it prints to a terminal.
WRITE, STATUS = "fd_write", "fd_fdstat_get"


@cache
def _stand_ins_code() -> bytes:
    return bytes(wasmtime.wat2wasm(Path(__file__).with_name("stand_ins.wat").read_text()))


@cache
def type_of(name: str, metering: Metering) -> wasmtime.FuncType:
    """The type of WRITE or STATUS, all numbers of 32 bits. The engine in which it is first used keeps it."""
    number = wasmtime.ValType.i32
    return wasmtime.FuncType([number() for _ in range(4 if name == WRITE else 2)], [number()])


def stand_ins(metering: Metering) -> wasmtime.Module:
    """The module whose exports they are."""
    return compile_module(_stand_ins_code(), metering)
