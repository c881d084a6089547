"""The decisions of one bot in a leg, recorded while the leg is played again."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from tournament.contests.bots import Dialogue
from tournament.contests.interface import Interface
from tournament.contests.questions import view_values
from tournament.keys import helpers_key

Patch = tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint8]]  # indices of bytes that change, and the new bytes

SECONDS_PER_DECISION = 5.0  # processor time after which a bot is ended, more than any decision takes


@dataclass(frozen=True)
class TapedDecision:
    """A decision of the bot, and its answer.

    Attributes:
        session: Number of the session in the leg, from 0.
        game: Number of the game in the session, from 0.
        kind: Number of the decision in the contest's interface.
        values: The observation by name.
        before: Bytes that change in the bot's struct between its last answer and this decision. Empty for a process.
        after: Bytes that the bot changes in its struct. Empty for a process, and without an answer.
        number: The number that it returned. None if it returned none, ended in the decision, or is still to answer.
        answer: The answer as the rules understand it; None if they didn't read one.
        is_fault: Whether the bot was at fault. It then starts again.
    """

    session: int
    game: int
    kind: int
    values: Mapping[str, object]
    before: Patch
    after: Patch
    number: int | None = None
    answer: object = None
    is_fault: bool = False


@dataclass
class DecisionTape:
    """Records the decisions of one seat of a leg, and the lines of its dialogue if its contest has one.

    Attributes:
        interface: The contest's interface.
        seat: The seat, with a number for each bot of a team.
        memory_bytes: Size of the bot's struct, 0 for a process.
        random_seed: The start of the bot's own randomness.
        decisions: The decisions so far, in order. The list grows.
        lines: The dialogue's lines in order: whether the program wrote the line, and the line without its end. The list
            grows, and is empty without a dialogue.
    """

    interface: Interface
    seat: int
    memory_bytes: int
    random_seed: int
    decisions: list[TapedDecision] = field(default_factory=list)
    lines: list[tuple[bool, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._memory = np.zeros(self.memory_bytes, np.uint8)
        self._address = 0

    def record_question(
        self, session: int, game: int, seat: int, kind: int, address: int, values: Mapping[str, object], /
    ) -> None:
        """Record a decision of this seat before its answer. Those of other seats are ignored.

        `ObservedCore` calls this method, `answered` and `failed`.

        Args:
            session: Session of the leg, from 0.
            game: Game of the session, from 0.
            seat: The seat that decides.
            kind: Number of the decision in the contest's interface.
            address: Address of the bot's struct or view.
            values: The observation, for contests whose bots receive values by name. Otherwise it is read from the
                address, which must be valid during this call and that of `answered`.
        """
        if seat != self.seat:
            return
        if not self.interface.by_name:
            values = view_values(self.interface, kind, ctypes.string_at(address, self.interface.view_size))
        self._address = address
        nothing = np.empty(0, np.uint32), np.empty(0, np.uint8)
        self.decisions.append(TapedDecision(session, game, kind, values, self._changes(), nothing))

    def answered(self, seat: int, number: int, value: object, /) -> None:
        """Record the answer to the last decision of this seat. Only the first counts, because the next is a default.

        Args:
            seat: The seat that answered. Others are ignored.
            number: The number that the bot returned.
            value: The answer as the rules understand it, None if they didn't read one.
        """
        if seat == self.seat and self.decisions and self.decisions[-1].number is None:
            self.decisions[-1] = replace(self.decisions[-1], number=number, answer=value, after=self._changes())

    def failed(self, seat: int, /) -> None:
        """Record that this seat's bot was at fault in its last decision. Other seats are ignored.

        A fault before any decision is ignored, too.
        """
        if seat == self.seat and self.decisions:
            self.decisions[-1] = replace(self.decisions[-1], is_fault=True)

    def recorded(self, dialogue: Dialogue, key: bytes) -> Dialogue:
        """Return a dialogue that copies its lines to this tape, or the same dialogue if the key is another seat's.

        Args:
            dialogue: Dialogue of a program of the leg.
            key: Key of the program's helpers, as `helpers_key` returns it.
        """
        return _CopiedDialogue(dialogue, self.lines) if key == helpers_key(self.random_seed) else dialogue

    def _changes(self) -> Patch:
        """Return the bytes of the struct that changed since the last call, in ascending order of their indices.

        The struct was all zeros before the first call.
        """
        now = np.frombuffer(ctypes.string_at(self._address, self.memory_bytes), np.uint8)
        indices = np.flatnonzero(now != self._memory).astype(np.uint32)
        self._memory = now
        return indices, now[indices]


@dataclass(frozen=True)
class _CopiedDialogue:
    """A dialogue that copies its lines to a list.

    Attributes:
        dialogue: The dialogue.
        lines: Receives each line after whether the program wrote it.
    """

    dialogue: Dialogue
    lines: list[tuple[bool, str]]

    def question_lines(self) -> Sequence[str]:
        """Return the lines that ask for the pending decision, and copy them.

        Raises:
            InputError: The contest's own protocol fails.
        """
        return self._copied(self.dialogue.question_lines())

    def read_line(self, line: bytes) -> object:
        """Return what a program's line means: a list of lines in reply, or its answer.

        The line is copied without its end, then the lines of the reply. Bytes that aren't UTF-8 are replaced in the
        copy.

        Raises:
            Violation: The program isn't allowed to write this. The line is copied nevertheless.
            InputError: The contest's own protocol fails.
        """
        self.lines.append((True, line.decode("utf-8", "replace").rstrip("\r\n")))
        reply = self.dialogue.read_line(line)
        return self._copied(reply) if isinstance(reply, list) else reply

    def closing_lines(self) -> Sequence[str]:
        """Return the last lines, and copy them.

        Raises:
            InputError: The contest's own protocol fails.
        """
        return self._copied(self.dialogue.closing_lines())

    def _copied(self, lines: Sequence[str]) -> Sequence[str]:
        """Record lines that the program reads, and return them."""
        self.lines.extend((False, line) for line in lines)
        return lines


def decisions_to_debug(
    decisions: Sequence[TapedDecision], session: int, game: int | None
) -> tuple[list[TapedDecision], int, int]:
    """Return the decisions that a bot needs in order to reach a game, and the start of the game's own.

    They begin with the bot's last start before the game, and end with the game or with the bot's first fault in it.

    Args:
        decisions: All decisions of the bot since the leg began.
        session: Number of the session in the leg.
        game: Number of the game, or None for the complete session.

    Returns:
        The decisions in order, the index of the game's first one among them, and the number of the bot's faults before
        the game. If the bot decides nothing in the game, there are no decisions, and both numbers are 0.
    """
    selected = [number for number, one in enumerate(decisions) if one.session == session and game in (None, one.game)]
    if not selected:
        return [], 0, 0
    faults = [number for number, one in enumerate(decisions[: selected[0]]) if one.is_fault]
    start = faults[-1] + 1 if faults else 0
    end = next((number for number in selected if decisions[number].is_fault), selected[-1])
    return list(decisions[start : end + 1]), selected[0] - start, len(faults)
