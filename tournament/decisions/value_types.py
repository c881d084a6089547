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

# The kind of value that a Python bot returns: a whole number; a whole number or a name; any value; any value or None.
Returns = Literal["number", "name", "value", "optional"]

_SHORT = range(-(2**31), 2**31)
_MAX_TEXTS = 1 << 20
_MAX_CHOICES = 1 << 16
_NUMBER_BYTES = 26  # length of a number in JSON
_MAX_DEPTH = 4  # levels of nested lists and records
# Names that a value can't have, because it is also a member of a C struct and of a JSON object.
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
    """Base class of the types, with a description of their values.

    A type never changes, so decisions and contests share it.

    Attributes:
        description: Meaning of the values, for templates and pages; "" if none is declared.
    """

    description: str

    @cached_property
    def shape(self) -> Shape:
        """The checks of its values."""
        raise NotImplementedError

    @property
    def code(self) -> str:
        """The struct code of a number, such as "i". For other types it is the kind of their shape."""
        return self.shape.kind

    @property
    def limits(self) -> str:
        """The type's values as text."""
        raise NotImplementedError

    @property
    def first(self) -> object:
        """The default answer if none is declared.

        Raises:
            ValueError: The type has none: it is a list or a text, or a record that has one of them.
        """
        raise ValueError("an answer that is a list or a text needs default=")

    @property
    def max_json(self) -> int:
        """Upper limit, in bytes, of a value as JSON."""
        return _NUMBER_BYTES

    @property
    def parts(self) -> tuple[ValueType, ...]:
        """The types directly in it, in the order of their values. Empty for numbers, texts and choices."""
        return ()

    @property
    def depth(self) -> int:
        """Levels of nested lists and records. 0 if it contains none and is none."""
        return max((part.depth for part in self.parts), default=0)


@dataclass(frozen=True)
class Int(ValueType):
    """A whole number from `low` to `high`, both included.

    Attributes:
        low: The lowest number.
        high: The highest number.
        description: Meaning of the number.
    """

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
        """The shape of a 32-bit integer, or of a 64-bit one if a limit needs more."""
        return Shape("i" if self.low in _SHORT and self.high in _SHORT else "q", self.low, self.high)

    @property
    def first(self) -> int:
        """The lowest number."""
        return self.low

    @property
    def limits(self) -> str:
        """The limits as text, such as "1 to 6"."""
        return f"{self.low} to {self.high}"


@dataclass(frozen=True)
class Float(ValueType):
    """A finite number from `low` to `high`, both included.

    Attributes:
        description: Meaning of the number.
        low: The lowest number; by default there is no limit.
        high: The highest number; by default there is no limit.
        single: Whether C bots observe a `float` instead of a `double`.
    """

    description: str = ""
    low: float = -math.inf
    high: float = math.inf
    single: bool = False

    def __post_init__(self) -> None:
        """Check the limits.

        Raises:
            ValueError: `low` is above `high`, or one of them is NaN.
        """
        if not self.low <= self.high:
            raise ValueError(
                f"the lowest number, {self.low}, is not below the highest, {self.high}: Float(description, low, high)"
            )

    @cached_property
    def shape(self) -> Shape:
        """The shape of a finite number."""
        return Shape("d", self.low, self.high)

    @property
    def code(self) -> str:
        """The struct code: f for a `single`, otherwise d."""
        return "f" if self.single else "d"

    @property
    def first(self) -> float:
        """The number within the limits that is nearest to 0."""
        return min(max(0.0, self.low), self.high)

    @property
    def limits(self) -> str:
        """The limits as text, without those that are infinite, such as "a number, at least 0.0"."""
        ends = [f"at least {self.low}"] * (self.low > -math.inf) + [f"at most {self.high}"] * (self.high < math.inf)
        return f"a number, {', '.join(ends)}" if ends else "a number"


@dataclass(frozen=True)
class Text(ValueType):
    """A text of at most `max_length` bytes of UTF-8, without 0 bytes. C bots don't observe texts.

    Attributes:
        max_length: Greatest length in bytes of UTF-8. None: no limit of its own, which only an observed text can have.
        description: Meaning of the text.
    """

    max_length: int | None = None
    description: str = ""

    @cached_property
    def shape(self) -> Shape:
        """The shape of a text. Its limit in bytes is 0 if none is declared."""
        return Shape("s", 0, self.max_length or 0)

    @property
    def max_json(self) -> int:
        """Upper limit, in bytes, of a text as JSON, with every byte escaped.

        Without `max_length` it is that of the longest answer of all.
        """
        return 6 * (MAX_ANSWER_BYTES if self.max_length is None else self.max_length) + 2

    @property
    def limits(self) -> str:
        """The limit as text, in bytes of UTF-8."""
        return "a text" if self.max_length is None else f"a text of at most {self.max_length} bytes of UTF-8"


