"""SDKs: the headers, modules and helpers with which a contest's bots are written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from engine.kernel.game_core import GameCore


@dataclass(frozen=True)
class Histories:
    """Lists of a game's moves that a Python bot observes, each move sent once.

    Attributes:
        lists: For the name of each list, the value that has its next move.
        length: The value that has their length.
        past: The news by which a process that was started again catches up: no bot has a function for it.
    """

    lists: Mapping[str, str]
    length: str
    past: str


class Helpers(Protocol):
    """A bot's own set of native functions that it can import."""

    @property
    def functions(self) -> Mapping[str, tuple[int, int]]:
        """C address and first argument of each function, by name."""


# Makes the helpers of one bot, called with `key` and, by name, `fuel`. They draw by the key, and take the bot's fuel if
# it has any.
NewHelpers = Callable[..., Helpers]


@dataclass(frozen=True)
class Import:
    """A native function that a bot can import from "env", and its WebAssembly types, such as "i64"."""

    name: str
    parameters: tuple[str, ...]
    result: str


class Dialogue(Protocol):
    """Talks with a program over a leg, where a decision takes more than one line and its answer."""

    def question_lines(self) -> Sequence[str]:
        """Return the lines that ask for the pending decision, preceded by those that are due before it.

        Raises:
            InputError: The contest's own protocol fails.
        """

    def read_line(self, line: bytes) -> Any:
        """Return the meaning of a program's line: a list of lines in reply, or its answer to the decision.

        Raises:
            engine.processes.lanes.Violation: The program isn't allowed to write this.
            InputError: The contest's own protocol fails.
        """

    def closing_lines(self) -> Sequence[str]:
        """Return the last lines, when the leg is over.

        Raises:
            InputError: The contest's own protocol fails.
        """


@dataclass(frozen=True)
class PythonSdk:
    """A module that Python bots can import, by the name of its file without ".py".

    Its function `for_leg(seed)` returns the names that are new for each leg. Its function `answering(function)` makes
    a function that takes the view and returns a number from one of a bot's.

    Attributes:
        file: Path of the module.
        modules: The engine's modules that it can import.
    """

    file: Path
    modules: tuple[str, ...]


@dataclass(frozen=True)
class CompiledBots:
    """The header, imports and memory layout of WebAssembly bots.

    Attributes:
        header: A file of the contest's sdk.
        struct: Type of the header whose address a bot's functions take, "" if they take values one by one.
        struct_size: Bytes of a bot's memory that the core writes to, if they are more than the questions' values take.
            Histories follow these values, and memory for answers.
        hints: Texts of compilers' messages, each with its fix.
        names: Names in C of values that have another name elsewhere, by that name.
        imports: Functions that bots can import.
        new_helpers: Makes the functions behind `imports`; None if there are none.
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
    """The parts of Python bots' interface besides questions.

    Attributes:
        sdk: The module that they can import; None for none.
        state_size: Length of the list `f`, 0 for none.
        histories: The lists of moves that they observe; None for none.
    """

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
    """Files and functions that bots are written with.

    Attributes:
        folder: The folder of the C header, the adapter and the templates of new bots.
        compiled: The interface of C and C++ bots.
        python: The interface of Python bots.
        parameters: The values, by decision, that a statement's functions take one by one. A Python bot's function takes
            them after the object with all values, or alone if they are all.
        show_view: Formats a view that has too many fields to list, given the values by name. None: they are listed.
        class_name: Name of the class that a bot in C++ or Python can be, with the decisions as its methods. "": none is
            fixed.
        new_dialogue: Makes the dialogue of a program's leg from the core and the key of its helpers. None if programs
            receive lines of JSON. A program that broke off a dialogue gets no other one in that leg.
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
