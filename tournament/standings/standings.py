"""Ranking a field by the sums of its legs: scores, errors and the crosstable."""

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
from tournament.standings.matches import Match, Matches, compute_matches
from tournament.standings.settled_order import (
    SettledOrder,
    SimultaneousIntervals,
    Verdict,
    order_scores,
    run_analysis_counts,
    settled_order,
)
from tournament.standings.standard_errors import Differences, ScoreErrors
from tournament.standings.tables import pair_results, tally_tables
from tournament.standings.tally import Tally, tally_points
from tournament.standings.used import used_by
from tournament.store.field import Batch, ContestSetup, FailedLeg, FieldEntrant, Until
from tournament.store.leg_result import Fault, LegResult, Used
from tournament.store.legs import Legs


@dataclass(frozen=True)
class Standing:
    """An entrant's line. `STANDING` of `tournament.records.values` describes the same fields for users.

    Attributes:
        name: Name of the bot.
        kind: Kind of the bot, such as c or python.
        sha256: Hash of the bot's file.
        rank: Rank from 1, which no two bots share. None for the host's own bots and for bots that don't play.
        score: Sum of points, mean points per session, or the contest's own score, as `STANDING` says. 0.0 if the bot
            has no matches.
        stderr: Standard error of the score. None if it is unknown.
        ci_low: Lower end of the score's 95% interval. None if the error is unknown.
        ci_high: Upper end of that interval. None if the error is unknown.
        matches: Number of opponents met. With more than two seats, or drawn tables, number of matches.
        sessions: Number of sessions.
        games: Number of games.
        faults: Number of the bot's faults in all legs.
        status: "ok", "house", "broken", "disqualified", "incomplete" or "preliminary".
        reason: Reason why the bot doesn't play, or has played only a part. None if there is none.
        rank_low: First possible rank. None if it is unknown, or if the bot has no rank or no matches.
        rank_high: Last possible rank. None in the same cases.
        adjusted_score: Score without luck, which equals `score` without a correction for luck. None for bots that don't
            play.
        adjusted_stderr: Standard error of `adjusted_score`. None if it is unknown.
        adjusted_ci_low: Lower end of that score's 95% interval. None if the error is unknown.
        adjusted_ci_high: Upper end of that interval. None if the error is unknown.
        measures: The contest's own numbers, by name. Empty if bots play each other, or without matches.
        points_per_session: Score per session. None against house players and without matches.
        stderr_per_session: Standard error of `points_per_session`. None if either is unknown.
        freedom: Degrees of freedom of the score's error. 0.0 if the error is unknown.
        order_status: Verdict on this bot and the next one. None if no ranked bot with matches follows.
        significantly_ahead_of: Names of the nearest bots that are significantly behind, the best first. Always empty in
            fields of more than `MAX_PAIRED` bots.
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
        """Score per game. In a repeated game it is points per turn.

        None against house players, and if nothing was played.
        """
        session = self.points_per_session
        return None if session is None or not self.games else session * self.sessions / self.games

    @property
    def is_tied_with_next(self) -> bool:
        """True if it isn't settled that the entrant is ahead of the next one. False if there is no next one."""
        return self.order_status not in (None, "settled")

    @property
    def rank_range(self) -> str:
        """Bounds of the true rank as text, such as 2–4, or — if unknown, or "" without matches."""
        low, high = self.rank_low, self.rank_high
        if low is None:
            return "—" if self.matches else ""
        return f"{low}" if low == high else f"{low}–{high}"


