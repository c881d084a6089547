"""The file of the field: its content with a seal, and checks of its consistency."""

from __future__ import annotations

import hashlib
import re
from functools import cache

from pydantic import TypeAdapter

from tournament.store.field import ContestSetup

_SEALED = re.compile(rb'\{"sha256": "([0-9a-f]{64})",\n"field": (.*)\}\n', re.DOTALL)


@cache
def _fields() -> TypeAdapter[ContestSetup]:
    """Return the validator of a field. It takes long to make."""
    return TypeAdapter(ContestSetup)


def pack_field(field: ContestSetup) -> bytes:
    """Return a field as the content of its file, with a seal, so that a flipped bit can't change which legs count.

    Raises:
        ValueError: The field couldn't be read again.
    """
    text = _fields().dump_json(field, exclude_defaults=True, indent=1)
    content = b'{"sha256": "%s",\n"field": %s}\n' % (hashlib.sha256(text).hexdigest().encode(), text)
    unpack_field(content)
    return content


def unpack_field(content: bytes) -> ContestSetup:
    """Return the field in a file's content.

    Raises:
        ValueError: The content isn't as it was written, exceeds a limit or is inconsistent.
    """
    sealed = _SEALED.fullmatch(content)
    if not sealed or hashlib.sha256(sealed[2]).hexdigest().encode() != sealed[1]:
        raise ValueError("not what was written")
    field = _fields().validate_json(sealed[2])
    check_field(field)
    return field


def check_field(field: ContestSetup) -> None:
    """Check that numbers and names agree, because later both are used as indices.

    Raises:
        ValueError: Numbers have gaps, a name occurs twice, or a player has another number than its name.
    """
    for numbers, present in ((field.numbers, field.entrants), (field.house_numbers, field.house)):
        if sorted(numbers.values()) != list(range(len(numbers))):
            raise ValueError("numbers with gaps")
        if len({one.name for one in present}) < len(present):
            raise ValueError("a name twice")
        if any(numbers.get(one.name) != one.number for one in present):
            raise ValueError("another number")
