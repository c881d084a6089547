"""What a WebAssembly module consists of, read from its bytes in one pass, in time and memory that grow with its size.

Nothing is compiled. Who wants to know whether a module is valid must ask the
runtime; of a valid one, all that stands here is right.
Format: WebAssembly Core Specification 3.0, chapter 5, of which only exceptions are known beside 2.0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum, auto

MAGIC = b"\0asm\1\0\0\0"


class Malformed(Exception):
    """Bytes that aren't a WebAssembly module, or have something in them that this reader doesn't know."""


@dataclass(frozen=True, slots=True)
class Body:
    """A function's code. `calls` says how often each function is called in the text, by its index.

    `variables`: its parameters and locals. `is_bounded`: without a loop, an indirect call or an instruction whose
    cost depends on its operands, so that no instruction runs twice. `refused` is an instruction that bots may not use.
    """

    instructions: int
    blocks: int
    variables: int
    calls: Counter[int]
    is_bounded: bool
    is_constant: bool  # it gives a constant and does nothing else
    refused: str | None


@dataclass
class Outline:
    """A module: how much it has of everything. `exports` are the exported functions; indices begin with the imports."""

    parameters: list[int] = field(default_factory=list)  # of each function type
    results: list[int] = field(default_factory=list)  # of each function type
    parameter_types: list[bytes] = field(default_factory=list)  # of each function type
    imports: int = 0
    imported: list[int] = field(default_factory=list)  # the types of imported functions
    imported_names: list[str] = field(default_factory=list)  # of functions
    functions: list[int] = field(default_factory=list)  # the types of its own
    tables: list[int] = field(default_factory=list)  # elements at the start
    memories: list[int] = field(default_factory=list)  # pages at the start
    tags: list[bytes] = field(default_factory=list)  # the types of the values that go with each
    globals: int = 0
    exported: int = 0
    exports: dict[str, int] = field(default_factory=dict)
    element_segments: int = 0
    data_segments: int = 0
    bodies: list[Body] = field(default_factory=list)

    def type_of(self, function: int) -> int:
        """The type of a function, by its index. Raises Malformed when there is none."""
        inside = function - len(self.imported)
        try:
            return self.functions[inside] if inside >= 0 else self.imported[function]
        except IndexError:
            raise Malformed from None

    def body(self, function: int) -> Body | None:
        """The code of a function, or None when it is imported."""
        inside = function - len(self.imported)
        return self.bodies[inside] if 0 <= inside < len(self.bodies) else None


def read_module(data: bytes) -> Outline:
    """Read a module. Raises Malformed."""
    if data[: len(MAGIC)] != MAGIC:
        raise Malformed
    outline = Outline()
    reader = _Reader(data, len(MAGIC), len(data))
    while reader.position < reader.end:
        kind = reader.byte()
        section = reader.take(reader.number())
        if kind in _SECTIONS:
            _SECTIONS[kind](outline, section)
    if len(outline.bodies) != len(outline.functions):
        raise Malformed
    return outline


class _Reader:
    """Reads a piece of a module from its beginning to its end."""

    def __init__(self, data: bytes, position: int, end: int) -> None:
        self.data, self.position, self.end = data, position, end

    def byte(self) -> int:
        if self.position >= self.end:
            raise Malformed
        self.position += 1
        return self.data[self.position - 1]

    def number(self) -> int:
        """An unsigned LEB128 number of at most 64 bits."""
        result = shift = 0
        while True:
            byte = self.byte()
            result |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return result
            if shift > 63:
                raise Malformed

    def take(self, size: int) -> _Reader:
        """The next piece, of so many bytes."""
        if size > self.end - self.position:
            raise Malformed
        self.position += size
        return _Reader(self.data, self.position - size, self.position)

    def text(self) -> str:
        """What is left, as text."""
        return self.data[self.position : self.end].decode("utf-8", "replace")

    def least(self) -> int:
        """The least of a table's or a memory's limits."""
        flags, least = self.byte(), self.number()
        if flags & 1:
            self.number()
        if flags & 8:  # a page size of its own
            self.number()
        return least


def _types(outline: Outline, section: _Reader) -> None:
    for _ in range(section.number()):
        if section.byte() != 0x60:  # not a plain function type
            raise Malformed
        for counts in (outline.parameters, outline.results):
            count = section.number()
            values = section.take(count)
            counts.append(count)
            if counts is outline.parameters:
                outline.parameter_types.append(values.data[values.position : values.end])


def _imports(outline: Outline, section: _Reader) -> None:
    outline.imports = section.number()
    for _ in range(outline.imports):
        section.take(section.number())
        name = section.take(section.number())
        kind = section.byte()
        if kind == 0:
            outline.imported.append(section.number())
            outline.imported_names.append(name.text())
        elif kind == 1:
            section.byte()
            section.least()
        elif kind == 2:
            section.least()
        elif kind == 3:
            section.take(2)
        else:
            raise Malformed


def _functions(outline: Outline, section: _Reader) -> None:
    outline.functions = [section.number() for _ in range(section.number())]


def _tables(outline: Outline, section: _Reader) -> None:
    for _ in range(section.number()):
        if section.byte() not in (0x70, 0x6F):  # funcref, externref
            raise Malformed
        outline.tables.append(section.least())


def _memories(outline: Outline, section: _Reader) -> None:
    outline.memories = [section.least() for _ in range(section.number())]


def _tags(outline: Outline, section: _Reader) -> None:
    for _ in range(section.number()):
        section.byte()
        kind = section.number()
        if kind >= len(outline.parameter_types):
            raise Malformed
        outline.tags.append(outline.parameter_types[kind])


def _globals(outline: Outline, section: _Reader) -> None:
    outline.globals = section.number()
    for _ in range(outline.globals):
        # An exception, which would outlive the decision, is refused with all that is unknown.
        if section.byte() not in (0x7F, 0x7E, 0x7D, 0x7C, 0x7B, 0x70, 0x6F):
            raise Malformed
        section.byte()
        while (opcode := section.byte()) != 0x0B:
            if opcode in _OPERAND_BYTES:
                section.take(_OPERAND_BYTES[opcode])
            elif opcode in _ONE_OPERAND:
                section.number()
            elif opcode == 0xFD and section.number() == 12:
                section.take(16)
            elif opcode not in _WITHOUT_OPERANDS:
                raise Malformed


# Of constant expressions: floats and a null; indices and whole numbers; sums and products of these.
_OPERAND_BYTES = {0x43: 4, 0x44: 8, 0xD0: 1}
_ONE_OPERAND = (0x23, 0x41, 0x42, 0xD2)
_WITHOUT_OPERANDS = (0x6A, 0x6B, 0x6C, 0x7C, 0x7D, 0x7E)


def _exports(outline: Outline, section: _Reader) -> None:
    outline.exported = section.number()
    for _ in range(outline.exported):
        name = section.take(section.number())
        kind, index = section.byte(), section.number()
        if kind == 0:
            outline.exports[name.text()] = index


def _elements(outline: Outline, section: _Reader) -> None:
    outline.element_segments = section.number()


def _data(outline: Outline, section: _Reader) -> None:
    outline.data_segments = section.number()


def _code(outline: Outline, section: _Reader) -> None:
    count = section.number()
    if count != len(outline.functions):
        raise Malformed
    for kind in outline.functions:
        if kind >= len(outline.parameters):
            raise Malformed
        code = section.take(section.number())
        variables = outline.parameters[kind]
        for _ in range(code.number()):
            variables += code.number()
            code.byte()
        try:
            outline.bodies.append(_body(outline, code, variables))
        except IndexError:
            raise Malformed from None


_SECTIONS = {
    1: _types,
    2: _imports,
    3: _functions,
    4: _tables,
    5: _memories,
    6: _globals,
    7: _exports,
    9: _elements,
    10: _code,
    11: _data,
    13: _tags,
}


class _Shape(IntEnum):
    """What follows an opcode, and what is to be done about it."""

    PLAIN = auto()
    NUMBER = auto()  # an index or an integer constant
    ACCESS = auto()  # of memory: alignment and offset
    BLOCK = auto()
    LOOP = auto()
    END = auto()
    CALL = auto()
    INDIRECT = auto()  # a type and a table
    TABLE = auto()  # of branches
    FLOAT = auto()
    DOUBLE = auto()
    SELECT = auto()  # with its types
    GROW = auto()
    BULK = auto()  # 0xFC and a number
    VECTOR = auto()  # 0xFD and a number
    THROW = auto()
    TRY = auto()  # a block, and where what is caught goes
    REFUSED = auto()


def _shapes() -> list[_Shape]:
    shapes = [_Shape.REFUSED] * 256

    def put(shape: _Shape, opcodes: Iterable[int]) -> None:
        for opcode in opcodes:
            shapes[opcode] = shape

    put(_Shape.PLAIN, (0x00, 0x01, 0x05, 0x0F, 0x1A, 0x1B, *range(0x45, 0xC5)))
    put(_Shape.NUMBER, (0x0C, 0x0D, 0x20, 0x21, 0x22, 0x23, 0x24, 0x3F, 0x41, 0x42))
    put(_Shape.ACCESS, range(0x28, 0x3F))
    put(_Shape.BLOCK, (0x02, 0x04))
    shapes[0x03], shapes[0x0B], shapes[0x0E], shapes[0x10] = _Shape.LOOP, _Shape.END, _Shape.TABLE, _Shape.CALL
    shapes[0x11], shapes[0x1C], shapes[0x40] = _Shape.INDIRECT, _Shape.SELECT, _Shape.GROW
    shapes[0x08], shapes[0x0A], shapes[0x1F] = _Shape.THROW, _Shape.THROW, _Shape.TRY
    shapes[0x43], shapes[0x44], shapes[0xFC], shapes[0xFD] = (
        _Shape.FLOAT,
        _Shape.DOUBLE,
        _Shape.BULK,
        _Shape.VECTOR,
    )
    return shapes


_SHAPES = _shapes()
# Those that no compiler of C, C++, Rust or the like needs, and that take long for their fuel.
_NAMES = {
    0x12: "return_call",
    0x13: "return_call_indirect",
    0x25: "table.get",
    0x26: "table.set",
    0xD0: "ref.null",
    0xD1: "ref.is_null",
    0xD2: "ref.func",
}
_BULK_NAMES = {
    12: "table.init",
    13: "elem.drop",
    14: "table.copy",
    15: "table.grow",
    16: "table.size",
    17: "table.fill",
}
_MOST_HANDLERS = 4  # of one block; compilers write one or two
_LAST_VECTOR = 0xFF  # above: relaxed


def _body(outline: Outline, code: _Reader, variables: int) -> Body:
    """Read a function's instructions. Raises Malformed, and IndexError beyond the module's end."""
    data, place, end = code.data, code.position, code.end
    shapes, imported = _SHAPES, len(outline.imported)
    calls: Counter[int] = Counter()
    starts_with_constant = data[place] in (0x41, 0x42)
    depth, instructions, blocks = 1, 0, 0
    is_bounded = True
    refused: str | None = None

    def number() -> int:
        nonlocal place
        result = shift = 0
        while True:
            byte = data[place]
            place += 1
            result |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return result
            if shift > 63:
                raise Malformed

    def skip_numbers(count: int) -> None:
        nonlocal place
        for _ in range(count):
            while data[place] > 0x7F:
                place += 1
            place += 1

    while depth:
        if place >= end:
            raise Malformed
        opcode = data[place]
        place += 1
        instructions += 1
        shape = shapes[opcode]
        if shape is _Shape.PLAIN:
            pass
        elif shape is _Shape.NUMBER:
            while data[place] > 0x7F:
                place += 1
            place += 1
        elif shape is _Shape.ACCESS:
            skip_numbers(2)
        elif shape is _Shape.END:
            depth -= 1
        elif shape is _Shape.BLOCK or shape is _Shape.LOOP:
            depth += 1
            blocks += 1
            # No value or one; a type's index would tell of more.
            is_bounded &= shape is _Shape.BLOCK and 0x40 <= data[place] <= 0x7F
            skip_numbers(1)
        elif shape is _Shape.CALL:
            function = number()
            calls[function] += 1
            kind = outline.type_of(function)
            is_bounded &= kind < len(outline.results) and outline.results[kind] <= 1
            if function >= imported + len(outline.functions):
                raise Malformed
        elif shape is _Shape.TABLE:
            targets = number()
            if targets > end - place:
                raise Malformed
            blocks += targets
            skip_numbers(targets + 1)
        elif shape is _Shape.FLOAT:
            place += 4
        elif shape is _Shape.DOUBLE:
            place += 8
        elif shape is _Shape.INDIRECT:
            skip_numbers(2)
            is_bounded = False
        elif shape is _Shape.GROW:
            skip_numbers(1)
            is_bounded = False
        elif shape is _Shape.SELECT:
            skip_numbers(number())
        elif shape is _Shape.THROW:
            skip_numbers(opcode == 0x08)
            is_bounded = False
        elif shape is _Shape.TRY:
            depth += 1
            is_bounded = False
            skip_numbers(1)
            # Each throw below looks at all of them, for no fuel.
            if (handlers := number()) > _MOST_HANDLERS:
                return _refusing(f"try_table with {handlers} handlers")
            for _ in range(handlers):
                place += 1
                skip_numbers(2 if data[place - 1] < 2 else 1)
        elif shape is _Shape.BULK:
            which = number()
            if which > 7:  # not one of the conversions that saturate, but with a length
                is_bounded = False
                if which in _BULK_NAMES:
                    refused = refused or _BULK_NAMES[which]
                if which > 17:
                    return _refusing(f"{opcode:#x} {which}")
                skip_numbers(1 if which in (9, 11, 13, 15, 16, 17) else 2)
        elif shape is _Shape.VECTOR:
            is_bounded = False
            which = number()
            if which <= 11 or which in (92, 93):  # loads and stores
                skip_numbers(2)
            elif which in (12, 13):  # a constant, a shuffle
                place += 16
            elif 21 <= which <= 34:  # a lane
                place += 1
            elif 84 <= which <= 91:  # a lane of memory
                skip_numbers(2)
                place += 1
            elif which > _LAST_VECTOR:
                return _refusing(f"{opcode:#x} {which}")
        else:
            return _refusing(_NAMES.get(opcode, f"{opcode:#x}"))
    if place != end:
        raise Malformed
    return Body(instructions, blocks, variables, calls, is_bounded, starts_with_constant and instructions == 2, refused)


def _refusing(name: str) -> Body:
    return Body(0, 0, 0, Counter(), False, False, name)
