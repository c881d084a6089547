"""Games and sessions as data frames with the bots' names, or as a dataset of arrow: only those that are asked for."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tournament.contests.contest import Contest
from tournament.errors import InputError, RunError, truncate
from tournament.leg import MOST_SEATS
from tournament.store.ledger import Batch, Part, TableName
from tournament.store.legs import Legs, pair_keys
from tournament.store.storage import open_storage

if TYPE_CHECKING:
    import pandas as pd

    from tournament.records.frames import RecordFrame
    from tournament.store.arrow_files import Dataset

# The names of all that have played a match, by its number.
Players = Mapping[int, Collection[str]]


@dataclass(frozen=True)
class Selection:
    """What is read of games and sessions: these columns, these matches; None is all."""

    columns: tuple[str, ...] | None = None
    matches: frozenset[int] | None = None


EVERYTHING = Selection()


def select(
    contest: Contest,
    players: Players,
    columns: Iterable[str] | None = None,
    matches: Iterable[int] | None = None,
    bots: Iterable[str] | None = None,
) -> Selection:
    """A selection: these columns, and of these matches those of these bots. `players` has all matches there are.

    Raises InputError for an unknown column, match or bot.
    """
    chosen = None if columns is None else tuple(_texts("columns", columns))
    known = dict.fromkeys([*[c.name for c in contest.games], *[c.name for c in contest.sessions], *_names_in(contest)])
    _require("column", chosen or (), known)
    if isinstance(matches, int):
        raise InputError(f"matches is a list of numbers: matches=[{matches}]")
    wanted = None if matches is None else {int(match) for match in matches}
    _require("match", wanted or (), players)
    if bots is not None:
        names = set(_texts("bots", bots))
        _require("bot with matches", names, dict.fromkeys(sorted(set().union(*players.values()))))
        theirs = {match for match, who in players.items() if not names.isdisjoint(who)}
        wanted = theirs if wanted is None else wanted & theirs
    return Selection(chosen, None if wanted is None else frozenset(wanted))


def _texts(what: str, given: Iterable[str]) -> list[str]:
    if isinstance(given, str):
        raise InputError(f"{what} is a list of names: {what}=[{given!r}]")
    return list(dict.fromkeys(given))


def _require(what: str, wanted: Iterable[Any], known: Mapping[Any, Any]) -> None:
    for one in wanted:
        if one not in known:
            there = truncate(", ".join(map(str, known)), 300) or "none"
            raise InputError(f"unknown {what} {str(one)[:200]!r}; expected one of: {there}")


def _parts(batches: Sequence[Batch], table: TableName, matches: frozenset[int] | None) -> list[tuple[Part, Legs]]:
    """The parts of a table that have some of these matches, with their legs."""
    found = [(part, batch.legs) for batch in batches for part in batch.parts if part.table == table]
    return [(part, legs) for part, legs in found if matches is None or _are_in(legs, matches).any()]


def _are_in(legs: Legs, matches: frozenset[int]) -> npt.NDArray[np.bool_]:
    return np.isin(legs.match, np.array(sorted(matches), np.int64))


def _row_count(parts: Iterable[tuple[Part, Legs]], table: TableName, matches: frozenset[int] | None) -> int:
    """How many rows of these matches the ledger knows."""
    counts = [(legs.games if table == "games" else legs.sessions, legs) for _, legs in parts]
    return sum(int((rows if matches is None else rows[_are_in(legs, matches)]).sum()) for rows, legs in counts)


@contextlib.contextmanager
def loaded_before(location: str) -> Iterator[None]:
    """Raise InputError where records have changed since they were loaded, or are damaged."""
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"the records in {location} have changed since; load them again") from None
    except RunError as problem:
        raise InputError(f"{problem}; run again to mend the records") from None


def _names_in(contest: Contest) -> list[str]:
    """Columns that only a data frame has: who sat at each seat, bot_0 and so on, and the house player."""
    seats = 1 if contest.house else MOST_SEATS if not isinstance(contest.seats, int) else contest.seats
    return [*(f"bot_{seat}" for seat in range(seats)), *(["house"] if contest.house else [])]


def read_frame(
    location: str,
    contest: Contest,
    batches: Sequence[Batch],
    table: TableName,
    sessions_per_leg: int,
    selection: Selection,
) -> RecordFrame:
    """The rows of a table, with the names of who played, by seat, after the match as categories.

    Raises InputError when the records have changed or are damaged, or when the table has none of the columns.
    """
    from tournament.records.frames import RecordFrame
    from tournament.store.parts import read_parts

    columns = contest.columns(table)
    legs = Legs.joined(batch.legs for batch in batches).in_order()
    names = _names_in(contest)[: 2 if contest.house else legs.seats]
    order = [columns[0].name, *names, *[column.name for column in columns[1:]]]
    if selection.columns is not None:
        order = [name for name in selection.columns if name in order]
        if not order:
            raise InputError(f"{table} has none of the columns {', '.join(selection.columns)}")
    parts = _parts(batches, table, selection.matches)
    with loaded_before(location):
        rows = read_parts(
            open_storage(location),
            columns,
            [part for part, _ in parts],
            {"match", "session", *order} - {*names},
            selection.matches,
        )
    # Nothing checks the statistics by which row groups are chosen for matches.
    if rows.num_rows != _row_count(parts, table, selection.matches):
        raise InputError(f"{location}/{table} has other rows than the ledger says; run again to mend the records")
    frame: pd.DataFrame = rows.to_pandas(split_blocks=True, self_destruct=True)
    del rows
    leg = frame["session"].to_numpy(np.int64) // sessions_per_leg
    for name, values in _names_of(frame["match"].to_numpy(np.int64), leg, legs, names, f"{location}/{table}").items():
        if name in order:
            frame[name] = values
    return RecordFrame(frame[order])


def _names_of(
    match: npt.NDArray[np.int64], number: npt.NDArray[np.int64], legs: Legs, names: Sequence[str], place: str
) -> dict[str, pd.Categorical[Any]]:
    """Who sat at each seat for each row, in one of these legs. Rows of a leg lie together: each run is looked up
    once."""
    import pandas as pd

    starts = np.flatnonzero((np.diff(match, prepend=-1) != 0) | (np.diff(number, prepend=-1) != 0))
    lengths = np.diff(starts, append=len(match))
    keys, wanted = pair_keys(legs.match, legs.number), pair_keys(match[starts], number[starts])
    at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    if len(wanted) and not (len(keys) and np.array_equal(keys[at], wanted)):
        raise InputError(f"{place} has matches that the ledger doesn't know")
    used = sorted({legs.names[one] for one in {*legs.players.ravel().tolist(), *legs.house.tolist()} if one >= 0})
    code = {name: number for number, name in enumerate(used)}
    kind = np.min_scalar_type(-max(1, len(used)))
    codes = np.array([code.get(name, -1) for name in legs.names], kind)
    columns = [*legs.players.T, *([legs.house] if "house" in names else [])]
    return {
        name: pd.Categorical.from_codes(np.repeat(codes[column[at]], lengths), categories=pd.Index(used))
        for name, column in zip(names, columns)
    }


def dataset_of(
    location: str, contest: Contest, batches: Sequence[Batch], table: TableName, selection: Selection
) -> Dataset:
    """The parts of a table as one dataset, whose scans check pages; of these matches alone, if so selected."""
    from tournament.store.parts import parts_as_dataset

    storage = open_storage(location)
    parts = [
        (part, (int(legs.match.min()), int(legs.match.max())))
        for part, legs in _parts(batches, table, selection.matches)
    ]
    return parts_as_dataset(storage, contest.columns(table), parts, selection.matches)