@dataclass(frozen=True)
class Standings:
    """The ranking of a field, with its matches and faults.

    Attributes:
        entrants: Lines of the leaderboard. Ranked bots come first, by rank, then the host's own bots, then bots that
            don't play, by name.
        find_matches: Returns the matches in order of their numbers, also those of disqualified bots.
        faults: All faults, each with its leg, in order of match and leg numbers.
        scoring: Scoring of play against house players; None if bots play each other.
        house: Names of the house players. Empty if bots play each other.
        until: Settings of a run until the order is settled; None for other runs.
        measured: Scores of the ranked entrants that have met others, the best first, divided by opponents if scores are
            sums.
        rounding: Maximum rounding error of points per session against any opponents; 0 against house players.
        games: Number of games in all legs.
        seats: Number of seats. With more than two, scores are means per session, and `matches` are those of
            `pair_results`.
        drawn: Whether tables are drawn. Scores and `matches` are then as with more than two seats.
        failed_legs: Legs that aren't in the records because the contest's rules failed in them. There are at most
            `MAX_FAILED`.
        find_match_rows: Returns the rows of matches.parquet.
        restarted_bots: Names of all bots in legs that were aborted and started again, sorted.
        find_duplicate_variance: Returns the value of `duplicate_variance`.
        find_used: Returns the resources that each bot used, by name.
        find_self_play: Returns the matches of bots against copies of themselves, by name. It returns no matches by
            default, and can raise InputError, RunError or OSError.
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
    find_match_rows: Callable[[], MatchRows] = field(default=MatchRows.nothing, compare=False)
    restarted_bots: tuple[str, ...] = ()
    find_duplicate_variance: Callable[[], float | None] = field(default=lambda: None, compare=False)
    find_used: Callable[[], Mapping[str, Used]] = field(default=dict, compare=False)
    find_self_play: Callable[[], Mapping[str, Match]] = field(default=dict, compare=False)

    @cached_property
    def duplicate_variance(self) -> float | None:
        """Variance of sums of duplicate matches, as a multiple of that of independent legs.

        None if matches aren't duplicate, tables are drawn, bots play house players, or there are too few replicas.
        """
        return self.find_duplicate_variance()

    @cached_property
    def matches(self) -> Matches:
        """Matches in order of their numbers, computed once. Callers must not change their arrays.

        Matches of bots that are disqualified now, or of the host's own bots, are among them.
        """
        return self.find_matches()

    @cached_property
    def self_play(self) -> Mapping[str, Match]:
        """Matches of bots against copies of themselves, by name. They don't count. Empty if there are none.

        Raises:
            InputError: The standings of self-play need rules that aren't installed.
            RunError: The records of self-play can't be read, or this machine can't load the rules.
            OSError: A folder of self-play can't be searched, or its field can't be read.
        """
        return self.find_self_play()

    @property
    def is_provisional(self) -> bool:
        """True if matches are missing because the rules failed, so that ranks can still change."""
        return bool(self.failed_legs)

    @property
    def incomplete(self) -> list[Standing]:
        """Lines of bots that were set aside, so that some or all of their matches are missing, in order of entrants."""
        return [line for line in self.entrants if line.status == "incomplete"]

    @property
    def has_means(self) -> bool:
        """True if scores are means per session."""
        return self.scoring is None and (self.seats != 2 or self.drawn)

    @property
    def ranked(self) -> list[Standing]:
        """Lines of bots with a rank, the best first. Bots without matches are the last."""
        return [line for line in self.entrants if line.rank is not None]

    @property
    def house_bots(self) -> list[Standing]:
        """The lines of the host's own bots, which play and aren't ranked, the best first."""
        return [line for line in self.entrants if line.status == "house"]

    @property
    def below(self) -> list[Standing]:
        """Lines of bots that don't play: broken, disqualified, or set aside before they played. They are by name."""
        return [line for line in self.entrants if line.rank is None and line.status != "house"]

    @property
    def is_zero_sum(self) -> bool:
        """True if in each match one player won what the other lost, and without matches."""
        return bool((self.matches.amounts[:, 0] + self.matches.amounts[:, 2] == 0).all())

    @property
    def sides(self) -> Iterator[Match]:
        """Each match of `matches` in order, first from x's side and then from y's. Only x's against house players."""
        for match in self.matches:
            yield match
            if self.scoring is None:
                yield match.from_y()

    def spread(self, rows: Sequence[str], columns: Sequence[str], x_values: Floats, y_values: Floats) -> Floats:
        """Return a crosstable of a number, by row and column, with NaN for pairs that haven't met.

        Against house players, the entrant is x, so only `rows` can name entrants.

        Args:
            rows: Names of the rows.
            columns: Names of the columns.
            x_values: The number for each match if the row is x.
            y_values: The number for each match if the row is y; unused against house players.
        """
        row, column = (
            self.matches.numbered({name: number for number, name in enumerate(names)}) for names in (rows, columns)
        )
        cells = np.full((len(rows), len(columns)), np.nan)
        for own, other, values in ((0, 1, x_values), (1, 0, y_values))[: 2 if self.scoring is None else 1]:
            has_cell = (row[:, own] >= 0) & (column[:, other] >= 0)
            cells[row[has_cell, own], column[has_cell, other]] = values[has_cell]
        return cells


