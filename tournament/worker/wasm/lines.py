"""Which line of its source a place in a bot's WebAssembly is of, where it was compiled with lines.

Format: DWARF Debugging Information Format, version 4, 6.2. Compilers write it for WebAssembly with addresses that count
from the beginning of what the code section has.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

_CODE = 10
_OF_BOT = "bot"  # the folder that the compiler sees a bot's file in
_COPY, _ADVANCE, _LINE, _FILE, _ADD_CONSTANT, _ADVANCE_FIXED = 1, 2, 3, 4, 8, 9
_END_SEQUENCE, _SET_ADDRESS = 1, 2


class _Bytes:
    """Bytes read from the front. Raises IndexError at their end, and struct.error."""

    def __init__(self, data: bytes, position: int = 0) -> None:
        self.data, self.position = data, position

    def number(self, format_: str) -> int:
        (value,) = struct.unpack_from(f"<{format_}", self.data, self.position)
        self.position += struct.calcsize(format_)
        return int(value)

    def variable(self, *, signed: bool = False) -> int:
        """A LEB128 number."""
        result = shift = 0
        while True:
            byte = self.data[self.position]
            self.position += 1
            result |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return result - (1 << shift) if signed and byte & 0x40 else result

    def text(self) -> str:
        end = self.data.index(b"\0", self.position)
        start, self.position = self.position, end + 1
        return self.data[start:end].decode(errors="replace")


def line_at(code: bytes, place: int) -> int | None:
    """The line of the bot's own file that a byte of a module is of, None for others and where the module has no lines.

    Strangers may have written the module, so any bytes will do.
    """
    try:
        base, table = _sections(code)
        address = place - base
        position = 0
        while position + 4 < len(table):
            size = struct.unpack_from("<I", table, position)[0] + 4
            for first, end, line in _ranges(_Bytes(table[position : position + size], 4)):
                if first <= address < end:
                    return line
            position += size
    except (IndexError, ValueError, struct.error):
        return None
    return None


def _sections(code: bytes) -> tuple[int, bytes]:
    """Where the code section's content begins, and the table of lines."""
    base, table, module = 0, b"", _Bytes(code, 8)
    while module.position < len(code):
        kind = module.number("B")
        end = module.variable() + module.position
        if kind == _CODE:
            base = module.position
        elif kind == 0 and code[module.position : end].startswith(b"\x0b.debug_line"):
            table = code[module.position + 12 : end]
        module.position = end
    return base, table


def _ranges(unit: _Bytes) -> Iterator[tuple[int, int, int]]:
    """The pieces of code of the bot's file in a unit's table: (first address, end, line)."""
    if unit.number("H") != 4:
        return
    program = unit.number("I") + unit.position
    least = unit.number("B")
    unit.position += 2
    line_base, line_range, opcode_base = unit.number("b"), unit.number("B"), unit.number("B")
    lengths = [unit.number("B") for _ in range(opcode_base - 1)]
    folders = [""]
    while folder := unit.text():
        folders.append(folder)
    own = [False]
    while unit.text():
        own.append(folders[unit.variable()].rpartition("/")[2] == _OF_BOT)
        unit.variable(), unit.variable()
    unit.position = program
    address, file, line = 0, 1, 1
    before: tuple[int, int, int] | None = None
    constant = (255 - opcode_base) // line_range * least
    while unit.position < len(unit.data):
        opcode, is_row, is_end = unit.number("B"), False, False
        if opcode >= opcode_base:
            address += (opcode - opcode_base) // line_range * least
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
            address += unit.variable() * least
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
                unit.variable()
        if (is_row or is_end) and before:
            if own[before[1]]:
                yield before[0], address, before[2]
            before = None
        if is_row:
            before = address, file, line
        if is_end:
            address, file, line = 0, 1, 1
