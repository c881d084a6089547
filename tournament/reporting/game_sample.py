"""One pass over the recorded games, for the sums of the charts and some games for the viewer."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tournament.contests.contest import Contest
from tournament.contests.presentation import Row, Rows, Seats
from tournament.cores import cores
from tournament.records.losses import DecisionSums, LossSums, shows_decisions, sum_decisions
from tournament.records.row_group import Group
from tournament.reporting.distributions import Scale, declared, make_scales, tally
from tournament.store.columns import ROWS_PER_GROUP
from tournament.store.field import Batch, Part
from tournament.store.leg_result import Fault, LegResult
from tournament.store.legs import Legs
from tournament.store.parts import read_rows, require_written, row_group_edges
from tournament.store.storage import Storage

# Maximum number of rows that are read. Of more rows, evenly spaced row groups are read.
MAX_ROWS = 16_000_000
# Maximum number of games for the viewer, besides games with faults.
_MAX_GAMES = 4_000
# Minimum and maximum number of games from each end of a match.
_MIN_PER_MATCH, _MAX_PER_MATCH = 4, 200
_MAX_FAULTS = 200


@dataclass(frozen=True)
class SampledGame:
    """A recorded game for the viewer, or a session of turns.

    Attributes:
        match: Number of the match.
        session: Session of the match, from 0.
        game: Game of the session, from 0; None for a whole session.
        why: Reason for the choice: first, last, best or worst for x, or fault. It is "first" for every whole session.
        gain: Points of x, the bot of the leg's seat 0, in the presentation's money; None if unknown.
        rows: Row of the game, or rows of the session in order of play. Callers must not change them.
    """

    match: int
    session: int
    game: int | None
    why: str
    gain: float | None
    rows: tuple[Row, ...]


@dataclass
class Survey:
    """The result of one pass over the games.

    Attributes:
        scales: Parts in which columns are counted.
        sums: Sums of these columns, and of the presentation, by name. The first axis has an index for each entrant, and
            one for all others.
        sample: Chosen games by match, in order of play.
        games_read: Number of games in the sums.
        games: Number of all games.
        decisions: Sums of decisions that aren't in `losses` yet.
        losses: Sums of decisions of the bots whose losses are wanted; None if columns don't show decisions.
    """

    scales: Sequence[Scale] = ()
    sums: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    sample: dict[int, list[SampledGame]] = field(default_factory=dict)
    games_read: int = 0
    games: int = 0
    decisions: Sequence[DecisionSums] = ()
    losses: LossSums | None = None

    def add(self, other: Survey) -> None:
        """Add the sums and chosen games of other rows. Their decisions go to `losses`, if there are any."""
        for name, sums in other.sums.items():
            self.sums[name] = self.sums[name] + sums if name in self.sums else sums
        for match, games in other.sample.items():
            self.sample.setdefault(match, []).extend(games)
        self.games_read += other.games_read
        if self.losses:
            self.losses.add(other.decisions)


@dataclass(frozen=True)
class _Piece:
    """A row group of a games part.

    Attributes:
        part: The part.
        legs: All legs of the part.
        group: Number of the row group.
        first_row: Number of its first row in the part.
    """

    part: Part
    legs: Legs
    group: int
    first_row: int


def survey_games(
    contest: Contest,
    storage: Storage,
    batches: Sequence[Batch],
    entrants: Sequence[str],
    faults: Sequence[tuple[LegResult, Fault]],
    *,
    matches: Set[int] = frozenset(),
    sessions: int = 1,
    max_rows: int = MAX_ROWS,
    losing: Sequence[str] = (),
) -> Survey:
    """Return the sums and some games of batches.

    Games are chosen only from row groups that are read. A game that is chosen twice occurs once, by its most important
    reason. A match has at most one best and one worst game.

    Args:
        contest: Contest of the records.
        storage: Storage of the records.
        batches: Batches to read.
        entrants: Names in the order of the sums.
        faults: Faults whose games are chosen, if there are `matches`. Only the first 200 count.
        matches: Numbers of the matches of which games are chosen; none by default.
        sessions: Number of sessions of a leg.
        max_rows: Number of rows above which only evenly spaced row groups are read; 16 million by default.
        losing: Bots whose losses are wanted, the most important first. In a large field the last ones are omitted.

    Returns:
        The survey. Its `losses` are None if `losing` is empty, or columns don't show decisions.

    Raises:
        FileNotFoundError: A part is missing.
        RunError: A part isn't as it was written, or can't be opened.
        OSError: A part can't be read.
    """
    parts = [(batch.part("games"), batch.legs) for batch in batches]
    session_parts = {batch.part("games"): batch.part("sessions") for batch in batches}
    names = dict.fromkeys([*entrants, *(name for _, legs in parts for name in legs.names)])
    number = {name: index for index, name in enumerate(names)}
    total = sum(part.rows for part, _ in parts)
    survey = Survey(games=total)
    presentation = contest.presentation
    if losing and shows_decisions(contest):
        survey.losses = LossSums(tuple(names), losing)
    all_pieces = list(_pieces(contest, storage, parts, max(1, -(-total // max_rows))))
    criteria = Criteria.for_matches([legs for _, legs in parts], matches, faults, sessions)

    joined = presentation.seat_0_is if presentation else ""
    joined = joined if joined not in {column.name for column in contest.games} else ""

    def read(piece: _Piece) -> Rows:
        """Return the rows of a row group.

        Raises:
            FileNotFoundError: The part is missing.
            RunError: The part can't be read.
        """
        (rows,) = read_rows(storage, piece.part, contest.games, groups=[piece.group])
        return rows

    def grouped(piece: _Piece) -> Group:
        """Return a row group with its legs, and with the presentation's column of its sessions.

        Raises:
            FileNotFoundError: A part is missing.
            RunError: A part isn't as it was written.
        """
        group = Group.from_rows(read(piece), piece.legs, piece.first_row)
        if not joined:
            return group
        groups = read_rows(storage, session_parts[piece.part], contest.sessions, [joined])
        values = np.concatenate([np.zeros(0, bool), *(rows[joined] for rows in groups)])
        return replace(group, rows={**group.rows, joined: group.by_session(values, sessions)})

    ends = [piece for pieces in (*all_pieces[:1], *all_pieces[-1:]) for piece in (pieces[0], pieces[-1])]
    survey.scales = make_scales(declared(contest), list(map(read, ends)))

    def survey_of(pieces: Sequence[_Piece]) -> Survey:
        """Return the sums and chosen games of some row groups.

        Raises:
            FileNotFoundError: A part is missing.
            RunError: A part isn't as it was written.
        """
        partial = Survey()
        groups = [grouped(piece) for piece in pieces]
        players = [group.players(number, by_position=contest.scored.by_position) for group in groups]
        by_row = list(map(np.concatenate, zip(*players)))
        seats = Seats(tuple(np.minimum(players, len(entrants)) for players in by_row), len(entrants))
        rows = {name: np.concatenate([group.rows[name] for group in groups]) for name in groups[0].rows}
        partial.sums |= tally(contest, survey.scales, rows, seats)
        if presentation:
            partial.sums |= presentation.tally(rows, seats)
            partial.decisions = sum_decisions(presentation, rows, by_row) if survey.losses else ()
        partial.games_read = len(rows["match"])
        for group in groups if matches else ():
            for match, games in _sample_group(contest, group, criteria):
                partial.sample.setdefault(match, []).extend(games)
        return partial

    workers = cores()
    with ThreadPoolExecutor(workers) as pool:
        # Only a few are read at the same time, so that memory doesn't grow with the records.
        waiting = []
        for pieces in all_pieces:
            waiting.append(pool.submit(survey_of, pieces))
            if len(waiting) > 2 * workers:
                survey.add(waiting.pop(0).result())
        for one in waiting:
            survey.add(one.result())
    are_sessions = presentation is not None and presentation.whole_sessions
    survey.sample = {
        match: (_joined if are_sessions else _without_repeats)(games) for match, games in survey.sample.items()
    }
    return survey


def _pieces(
    contest: Contest, storage: Storage, parts: Sequence[tuple[Part, Legs]], stride: int
) -> Iterator[list[_Piece]]:
    """Yield every `stride`-th row group of all parts, with small ones together.

    Sums of many bots are larger than a small group's rows.

    Raises:
        FileNotFoundError: A part is missing.
        RunError: A part isn't as it was written.
        OSError: A part can't be read.
    """
    count = rows = 0
    pieces: list[_Piece] = []
    for part, legs in parts:
        require_written(storage, part)
        edges = row_group_edges(storage, part, contest.games)
        for group, (first, end) in enumerate(itertools.pairwise(edges)):
            if (count + group) % stride == 0:
                pieces.append(_Piece(part, legs, group, first))
                rows += end - first
                if rows >= ROWS_PER_GROUP:
                    yield pieces
                    pieces, rows = [], 0
        count += len(edges) - 1
    if pieces:
        yield pieces


@dataclass(frozen=True)
class Criteria:
    """The games to choose.

    Attributes:
        first: Number of the first leg of each match that is shown, by the match.
        last: Number of the last leg of each match that is shown, by the match.
        games: Number of games to choose from each end, from 4 to 200. The more matches are shown, the fewer.
        faults: Match, session and game of each fault.
        sessions: Number of sessions of a leg.
    """

    first: Mapping[int, int]
    last: Mapping[int, int]
    games: int
    faults: Set[tuple[int, int, int]]
    sessions: int

    @classmethod
    def for_matches(
        cls, pieces: Sequence[Legs], matches: Set[int], faults: Sequence[tuple[LegResult, Fault]], sessions: int
    ) -> Criteria:
        """Return the games to choose.

        Args:
            pieces: Legs of each batch.
            matches: Numbers of the matches that are shown. Without any no game is chosen.
            faults: Faults whose games are chosen. Only the first 200 count, also those of other matches.
            sessions: Number of sessions of a leg.
        """
        leg_numbers: dict[int, list[int]] = {match: [] for match in matches}
        for legs in pieces if matches else ():
            for match, number in zip(legs.match.tolist(), legs.number.tolist()):
                if match in leg_numbers:
                    leg_numbers[match].append(number)
        first, last = ({match: end(found) for match, found in leg_numbers.items() if found} for end in (min, max))
        games = _MAX_GAMES // (2 * max(1, len(first)))
        fault_games = (
            {(leg.match, fault.session, fault.game) for leg, fault in faults[:_MAX_FAULTS]} if matches else set()
        )
        return cls(first, last, min(_MAX_PER_MATCH, max(_MIN_PER_MATCH, games)), fault_games, sessions)


def _sample_group(contest: Contest, group: Group, criteria: Criteria) -> Iterator[tuple[int, list[SampledGame]]]:
    """Yield the chosen games of a row group, or parts of sessions, by match. A match can occur more than once."""
    presentation = contest.presentation
    if presentation and presentation.whole_sessions:
        yield from _sample_sessions(group, criteria)
        return
    gains = presentation.points(group.rows)[0] if presentation and presentation.points else None
    if gains is not None and contest.scored.by_position:
        first_names = group.by_row(np.array([seats[0] for seats in group.legs.seated], object))
        gains = np.where(group.rows["bot_0"] == first_names, gains, -gains)
    yield from sample_games(group, gains, criteria)


def sample_games(
    group: Group, gains: npt.NDArray[Any] | None, criteria: Criteria
) -> Iterator[tuple[int, list[SampledGame]]]:
    """Yield games of a row group by leg, with the match: from each end, with a fault, and best and worst for seat 0.

    A match occurs once for each leg with chosen games, and a game once for each reason. Best and worst are those of the
    leg's rows in this group.

    Args:
        group: The row group.
        gains: Points of seat 0 by row; None if unknown.
        criteria: Games to choose.
    """
    rows, legs, edges = group.rows, group.legs, group.edges
    faulty = {match for match, _, _ in criteria.faults}
    for leg in group.leg_range:
        match, number = int(legs.match[leg]), legs.number[leg]
        if match not in criteria.first and match not in faulty:
            continue
        start, stop = max(0, int(edges[leg])), min(len(rows["match"]), int(edges[leg + 1]))
        selected: list[tuple[int, str]] = []
        if number == criteria.first.get(match):
            selected += [(row, "first") for row in range(start, min(stop, int(edges[leg]) + criteria.games))]
        if number == criteria.last.get(match):
            selected += [(row, "last") for row in range(max(start, int(edges[leg + 1]) - criteria.games), stop)]
        if gains is not None and stop > start and match in criteria.first:
            piece = gains[start:stop]
            selected += [(start + int(piece.argmax()), "best"), (start + int(piece.argmin()), "worst")]
        for _, session, game in [place for place in criteria.faults if place[0] == match]:
            is_game = (rows["session"][start:stop] == session) & (rows["game"][start:stop] == game)
            selected += [(start + int(row), "fault") for row in np.flatnonzero(is_game)[:1]]
        if selected:
            at = [row for row, _ in selected]
            won = [None] * len(at) if gains is None else gains[at].tolist()
            yield (
                match,
                [
                    SampledGame(match, row["session"], row["game"], why, gain, (row,))
                    for (_, why), gain, row in zip(selected, won, _as_rows(rows, at))
                ],
            )


def _sample_sessions(group: Group, criteria: Criteria) -> Iterator[tuple[int, list[SampledGame]]]:
    """Yield parts of sessions in this group: those with a fault, and each match's first and last finished one."""
    rows, legs, selected = group.rows, group.legs, {(match, session) for match, session, _ in criteria.faults}
    for leg in group.leg_range:
        match, number = int(legs.match[leg]), int(legs.number[leg])
        if number == criteria.first.get(match):
            selected.add((match, number * criteria.sessions))
        if number == criteria.last.get(match):
            selected.add((match, number * criteria.sessions + max(0, int(legs.sessions[leg]) - 1)))
    for match, session in sorted(selected):
        at = np.flatnonzero((rows["match"] == match) & (rows["session"] == session))
        if len(at):
            yield match, [SampledGame(match, session, None, "first", None, tuple(_as_rows(rows, at)))]


