"""Writing parts while they are played: a row buffer's columns are written in pages of our own."""

from __future__ import annotations

import base64
import contextlib
import importlib.metadata
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import IO, Any

import numpy as np
import pyarrow as pa
from blake3 import blake3

from tournament.store.carried import carried_by
from tournament.store.columns import NAME, Column
from tournament.store.field import Batch, Origin, Part, TableName, new_batch_name
from tournament.store.legs import Legs
from tournament.store.parquet_file import ParquetFileWriter
from tournament.store.sealed_footer import seal_footer, unsealed
from tournament.store.storage import Storage

# A row group's least and greatest values of these columns tell readers which groups to skip.
STATISTICS = frozenset(("match", "session"))


class StagedPart(io.RawIOBase):
    """A part that is being written, as a stream: counts and hashes its bytes."""

    def __init__(self, storage: Storage, table: TableName, name: str, staged: str) -> None:
        super().__init__()
        self._storage = storage
        self._table = table
        self._name = name
        self.staged = staged
        self._stream: IO[bytes] = storage.open_staged(staged)
        self._hash = blake3()
        self._size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._stream.write(data)
        self._hash.update(data)
        self._size += len(data)
        return len(data)

    def tell(self) -> int:
        return self._size

    @property
    def hash_so_far(self) -> str:
        return self._hash.hexdigest()

    def finish(self, rows: int) -> Part:
        """Complete it on disk. Raises OSError."""
        self._storage.finish_staged(self._stream)
        return Part(self._table, self._name, self._size, rows, self.staged, blake3=self.hash_so_far)

    def abandon(self) -> None:
        """Remove what was written, if possible."""
        with contextlib.suppress(Exception):  # closing writes what is buffered, and may fail again
            self._stream.close()
        with contextlib.suppress(OSError):
            self._storage.remove(self.staged)


class PartWriter(ParquetFileWriter):
    """Writes one staged part, row group by row group, with its `origin` in the metadata. `seal`: of a sessions
    part that is finished."""

    seal = ""

    def __init__(
        self,
        storage: Storage,
        table: TableName,
        columns: Sequence[Column],
        name: str,
        staged: str,
        origin: Mapping[str, str] | None = None,
    ) -> None:
        self._part = StagedPart(storage, table, name, staged)
        metadata = {**(origin or {}), "ARROW:schema": _schema_text(tuple(columns), tuple((origin or {}).items()))}
        super().__init__(self._part.write, columns, metadata, _created_by(), STATISTICS)

    @property
    def staged(self) -> str:
        """Where the part waits until it is published."""
        return self._part.staged

    def finish(self) -> Part:
        """Complete the part on disk. Raises OSError."""
        return self._part.finish(self.write_footer())

    def finish_carrying(self, carried: bytes) -> Part:
        """Complete a sessions part on disk that carries these bytes, sealed. Raises OSError."""
        metadata = unsealed(carried, self._part.hash_so_far)
        self._part.write(carried)

        def seal(footer: bytes) -> bytes:
            sealed, self.seal = seal_footer(carried, footer)
            return sealed

        return replace(self._part.finish(self.write_footer(metadata, seal)), blake3="")

    def abandon(self) -> None:
        """Remove what was written, if possible."""
        self._part.abandon()


def finish_batch(
    games: PartWriter, sessions: PartWriter, legs: Legs, origin: Origin, sandbox: str = "", name: str = ""
) -> Batch:
    """Complete the two parts of a batch on disk: of new legs, or of those that stay in the batch of this name.

    Raises:
        OSError: The parts can't be written.
        ValueError: No one could read the legs.
    """
    name = name or new_batch_name(int(legs.match[0]), int(legs.number[0]))
    # Not by np.unique, which loads numpy.ma.
    names = {legs.names[place] for place in set(legs.players.ravel().tolist())}
    house = {legs.names[place] for place in set(legs.house.ravel().tolist()) if place >= 0}
    of_games = replace(games.finish(), name=f"{name}.parquet")
    origin = origin.of_players(names, house)
    of_sessions = replace(sessions.finish_carrying(carried_by(of_games, legs, sandbox, origin)), name=f"{name}.parquet")
    return Batch(name, (of_games, of_sessions), legs, sandbox, origin, sessions.seal)


@cache
def arrow_schema(columns: tuple[Column, ...]) -> pa.Schema:
    """The columns as an arrow schema, with their meanings as metadata of the fields."""
    return pa.schema(
        [
            pa.field(
                column.name,
                _arrow_type(column.dtype),
                nullable=False,
                metadata={"meaning": column.description},
            )
            for column in columns
        ]
    )


def _arrow_type(dtype: str) -> pa.DataType:
    if dtype == NAME:
        return pa.dictionary(pa.int32(), pa.string())
    return pa.bool_() if dtype == "bool" else pa.from_numpy_dtype(np.dtype(dtype))


@cache
def _schema_text(columns: tuple[Column, ...], origin: tuple[tuple[str, str], ...]) -> str:
    """The arrow schema as arrow's own files have it: readers find the columns' meanings there."""
    schema = arrow_schema(columns).with_metadata(dict(origin))
    return base64.b64encode(schema.serialize()).decode()


ORIGIN = ("tournament", "contest", "engine_version")


def origin_of(contest: str, version: str) -> dict[str, str]:
    """A part's metadata that tell where its games come from."""
    return dict(zip(ORIGIN, (_package_version(), contest, version)))


def _created_by() -> str:
    return f"tournament version {_package_version()}"


@cache
def _package_version() -> str:
    return importlib.metadata.version("tournament")
