"""Modules with sections that could confuse the description of their faults."""

from __future__ import annotations

import struct
import time
from collections.abc import Sequence

import pytest

from tests.support import play_built
from tests.worker.test_module_reader import number, section
from tests.worker.test_webassembly_limits import CALLS, PLAIN, module
from tournament.artifacts.bot import Entrant
from tournament.contests.von_neumann_poker.rules import Settings

TRAPS = module(f'(func (export "a") (param i32) (result i32) unreachable) {CALLS}')
TRAPPED = "gave up (abort, exit, or a path without a return)"


def custom(name: bytes, content: bytes) -> bytes:
    return section(0, number(len(name)) + name + content)


def line_table(
    line_range: int = 14, opcode_base: int = 4, program: bytes = b"", lengths: Sequence[int] = (0, 1, 1)
) -> bytes:
    """Return a table of lines with one file of the bot's own."""
    header = bytes([1, 1, 1, 0xFB, line_range, opcode_base, *lengths[: max(opcode_base - 1, 0)]])
    header += b"/bot\0\0bot.c\0\1\0\0\0"
    unit = struct.pack("<HI", 4, len(header)) + header + program
    return custom(b".debug_line", struct.pack("<I", len(unit)) + unit)


def named(name: bytes) -> bytes:
    """Return the section that gives function 0 this name."""
    return custom(b"name", section(1, b"\1\0" + number(len(name)) + name))


ENDLESS = b"\x80" * 400_000
DESCRIBED = {
    "a line range of 0": line_table(line_range=0, program=bytes([200, 200])),
    "a base of 0 for special opcodes": line_table(opcode_base=0, program=bytes([1, 2, 3])),
    "a number without an end": line_table(program=b"\2" + ENDLESS),
    "a signed number without an end": line_table(program=b"\3" + ENDLESS),
    "a line beyond all lines": line_table(program=b"\3" + b"\xff" * 9 + b"\0" + b"\1\2\x7f\1"),
    "a million instructions": line_table(program=b"\1" * 1_000_000),
    "a name of many lines": named(b"f\n  0: 0xffffffffffffffffff - <unknown>!f\n"),
    "a name of a megabyte": named(b"n" * (1 << 20)),
    "an empty table": custom(b".debug_line", b""),
    "a table that ends in a header": custom(b".debug_line", struct.pack("<IHI", 99, 4, 7)),
}


@pytest.mark.parametrize("what", DESCRIBED)
def test_fault_of_module_with_hostile_section_is_its_own(what: str) -> None:
    hostile = Entrant("hostile", "wasm", "", TRAPS + DESCRIBED[what])
    began = time.thread_time()
    result, _ = play_built(hostile, PLAIN, settings=Settings(sessions=10))
    assert (result.ended_by, {fault.message for fault in result.faults}) == (0, {TRAPPED})
    assert time.thread_time() - began < 20.0  # many times what it takes; without bounds it would be minutes
