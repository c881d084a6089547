"""The terminal form's protocol: lines from a program in, lines to it out, nothing else.

The wording of the lines is that of "Texas Hold'em Training (Terminal I/O
Interactive)"; docs/holdem_training.md says how its open points are read.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable

from engine.game_core import LEG_IS_OVER, RECORDS_ARE_FULL
from engine.holdem_training import BOB_CALLED, BOB_CHECKED, BOB_FOLDED, CHECK, FOLD, HoldemTraining
from engine.rates import RateSampler

RATE_BUDGET = 3_000_000
MOST_LINE_BYTES = 1000

_INTEGER = re.compile(r"-?[0-9]{1,18}")
_VIEW = struct.Struct("<22i")
_BOARD_CARDS = (0, 3, 4, 5)  # by round


class Violation(Exception):
    """The program broke the protocol; the message says how, in the program's terms."""


class Table:
    """A program's seat at a match of `hands` hands, of one session of `core`.

    `start` gives the first lines, `answer` the lines that follow upon one of the
    program's, until `over`. `empty_records` takes the core's rows away when its
    tables are full. Times and processes are somebody else's.
    """

    def __init__(self, core: HoldemTraining, hands: int, rates: RateSampler, empty_records: Callable[[], None]) -> None:
        self._core = core
        self._hands = hands
        self._rates = rates
        self._empty_records = empty_records
        self._budget = RATE_BUDGET
        self._cards: list[int | None] = []
        self._round = 0
        self._stack = 0
        self._total = 0
        self.hands_played = 0
        self.over = False

    @property
    def mean_profit(self) -> float:
        """Of the hands played to their end, in chips; W once the match is over."""
        return self._total / self.hands_played if self.hands_played else 0.0

    def start(self) -> list[str]:
        """The lines with which a match begins."""
        self._play(CHECK)
        return [str(self._hands), *self._state()]

    def answer(self, line: bytes) -> list[str]:
        """The lines that answer one of the program's, given without its end. Raises Violation."""
        words = _words(line)
        match words:
            case ["RATE", count]:
                return [self._rate(_integer(count))]
            case ["ACTION", "CHECK"]:
                return self._act(CHECK)
            case ["ACTION", "FOLD"]:
                return self._act(FOLD)
            case ["ACTION", "RAISE", amount]:
                return self._act(self._raise(_integer(amount)))
        raise Violation(_what_is_wrong(words))

    def _rate(self, samples: int) -> str:
        if samples < 1:
            raise Violation(f"RATE takes at least 1, not {samples}")
        if samples > self._budget:
            raise Violation(f"RATE {samples} is over the budget: {self._budget:,} of {RATE_BUDGET:,} samples are left")
        self._budget -= samples
        wins, ties = self._rates.rates(self._cards, samples)
        return f"RATES {wins / samples:.6f} {ties / samples:.6f}"

    def _raise(self, amount: int) -> int:
        if not 1 <= amount <= self._stack:
            allowed = f"1 to {self._stack}" if self._stack else "nothing, for the stack is empty"
            raise Violation(f"RAISE {amount} is out of range: {allowed}")
        return amount

    def _act(self, action: int) -> list[str]:
        round_before = self._round
        self._play(action)
        replies = {BOB_CHECKED: "OPP CHECK", BOB_CALLED: f"OPP CALL {action}", BOB_FOLDED: "OPP FOLD"}
        reply = replies.get(self._core.bobs_answer)  # none to a fold
        lines = [reply] if reply else []
        if self.over or self._round <= round_before:
            self.hands_played += 1
            self._total += self._core.profit
            lines.append(f"RESULT {self._core.profit}")
        if self.over:
            return [*lines, f"SCORE {self.mean_profit:.6f}"]
        return [*lines, *self._state()]

    def _play(self, action: int) -> None:
        """Have the core play on to the next decision, and note what is to be seen there."""
        while (status := self._core.play(action)) == RECORDS_ARE_FULL:
            self._empty_records()
        self.over = status == LEG_IS_OVER
        if self.over:
            return
        fields = _VIEW.unpack(self._core.pending()[3])
        pairs = zip(fields[0:18:2], fields[1:18:2])
        self._cards = [None if value < 0 else 13 * suit + value - 1 for suit, value in pairs]
        self._round, self._stack = fields[18], fields[19]

    def _state(self) -> list[str]:
        fields = _VIEW.unpack(self._core.pending()[3])
        round_, stack, bobs_stack, pot = fields[18:]
        known = _BOARD_CARDS[round_ - 1]
        board = "".join(f" {number}" for number in fields[8 : 8 + 2 * known])
        return [
            f"STATE {self.hands_played + 1} {round_} {stack} {bobs_stack} {pot} {known}",
            f"ALICE {fields[0]} {fields[1]} {fields[2]} {fields[3]}",
            f"BOARD{board}",
        ]


def shown(text: str) -> str:
    """What a program wrote, as a message may quote it: cut, and without what a terminal would obey."""
    return "".join(c if c.isprintable() else "?" for c in text[:60]) + ("…" if len(text) > 60 else "")


def _words(line: bytes) -> list[str]:
    if len(line) > MOST_LINE_BYTES:
        raise Violation(f"the line is longer than {MOST_LINE_BYTES} bytes")
    try:
        return [word for word in re.split("[ \t]+", line.decode("ascii").removesuffix("\r")) if word]
    except UnicodeDecodeError:
        raise Violation("the line is not plain ASCII") from None


def _integer(word: str) -> int:
    if not _INTEGER.fullmatch(word):
        raise Violation(f"{shown(word)} is not an integer")
    return int(word)


def _what_is_wrong(words: list[str]) -> str:
    match words:
        case []:
            return "the line is empty"
        case ["RATE", *_]:
            return "RATE takes one number"
        case ["ACTION", "RAISE", *_]:
            return "ACTION RAISE takes one number"
        case ["ACTION", "CHECK" | "FOLD" as action, *_]:
            return f"ACTION {action} takes nothing more"
        case ["ACTION", action, *_]:
            return f"{shown(action)} is no action: CHECK, FOLD or RAISE"
        case ["ACTION"]:
            return "ACTION takes CHECK, FOLD or RAISE"
    return f"{shown(words[0])} is no command: RATE or ACTION"
