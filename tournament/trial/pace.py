"""How fast a bot that is tried decides, and what that means for its legs."""

from __future__ import annotations

import time
from dataclasses import dataclass

from tournament.trial import playing
from tournament.worker.observation import ObservedLeg, Window

# The longest that a check plays.
PATIENCE_SECONDS = 60.0
# Decisions of both seats that are watched to learn a bot's pace, and how long a second look takes.
_A_FEW, _SOME, _MANY = 4, 20, 250
_SECOND_LOOK_SECONDS = 5.0
# A leg that takes so many times longer than the bot has is too slow on any machine.
_PLAINLY = 3.0
_SECONDS_PER_FUEL = 1e-9


@dataclass(frozen=True)
class Pace:
    """How many processor seconds a check's playing takes; and how many sessions and games it has time for.

    `too_slow`: a leg would take far longer than the bot has for it.
    """

    seconds: float
    sessions: int
    games: int
    in_words: str
    too_slow: bool


def measure_pace(tried: playing.Pairing) -> tuple[ObservedLeg, Pace]:
    """A bot's first decisions, and what their pace means for a leg.

    At first the start counts, too, which may take longer than they do. A bot that looks slow so is watched for longer:
    its pace is then the time of the further decisions alone.
    """

    def taken(decisions: int) -> tuple[ObservedLeg, int, float]:
        started = time.thread_time()
        seen = tried.observe(Window(decisions=decisions))
        seconds = seen.cpu_seconds[0]
        own = sum(step.seat == 0 for game in seen.games for step in game.steps)
        return seen, own, time.thread_time() - started if seconds is None else seconds

    contest, settings = tried.contest, tried.settings
    sessions_of_leg = contest.sessions_of_leg(settings)
    games_of_session = contest.estimates.games(settings)
    first, a_few, _ = taken(_A_FEW)
    if any(fault.seat == 0 for fault in first.result.faults):  # the fault is the result
        return first, Pace(0.0, playing.SESSIONS, 1, "", too_slow=False)
    seen, decisions, seconds = taken(_SOME)
    each = seconds / max(1, decisions)

    def of_session() -> float:
        return each * decisions / max(1, len(seen.games)) * games_of_session

    sessions_of_check = min(playing.SESSIONS, sessions_of_leg)
    looked_on = False
    if of_session() * sessions_of_check >= PATIENCE_SECONDS and decisions > a_few and seen.result.ended_by is None:
        later, more, after = taken(_SOME + 2 * max(_A_FEW, min(_MANY, int(_SECOND_LOOK_SECONDS / each))))
        if looked_on := more > decisions:
            each = max(0.0, after - seconds) / (more - decisions)
            seen, decisions = later, more
    of_check = of_session() * sessions_of_check
    of_leg = of_session() * sessions_of_leg
    if tried.bot.plays_as == "wasm":
        allowed = settings.fuel_per_leg * _SECONDS_PER_FUEL
    else:
        decisions_of_leg = of_leg / each if each else 0.0
        allowed = settings.cpu_seconds_per_leg + decisions_of_leg * settings.cpu_milliseconds_more / 1000
    share = min(1.0, PATIENCE_SECONDS / of_check) if of_check else 1.0
    sessions = max(1, int(sessions_of_check * share))
    games = int(games_of_session * share) if contest.house else int(games_of_session * 1000)
    about = f"about {each * 1000:,.1f} ms a decision, {of_leg:,.0f} s a leg"
    too_slow = looked_on and of_leg > _PLAINLY * allowed
    words = f"{about}; it has {allowed:,.0f} s" if too_slow else f"{about}: less is played here, to come to an end"
    return seen, Pace(of_check, sessions, max(1, games), words, too_slow)
