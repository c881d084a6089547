"""Types of the values that bots observe and answer."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from engine.rules.decisions import MAX_ANSWER_BYTES
from engine.rules.shapes import Shape

# What a Python bot returns: a whole number; that or a name; any value; any value, or None.
Returns = Literal["number", "name", "value", "optional"]

_SHORT = range(-(2**31), 2**31)
_MAX_TEXTS = 1 << 20
_MAX_CHOICES = 1 << 16
_NUMBER_BYTES = 26  # length of a number in JSON
_MAX_DEPTH = 4  # levels of nested lists and records
# Names that a value can't have: it is also a member of a C struct, and of a JSON object.
TAKEN = frozenset(
    """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    bool true false alignas alignof asm new delete this class template operator private public protected virtual
    f field_names decision
    """.split()  # noqa: SIM905  # read as words
)
_FIELD = re.compile("[a-z][a-z0-9_]{0,40}")


class ValueType:
    """Base class of the types, with a description of their values."""

    description: str

    @cached_property
    def shape(self) -> Shape:
        """The checks of its values."""
        raise NotImplementedError

    @property
    def code(self) -> str:
        """The struct code of a number."""
        return self.shape.kind

    @property
    def limits(self) -> str:
        """The type's values as text."""
        raise NotImplementedError

    @property
    def first(self) -> object:
        """The default answer if none is declared, or a ValueError if the type has none."""
        raise ValueError("an answer that is a list or a text needs default=")

    @property
    def max_json(self) -> int:
        """Bytes of the longest value as JSON."""
        return _NUMBER_BYTES

    @property
    def parts(self) -> tuple[ValueType, ...]:
        """The types in it."""
        return ()

    @property
    def depth(self) -> int:
        """Levels of nested lists and records."""
        return max((part.depth for part in self.parts), default=0)


@dataclass(frozen=True)
class Int(ValueType):
    """A whole number from `low` to `high`."""

    low: int
    high: int
    description: str = ""

    def __post_init__(self) -> None:
        """Check the limits.

        Raises:
            ValueError: No value is within them.
        """
        if self.low > self.high:
            raise ValueError(
                f"the lowest number, {self.low}, is above the highest, {self.high}: Int(low, high, description)"
            )

    @cached_property
    def shape(self) -> Shape:
        return Shape("i" if self.low in _SHORT and self.high in _SHORT else "q", self.low, self.high)

    @property
    def first(self) -> int:
        return self.low

    @property
    def limits(self) -> str:
        return f"{self.low} to {self.high}"


@dataclass(frozen=True)
class Float(ValueType):
    """A finite number from `low` to `high`. C bots observe a `float` if it is `single`, otherwise a `double`."""

    description: str = ""
    low: float = -math.inf
    high: float = math.inf
    single: bool = False

    def __post_init__(self) -> None:
        if not self.low <= self.high:
            raise ValueError(
                f"the lowest number, {self.low}, is not below the highest, {self.high}: Float(description, low, high)"
            )

    @cached_property
    def shape(self) -> Shape:
        return Shape("d", self.low, self.high)

    @property
    def code(self) -> str:
        return "f" if self.single else "d"

    @property
    def first(self) -> float:
        return min(max(0.0, self.low), self.high)

    @property
    def limits(self) -> str:
        ends = [f"at least {self.low}"] * (self.low > -math.inf) + [f"at most {self.high}"] * (self.high < math.inf)
        return f"a number, {', '.join(ends)}" if ends else "a number"


@dataclass(frozen=True)
class Text(ValueType):
    """A text of at most `max_length` bytes of UTF-8, without 0 bytes. C bots don't observe texts."""

    max_length: int | None = None
    description: str = ""

    @cached_property
    def shape(self) -> Shape:
        return Shape("s", 0, self.max_length or 0)

    @property
    def max_json(self) -> int:
        return 6 * (MAX_ANSWER_BYTES if self.max_length is None else self.max_length) + 2

    @property
    def limits(self) -> str:
        return "a text" if self.max_length is None else f"a text of at most {self.max_length} bytes of UTF-8"


@dataclass(frozen=True)
class Choice(ValueType):
    """One of these names. C bots know each by a constant, its name in capitals."""

    names: Sequence[str]
    description: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(self.names))
        if not 0 < len(self.names) <= _MAX_CHOICES or len(set(self.constants)) < len(self.names):
            raise ValueError(f"a choice is among 1 to {_MAX_CHOICES} different names")
        for name in self.names:
            if not re.fullmatch(r"[A-Za-z][\w -]*", name, re.ASCII):
                raise ValueError(
                    f"{name!r} can't name a choice: expected a letter, then letters, digits, _, - or blanks"
                )

    @property
    def constants(self) -> list[str]:
        """Names of the choices in C."""
        return [re.sub(r"\W", "_", name, flags=re.ASCII).upper() for name in self.names]

    @cached_property
    def shape(self) -> Shape:
        return Shape("c", 0, len(self.names) - 1, names=self.names)

    @property
    def first(self) -> str:
        return self.names[0]

    @property
    def max_json(self) -> int:
        return max(map(len, self.names)) + 2

    @property
    def limits(self) -> str:
        return f"one of {', '.join(self.names)}"


