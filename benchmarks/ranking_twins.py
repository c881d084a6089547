"""Identical bots, each entered twice: how often a ranking tells two of them apart, which is wrong whatever is true.

Matches of one replica are played a number of times, each time with other deals; tournaments are drawn from these.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.fields import SHIPPED
from benchmarks.ranking import Rehearsal, built
from tournament.contests.contest import Contest
from tournament.contests.holdem_training import BOB, HOLDEM_TRAINING
from tournament.contests.matrix_game import PRISONERS_DILEMMA, ROCK_PAPER_SCISSORS
from tournament.contests.scoring import HousePlayer
from tournament.contests.two_card_draw import TWO_CARD_DRAW
from tournament.contests.two_card_draw.servers import generated_server
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER
from tournament.standings.places import with_implied
from tournament.standings.standings import Standings
from tournament.store.legs import Legs

REPLICAS = (1, 4, 10)
_LEARNERS = ("copycat", "thompson", "scholar", "last_game_gambler")

Floats = npt.NDArray[np.float64]


def table(tournaments: int) -> Iterator[str]:
    """A row for each field and number of replicas."""
    yield (
        "| field | replicas | tournaments | told twins apart, of 20 at most 1 | chance of so many, were it 5% "
        "| other pairs wrong | pairs called sure | ± covers | worst bot |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for what, rehearsal, count in _fields(tournaments):
        pool = [rehearsal.played(number) for number in range(count)]
        for replicas in REPLICAS:
            yield row(what, rehearsal, pool, replicas, min(count, 200))


def _fields(tournaments: int) -> Iterator[tuple[str, Rehearsal, int]]:
    """What is played, and how often."""
    many = max(20, tournaments)
    for sessions, count in ((64, many), (1000, max(20, many // 4))):
        yield f"poker, {sessions} sessions", twins(VON_NEUMANN_POKER, sessions=sessions), count
        learners = twins(VON_NEUMANN_POKER, _LEARNERS, sessions=sessions)
        yield f"the same, of learners only {len(_LEARNERS)} twice", learners, count
    for contest in (ROCK_PAPER_SCISSORS, PRISONERS_DILEMMA):
        settings: dict[str, Any] = {key: value for key, value in contest.preset.items() if key != "game"}
        yield contest.title, twins(contest, **settings), many // 4
    servers = [generated_server(bytes(32), f"server_{number}") for number in range(16)]
    yield "two-card draw", twins(TWO_CARD_DRAW, house=servers), many // 10
    yield "Hold'em training", twins(HOLDEM_TRAINING, house=(BOB,)), many // 10


def twins(
    contest: Contest, doubled: Sequence[str] = (), house: Sequence[HousePlayer] = (), **settings: object
) -> Rehearsal:
    """The shipped bots in C and C++, all of them or these twice."""
    sources = {}
    for path in sorted((SHIPPED.parent / contest.name).iterdir()):
        if path.suffix in (".c", ".cpp"):
            for number in (1, 2) if not doubled or path.stem in doubled else (1,):
                # Functions may have the bot's name.
                name = rf"\b{path.stem}(?=[abAB]?\b)"
                sources[f"{path.stem}_{number}{path.suffix}"] = re.sub(name, f"{path.stem}_{number}", path.read_text())
    return Rehearsal.of(contest, built(contest, sources), house, **settings)


def row(what: str, rehearsal: Rehearsal, pool: Sequence[Legs], replicas: int, count: int) -> str:
    """What so many tournaments say, of replicas drawn from a pool."""
    chance = np.random.default_rng(replicas)
    names = rehearsal.names
    truth = np.mean([_scores(rehearsal.ranked(legs), names) for legs in pool], axis=0)
    told, wrong, sure = 0, 0, 0.0
    covered = np.zeros(len(names))
    with_interval = 0
    drawn: list[int] = []
    for number in range(count):
        if replicas == 1:
            chosen = [number % len(pool)]
        else:
            if len(drawn) < replicas:
                drawn = chance.permutation(len(pool)).tolist()
            chosen, drawn = drawn[:replicas], drawn[replicas:]
        ranking = rehearsal.ranked(_together([pool[place] for place in chosen]))
        ahead, is_twin = _ahead(ranking, names), _are_twins(names)
        told += bool((ahead & is_twin).any())
        wrong += bool((ahead & ~is_twin & (truth[:, np.newaxis] < truth)).any())
        sure += float(ahead.sum()) / (len(names) * (len(names) - 1) / 2)
        lines = {line.name: line for line in ranking.entrants}
        if all(lines[name].ci_low is not None for name in names):
            with_interval += 1
            ends = np.array([(lines[name].ci_low, lines[name].ci_high) for name in names], float)
            rounding = 1e-9 * (1 + np.abs(truth))
            covered += (ends[:, 0] <= truth + rounding) & (truth - rounding <= ends[:, 1])
    covered /= max(1, with_interval)
    return (
        f"| {what} | {replicas} | {count} | {100 * told / count:.1f}% | {_at_least(told, count):.2f} "
        f"| {100 * wrong / count:.1f}% | {100 * sure / count:.0f}% | {100 * covered.mean():.1f}% "
        f"| {100 * covered.min():.0f}% |"
    )


def _together(several: Sequence[Legs]) -> Legs:
    """Replicas of one tournament."""
    legs_of_one = int(several[0].number.max()) + 1
    found = []
    for place, legs in enumerate(several):
        whole = legs.whole.copy(order="F")
        whole[:, 1] += place * legs_of_one  # their numbers
        found.append(replace(legs, whole=whole))
    return Legs.joined(found)


def _scores(ranking: Standings, names: Sequence[str]) -> Floats:
    scores = {line.name: line.score for line in ranking.entrants}
    return np.array([scores[name] for name in names])


def _ahead(ranking: Standings, names: Sequence[str]) -> npt.NDArray[np.bool_]:
    """Whether each bot, by row, is surely ahead of each other one, by column."""
    place = {name: number for number, name in enumerate(names)}
    ahead = np.zeros((len(names), len(names)), bool)
    for line in ranking.ranked:
        for behind in line.surely_ahead_of:
            ahead[place[line.name], place[behind]] = True
    return with_implied(ahead)


def _are_twins(names: Sequence[str]) -> npt.NDArray[np.bool_]:
    stems = np.array([name.rpartition("_")[0] for name in names])
    return np.asarray((stems[:, np.newaxis] == stems) & ~np.eye(len(names), dtype=bool))


def _at_least(successes: int, trials: int, chance: float = 0.05) -> float:
    """The chance of so many or more successes."""
    return 1 - sum(math.comb(trials, n) * chance**n * (1 - chance) ** (trials - n) for n in range(successes))
