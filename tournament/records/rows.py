"""Games and sessions as data frames or as a dataset of arrow: only the rows and columns that users select."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tournament.contests.contest import Contest
from tournament.errors import InputError, RunError, truncate
from tournament.store.columns import NAME
from tournament.store.field import Batch, Part, TableName
from tournament.store.legs import Legs
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
    known = dict.fromkeys([column.name for column in (*contest.games, *contest.sessions)])
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
    """How many rows of these matches were played."""
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
        raise InputError(f"{problem}; run again to repair the records") from None


def read_frame(
    location: str, contest: Contest, batches: Sequence[Batch], table: TableName, selection: Selection
) -> RecordFrame:
    """Return the selected rows and columns of a table, with names as categories that all columns of names share.

    Raises:
        InputError: The records have changed or are damaged, or the table has none of the columns.
    """
    from tournament.records.frames import RecordFrame
    from tournament.store.parts import read_parts

    columns = contest.columns(table)
    order = [column.name for column in columns]
    if selection.columns is not None:
        order = [name for name in selection.columns if name in order]
        if not order:
            raise InputError(f"{table} has none of the columns {', '.join(selection.columns)}")
    parts = _parts(batches, table, selection.matches)
    with loaded_before(location):
        rows = read_parts(
            open_storage(location), columns, [part for part, _ in parts], {"match", *order}, selection.matches
        )
    # Nothing checks the statistics by which row groups are chosen for matches.
    if rows.num_rows != _row_count(parts, table, selection.matches):
        raise InputError(f"{location}/{table} has other rows than were played; run again to play these again")
    frame: pd.DataFrame = rows.unify_dictionaries().to_pandas(split_blocks=True, self_destruct=True)
    del rows
    frame = frame[order]
    named = [column.name for column in columns if column.dtype == NAME and column.name in order]
    used = sorted({name for column in named for name in frame[column].cat.remove_unused_categories().cat.categories})
    return RecordFrame(frame.assign(**{column: frame[column].cat.set_categories(used) for column in named}))


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
