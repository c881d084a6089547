"""No place goes by a bot's name or seat: names permuted in every contest, and identical bots at tables of all kinds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchmarks.ranking import Rehearsal, built, example
from tests.contest_runs import EXAMPLES, REPOSITORY
from tests.samples import sample_params
from tournament.artifacts.bot import Entrant
from tournament.contests import find_contest
from tournament.contests.contest import Contest
from tournament.contests.scoring import HousePlayer
from tournament.contests.two_card_draw.servers import generated_server
from tournament.standings.standings import compute_standings
from tournament.store.field import Batch

LOPSIDED = {"moves": ["go", "stay"], "payoffs": [[3, 2], [2, 1]], "column_payoffs": [[0, -1], [0, 1]]}
SHORT: dict[str, dict[str, Any]] = {
    "two_card_draw": {"sessions": 2, "hands": 100},
    "matrix_game": {"sessions": 3, "turns_per_game": 10, "noise": 0.2, **LOPSIDED},
    "snakes": {"sessions": 3, "seats": 3, "turns": 30},
}
NAMES = ("ann", "bob", "cat", "dan", "eve")


def players_of(name: str) -> tuple[Contest, Sequence[Entrant], Sequence[HousePlayer]]:
    """Return a contest, some of its bots in C, and house players."""
    if name == "matrix_game":
        contest, moves = find_contest(name), ("0", "rand() % 2", "bot->turn % 2")
        sources = {f"m{one}.c": f"int move(const Bot *bot) {{ return {body}; }}\n" for one, body in enumerate(moves)}
        return contest, built(contest, sources), ()
    is_example = name == "snakes"
    contest = example(name, "Snakes") if is_example else find_contest(name)
    folder = (EXAMPLES / name if is_example else REPOSITORY) / "entrants" / name
    files = sorted(path for path in folder.iterdir() if path.suffix in (".c", ".cpp"))[-3:]
    house = [generated_server(bytes(32), "server_0")] if name == "two_card_draw" else []
    return contest, built(contest, {path.name: path.read_text() for path in files}), house


def by_name(name: str, tournaments: int) -> Mapping[str, tuple[float, float]]:
    """Return by how much each name makes a bot better, with its standard error.

    In each tournament five bots, of which some are equal, have their names at random.
    """
    contest, entrants, house = players_of(name)
    several = [entrants[number % len(entrants)] for number in range(len(NAMES))]
    chance = np.random.default_rng(7)
    scores = np.zeros((tournaments, len(NAMES)))  # Rows are tournaments, columns bots.
    names = np.array([chance.permutation(len(NAMES)) for _ in range(tournaments)])  # each bot's
    for number in range(tournaments):
        called = [replace(bot, name=NAMES[names[number, place]]) for place, bot in enumerate(several)]
        rehearsal = Rehearsal.of(contest, called, house, **SHORT[name])
        legs = rehearsal.played(number)
        scoring = rehearsal.contest.house.scoring if rehearsal.contest.house else None
        ranking = compute_standings(rehearsal.field, [Batch("", (), legs)], scoring)
        found = {line.name: line.score for line in ranking.entrants}
        scores[number] = [found[one.name] for one in called]
    kinds = np.arange(len(NAMES)) % len(entrants)
    of_kind = np.array([scores[:, kinds == kind].mean() for kind in kinds])
    left = scores - of_kind
    by_place = {name: left[names == place] for place, name in enumerate(NAMES)}
    return {name: (float(own.mean()), float(own.std(ddof=1) / math.sqrt(len(own)))) for name, own in by_place.items()}


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("name", sample_params(SHORT, ["snakes"]))
def test_name_of_a_bot_changes_no_score(name: str) -> None:
    """Names are worth at most 3.5 standard errors, which chance exceeds once in 400 contests."""
    effects = by_name(name, 30)
    assert all(abs(mean) <= 3.5 * error + 1e-9 for mean, error in effects.values()), effects
