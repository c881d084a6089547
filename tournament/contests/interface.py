"""How a contest's bots are written, and how the engine reaches them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from engine.kernel.game_core import ARGUMENT_LIMIT, VIEW_LIMIT, GameCore
from engine.wasm.fuel import Fuel

if TYPE_CHECKING:
    from engine.processes.lines import _QuestionShape


# What a Python bot returns: a whole number; that or a name; any value; any value, or None.
Returns = Literal["number", "name", "value", "optional"]


@dataclass(frozen=True)
class DecisionSpec:
    """A decision as bots of every language are asked for it.

    `parameters` and `result` are the WebAssembly types of the function of that name, each a tuple of those accepted.
    `arguments` names what it is passed after the bot, `extremes` has values at their limits to try bots with.
    Where it `only_tells` something, the answer doesn't matter, and a program gives none; if it `is_optional`, a bot
    needs no function for it. `answers` says in words which
    ones are legal, if there is more to say; `names` has words for some, to show them by, and `default` is one that is
    legal; any other `loses` the game, or is a fault. A bot `returns` a whole number; or that or a name; or any value: a
    text, a list, a dict, which takes at most `most_json` bytes as JSON. One that `catches_up` is only for processes,
    and of a Python bot only for its histories. `observes`: the names of its own values, where they aren't those of the
    view.
    `description`: what the bot decides, as the contest's author wrote it. `actions`: the whole numbers that can be
    legal, by the settings, where it isn't `declared` by rules.
    """

    name: str
    parameters: tuple[tuple[str, ...], ...] = (("i32",),)
    result: tuple[str, ...] = ("i32",)
    arguments: tuple[str, ...] = ()
    extremes: tuple[tuple[int, ...], ...] = ()
    names: Mapping[int, str] = field(default_factory=dict)
    default: object = 0
    loses: bool = False
    only_tells: bool = False
    is_optional: bool = False
    catches_up: bool = False
    answers: str = ""
    returns: Returns = "number"
    most_json: int = 0
    observes: tuple[str, ...] | None = None
    description: str = ""
    actions: Callable[[Any], range] | None = None
    declared: Any = None

    @property
    def python_name(self) -> str:
        """The name in snake case, as a Python bot writes it."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", self.name).lower()


@dataclass(frozen=True)
class ViewField:
    """A value in the view that the core writes: its name, where it lies, and its struct code (f, d, q or i).
    `extremes`: values at and between its limits, to try bots with."""

    name: str
    offset: int
    code: str
    extremes: tuple[float, ...] = ()


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
    """Makes the helpers of one bot. They draw by `key`, and take the bot's fuel."""

    def __call__(self, key: bytes, *, fuel: Fuel) -> Helpers: ...


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

    `header` is a file of the contest's sdk. A bot's struct takes `struct_size` bytes of its memory, and the view that
    the core writes lies `view_offset` bytes into it; others' moves follow the view, if the core writes them there.
    With `struct_size` 0 there is no struct: a bot is told arguments only. `names` are those that C has for values that
    are called otherwise elsewhere. `hints` pair a text in a
    compiler's message with the way out. `new_helpers` makes the functions behind `imports`.
    """

    header: str
    struct_size: int = 0
    view_offset: int = 0
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
        view: The fields that the core writes before every decision.
        show_view: Formats a view that has too many fields to list.
        class_name: Name of the class that a bot in C++ or Python can be, with the decisions as its methods.
        new_dialogue: Makes the dialogue of a program's leg from the core and the key of its helpers, if the program
            isn't asked in lines of JSON. A program that broke off a dialogue gets no other one in that leg.
        name_answer: Formats a refused answer in the rules' words.
    """

    folder: Path
    compiled: CompiledBots
    python: PythonBots = field(default_factory=PythonBots)
    view: tuple[ViewField, ...] = ()
    show_view: Callable[[Mapping[str, float]], str] | None = None
    class_name: str = ""
    new_dialogue: Callable[[GameCore, bytes], Dialogue] | None = None
    name_answer: Callable[[Any], str] = str


@dataclass(frozen=True, eq=False)  # compared by identity: a key of caches
class Interface(Sdk):
    """How the engine reaches a contest's bots: the SDK, and the decisions as `questions` in the core's order.

    `adapters`: the organiser's, by kind of bot. `library`: the source of the organiser's modules for Python bots, by
    path.
    """

    questions: tuple[DecisionSpec, ...] = ()
    adapters: Mapping[str, Adapter] = field(default_factory=dict)
    library: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError for more than the engine has room for."""
        for question in self.questions:
            if len(question.arguments) > ARGUMENT_LIMIT:
                raise ValueError(
                    f"{question.name} has {len(question.arguments)} arguments, at most {ARGUMENT_LIMIT} are possible"
                )
        if self.view_size > VIEW_LIMIT:
            raise ValueError(f"the view has {self.view_size} bytes, at most {VIEW_LIMIT} are possible")

    @property
    def answered(self) -> tuple[DecisionSpec, ...]:
        """The questions that a bot has functions for, or can have."""
        return tuple(question for question in self.questions if not question.catches_up)

    @property
    def required(self) -> tuple[DecisionSpec, ...]:
        """The questions that a bot must have functions for."""
        return tuple(question for question in self.answered if not question.is_optional)

    @property
    def optional(self) -> tuple[DecisionSpec, ...]:
        """The questions that a bot can have functions for."""
        return tuple(question for question in self.answered if question.is_optional)

    @property
    def passes_address(self) -> bool:
        """Whether the first parameter of every function is the address of the bot's struct."""
        return self.compiled.struct_size > 0

    @property
    def by_name(self) -> bool:
        """Whether decisions show values by name."""
        return any(question.observes is not None for question in self.questions)

    @property
    def told(self) -> tuple[tuple[str, ...], ...]:
        """For each question the names of all that a bot is told."""
        names = tuple(field.name for field in self.view)
        return tuple(
            (*names, *question.arguments) if question.observes is None else question.observes
            for question in self.questions
        )

    @property
    def shapes(self) -> list[_QuestionShape]:
        """The questions as `engine.processes.lines` takes them."""
        fields = [(field.name, field.code, field.offset) for field in self.view]
        return [(question.only_tells, question.name, fields, question.arguments) for question in self.questions]

    @property
    def most_json(self) -> int:
        """Bytes of the longest answer as JSON, 0 where all are whole numbers."""
        return max(question.most_json for question in self.questions)

    @property
    def view_size(self) -> int:
        """Bytes of the view."""
        sizes = {"f": 4, "i": 4, "d": 8, "q": 8}
        return max((field.offset + sizes[field.code] for field in self.view), default=0)

    @cached_property
    def most_arguments(self) -> int:
        """Arguments of the question that has most, the bot's address aside."""
        return max(len(question.parameters) for question in self.questions) - self.passes_address
