"""How rules declare their decisions: what a bot observes, and what it may answer."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from typing import Literal

from engine.rules import decisions
from engine.rules.decisions import LEGAL_ACTIONS, MOST_ANSWER_BYTES, SEATING
from tournament.rules.value_types import Choice, LegalAction, List, Text, ValueType

_NUMBER_BYTES = 26  # of a number in JSON
# Names that a value can't have: it is also a member of a C struct, and of a JSON object.
_TAKEN = frozenset(
    """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    bool true false alignas alignof asm new delete this class template operator private public protected virtual
    f field_names decision
    """.split()  # noqa: SIM905  # read as words
)


class Decision(decisions.Decision):
    """A decision that bots make in a function, or a method, of this name.

    `play` yields a question: the decision called with a position and the observation, and with `legal_actions` if the
    answer is a LegalAction. Bots observe `seat`, `seats` and `players` in every decision.

    Args:
        name: Name of the function that a bot defines.
        description: What the bot decides, for templates and pages.
        observation: The values that a bot observes, by name, each with its type.
        answer: The type of the answer; any other answer is illegal.
        default: The answer that counts at a fault. Without it the first legal action, the lowest number or the first
            choice counts; lists and texts need one.
        illegal: "fault" makes an illegal answer a fault. With "loses", `play` gets it as an `Illegal`, and records a
            game in which the position has fewer points than the others.

    Raises:
        ValueError: A name can't be used in a bot, or a type can't be an answer's.
    """

    def __init__(
        self,
        name: str,
        description: str,
        *,
        observation: Mapping[str, ValueType],
        answer: ValueType,
        default: object = None,
        illegal: Literal["fault", "loses"] = "fault",
    ) -> None:
        if illegal not in ("fault", "loses"):
            raise ValueError(f"{name}: illegal is {illegal!r}; expected fault or loses")
        for called in (name, *observation):
            if not re.fullmatch("[a-z][a-z0-9_]{0,40}", called) or keyword.iskeyword(called) or called in _TAKEN:
                raise ValueError(f"{called} can't name a value or a decision: bots are to use it in C and Python")
        if taken := [called for called in observation if called in SEATING]:
            raise ValueError(f"{name}: every bot observes {taken[0]} already; leave it out")
        for called, kind in {**observation, "the answer": answer}.items():
            if not isinstance(kind, ValueType):
                raise ValueError(f"{name}: {called} is {kind!r}; expected a type, such as Int(low, high)")
        observed = dict(observation)
        if LEGAL_ACTIONS in observed:
            raise ValueError(
                f"{name}: {LEGAL_ACTIONS} are observed with answer=LegalAction(Int(low, high), max_actions)"
            )
        _check_answer(name, answer)
        if isinstance(answer, LegalAction):
            observed[LEGAL_ACTIONS] = answer.observed
        elif default is None:
            default = _first_of(name, answer)
        try:
            super().__init__(
                name,
                [(value, *kind.spec) for value, kind in observed.items()],
                answer=answer.spec,
                default=default,
                loses=illegal == "loses",
            )
        except ValueError as wrong:
            raise ValueError(f"{name}: the default answer {default!r} is wrong: {wrong}") from None
        self.description = description
        self.observation = observed
        self.answer = answer

    @property
    def has_legal_actions(self) -> bool:
        """Whether it lists which answers are legal this time, the others being illegal."""
        return isinstance(self.answer, LegalAction)

    @property
    def returns(self) -> Literal["number", "name", "value"]:
        """What a Python bot may return, as `tournament.contests.interface.DecisionSpec` has it."""
        if isinstance(self.answer, Choice) or (
            isinstance(self.answer, LegalAction) and isinstance(self.answer.of, Text)
        ):
            return "name"
        return "number" if self.takes_numbers else "value"

    @property
    def most_json(self) -> int:
        """Bytes of the longest answer as JSON, 0 for whole numbers."""
        if self.returns == "number":
            return 0
        kind = self.answer.of if isinstance(self.answer, (List, LegalAction)) else self.answer
        if isinstance(kind, Text):
            one = 6 * (MOST_ANSWER_BYTES if kind.max_length is None else kind.max_length)
        else:
            one = max(map(len, kind.names)) if isinstance(kind, Choice) else _NUMBER_BYTES
        return (one + 4) * (max(1, self.answer.most) if isinstance(self.answer, List) else 1) + 64

    @property
    def answers(self) -> str:
        """Its legal answers as text."""
        return self.answer.limits + "; any other answer loses the game" * self.loses

    @property
    def in_words(self) -> str:
        """What the bot decides, and what its answer means."""
        parts = [self.description, self.answer.description]
        return ": ".join(filter(None, (part.rstrip(".") for part in parts)))


def _check_answer(name: str, answer: ValueType) -> None:
    """Raise ValueError for a type whose values can't be answered."""
    if isinstance(answer, Text) and answer.max_length is None:
        raise ValueError(f"{name}: an answer that is a text has a greatest length: Text(max_length)")
    if isinstance(answer, List) and (isinstance(answer.of, Text) or answer.max_length is None):
        raise ValueError(f"{name}: an answer can't be a list of texts")


def _first_of(name: str, answer: ValueType) -> object:
    """The answer that counts where no default is declared."""
    if isinstance(answer, (List, Text)):
        raise ValueError(f"{name}: an answer that is a list or a text needs default=")
    return answer.names[0] if isinstance(answer, Choice) else answer.spec[1]
