"""One pass over the recorded games: the counts for the contest's portrait, and some games for the viewer."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tournament.contests.contest import Contest
from tournament.contests.portrait import Row, Rows, Seats
from tournament.errors import RunFailed
from tournament.store.ledger import Batch, Part
from tournament.store.legs import Fault, LegResult, Legs
from tournament.store.parts import require_written, row_group_edges, rows_of
from tournament.store.storage import Storage

MOST_ROWS = 16_000_000  # that are read; of more, evenly spaced row groups
_MOST_GAMES = 4_000  # for the viewer, besides those of faults
_FEWEST, _MOST_OF_MATCH = 4, 200  # of them, from either end of a match
_MOST_FAULTS = 200
_GROUPS_PER_TASK = 4


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
    """The portrait's sums, chosen games by match in order of play, and how many games were counted, of how many.

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
class _Task:
    """Some row groups of a part of games. `edges` are the first rows of all groups, `legs` all legs of the part."""

    part: Part
    legs: Legs
    groups: Sequence[int]
    edges: Sequence[int]


def survey_games(
    contest: Contest,
    storage: Storage,
    batches: Sequence[Batch],
    entrants: Sequence[str],
    faults: Sequence[tuple[LegResult, Fault]],
    *,
    matches: Set[int] = frozenset(),
    most_rows: int = MOST_ROWS,
) -> Survey:
    """Read the games of these batches. Entrants are numbered in the given order.

    Games are chosen of these `matches`, and those with a fault; none if there are no matches.

    Raises FileNotFoundError when a part is gone, RunFailed when it isn't what was written.
    """
    parts = [(batch.part("games"), batch.legs) for batch in batches]
    ends = _Ends.of([legs for _, legs in parts], matches)
    places = {(leg.match, fault.session, fault.game) for leg, fault in faults[:_MOST_FAULTS]} if matches else set()
    number = {name: place for place, name in enumerate(entrants)}
    total = sum(part.rows for part, _ in parts)
    stride = max(1, -(-total // most_rows))
    survey = Survey(games=total)
    if not (matches or contest.display.portrait):
        return survey

    def look(task: _Task) -> Survey:
        found = Survey()
        pieces = rows_of(storage, task.part, contest.games, groups=task.groups)
        for group, rows in zip(task.groups, pieces):
            _look_at(found, contest, rows, task.edges[group], task.legs, number, ends, places)
        return found

    workers = os.cpu_count() or 1
    with ThreadPoolExecutor(workers) as pool:
        # Only a few at once, so that memory doesn't grow with the records.
        waiting = []
        for task in _tasks(contest, storage, parts, stride):
            waiting.append(pool.submit(look, task))
            if len(waiting) > 2 * workers:
                survey.add(waiting.pop(0).result())
        for one in waiting:
            survey.add(one.result())
    for match, games in survey.chosen.items():
        survey.chosen[match] = _each_once(games)
    return survey


def _tasks(contest: Contest, storage: Storage, parts: Sequence[tuple[Part, Legs]], stride: int) -> Iterator[_Task]:
    """Every `stride`-th row group of all parts, a few at a time."""
    count = 0
    for part, legs in parts:
        require_written(storage, part)
        edges = row_group_edges(storage, part, contest.games)
        groups = [group for group in range(len(edges) - 1) if (count + group) % stride == 0]
        count += len(edges) - 1
        for first in range(0, len(groups), _GROUPS_PER_TASK):
            yield _Task(part, legs, groups[first : first + _GROUPS_PER_TASK], edges)


@dataclass(frozen=True)
class _Ends:
    """The first and the last leg of each match that is shown, and how many games to choose from either end."""

    first: Mapping[int, int]
    last: Mapping[int, int]
    games: int

    @classmethod
    def of(cls, several: Sequence[Legs], matches: Set[int]) -> _Ends:
        first: dict[int, int] = {}
        last: dict[int, int] = {}
        for legs in several:
            for match, number in zip(legs.match.tolist(), legs.number.tolist()):
                if match not in matches:
                    continue
                first[match] = min(number, first.get(match, number))
                last[match] = max(number, last.get(match, number))
        games = _MOST_GAMES // (2 * max(1, len(first)))
        return cls(first, last, min(_MOST_OF_MATCH, max(_FEWEST, games)))


def _look_at(
    found: Survey,
    contest: Contest,
    rows: Rows,
    first_row: int,
    legs: Legs,
    number: Mapping[str, int],
    ends: _Ends,
    fault_places: set[tuple[int, int, int]],
) -> None:
    """Count a row group, whose legs are known from the ledger, and choose games of it."""
    count = len(rows["match"])
    edges = np.concatenate([[0], np.cumsum(legs.games)]) - first_row
    here = range(int(np.searchsorted(edges[1:], 0, "right")), int(np.searchsorted(edges[:-1], count, "left")))
    lengths = np.diff(np.clip(edges[here.start : here.stop + 1], 0, count))
    if (
        int(lengths.sum()) != count
        or not (np.repeat(legs.match[here.start : here.stop], lengths) == rows["match"]).all()
    ):
        raise RunFailed("a part has rows of other legs than the ledger says; tournament verify names it")
    found.games_read += count
    portrait = contest.display.portrait
    if portrait:
        who = [np.array([number.get(names[leg], len(number)) for leg in here], np.int32) for names in (legs.x, legs.y)]
        seats = Seats(np.repeat(who[0], lengths), np.repeat(who[1], lengths), len(number))
        found.add_sums(portrait.tally(rows, seats))
    faulty = {match for match, _, _ in fault_places}
    if not (ends.games or faulty):
        return
    if portrait and portrait.turns:
        places = {(match, session) for match, session, _ in fault_places}
        found.sessions.update(_whole_sessions(rows, [legs[leg] for leg in here], ends, places))
        return
    gains = portrait.gain(rows) if portrait and portrait.gain else None
    for leg in here:
        start, stop = max(0, int(edges[leg])), min(count, int(edges[leg + 1]))
        match = int(legs.match[leg])
        if match not in ends.first and match not in faulty:
            continue
        wanted: list[tuple[int, str]] = []
        if legs.number[leg] == ends.first.get(match):
            wanted += [(row, "first") for row in range(start, min(stop, int(edges[leg]) + ends.games))]
        if legs.number[leg] == ends.last.get(match):
            wanted += [(row, "last") for row in range(max(start, int(edges[leg + 1]) - ends.games), stop)]
        if gains is not None and stop > start and match in ends.first:
            piece = gains[start:stop]
            wanted += [(start + int(piece.argmax()), "best"), (start + int(piece.argmin()), "worst")]
        for _, session, game in [place for place in fault_places if place[0] == match]:
            there = (rows["session"][start:stop] == session) & (rows["game"][start:stop] == game)
            wanted += [(start + int(row), "fault") for row in np.flatnonzero(there)[:1]]
        found.chosen.setdefault(match, []).extend(_taken(rows, gains, match, wanted))


def _whole_sessions(
    rows: Rows, legs: Sequence[LegResult], ends: _Ends, places: set[tuple[int, int]]
) -> dict[tuple[int, int], list[Rows]]:
    """The rows here of the sessions at these places, by match and session; and of each match's first and last one."""
    for leg in legs:
        if leg.number == ends.first.get(leg.match):
            places.add((leg.match, leg.number * leg.sessions))
        if leg.number == ends.last.get(leg.match):
            places.add((leg.match, (leg.number + 1) * leg.sessions - 1))
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
