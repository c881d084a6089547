"""One pass over the recorded games: the counts for the contest's presentation, and some games for the viewer."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tournament.contests.contest import Contest
from tournament.contests.presentation import Row, Rows, Seats
from tournament.cores import cores
from tournament.errors import RunError
from tournament.store.columns import ROWS_PER_GROUP
from tournament.store.field import Batch, Part
from tournament.store.leg_result import Fault, LegResult
from tournament.store.legs import Legs
from tournament.store.parts import require_written, row_group_edges, rows_of
from tournament.store.storage import Storage

MOST_ROWS = 16_000_000  # that are read; of more, evenly spaced row groups
_MOST_GAMES = 4_000  # for the viewer, besides those of faults
_FEWEST, _MOST_OF_MATCH = 4, 200  # of them, from either end of a match
_MOST_FAULTS = 200


@dataclass(frozen=True)
class ChosenGame:
    """A recorded game for the viewer, and why it was chosen: first, last, best or worst for x, fault.

    `gain` is x's, if known.
    """

    match: int
    session: int
    game: int
    why: str
    gain: float | None
    row: Row


@dataclass
class Survey:
    """The presentation's sums, chosen games by match in order of play, and how many games were counted, of how many.

    Of a contest whose rows are turns, whole sessions are chosen: by match and session, the rows' columns.
    """

    sums: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    chosen: dict[int, list[ChosenGame]] = field(default_factory=dict)
    sessions: dict[tuple[int, int], list[Rows]] = field(default_factory=dict)
    games_read: int = 0
    games: int = 0

    def add_sums(self, more: Mapping[str, npt.NDArray[Any]]) -> None:
        for name, sums in more.items():
            if name in self.sums:
                self.sums[name] += sums
            else:
                self.sums[name] = sums

    def add(self, other: Survey) -> None:
        self.add_sums(other.sums)
        for match, games in other.chosen.items():
            self.chosen.setdefault(match, []).extend(games)
        for place, rows in other.sessions.items():
            self.sessions.setdefault(place, []).extend(rows)
        self.games_read += other.games_read


@dataclass(frozen=True)
class _Piece:
    """A row group of a part of games, from its `first_row` on. `legs` are all legs of the part."""

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
    most_rows: int = MOST_ROWS,
) -> Survey:
    """Read the games of these batches, whose legs are of this many `sessions`. Entrants are numbered in the given
    order.

    Games are chosen of these `matches`, and those with a fault; none if there are no matches.

    Raises FileNotFoundError when a part is gone, RunError when it isn't what was written.
    """
    parts = [(batch.part("games"), batch.legs) for batch in batches]
    number = {name: place for place, name in enumerate(entrants)}
    total = sum(part.rows for part, _ in parts)
    stride = max(1, -(-total // most_rows))
    survey = Survey(games=total)
    presentation = contest.presentation
    if not (matches or presentation):
        return survey
    wanted = Wanted.of([legs for _, legs in parts], matches, faults, sessions)

    def look(pieces: Sequence[_Piece]) -> Survey:
        found = Survey()
        groups = []
        for piece in pieces:
            (of_piece,) = rows_of(storage, piece.part, contest.games, groups=[piece.group])
            groups.append(Group.of(of_piece, piece.legs, piece.first_row))
        if presentation:
            seats = [group.seats(number, by_position=contest.scored.by_position) for group in groups]
            every = {name: np.concatenate([group.rows[name] for group in groups]) for name in groups[0].rows}
            first, second = (np.concatenate(by_group) for by_group in zip(*(one.players for one in seats)))
            found.add_sums(presentation.tally(every, Seats((first, second), len(number))))
        for group in groups:
            rows = group.rows
            found.games_read += len(rows["match"])
            if presentation and presentation.turns:
                for place, pieces_of_it in whole_sessions(group, wanted).items():
                    found.sessions.setdefault(place, []).extend(pieces_of_it)
            else:
                gains = presentation.points_0(rows) if presentation and presentation.points_0 else None
                if gains is not None and contest.scored.by_position:
                    gains = np.where(rows["bot_0"] == group.first_names, gains, -gains)
                for match, games in choose(group, gains, wanted):
                    found.chosen.setdefault(match, []).extend(games)
        return found

    workers = cores()
    with ThreadPoolExecutor(workers) as pool:
        # Only a few at once, so that memory doesn't grow with the records.
        waiting = []
        for pieces in _pieces(contest, storage, parts, stride):
            waiting.append(pool.submit(look, pieces))
            if len(waiting) > 2 * workers:
                survey.add(waiting.pop(0).result())
        for one in waiting:
            survey.add(one.result())
    for match, games in survey.chosen.items():
        survey.chosen[match] = _each_once(games)
    return survey


def _pieces(
    contest: Contest, storage: Storage, parts: Sequence[tuple[Part, Legs]], stride: int
) -> Iterator[list[_Piece]]:
    """Every `stride`-th row group of all parts; small ones together, since of many bots sums are larger than rows."""
    count = rows = 0
    several: list[_Piece] = []
    for part, legs in parts:
        require_written(storage, part)
        edges = row_group_edges(storage, part, contest.games)
        for group, (first, end) in enumerate(itertools.pairwise(edges)):
            if (count + group) % stride == 0:
                several.append(_Piece(part, legs, group, first))
                rows += end - first
                if rows >= ROWS_PER_GROUP:
                    yield several
                    several, rows = [], 0
        count += len(edges) - 1
    if several:
        yield several


@dataclass(frozen=True)
class Wanted:
    """What is to be chosen: of the `first` and the `last` leg of each match that is shown this many `games` from either
    end, and the `faults`, by match, session and game. A leg has this many `sessions`."""

    first: Mapping[int, int]
    last: Mapping[int, int]
    games: int
    faults: Set[tuple[int, int, int]]
    sessions: int

    @classmethod
    def of(
        cls, several: Sequence[Legs], matches: Set[int], faults: Sequence[tuple[LegResult, Fault]], sessions: int
    ) -> Wanted:
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        for legs in several:
            for match, number in zip(legs.match.tolist(), legs.number.tolist()):
                if match not in matches:
                    continue
                first[match] = min(number, first.get(match, number))
                last[match] = max(number, last.get(match, number))
        games = _MOST_GAMES // (2 * max(1, len(first)))
        places = {(leg.match, fault.session, fault.game) for leg, fault in faults[:_MOST_FAULTS]} if matches else set()
        return cls(first, last, min(_MOST_OF_MATCH, max(_FEWEST, games)), places, sessions)


@dataclass(frozen=True)
class Group:
    """A row group, with all legs of its part, and where in the group each of them begins and ends, maybe outside."""

    rows: Rows
    legs: Legs
    edges: npt.NDArray[np.int64]
    here: range  # the legs that it has rows of

    @classmethod
    def of(cls, rows: Rows, legs: Legs, first_row: int) -> Group:
        """The rows from this one of their part. Raises RunError where they are other legs' than the ledger says."""
        count = len(rows["match"])
        edges = np.concatenate([[0], np.cumsum(legs.games)]) - first_row
        here = range(int(np.searchsorted(edges[1:], 0, "right")), int(np.searchsorted(edges[:-1], count, "left")))
        group = cls(rows, legs, edges, here)
        if int(group.lengths.sum()) != count or not (group.by_row(legs.match) == rows["match"]).all():
            raise RunError("a part has rows of other legs than the ledger says; tournament verify names it")
        return group

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """How many rows each of its legs has here."""
        inside = np.clip(self.edges[self.here.start : self.here.stop + 1], 0, len(self.rows["match"]))
        return np.diff(inside)

    def by_row(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """A value of each leg of the part, by row of the group."""
        return np.repeat(values[self.here.start : self.here.stop], self.lengths)

    @property
    def first_names(self) -> npt.NDArray[Any]:
        """The name of the bot at seat 0, by row."""
        return self.by_row(np.array([seats[0] for seats in self.legs.seated], object))

    def seats(self, number: Mapping[str, int], *, by_position: bool) -> Seats:
        """Return who plays each row, by these numbers of entrants."""
        if by_position:
            others = self.rows["house" if "house" in self.rows else "bot_1"]
            first, second = (
                np.array([number.get(name, len(number)) for name in column.tolist()], np.int32)
                for column in (self.rows["bot_0"], others)
            )
            return Seats((first, second), len(number))
        names = [(*self.legs.seated[leg], self.legs.houses[leg])[:2] for leg in self.here]
        numbers = np.array([[number.get(name, len(number)) for name in both] for both in names], np.int32)
        first, second = (np.repeat(seat, self.lengths) for seat in numbers.reshape(-1, 2).T)
        return Seats((first, second), len(number))


def choose(group: Group, gains: npt.NDArray[Any] | None, wanted: Wanted) -> Iterator[tuple[int, list[ChosenGame]]]:
    """Games of a row group by match: from either end, those with a fault, the best and the worst for seat 0."""
    rows, legs, edges = group.rows, group.legs, group.edges
    faulty = {match for match, _, _ in wanted.faults}
    for leg in group.here:
        match, number = int(legs.match[leg]), legs.number[leg]
        if match not in wanted.first and match not in faulty:
            continue
        start, stop = max(0, int(edges[leg])), min(len(rows["match"]), int(edges[leg + 1]))
        found: list[tuple[int, str]] = []
        if number == wanted.first.get(match):
            found += [(row, "first") for row in range(start, min(stop, int(edges[leg]) + wanted.games))]
        if number == wanted.last.get(match):
            found += [(row, "last") for row in range(max(start, int(edges[leg + 1]) - wanted.games), stop)]
        if gains is not None and stop > start and match in wanted.first:
            piece = gains[start:stop]
            found += [(start + int(piece.argmax()), "best"), (start + int(piece.argmin()), "worst")]
        for _, session, game in [place for place in wanted.faults if place[0] == match]:
            there = (rows["session"][start:stop] == session) & (rows["game"][start:stop] == game)
            found += [(start + int(row), "fault") for row in np.flatnonzero(there)[:1]]
        if found:
            yield match, _taken(rows, gains, match, found)


def whole_sessions(group: Group, wanted: Wanted) -> dict[tuple[int, int], list[Rows]]:
    """The rows of sessions here, by match and session: those with a fault, of each match the first and the last one.

    The last is one that was finished, where a leg was broken off."""
    rows, legs, places = group.rows, group.legs, {(match, session) for match, session, _ in wanted.faults}
    for leg in group.here:
        match, number = int(legs.match[leg]), int(legs.number[leg])
        if number == wanted.first.get(match):
            places.add((match, number * wanted.sessions))
        if number == wanted.last.get(match):
            places.add((match, number * wanted.sessions + max(0, int(legs.sessions[leg]) - 1)))
    found: dict[tuple[int, int], list[Rows]] = {}
    for match, session in sorted(places):
        inside = (rows["match"] == match) & (rows["session"] == session)
        if inside.any():
            found[match, session] = [{name: values[inside] for name, values in rows.items()}]
    return found


def _taken(
    rows: Rows, gains: npt.NDArray[Any] | None, match: int, wanted: Sequence[tuple[int, str]]
) -> list[ChosenGame]:
    at = [row for row, _ in wanted]
    columns = {name: values[at].tolist() for name, values in rows.items()}
    won = [None] * len(at) if gains is None else gains[at].tolist()
    return [
        ChosenGame(match, row["session"], row["game"], why, gain, row)
        for (_, why), gain, row in zip(wanted, won, (dict(zip(columns, values)) for values in zip(*columns.values())))
    ]


_IMPORTANCE = ("fault", "best", "worst", "first", "last")


def _each_once(games: Sequence[ChosenGame]) -> list[ChosenGame]:
    """The games in order of play, each once for its most important reason; best and worst only of the whole match."""
    known = [game.gain for game in games if game.gain is not None]
    extremes = {"best": max(known, default=None), "worst": min(known, default=None)}
    kept: dict[tuple[int, int], ChosenGame] = {}
    for game in sorted(games, key=lambda game: _IMPORTANCE.index(game.why)):
        if game.why in extremes:
            if game.gain != extremes[game.why]:
                continue
            extremes[game.why] = None  # the first of several
        kept.setdefault((game.session, game.game), game)
    return [kept[place] for place in sorted(kept)]
