"""How a contest's bots are written, and how the engine reaches them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from engine.kernel.game_core import VIEW_LIMIT, GameCore
from engine.wasm.fuel import Fuel
from tournament.decisions.c_adapter import statement_adapter
from tournament.decisions.struct_layout import Layout, is_number, layout_of
from tournament.decisions.value_types import Returns, ValueType

if TYPE_CHECKING:
    from engine.processes.lines import _QuestionShape


@dataclass(frozen=True)
class DecisionSpec:
    """A decision as bots of every language are asked for it.

    Attributes:
        name: Name of the function that answers it.
        observation: The types of what a bot is shown, by name.
        names: Words for some answers, to show them by.
        default: An answer that is legal.
        loses: Whether an illegal answer loses the game instead of being a fault.
        only_tells: Whether it only shows something. The answer doesn't matter, and a program gives none.
        is_optional: Whether a bot needs no function for it.
        catches_up: Whether it is only for processes, and of a Python bot only for its histories.
        answers: The legal answers as text, if there is more to say.
        returns: What a Python bot may return.
        most_json: Bytes of the longest answer as JSON.
        description: What the bot decides, as the contest's author wrote it.
        actions: The whole numbers that can be legal, by the settings, if it isn't `declared` by rules.
        declared: The decision that rules declare.
    """

    name: str
    observation: Mapping[str, ValueType] = field(default_factory=dict)
    names: Mapping[int, str] = field(default_factory=dict)
    default: object = 0
    loses: bool = False
    only_tells: bool = False
    is_optional: bool = False
    catches_up: bool = False
    answers: str = ""
    returns: Returns = "number"
    most_json: int = 0
    description: str = ""
    actions: Callable[[Any], range] | None = None
    declared: Any = None

    @property
    def python_name(self) -> str:
        """The name in snake case, as a Python bot writes it."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", self.name).lower()


class Field(NamedTuple):
    """A value in the struct that a core writes: its name, its struct code (f, d, q or i), and its offset."""

    name: str
    code: str
    offset: int


@dataclass(frozen=True)
class Histories:
    """Lists of a game's moves that a Python bot is shown, the last of each from a field of the view. `lists`: for the
    name of each, the field that has its next value. `length`: the field that has their length."""

    lists: Mapping[str, str]
    length: str


class Helpers(Protocol):
    """A bot's own set of native functions that it may import; `functions` has their C addresses and first arguments."""

    @property
    def functions(self) -> Mapping[str, tuple[int, int]]: ...


class NewHelpers(Protocol):
    """Makes the helpers of one bot. They draw by `key`, and take the bot's fuel if it has any."""

    def __call__(self, key: bytes, *, fuel: Fuel | None = None) -> Helpers: ...


@dataclass(frozen=True)
class Import:
    """A native function that a bot may import from "env", and its WebAssembly types."""

    name: str
    parameters: tuple[str, ...]
    result: str


class Dialogue(Protocol):
    """Talks with a program over a leg, where a decision takes more than one line and its answer."""

    def asked(self) -> Sequence[str]:
        """The lines that ask for the pending decision, and those to be said before."""

    def said(self, line: bytes) -> Any:
        """Return the meaning of a program's line: a list of lines in reply, or its answer to the decision.

        Raises:
            engine.processes.lanes.Violation: The program isn't allowed to write this.
        """

    def ended(self) -> Sequence[str]:
        """The last lines, when the leg is over."""


@dataclass(frozen=True)
class PythonSdk:
    """A module that Python bots may import, by the name of its file.

    Its `for_leg(seed)` gives the names that are new for each leg, its `answering(function)` turns a bot's function into
    one that takes the view and returns a number. It may import these `modules` of the engine.
    """

    file: Path
    modules: tuple[str, ...]


