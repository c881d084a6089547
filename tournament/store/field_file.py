"""The file of the field: its content with a seal, and whether that can be a field's."""

from __future__ import annotations

import hashlib
import re
from functools import cache

from pydantic import TypeAdapter

from tournament.store.field import ContestSetup

_SEALED = re.compile(rb'\{"sha256": "([0-9a-f]{64})",\n"field": (.*)\}\n', re.DOTALL)


@cache
def _fields() -> TypeAdapter[ContestSetup]:
    return TypeAdapter(ContestSetup)  # slow to make


def pack_field(field: ContestSetup) -> bytes:
    """Return a field as its file's content, with a seal: a flipped bit must not change what counts.

    Raises:
        ValueError: No one could read the field.
    """
    text = _fields().dump_json(field, exclude_defaults=True, indent=1)
    content = b'{"sha256": "%s",\n"field": %s}\n' % (hashlib.sha256(text).hexdigest().encode(), text)
    unpack_field(content)
    return content


def unpack_field(content: bytes) -> ContestSetup:
    """Return the field of a file's content.

    Raises:
        ValueError: The content isn't as it was written, or says something impossible.
    """
    found = _SEALED.fullmatch(content)
    if not found or hashlib.sha256(found[2]).hexdigest().encode() != found[1]:
        raise ValueError("not what was written")
    field = _fields().validate_json(found[2])
    check_field(field)
    return field


def check_field(field: ContestSetup) -> None:
    """Raises ValueError when numbers and names don't agree: later both are used as indices."""
    for numbers, present in ((field.numbers, field.entrants), (field.house_numbers, field.house)):
        if sorted(numbers.values()) != list(range(len(numbers))):
            raise ValueError("numbers with gaps")
        if len({one.name for one in present}) < len(present):
            raise ValueError("a name twice")
        if any(numbers.get(one.name) != one.number for one in present):
            raise ValueError("another number")
