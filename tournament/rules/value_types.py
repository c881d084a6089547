"""Types of the values that bots observe and answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_SHORT = range(-(2**31), 2**31)
_LONGEST_LIST_OF_TEXTS = 1 << 20
_MOST_CHOICES = 1 << 16

# A type as `engine.rules.decisions` takes it: code, lowest, highest, a list's greatest length, names of choices.
Spec = tuple[str, int, int, int, tuple[str, ...] | None]


class ValueType:
    """Base of the types; `description` says what a value of it means."""

    description: str

    @property
    def spec(self) -> Spec:
        """It as the engine has it: a code, the limits, the longest list or -1, and the names of choices."""
        raise NotImplementedError

    @property
    def limits(self) -> str:
        """Its values as text."""
        raise NotImplementedError


@dataclass(frozen=True)
class Int(ValueType):
    """A whole number from `low` to `high`."""

    low: int
    high: int
    description: str = ""

    def __post_init__(self) -> None:
        """Raise ValueError for impossible limits, as the other types do."""
        if self.low > self.high:
            raise ValueError(
                f"the lowest number, {self.low}, is above the highest, {self.high}: Int(low, high, description)"
            )

    @property
    def spec(self) -> Spec:
        """How the core keeps a value: its letter, limits, length and names."""
        return "i" if self.low in _SHORT and self.high in _SHORT else "q", self.low, self.high, -1, None

    @property
    def limits(self) -> str:
        return f"{self.low} to {self.high}"


@dataclass(frozen=True)
class Float(ValueType):
    """A finite number."""

    description: str = ""

    @property
    def spec(self) -> Spec:
        """How the core keeps a value: its letter, limits, length and names."""
        return "d", 0, 0, -1, None

    @property
    def limits(self) -> str:
        return "a number"


@dataclass(frozen=True)
class Text(ValueType):
    """A text of at most `max_length` bytes of UTF-8, without 0 bytes. C bots don't observe texts."""

    max_length: int | None = None
    description: str = ""

    @property
    def spec(self) -> Spec:
        """How the core keeps a value: its letter, limits, length and names."""
        return "s", 0, self.max_length or 0, -1, None

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
        if not 0 < len(self.names) <= _MOST_CHOICES or len(set(self.constants)) < len(self.names):
            raise ValueError(f"a choice is among 1 to {_MOST_CHOICES} different names")
        for name in self.names:
            if not re.fullmatch(r"[A-Za-z][\w -]*", name, re.ASCII):
                raise ValueError(
                    f"{name!r} can't name a choice: expected a letter, then letters, digits, _, - or blanks"
                )

    @property
    def constants(self) -> list[str]:
        """What C bots call them."""
        return [re.sub(r"\W", "_", name, flags=re.ASCII).upper() for name in self.names]

    @property
    def spec(self) -> Spec:
        """How the core keeps a value: its letter, limits, length and names."""
        return "c", 0, len(self.names) - 1, -1, tuple(self.names)

    @property
    def limits(self) -> str:
        return f"one of {', '.join(self.names)}"


@dataclass(frozen=True)
class List(ValueType):
    """A list of at most `max_length` values of a type."""

    of: Int | Float | Text | Choice
    max_length: int | None = None
    description: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.of, (Int, Float, Text, Choice)):
            raise ValueError(f"a list can't have items of {self.of!r}: List(Int(low, high), max_length, description)")
        if self.max_length is None and not isinstance(self.of, Text):
            raise ValueError("a list has a greatest length: List(Int(low, high), max_length, description)")
        if self.max_length is not None and self.max_length < 0:
            raise ValueError(f"a list can't have at most {self.max_length} items")

    @property
    def most(self) -> int:
        """The greatest length."""
        return _LONGEST_LIST_OF_TEXTS if self.max_length is None else self.max_length

    @property
    def spec(self) -> Spec:
        """How the core keeps a value: its letter, limits, length and names."""
        code, low, high, _, names = self.of.spec
        return code, low, high, self.most, names

    @property
    def limits(self) -> str:
        one = self.of.limits
        items = {"a number": "numbers", "a text": "texts"}.get(one, f"items, each {one}")
        if isinstance(self.of, Int):
            items = f"numbers from {one}"
        return f"a list of {items}" if self.max_length is None else f"at most {self.max_length} {items}"


@dataclass(frozen=True)
class LegalAction(ValueType):
    """One of the actions that `play` lists as `legal_actions` when it asks, at most `max_actions`; any other answer is
    a fault. C bots answer a text by its place in the list."""

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

    @property
    def spec(self) -> Spec:
        """How the core keeps a value: its letter, limits, length and names."""
        return self.of.spec

    @property
    def limits(self) -> str:
        return "one of the legal actions"