@dataclass(frozen=True)
class CompiledBots:
    """What C and C++ bots are compiled against, and what any WebAssembly bot has in its memory and may import.

    Attributes:
        header: A file of the contest's sdk.
        struct: The header's type that a bot's functions take the address of, "" if they take values one by one.
        struct_size: Bytes of a bot's memory that the core writes to, if they are more than the questions' values take:
            histories follow these, and room for answers.
        hints: Texts of compilers' messages, each with the way out.
        names: What C calls values that have another name elsewhere.
        imports: Functions that bots may import.
        new_helpers: Makes the functions behind `imports`.
    """

    header: str
    struct: str = ""
    struct_size: int = 0
    hints: tuple[tuple[str, str], ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    imports: tuple[Import, ...] = ()
    new_helpers: NewHelpers | None = None


@dataclass(frozen=True)
class PythonBots:
    """What Python bots have besides the questions. They may import the `sdk`, keep state in a list f of `state_size`
    elements, and see the `histories` as lists."""

    sdk: PythonSdk | None = None
    state_size: int = 0
    histories: Histories | None = None


# The kinds of bots that an organiser's file is put before, by its suffix.
ADAPTED: Mapping[str, tuple[str, ...]] = {
    ".py": ("python",),
    ".h": ("c", "cpp"),
    ".c": ("c",),
    ".cpp": ("cpp",),
    ".hpp": ("cpp",),
}


@dataclass(frozen=True)
class Adapter:
    """A file of the organiser's that is put before each bot's of some kinds, for bots written for another interface."""

    name: str
    content: bytes


@dataclass(frozen=True, eq=False)
class Sdk:
    """What bots are written with.

    Attributes:
        folder: The folder of the C header, the adapter and the templates of new bots.
        compiled: What C and C++ bots are compiled with.
        python: What Python bots can use.
        parameters: The values, by decision, that a statement's functions take one by one. A Python bot's function takes
            them behind the object with all values, or alone if they are all.
        show_view: Formats a view that has too many fields to list.
        class_name: Name of the class that a bot in C++ or Python can be, with the decisions as its methods.
        new_dialogue: Makes the dialogue of a program's leg from the core and the key of its helpers, if the program
            isn't asked in lines of JSON. A program that broke off a dialogue gets no other one in that leg.
        name_answer: Formats a refused answer in the rules' words.
    """

    folder: Path
    compiled: CompiledBots
    python: PythonBots = field(default_factory=PythonBots)
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    show_view: Callable[[Mapping[str, float]], str] | None = None
    class_name: str = ""
    new_dialogue: Callable[[GameCore, bytes], Dialogue] | None = None
    name_answer: Callable[[Any], str] = str


@dataclass(frozen=True, eq=False)  # compared by identity: a key of caches
class Interface(Sdk):
    """How the engine reaches a contest's bots.

    Attributes:
        questions: The decisions in the core's order.
        by_name: Whether values come by name, as rules in Python show them, and not in a struct that a core writes.
        adapters: The organiser's, by kind of bot.
        library: The source of the organiser's modules for Python bots, by path.
    """

    questions: tuple[DecisionSpec, ...] = ()
    by_name: bool = False
    adapters: Mapping[str, Adapter] = field(default_factory=dict)
    library: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError for more than the engine has room for."""
        if self.view_size > VIEW_LIMIT:
            raise ValueError(f"the questions' values take {self.view_size} bytes, at most {VIEW_LIMIT} are possible")

    @property
    def answered(self) -> tuple[DecisionSpec, ...]:
        """The questions that a bot has functions for, or can have."""
        return tuple(question for question in self.questions if not question.catches_up)

    @cached_property
    def layout(self) -> Layout:
        """The struct of all questions' values, with a core that writes it."""
        shown: dict[str, ValueType] = {}
        for question in () if self.by_name else self.questions:
            for name, kind in question.observation.items():
                if not is_number(kind) or shown.setdefault(name, kind).code != kind.code:
                    raise ValueError(
                        f"{question.name}: {name} is {kind!r}; expected a number, of the same bytes everywhere"
                    )
        return layout_of(shown)

    @property
    def required(self) -> tuple[DecisionSpec, ...]:
        """The questions that a bot must have functions for."""
        return tuple(question for question in self.answered if not question.is_optional)

    @property
    def optional(self) -> tuple[DecisionSpec, ...]:
        """The questions that a bot can have functions for."""
        return tuple(question for question in self.answered if question.is_optional)

    @cached_property
    def fields(self) -> tuple[tuple[Field, ...], ...]:
        """Of each question its values in the struct."""
        members = self.layout.members
        return tuple(
            tuple(Field(name, _number_code(kind), members[name].slot.value) for name, kind in q.observation.items())
            for q in (() if self.by_name else self.questions)
        )

    @cached_property
    def adapter(self) -> str:
        """What C and C++ bots are joined to the engine with, if that follows from the questions; otherwise "", and the
        sdk has a file."""
        if (self.folder / "adapter.h").exists():
            return ""
        return statement_adapter(
            {name: kind for question in self.questions for name, kind in question.observation.items()},
            {question.name: self.parameters.get(question.name) for question in self.answered},
            frozenset(question.name for question in self.questions if question.only_tells),
            self.compiled.struct,
        )

    @property
    def shapes(self) -> list[_QuestionShape]:
        """The questions as `engine.processes.lines` takes them."""
        fields = self.fields or ((),) * len(self.questions)
        return [(question.only_tells, question.name, its) for question, its in zip(self.questions, fields)]

    @property
    def most_json(self) -> int:
        """Bytes of the longest answer as JSON, 0 where all are whole numbers."""
        return max(question.most_json for question in self.questions)

    @property
    def view_size(self) -> int:
        """Bytes of the struct that a core writes, as its members are aligned."""
        return self.layout.size if self.layout.members else 0

    @property
    def struct_size(self) -> int:
        """Bytes of a bot's memory that the core writes to."""
        return max(self.compiled.struct_size, self.view_size)


def _number_code(kind: ValueType) -> str:
    """Return the struct code of a number: choices and truths are whole numbers."""
    return "i" if kind.code in "cb" else kind.code
