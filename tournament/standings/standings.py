"""Rank a field by the sums of its legs: scores, errors, the crosstable."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import cast

import numpy as np

from tournament.arrays import Floats
from tournament.contests.scoring import HouseScoring
from tournament.errors import join_names
from tournament.leg import legs_per_replica
from tournament.standings.duplicates import relative_variance
from tournament.standings.house import HousePlay
from tournament.standings.match_rows import MatchRows, match_rows
from tournament.standings.matches import Match, Matches, matches_of
from tournament.standings.settled_order import SettledOrder, SureIntervals, Verdict, looks_of, order_of, settled_order
from tournament.standings.standard_errors import Differences, ScoreErrors
from tournament.standings.tables import pairs_of_tables, tally_of_tables
from tournament.standings.tally import Tally, tally_of_points
from tournament.standings.used import used_by
from tournament.store.field import Batch, ContestSetup, FailedLeg, FieldEntrant, Until
from tournament.store.leg_result import Fault, LegResult, Used
from tournament.store.legs import Legs


@dataclass(frozen=True)
class Standing:
    """An entrant's line; `STANDING` of `tournament.records.values` says what its fields mean.

    `measures` are the contest's own numbers, by name. `stderr_per_session` is the error of `points_per_session`, and
    `freedom` its degrees of freedom.
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
    rank_low: int | None = None
    rank_high: int | None = None
    adjusted_score: float | None = None
    adjusted_stderr: float | None = None
    adjusted_ci_low: float | None = None
    adjusted_ci_high: float | None = None
    measures: Mapping[str, float | None] = field(default_factory=dict)
    points_per_session: float | None = None
    stderr_per_session: float | None = None
    freedom: float = 0.0
    order_status: Verdict | None = None
    significantly_ahead_of: tuple[str, ...] = ()

    @property
    def points_per_game(self) -> float | None:
        """Of a repeated game, points a turn."""
        session = self.points_per_session
        return None if session is None or not self.games else session * self.sessions / self.games

    @property
    def is_tied_with_next(self) -> bool:
        """Whether it isn't settled that the entrant is ahead of the next one."""
        return self.order_status not in (None, "settled")

    @property
    def place(self) -> str:
        """The ranks that may be the true one, as in 2–4; — if nothing can be said."""
        low, high = self.rank_low, self.rank_high
        if low is None:
            return "—" if self.matches else ""
        return f"{low}" if low == high else f"{low}–{high}"


