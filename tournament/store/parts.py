"""Reading Parquet parts, and rewriting them: the only module that uses pyarrow's writers."""

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

# What pyarrow raises for a damaged file; ValueError for a name that isn't UTF-8.
UNREADABLE = (pa.ArrowException, OSError, ValueError)


@contextmanager
def reading(storage: Storage, part: Part) -> Iterator[None]:
    """Turns errors of reading a part into RunError: it is damaged. FileNotFoundError stays, for one that is gone."""
    try:
        yield
    except FileNotFoundError:
        raise
    except UNREADABLE as error:
        reason = truncate(str(error).partition("\n")[0], 200)
        raise RunError(f"{storage.location}/{part.place} is damaged: {reason}") from None


def columns_in(storage: Storage, part: Part) -> tuple[Column, ...]:
    """The columns of a published part, as it says. Raises FileNotFoundError when it is gone, RunError when it has
    other bytes than were written, or columns of a kind that no part has."""
    require_written(storage, part)
    with reading(storage, part), pq.ParquetFile(_opened(storage, part)) as file:
        schema = file.schema_arrow
        found = tuple(
            Column(
                one.name,
                NAME if pa.types.is_dictionary(one.type) else str(np.dtype(one.type.to_pandas_dtype())),
                (one.metadata or {}).get(b"meaning", b"").decode(),
            )
            for one in schema
        )
        if not arrow_schema(found).equals(schema):
            raise pa.ArrowInvalid("it has columns of other kinds")
        return found


def _opened(storage: Storage, part: Part) -> pa.NativeFile:
    """A part in its place, or in staging while it isn't published: then another one may be in its place. Raises
    FileNotFoundError when it is gone."""
    for place in (part.place, part.staged):
        with contextlib.suppress(FileNotFoundError):
            stream = storage.open_data(place)
            if stream.size() == part.size:
                return stream
            stream.close()
    stream = storage.open_data(part.place)  # it was published meanwhile, is damaged, or was replaced
    if stream.size() != part.size and part.table == "games" and not is_current(storage, part.name[:-8], part):
        stream.close()
        raise FileNotFoundError(part.place)
    return stream


def open_part(storage: Storage, part: Part, columns: Sequence[Column]) -> pq.ParquetFile:
    """A part; page checksums are verified when it is read. Raises FileNotFoundError when it is gone,
    RunError when it has other columns or rows, or can't be read."""
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
    """The rows of published parts in order: `only` these columns, of these `matches`. Raises as `open_part` does."""
    names = [column.name for column in columns if only is None or column.name in only]

    def read(part: Part) -> pa.Table:
        with open_part(storage, part, columns) as file, reading(storage, part):
            groups = [
                group
                for group in range(file.num_row_groups)
                if matches is None or _may_have(file.metadata.row_group(group), matches)
            ]
            table = file.read_row_groups(groups, columns=names).replace_schema_metadata(None)
        return table if matches is None else table.filter(_of_matches(matches))

    if not parts:
        return pa.schema([field for field in arrow_schema(tuple(columns)) if field.name in names]).empty_table()
    with ThreadPoolExecutor() as pool:
        return pa.concat_tables(list(pool.map(read, parts)))


def _may_have(group: pq.RowGroupMetaData, matches: Collection[int]) -> bool:
    """Whether some of the matches lie between a row group's least and greatest, which its first column tells."""
    told: Any = group.column(0).statistics
    return told is None or not told.has_min_max or any(told.min <= match <= told.max for match in matches)


def _of_matches(matches: Collection[int]) -> pc.Expression:
    import pyarrow.compute as pc

    return pc.field("match").isin(pa.array(np.array(sorted(matches), dtype=np.int64)))


