"""Simulated tournaments: equals are told apart in one of twenty at most, and intervals of 95% hold.

Each cell is a way to play and to compare. The trials of a cell have fixed seeds, and its bounds are standard errors.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from tests.standings import test_tables
from tests.standings.test_places import BLOCKS, differences_of, residuals_of
from tests.standings.test_standings import batch_of, field_of, leg_of
from tests.standings.test_stopping import looks_at, settled
from tournament.standings.bradley_terry import ELO, Wins
from tournament.standings.rank_bounds import significantly_ahead, transitive_closure
from tournament.standings.ratings import elo
from tournament.standings.settled_order import run_analysis_counts
from tournament.standings.standard_errors import degrees_of_freedom
from tournament.standings.standings import Standings, compute_standings
from tournament.standings.stopping import MIN_REPLICAS, analysis_counts, critical_value, sequentially_ahead
from tournament.standings.student_t import quantile, quantiles
from tournament.store.field import Until
from tournament.store.legs import Legs
from tournament.trial.paired_tables import PairedTables, mean_and_error
from tournament.trial.sequential import Difference, analyse


class Trial(NamedTuple):
    """The outcome of a simulated tournament.

    Attributes:
        wrong: Whether equals were told apart.
        held: Number of intervals with the true value in them.
        intervals: Number of intervals.
        found: Number of unequal pairs that were told apart, or of replicas until twins stopped.
    """

    wrong: bool
    held: int = 0
    intervals: int = 0
    found: int = 0


def trial_of(found: Standings, twin: Callable[[str], str]) -> Trial:
    """Return what standings say of twins, which have the same `twin`."""
    names = [line.name for line in found.ranked]
    ahead = transitive_closure(
        np.array([[one in line.significantly_ahead_of for one in names] for line in found.ranked])
    )
    twins = [(x, y) for x, y in itertools.combinations(range(len(names)), 2) if twin(names[x]) == twin(names[y])]
    wrong = any(ahead[x, y] or ahead[y, x] for x, y in twins)
    differences, held = found.measured.differences, 0
    for x, y in twins:
        reach = differences.ci_half_width(x, y)
        held += reach is not None and abs(float(differences.means[x, y])) <= reach
    return Trial(wrong, held, len(twins), int(ahead.sum()))


def learners(replicas: int, chance: np.random.Generator) -> Trial:
    """Play ten bots, of each two: what one comes to think of another in its first games stays for the leg."""
    names = [f"{kind}_{number}" for kind in "abcde" for number in (1, 2)]
    field, legs = field_of(names), []
    for number, (x, y) in itertools.product(range(replicas), itertools.combinations(names, 2)):
        points = ord(y[0]) - ord(x[0]) + chance.normal() + chance.normal(0, 3, 64)
        legs.append(leg_of(field, x, y, points, number))
    return trial_of(compute_standings(field, [batch_of(*legs)]), lambda name: name[0])


def at_tables(seats: int | None, replicas: int, tables: int | None, learns: bool, chance: np.random.Generator) -> Trial:
    """Play twins at tables at which one wins what the others lose, or each learns once a leg what suits it."""
    bots = 8 if seats is None else 12
    field = test_tables.field_of(bots) if tables is None else test_tables.field_of(bots, tables=tables)
    places, at = test_tables.places_at(test_tables.schedule_of(field, seats, replicas))
    strength = (at // 2).astype(float)
    if learns:
        won = strength * 0.5 + chance.choice([-3.0, 6.0], at.shape, p=[2 / 3, 1 / 3]) * (1 + at // 2 % 3)
    else:
        won = strength + chance.normal(0, 4.0, at.shape)
    legs = test_tables.legs_of(field, places, at, won - won.mean(axis=1, keepdims=True))
    return trial_of(test_tables.ranked(field, legs), lambda name: f"{field.numbers[name] // 2}")


def holm(chance: np.random.Generator) -> Trial:
    """Test all pairs of eight equals, which share luck and whose noise differs."""
    mixing = np.random.default_rng(2).normal(size=(8, 8)) + 2 * np.eye(8)
    blocks = mixing @ chance.normal(size=(8, BLOCKS))
    return Trial(bool(significantly_ahead(differences_of(blocks.sum(axis=1), residuals_of(blocks))).any()))


def several_looks(counts: tuple[int, ...], error_rate: float, chance: np.random.Generator) -> Trial:
    """Look at the difference of two equals again and again."""
    values = chance.normal(0, 3, counts[-1])
    for look, count in enumerate(counts):
        seen = values[:count]
        error = float(seen.std(ddof=1)) / math.sqrt(count)
        if abs(seen.mean()) > critical_value(counts, look, error_rate, count - 1) * error:
            return Trial(True)
    return Trial(False)


def sequential(chance: np.random.Generator) -> Trial:
    """Have `match --until-settled` look at two equals."""
    values, counts = chance.normal(0, 2, 200), analysis_counts(MIN_REPLICAS, 200)
    for count in counts:
        seen = values[:count]
        difference = Difference(float(seen.mean()), float(seen.std(ddof=1)) / math.sqrt(count), count - 1)
        if (found := analyse(0.95, difference, count, counts)).done:
            break
    return Trial(found.verdict != "open")


def settled_neighbours(chance: np.random.Generator) -> Trial:
    """Look at three equals among bots far away, whose pairs leave their share of the error rate to the others."""
    counts, means = analysis_counts(4, 24), np.array([60.0, 40.0, 20.0, 0.0, 0.0, 0.0, -20.0])
    scores = means[:, np.newaxis] + chance.normal(0, 3, (7, 24))
    sure = sequentially_ahead(looks_at(scores.tolist(), counts), counts, 0.2)
    assert sure[0, 1] and sure[5, 6] and not sure[1, 0] and not (sure & sure.T).any()
    return Trial(bool(sure[3:6, 3:6].any()))


def paired(tables: int, chance: np.random.Generator) -> Trial:
    """Compare equal versions at few tables, whose companions matter more than the versions do."""
    companions = 100 * chance.integers(0, 3, tables)
    points = companions + 30 * chance.standard_normal(tables) + 5 * chance.standard_exponential((2, tables))
    mean, error, freedom = mean_and_error(PairedTables([()] * tables, points).differences)
    assert error is not None
    is_held = abs(mean) <= quantile(0.975, freedom) * error
    return Trial(not is_held)


ELO_NAMES, ELO_LEADS = ["ann", "bob", "cat"], np.array([0.4, 0.0, -0.4])


def elo_of_replicas(replicas: int, chance: np.random.Generator) -> Trial:
    """Rate bots whose matches are decided by their first games: of one replica, blocks of sessions go together."""
    field, pairs = field_of(ELO_NAMES), list(itertools.combinations(range(3), 2))
    legs, rows = [], []
    for number, (x, y) in itertools.product(range(replicas), pairs):
        lead = ELO_LEADS[x] - ELO_LEADS[y] + (chance.normal(0, 0.5) if replicas > 1 else 0.0)
        legs.append(leg_of(field, ELO_NAMES[x], ELO_NAMES[y], np.zeros(320), number))
        each = 10 if replicas > 1 else 1
        rows.append(chance.binomial(each, 1 / (1 + math.exp(-lead)), BLOCKS) * (10.0 / each))
    ordered, won = Legs.from_results(legs), np.array(rows)
    order = np.lexsort((ordered.number, ordered.match))
    wins = Wins(ordered.take(order), won[order], np.zeros_like(won))
    ranked = compute_standings(field, [batch_of(*(leg for leg in legs if not leg.number))])
    held = 0
    for line in elo(ranked, wins):
        assert line.ci_half_width is not None
        held += abs(line.rating - ELO * ELO_LEADS[ELO_NAMES.index(line.name)]) < line.ci_half_width + 3
    return Trial(False, held, 3)


def stopped_early(lead: float, chance: np.random.Generator) -> Trial:
    """Stop the comparison of two bots as soon as more replicas seem to be useless, and play these all the same."""
    until = Until(0.95, 1, 64)
    values: list[list[float]] = chance.normal(np.array([[lead], [0.0]]), 1, (2, 64)).tolist()
    for count in run_analysis_counts(until):
        verdict = settled([row[:count] for row in values], until).verdicts[0]
        if verdict != "open":
            break
    if lead == 0:
        return Trial(verdict == "settled", found=count)
    return Trial(verdict == "too_close" and settled(values, until).verdicts[0] == "settled")


class Cell(NamedTuple):
    """A way to play and to compare, the number of its trials, and the share of them that may be wrong."""

    simulate: Callable[[np.random.Generator], Trial]
    trials: int
    rate: float = 0.05
    is_exact: bool = False  # the share isn't far below the rate either


CELLS = {
    "four replicas": Cell(partial(learners, 4), 40),
    "ten replicas": Cell(partial(learners, 10), 30),
    "tables of three": Cell(partial(at_tables, 3, 2, None, False), 60),
    "Holm's correction": Cell(holm, 1500),
    "fourteen looks": Cell(partial(several_looks, analysis_counts(4, 64), 0.05), 1000, is_exact=True),
    "few looks": Cell(partial(several_looks, analysis_counts(4, 16), 0.1), 1000, 0.1, is_exact=True),
    "match until settled": Cell(sequential, 400),
    "settled neighbours": Cell(settled_neighbours, 100, 0.2),
    "four paired tables": Cell(partial(paired, 4), 1000, is_exact=True),
    "forty paired tables": Cell(partial(paired, 40), 1000, is_exact=True),
    "Elo of one replica": Cell(partial(elo_of_replicas, 1), 100),
    "Elo of four replicas": Cell(partial(elo_of_replicas, 4), 100),
    "twins that stop early": Cell(partial(stopped_early, 0.0), 24),
    "bots that stop early": Cell(partial(stopped_early, 0.5), 48),
}
MORE_TABLES = {
    "drawn pairs": (2, 1, 10, False),
    "one table": (None, 4, None, True),
    "drawn fours": (4, 1, 10, True),
    "drawn threes": (3, 10, 10, True),
    "drawn sixes": (6, 4, 10, True),
    "five tables of six": (6, 2, 5, False),
}
CELLS |= {name: Cell(partial(at_tables, *how), 60) for name, how in MORE_TABLES.items()}


@pytest.mark.statistical
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.thorough] * (name in MORE_TABLES)) for name in CELLS]
)
def test_equals_are_told_apart_rarely_and_intervals_hold(name: str) -> None:
    cell = CELLS[name]
    trials = [cell.simulate(np.random.default_rng([83, number])) for number in range(cell.trials)]
    wrong, error = sum(one.wrong for one in trials), math.sqrt(cell.rate * (1 - cell.rate) * cell.trials)
    assert wrong <= cell.rate * cell.trials + 3 * error
    assert wrong >= 0.8 * cell.rate * cell.trials - 3 * error or not cell.is_exact
    if intervals := sum(one.intervals for one in trials):
        assert sum(one.held for one in trials) / intervals > 0.93
    found = sum(one.found for one in trials) / cell.trials
    assert name != "ten replicas" or found > 1, "nothing is told apart"
    assert name != "twins that stop early" or found < 0.7 * 64, "most replicas are played"


@pytest.mark.statistical
def test_stratum_of_one_degree_has_intervals_that_hold() -> None:
    """Two replicas, and sixteen matches of unequal spread: plain Satterthwaite degrees would be a third."""
    chance, trials = np.random.default_rng(3), 4000
    spread: npt.NDArray[np.float64] = chance.uniform(0.5, 1.5, 16)
    each = chance.normal(0, spread[:, np.newaxis], (trials, 16, 2))
    v = each.var(axis=2, ddof=1) / 2
    freedom = degrees_of_freedom(v.sum(axis=1), (v * v / 3).sum(axis=1), 1)
    true = (spread**2).sum() ** 2 / (spread**4).sum()
    assert 0.75 * true < np.median(freedom) < 1.4 * true
    held = np.abs(each.mean(axis=2).sum(axis=1)) < quantiles(0.975, freedom) * np.sqrt(v.sum(axis=1))
    assert held.mean() == pytest.approx(0.95, abs=3.5 * math.sqrt(0.95 * 0.05 / trials))
