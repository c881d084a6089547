"""Replayed sessions of contests without a presentation, with the questions and answers of each decision."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from engine.rules.decisions import SEATING
from tournament.audit.replay import Replay, replay_games
from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.contests.game_text import plain_value
from tournament.errors import InputError, RunError
from tournament.reporting.games import ReplayedSession
from tournament.store.field import Batch
from tournament.store.parts import read_rows
from tournament.store.storage import Storage
from tournament.worker.observation import Step

# Seconds after which no further replay is started.
_MAX_SECONDS = 2.0
# Maximum decisions of a session.
_MAX_DECISIONS = 400
# Maximum characters of a question.
_MAX_QUESTION = 2_000

ReadConfig = Callable[[str], Config]


def best_session(contest: Contest, storage: Storage, batches: Sequence[Batch], name: str) -> tuple[int, int] | None:
    """Return match and session in which a bot has the most points, the first of equals in the order of batches.

    Returns:
        Both numbers; None if the bot has played none, or games are scored instead of sessions.

    Raises:
        RunError: The records are damaged or can't be read.
        FileNotFoundError: A part is missing.
    """
    best: tuple[float, int, int] | None = None
    for batch in batches:
        legs = batch.legs
        seats = np.array([legs.numbered(seat, {name: 0}) == 0 for seat in range(legs.seats)])
        if not seats.any() or contest.scored.table != "sessions":
            continue
        leg_of, row = np.repeat(np.arange(len(legs)), legs.sessions), 0
        names = ("match", "session", *contest.scored.read)
        for rows in read_rows(storage, batch.part("sessions"), contest.sessions, names):
            leg_indices = leg_of[row : row + len(rows["match"])]
            row += len(leg_indices)
            points = contest.scored.points(rows, legs, leg_indices)
            points = np.where(seats[:, leg_indices], points, -np.inf).max(axis=0)
            at = int(points.argmax()) if len(points) else 0
            if len(points) and points[at] > (best[0] if best else -np.inf):
                best = float(points[at]), int(rows["match"][at]), int(rows["session"][at])
    return best and best[1:]


def replay_sessions(
    location: str, read_config: ReadConfig, best: tuple[int, int] | None, matches: Sequence[int]
) -> Mapping[int, ReplayedSession]:
    """Return replayed sessions by match: the best one of the winner, then the first one of each other match.

    They are in this order. After 2 seconds no further replay is started. Sessions whose bots or seed aren't available,
    or that differ from the records, are omitted. So are those whose records can't be read.

    Args:
        location: Folder or URL of the records.
        read_config: Called with a contest's name; returns its settings.
        best: Match and session in which the winner has the most points; None if it has none.
        matches: Numbers of the matches, the most interesting first.
    """
    sessions: dict[int, ReplayedSession] = {}
    until = time.monotonic() + _MAX_SECONDS
    for match, session in [*([best] if best else []), *((match, 0) for match in matches)]:
        if match in sessions:
            continue
        if time.monotonic() > until:
            break
        with contextlib.suppress(InputError, RunError):
            replay = replay_games(location, read_config, match, session)
            if replay.games and not replay.mismatch:
                sessions[match] = describe_replay(replay, "the winner's best" if (match, session) == best else "")
    return sessions


def describe_replay(replay: Replay, why: str = "") -> ReplayedSession:
    """Return a replay as text. If the contest has no drawings, each decision is shown with its question.

    Only the first 400 decisions and the outcomes of the first three games are included. A question is cut after 2,000
    characters.

    Args:
        replay: The replay.
        why: Reason for the choice; "" for the first session.
    """
    steps = [step for game in replay.games for step in game.steps][:_MAX_DECISIONS]
    pictures = list(replay.drawings[: len(steps) + 1])
    if len(pictures) <= len(steps):
        pictures = [*map(_question_text, steps), ""]
    result = "; ".join(game.outcome for game in replay.games[:3])
    answers = [(step.seat, _answered(step)) for step in steps]
    return ReplayedSession(replay.session, replay.seats, answers, pictures, result, why)


def _answered(step: Step) -> str:
    """Return a decision and its fault or answer as text, by the name of the action if the question has names."""
    if step.fault is not None:
        return f"{step.decision}: fault, {step.fault}"
    observation: Mapping[str, object] = step.observation
    legal, names = observation.get("legal_actions"), observation.get("action_names")
    answer = step.answer_text
    if isinstance(legal, list | tuple) and isinstance(names, list | tuple) and step.answer in legal[: len(names)]:
        answer = str(names[legal.index(step.answer)])
    return f"{step.decision}: {answer}"


def _question_text(step: Step) -> str:
    """Return a decision's question as text: who is told, and a line for each value, cut after 2,000 characters."""
    observation: Mapping[str, object] = step.observation
    values = {name: value for name, value in observation.items() if name not in SEATING}
    lines = [f"{name.replace('_', ' ')}: {plain_value(value)}" for name, value in values.items()]
    return f"{step.bot} is told\n" + "\n".join(lines)[:_MAX_QUESTION]