@dataclass(frozen=True)
class FaultyLegs:
    """The legs with faults.

    Attributes:
        legs: Legs with faults, in order.
        counts: Number of faults of each bot in these legs, by name. It can be 0.
        disqualified: Reason for each disqualification, by the bot's name, in order of the legs.
    """

    legs: tuple[LegResult, ...]
    counts: Mapping[str, int]
    disqualified: Mapping[str, str]

    @classmethod
    def from_legs(cls, legs: Legs) -> FaultyLegs:
        """Return the faulty ones of legs, which must be in order of match and leg numbers.

        The reason for a disqualification is the telling fault of the first leg in which the bot is disqualified.
        """
        faulty = [legs[index] for index in np.flatnonzero(legs.faulty).tolist()]
        counts: Counter[str] = Counter()
        disqualified: dict[str, str] = {}
        for leg in faulty:
            for seat, name in enumerate(leg.seats):
                counts[name] += leg.fault_count(seat)
            for seat in leg.disqualified_seats:
                fault = leg.telling_fault(seat)
                disqualified.setdefault(
                    leg.seats[seat],
                    f"{fault.message}, in {fault.decision} against {join_names(leg.opponents(seat))},"
                    f" session {fault.session}, game {fault.game}",
                )
        return cls(tuple(faulty), counts, disqualified)


def compute_standings(field: ContestSetup, batches: Sequence[Batch], scoring: HouseScoring | None = None) -> Standings:
    """Rank a field by the legs that count.

    Broken and disqualified bots aren't ranked, and neither are the host's own. Bots without matches have the last
    ranks. Bots with equal scores are ranked by name.

    A match with more than one replica counts by the mean of their points. A run until the order is settled judges by
    scores without luck. Sums are added in the order of match and leg numbers, so the order of commits doesn't change
    any bit.

    Args:
        field: Field of the records.
        batches: Batches that count.
        scoring: Scoring of play against house players; None if bots play each other. Legs against house players that
            aren't in the field don't count.
    """
    facts = {player.name: player.facts for player in field.house}
    legs = Legs.joined(batch.legs for batch in batches)
    if scoring is not None:
        legs = legs.among(legs.names, facts)
    legs = legs.in_order()
    seats, drawn = legs.seats, "tables" in field.settings
    per_replica = legs_per_replica(field.settings, seats)
    by_tables = scoring is None and (seats != 2 or drawn)
    faulty = FaultyLegs.from_legs(legs)
    playable = [e for e in field.entrants if e.problem is None and e.name not in faulty.disqualified]
    names = [entrant.name for entrant in playable]

    def compute_tally(legs: Legs) -> Tally:
        """Return the sums of legs, by the kind of contest."""
        if scoring is not None:
            return HousePlay(legs, scoring, facts).tally(names)
        if by_tables:
            return tally_tables(names, legs, per_replica, drawn=drawn)
        return tally_points(names, legs, per_replica)

    tally = compute_tally(legs)
    counting = legs if by_tables else legs.among({*names})
    less_luck = counting.without_luck()
    adjusted = tally if less_luck is counting else compute_tally(less_luck)
    order = _order(playable, tally)
    met = [index for index in order if tally.opponents[index] and not playable[index].is_house]
    measured = tally.measured.take(met)
    settled: SettledOrder | SimultaneousIntervals
    if field.until:
        each = per_replica if scoring is None else cast(int, field.settings["sessions"])
        opponents = len(facts) if scoring else _count_tables(field, playable, seats, len(met))
        counts = run_analysis_counts(field.until)
        counts = counts[: _count_analyses(counts, less_luck, each, [names[index] for index in met], opponents)]
        analyses: list[Differences] = [
            compute_tally(less_luck.take(np.flatnonzero(less_luck.number < count * each)))
            .measured.take(met)
            .differences
            for count in counts
        ]
        settled = settled_order(analyses, field.until, len(met))
    else:
        settled = order_scores(measured)
    ranked = _ranked(
        playable, order, tally, adjusted, faulty, settled, has_bounds=bool(field.until) or measured.has_differences
    )
    return Standings(
        tuple(ranked + _below_the_line(field, faulty)),
        partial(pair_results, legs, per_replica, field.numbers, drawn=drawn)
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
        partial(_match_rows, legs, per_replica, scoring, facts, drawn),
        tuple(sorted({name for leg in np.flatnonzero(legs.tries > 1).tolist() for name in legs[leg].seats})),
        partial(relative_variance, counting, 1 if scoring or drawn else per_replica),
        partial(used_by, legs),
    )


