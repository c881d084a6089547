"""The lines of programs that were written for another protocol, such as Gomocup's engines."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from types import SimpleNamespace
from typing import Any

from engine.kernel.game_core import GameCore
from engine.processes.lanes import Violation
from tournament.errors import InputError, printable, truncate

# What `ask` yields, is sent, and returns: lines to write, a line of the program's, its answer.
Talk = Generator[str | Sequence[str] | None, str, Any]


class Protocol:
    """How programs are asked in lines of their own: an object of a subclass talks with one program over one leg.

    Questions have `decision`, the decision's name, and the values that bots observe, by name.
    """

    def ask(self, question: Any) -> Talk:
        """Ask for a decision: a generator that yields lines to write, and returns the program's answer.

        `line = yield "TURN 3,4"` writes a line, or several if it is a list, and waits for the program's next line.
        `line = yield` waits for another. Any exception says that the program's line is wrong, which is a fault.
        """
        raise NotImplementedError
        yield

    def tell(self, question: Any) -> Sequence[str]:
        """Return the lines that tell news."""
        return ()

    def end(self) -> Sequence[str]:
        """Return the last lines, when the leg is over."""
        return ()


class ProtocolDialogue:
    """A protocol's talk with a program, as the lanes drive it (`tournament.contests.interface.Dialogue`)."""

    def __init__(self, core: GameCore, protocol: Protocol, decisions: Sequence[tuple[str, bool]]) -> None:
        self._core, self._protocol, self._decisions = core, protocol, decisions
        self._talk: Talk | None = None

    def asked(self) -> Sequence[str]:
        """Return the lines that ask for the pending decision, or tell the pending news.

        Raises:
            InputError: The protocol fails, or asks nothing.
        """
        name, only_tells = self._decisions[self._core.pending()[0]]
        question = SimpleNamespace(decision=name, **self._core.told_values())
        try:
            if only_tells:
                return _lines(self._protocol.tell(question))
            self._talk = self._protocol.ask(question)
            return _lines(next(self._talk))
        except StopIteration:
            raise InputError(f"the protocol {type(self._protocol).__name__} asks nothing for {name}") from None
        except Exception as problem:
            raise InputError(f"the protocol {type(self._protocol).__name__} fails: {_told(problem)}") from problem

    def said(self, line: bytes) -> Any:
        """Return the lines in reply to a program's line as a list, or its answer.

        Raises:
            Violation: The line is none that the protocol understands.
        """
        assert self._talk is not None
        text = line.decode("utf-8", "replace").removesuffix("\r")
        try:
            return _lines(self._talk.send(text))
        except StopIteration as answered:
            return answered.value
        except Exception as problem:
            raise Violation(f"wrote {truncate(printable(text), 100)!r}: {_told(problem)}") from None

    def ended(self) -> Sequence[str]:
        """Return the last lines."""
        return _lines(self._protocol.end())


def _lines(given: str | Sequence[str] | None) -> list[str]:
    return [given] if isinstance(given, str) else list(given or ())


def _told(problem: Exception) -> str:
    return f"{type(problem).__name__}: {truncate(printable(str(problem)), 200)}"
