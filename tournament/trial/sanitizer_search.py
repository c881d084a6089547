"""Mistakes of C and C++ bots that go unseen in WebAssembly, and crash or differ where the bot's author compiles it.

A build of the bot that stops at what C and C++ leave undefined plays some games and answers the questions at the
limits. No verdict and no record comes of it.
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

_TIMES_FUEL = 4  # of what the contest allows: this build looks at each step
# A bot that stops is started again, so that others of its mistakes can show.
_MOST_STOPS = 24
_GAMES, _FEW_DECISIONS = Window(0, 59, 0, 199, decisions=5_000), Window(decisions=20)
_AT_LIMITS = Window(decisions=2_000)
_PLACE = re.compile(r" \(line (\d+)\)$")


@dataclass(frozen=True)
class Mistake:
    """A line of a bot's source that did what C and C++ leave undefined, and when it first did."""

    line: int
    when: str


@dataclass(frozen=True)
class Search:
    """A search for mistakes: what was found, in how many games and questions at the limits."""

    mistakes: tuple[Mistake, ...]
    games: int
    questions: int


def search(
    tried: Pairing, submission: Submission, at_limits: Pairing | None = None, *, slow: bool = False
) -> Search | None:
    """Search a bot for mistakes; None where it isn't C or C++, or can't be built so.

    `at_limits`: the same bot, to be asked extreme questions. Of a `slow` one only a few decisions are looked at.
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
    """With more fuel, and more faults allowed."""
    more = {"max_faults": _MOST_STOPS, "seconds": tried.settings.seconds * _TIMES_FUEL}
    settings: ContestSettings = tried.settings.model_copy(update=more)
    return replace(tried, settings=settings)


def _mistakes(seen: ObservedLeg, plain: ObservedLeg, *, at_limits: bool = False) -> Iterable[Mistake]:
    """Where this build stopped, and the bot as it plays doesn't."""
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
    """The mistake of a fault with a line, unless it is known or is a lack of fuel."""
    place, what = _PLACE.search(fault), _PLACE.sub("", fault)
    if place and what not in known and "fuel" not in what:
        yield Mistake(int(place[1]), when)
