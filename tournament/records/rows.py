"""Games and sessions as data frames or as a dataset of arrow, with only the selected rows and columns."""

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

# Names of the players of each match, by its number.
Players = Mapping[int, Collection[str]]


@dataclass(frozen=True)
class Selection:
    """The columns and matches to read of games and sessions.

    Attributes:
        columns: Names of the columns of both tables, in the order of the result; None for all in the tables' order. A
            table ignores the names of the other one's columns.
        matches: Numbers of the matches; None for all.
    """

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
    """Return a selection of columns and matches.

    Args:
        contest: Contest of the records.
        players: Names of the players of each recorded match. It can be empty if neither matches nor bots are given.
        columns: Names of the columns; None for all. Repeated names count once.
        matches: Numbers of the matches; None for all.
        bots: Names of bots or house players, of which a match must have one; None for any. A match must meet both
            conditions.

    Raises:
        InputError: There is no such column, match or bot. Or there is a single name or number instead of a list.
        ValueError: A match isn't a number.
    """
    selected = None if columns is None else tuple(_texts("columns", columns))
    all_columns = dict.fromkeys([column.name for column in (*contest.games, *contest.sessions)])
    _require("column", selected or (), all_columns)
    if isinstance(matches, int):
        raise InputError(f"matches must be a list of numbers; write matches=[{matches}]")
    numbers = None if matches is None else {int(match) for match in matches}
    _require("match", numbers or (), players)
    if bots is not None:
        names = set(_texts("bots", bots))
        _require("bot with matches", names, dict.fromkeys(sorted(set().union(*players.values()))))
        bot_matches = {match for match, playing in players.items() if not names.isdisjoint(playing)}
        numbers = bot_matches if numbers is None else numbers & bot_matches
    return Selection(selected, None if numbers is None else frozenset(numbers))


def _texts(parameter: str, names: Iterable[str]) -> list[str]:
    """Return distinct names in order.

    Args:
        parameter: Name of the caller's parameter, for the message.
        names: The names.

    Raises:
        InputError: There is a single name instead of a list.
    """
    if isinstance(names, str):
        raise InputError(f"{parameter} must be a list of names; write {parameter}=[{names!r}]")
    return list(dict.fromkeys(names))


def _require(kind: str, selected: Iterable[Any], recorded: Mapping[Any, Any]) -> None:
    """Check that all selected values are keys of the recorded ones.

    Args:
        kind: Kind of the values, as the message names it.
        selected: The selected values.
        recorded: The recorded values as keys, in the order in which the message lists them.

    Raises:
        InputError: A value isn't recorded.
    """
    for one in selected:
        if one not in recorded:
            expected = truncate(", ".join(map(str, recorded)), 300) or "none"
            raise InputError(f"unknown {kind} {str(one)[:200]!r}; expected one of: {expected}")


def _parts(batches: Sequence[Batch], table: TableName, matches: frozenset[int] | None) -> list[tuple[Part, Legs]]:
    """Return the parts of a table that have some of these matches, or all for None, with the legs of each part."""
    parts = [(part, batch.legs) for batch in batches for part in batch.parts if part.table == table]
    return [(part, legs) for part, legs in parts if matches is None or _are_in(legs, matches).any()]


def _are_in(legs: Legs, matches: frozenset[int]) -> npt.NDArray[np.bool_]:
    return np.isin(legs.match, np.array(sorted(matches), np.int64))


def _row_count(parts: Iterable[tuple[Part, Legs]], table: TableName, matches: frozenset[int] | None) -> int:
    """Return the number of rows that these matches have by their legs. None stands for all matches."""
    counts = [(legs.games if table == "games" else legs.sessions, legs) for _, legs in parts]
    return sum(int((rows if matches is None else rows[_are_in(legs, matches)]).sum()) for rows, legs in counts)


@contextlib.contextmanager
def loaded_before(location: str) -> Iterator[None]:
    """Report a missing or damaged part in this block as an InputError.

    Args:
        location: Folder or URL of the records, for the message.

    Raises:
        InputError: A part is missing, because the records have changed since they were loaded, or a part is damaged.
    """
    try:
        yield
    except FileNotFoundError:
        raise InputError(f"the records in {location} have changed since; load them again") from None
    except RunError as problem:
        raise InputError(f"{problem}; run again to repair the records") from None


def read_frame(
    location: str, contest: Contest, batches: Sequence[Batch], table: TableName, selection: Selection
) -> RecordFrame:
    """Return the selected rows and columns of a table. Columns of names are categories with the same values.

    Rows are in the order of the batches and of play. Categories are sorted, and are those that occur.

    Args:
        location: Folder or URL of the records.
        contest: Contest of the records.
        batches: Batches that count.
        table: Table to read.
        selection: Rows and columns to read.

    Raises:
        InputError: The records have changed or are damaged, have other rows than were played, or the table has none of
            the columns.
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
    # Row groups are selected by statistics that nothing else checks.
    if rows.num_rows != _row_count(parts, table, selection.matches):
        raise InputError(f"{location}/{table} has other rows than were played; run again to replay them")
    frame: pd.DataFrame = rows.unify_dictionaries().to_pandas(split_blocks=True, self_destruct=True)
    del rows
    frame = frame[order]
    named = [column.name for column in columns if column.dtype == NAME and column.name in order]
    used = sorted({name for column in named for name in frame[column].cat.remove_unused_categories().cat.categories})
    return RecordFrame(frame.assign(**{column: frame[column].cat.set_categories(used) for column in named}))


def open_dataset(
    location: str, contest: Contest, batches: Sequence[Batch], table: TableName, selection: Selection
) -> Dataset:
    """Return the selected matches of a table as one dataset, whose scans verify page checksums.

    Rows are in the order of the batches. A scan fails with OSError if a part is damaged or missing.

    Args:
        location: Folder or URL of the records.
        contest: Contest of the records.
        batches: Batches that count.
        table: Table of the dataset.
        selection: Selection, whose columns don't matter.
    """
    from tournament.store.parts import parts_as_dataset

    storage = open_storage(location)
    parts = [
        (part, (int(legs.match.min()), int(legs.match.max())))
        for part, legs in _parts(batches, table, selection.matches)
    ]
    return parts_as_dataset(storage, contest.columns(table), parts, selection.matches)