@dataclass(frozen=True)
class Choice(ValueType):
    """One of these names. C bots know each by a constant, its name in capitals.

    Attributes:
        names: The names, as a tuple. Their order numbers the constants, from 0.
        description: Meaning of the choice.
    """

    names: Sequence[str]
    description: str = ""

    def __post_init__(self) -> None:
        """Make the names a tuple, and check them.

        Raises:
            ValueError: There are none or more than 65,536, two are the same in C, or one isn't a name.
        """
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
        """Names of the choices in C, in the order of `names`. Blanks and hyphens become underscores."""
        return [re.sub(r"\W", "_", name, flags=re.ASCII).upper() for name in self.names]

    @cached_property
    def shape(self) -> Shape:
        """The shape of a choice, which is an index into the names."""
        return Shape("c", 0, len(self.names) - 1, names=self.names)

    @property
    def first(self) -> str:
        """The first name."""
        return self.names[0]

    @property
    def max_json(self) -> int:
        """Bytes of the longest name as JSON."""
        return max(map(len, self.names)) + 2

    @property
    def limits(self) -> str:
        """The names as text."""
        return f"one of {', '.join(self.names)}"


@dataclass(frozen=True)
class Bool(ValueType):
    """True or false. C bots get 1 or 0, and return it.

    Attributes:
        description: Meaning of the value.
    """

    description: str = ""

    @cached_property
    def shape(self) -> Shape:
        """The shape of a truth value."""
        return Shape("b", 0, 1)

    @property
    def limits(self) -> str:
        """The two values as text."""
        return "true or false"

    @property
    def first(self) -> bool:
        """False, the default answer."""
        return False


@dataclass(frozen=True)
class List(ValueType):
    """A list of at most `max_length` values of a type. A list of lists of numbers is a grid, row by row.

    Attributes:
        of: Type of the items.
        max_length: Greatest number of items. None: about a million, which only a list of texts can have.
        description: Meaning of the list.
    """

    of: ValueType
    max_length: int | None = None
    description: str = ""

    def __post_init__(self) -> None:
        """Check the items' type and the greatest length.

        Raises:
            ValueError: The items have no type or are LegalActions, or the length is negative, or missing with items
                that aren't texts. Or more than four lists and records are nested.
        """
        if not isinstance(self.of, ValueType) or isinstance(self.of, LegalAction):
            raise ValueError(f"a list can't have items of {self.of!r}: List(Int(low, high), max_length, description)")
        if self.max_length is None and not isinstance(self.of, Text):
            raise ValueError("a list has a greatest length: List(Int(low, high), max_length, description)")
        if self.max_length is not None and self.max_length < 0:
            raise ValueError(f"a list can't have at most {self.max_length} items")
        _check_depth(self)

    @property
    def most(self) -> int:
        """The greatest number of items, 1,048,576 for a list of texts without one."""
        return _MAX_TEXTS if self.max_length is None else self.max_length

    @cached_property
    def shape(self) -> Shape:
        """The shape of a list, with that of its items."""
        return Shape("L", most=self.most, parts=[self.of.shape])

    @property
    def limits(self) -> str:
        """The greatest length and the items' limits as text."""
        item_limits = self.of.limits
        items = {"a number": "numbers", "a text": "texts"}.get(item_limits, f"items, each {item_limits}")
        if isinstance(self.of, Int):
            items = f"numbers from {item_limits}"
        return f"a list of {items}" if self.max_length is None else f"at most {self.max_length} {items}"

    @property
    def max_json(self) -> int:
        """Upper limit, in bytes, of a list as JSON."""
        return (self.of.max_json + 2) * max(1, self.most) + 2

    @property
    def parts(self) -> tuple[ValueType, ...]:
        """The type of the items."""
        return (self.of,)

    @property
    def depth(self) -> int:
        """Levels of nested lists and records, including this list."""
        return super().depth + 1


