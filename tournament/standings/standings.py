"""From the ledger's sums to ranked data: scores, errors, the crosstable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tournament.contests.scoring import HouseScoring
from tournament.leg import legs_per_replica
from tournament.standings.house import HousePlay
from tournament.standings.matches import Match, matches_of
from tournament.standings.places import nearest_behind, order_probabilities, rank_bounds, surely_ahead
from tournament.standings.student import quantile
from tournament.standings.tally import Tally, tally_of_points
from tournament.standings.without_luck import LuckOfLegs, corrected_legs
from tournament.store.ledger import Batch, Field, FieldEntrant
from tournament.store.legs import Fault, LegResult, Legs


@dataclass(frozen=True)
class Standing:
    """An entrant's line. Score is in points; `rank` is None below the line.

    `order_probability`: how probable it is that the entrant is better than the next one.
    `rank_low` and `rank_high` bound its true rank, all bounds at once with 95%: entrants with
    the same `rank_low` share a place. The adjusted score is corrected for luck, None
    where that isn't worked out yet. `order`, of the entrant and the next one, is settled,
    tied or open in a run until the order is settled. `surely_ahead_of` names the nearest of those surely behind it:
    the others follow from theirs. `measures` are the contest's own numbers, by name.
    """

    name: str
    kind: str
    sha256: str
    rank: int | None = None
    score: float = 0.0
    stderr: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    matches: int = 0
    sessions: int = 0
    games: int = 0
    faults: int = 0
    status: str = "ok"
    reason: str | None = None
    order_probability: float | None = None
    rank_low: int | None = None
    rank_high: int | None = None
    adjusted_score: float | None = None
    adjusted_stderr: float | None = None
    adjusted_ci_low: float | None = None
    adjusted_ci_high: float | None = None
    measures: Mapping[str, float | None] = field(default_factory=dict)
    points_per_session: float | None = None
    order: str | None = None
    surely_ahead_of: tuple[str, ...] = ()


@dataclass(frozen=True)
class Standings:
    """The ranking, the matches in order of their numbers, and every fault with its leg.

    `scoring` and `house`, the names of the house players, are set where entrants play those.
    """

    entrants: tuple[Standing, ...]
    matches: tuple[Match, ...]
    faults: tuple[tuple[LegResult, Fault], ...]
    scoring: HouseScoring | None = None
    house: tuple[str, ...] = ()

    @property
    def games(self) -> int:
        return sum(match.games for match in self.matches)


@dataclass(frozen=True)
class FaultyLegs:
    """The legs with faults, how many faults each bot had, and who is disqualified for what."""

    legs: tuple[LegResult, ...]
    counts: Mapping[str, int]
    disqualified: Mapping[str, str]

    @classmethod
    def of(cls, legs: Legs) -> FaultyLegs:
        """From legs in order; the reason is the first fault that ended one."""
        faulty = [legs[place] for place, rest in enumerate(legs.rest) if rest.faults or any(rest.faults_left_out)]
        counts: Counter[str] = Counter()
        disqualified: dict[str, str] = {}
        for leg in faulty:
            bots = (leg.x, leg.y)
            for seat, name in enumerate(bots):
                counts[name] += leg.fault_count(seat)
            if leg.ended_by is not None:
                last = [fault for fault in leg.faults if fault.seat == leg.ended_by][-1]
                disqualified.setdefault(
                    bots[leg.ended_by],
                    f"{last.what}, in {last.question} against {bots[1 - leg.ended_by]}, session {last.session},"
                    f" game {last.game}",
                )
        return cls(tuple(faulty), counts, disqualified)


def compute_standings(
    field: Field, batches: Sequence[Batch], scoring: HouseScoring | None = None, luck: LuckOfLegs | None = None
) -> Standings:
    """Rank a field by the legs that count: by sums of points, or by a scoring of play against house players.

    A match that was played in several replicas counts by the mean of their points. `luck` is the luck known so far;
    None where the contest has no correction for it.
    Sums are added in the order of match and leg numbers, so the order of commits changes no bit.
    """
    facts = {player.name: player.facts for player in field.house}
    legs = Legs.joined(Legs.of(batch.legs) for batch in batches)
    if scoring is not None and not all(map(facts.__contains__, legs.y)):
        legs = legs.chosen([place for place, name in enumerate(legs.y) if name in facts])
    legs = legs.in_order()
    per_replica = legs_per_replica(field.settings)
    faulty = FaultyLegs.of(legs)
    fit = [e for e in field.entrants if e.problem is None and e.name not in faulty.disqualified]

    def house_of(legs: Legs) -> HousePlay | None:
        return None if scoring is None else HousePlay(legs, scoring, facts)

    def tally_of(legs: Legs, house: HousePlay | None) -> Tally:
        return house.tally(fit) if house else tally_of_points(fit, legs, per_replica)

    house = house_of(legs)
    tally = tally_of(legs, house)
    adjusted: Tally | None = tally
    if luck is not None:
        corrected = corrected_legs(legs.among({entrant.name for entrant in fit} | facts.keys()), luck)
        adjusted = None if corrected is None else tally_of(corrected, house_of(corrected))
    return Standings(
        tuple(_ranked(fit, tally, adjusted, faulty) + _below_the_line(field, faulty)),
        matches_of(legs, per_replica, house),
        tuple((leg, fault) for leg in faulty.legs for fault in leg.faults),
        scoring,
        tuple(facts),
    )


def _ranked(fit: Sequence[FieldEntrant], tally: Tally, adjusted: Tally | None, faulty: FaultyLegs) -> list[Standing]:
    """The lines of those who are ranked, best first. `adjusted`: the tally of the legs less luck, if known."""
    per_match = tally.per_match()
    order = sorted(range(len(fit)), key=lambda index: (not tally.opponents[index], -per_match[index], fit[index].name))
    residuals, freedom = tally.joint_residuals()
    residuals = (residuals / np.maximum(1, tally.divisors)[:, np.newaxis])[order]
    met = [place for place, index in enumerate(order) if tally.opponents[index]]
    ranked_by = per_match[order]
    sure = [*order_probabilities(ranked_by, residuals, freedom), None]
    ahead = surely_ahead(ranked_by[met], residuals[met], freedom)
    bounds = dict(zip(met, rank_bounds(ahead)))
    nearest = dict(zip(met, nearest_behind(ahead)))
    intervals = _intervals(tally)
    less_luck = intervals if adjusted is tally else _intervals(adjusted) if adjusted else [_Interval()] * len(fit)
    lines = []
    for place, index in enumerate(order):
        entrant, own, without_luck = fit[index], intervals[index], less_luck[index]
        rank_low, rank_high = bounds.get(place, (None, None))
        score = float(tally.scores[index])
        lines.append(
            Standing(
                entrant.name,
                entrant.kind,
                entrant.sha256,
                rank=place + 1,
                score=score,
                stderr=own.stderr,
                ci_low=own.low,
                ci_high=own.high,
                matches=tally.opponents[index],
                sessions=int(tally.sessions[index]),
                games=int(tally.games[index]),
                faults=faulty.counts.get(entrant.name, 0),
                order_probability=sure[place],
                adjusted_score=without_luck.score,
                adjusted_stderr=without_luck.stderr,
                adjusted_ci_low=without_luck.low,
                adjusted_ci_high=without_luck.high,
                rank_low=rank_low,
                rank_high=rank_high,
                surely_ahead_of=tuple(fit[order[met[other]]].name for other in nearest.get(place, ())),
                measures=tally.measures[index],
                points_per_session=score / tally.lengths[index] if tally.lengths[index] else None,
            )
        )
    return lines


def _below_the_line(field: Field, faulty: FaultyLegs) -> list[Standing]:
    """The lines of those who are broken or disqualified, by name."""
    return [
        Standing(
            entrant.name,
            entrant.kind,
            entrant.sha256,
            faults=faulty.counts.get(entrant.name, 0),
            status="disqualified" if entrant.problem is None else "broken",
            reason=entrant.problem or faulty.disqualified[entrant.name],
        )
        for entrant in sorted(field.entrants, key=lambda entrant: entrant.name)
        if entrant.problem is not None or entrant.name in faulty.disqualified
    ]


@dataclass(frozen=True)
class _Interval:
    """A score, its standard error, and the ends of its interval of 95%; None for what can't be told."""

    score: float | None = None
    stderr: float | None = None
    low: float | None = None
    high: float | None = None


def _intervals(tally: Tally) -> list[_Interval]:
    found = []
    for score, (error, freedom) in zip(tally.scores.tolist(), tally.estimates()):
        if error is None:
            found.append(_Interval(score))
        else:
            reach = quantile(0.975, freedom) * error
            found.append(_Interval(score, error, score - reach, score + reach))
    return found