@dataclass(frozen=True)
class Standings:
    """The ranking, the matches in order of their numbers, which are found when they are asked for, and every fault with
    its leg.

    `measured` has a row for each ranked entrant who has met another one, in the same order. By `rounding` points a
    session, of one opponent or several, may be off where bots play each other. `scoring` and `house`, the names of the
    house players, are set where entrants play those; `until`, if they are of a run until the order is settled. At
    tables of other than two `seats`, and where tables are `drawn`, scores are means per session, and `matches` has two
    bots each: see `pairs_of_tables`. `failed_legs` aren't in the records because the contest's rules failed in them.
    """

    entrants: tuple[Standing, ...]
    find_matches: Callable[[], Matches] = field(compare=False)
    faults: tuple[tuple[LegResult, Fault], ...]
    scoring: HouseScoring | None = None
    house: tuple[str, ...] = ()
    until: Until | None = None
    measured: ScoreErrors = field(default_factory=ScoreErrors.nothing, compare=False)
    rounding: float = field(default=0.0, compare=False)
    games: int = 0
    seats: int = 2
    drawn: bool = False
    failed_legs: tuple[FailedLeg, ...] = ()
    rows_of_matches: Callable[[], MatchRows] = field(default=MatchRows.nothing, compare=False)
    began_again: tuple[str, ...] = ()
    find_duplicate_variance: Callable[[], float | None] = field(default=lambda: None, compare=False)
    find_used: Callable[[], Mapping[str, Used]] = field(default=dict, compare=False)
    find_self_play: Callable[[], Mapping[str, Match]] = field(default=dict, compare=False)

    @cached_property
    def duplicate_variance(self) -> float | None:
        """Variance of sums of duplicate matches, as a multiple of that of independent legs; None if unknown."""
        return self.find_duplicate_variance()

    @cached_property
    def matches(self) -> Matches:
        return self.find_matches()

    @cached_property
    def self_play(self) -> Mapping[str, Match]:
        """The matches of bots against copies of themselves, by name; they count for nothing."""
        return self.find_self_play()

    @property
    def is_provisional(self) -> bool:
        """Whether matches are missing in which the rules failed, so that places may change once these are played."""
        return bool(self.failed_legs)

    @property
    def incomplete(self) -> list[Standing]:
        """The lines of bots that were set aside, so that not all of their matches are played."""
        return [line for line in self.entrants if line.status == "incomplete"]

    @property
    def has_means(self) -> bool:
        """Whether scores are means per session."""
        return self.scoring is None and (self.seats != 2 or self.drawn)

    @property
    def ranked(self) -> list[Standing]:
        return [line for line in self.entrants if line.rank is not None]

    @property
    def house_bots(self) -> list[Standing]:
        """The lines of the host's own bots, which play and aren't ranked."""
        return [line for line in self.entrants if line.status == "house"]

    @property
    def below(self) -> list[Standing]:
        """The lines below the line: of bots that don't play."""
        return [line for line in self.entrants if line.rank is None and line.status != "house"]

    @property
    def is_zero_sum(self) -> bool:
        """Whether in each match one has won what the other lost."""
        return bool((self.matches.amounts[:, 0] + self.matches.amounts[:, 2] == 0).all())

    @property
    def sides(self) -> Iterator[Match]:
        """Each match from either side; against house players from the entrant's."""
        for match in self.matches:
            yield match
            if self.scoring is None:
                yield match.from_y()

    def spread(self, rows: Sequence[str], columns: Sequence[str], of_x: Floats, of_y: Floats) -> Floats:
        """A crosstable of these names with a number of each match: x's where it is the row's, and y's, but against
        house players; NaN for those who haven't met."""
        row, column = (self.matches.numbered({name: at for at, name in enumerate(names)}) for names in (rows, columns))
        found = np.full((len(rows), len(columns)), np.nan)
        for own, other, values in ((0, 1, of_x), (1, 0, of_y))[: 2 if self.scoring is None else 1]:
            there = (row[:, own] >= 0) & (column[:, other] >= 0)
            found[row[there, own], column[there, other]] = values[there]
        return found


@dataclass(frozen=True)
class FaultyLegs:
    """The legs with faults, how many faults each bot had, and who is disqualified for what."""

    legs: tuple[LegResult, ...]
    counts: Mapping[str, int]
    disqualified: Mapping[str, str]

    @classmethod
    def of(cls, legs: Legs) -> FaultyLegs:
        """From legs in order; the reason is the telling fault of the first leg in which a bot is disqualified."""
        faulty = [legs[place] for place in np.flatnonzero(legs.faulty).tolist()]
        counts: Counter[str] = Counter()
        disqualified: dict[str, str] = {}
        for leg in faulty:
            for seat, name in enumerate(leg.seats):
                counts[name] += leg.fault_count(seat)
            for own in leg.out:
                told = leg.telling_fault(own)
                disqualified.setdefault(
                    leg.seats[own],
                    f"{told.message}, in {told.decision} against {join_names(leg.opponents(own))},"
                    f" session {told.session}, game {told.game}",
                )
        return cls(tuple(faulty), counts, disqualified)


