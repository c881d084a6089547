"""Sessions of contests without a presentation, played again for the report: what decisions told and were answered."""

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
from tournament.reporting.games import PlayedAgain
from tournament.store.field import Batch
from tournament.store.parts import rows_of
from tournament.store.storage import Storage
from tournament.worker.observation import Step

_MOST_SECONDS = 2.0  # of playing again: at the end of it no further session begins
_MOST_DECISIONS = 400  # of a session
_MOST_TOLD = 2_000  # characters

ConfigOf = Callable[[str], Config]


def best_session(contest: Contest, storage: Storage, batches: Sequence[Batch], name: str) -> tuple[int, int] | None:
    """Return the match and the session in which a bot has the most points, the first such; None if it has none.

    Raises RunError for damaged records, FileNotFoundError for missing ones.
    """
    best: tuple[float, int, int] | None = None
    for batch in batches:
        legs = batch.legs
        seats = np.array([legs.numbered(seat, {name: 0}) == 0 for seat in range(legs.seats)])
        if not seats.any() or contest.scored.table != "sessions":
            continue
        leg_of, row = np.repeat(np.arange(len(legs)), legs.sessions), 0
        names = ("match", "session", *contest.scored.read)
        for rows in rows_of(storage, batch.part("sessions"), contest.sessions, names):
            here = leg_of[row : row + len(rows["match"])]
            row += len(here)
            points = np.where(seats[:, here], contest.scored.points(rows, legs, here), -np.inf).max(axis=0)
            at = int(points.argmax()) if len(points) else 0
            if len(points) and points[at] > (best[0] if best else -np.inf):
                best = float(points[at]), int(rows["match"][at]), int(rows["session"][at])
    return best and best[1:]


def played_again(
    location: str, config_of: ConfigOf, best: tuple[int, int] | None, matches: Sequence[int]
) -> Mapping[int, PlayedAgain]:
    """Return sessions by match, for about 2 seconds: the best one of the winner, then the first one of these matches.

    Those whose bots or seed aren't here any more, or that came out differently from the records, are left out.
    """
    found: dict[int, PlayedAgain] = {}
    until = time.monotonic() + _MOST_SECONDS
    for match, session in [*([best] if best else []), *((match, 0) for match in matches)]:
        if match in found:
            continue
        if time.monotonic() > until:
            break
        with contextlib.suppress(InputError, RunError):
            replay = replay_games(location, config_of, match, session)
            if replay.games and not replay.mismatch:
                found[match] = told_of(replay, "the winner's best" if (match, session) == best else "")
    return found


def told_of(replay: Replay, why: str = "") -> PlayedAgain:
    """Return a replay as text. Without drawings of the contest each decision is shown with its question."""
    steps = [step for game in replay.games for step in game.steps][:_MOST_DECISIONS]
    pictures = list(replay.drawings[: len(steps) + 1])
    if len(pictures) <= len(steps):
        pictures = [*map(_as_told, steps), ""]
    result = "; ".join(game.outcome for game in replay.games[:3])
    said = [(step.seat, _answered(step)) for step in steps]
    return PlayedAgain(replay.session, replay.seats, said, pictures, result, why)


def _answered(step: Step) -> str:
    """A decision and its answer, by the name of the action if it told names."""
    if step.fault is not None:
        return f"{step.decision}: fault, {step.fault}"
    told: Mapping[str, object] = step.observation
    legal, names = told.get("legal_actions"), told.get("action_names")
    answer = step.answer_text
    if isinstance(legal, list | tuple) and isinstance(names, list | tuple) and step.answer in legal[: len(names)]:
        answer = str(names[legal.index(step.answer)])
    return f"{step.decision}: {answer}"


def _as_told(step: Step) -> str:
    told: Mapping[str, object] = step.observation
    own = {name: value for name, value in told.items() if name not in SEATING}
    lines = [f"{name.replace('_', ' ')}: {plain_value(value)}" for name, value in own.items()]
    return f"{step.bot} is told\n" + "\n".join(lines)[:_MOST_TOLD]
