"""How many instructions a WebAssembly function can take at most, where its shape alone tells.

A function without loops runs each of its instructions at most once; if it calls
only such functions, and none that leads back to itself, its longest run can be
added up. Most simple bots are like that. For them the limit on a decision is
proved before the first game, and counting can be left out while they play.

Anything that the decoder doesn't know makes the answer None, never a guess.
Format: WebAssembly Core Specification 2.0, chapter 5.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

# A call of a function that the module imports: stand-ins are a few instructions.
_IMPORTED_COST = 32

_BLOCK, _LOOP, _IF, _END, _CALL = 0x02, 0x03, 0x04, 0x0B, 0x10
_PLAIN = {0x00, 0x01, 0x05, 0x0B, 0x0F, 0x1A, 0x1B, *range(0x45, 0xC5)}
_ONE_INDEX = {0x0C, 0x0D, 0x20, 0x21, 0x22, 0x23, 0x24}  # br, br_if, locals, globals
_MEMORY_ACCESS = set(range(0x28, 0x3F))
_MOST_SATURATING = 7  # 0xFC 0 to 7: trunc_sat; above are bulk operations, whose cost depends on lengths


class _Unknown(Exception):
    """Something of which the decoder can't say what it costs."""


@dataclass
class _Reader:
    data: bytes
    position: int = 0

    def byte(self) -> int:
        if self.position >= len(self.data):
            raise _Unknown
        self.position += 1
        return self.data[self.position - 1]

    def number(self) -> int:
        """An unsigned LEB128 number; a signed one takes as many bytes."""
        result = shift = 0
        while True:
            byte = self.byte()
            result |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return result
            if shift > 70:
                raise _Unknown

    def take(self, size: int) -> _Reader:
        if self.position + size > len(self.data):
            raise _Unknown
        self.position += size
        return _Reader(self.data[self.position - size : self.position])

    @property
    def done(self) -> bool:
        return self.position == len(self.data)


@dataclass(frozen=True)
class _Body:
    instructions: int
    calls: tuple[int, ...]
    is_constant: bool  # it gives a constant and does nothing else


def most_instructions(module: bytes, exports: Iterable[str]) -> int | None:
    """The most instructions that one call of any of these exported functions can take.

    `module` must be valid; names that it doesn't export count nothing. None when
    its shape doesn't tell.
    """
    try:
        imported, bodies, exported = _sections(module)
        costs: dict[int, int] = {}
        return max(
            (_cost(exported[name], imported, bodies, costs, ()) for name in exports if name in exported), default=0
        )
    except _Unknown:
        return None


def constant_functions(module: bytes, exports: Iterable[str]) -> frozenset[str]:
    """Those of the exported functions that do nothing but give a constant, as far as their shape tells."""
    try:
        imported, bodies, exported = _sections(module)
    except _Unknown:
        return frozenset()
    own = {name: bodies[exported[name] - imported] for name in exports if exported.get(name, -1) >= imported}
    return frozenset(name for name, body in own.items() if body is not None and body.is_constant)


def _cost(
    function: int, imported: int, bodies: list[_Body | None], costs: dict[int, int], callers: tuple[int, ...]
) -> int:
    if function < imported:
        return _IMPORTED_COST
    if function in callers or len(callers) > 200:
        raise _Unknown
    if function not in costs:
        body = bodies[function - imported]
        if body is None:
            raise _Unknown
        inside = (*callers, function)
        costs[function] = body.instructions + sum(_cost(c, imported, bodies, costs, inside) for c in body.calls)
    return costs[function]


def _sections(module: bytes) -> tuple[int, list[_Body | None], dict[str, int]]:
    """How many functions are imported, the bodies of the others, and the exported ones by name."""
    reader = _Reader(module, 8)
    imported = 0
    bodies: list[_Body | None] = []
    exported: dict[str, int] = {}
    while not reader.done:
        kind = reader.byte()
        section = reader.take(reader.number())
        if kind == 2:
            for _ in range(section.number()):
                section.take(section.number())
                section.take(section.number())
                if section.byte() != 0:  # only functions are imported by bots that may play
                    raise _Unknown
                section.number()
                imported += 1
        elif kind == 7:
            for _ in range(section.number()):
                name = section.take(section.number()).data.decode("utf-8", "replace")
                what = section.byte()
                index = section.number()
                if what == 0:
                    exported[name] = index
        elif kind == 10:
            for _ in range(section.number()):
                bodies.append(_body(section.take(section.number())))
    return imported, bodies, exported


def _body(code: _Reader) -> _Body | None:
    """A function's instructions and calls, or None when it loops or has something unknown."""
    try:
        for _ in range(code.number()):
            code.number()
            code.byte()
        is_constant = code.data[code.position : code.position + 1] in (b"\x41", b"\x42")
        depth = 1
        instructions = 0
        calls = []
        while depth:
            opcode = code.byte()
            instructions += 1
            if opcode in (_BLOCK, _IF):
                depth += 1
                code.number()
            elif opcode == _END:
                depth -= 1
            elif opcode == _CALL:
                calls.append(code.number())
            elif opcode in _PLAIN:
                pass
            elif opcode in _ONE_INDEX or opcode in (0x41, 0x42):  # also i32.const, i64.const
                code.number()
            elif opcode in _MEMORY_ACCESS:
                if code.number() > 31:  # an alignment; more would name another memory
                    return None
                code.number()
            elif opcode == 0x0E:  # br_table
                for _ in range(code.number() + 1):
                    code.number()
            elif opcode == 0x43:
                code.take(4)
            elif opcode == 0x44:
                code.take(8)
            elif opcode == 0xFC and code.number() <= _MOST_SATURATING:
                pass
            else:  # loop, indirect and tail calls, bulk memory, vectors, and all that is yet to come
                return None
    except _Unknown:
        return None
    return _Body(instructions, tuple(calls), is_constant and instructions == 2) if code.done else None
