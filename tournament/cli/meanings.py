"""Meanings of a class's fields, from their comments that begin with #:, above a field or after it."""

from __future__ import annotations

import dataclasses
import inspect
import re
from typing import Any


class Undocumented(Exception):
    """Raised if a public name has no docstring, or a field no comment."""


def read_meanings(kind: Any) -> dict[str, str]:
    """Return the meaning of each field of a dataclass by name, in the order of the fields.

    Raises:
        Undocumented: A field has none, such as one that is inherited.
        OSError: The source of the class can't be read.
    """
    matches = re.findall(
        r"((?:^    #: .*\n)*)^    (\w+): [^#\n]*?(?:  #: (.*))?$", inspect.getsource(kind), re.MULTILINE
    )
    meanings = {}
    for above, name, beside in matches:
        lines = [line.strip().removeprefix("#: ") for line in above.splitlines()]
        meanings[name] = " ".join(lines) or beside
    for field in dataclasses.fields(kind):
        if not meanings.get(field.name):
            raise Undocumented(f"{kind.__name__}.{field.name} has no comment that begins with #:")
    return {field.name: meanings[field.name] for field in dataclasses.fields(kind)}