def _matches(
    legs: Legs, per_replica: int, scoring: HouseScoring | None, facts: Mapping[str, Mapping[str, float]]
) -> Matches:
    """Return the matches of two of legs, in order of their numbers, also those of disqualified bots.

    Args:
        legs: Legs in order of match and leg numbers.
        per_replica: Number of legs of a replica.
        scoring: Scoring of play against house players; None if bots play each other.
        facts: Facts about each house player, by name. They are unused if bots play each other.
    """
    return compute_matches(legs, per_replica, HousePlay(legs, scoring, facts) if scoring else None)


def _match_rows(
    legs: Legs, per_replica: int, scoring: HouseScoring | None, facts: Mapping[str, Mapping[str, float]], drawn: bool
) -> MatchRows:
    """Return the rows of matches.parquet, in order of match numbers and, if tables are drawn, replicas.

    Args:
        legs: Legs in order of match and leg numbers.
        per_replica: Number of legs of a replica.
        scoring: Scoring of play against house players; None if bots play each other.
        facts: Facts about each house player, by name. They are unused if bots play each other.
        drawn: Whether tables are drawn, so that each replica of a match has a row of its own for each seat.
    """
    return match_rows(legs, per_replica, HousePlay(legs, scoring, facts) if scoring else None, drawn=drawn)


def _count_analyses(counts: Sequence[int], legs: Legs, each: int, names: Sequence[str], opponents: int) -> int:
    """Return the number of interim analyses so far.

    An analysis takes place once each bot has that number of replicas of all its matches. There is none without bots or
    opponents.

    Args:
        counts: Numbers of replicas at the interim analyses, ascending.
        legs: Legs in order.
        each: Number of legs of a replica.
        names: Names of the bots.
        opponents: Number of matches of each bot in a complete schedule.
    """
    rows = {name: row for row, name in enumerate(names)}
    ranges = legs.matches()
    starts = np.repeat(ranges[:, 0], np.diff(ranges).ravel())
    # Flag for each leg of a match before the first missing one.
    leading = legs.number == np.arange(len(legs)) - starts
    replicas = np.add.reduceat(leading, ranges[:, 0]) // each if len(ranges) else np.zeros(0, np.int64)
    players = [legs.numbered(seat, rows)[ranges[:, 0]] for seat in range(legs.seats)]
    reached = 0
    for count in counts:
        met = np.zeros(len(names) + 1, np.int64)
        for player in players:
            np.add.at(met, player[replicas >= count], 1)
        if not len(names) or opponents < 1 or (met[:-1] < opponents).any():
            break
        reached += 1
    return reached