@dataclass(frozen=True)
class Maybe(ValueType):
    """A value of a type, or nothing: None, and null in JSON.

    Attributes:
        of: Type of the value.
        description: Meaning of the value and of its absence.
    """

    of: ValueType
    description: str = ""

    def __post_init__(self) -> None:
        """Check the type.

        Raises:
            ValueError: It is no type, or is itself a Maybe or a LegalAction.
        """
        if not isinstance(self.of, ValueType) or isinstance(self.of, (Maybe, LegalAction)):
            raise ValueError(f"{self.of!r} can't be missing: Maybe(Int(low, high), description)")

    @cached_property
    def shape(self) -> Shape:
        """The shape of an optional value, with that of the value."""
        return Shape("M", parts=[self.of.shape])

    @property
    def limits(self) -> str:
        """The value's limits as text, "or nothing"."""
        return f"{self.of.limits}, or nothing"

    @property
    def first(self) -> None:
        """None, the default answer."""
        return None

    @property
    def max_json(self) -> int:
        """Upper limit, in bytes, of a value as JSON, at least that of null."""
        return max(4, self.of.max_json)

    @property
    def parts(self) -> tuple[ValueType, ...]:
        """The type of the value."""
        return (self.of,)


class Struct(ValueType):
    """A record of named fields, each of a type: a dict in Python, an object in JSON, a struct in C.

    Args:
        description: What it means.
        fields: The types by name, in the order of the struct's members.

    Raises:
        ValueError: There is no field, a name can't be used in C and Python, or a field has no type or is a LegalAction.
            Or more than four lists and records are nested.
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
        """The shape of a record, with those of its fields."""
        return Shape("R", names=self.fields, parts=[kind.shape for kind in self.fields.values()])

    @property
    def limits(self) -> str:
        """The limits of each field as text."""
        return ", ".join(f"{name}: {kind.limits}" for name, kind in self.fields.items())

    @property
    def first(self) -> dict[str, object]:
        """A new record of the default answers of all fields.

        Raises:
            ValueError: A field is a list or a text, which has none.
        """
        return {name: kind.first for name, kind in self.fields.items()}

    @property
    def max_json(self) -> int:
        """Upper limit, in bytes, of a record as JSON."""
        return sum(len(name) + 6 + kind.max_json for name, kind in self.fields.items()) + 2

    @property
    def parts(self) -> tuple[ValueType, ...]:
        """The types of the fields, in their order."""
        return tuple(self.fields.values())

    @property
    def depth(self) -> int:
        """Levels of nested lists and records, including this record."""
        return super().depth + 1


def usable(name: str) -> bool:
    """Return whether a name can be that of a value in bots of all languages.

    It has at most 41 lower-case letters, digits and underscores, begins with a letter, and is no reserved word.
    """
    return bool(_FIELD.fullmatch(name)) and not keyword.iskeyword(name) and name not in TAKEN


def _check_depth(kind: ValueType) -> None:
    """Check that lists and records aren't nested too deeply.

    Raises:
        ValueError: More than four lists and records hold each other.
    """
    if kind.depth > _MAX_DEPTH:
        raise ValueError(f"lists and records hold each other {kind.depth} deep; at most {_MAX_DEPTH} are possible")


@dataclass(frozen=True)
class LegalAction(ValueType):
    """One of the actions that `play` lists as `legal_actions` in its question. Other answers are faults.

    C bots answer a text by its place in the list, from 0.

    Attributes:
        of: Type of an action.
        max_actions: Greatest number of actions that a question lists, at least 1.
        description: Meaning of the answer.
    """

    of: Int | Text
    max_actions: int
    description: str = ""

    def __post_init__(self) -> None:
        """Check the type and the number of actions.

        Raises:
            ValueError: The actions are neither numbers nor texts, or `max_actions` is below 1.
        """
        if not isinstance(self.of, (Int, Text)) or self.max_actions < 1:
            raise ValueError(
                "legal actions are numbers or texts: LegalAction(Int(low, high), max_actions, description)"
            )

    @property
    def observed(self) -> List:
        """The type of the observed value `legal_actions`, a list of actions."""
        return List(self.of, self.max_actions, "the actions that are legal now")

    @cached_property
    def shape(self) -> Shape:
        """The shape of a single action."""
        return self.of.shape

    @property
    def limits(self) -> str:
        """The legal answers as text."""
        return "one of the legal actions"

    @property
    def max_json(self) -> int:
        """Upper limit, in bytes, of an action as JSON."""
        return self.of.max_json