@dataclass(frozen=True)
class Bool(ValueType):
    """True or false. C bots get 1 or 0, and return it."""

    description: str = ""

    @cached_property
    def shape(self) -> Shape:
        return Shape("b", 0, 1)

    @property
    def limits(self) -> str:
        return "true or false"

    @property
    def first(self) -> bool:
        return False


@dataclass(frozen=True)
class List(ValueType):
    """A list of at most `max_length` values of a type. A list of lists of numbers is a grid, row by row."""

    of: ValueType
    max_length: int | None = None
    description: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.of, ValueType) or isinstance(self.of, LegalAction):
            raise ValueError(f"a list can't have items of {self.of!r}: List(Int(low, high), max_length, description)")
        if self.max_length is None and not isinstance(self.of, Text):
            raise ValueError("a list has a greatest length: List(Int(low, high), max_length, description)")
        if self.max_length is not None and self.max_length < 0:
            raise ValueError(f"a list can't have at most {self.max_length} items")
        _check_depth(self)

    @property
    def most(self) -> int:
        """The greatest length."""
        return _MAX_TEXTS if self.max_length is None else self.max_length

    @cached_property
    def shape(self) -> Shape:
        return Shape("L", most=self.most, parts=[self.of.shape])

    @property
    def limits(self) -> str:
        item_limits = self.of.limits
        items = {"a number": "numbers", "a text": "texts"}.get(item_limits, f"items, each {item_limits}")
        if isinstance(self.of, Int):
            items = f"numbers from {item_limits}"
        return f"a list of {items}" if self.max_length is None else f"at most {self.max_length} {items}"

    @property
    def max_json(self) -> int:
        return (self.of.max_json + 2) * max(1, self.most) + 2

    @property
    def parts(self) -> tuple[ValueType, ...]:
        return (self.of,)

    @property
    def depth(self) -> int:
        return super().depth + 1


@dataclass(frozen=True)
class Maybe(ValueType):
    """A value of a type, or nothing: None, and null in JSON."""

    of: ValueType
    description: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.of, ValueType) or isinstance(self.of, (Maybe, LegalAction)):
            raise ValueError(f"{self.of!r} can't be missing: Maybe(Int(low, high), description)")

    @cached_property
    def shape(self) -> Shape:
        return Shape("M", parts=[self.of.shape])

    @property
    def limits(self) -> str:
        return f"{self.of.limits}, or nothing"

    @property
    def first(self) -> None:
        return None

    @property
    def max_json(self) -> int:
        return max(4, self.of.max_json)

    @property
    def parts(self) -> tuple[ValueType, ...]:
        return (self.of,)


class Struct(ValueType):
    """A record of named fields, each of a type: a dict in Python, an object in JSON, a struct in C.

    Args:
        description: What it means.
        fields: The types by name.

    Raises:
        ValueError: A name can't be used in C, or a field has no type.
    """

    def __init__(self, description: str = "", /, **fields: ValueType) -> None:
        self.description = description
        self.fields: Mapping[str, ValueType] = fields
        for name, kind in fields.items():
            if not isinstance(kind, ValueType) or isinstance(kind, LegalAction):
                raise ValueError(f"{name} is {kind!r}; expected a type, as in Struct(x=Int(low, high))")
            if not usable(name):
                raise ValueError(f"{name} can't name a field: bots are to use it in C and Python")
        if not fields:
            raise ValueError("a record has a field: Struct(x=Int(low, high))")
        _check_depth(self)

    @cached_property
    def shape(self) -> Shape:
        return Shape("R", names=self.fields, parts=[kind.shape for kind in self.fields.values()])

    @property
    def limits(self) -> str:
        return ", ".join(f"{name}: {kind.limits}" for name, kind in self.fields.items())

    @property
    def first(self) -> dict[str, object]:
        return {name: kind.first for name, kind in self.fields.items()}

    @property
    def max_json(self) -> int:
        return sum(len(name) + 6 + kind.max_json for name, kind in self.fields.items()) + 2

    @property
    def parts(self) -> tuple[ValueType, ...]:
        return tuple(self.fields.values())

    @property
    def depth(self) -> int:
        return super().depth + 1


def usable(name: str) -> bool:
    """Return whether a name can be that of a value in bots of all languages."""
    return bool(_FIELD.fullmatch(name)) and not keyword.iskeyword(name) and name not in TAKEN


def _check_depth(kind: ValueType) -> None:
    """Check that lists and records don't hold each other too deeply.

    Raises:
        ValueError: They do.
    """
    if kind.depth > _MAX_DEPTH:
        raise ValueError(f"lists and records hold each other {kind.depth} deep; at most {_MAX_DEPTH} are possible")


@dataclass(frozen=True)
class LegalAction(ValueType):
    """One of the actions that `play` lists as `legal_actions` in its question. Other answers are faults.

    C bots answer a text by its place in the list.
    """

    of: Int | Text
    max_actions: int
    description: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.of, (Int, Text)) or self.max_actions < 1:
            raise ValueError(
                "legal actions are numbers or texts: LegalAction(Int(low, high), max_actions, description)"
            )

    @property
    def observed(self) -> List:
        """The type of `legal_actions`."""
        return List(self.of, self.max_actions, "the actions that are legal now")

    @cached_property
    def shape(self) -> Shape:
        return self.of.shape

    @property
    def limits(self) -> str:
        return "one of the legal actions"

    @property
    def max_json(self) -> int:
        return self.of.max_json
