"""Writing Thrift's compact protocol, as far as the footer of a Parquet file needs it.

Apache Thrift, "Thrift Compact protocol encoding", doc/specs/thrift-compact-protocol.md. A value is the number of its
type, and its bytes. Integers are zigzag-encoded in pieces of seven bits, the lowest first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Value = tuple[int, bytes]

TRUE, FALSE = (1, b""), (2, b"")
_BYTES = [bytes([value]) for value in range(256)]
_BYTE, _I32, _I64, _BINARY, _LIST, STRUCT = 3, 5, 6, 8, 9, 12


def byte(value: int) -> Value:
    """Return an integer from 0 to 255 as a value of 8 bits."""
    return _BYTE, _BYTES[value]


def i32(value: int) -> Value:
    """Return an integer of 32 bits as a value."""
    return _I32, _varint(value << 1 ^ value >> 63)


def i64(value: int) -> Value:
    """Return an integer of 64 bits as a value."""
    return _I64, _varint(value << 1 ^ value >> 63)


def text(value: str | bytes) -> Value:
    """Return a text or bytes as a value."""
    content = value.encode() if isinstance(value, str) else value
    return _BINARY, _varint(len(content)) + content


def array(values: Sequence[Value], kind: int = STRUCT) -> Value:
    """Return a list of values that have one type.

    Args:
        values: The values.
        kind: Type of the values, if the list is empty.
    """
    kind = values[0][0] if values else kind
    count = len(values)
    head = bytes([count << 4 | kind]) if count < 15 else bytes([0xF0 | kind]) + _varint(count)
    return _LIST, head + b"".join([content for _, content in values])


def struct(fields: Mapping[int, Value]) -> Value:
    """Return a struct.

    Args:
        fields: Values by field number, in ascending order.

    Raises:
        ValueError: Field numbers are out of order, or more than 15 apart.
    """
    pieces: list[bytes] = []
    last = 0
    for number, (kind, content) in fields.items():
        if not 0 < number - last < 16:
            raise ValueError(f"field {number} can't come after {last}")
        pieces += (_BYTES[number - last << 4 | kind], content)
        last = number
    return STRUCT, b"".join(pieces) + b"\0"


def _varint(value: int) -> bytes:
    content = bytearray()
    while value >= 0x80:
        content.append(value & 0x7F | 0x80)
        value >>= 7
    content.append(value)
    return bytes(content)
