"""A contest's interface to its bots: the questions, and the places of their values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from engine.kernel.game_core import VIEW_LIMIT
from tournament.contests.bots import Adapter, Sdk
from tournament.decisions.c_adapter import statement_adapter
from tournament.decisions.decision import Decision
from tournament.decisions.struct_layout import Layout, compute_layout, is_number
from tournament.decisions.value_types import ValueType

if TYPE_CHECKING:
    from engine.processes.questions import _QuestionShape


# A value in the struct that a core writes: its name, its struct code (f, d, q or i), and its offset.
Field = tuple[str, str, int]


@dataclass(frozen=True, eq=False)  # compared by identity: a key of caches
class Interface(Sdk):
    """The engine's interface to a contest's bots.

    Attributes:
        questions: The decisions in the core's order.
        seating: The types of the seating's values, which each question of rules in Python includes.
        adapters: The organiser's adapters by kind of bot, such as "python".
        library: The source of the organiser's modules for Python bots, by path.
    """

    questions: tuple[Decision, ...] = ()
    seating: Mapping[str, ValueType] = field(default_factory=dict)
    adapters: Mapping[str, Adapter] = field(default_factory=dict)
    library: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check that the engine has room for all questions.

        Raises:
            ValueError: A core's values aren't numbers of the same bytes in all questions, or they take too many bytes.
        """
        if self.view_size > VIEW_LIMIT:
            raise ValueError(f"the questions' values take {self.view_size} bytes, at most {VIEW_LIMIT} are possible")

    @property
    def by_name(self) -> bool:
        """True if bots observe values by name, from rules in Python, and False if a core writes them to a struct."""
        return bool(self.seating)

    def observed(self, question: Decision) -> Mapping[str, ValueType]:
        """Return the types of all that bots observe in a question, by name, the seating first."""
        return {**self.seating, **question.observation}

    @property
    def answered(self) -> tuple[Decision, ...]:
        """The questions for which a bot must or can have functions, in the core's order."""
        past = self.python.histories.past if self.python.histories else ""
        return tuple(question for question in self.questions if question.name != past)

    @property
    def required(self) -> tuple[Decision, ...]:
        """The questions for which a bot must have functions, which are all of a statement's."""
        return tuple(question for question in self.answered if not (self.by_name and question.is_news))

    @property
    def optional(self) -> tuple[Decision, ...]:
        """The questions for which a bot can have functions: the news of rules in Python."""
        return tuple(question for question in self.answered if self.by_name and question.is_news)

    @cached_property
    def layout(self) -> Layout:
        """The struct of all questions' values, with a core that writes it.

        Raises:
            ValueError: A value is no number, or has other bytes in another question.
        """
        fields: dict[str, ValueType] = {}
        for question in () if self.by_name else self.questions:
            for name, kind in question.observation.items():
                if not is_number(kind) or fields.setdefault(name, kind).code != kind.code:
                    raise ValueError(
                        f"{question.name}: {name} is {kind!r}; expected a number, of the same bytes everywhere"
                    )
        return compute_layout(fields)

    @cached_property
    def fields(self) -> tuple[tuple[Field, ...], ...]:
        """The values of each question in the struct: name, struct code and offset in bytes.

        It is empty for rules in Python.
        """
        members = self.layout.members
        return tuple(
            tuple(
                (name, "i" if kind.code in "cb" else kind.code, members[name].slot.value)
                for name, kind in question.observation.items()
            )
            for question in (() if self.by_name else self.questions)
        )

    @cached_property
    def adapter(self) -> str:
        """Source that joins C and C++ bots to the engine, made from the questions, or "" if the sdk has a file."""
        if (self.folder / "adapter.h").exists():
            return ""
        return statement_adapter(
            {name: kind for question in self.questions for name, kind in question.observation.items()},
            {question.name: self.parameters.get(question.name) for question in self.answered},
            frozenset(question.name for question in self.questions if question.is_news),
            self.compiled.struct,
        )

    @property
    def shapes(self) -> list[_QuestionShape]:
        """The questions as `engine.processes.questions` takes them."""
        fields = self.fields or ((),) * len(self.questions)
        return [(question.is_news, question.name, its) for question, its in zip(self.questions, fields)]

    @property
    def most_json(self) -> int:
        """Maximum bytes of an answer as JSON, or 0 if all are integers."""
        return max(question.most_json for question in self.questions)

    @property
    def view_size(self) -> int:
        """Bytes of the struct that a core writes, as its members are aligned. 0 for rules in Python."""
        return self.layout.size if self.layout.members else 0

    @property
    def struct_size(self) -> int:
        """Bytes of a bot's memory that the core writes to."""
        return max(self.compiled.struct_size, self.view_size)
