"""Declarations of a contest's decisions: the values that a bot observes, and its legal answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Literal

from engine.rules import decisions
from engine.rules.decisions import LEGAL_ACTIONS, SEATING
from engine.rules.shapes import Shape
from tournament.decisions.struct_layout import answer_layout
from tournament.decisions.value_types import Choice, Int, LegalAction, List, Maybe, Returns, Text, ValueType, usable


class Decision(decisions.Decision):
    """A decision that bots make in a function, or a method, of this name.

    `play` yields a question: the decision called with a position and the observation, and with `legal_actions` if the
    answer is a LegalAction. Bots observe `seat`, `seats` and `players` in every decision.

    Args:
        name: Name of the function that a bot defines.
        description: What the bot decides, for templates and pages.
        observation: The values that a bot observes, by name, each with its type.
        answer: The type of the answer; any other answer is illegal. None: it is news (`News`).
        default: The answer that counts at a fault. None: the first legal action counts, or the first choice, the
            lowest whole number, the number nearest to 0, false, or nothing. Lists and texts need one.
        illegal: "fault" makes an illegal answer a fault. With "loses", `play` gets it as an `Illegal`, and records a
            game in which the position has fewer points than the others.
        names: Words for some answers that are numbers, to show them by; None: no words.

    Raises:
        ValueError: A name can't be used in a bot, or is one of `seat`, `seats`, `players`, `legal_actions` and
            `answer`. Or a value has no type, a type can't be an answer's, an answer takes too many bytes, `illegal` is
            another word, or the default is missing or illegal.

    Attributes:
        python_name: Name of the function in Python bots, in lower case with underscores.
        observation: The types of the observed values by name, in order of declaration. `legal_actions` comes last if
            the answer is a LegalAction. The seating isn't in it.
        answer: The type of the answer, `Int(0, 0)` for news.
        answer_names: Words for some answers that are numbers, empty if none are declared.
    """

    def __init__(
        self,
        name: str,
        description: str,
        *,
        observation: Mapping[str, ValueType],
        answer: ValueType | None,
        default: object = None,
        illegal: Literal["fault", "loses"] = "fault",
        names: Mapping[int, str] | None = None,
    ) -> None:
        if illegal not in ("fault", "loses"):
            raise ValueError(f"{name}: illegal is {illegal!r}; expected fault or loses")
        self.python_name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()
        for called in (name[:1] + self.python_name[1:], *observation):
            if not usable(called):
                raise ValueError(f"{called} can't name a value or a decision: bots are to use it in C and Python")
        if taken := [called for called in observation if called in SEATING]:
            raise ValueError(f"{name}: every bot already observes {taken[0]}; remove it")
        is_news = answer is None
        answer = answer or Int(0, 0)
        for called, kind in {**observation, "the answer": answer}.items():
            if not isinstance(kind, ValueType):
                raise ValueError(f"{name}: {called} is {kind!r}; expected a type, such as Int(low, high)")
        observed = dict(observation)
        if LEGAL_ACTIONS in observed:
            raise ValueError(
                f"{name}: {LEGAL_ACTIONS} are observed with answer=LegalAction(Int(low, high), max_actions)"
            )
        if "answer" in observed:
            raise ValueError(f"{name}: no value can be called answer: a question narrows its answer so")
        _check_answer(name, answer)
        if isinstance(answer, LegalAction):
            observed[LEGAL_ACTIONS] = answer.observed
        elif default is None and not is_news:
            try:
                default = answer.first
            except ValueError as wrong:
                raise ValueError(f"{name}: {wrong}") from None
        layout = answer_layout(answer)
        try:
            super().__init__(
                name,
                {value: kind.shape for value, kind in observed.items()},
                answer=answer.shape,
                answer_bytes=layout.size if layout else 0,
                default=default,
                loses=illegal == "loses",
                is_news=is_news,
            )
        except ValueError as wrong:
            raise ValueError(f"{name}: the default answer {default!r} is wrong: {wrong}") from None
        self.description = description
        self.observation = observed
        self.answer = answer
        self.answer_names = names or {}

    @property
    def has_legal_actions(self) -> bool:
        """True if each question lists the legal answers."""
        return isinstance(self.answer, LegalAction)

    def narrow(self, answer: ValueType, default: object) -> tuple[Shape, object]:
        """Return the shape of a narrower answer, and the default that counts then.

        Args:
            answer: The type of the answers that are legal now.
            default: The answer that counts at a fault. None: the declared one if it is legal now, otherwise the type's
                first.

        Raises:
            ValueError: `answer` is no type, or not narrower than the declared one, or the declared one is a
                LegalAction. Or the declared default is illegal now, and the type has no first answer.
        """
        if self.has_legal_actions or not isinstance(answer, ValueType) or not self.answer_shape.holds(answer.shape):
            raise ValueError(f"{self.name}: answer={answer!r} is not narrower than the declared {self.answer!r}")
        if default is None:
            default = self.default if answer.shape.takes(self.default) else answer.first
        return answer.shape, default

    @cached_property
    def returns(self) -> Returns:
        """The kind of value that a Python bot can return.

        It is "name" for a choice or a legal action that is a text, and "number" for other whole numbers. A Maybe has
        "optional", and the rest "value".
        """
        if isinstance(self.answer, Choice) or (
            isinstance(self.answer, LegalAction) and isinstance(self.answer.of, Text)
        ):
            return "name"
        if self.takes_numbers:
            return "number"
        return "optional" if isinstance(self.answer, Maybe) else "value"

    @cached_property
    def most_json(self) -> int:
        """Maximum bytes of an answer as JSON, 0 if Python bots return a whole number."""
        return 0 if self.returns == "number" else self.answer.max_json + 64

    @property
    def answers(self) -> str:
        """The legal answers as text, or "" for news."""
        return "" if self.is_news else self.answer.limits + "; any other answer loses the game" * self.loses

    @property
    def in_words(self) -> str:
        """Descriptions of the decision and of its answer, joined by a colon. "" if both are empty."""
        parts = [self.description, self.answer.description]
        return ": ".join(filter(None, (part.rstrip(".") for part in parts)))


class News(Decision):
    """News that bots receive without answering, such as how a game ended.

    `yield NEWS(position, …)` gives None. Bots that don't define a function of its name don't receive it.

    Args:
        name: Name of the function that a bot can define.
        description: What the news says, for templates and pages.
        observation: The values that a bot observes, by name, each with its type.

    Raises:
        ValueError: A name can't be used in a bot, or is one that every question has, or a value has no type.
    """

    def __init__(self, name: str, description: str, *, observation: Mapping[str, ValueType]) -> None:
        super().__init__(name, description, observation=observation, answer=None)


def _check_answer(name: str, answer: ValueType) -> None:
    """Check that values of a type can be answered.

    Raises:
        ValueError: It is, or contains, a text without `max_length` or a list of texts.
    """
    if isinstance(answer, Text) and answer.max_length is None:
        raise ValueError(f"{name}: an answer that is a text has a greatest length: Text(max_length)")
    if isinstance(answer, List) and isinstance(answer.of, Text):
        raise ValueError(f"{name}: an answer can't be a list of texts")
    for part in answer.parts:
        _check_answer(name, part)
