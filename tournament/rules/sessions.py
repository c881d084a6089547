"""Cores that play sessions by rules, with the answers of bots or with some that are drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Any

from engine.kernel.chance import Rng
from engine.kernel.game_core import GameCore
from engine.rules.decisions import LEGAL_ACTIONS, Question
from engine.rules.placements import Placement
from engine.rules.session_core import Session, SessionCore, seating
from engine.rules.steps import Steps
from tournament.contests.contest import CoreSetup
from tournament.decisions.decision import Decision
from tournament.decisions.drawn_values import draw_item, drawn_value
from tournament.decisions.struct_layout import answer_layout, build_view
from tournament.decisions.value_types import LegalAction
from tournament.rules.rules import MAX_CACHED_DECISIONS, Questions, Rules, Settings, get_decisions, max_positions

# A stream of random numbers above the streams of all sessions.
TRIAL_STREAM = 1 << 63


@lru_cache(MAX_CACHED_DECISIONS)
def make_placements(decisions: tuple[Decision, ...], max_count: int) -> list[Placement]:
    """Return the places of each decision's values and answer in the memory of C bots.

    Callers don't change the list, which is shared by all calls with the same arguments.

    Args:
        decisions: The contest's decisions.
        max_count: The most positions of a table.

    Returns:
        A placement for each decision, in their order. Its answer's slot is None if C bots return the answer.

    Raises:
        ValueError: The decisions' values have no place in one struct.
    """
    view = build_view(decisions, max_count)
    layouts = [answer_layout(decision.answer) for decision in decisions]
    return [
        Placement(decision, kind, view.slots, view.size, answer.slot if answer else None)
        for kind, (decision, answer) in enumerate(zip(decisions, layouts))
    ]


def session_core(
    rules: type[Rules], play: Callable[[Rules, Session], Questions], setup: CoreSetup[Settings]
) -> GameCore:
    """Return the core of a leg by these rules.

    Args:
        rules: The rules, of which the leg gets an object.
        play: Called with this object and a session; returns the session's generator.
        setup: What the core is made of.

    Raises:
        TimeoutError: The constructor of the rules takes longer than the limit of a step.
        Exception: The constructor of the rules raises it.
    """
    leg = setup.leg
    with Steps(setup.settings.rules_seconds_per_step) as steps:
        played = rules(setup.settings)
    played.house_content = setup.house or b""
    columns = [(column.name, column.dtype, column.per_seat) for column in rules.columns]
    return SessionCore(
        setup.games,
        setup.sessions,
        partial(play, played),
        columns,
        make_placements(get_decisions(rules, setup.settings), max_positions(rules)),
        **leg.for_core,
        seats=leg.seats,
        rotation=leg.rotation,
        steps=steps,
        teams=rules.teams or None,
        house_seats=setup.settings.house_seats,
        zero_sum=rules.zero_sum,
        max_questions=setup.settings.max_questions,
    )


def start_session(rules: Rules, session: Session) -> Questions:
    """Return the generator of a session.

    Raises:
        TypeError: `play` returns None, because it is a plain function, which can't ask a bot.
    """
    play: Questions | None = rules.play(session)
    if play is None:
        raise TypeError("play yields no question; it asks a bot by: answer = yield DECISION(seat, …)")
    return play


def core_by_chance(rules: type[Rules], is_drawn: Callable[[int], bool], setup: CoreSetup[Settings]) -> GameCore:
    """Return a core that draws the answers of some seats from all that are legal. Other seats are asked.

    Args:
        rules: The rules.
        is_drawn: Called with a seat; returns whether its bots' answers are drawn. Draws follow from the leg's key.
        setup: What the core is made of.

    Raises:
        TimeoutError: The constructor of the rules takes longer than the limit of a step.
    """
    rng = Rng(setup.leg.deals_key, TRIAL_STREAM)

    def play(played: Rules, session: Session) -> Questions:
        """Return the generator of a session in which the answers of these seats are drawn."""
        positions = [place for place, seat in enumerate(seating(session)) if is_drawn(seat)]
        return answered_by_chance(start_session(played, session), rng, positions)

    return session_core(rules, play, setup)


def answered_core(
    rules: type[Rules],
    setup: CoreSetup[Settings],
    answer: Callable[[Question], Any] | None = None,
    watch: Callable[[Session], Any] | None = None,
) -> GameCore:
    """Return a core that answers for all bots.

    Args:
        rules: The rules.
        setup: What the core is made of.
        answer: Called with each question, news included; returns the answer. None: answers are drawn from all that are
            legal, by the leg's key.
        watch: Called with each session; returns the object that the rules get instead. None: they get the session.

    Raises:
        TimeoutError: The constructor of the rules takes longer than the limit of a step.
    """
    choose_answer = answer or partial(drawn_answer, rng=Rng(setup.leg.deals_key, TRIAL_STREAM))

    def play(played: Rules, session: Session) -> Questions:
        """Return the generator of a session in which every question has an answer."""
        return answered(
            start_session(played, watch(session) if watch else session), choose_answer, range(session.seats)
        )

    return session_core(rules, play, setup)


def answered_by_chance(play: Questions, rng: Rng, positions: Sequence[int]) -> Questions:
    """Play a session with the answers of these positions drawn from all that are legal, often the first or last.

    Args:
        play: The session's generator.
        rng: Source of random numbers, which is advanced.
        positions: The positions, from 0.

    Returns:
        A generator of the questions to other positions, as lists that are never empty.
    """
    return answered(play, partial(drawn_answer, rng=rng), positions)


def answered(play: Questions, answer: Callable[[Question], Any], positions: Sequence[int]) -> Questions:
    """Play a session in which a function answers for these positions.

    Args:
        play: The session's generator.
        answer: Called with each question to these positions; returns the answer.
        positions: The positions, from 0.

    Yields:
        The questions to other positions, as a list that is never empty. It receives their answers as a dict by
        position.
    """
    try:
        yielded = next(play)
        while True:
            questions = [yielded] if isinstance(yielded, Question) else list(yielded)
            by_chance = {one.position: answer(one) for one in questions if one.position in positions}
            remaining = [question for question in questions if question.position not in positions]
            given = by_chance | ((yield remaining) if remaining else {})
            # Rules can read the answers as values in the order of their questions.
            answers = {one.position: given[one.position] for one in questions}
            yielded = play.send(answers[yielded.position] if isinstance(yielded, Question) else answers)
    except StopIteration:
        return


def drawn_answer(question: Question, rng: Rng) -> Any:
    """Return an answer that is legal now, often one at the limits, or None for news. The source of numbers advances."""
    decision = question.decision
    assert isinstance(decision, Decision)
    if decision.is_news:
        return None
    if isinstance(decision.answer, LegalAction):
        return draw_item(list(question.plain()[LEGAL_ACTIONS]), rng)
    return drawn_value(question.answer or decision.answer, rng)
