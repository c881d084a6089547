"""Entries of a ledger and parts of its tables, which a forger edits, and seals again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from blake3 import blake3

Rows = list[dict[str, Any]]


def entries(results: Path) -> list[Path]:
    """The files of entries, the oldest first."""
    return sorted((results / "ledger").glob("*.json"))


def entry_of(content: bytes) -> Any:
    """What an entry says."""
    return json.loads(content)["entry"]


def content_of(entry: Any) -> bytes:
    """The file of such an entry, possible or not; whoever poisons a folder can seal as well."""
    text = json.dumps(entry, separators=(",", ":")).encode()
    return b'{"sha256":"%s","entry":%s}\n' % (hashlib.sha256(text).hexdigest().encode(), text)


def forge_rows(results: Path, table: str, change: Callable[[Rows], object]) -> None:
    """Change the rows of the only part of a table."""

    def changed(rows: pa.Table) -> pa.Table:
        several = rows.to_pylist()
        change(several)
        return pa.Table.from_pylist(several, schema=rows.schema)

    forge_part(results, table, changed)


def forge_part(results: Path, table: str, make: Callable[[pa.Table], pa.Table], **how: Any) -> None:
    """Put another table in the only part's place, with size, hash and rows in the ledger."""
    (path,) = (results / table).iterdir()
    plain = table in ("legs", "faults")
    own: dict[str, Any] = {"compression": "none", "use_dictionary": table == "legs"} if plain else {}
    pq.write_table(make(pq.read_table(path)), path, **(own | how))
    content = path.read_bytes()
    told = {"size": len(content), "blake3": blake3(content).hexdigest(), "rows": pq.read_metadata(path).num_rows}
    for place in entries(results):
        entry = entry_of(place.read_bytes())
        for part in _parts_in(entry):
            if (part["table"], part["name"]) == (table, path.name):
                part.update(told)
                place.write_bytes(content_of(entry))


def _parts_in(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict) and "blake3" in value:
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _parts_in(inner)