def _count_tables(field: ContestSetup, playable: Sequence[FieldEntrant], seats: int, entrants: int) -> int:
    """Return the number of matches of each entrant, if all combinations are played, or 0 without entrants.

    Args:
        field: Field of the records.
        playable: Entrants that can play, including the host's own.
        seats: Number of seats.
        entrants: Number of ranked entrants.
    """
    house = sum(one.is_house for one in playable)
    if not (taken := int(str(field.settings.get("house_seats", 0)))):
        return math.comb(entrants + house - 1, seats - 1) if entrants else 0
    return math.comb(entrants - 1, seats - taken - 1) * math.comb(house, taken) if entrants else 0


def _order(playable: Sequence[FieldEntrant], tally: Tally) -> list[int]:
    """Return the indices of playable entrants: the best first, then those without matches, then the host's own.

    Equal scores are ordered by name.
    """
    compared = tally.measured.scores
    return sorted(
        range(len(playable)),
        key=lambda index: (
            playable[index].is_house,
            not tally.opponents[index],
            -compared[index],
            playable[index].name,
        ),
    )


def _ranked(
    playable: Sequence[FieldEntrant],
    order: Sequence[int],
    tally: Tally,
    adjusted: Tally,
    faulty: FaultyLegs,
    settled: SettledOrder | SimultaneousIntervals,
    *,
    has_bounds: bool,
) -> list[Standing]:
    """Return the lines of ranked entrants and of the host's bots, in the given order of indices.

    Args:
        playable: Entrants that can play.
        order: Their indices, as `_order` returns them.
        tally: Sums of the legs.
        adjusted: Sums of the legs without luck. It is `tally` itself if nothing is adjusted.
        faulty: Legs with faults.
        settled: Order of the ranked entrants with matches.
        has_bounds: Whether bounds of ranks are known.
    """
    # These are the first of the order.
    met = [index for index in order if tally.opponents[index] and not playable[index].is_house]
    intervals = _intervals(tally)
    less_luck = intervals if adjusted is tally else _intervals(adjusted)
    standings = []
    for place, index in enumerate(order):
        entrant, own, without_luck = playable[index], intervals[index], less_luck[index]
        # A bot with too few drawn tables has no place, unlike the others.
        is_placed = place < len(met) and has_bounds and (settled.unknown is None or not settled.unknown[place])
        rank_low, rank_high = settled.bounds[place] if is_placed else (None, None)
        has_next = place + 1 < len(met)
        score, length = float(tally.scores[index]), tally.lengths[index]
        standings.append(
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
                order_status=settled.verdicts[place] if has_next else None,
                significantly_ahead_of=tuple(
                    playable[met[other]].name for other in (settled.nearest_behind[place] if place < len(met) else ())
                ),
                measures=tally.measures[index],
                points_per_session=score / length if length else None,
                stderr_per_session=own.stderr / length if length and own.stderr is not None else None,
                freedom=own.freedom,
            )
        )
    return standings


def _below_the_line(field: ContestSetup, faulty: FaultyLegs) -> list[Standing]:
    """Return the lines, by name, of entrants that are broken or disqualified, or were set aside before they played."""
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
    """A score and its 95% interval, with None for unknown values.

    Attributes:
        score: The score, not divided by the number of opponents.
        stderr: Standard error of the score.
        low: Lower end of the interval.
        high: Upper end of the interval.
        freedom: Degrees of freedom of the error. 0.0 if it is unknown.
    """

    score: float | None = None
    stderr: float | None = None
    low: float | None = None
    high: float | None = None
    freedom: float = 0.0


def _intervals(tally: Tally) -> list[_Interval]:
    """Return the interval of each score, in the order of the tally's entrants."""
    measured = tally.measured
    errors, half_widths = (values * tally.divisors for values in (measured.stderr, measured.ci_half_width))
    columns = (tally.scores, errors, half_widths, measured.freedom)
    intervals = []
    for score, error, half_width, freedom in zip(*(column.tolist() for column in columns)):
        if math.isnan(error):
            intervals.append(_Interval(score))
        else:
            intervals.append(_Interval(score, error, score - half_width, score + half_width, freedom))
    return intervals
