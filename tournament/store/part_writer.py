"""Writing parts during play, from the columns of row buffers."""

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

from tournament.errors import RunError
from tournament.store.carried import carried_by
from tournament.store.columns import NAME, Column
from tournament.store.field import Batch, Origin, Part, TableName, new_batch_name
from tournament.store.legs import Legs
from tournament.store.parquet_file import ParquetFileWriter
from tournament.store.sealed_footer import seal_footer, unsealed
from tournament.store.storage import Storage

# Readers skip row groups by the minimum and maximum of these columns.
STATISTICS = frozenset(("match", "session"))


class StagedPart(io.RawIOBase):
    """A stream that writes a part to staging/, and counts and hashes its bytes.

    Attributes:
        staged: Name of the part in staging/.

    Raises:
        OSError: The file can't be created in the folder.
        RunError: A request to the object store fails.
    """

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
        """Return True."""
        return True

    def write(self, data: Any) -> int:
        """Write all of these bytes, and return their number.

        Raises:
            OSError: The bytes can't be written to the folder.
            RunError: A request to the object store fails.
        """
        self._stream.write(data)
        self._hash.update(data)
        self._size += len(data)
        return len(data)

    def tell(self) -> int:
        """Return the number of bytes written so far."""
        return self._size

    @property
    def hash_so_far(self) -> str:
        """BLAKE3 hash of the bytes written so far, in hexadecimal."""
        return self._hash.hexdigest()

    def finish(self, rows: int) -> Part:
        """Complete the part on disk, and return its description with this number of rows.

        Raises:
            OSError: The part can't be written.
            RunError: A request to the object store fails.
        """
        self._storage.finish_staged(self._stream)
        return Part(self._table, self._name, self._size, rows, self.staged, blake3=self.hash_so_far)

    def abandon(self) -> None:
        """Remove the staged file, if possible."""
        # Closing writes buffered bytes, which might fail again.
        with contextlib.suppress(Exception):
            self._stream.close()
        with contextlib.suppress(OSError, RunError):
            self._storage.remove(self.staged)


class PartWriter(ParquetFileWriter):
    """Writes one staged part, row group by row group, with its origin in the metadata.

    Attributes:
        seal: Seal of a sessions part, once it is finished; "" before that, and for a games part.
    """

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
        """Create the staged file.

        Args:
            storage: Storage of the records.
            table: Table that the part belongs to.
            columns: Columns of the table.
            name: Name of the file once it is published.
            staged: Name of the part in staging/.
            origin: Metadata as `origin_metadata` returns them; None for none.

        Raises:
            OSError: The file can't be written.
            RunError: A request to the object store fails.
        """
        self._part = StagedPart(storage, table, name, staged)
        metadata = {**(origin or {}), "ARROW:schema": _schema_text(tuple(columns), tuple((origin or {}).items()))}
        super().__init__(self._part.write, columns, metadata, _created_by(), STATISTICS)

    @property
    def staged(self) -> str:
        """Name of the part in staging/."""
        return self._part.staged

    def finish(self) -> Part:
        """Complete the part on disk, and return its description.

        Raises:
            OSError: The part can't be written.
            RunError: A request to the object store fails.
        """
        return self._part.finish(self.write_footer())

    def finish_carrying(self, carried: bytes) -> Part:
        """Complete a sessions part on disk that carries these bytes and a seal, and return its description.

        Raises:
            OSError: The part can't be written.
            RunError: A request to the object store fails.
        """
        metadata = unsealed(carried, self._part.hash_so_far)
        self._part.write(carried)

        def seal(footer: bytes) -> bytes:
            """Return the footer with its seal, and keep the seal."""
            sealed, self.seal = seal_footer(carried, footer)
            return sealed

        return replace(self._part.finish(self.write_footer(metadata, seal)), blake3="")

    def abandon(self) -> None:
        """Remove the staged file, if possible."""
        self._part.abandon()


def finish_batch(
    games: PartWriter, sessions: PartWriter, legs: Legs, origin: Origin, sandbox: str = "", name: str = ""
) -> Batch:
    """Complete the two parts of a batch on disk, and return the batch. Both parts remain in staging/.

    Args:
        games: Writer of the games part.
        sessions: Writer of the sessions part.
        legs: Legs whose rows were written, at least one, in order of match and number.
        origin: Origin of the legs; players of other legs are removed from it.
        sandbox: Sandbox mode of the bots that are processes, on or off; "" if there are none.
        name: Name of the batch if it replaces one; "" for a new name, which begins with the first leg's numbers.

    Raises:
        OSError: The parts can't be written.
        ValueError: The legs couldn't be read again: they are out of order, an amount is out of bounds, or their faults
            take too many bytes.
        RunError: A request to the object store fails.
    """
    name = name or new_batch_name(int(legs.match[0]), int(legs.number[0]))
    # np.unique would load numpy.ma.
    names = {legs.names[index] for index in set(legs.players.ravel().tolist())}
    house = {legs.names[index] for index in set(legs.house.ravel().tolist()) if index >= 0}
    games_part = replace(games.finish(), name=f"{name}.parquet")
    origin = origin.for_players(names, house)
    sessions_part = replace(
        sessions.finish_carrying(carried_by(games_part, legs, sandbox, origin)), name=f"{name}.parquet"
    )
    return Batch(name, (games_part, sessions_part), legs, sandbox, origin, sessions.seal)


@cache
def arrow_schema(columns: tuple[Column, ...]) -> pa.Schema:
    """Return the columns as a schema of arrow, with their meanings as metadata of the fields."""
    return pa.schema(
        [
            pa.field(column.name, _arrow_type(column.dtype), nullable=False, metadata={"meaning": column.description})
            for column in columns
        ]
    )


def _arrow_type(dtype: str) -> pa.DataType:
    if dtype == NAME:
        return pa.dictionary(pa.int32(), pa.string())
    return pa.bool_() if dtype == "bool" else pa.from_numpy_dtype(np.dtype(dtype))


@cache
def _schema_text(columns: tuple[Column, ...], origin: tuple[tuple[str, str], ...]) -> str:
    """Return the schema in the form of arrow's own files, in which readers find the columns' meanings."""
    schema = arrow_schema(columns).with_metadata(dict(origin))
    return base64.b64encode(schema.serialize()).decode()


ORIGIN = ("tournament", "contest", "engine_version")


def origin_metadata(contest: str, version: str) -> dict[str, str]:
    """Return the metadata of a part about the origin of its games, by the keys of ORIGIN.

    Args:
        contest: Name of the contest.
        version: The contest's `engine_version`.
    """
    return dict(zip(ORIGIN, (_package_version(), contest, version)))


def _created_by() -> str:
    return f"tournament version {_package_version()}"


@cache
def _package_version() -> str:
    return importlib.metadata.version("tournament")
