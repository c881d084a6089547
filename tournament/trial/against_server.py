"""What a bot wins from a server of two-card draw, by play."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tournament.contests.scoring import HousePlayer
from tournament.contests.settings import ContestSettings
from tournament.contests.two_card_draw import TWO_CARD_DRAW
from tournament.contests.two_card_draw.strategy_file import ServerStrategy, write_strategy
from tournament.errors import BadInput
from tournament.keys import drawn_seed
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.standings.errors import Strata
from tournament.standings.student import reach
from tournament.store.legs import Legs
from tournament.trial.playing import build

_HANDS = 10_000  # of a session


@dataclass(frozen=True)
class Winnings:
    """What a bot wins a hand, how far the interval of 95% of that goes to either side, and the hands that were played:
    each session is a leg of its own, so a replica; of one alone the interval is over its hands."""

    profit: float
    reach: float
    hands: int
    faults: int


def winnings(
    path: Path,
    strategy: ServerStrategy,
    settings: ContestSettings,
    sandbox: SandboxSettings,
    sessions: int,
    say: Callable[[str], None],
) -> Winnings:
    """Build a bot and play so many sessions.

    Raises BadInput when there is no such bot, it can't be built, it is at fault too often, or nothing can confine it.
    """
    settings = settings.model_copy(update={"hands": _HANDS, "seed": settings.seed or drawn_seed()})
    pairing = build(TWO_CARD_DRAW, settings, sandbox, path, say)
    if pairing.bot.artifact is None:
        raise BadInput(f"{path}: {pairing.bot.problem}")
    server = HousePlayer("server", write_strategy(strategy).encode())
    trials = replace(pairing, opponent=server).play(sessions)
    for trial in trials:
        if trial.result.ended_by is not None:
            how = f"tournament check {path} --contest {TWO_CARD_DRAW.name}"
            raise BadInput(f"{path}: {trial.faults[-1].what}; a bot may not be at fault so often; see more by: {how}")
    # One match, a replica a session.
    legs = Legs.of([replace(trial.result, match=0, number=number) for number, trial in enumerate(trials)])
    own, hands = legs.of_seat(0), int(legs.games.sum())
    strata = Strata.of_points(legs, 1, legs.games)
    error = math.sqrt(strata.covariances[0, 0, 0]) * len(legs)
    faults = sum(len(trial.faults) for trial in trials)
    return Winnings(float(own.points.sum()) / hands, reach(error / hands, int(strata.freedom[0])), hands, faults)