def parts_as_dataset(
    storage: Storage,
    columns: Sequence[Column],
    parts: Sequence[tuple[Part, tuple[int, int]]],
    matches: Collection[int] | None = None,
) -> Dataset:
    """Published parts as one arrow dataset, of these matches. Each part comes with its least and greatest match.

    A scan that asks for matches skips other parts and row groups. It verifies page checksums, and raises OSError
    when a part is damaged or gone.
    """
    import pyarrow.compute as pc
    import pyarrow.dataset as ds
    from pyarrow import fs

    from tournament.store.arrow_files import StoredDataset, StoredFiles

    checking = ds.ParquetFileFormat(
        default_fragment_scan_options=ds.ParquetFragmentScanOptions(page_checksum_verification=True)
    )
    files = fs.PyFileSystem(StoredFiles(storage, {part.place: part.staged for part, _ in parts}))
    fragments = [
        checking.make_fragment(
            part.place,
            files,
            partition_expression=(pc.field("match") >= pa.scalar(least, pa.int64()))
            & (pc.field("match") <= pa.scalar(greatest, pa.int64())),
        )
        for part, (least, greatest) in parts
    ]
    dataset = StoredDataset(fragments, arrow_schema(tuple(columns)), checking, files)
    return dataset if matches is None else dataset.filter(_of_matches(matches))


def rows_of(
    storage: Storage,
    part: Part,
    columns: Sequence[Column],
    names: Sequence[str] | None = None,
    groups: Iterable[int] | None = None,
) -> Iterator[dict[str, npt.NDArray[Any]]]:
    """A published part by column, one row group at a time: all of it, or some columns and row groups. Flags are bool.
    Raises as `open_part` does. No threads are used: callers read several parts at once."""
    wanted = [column.name for column in columns] if names is None else list(names)
    with open_part(storage, part, columns) as file:
        yield from _rows_in(file, storage, part, wanted, groups)


def _rows_in(
    file: pq.ParquetFile, storage: Storage, part: Part, names: Sequence[str], groups: Iterable[int] | None = None
) -> Iterator[dict[str, npt.NDArray[Any]]]:
    """The same of a part that is open."""
    for group in range(file.num_row_groups) if groups is None else groups:
        with reading(storage, part):
            table = file.read_row_group(group, columns=list(names), use_threads=False)
            rows = {name: values_of(table, name) for name in names}
        yield rows


def numbers_of(
    storage: Storage, part: Part, columns: Sequence[Column], names: Sequence[str]
) -> Iterator[dict[str, npt.NDArray[Any]]]:
    """As `rows_of`, with flags as uint8."""
    return map(_with_bytes, rows_of(storage, part, columns, names))