def compute_standings(field: ContestSetup, batches: Sequence[Batch], scoring: HouseScoring | None = None) -> Standings:
    """Rank a field by the legs that count: by sums of points, or by a scoring of play against house players.

    A match that was played in several replicas counts by the mean of their points. A run until the order is settled
    judges by scores without luck. Sums are added in the order of match and leg numbers, so the order of commits changes
    no bit.
    """
    facts = {player.name: player.facts for player in field.house}
    legs = Legs.joined(batch.legs for batch in batches)
    if scoring is not None:
        legs = legs.among(legs.names, facts)
    legs = legs.in_order()
    seats, drawn = legs.seats, "tables" in field.settings
    per_replica = legs_per_replica(field.settings, seats)
    by_tables = scoring is None and (seats != 2 or drawn)
    faulty = FaultyLegs.of(legs)
    fit = [e for e in field.entrants if e.problem is None and e.name not in faulty.disqualified]
    names = [entrant.name for entrant in fit]

    def tally_of(legs: Legs) -> Tally:
        if scoring is not None:
            return HousePlay(legs, scoring, facts).tally(names)
        if by_tables:
            return tally_of_tables(names, legs, per_replica, drawn=drawn)
        return tally_of_points(names, legs, per_replica)

    tally = tally_of(legs)
    counting = legs if by_tables else legs.among({*names})
    less_luck = counting.without_luck()
    adjusted = tally if less_luck is counting else tally_of(less_luck)
    order = _order(fit, tally)
    met = [index for index in order if tally.opponents[index] and not fit[index].is_house]
    measured = tally.measured.of(met)
    sure: SettledOrder | SureIntervals
    if field.until:
        each = per_replica if scoring is None else cast(int, field.settings["sessions"])
        opponents = len(facts) if scoring else _tables_of_each(field, fit, seats, len(met))
        counts = looks_of(field.until)
        counts = counts[: _looks_so_far(counts, less_luck, each, [names[index] for index in met], opponents)]
        looks: list[Differences] = [
            tally_of(less_luck.chosen(np.flatnonzero(less_luck.number < count * each))).measured.of(met).differences
            for count in counts
        ]
        sure = settled_order(looks, field.until, len(met))
    else:
        sure = order_of(measured)
    ranked = _ranked(fit, order, tally, adjusted, faulty, sure, has_places=bool(field.until) or measured.tells)
    return Standings(
        tuple(ranked + _below_the_line(field, faulty)),
        partial(pairs_of_tables, legs, per_replica, field.numbers, drawn=drawn)
        if by_tables
        else partial(_matches, legs, per_replica, scoring, facts),
        tuple((leg, fault) for leg in faulty.legs for fault in leg.faults),
        scoring,
        tuple(facts),
        field.until,
        measured,
        max(
            (float(tally.rounding[index]) / tally.lengths[index] for index in met if tally.lengths[index]), default=0.0
        ),
        int(legs.games.sum()),
        seats,
        drawn,
        field.failed_legs,
        partial(_rows_of_matches, legs, per_replica, scoring, facts, drawn),
        tuple(sorted({name for leg in np.flatnonzero(legs.tries > 1).tolist() for name in legs[leg].seats})),
        partial(relative_variance, counting, 1 if scoring or drawn else per_replica),
        partial(used_by, legs),
    )


def _matches(
    legs: Legs, per_replica: int, scoring: HouseScoring | None, facts: Mapping[str, Mapping[str, float]]
) -> Matches:
    return matches_of(legs, per_replica, HousePlay(legs, scoring, facts) if scoring else None)


def _rows_of_matches(
    legs: Legs,
    per_replica: int,
    scoring: HouseScoring | None,
    facts: Mapping[str, Mapping[str, float]],
    drawn: bool,
) -> MatchRows:
    return match_rows(legs, per_replica, HousePlay(legs, scoring, facts) if scoring else None, drawn=drawn)


def _looks_so_far(counts: Sequence[int], legs: Legs, each: int, names: Sequence[str], opponents: int) -> int:
    """How many looks a run has had: after this many replicas, of this many legs each, of all matches of these."""
    rows = {name: row for row, name in enumerate(names)}
    ranges = legs.matches()
    starts = np.repeat(ranges[:, 0], np.diff(ranges).ravel())
    leading = legs.number == np.arange(len(legs)) - starts  # legs of a match, the first ones without a gap
    whole = np.add.reduceat(leading, ranges[:, 0]) // each if len(ranges) else np.zeros(0, np.int64)
    places = [legs.numbered(seat, rows)[ranges[:, 0]] for seat in range(legs.seats)]
    found = 0
    for count in counts:
        met = np.zeros(len(names) + 1, np.int64)
        for place in places:
            np.add.at(met, place[whole >= count], 1)
        if not len(names) or opponents < 1 or (met[:-1] < opponents).any():
            break
        found += 1
    return found


def _tables_of_each(field: ContestSetup, fit: Sequence[FieldEntrant], seats: int, entrants: int) -> int:
    """Return how many matches each of this many entrants has, if all combinations are played."""
    house = sum(one.is_house for one in fit)
    if not (taken := int(str(field.settings.get("house_seats", 0)))):
        return math.comb(entrants + house - 1, seats - 1) if entrants else 0
    return math.comb(entrants - 1, seats - taken - 1) * math.comb(house, taken) if entrants else 0


