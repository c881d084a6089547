"""Scores, differences and pairs at tables of three seats and more, and at drawn ones."""

from __future__ import annotations

import itertools
import math

import numpy as np
import numpy.typing as npt
import pytest

from tests.oracles.deals import key_of
from tournament.arrays import Floats
from tournament.runner.schedule.fixtures import Competitor, Replicas
from tournament.runner.schedule.legs import RoundRobin
from tournament.standings.standings import Standings, compute_standings
from tournament.standings.tables import pair_results
from tournament.store.field import Batch, ContestSetup, FieldEntrant, Setting
from tournament.store.leg_result import RareFields, Used
from tournament.store.leg_sums import LegSums
from tournament.store.legs import DIGESTS, Legs

SESSIONS = 5


def field_of(bots: int, **settings: Setting) -> ContestSetup:
    names = [f"bot_{number:02}" for number in range(bots)]
    entrants = tuple(FieldEntrant(number, name, "c", "0" * 64, "0" * 64, None) for number, name in enumerate(names))
    return ContestSetup("c", "9.1", {"sessions": SESSIONS, **settings}, entrants, {e.name: e.number for e in entrants})


def schedule_of(field: ContestSetup, seats: int | None, replicas: int) -> RoundRobin:
    competitors = [Competitor(one.number, one.name, "wasm", one.name) for one in field.entrants]
    tables = field.settings.get("tables")
    assert tables is None or isinstance(tables, int)
    return RoundRobin(
        "c", {"sessions": SESSIONS}, key_of(1), competitors, replicas=Replicas(replicas), seats=seats, tables=tables
    )


def places_at(schedule: RoundRobin) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """Match and number of each leg, and the bots at its seats."""
    legs = list(schedule.fixtures())
    seats = np.array([[seat.number for seat in leg.seats] for leg in legs], np.int32)
    return np.array([(leg.match, leg.number) for leg in legs], np.int64), seats


def legs_of(field: ContestSetup, places: npt.NDArray[np.int64], seats: npt.NDArray[np.int32], points: Floats) -> Legs:
    """Legs in which each seat has won these points."""
    count = len(places)
    sums = np.zeros((count, seats.shape[1], len(LegSums._fields)))
    sums[:, :, 0], sums[:, :, 1] = points, points**2
    whole = np.concatenate([places, np.full((count, 2), SESSIONS)], axis=1)
    digest = np.array([b"%032d" % number for number in range(count)], DIGESTS)
    names = tuple(one.name for one in field.entrants)
    none = np.zeros(count, np.int32)
    whole, seconds = np.asfortranarray(whole), np.zeros(count, np.float32)
    used = np.zeros((count, seats.shape[1], len(Used._fields)), np.float32)
    return Legs(digest, names, seats, none - 1, whole, sums, (RareFields(),), none, seconds, used).in_order()


def ranked(field: ContestSetup, legs: Legs) -> Standings:
    return compute_standings(field, [Batch("", (), legs)])


@pytest.mark.parametrize("seats", [1, 3])
def test_scores_and_differences_at_tables_are_plain_sums_over_matches(seats: int) -> None:
    field, replicas, chance = field_of(6), 3, np.random.default_rng(1)
    places, at = places_at(schedule_of(field, seats, replicas))
    points = chance.normal(at, 2.0)
    found = ranked(field, legs_of(field, places, at, points))
    own: dict[int, dict[int, list[float]]] = {number: {} for number in range(6)}
    for (match, _), bots, won in zip(places.tolist(), at.tolist(), points.tolist()):
        for bot, value in zip(bots, won):
            own[bot].setdefault(match, []).append(value / SESSIONS)
    means = {bot: np.mean([np.mean(each) for each in matches.values()]) for bot, matches in own.items()}
    for line in found.ranked:
        bot = field.numbers[line.name]
        variance = sum(np.var(each, ddof=1) / replicas for each in own[bot].values()) / len(own[bot]) ** 2
        assert line.score == line.points_per_session == pytest.approx(means[bot])
        assert line.stderr == pytest.approx(math.sqrt(variance))
        assert (line.matches, line.sessions) == (len(own[bot]), SESSIONS * replicas * len(own[bot]))
    order = [field.numbers[line.name] for line in found.ranked]
    for (row, one), (column, other) in itertools.combinations(enumerate(order), 2):
        variance = 0.0
        for match in own[one].keys() | own[other].keys():
            each = [np.array(own[bot].get(match, [0.0] * replicas)) / len(own[bot]) for bot in (one, other)]
            variance += np.var(each[0] - each[1], ddof=1) / replicas
        assert found.measured.differences.error(row, column) == pytest.approx(math.sqrt(variance))


@pytest.mark.parametrize(("seats", "tables"), [(3, None), (3, 6), (2, 1)])
def test_crosstable_has_leads_at_common_tables(seats: int, tables: int | None) -> None:
    field = field_of(7) if tables is None else field_of(7, tables=tables)
    places, at = places_at(schedule_of(field, seats, 3))
    points = np.random.default_rng(2).normal(size=at.shape)
    found = pair_results(legs_of(field, places, at, points), 1, field.numbers, drawn=tables is not None)
    pairs = {(field.numbers[one.x], field.numbers[one.y]): one for one in found}
    for x, y in itertools.combinations(range(7), 2):
        both = [(won[bots.index(x)], won[bots.index(y)]) for bots, won in zip(at.tolist(), points) if {x, y} <= {*bots}]
        if not both:
            assert (x, y) not in pairs
            continue
        lead = sum(one - other for one, other in both)
        assert pairs[x, y].legs == len(both) and pairs[x, y].sessions == SESSIONS * len(both)
        if seats == 2:
            assert pairs[x, y].points_0 == pytest.approx(sum(one for one, _ in both))
            assert pairs[x, y].points_0 - pairs[x, y].points_1 == pytest.approx(lead)
        else:
            assert pairs[x, y].points_0 == -pairs[x, y].points_1 == pytest.approx(lead)
        if tables is not None and len(both) > 1:
            leads = np.array([one - other for one, other in both])
            assert pairs[x, y].lead_stderr == pytest.approx(
                math.sqrt(len(both) * leads.var(ddof=1)) * (1 if seats == 2 else 2)
            )


@pytest.mark.parametrize("count", [7, 2100])
def test_bot_at_too_few_drawn_tables_hides_only_own_place(count: int) -> None:
    """Few bots are tested pair by pair, many aren't."""
    chance, field = np.random.default_rng(4), field_of(count, tables=30)
    late = count - 1
    at = np.array(
        [[low, low + 1, low + 2] for low in range(late - 2) for _ in range(30)] + [[0, 1, late]] * 2, np.int32
    )
    places = np.stack([np.arange(len(at)), np.zeros(len(at), np.int64)], axis=1)
    line_of = {
        line.name: line for line in ranked(field, legs_of(field, places, at, chance.normal(-10.0 * at))).entrants
    }
    own = line_of[f"bot_{late:02}"]
    assert (own.matches, own.rank_range, own.stderr) == (2, "—", None)
    # The late bot may be anywhere, so that the others' bounds leave it a rank.
    assert [line_of[f"bot_{bot:02}"].rank_range for bot in range(3)] == [f"{bot + 1}–{bot + 2}" for bot in range(3)]
