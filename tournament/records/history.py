"""The standings after each run that changed them, which show the history of each bot and of the ranks.

A part of history/ has the standings after one run. Its name is the run's number and the hash of its bytes.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from blake3 import blake3
from pydantic import TypeAdapter, ValidationError

from tournament.errors import RunError
from tournament.standings.history import find_line
from tournament.standings.standings import Standing, Standings
from tournament.store.columns import Column
from tournament.store.field import Batch, ContestSetup
from tournament.store.reading import read_if_present, read_records
from tournament.store.storage import Storage, open_storage

_PART = re.compile(r"[0-9]{8}-[0-9a-f]{16}\.parquet")
# Types of columns by type of the field. All other fields are stored as JSON.
_TYPES = {"int": "int64", "int | None": "int64", "float": "float64", "float | None": "float64"}
_TEXTS = ("str", "str | None", "Verdict | None")
_FIELDS = dataclasses.fields(Standing)


def _is_json(kind: object) -> bool:
    return kind not in _TYPES and kind not in _TEXTS


HISTORY = (
    Column("run", "int64", "number of the run, from 1"),
    Column("field_size", "int64", "number of bots with a rank"),
    *(
        Column(
            one.name, _TYPES.get(str(one.type), "str"), "value in the leaderboard" + ", as JSON" * (_is_json(one.type))
        )
        for one in _FIELDS
    ),
)


@dataclass(frozen=True)
class Version:
    """A version of a bot, with its last line in the standings.

    Attributes:
        line: Line of the bot in the last standings with this content.
        field_size: Number of bots with a rank in these standings.
        archive: Number of the archive with these standings, from 1; None for the records themselves.
    """

    line: Standing
    field_size: int
    archive: int | None = None


def store_history(storage: Storage, ranking: Standings) -> None:
    """Store the standings after a run, unless the last stored ones are the same.

    Raises:
        OSError: The part can't be written.
        RunError: The folder can't be read, or a request to the object store fails.
    """
    names = _parts(storage)
    last = int(names[-1][:8]) if names else 0
    if names and _make_part(last, ranking)[0] == names[-1]:
        return
    name, content = _make_part(last + 1, ranking)
    storage.replace(f"history/{name}", content)


def has_standings(storage: Storage, expected: Mapping[str, tuple[str, int]]) -> bool:
    """Return whether the standings after the last run have these bots with the same content and number of sessions.

    It is False if these standings are missing, damaged or can't be opened, unless no bots are expected.

    Args:
        storage: Storage of the records.
        expected: sha256 and number of sessions of each bot, by name. Other bots in the standings don't matter.

    Raises:
        OSError: The part can't be read.
    """
    try:
        rows = {row["name"]: (row["sha256"], row["sessions"]) for row in _rows(storage, _parts(storage)[-1:])}
    except RunError:
        return False
    return all(rows.get(name) == line for name, line in expected.items())


def _make_part(run: int, ranking: Standings) -> tuple[str, bytes]:
    """Return the name and the content of a part with the standings after a run, numbered from 1."""
    from tournament.store.small_tables import summary_content

    rows = [_row(run, len(ranking.ranked), line) for line in ranking.entrants]
    content = summary_content(HISTORY, {column.name: [row[column.name] for row in rows] for column in HISTORY})
    return f"{run:08}-{_hash(content)}.parquet", content


def damaged_parts(storage: Storage) -> list[str]:
    """Return the names of parts that have other bytes than were written, in the order of runs.

    A part that is removed meanwhile is omitted.

    Raises:
        RunError: The folder can't be read, or a part can't be opened.
        OSError: A part can't be read.
    """
    contents = [(name, read_if_present(storage, f"history/{name}")) for name in _parts(storage)]
    return [f"history/{name}" for name, text in contents if text is not None and _hash(text) != name[9:25]]


def read_history(
    storage: Storage, ranking: Standings, name: str, rank: Callable[[Storage, ContestSetup, Sequence[Batch]], Standings]
) -> list[Version]:
    """Return a bot's versions, the oldest first: those in archives by the archives' age, then those in these records.

    The last version is that of `ranking`. Archives that are damaged or of an earlier version are omitted.

    Args:
        storage: Storage of the records.
        ranking: Current standings.
        name: Name of the bot.
        rank: Called with storage, field and batches of an archive; returns its standings.

    Raises:
        InputError: The standings have no such bot, or an archive's standings need rules that aren't installed.
        RunError: The history of these records is damaged or can't be opened.
        OSError: A file of the history, or of an archive, can't be read.
    """
    current = Version(find_line(ranking, name), len(ranking.ranked))
    versions: list[Version] = []
    for location in storage.archives():
        with contextlib.suppress(RunError):
            archive = open_storage(location)
            number = int(location.rpartition("-")[2])
            archived = list(_versions(archive, name, number))
            records = read_records(archive)
            if records.field and name in {entrant.name for entrant in records.field.entrants}:
                last = rank(archive, records.field, records.batches)
                archived.append(Version(find_line(last, name), len(last.ranked), number))
            versions += _last_versions(archived)
    return [*versions, *_last_versions([*_versions(storage, name), current])]


def _versions(storage: Storage, name: str, archive: int | None = None) -> Iterator[Version]:
    """Yield a bot's line after each run that has one, in the order of runs.

    Raises:
        RunError: The folder can't be read, or a part can't be opened, is damaged or has an invalid line.
        OSError: A part can't be read.
    """
    rows = {row["run"]: row for row in _rows(storage, _parts(storage)) if row["name"] == name}
    for _, row in sorted(rows.items()):
        values = {one.name: row[one.name] for one in _FIELDS}
        try:
            values |= {one.name: json.loads(values[one.name]) for one in _FIELDS if _is_json(one.type)}
            yield Version(_standing().validate_python(values), row["field_size"], archive)
        except (ValidationError, ValueError, TypeError) as error:
            reason = " ".join(str(error).split())[:200]
            raise RunError(f"{storage.location}/history has an invalid line of {name[:200]!r}: {reason}") from None


def _last_versions(versions: Sequence[Version]) -> list[Version]:
    """Return the last version of each content, in order. A content that returns after another has a version again.

    A run that was killed while it removed a bot's legs has left fewer of them. So the line with most sessions counts,
    except that the last version of all always does.
    """
    last: list[Version] = []
    for version in versions:
        if last and last[-1].line.sha256 == version.line.sha256:
            if last[-1].line.sessions <= version.line.sessions or version is versions[-1]:
                last[-1] = version
        else:
            last.append(version)
    return last


def _hash(content: bytes) -> str:
    return blake3(content).hexdigest()[:16]


def _parts(storage: Storage) -> list[str]:
    """Return the names of the parts in history/, in the order of runs.

    Raises:
        RunError: The folder can't be read.
    """
    return sorted(filter(_PART.fullmatch, storage.list("history")))


def _rows(storage: Storage, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the rows of parts in the order of these names, as values by column of HISTORY. Missing parts are omitted.

    Raises:
        RunError: A part is damaged or can't be opened.
        OSError: A part can't be read.
    """
    from tournament.store.small_tables import summary_rows

    for name in names:
        content = read_if_present(storage, f"history/{name}")
        if content is None:
            continue
        path = f"{storage.location}/history/{name}"
        if _hash(content) != name[9:25]:
            raise RunError(
                f"{path} is damaged: it has other bytes than were written; remove it, because it has no games"
            )
        yield from summary_rows(content, path, HISTORY)


def _row(run: int, ranked: int, line: Standing) -> dict[str, Any]:
    """Return a line as values by column of HISTORY.

    Args:
        run: Number of the run, from 1.
        ranked: Number of bots with a rank.
        line: Line of the standings.
    """
    values = {one.name: getattr(line, one.name) for one in _FIELDS}
    values |= {one.name: json.dumps(values[one.name], default=dict) for one in _FIELDS if _is_json(one.type)}
    return {"run": run, "field_size": ranked, **values}


@cache
def _standing() -> TypeAdapter[Standing]:
    """Return the validator of a line. It takes long to make."""
    return TypeAdapter(Standing)
