"""Parts: what goes in comes out of pandas, and a flipped bit does not."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.records import Table
from tournament.errors import RunError
from tournament.store.columns import Column, buffer_fields
from tournament.store.field import Batch, Part
from tournament.store.folder_storage import FolderStorage
from tournament.store.leg_result import LegResult
from tournament.store.leg_sums import LegSums
from tournament.store.legs import Legs
from tournament.store.part_writer import PartWriter
from tournament.store.parts import copy_legs, damage

Values = npt.NDArray[Any]

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
COLUMNS = (
    Column("match", "int32", "the match"),
    Column("session", "int32", "the session"),
    Column("flag", "bool", "a flag"),
    Column("card", "float32", "a card, 0 to 1"),
    Column("points", "float64", "points"),
    *[Column(f"of_{type_name}", type_name, f"a value of type {type_name}") for type_name in INTEGERS],
)


@pytest.fixture
def storage(tmp_path: Path) -> FolderStorage:
    storage = FolderStorage(str(tmp_path))
    storage.prepare()
    return storage


def random_values(rows: int, seed: int) -> dict[str, Values]:
    """Return a column of each type up to its limits, in matches of 10 sessions, sessions of 5 rows."""
    chance = np.random.default_rng(seed)
    values: dict[str, Values] = {}
    for column in COLUMNS:
        if column.dtype == "bool":
            values[column.name] = chance.integers(0, 2, rows).astype(bool)
        elif column.dtype.startswith("float"):
            values[column.name] = chance.normal(size=rows).astype(column.dtype)
        else:
            limits = np.iinfo(column.dtype)
            values[column.name] = chance.integers(limits.min, limits.max, rows, column.dtype, endpoint=True)
    values["session"] = (np.arange(rows) // 5 % 10).astype(np.int32)
    values["match"] = (np.arange(rows) // 50).astype(np.int32)
    return values


def write_part(
    storage: FolderStorage,
    columns: Sequence[Column],
    values: dict[str, Values],
    cuts: Sequence[int] = (),
    name: str = "p",
) -> Part:
    """Return a part with these rows, handed over in pieces, published."""
    rows = len(values[columns[0].name])
    writer = PartWriter(storage, "games", columns, f"{name}.parquet", f"staging/{name}")
    table = Table(buffer_fields(tuple(columns)), max(1, rows))
    edges = [0, *sorted(min(cut, rows) for cut in cuts), rows]
    for first, end in itertools.pairwise(edges):
        for column in columns:
            table.arrays[column.name][: end - first] = values[column.name][first:end]
        table.rows = end - first
        writer.append(table.arrays, table.rows)
    part = writer.finish()
    storage.publish(part.staged, f"games/{part.name}")
    return part


def read(storage: FolderStorage, part: Part) -> pd.DataFrame:
    return pd.read_parquet(f"{storage.location}/games/{part.name}")


def assert_holds(frame: pd.DataFrame, values: dict[str, Values]) -> None:
    assert list(frame.columns) == list(values)
    for name, column in values.items():
        assert frame[name].dtype == column.dtype, name
        assert frame[name].to_numpy().tobytes() == column.tobytes(), name


def batch_of(part: Part, sessions: int = 10) -> Batch:
    """Return the batch of a part of `random_values`, whose legs are its matches."""
    legs = [
        LegResult("0" * 64, match, 0, ("ann", "bob"), sessions, 5 * sessions, (LegSums(0.0, 0.0),) * 2)
        for match in range(part.rows // 50)
    ]
    return Batch("p", (part,), Legs.from_results(legs))


@settings(max_examples=25, deadline=None)
@given(st.sets(st.integers(0, 5), min_size=1), st.lists(st.integers(0, 300), max_size=4))
def test_copied_are_the_rows_of_the_legs_that_stay(
    tmp_path_factory: pytest.TempPathFactory, chosen: set[int], cuts: list[int]
) -> None:
    """Row groups can begin anywhere."""
    storage = FolderStorage(str(tmp_path_factory.mktemp("parts")))
    storage.prepare()
    values = random_values(300, 7)
    part = write_part(storage, COLUMNS, values, cuts)
    stay = np.isin(np.arange(6), list(chosen))
    copied = copy_legs(storage, "games", COLUMNS, [(batch_of(part), stay)], 10, "staging/new").finish()
    rows = np.flatnonzero(np.repeat(stay, 50))
    assert copied.rows == len(rows)
    storage.publish("staging/new", f"games/{copied.name}")
    assert_holds(read(storage, copied), {name: column[rows] for name, column in values.items()})
    assert damage(storage, copied) == ""
    meaning = pq.read_schema(f"{storage.location}/games/{copied.name}").field("card").metadata
    assert meaning is not None
    assert meaning[b"meaning"] == b"a card, 0 to 1"


def test_rows_of_other_legs_than_were_played_are_not_copied(storage: FolderStorage) -> None:
    part = write_part(storage, COLUMNS, random_values(300, 9))
    with pytest.raises(RunError, match=r"p\.parquet is damaged: it has rows of other legs than were played"):
        copy_legs(storage, "games", COLUMNS, [(batch_of(part, sessions=9), np.ones(6, bool))], 10, "staging/new")
    assert storage.list("staging") == {}
