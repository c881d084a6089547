"""The lines of programs that were written for another protocol, such as Gomocup's engines."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

from engine.kernel.game_core import GameCore
from engine.processes.lanes import Violation
from tournament.errors import InputError, printable, truncate

# The type of `ask`: it yields lines to write, receives a line of the program, and returns its answer.
Talk = Generator[str | Sequence[str] | None, str, Any]
MAX_LINES = 10_000  # a program's lines in a decision, which a worker reads in time that isn't the program's


class Protocol:
    """A dialogue in a contest's own lines. An object of a subclass talks with one program over one leg.

    Questions have an attribute for the decision's name, `decision`, and one for each value that bots observe.
    """

    def ask(self, question: Any) -> Talk:
        """Request a decision, as a generator that yields lines to write and returns the program's answer.

        `line = yield "TURN 3,4"` writes a line, or several if it is a list, and waits for the program's next line.
        `line = yield` waits for another. An exception after a line of the program marks that line as a fault. An
        exception before the first line is a mistake of the protocol, and so is a line that has a line break. A
        program can write at most 10,000 lines for one decision.

        Yields:
            A line to write, a list of lines, or None to write nothing.

        Returns:
            The answer, as the decision's type has it.
        """
        raise NotImplementedError
        yield

    def tell(self, question: Any) -> Sequence[str]:
        """Return the lines that tell news, none of which has a line break. By default there are none."""
        return ()

    def end(self) -> Sequence[str]:
        """Return the last lines, when the leg is over, none of which has a line break. By default there are none."""
        return ()


class ProtocolDialogue:
    """A protocol's talk with a program, as the lanes drive it (`tournament.contests.interface.Dialogue`).

    Args:
        core: Core of the leg, whose pending question is asked.
        kind: Class of the protocol, of which the dialogue makes an object.
        decisions: Name of each decision, and whether it is news, in the order of the core's numbers.

    Raises:
        InputError: The protocol fails, in any method, except while it reads a line of the program.
    """

    def __init__(self, core: GameCore, kind: type[Protocol], decisions: Sequence[tuple[str, bool]]) -> None:
        self._core, self._kind, self._decisions = core, kind, decisions
        self._talk: Talk | None = None
        self._read = 0  # lines of this decision
        with self._failing():
            self._protocol = kind()

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Raise an InputError for any exception within, which is a mistake of the protocol's."""
        try:
            yield
        except Exception as problem:
            raise InputError(f"the protocol {self._kind.__name__} fails: {_error_text(problem)}") from problem

    def question_lines(self) -> Sequence[str]:
        """Return the lines that ask for the pending decision, or tell the pending news. They can be empty.

        Raises:
            InputError: The protocol fails, yields nothing for a decision, or yields something other than lines.
        """
        name, is_news = self._decisions[self._core.pending()[0]]
        question = SimpleNamespace(decision=name, **self._core.observed_values())
        with self._failing():
            if is_news:
                return _as_lines(self._protocol.tell(question))
            self._talk, self._read = self._protocol.ask(question), 0
            try:
                return _as_lines(next(self._talk))
            except StopIteration:
                raise ValueError(f"it asks nothing for {name}") from None

    def read_line(self, line: bytes) -> Any:
        """Return the lines in reply to a program's line as a list, which can be empty, or its answer, which is no list.

        Raises:
            Violation: The protocol doesn't understand the line, or the program wrote too many for one decision.
            InputError: The protocol replies with something other than lines, or its answer can't be shown.
        """
        assert self._talk is not None
        self._read += 1
        if self._read > MAX_LINES:
            raise Violation(f"wrote more than {MAX_LINES} lines for one decision")
        text = line.decode("utf-8", "replace").removesuffix("\r")
        try:
            reply = self._talk.send(text)
        except StopIteration as answered:
            return self._checked(answered.value)
        except Exception as problem:
            raise Violation(f"wrote {truncate(printable(text), 100)!r}: {_error_text(problem)}") from None
        with self._failing():
            return _as_lines(reply)

    def _checked(self, answer: Any) -> Any:
        """Return an answer that can be shown as JSON, with a list as a tuple, because lists are lines.

        Raises:
            InputError: The answer refers to itself, or has keys that JSON can't have.
        """
        with self._failing():
            json.dumps(answer, default=repr)
        return tuple(answer) if isinstance(answer, list) else answer

    def closing_lines(self) -> Sequence[str]:
        """Return the last lines, when the leg is over. They can be empty.

        Raises:
            InputError: The protocol fails, or returns something other than lines.
        """
        with self._failing():
            return _as_lines(self._protocol.end())


def _as_lines(given: str | Sequence[str] | None) -> list[str]:
    """Return lines to write as a list, which is empty for None.

    Raises:
        ValueError: One isn't text, or has a line break.
    """
    lines = [given] if isinstance(given, str) else list(given or ())
    for line in lines:
        if not isinstance(line, str) or "\n" in line:
            raise ValueError(f"{truncate(repr(line), 100)} is no line; expected text without a line break")
    return lines


def _error_text(problem: Exception) -> str:
    """Return an exception's type and message as text. The message is cut at 200 characters."""
    return f"{type(problem).__name__}: {truncate(printable(str(problem)), 200)}"