def _with_bytes(rows: dict[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """Rows with flags as uint8."""
    return {name: values.view(np.uint8) if values.dtype == bool else values for name, values in rows.items()}


def row_group_edges(storage: Storage, part: Part, columns: Sequence[Column]) -> list[int]:
    """The first row of each row group of a published part, and its number of rows. Raises as `open_part` does."""
    with open_part(storage, part, columns) as file:
        sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
    return list(itertools.accumulate(sizes, initial=0))


def origin_of_part(storage: Storage, part: Part, columns: Sequence[Column]) -> dict[str, str]:
    """What a part's metadata say of where its games come from. Raises as `open_part` does."""
    with open_part(storage, part, columns) as file:
        return _origin_in(file)


def _origin_in(file: pq.ParquetFile) -> dict[str, str]:
    known = file.schema_arrow.metadata or {}
    return {key: known[key.encode()].decode(errors="replace") for key in ORIGIN if key.encode() in known}


def values_of(table: pa.Table, name: str) -> npt.NDArray[Any]:
    """Return a column without nulls: numbers, flags, or names as an array of objects.

    Unlike `to_numpy` this doesn't import pandas, and unlike `cast` not pyarrow.compute: both take long.
    """
    column = table[name]
    if pa.types.is_dictionary(column.type):
        return _names_of(column)
    kind = np.dtype(column.type.to_pandas_dtype())
    arrays: list[npt.NDArray[Any]] = []
    for chunk in column.chunks:
        buffer, first, count = cast(Any, chunk.buffers()[1]), chunk.offset, len(chunk)
        if kind.kind == "b":  # eight to a byte
            packed = np.frombuffer(buffer, np.uint8, (first % 8 + count + 7) // 8, first // 8)
            bits = np.unpackbits(packed, count=first % 8 + count, bitorder="little")
            arrays.append(bits[first % 8 :].view(bool))
        else:
            arrays.append(np.frombuffer(buffer, kind, count, first * kind.itemsize))
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays) if arrays else np.empty(0, kind)


def _names_of(column: pa.ChunkedArray[Any]) -> npt.NDArray[Any]:
    arrays = [np.empty(0, object)]
    for chunk in cast(Any, column.chunks):
        indices = values_of(pa.table([chunk.indices], ["at"]), "at")
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
    """Write the rows of legs that stay to a part in staging, which is yet to be finished.

    Args:
        storage: Where the records are.
        table: The table of the part.
        columns: The columns of the table.
        sources: Batches, and whether each of their legs stays. Rows of several come by match and number, all in memory.
        sessions_per_leg: Sessions of a leg.
        staged: Where the new part waits.

    Raises:
        OSError: The part can't be written.
        FileNotFoundError: The part of a batch is gone.
        RunError: The part of a batch is damaged, or its rows belong to other legs.
    """
    legs = Legs.joined(batch.legs for batch, _ in sources)
    of_legs = {f"bot_{seat}": legs.players[:, seat] for seat in range(legs.seats)} | {"house": legs.house}
    of_legs = {column.name: of_legs[column.name] for column in columns if column.of_leg and column.dtype == NAME}
    others = [column for column in columns if column.name not in of_legs]
    waiting: list[tuple[npt.NDArray[np.intp], dict[str, npt.NDArray[Any]]]] = []
    writer: PartWriter | None = None

    def write_waiting() -> None:
        assert writer
        of = np.concatenate([several for several, _ in waiting])
        rows = {column.name: np.concatenate([one[column.name] for _, one in waiting]) for column in others}
        waiting.clear()
        if len(sources) > 1:
            in_order = np.argsort(pair_keys(legs.match, legs.number)[of], kind="stable")
            of, rows = of[in_order], {name: values[in_order] for name, values in rows.items()}
        names = {name: Runs.of_places(legs.names, places[of]) for name, places in of_legs.items()}
        names |= {column.name: Runs.of_rows(rows[column.name]) for column in others if column.dtype == NAME}
        writer.append({**rows, **names}, len(of))

    try:
        first = 0
        for batch, stay in sources:
            part, own = batch.part(table), batch.legs
            leg_of = np.repeat(np.arange(len(own)), own.games if table == "games" else own.sessions)
            with open_part(storage, part, columns) as file:
                writer = writer or PartWriter(storage, table, columns, part.name, staged, _origin_in(file))
                for rows in map(_with_bytes, _rows_in(file, storage, part, [column.name for column in others])):
                    of, leg_of = np.split(leg_of, [len(rows["match"])])
                    number = rows["session"] // sessions_per_leg
                    if not (np.array_equal(rows["match"], own.match[of]) and np.array_equal(number, own.number[of])):
                        raise RunError(
                            f"{storage.location}/{part.place} is damaged: it has rows of other legs than were played"
                        )
                    some = stay[of]
                    if some.any():
                        waiting.append((of[some] + first, {name: values[some] for name, values in rows.items()}))
                        if len(sources) == 1:
                            write_waiting()
            first += len(own)
        if waiting:
            write_waiting()
        assert writer
        return writer
    except BaseException:
        if writer:
            writer.abandon()
        raise


def damage(storage: Storage, part: Part) -> str:
    """What is wrong with a published part, by its hash: "missing", "damaged", or "" for nothing."""
    if not part.blake3:
        try:
            check_pages(storage, part.place, read_carried(storage, part.place))
        except FileNotFoundError:
            return "missing"
        except (OSError, ValueError):
            return "damaged"
        return ""
    digest = digest_of(storage, part)
    return "missing" if digest is None else "damaged" if digest != part.blake3 else ""


def require_written(storage: Storage, part: Part) -> None:
    """Raises FileNotFoundError for a published part that is gone, RunError for one of other bytes than were written:
    pyarrow may end the process over a damaged footer."""
    if problem := damage(storage, part):
        if problem == "missing":
            raise FileNotFoundError(part.place)
        raise RunError(f"{storage.location}/{part.place} is damaged: it has other bytes than were written")


def digest_of(storage: Storage, part: Part) -> str | None:
    """The hash of a published part's bytes; None when it is gone."""
    digest = blake3()
    try:
        with _opened(storage, part) as stream:
            while block := stream.read(1 << 22):
                digest.update(block)
    except FileNotFoundError:
        return None
    return digest.hexdigest()
