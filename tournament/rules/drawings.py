"""Drawings of sessions for replays, as `Rules.render` makes them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence

from engine.kernel.chance import Rng
from engine.kernel.game_core import GameCore
from engine.kernel.records import Table
from engine.rules.session_core import Session, seating
from tournament.contests.contest import CoreSetup, Tables
from tournament.leg import LegPlan
from tournament.rules.rules import Questions, Rules, Settings, max_positions, seats_at_first
from tournament.rules.sessions import TRIAL_STREAM, answered_by_chance, session_core, start_session
from tournament.store.columns import ROWS_PER_BUFFER, buffer_fields

_MAX_DRAWN = 20_000  # characters of a drawing
_RENDER_FAILED = "render failed: "
_TRIAL_DRAWINGS = 100  # limit when a session is drawn as a test


def drawn_core(
    rules: type[Rules], setup: CoreSetup[Settings], number: int, drawings: list[str], names: Sequence[str]
) -> GameCore:
    """Return a core for a replay that draws the session of this number in the leg.

    Args:
        rules: The rules.
        setup: What the core is made of.
        number: Number of the session in the leg, from 0.
        drawings: List to which one drawing for each question is appended, and one of the end. A failure to draw is
            text that `failed_to_render` recognises.
        names: Names of the bots by seat.

    Raises:
        TimeoutError: The constructor of the rules takes longer than the limit of a step.
    """

    def play(played: Rules, session: Session) -> Questions:
        """Return the generator of a session, which also draws if it is the session of this number."""
        if session.number != number:
            return start_session(played, session)
        return drawn(played, session, drawings, [names[seat] for seat in seating(session)])

    return session_core(rules, play, setup)


def render_problem(rules: type[Rules], make_tables: Callable[[int], Tables], settings: Settings) -> str:
    """Return the error in drawing the first 100 questions of a session with random answers, as text.

    It is "" if there was none, or if the contest has house players and wasn't tried. Errors later in a session only
    show in games.

    Args:
        rules: The rules.
        make_tables: Called with the number of seats; returns the contest's tables.
        settings: The contest's settings.

    Raises:
        TimeoutError: The constructor of the rules takes longer than the limit of a step.
    """
    if rules.house:
        return ""
    seats = seats_at_first(rules) if not isinstance(rules.seats, range) else int(str(settings.playing()["seats"]))
    tables, rng, drawings = make_tables(seats), Rng(bytes(32), TRIAL_STREAM), list[str]()
    positions = max_positions(rules) if rules.teams else seats
    names = [f"position {place}" for place in range(positions)]

    def play(played: Rules, session: Session) -> Questions:
        """Return a generator that draws the first questions of a session and answers them at random."""
        questions = _first_questions(drawn(played, session, drawings, names), _TRIAL_DRAWINGS)
        return answered_by_chance(questions, rng, range(positions))

    games, sessions = (Table(buffer_fields(columns), ROWS_PER_BUFFER) for columns in (tables.games, tables.sessions))
    setup = CoreSetup(LegPlan(0, 0, 1, bytes(32), seats), settings, games, sessions)
    session_core(rules, play, setup).play()
    return next(filter(failed_to_render, drawings), "")


def _first_questions(play: Questions, most: int) -> Questions:
    """Yield the first questions of a session, at most this many times, and pass their answers on.

    It ends early with the session.
    """
    answers = None
    with contextlib.suppress(StopIteration):
        for _ in range(most):
            answers = yield play.send(answers)


def drawn(rules: Rules, session: Session, drawings: list[str], names: Sequence[str]) -> Questions:
    """Play a session, drawn before each decision and at its end.

    Args:
        rules: The rules' object for the leg.
        session: The session.
        drawings: List to which one drawing for each question is appended, and one of the end. Questions that are asked
            together have the same drawing.
        names: Names of the bots by position.

    Yields:
        The questions of the rules, each or in lists as the rules yield them.

    Raises:
        TypeError: `play` is a plain function, which can't ask a bot.
    """
    play = start_session(rules, session)
    try:
        questions = next(play)
        while True:
            drawings += [_drawing(rules, names)] * (len(questions) if isinstance(questions, Sequence) else 1)
            answer = yield questions
            questions = play.send(answer)
    except StopIteration:
        drawings.append(_drawing(rules, names))


def _drawing(rules: Rules, names: Sequence[str]) -> str:
    """Return a contest's drawing, or the error in it as text, because no game depends on it.

    A text is cut at 20,000 characters. A longer SVG image, or one that isn't well-formed, is an error. An error's text
    has at most 1,000 characters.
    """
    rules.bot_names = names
    try:
        drawing: object = rules.render()
        if isinstance(drawing, str) and drawing.lstrip().startswith("<svg"):
            if len(drawing) > _MAX_DRAWN:
                raise ValueError(f"SVG of {len(drawing):,} characters; at most {_MAX_DRAWN:,} are shown")
            # Imported here: a run of rules that draw no SVG needs none of it.
            from xml.etree import ElementTree

            ElementTree.fromstring(drawing)  # a browser shows nothing of one that isn't well-formed
    except (Exception, SystemExit) as problem:
        return f"{_RENDER_FAILED}{type(problem).__name__}: {' '.join(str(problem).split())}"[:1000]
    finally:
        rules.bot_names = ()
    return (
        drawing[:_MAX_DRAWN]
        if isinstance(drawing, str)
        else f"{_RENDER_FAILED}it returns {drawing!r}, which is no text"
    )


def failed_to_render(drawing: str) -> bool:
    """Return whether a drawing is the text of an error."""
    return drawing.startswith(_RENDER_FAILED)
