"""Sessions of contests without a presentation, played again for the report: what decisions told and were answered."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence

from engine.rules.decisions import SEATING
from tournament.audit.replay import Replay, replay_games
from tournament.config import Config
from tournament.contests.game_text import plain_value
from tournament.errors import InputError, RunError
from tournament.reporting.games import PlayedAgain
from tournament.worker.observation import Step

_MOST_MATCHES = 24  # that are played again
_MOST_DECISIONS = 400  # of a session
_MOST_TOLD = 2_000  # characters

ConfigOf = Callable[[str], Config]


def played_again(location: str, config_of: ConfigOf, matches: Sequence[int]) -> Mapping[int, PlayedAgain]:
    """The first session of the first of these matches, by match.

    Those whose bots or seed aren't here any more, or that came out otherwise than recorded, are left out.
    """
    found = {}
    for match in matches[:_MOST_MATCHES]:
        with contextlib.suppress(InputError, RunError):
            replay = replay_games(location, config_of, match, 0)
            if replay.games and not replay.mismatch:
                found[match] = told_of(replay)
    return found


def told_of(replay: Replay) -> PlayedAgain:
    """A replay in words. Without drawings of the contest each decision is shown with what it told."""
    steps = [step for game in replay.games for step in game.steps][:_MOST_DECISIONS]
    pictures = list(replay.drawings[: len(steps) + 1])
    if len(pictures) <= len(steps):
        pictures = [*map(_as_told, steps), ""]
    result = "; ".join(game.outcome for game in replay.games[:3])
    return PlayedAgain(replay.session, replay.seats, [(step.seat, _answered(step)) for step in steps], pictures, result)


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