def _order(fit: Sequence[FieldEntrant], tally: Tally) -> list[int]:
    """Return the fit entrants, best first: those that have met another one, those that haven't, and the host's."""
    compared = tally.measured.scores
    return sorted(
        range(len(fit)),
        key=lambda index: (fit[index].is_house, not tally.opponents[index], -compared[index], fit[index].name),
    )


def _ranked(
    fit: Sequence[FieldEntrant],
    order: Sequence[int],
    tally: Tally,
    adjusted: Tally,
    faulty: FaultyLegs,
    sure: SettledOrder | SureIntervals,
    *,
    has_places: bool,
) -> list[Standing]:
    """The lines of those who are ranked, and of the host's bots, in order. `adjusted`: the tally less luck."""
    met = [index for index in order if tally.opponents[index] and not fit[index].is_house]  # these come first
    intervals = _intervals(tally)
    less_luck = intervals if adjusted is tally else _intervals(adjusted)
    lines = []
    for place, index in enumerate(order):
        entrant, own, without_luck = fit[index], intervals[index], less_luck[index]
        # A bot at too few drawn tables has no place. The others have.
        is_placed = place < len(met) and has_places and (sure.unknown is None or not sure.unknown[place])
        rank_low, rank_high = sure.bounds[place] if is_placed else (None, None)
        has_next = place + 1 < len(met)
        score, length = float(tally.scores[index]), tally.lengths[index]
        lines.append(
            Standing(
                entrant.name,
                entrant.kind,
                entrant.sha256,
                rank=None if entrant.is_house else place + 1,
                score=score,
                stderr=own.stderr,
                ci_low=own.low,
                ci_high=own.high,
                matches=tally.opponents[index],
                sessions=int(tally.sessions[index]),
                games=int(tally.games[index]),
                faults=faulty.counts.get(entrant.name, 0),
                status="house" if entrant.is_house else "incomplete" if entrant.set_aside else "ok",
                reason=entrant.set_aside and f"not all played, set aside in the last run: {entrant.set_aside}",
                adjusted_score=without_luck.score,
                adjusted_stderr=without_luck.stderr,
                adjusted_ci_low=without_luck.low,
                adjusted_ci_high=without_luck.high,
                rank_low=rank_low,
                rank_high=rank_high,
                order_status=sure.verdicts[place] if has_next else None,
                significantly_ahead_of=tuple(
                    fit[met[other]].name for other in (sure.nearest_behind[place] if place < len(met) else ())
                ),
                measures=tally.measures[index],
                points_per_session=score / length if length else None,
                stderr_per_session=own.stderr / length if length and own.stderr is not None else None,
                freedom=own.freedom,
            )
        )
    return lines


def _below_the_line(field: ContestSetup, faulty: FaultyLegs) -> list[Standing]:
    """The lines of those who are broken or disqualified, or were set aside before they played, by name."""
    return [
        Standing(
            entrant.name,
            entrant.kind,
            entrant.sha256,
            faults=faulty.counts.get(entrant.name, 0),
            status="disqualified" if entrant.problem is None else "incomplete" if entrant.set_aside else "broken",
            reason=faulty.disqualified[entrant.name] if entrant.problem is None else entrant.problem,
        )
        for entrant in sorted(field.entrants, key=lambda entrant: entrant.name)
        if entrant.problem is not None or entrant.name in faulty.disqualified
    ]


@dataclass(frozen=True)
class _Interval:
    """A score, its standard error, the ends of its interval of 95%, and the error's degrees of freedom.

    What can't be told is None.
    """

    score: float | None = None
    stderr: float | None = None
    low: float | None = None
    high: float | None = None
    freedom: float = 0.0


def _intervals(tally: Tally) -> list[_Interval]:
    measured = tally.measured
    errors, reaches = (values * tally.divisors for values in (measured.stderr, measured.ci_half_width))
    columns = (tally.scores, errors, reaches, measured.freedom)
    found = []
    for score, error, reach, freedom in zip(*(column.tolist() for column in columns)):
        known = not math.isnan(error)
        found.append(_Interval(score, error, score - reach, score + reach, freedom) if known else _Interval(score))
    return found
