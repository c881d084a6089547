"""Finds the source line of a place in a bot's WebAssembly, if it was compiled with lines.

Format: DWARF Debugging Information Format, version 4, 6.2. Compilers write it for WebAssembly with addresses that count
from the start of the code section's content. Bytes are untrusted: any are accepted, and reading ends after a bounded
number of steps.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

_CODE = 10
_TABLE = b"\x0b.debug_line"
_BOT_FOLDER = b"bot"  # the folder that the compiler sees a bot's file in
_COPY, _ADVANCE, _LINE, _FILE, _ADD_CONSTANT, _ADVANCE_FIXED = 1, 2, 3, 4, 8, 9
_END_SEQUENCE, _SET_ADDRESS = 1, 2
_MAX_BITS = 64  # length of a number
_MAX_STEPS = 200_000  # instructions of tables, units and names of files: a tenth of a second; ordinary bots have 20,000
_MAX_LINE = 10_000_000


class _Unreadable(ValueError):
    """Raised for a table that no compiler writes, or that takes too many steps."""


class _Range(NamedTuple):
    """A piece of the code of the bot's file.

    Attributes:
        first: Its first address, counted from the start of the code section's content.
        end: The address after it.
        line: Number of its line.
    """

    first: int
    end: int
    line: int


class _Bytes:
    """Bytes read from the front in a limited number of steps.

    Reading beyond the last byte fails with IndexError, ValueError or struct.error.
    """

    def __init__(self, data: bytes) -> None:
        self.data, self.position, self.end, self._steps = data, 0, len(data), 0

    def step(self) -> None:
        """Count a step.

        Raises:
            _Unreadable: There were too many steps.
        """
        self._steps += 1
        if self._steps > _MAX_STEPS:
            raise _Unreadable

    def number(self, format_: str) -> int:
        """Read a little-endian number of a struct format.

        Raises:
            struct.error: There are too few bytes.
        """
        (value,) = struct.unpack_from(f"<{format_}", self.data, self.position)
        self.position += struct.calcsize(format_)
        return int(value)

    def variable(self, *, signed: bool = False) -> int:
        """Read a LEB128 number.

        Raises:
            _Unreadable: It is longer than 64 bits.
            IndexError: The bytes end within it.
        """
        result = 0
        for shift in range(0, _MAX_BITS, 7):
            byte = self.data[self.position]
            self.position += 1
            result |= (byte & 0x7F) << shift
            if byte < 0x80:
                return result - (1 << shift + 7) if signed and byte & 0x40 else result
        raise _Unreadable

    def text(self) -> bytes:
        """Read bytes up to a 0, which is skipped.

        Raises:
            _Unreadable: There were too many steps.
            ValueError: There is no 0.
        """
        self.step()
        end = self.data.index(b"\0", self.position)
        start, self.position = self.position, end + 1
        return self.data[start:end]


def has_lines(code: bytes) -> bool:
    """Return whether a module has readable lines of the bot's own file."""
    return bool(_line_ranges(code)[1])


def line_at(code: bytes, place: int) -> int | None:
    """Return the line of the bot's own file at a byte of a module, or None for other bytes, or without lines.

    Args:
        code: The module.
        place: Index of the byte in the module.

    Returns:
        The number of the line, from 1 to 10,000,000, or None.
    """
    base, ranges = _line_ranges(code)
    address = place - base
    after = bisect_right(ranges, address, key=lambda one: one.first)
    if after and address < ranges[after - 1].end and 0 < ranges[after - 1].line <= _MAX_LINE:
        return ranges[after - 1].line
    return None


@lru_cache(maxsize=4)
def _line_ranges(code: bytes) -> tuple[int, list[_Range]]:
    """Return the start of the code section's content, and the readable ranges of the bot's own file, by address.

    Ranges after the first unreadable part are missing. Calls for the same module share the list.
    """
    ranges: list[_Range] = []
    base = 0
    try:
        base, table = _sections(code)
        ranges.extend(_ranges(table))
    except (IndexError, ValueError, struct.error):
        pass
    return base, sorted(ranges)


