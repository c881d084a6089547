"""No module of the same size takes much longer to read than another, however it is made."""

from __future__ import annotations

import contextlib
import time
from functools import cache

import pytest

from engine.wasm.modules import Refused, read_module

BYTES = 1 << 18
# Honest code takes 10 to 20 times less than the worst that is known; what isn't linear takes hundreds of times as long.
MAX_TIMES = 200


@cache
def number(value: int) -> bytes:
    return bytes([value & 0x7F | 0x80]) + number(value >> 7) if value > 0x7F else bytes([value])


def section(kind: int, content: bytes) -> bytes:
    return bytes([kind]) + number(len(content)) + content


def as_many(chunk: bytes, size: int = BYTES) -> bytes:
    return chunk * (size // len(chunk))


FLOATS = b"\x7c"
MAGIC = b"\0asm\1\0\0\0"


def functions(*bodies: bytes, types: bytes = b"\1\x60\0\0") -> bytes:
    """Return a module of these functions, all of its first type, with the first exported."""
    count = number(len(bodies))
    return (
        MAGIC
        + section(1, types)
        + section(3, count + b"\0" * len(bodies))
        + section(5, b"\1\0\1")
        + section(7, b"\1\1a\0\0")
        + section(10, count + b"".join(number(len(body)) + body for body in bodies))
    )


def code(instructions: bytes, variables: bytes = b"\0") -> bytes:
    return functions(variables + instructions + b"\x0b")


MANY = b"\1" + number(9990) + FLOATS  # variables
SUM = (b"\x44" + bytes(8)) * 2 + b"\xa0"

PLAIN = code(as_many(b"\x20\0\x41\1\x6a\x21\0"), b"\1\1\x7f")
WORST = {
    "50,000 variables in each function": functions(*[b"\1" + number(50_000) + FLOATS + b"\x0b"] * 50_000),
    "functions of many results": functions(*[b"\0\0\x0b"] * 50_000, types=b"\1\x60\0" + number(1000) + FLOATS * 1000),
    "groups of one variable, each used": functions(
        *[number(9990) + b"\1\x7c" * 9990 + b"".join(b"\x20" + number(n) + b"\x1a" for n in range(9990)) + b"\x0b"] * 4
    ),
    "a chain of variables": code(
        SUM + b"\x21\0" + b"".join(b"\x20" + number(n + 1) + b"\x21" + number(n) for n in range(9989)) * 5, MANY
    ),
    "blocks in blocks": code(as_many(b"\2\x40", BYTES * 2 // 3) + as_many(b"\x0b", BYTES // 3)),
    "handlers": code(as_many(b"\x1f\x40\4\2\0\2\0\2\0\2\0\x0b")),
    "a deep stack": code(as_many(SUM) + as_many(b"\xa6", BYTES // 19 - 19) + b"\x1a"),
    "code that isn't run": code(b"\0" + as_many(b"\xa0\x22\0\xbd\x1a"), MANY),
}


def seconds_per_byte(module: bytes) -> float:
    """Return the processor time to read a byte of a module, the least of three times."""
    times = []
    for _ in range(3):
        began = time.thread_time()
        with contextlib.suppress(Refused):
            read_module(module).metered()
        times.append(time.thread_time() - began)
    return min(times) / len(module)


@pytest.mark.parametrize("how", WORST)
def test_reading_time_is_linear_in_modules_bytes(how: str) -> None:
    assert len(WORST[how]) > BYTES // 2
    assert seconds_per_byte(WORST[how]) < MAX_TIMES * seconds_per_byte(PLAIN)
