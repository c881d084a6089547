"""The terminal form's protocol of lines from and to a program.

The wording of the lines is that of "Texas Hold'em Training (Terminal I/O
Interactive)". docs/reference/holdem_training.md lists the readings of its open points.
"""

from __future__ import annotations

import re
import struct

from engine.games.holdem_training.core import BOB_CALLED, BOB_CHECKED, BOB_FOLDED, CHECK, FOLD, HoldemTraining
from engine.games.holdem_training.rates import RateSampler
from engine.processes.lanes import Violation
from engine.processes.lines import MAX_LINE_BYTES

RATE_BUDGET = 3_000_000  # samples in a leg, as the statement has it

_INTEGER = re.compile(r"-?[0-9]{1,18}")
_VIEW = struct.Struct("<22i")
_BOARD_CARDS = (0, 3, 4, 5)  # number in each round


class _Wrong(Exception):
    """Raised for a malformed or forbidden line. The message names the fault."""


class Dialogue:
    """Writes the lines for a program that plays a leg, and parses the program's lines. The caller plays the core.

    Hands and budget are counted by the calls. So call `question_lines` once for each decision, `closing_lines` once at
    the end, and `read_line` once for each line.

    Attributes:
        hands_played: Number of hands played to their end whose outcome was written.

    Args:
        core: The core of the leg, which is read here and stepped by the caller.
        rates: Answers the program's questions about rates.
    """

    def __init__(self, core: HoldemTraining, rates: RateSampler) -> None:
        self._core = core
        self._rates = rates
        self._budget = RATE_BUDGET
        self._action: int | None = None
        self._cards: list[int | None] = []
        self._round = 0
        self._stack = 0
        self._total = 0
        self.hands_played = 0

    @property
    def mean_profit(self) -> float:
        """Mean profit in chips of the hands played to their end, which is W once the leg is over. 0 without a hand."""
        return self._total / self.hands_played if self.hands_played else 0.0

    def question_lines(self) -> list[str]:
        """Return the outcome of the last action, or the number of hands at the start, and the pending decision.

        An outcome is Bob's reply, and the hand's profit if the hand has ended. The hand is then counted. The lines of
        the decision are STATE, ALICE and BOARD, in this order.
        """
        fields = _VIEW.unpack(self._core.pending()[2])
        round_, stack, bobs_stack, pot = fields[18:]
        lines = self._outcome(hand_has_ended=round_ <= self._round)
        pairs = zip(fields[0:18:2], fields[1:18:2])
        self._cards = [None if value < 0 else 13 * suit + value - 1 for suit, value in pairs]
        self._round, self._stack = round_, stack
        board_count = _BOARD_CARDS[round_ - 1]
        board = "".join(f" {number}" for number in fields[8 : 8 + 2 * board_count])
        return [
            *lines,
            f"STATE {self.hands_played + 1} {round_} {stack} {bobs_stack} {pot} {board_count}",
            f"ALICE {fields[0]} {fields[1]} {fields[2]} {fields[3]}",
            f"BOARD{board}",
        ]

    def read_line(self, line: bytes) -> list[str] | int:
        """Parse a program's line, and return the reply to a RATE, or an action for the core.

        A RATE takes its samples from the budget of the leg, 3,000,000 samples.

        Args:
            line: The line without its end. A carriage return there is ignored.

        Returns:
            The reply as a list of one line. Or the action: the chips of a raise, 0 for a check, -1 for a fold.

        Raises:
            Violation: The line is longer than the maximum, isn't ASCII, or is none of the commands. Or a raise is below
                1 or above the stack, or a RATE is below 1 or above the rest of the budget.
        """
        try:
            return self._meaning(_split_fields(line))
        except _Wrong as problem:
            raise Violation(f'{problem}: "{_excerpt(line.decode("ascii", "backslashreplace"))}"') from None

    def closing_lines(self) -> list[str]:
        """Return the outcome of the last action, which ended a hand, and the score W. The hand is counted."""
        return [*self._outcome(hand_has_ended=True), f"SCORE {self.mean_profit:.6f}"]

    def _outcome(self, hand_has_ended: bool) -> list[str]:
        """Return lines with Bob's reply, if Alice didn't fold, and the profit of the hand if it has ended.

        The profit is then added to the total, and the hand counted. Before the first action, the number of hands is
        returned instead.
        """
        if self._action is None:
            return [str(self._core.hands)]
        replies = {BOB_CHECKED: "OPP CHECK", BOB_CALLED: f"OPP CALL {self._action}", BOB_FOLDED: "OPP FOLD"}
        reply = replies.get(self._core.bobs_answer)  # none to a fold
        lines = [reply] if reply else []
        if hand_has_ended:
            self.hands_played += 1
            self._total += self._core.profit
            lines.append(f"RESULT {self._core.profit}")
        return lines

    def _meaning(self, fields: list[str]) -> list[str] | int:
        """Return the reply to a RATE, or an action for the core, which is kept for the next outcome.

        Args:
            fields: Words of the line.

        Raises:
            _Wrong: The line is malformed or not allowed.
        """
        match fields:
            case ["RATE", count]:
                return [self._rate(_integer(count))]
            case ["ACTION", "CHECK"]:
                self._action = CHECK
            case ["ACTION", "FOLD"]:
                self._action = FOLD
            case ["ACTION", "RAISE", amount]:
                self._action = self._raise(_integer(amount))
            case _:
                raise _Wrong(_explain_error(fields))
        return self._action

    def _rate(self, samples: int) -> str:
        """Return the shares of wins and ties in this many samples, as a line, and take the samples from the budget.

        Raises:
            _Wrong: The number is below 1 or above the rest of the budget.
        """
        if samples < 1:
            raise _Wrong(f"RATE takes at least 1, not {samples}")
        if samples > self._budget:
            raise _Wrong(f"RATE {samples} is over the budget: {self._budget:,} of {RATE_BUDGET:,} samples are left")
        self._budget -= samples
        wins, ties = self._rates.rates(self._cards, samples)
        return f"RATES {wins / samples:.6f} {ties / samples:.6f}"

    def _raise(self, amount: int) -> int:
        """Return the amount of a raise.

        Raises:
            _Wrong: The amount is below 1 or above the stack.
        """
        if not 1 <= amount <= self._stack:
            allowed = f"1 to {self._stack}" if self._stack else "nothing, for the stack is empty"
            raise _Wrong(f"RAISE {amount} is out of range: {allowed}")
        return amount