def _as_rows(rows: Rows, at: Any) -> list[Row]:
    """Return the rows with these indices, in this order, each with its values by column."""
    columns = {name: values[at].tolist() for name, values in rows.items()}
    return [dict(zip(columns, values)) for values in zip(*columns.values())]


def _joined(pieces: Sequence[SampledGame]) -> list[SampledGame]:
    """Return the sessions of which all turns up to the last one read are there, in order of play."""
    complete = []
    for _, same_session in itertools.groupby(sorted(pieces, key=lambda one: one.session), key=lambda one: one.session):
        first, *more = same_session
        rows = sorted((row for piece in (first, *more) for row in piece.rows), key=lambda row: row["game"])
        if [row["game"] for row in rows] == list(range(len(rows))):
            complete.append(replace(first, rows=tuple(rows)))
    return complete


_IMPORTANCE = ("fault", "best", "worst", "first", "last")


def _without_repeats(games: Sequence[SampledGame]) -> list[SampledGame]:
    """Return games in order of play, each once with its most important reason, and one best and worst of them each."""
    gains = [game.gain for game in games if game.gain is not None]
    extremes = {"best": max(gains, default=None), "worst": min(gains, default=None)}
    by_number: dict[tuple[int, int | None], SampledGame] = {}
    for game in sorted(games, key=lambda game: _IMPORTANCE.index(game.why)):
        if game.why in extremes:
            if game.gain != extremes[game.why]:
                continue
            # Only the first game with this gain counts.
            extremes[game.why] = None
        by_number.setdefault((game.session, game.game), game)
    return sorted(by_number.values(), key=lambda game: (game.session, game.game or 0))
