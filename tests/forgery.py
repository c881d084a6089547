"""Records that a forger edits, and seals again: fields, parts, and the legs that parts of sessions/ carry."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from blake3 import blake3

from tournament.store import carried, sealed_footer
from tournament.store.folder_storage import FolderStorage
from tournament.store.leg_result import RareFields
from tournament.store.legs import Legs

Head = dict[str, Any]


def field_of(results: Path) -> Any:
    """Return what the file of a field says."""
    return json.loads((results / "contest.json").read_bytes())["field"]


def put_field(results: Path, field: Any) -> None:
    """Write the file of such a field, possible or not."""
    text = json.dumps(field, separators=(",", ":")).encode()
    seal = hashlib.sha256(text).hexdigest().encode()
    (results / "contest.json").write_bytes(b'{"sha256": "%s",\n"field": %s}\n' % (seal, text))


def part_of(results: Path, table: str) -> Path:
    """Return the only part of a table."""
    (path,) = (results / table).iterdir()
    return path


def _put(path: Path, content: bytes, carried_bytes: bytes) -> None:
    """Write a part of the pages and the footer of a file, that carries these bytes, sealed."""
    length = int.from_bytes(content[-8:-4], "little")
    pages, footer = content[: -8 - length], content[-8 - length : -8]
    (value,) = sealed_footer.unsealed(carried_bytes, blake3(pages).hexdigest()).values()
    at = footer.rindex(sealed_footer.KEY) + len(sealed_footer.KEY) + 3
    footer, _ = sealed_footer.seal_footer(carried_bytes, footer[:at] + value.encode() + footer[at + len(value) :])
    path.write_bytes(pages + carried_bytes + footer + len(footer).to_bytes(4, "little") + b"PAR1")


def _carried(path: Path) -> sealed_footer.Carried:
    return sealed_footer.read_carried(FolderStorage(str(path.parent)), path.name)


def carried_in(path: Path) -> tuple[Head, bytes]:
    """Return what a part of sessions/ says of its legs, and their columns with what follows these."""
    head, body = carried._unpacked(_carried(path).content)
    return json.loads(head), body


def put_carried(path: Path, head: Head, body: bytes) -> None:
    """Have a part of sessions/ say this."""
    content, before = path.read_bytes(), _carried(path)
    told = zlib.compress(json.dumps(head).encode())
    pages_and_footer = content[: before.pages] + content[before.pages + len(before.content) :]
    _put(path, pages_and_footer, len(told).to_bytes(4, "little") + told + body)


def forge_head(results: Path, change: Callable[[Head], object]) -> None:
    """Change what the only part of sessions/ says of its legs."""
    path = part_of(results, "sessions")
    head, body = carried_in(path)
    change(head)
    put_carried(path, head, body)


def forge_legs(results: Path, change: Callable[[Legs], Legs]) -> None:
    """Change the columns of the legs that the only part of sessions/ carries."""
    path = part_of(results, "sessions")
    head, body = carried_in(path)
    names = tuple(head["names"].split("\n"))
    legs, rest = carried._legs(body, head["count"], head["seats"], names, (RareFields(),) * len(head["rests"]))
    columns = [name for _, names in carried._COLUMNS for name in names]
    changed = change(dataclasses.replace(legs, **{name: getattr(legs, name).copy() for name in ("digest", *columns)}))
    _, new = carried._unpacked(carried._packed(b"", changed))
    put_carried(path, head | {"count": len(changed)}, new + rest)


def forge_part(results: Path, table: str, make: Callable[[pa.Table], pa.Table]) -> None:
    """Put other rows into the only part of a table, with size, hash and number of rows to match."""
    path = part_of(results, table)
    before = path.read_bytes()
    own = _carried(path).content if table == "sessions" else b""
    metadata = {key: value for key, value in (pq.read_metadata(path).metadata or {}).items() if key != b"ARROW:schema"}
    pq.write_table(make(pq.read_table(path)).replace_schema_metadata(metadata), path)
    if table == "sessions":
        _put(path, path.read_bytes(), own)
        return
    content, rows = path.read_bytes(), pq.read_metadata(path).num_rows
    assert content != before
    staged = carried_in(part_of(results, "sessions"))[0]["games"][3]
    forge_head(results, lambda head: head.update(games=[len(content), rows, blake3(content).hexdigest(), staged]))