def _excerpt(text: str) -> str:
    """Return text of a program for a message, cut to 60 characters, with "?" for characters that aren't printable."""
    return "".join(c if c.isprintable() else "?" for c in text[:60]) + ("…" if len(text) > 60 else "")


def _split_fields(line: bytes) -> list[str]:
    """Return a line's words, which spaces and tabs separate. An empty line has none.

    Raises:
        _Wrong: The line is too long, or isn't ASCII.
    """
    if len(line) > MAX_LINE_BYTES:
        raise _Wrong(f"the line is longer than {MAX_LINE_BYTES} bytes")
    try:
        return [word for word in re.split("[ \t]+", line.decode("ascii").removesuffix("\r")) if word]
    except UnicodeDecodeError:
        raise _Wrong("the line is not plain ASCII") from None


def _integer(text: str) -> int:
    """Return the integer that a text represents.

    Raises:
        _Wrong: The text isn't an optional minus sign and 1 to 18 digits.
    """
    if not _INTEGER.fullmatch(text):
        raise _Wrong(f"{_excerpt(text)} is not an integer")
    return int(text)


def _explain_error(fields: list[str]) -> str:
    """Return the fault of a line that is none of the commands."""
    match fields:
        case []:
            return "the line is empty"
        case ["RATE", *_]:
            return "RATE takes one number"
        case ["ACTION", "RAISE", *_]:
            return "ACTION RAISE takes one number"
        case ["ACTION", "CHECK" | "FOLD" as action, *_]:
            return f"ACTION {action} takes nothing more"
        case ["ACTION", action, *_]:
            return f"{_excerpt(action)} is no action: CHECK, FOLD or RAISE"
        case ["ACTION"]:
            return "ACTION takes CHECK, FOLD or RAISE"
    return f"{_excerpt(fields[0])} is no command: RATE or ACTION"
