"""Reading Parquet parts, and copying rows of them."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from blake3 import blake3

from tournament.errors import RunError, truncate
from tournament.store.columns import NAME, Column
from tournament.store.field import Batch, Part, TableName
from tournament.store.legs import Legs, pair_keys
from tournament.store.parquet_file import Runs
from tournament.store.part_writer import ORIGIN, PartWriter, arrow_schema
from tournament.store.reading import is_current
from tournament.store.sealed_footer import check_pages, read_carried
from tournament.store.storage import Storage

if TYPE_CHECKING:
    import pyarrow.compute as pc

    from tournament.store.arrow_files import Dataset

# Exceptions of pyarrow for a damaged file. ValueError occurs if a name isn't UTF-8.
UNREADABLE = (pa.ArrowException, OSError, ValueError)


@contextmanager
def reading(storage: Storage, part: Part) -> Iterator[None]:
    """Report a failure to read a part in this block as a RunError, which names the part.

    Raises:
        FileNotFoundError: The part is missing.
        RunError: The part can't be read.
    """
    try:
        yield
    except FileNotFoundError:
        raise
    except UNREADABLE as error:
        reason = truncate(str(error).partition("\n")[0], 200)
        raise RunError(f"{storage.location}/{part.path} is damaged: {reason}") from None


def columns_in(storage: Storage, part: Part) -> tuple[Column, ...]:
    """Return the columns of a published part in the order of the file, as its own schema describes them.

    Raises:
        FileNotFoundError: The part is missing.
        RunError: The part can't be opened, has other bytes than were written, or has columns of a kind that parts don't
            have.
        OSError: The part can't be read.
    """
    require_written(storage, part)
    with reading(storage, part), pq.ParquetFile(_opened(storage, part)) as file:
        schema = file.schema_arrow
        columns = tuple(
            Column(
                one.name,
                NAME if pa.types.is_dictionary(one.type) else str(np.dtype(one.type.to_pandas_dtype())),
                (one.metadata or {}).get(b"meaning", b"").decode(),
            )
            for one in schema
        )
        if not arrow_schema(columns).equals(schema):
            raise pa.ArrowInvalid("it has columns of other kinds")
        return columns


def _opened(storage: Storage, part: Part) -> pa.NativeFile:
    """Return the file of a part: a published one, or a staged one, if its name has another part so far.

    Raises:
        FileNotFoundError: The part is missing, or was replaced.
        RunError: The file can't be opened.
        OSError: A folder on the way can't be searched.
    """
    for place in (part.path, part.staged):
        with contextlib.suppress(FileNotFoundError):
            stream = storage.open_data(place)
            if stream.size() == part.size:
                return stream
            stream.close()
    # Since then the part was published or replaced, or it is damaged.
    stream = storage.open_data(part.path)
    if stream.size() != part.size and part.table == "games" and not is_current(storage, part.name[:-8], part):
        stream.close()
        raise FileNotFoundError(part.path)
    return stream


def open_part(storage: Storage, part: Part, columns: Sequence[Column]) -> pq.ParquetFile:
    """Return a part as a file that verifies page checksums when it is read. The caller closes it.

    Raises:
        FileNotFoundError: The part is missing.
        RunError: The part has other columns or rows, or can't be read.
    """
    with reading(storage, part):
        file = pq.ParquetFile(_opened(storage, part), page_checksum_verification=True)
        if file.schema_arrow.equals(arrow_schema(tuple(columns))) and file.metadata.num_rows == part.rows:
            return file
        file.close(force=True)
        raise pa.ArrowInvalid("it has other columns or rows than were written")


def read_parts(
    storage: Storage,
    columns: Sequence[Column],
    parts: Sequence[Part],
    only: Collection[str] | None = None,
    matches: Collection[int] | None = None,
) -> pa.Table:
    """Return the rows of published parts, in the order of the parts and of their rows.

    Args:
        storage: Storage of the records.
        columns: Columns of the table.
        parts: Parts to read.
        only: Names of the columns to read; None for all. Other names are ignored.
        matches: Numbers of the matches to read; None for all. Then `only` must have the column match.

    Returns:
        The selected columns in the order of `columns`. Without parts it has no rows.

    Raises:
        FileNotFoundError: A part is missing.
        RunError: A part has other columns or rows, or can't be read.
    """
    names = [column.name for column in columns if only is None or column.name in only]

    def read(part: Part) -> pa.Table:
        """Return the selected rows of a part.

        Raises:
            FileNotFoundError: The part is missing.
            RunError: The part has other columns or rows, or can't be read.
        """
        with open_part(storage, part, columns) as file, reading(storage, part):
            groups = [
                group
                for group in range(file.num_row_groups)
                if matches is None or _may_have(file.metadata.row_group(group), matches)
            ]
            table = file.read_row_groups(groups, columns=names).replace_schema_metadata(None)
        return table if matches is None else table.filter(_match_filter(matches))

    if not parts:
        return pa.schema([field for field in arrow_schema(tuple(columns)) if field.name in names]).empty_table()
    with ThreadPoolExecutor() as pool:
        return pa.concat_tables(list(pool.map(read, parts)))


def _may_have(group: pq.RowGroupMetaData, matches: Collection[int]) -> bool:
    """Return whether matches might be in a row group, by the minimum and maximum of its first column, match.

    It is True if the group has no minimum and maximum.
    """
    statistics: Any = group.column(0).statistics
    if statistics is None or not statistics.has_min_max:
        return True
    return any(statistics.min <= match <= statistics.max for match in matches)


def _match_filter(matches: Collection[int]) -> pc.Expression:
    import pyarrow.compute as pc

    return pc.field("match").isin(pa.array(np.array(sorted(matches), dtype=np.int64)))


def parts_as_dataset(
    storage: Storage,
    columns: Sequence[Column],
    parts: Sequence[tuple[Part, tuple[int, int]]],
    matches: Collection[int] | None = None,
) -> Dataset:
    """Return published parts as one dataset of arrow, with rows in the order of the parts. No part is opened yet.

    A scan that selects matches skips other parts and row groups. It verifies page checksums, and fails with OSError if
    a part is damaged or missing.

    Args:
        storage: Storage of the records.
        columns: Columns of the table.
        parts: Parts, each with the lowest and highest number of its matches.
        matches: Numbers of the matches in the dataset; None for all.
    """
    import pyarrow.compute as pc
    import pyarrow.dataset as ds
    from pyarrow import fs

    from tournament.store.arrow_files import StoredDataset, StoredFiles

    checking = ds.ParquetFileFormat(
        default_fragment_scan_options=ds.ParquetFragmentScanOptions(page_checksum_verification=True)
    )
    files = fs.PyFileSystem(StoredFiles(storage, {part.path: part.staged for part, _ in parts}))
    fragments = [
        checking.make_fragment(
            part.path,
            files,
            partition_expression=(pc.field("match") >= pa.scalar(lowest, pa.int64()))
            & (pc.field("match") <= pa.scalar(highest, pa.int64())),
        )
        for part, (lowest, highest) in parts
    ]
    dataset = StoredDataset(fragments, arrow_schema(tuple(columns)), checking, files)
    return dataset if matches is None else dataset.filter(_match_filter(matches))


def read_rows(
    storage: Storage,
    part: Part,
    columns: Sequence[Column],
    names: Sequence[str] | None = None,
    groups: Iterable[int] | None = None,
) -> Iterator[dict[str, npt.NDArray[Any]]]:
    """Yield the columns of a published part, one row group at a time.

    It uses no threads, because callers read parts in parallel. Exceptions occur while rows are read.

    Args:
        storage: Storage of the records.
        part: Part to read.
        columns: Columns of the table.
        names: Names of the columns to read; None for all.
        groups: Numbers of the row groups to read, in this order; None for all.

    Yields:
        Values by column, with flags as bool and names as objects. Arrays can be read-only.

    Raises:
        FileNotFoundError: The part is missing.
        RunError: The part has other columns or rows, or can't be read.
    """
    selected = [column.name for column in columns] if names is None else list(names)
    with open_part(storage, part, columns) as file:
        yield from _rows_in(file, storage, part, selected, groups)


def _rows_in(
    file: pq.ParquetFile, storage: Storage, part: Part, names: Sequence[str], groups: Iterable[int] | None = None
) -> Iterator[dict[str, npt.NDArray[Any]]]:
    """Yield the values of an open part by column, one row group at a time. Arrays can be read-only.

    Raises:
        RunError: The part can't be read.
    """
    for group in range(file.num_row_groups) if groups is None else groups:
        with reading(storage, part):
            table = file.read_row_group(group, columns=list(names), use_threads=False)
            rows = {name: column_values(table, name) for name in names}
        yield rows


def read_rows_with_bytes(
    storage: Storage, part: Part, columns: Sequence[Column], names: Sequence[str]
) -> Iterator[dict[str, npt.NDArray[Any]]]:
    """Return an iterator over the columns of a published part, one row group at a time, with flags as uint8.

    Names are objects. Arrays can be read-only. Exceptions occur while rows are read.

    Args:
        storage: Storage of the records.
        part: Part to read.
        columns: Columns of the table.
        names: Names of the columns to read.

    Raises:
        FileNotFoundError: The part is missing.
        RunError: The part has other columns or rows, or can't be read.
    """
    return map(_with_bytes, read_rows(storage, part, columns, names))


def _with_bytes(rows: dict[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """Return columns with flags as uint8."""
    return {name: values.view(np.uint8) if values.dtype == bool else values for name, values in rows.items()}


def row_group_edges(storage: Storage, part: Part, columns: Sequence[Column]) -> list[int]:
    """Return the first row of each row group of a published part, and then its number of rows.

    Raises:
        FileNotFoundError: The part is missing.
        RunError: The part has other columns or rows, or can't be read.
    """
    with open_part(storage, part, columns) as file:
        sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
    return list(itertools.accumulate(sizes, initial=0))


def read_origin(storage: Storage, part: Part, columns: Sequence[Column]) -> dict[str, str]:
    """Return those metadata of a published part that are about the origin of its games, by the keys of ORIGIN.

    Keys that the part lacks are omitted.

    Raises:
        FileNotFoundError: The part is missing.
        RunError: The part has other columns or rows, or can't be read.
    """
    with open_part(storage, part, columns) as file:
        return _origin_in(file)


def _origin_in(file: pq.ParquetFile) -> dict[str, str]:
    """Return the metadata of an open part about the origin of its games, by those keys of ORIGIN that it has."""
    metadata = file.schema_arrow.metadata or {}
    return {key: metadata[key.encode()].decode(errors="replace") for key in ORIGIN if key.encode() in metadata}


def column_values(table: pa.Table, name: str) -> npt.NDArray[Any]:
    """Return a column without nulls: numbers, flags, or names as an array of objects. It can be read-only.

    `to_numpy` would import pandas, and `cast` pyarrow.compute: both take long.
    """
    column = table[name]
    if pa.types.is_dictionary(column.type):
        return _dictionary_values(column)
    kind = np.dtype(column.type.to_pandas_dtype())
    arrays: list[npt.NDArray[Any]] = []
    for chunk in column.chunks:
        buffer, first, count = cast(Any, chunk.buffers()[1]), chunk.offset, len(chunk)
        # Arrow packs eight flags into a byte.
        if kind.kind == "b":
            packed = np.frombuffer(buffer, np.uint8, (first % 8 + count + 7) // 8, first // 8)
            bits = np.unpackbits(packed, count=first % 8 + count, bitorder="little")
            arrays.append(bits[first % 8 :].view(bool))
        else:
            arrays.append(np.frombuffer(buffer, kind, count, first * kind.itemsize))
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays) if arrays else np.empty(0, kind)


def _dictionary_values(column: pa.ChunkedArray[Any]) -> npt.NDArray[Any]:
    """Return a column of names without nulls as an array of objects."""
    arrays = [np.empty(0, object)]
    for chunk in cast(Any, column.chunks):
        indices = column_values(pa.table([chunk.indices], ["at"]), "at")
        arrays.append(np.array([*chunk.dictionary.to_pylist(), None], object)[indices])
    return np.concatenate(arrays)


def copy_legs(
    storage: Storage,
    table: TableName,
    columns: Sequence[Column],
    sources: Sequence[tuple[Batch, npt.NDArray[np.bool_]]],
    sessions_per_leg: int,
    staged: str,
) -> PartWriter:
    """Write the rows of legs that stay in the records to a staged part, which the caller finishes.

    The part has the name and the origin of the first batch's part. If this fails, the staged file is removed.

    Args:
        storage: Storage of the records.
        table: Table of the part.
        columns: Columns of the table.
        sources: Batches, at least one, each with a flag for each of its legs, which is True if the leg stays. Rows of
            more than one batch are sorted by match and number in memory.
        sessions_per_leg: Number of sessions of a leg.
        staged: Name of the new part in staging/.

    Raises:
        OSError: The part can't be written.
        FileNotFoundError: A part of the sources is missing.
        RunError: A part of the sources is damaged, or has rows of other legs. Or a request to the object store fails.
    """
    legs = Legs.joined(batch.legs for batch, _ in sources)
    players = {f"bot_{seat}": legs.players[:, seat] for seat in range(legs.seats)} | {"house": legs.house}
    players = {column.name: players[column.name] for column in columns if column.of_leg and column.dtype == NAME}
    row_columns = [column for column in columns if column.name not in players]
    waiting: list[tuple[npt.NDArray[np.intp], dict[str, npt.NDArray[Any]]]] = []
    writer: PartWriter | None = None

    def write_waiting() -> None:
        """Append the rows that wait to the new part.

        Raises:
            OSError: The part can't be written.
            RunError: A request to the object store fails.
        """
        assert writer
        leg_indices = np.concatenate([indices for indices, _ in waiting])
        rows = {column.name: np.concatenate([one[column.name] for _, one in waiting]) for column in row_columns}
        waiting.clear()
        if len(sources) > 1:
            order = np.argsort(pair_keys(legs.match, legs.number)[leg_indices], kind="stable")
            leg_indices, rows = leg_indices[order], {name: values[order] for name, values in rows.items()}
        names = {name: Runs.from_indices(legs.names, indices[leg_indices]) for name, indices in players.items()}
        names |= {column.name: Runs.from_rows(rows[column.name]) for column in row_columns if column.dtype == NAME}
        writer.append({**rows, **names}, len(leg_indices))

    try:
        first = 0
        for batch, stay in sources:
            part, source = batch.part(table), batch.legs
            row_legs = np.repeat(np.arange(len(source)), source.games if table == "games" else source.sessions)
            with open_part(storage, part, columns) as file:
                writer = writer or PartWriter(storage, table, columns, part.name, staged, _origin_in(file))
                for rows in map(_with_bytes, _rows_in(file, storage, part, [column.name for column in row_columns])):
                    leg_of, row_legs = np.split(row_legs, [len(rows["match"])])
                    number = rows["session"] // sessions_per_leg
                    if not (
                        np.array_equal(rows["match"], source.match[leg_of])
                        and np.array_equal(number, source.number[leg_of])
                    ):
                        raise RunError(
                            f"{storage.location}/{part.path} is damaged: it has rows of other legs than were played"
                        )
                    stays = stay[leg_of]
                    if stays.any():
                        waiting.append((leg_of[stays] + first, {name: values[stays] for name, values in rows.items()}))
                        if len(sources) == 1:
                            write_waiting()
            first += len(source)
        if waiting:
            write_waiting()
        assert writer
        return writer
    except BaseException:
        if writer:
            writer.abandon()
        raise


def damage(storage: Storage, part: Part) -> str:
    """Return "missing" or "damaged" if a published part isn't as it was written, otherwise "".

    A games part is compared with its hash, and is missing if it was replaced, too. A sessions part is compared with its
    seal and the hash of its rows, and is damaged if it can't be read, too.

    Raises:
        RunError: The part can't be opened.
        OSError: A games part can't be read.
    """
    if not part.blake3:
        try:
            check_pages(storage, part.path, read_carried(storage, part.path))
        except FileNotFoundError:
            return "missing"
        except (OSError, ValueError):
            return "damaged"
        return ""
    digest = compute_digest(storage, part)
    return "missing" if digest is None else "damaged" if digest != part.blake3 else ""


def require_written(storage: Storage, part: Part) -> None:
    """Check that a published part has the bytes that were written.

    A damaged footer could make pyarrow abort the process.

    Raises:
        FileNotFoundError: The part is missing, or is a games part that was replaced.
        RunError: The part has other bytes, or can't be opened.
        OSError: The part can't be read.
    """
    if problem := damage(storage, part):
        if problem == "missing":
            raise FileNotFoundError(part.path)
        raise RunError(f"{storage.location}/{part.path} is damaged: it has other bytes than were written")


def compute_digest(storage: Storage, part: Part) -> str | None:
    """Return the BLAKE3 hash of a published part in hexadecimal, or None if the part is missing or was replaced.

    Raises:
        OSError: The part can't be read.
        RunError: The part can't be opened.
    """
    digest = blake3()
    try:
        with _opened(storage, part) as stream:
            while block := stream.read(1 << 22):
                digest.update(block)
    except FileNotFoundError:
        return None
    return digest.hexdigest()