def _sections(code: bytes) -> tuple[int, bytes]:
    """Return the start of the code section's content, and the table of lines, 0 and b"" if they are missing.

    Raises:
        _Unreadable: No compiler writes such a module, or it takes too many steps.
        IndexError: The module ends too early.
        struct.error: The module ends too early.
    """
    base, table, module = 0, b"", _Bytes(code)
    module.position = 8
    while module.position < module.end:
        module.step()
        kind = module.number("B")
        end = module.variable() + module.position
        if kind == _CODE:
            base = module.position
        elif kind == 0 and code.startswith(_TABLE, module.position, end):
            table = code[module.position + len(_TABLE) : end]
        module.position = end
    return base, table


def _ranges(table: bytes) -> Iterator[_Range]:
    """Yield the ranges of the bot's own file in a table of lines.

    Raises:
        _Unreadable: No compiler writes such a table, or it takes too many steps.
        IndexError: The table ends too early, or names no such file or folder.
        ValueError: The table ends within a name.
        struct.error: The table ends too early.
    """
    units = _Bytes(table)
    while units.position + 4 < len(table):
        units.step()
        size = units.number("I")
        units.end = min(units.position + size, len(table))
        after = units.end
        yield from _unit_ranges(units)
        units.position = after


def _unit_ranges(unit: _Bytes) -> Iterator[_Range]:
    """Yield the ranges of the bot's own file in a unit, whose length has been read. Other versions than 4 have none.

    Raises:
        _Unreadable: No compiler writes such a unit, or it takes too many steps.
        IndexError: The unit ends too early, or names no such file or folder.
        ValueError: The unit ends within a name.
        struct.error: The unit ends too early.
    """
    if unit.number("H") != 4:
        return
    program = unit.number("I") + unit.position
    min_length = unit.number("B")
    unit.position += 2
    line_base, line_range, opcode_base = unit.number("b"), unit.number("B"), unit.number("B")
    if not line_range:
        raise _Unreadable
    lengths = [unit.number("B") for _ in range(opcode_base - 1)]
    folders = [b""]
    while folder := unit.text():
        folders.append(folder)
    own = [False]
    while unit.text():
        own.append(folders[unit.variable()].rpartition(b"/")[2] == _BOT_FOLDER)
        unit.variable(), unit.variable()
    unit.position = program
    address, file, line = 0, 1, 1
    before: tuple[int, int, int] | None = None
    constant = (255 - opcode_base) // line_range * min_length
    while unit.position < unit.end:
        unit.step()
        opcode, is_row, is_end = unit.number("B"), False, False
        if opcode >= opcode_base:
            address += (opcode - opcode_base) // line_range * min_length
            line += line_base + (opcode - opcode_base) % line_range
            is_row = True
        elif opcode == 0:
            end = unit.variable() + unit.position
            extended = unit.number("B")
            if extended == _SET_ADDRESS:
                address = unit.number("I")
            is_end = extended == _END_SEQUENCE
            unit.position = end
        elif opcode == _ADVANCE:
            address += unit.variable() * min_length
        elif opcode == _LINE:
            line += unit.variable(signed=True)
        elif opcode == _FILE:
            file = unit.variable()
        elif opcode == _ADD_CONSTANT:
            address += constant
        elif opcode == _ADVANCE_FIXED:
            address += unit.number("H")
        else:
            is_row = opcode == _COPY
            for _ in range(lengths[opcode - 1]):
                unit.step()
                unit.variable()
        if (is_row or is_end) and before:
            if own[before[1]]:
                yield _Range(before[0], address, before[2])
            before = None
        if is_row:
            before = address, file, line
        if is_end:
            address, file, line = 0, 1, 1
