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
    """A bot's own set of native functions that it may import; `functions` has their C addresses and first arguments."""

    @property
    def functions(self) -> Mapping[str, tuple[int, int]]: ...


# Makes the helpers of one bot, called with `key` and, by name, `fuel`: they draw by the key, and take the fuel if the
# bot has any.
NewHelpers = Callable[..., Helpers]


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
