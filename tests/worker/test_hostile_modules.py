"""Modules with sections that could confuse the description of their faults."""

from __future__ import annotations

import struct
import time

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


def line_table(program: bytes, line_range: int = 14) -> bytes:
    """Return a table of lines with one file of the bot's own."""
    header = bytes([1, 1, 1, 0xFB, line_range, 4, 0, 1, 1]) + b"/bot\0\0bot.c\0\1\0\0\0"
    unit = struct.pack("<HI", 4, len(header)) + header + program
    return custom(b".debug_line", struct.pack("<I", len(unit)) + unit)


def named(name: bytes) -> bytes:
    """Return the section that gives function 0 this name."""
    return custom(b"name", section(1, b"\1\0" + number(len(name)) + name))


ENDLESS = b"\x80" * 400_000
DESCRIBED = {
    "a line range of 0": line_table(bytes([200, 200]), line_range=0),
    "a number without an end": line_table(b"\2" + ENDLESS),
    "a line beyond all lines": line_table(b"\3" + b"\xff" * 9 + b"\0" + b"\1\2\x7f\1"),
    "a million instructions": line_table(b"\1" * 1_000_000),
    "a name of a megabyte": named(b"n" * (1 << 20)),
    "a table that ends in a header": custom(b".debug_line", struct.pack("<IHI", 99, 4, 7)),
}


@pytest.mark.parametrize("what", DESCRIBED)
def test_fault_of_module_with_hostile_section_is_its_own(what: str) -> None:
    hostile = Entrant("hostile", "wasm", "", TRAPS + DESCRIBED[what])
    began = time.thread_time()
    result, _ = play_built(hostile, PLAIN, settings=Settings(sessions=10))
    assert (result.ended_by, {fault.message for fault in result.faults}) == (0, {TRAPPED})
    assert time.thread_time() - began < 20.0  # many times what it takes; without bounds it would be minutes
