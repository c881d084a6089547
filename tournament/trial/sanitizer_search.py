"""Finds mistakes of C and C++ bots that WebAssembly tolerates, but that crash or differ on their author's machine.

A build of the bot that stops at undefined behaviour plays some games and answers extreme questions. It affects no
verdict and no record.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from tournament.artifacts.bot import Submission
from tournament.contests.settings import ContestSettings
from tournament.entrants.build import checked
from tournament.trial.trial_legs import Pairing
from tournament.worker.observation import ObservedLeg, Window

_TIMES_FUEL = 4  # multiple of the contest's fuel, because this build checks each step
# A bot that stops is started again, so that other mistakes can be found.
_MAX_STOPS = 24
_GAMES, _FEW_DECISIONS = Window(0, 59, 0, 199, decisions=5_000), Window(decisions=20)
_AT_LIMITS = Window(decisions=2_000)
_PLACE = re.compile(r" \(line (\d+)\)$")


@dataclass(frozen=True)
class Mistake:
    """A line of a bot's source with undefined behaviour.

    Attributes:
        when: When it first occurred.
    """

    line: int
    when: str


@dataclass(frozen=True)
class Search:
    """A search for mistakes.

    Attributes:
        mistakes: The mistakes found, by line.
        games: Games that were played.
        questions: Extreme questions that were answered.
    """

    mistakes: tuple[Mistake, ...]
    games: int
    questions: int


def search(
    tried: Pairing, submission: Submission, at_limits: Pairing | None = None, *, slow: bool = False
) -> Search | None:
    """Search a bot for mistakes. Return None if it isn't C or C++, or can't be built for the search.

    Args:
        tried: The bot and its opponent.
        submission: The bot's source.
        at_limits: The same bot with extreme questions, if it is to answer them.
        slow: Whether the bot is slow, so that only a few decisions are played.
    """
    artifact = checked(submission, tried.contest.interface, tried.sandbox)
    if artifact is None:
        return None
    window = _FEW_DECISIONS if slow else _GAMES
    seen = _forgiving(tried).observe(window, artifact)
    found = list(_mistakes(seen, tried.observe(window) if seen.result.faults else seen))
    questions = 0
    if at_limits:
        asked = _forgiving(at_limits).observe(_AT_LIMITS, artifact)
        questions = sum(step.seat == 0 for game in asked.games for step in game.steps)
        found += _mistakes(asked, at_limits.observe(_AT_LIMITS) if asked.result.faults else asked, at_limits=True)
    first: dict[int, Mistake] = {}
    for mistake in found:
        first.setdefault(mistake.line, mistake)
    return Search(tuple(sorted(first.values(), key=lambda mistake: mistake.line)), len(seen.games), questions)


def _forgiving(tried: Pairing) -> Pairing:
    """Return the pairing with more fuel, and more faults allowed."""
    more = {"max_faults": _MAX_STOPS, "seconds": tried.settings.seconds * _TIMES_FUEL}
    settings: ContestSettings = tried.settings.model_copy(update=more)
    return replace(tried, settings=settings)


def _mistakes(seen: ObservedLeg, plain: ObservedLeg, *, at_limits: bool = False) -> Iterable[Mistake]:
    """Yield the stops of this build that the bot as it plays doesn't have."""
    known = {_PLACE.sub("", fault.message) for fault in plain.result.faults} if plain is not seen else set()
    for fault in seen.result.faults:
        if fault.seat == 0 and fault.kind == "start":
            yield from _new(fault.message, known, "as it starts")
    for game in seen.games:
        for step in game.steps:
            if step.seat == 0 and step.fault:
                when = f"asked {step.question_text}" if at_limits else f"session {game.session}, game {game.game}"
                yield from _new(step.fault, known, when)


def _new(fault: str, known: Collection[str], when: str) -> Iterable[Mistake]:
    """Yield the mistake of a fault that has a line, unless it is known or a lack of fuel."""
    place, what = _PLACE.search(fault), _PLACE.sub("", fault)
    if place and what not in known and "fuel" not in what:
        yield Mistake(int(place[1]), when)
