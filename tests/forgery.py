"""Records that a forger edits, and seals again: fields, parts, and the legs that parts of sessions/ carry."""

from __future__ import annotations

import base64
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
from tournament.store.leg_result import Rest
from tournament.store.legs import Legs

Head = dict[str, Any]
Body = tuple[bytes, bytes]  # numbers of entrants and columns of legs, and hashes


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


def _split(content: bytes) -> tuple[bytes, bytes]:
    """Return a Parquet file's bytes before its footer, and the footer."""
    length = int.from_bytes(content[-8:-4], "little")
    return content[: -8 - length], content[-8 - length : -8]


def _put(path: Path, pages: bytes, footer: bytes) -> None:
    """Write a part of these pages and this footer, sealed."""
    at = sealed_footer.after(footer, carried.PAGES) + 1
    footer = footer[:at] + blake3(pages).hexdigest().encode() + footer[at + 64 :]
    at = sealed_footer.after(footer, sealed_footer.SEAL) + 1
    footer, _ = sealed_footer.seal_footer(footer[:at] + b"0" * 64 + footer[at + 64 :])
    path.write_bytes(pages + footer + len(footer).to_bytes(4, "little") + b"PAR1")


def carried_in(path: Path) -> tuple[Head, Body]:
    """Return what a part of sessions/ says of its legs, and their columns."""
    _, footer = _split(path.read_bytes())
    head, *body = carried._unpacked(base64.b64decode(sealed_footer.value_in(footer, carried.LEGS)))
    return json.loads(head), (body[0], body[1])


def put_carried(path: Path, head: Head, body: Body) -> None:
    """Have a part of sessions/ say this."""
    pages, footer = _split(path.read_bytes())
    value = base64.b64encode(zlib.compress(json.dumps(head).encode() + b"\n" + body[0]) + body[1])
    old = sealed_footer.value_in(footer, carried.LEGS)
    start = footer.rindex(old)
    before = footer[: sealed_footer.after(footer, carried.LEGS)]
    _put(path, pages, before + _varint(len(value)) + value + footer[start + len(old) :])


def _varint(number: int) -> bytes:
    pieces = []
    while number >= 0x80:
        pieces.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*pieces, number])


def forge_head(results: Path, change: Callable[[Head], object]) -> None:
    """Change what the only part of sessions/ says of its legs."""
    path = part_of(results, "sessions")
    head, body = carried_in(path)
    change(head)
    put_carried(path, head, body)


def forge_legs(results: Path, change: Callable[[Legs], Legs]) -> None:
    """Change the columns of the legs that the only part of sessions/ carries."""
    path = part_of(results, "sessions")
    head, (columns, hashes) = carried_in(path)
    names, at = tuple(head["names"]), 4 * head["entrants"]
    legs = carried._legs(columns[at:], hashes, head["count"], head["seats"], names, (Rest(),) * len(head["rests"]))
    copied = {name: getattr(legs, name).copy(order="F") for name in ("digest", *carried._COLUMNS)}
    changed = change(dataclasses.replace(legs, **copied))
    _, new, digests = carried._unpacked(carried._packed(b"", changed, columns[:at]))
    put_carried(path, head | {"count": len(changed)}, (new, digests + hashes[legs.digest.nbytes :]))


def forge_part(results: Path, table: str, make: Callable[[pa.Table], pa.Table]) -> None:
    """Put other rows into the only part of a table, with size, hash and number of rows to match."""
    path = part_of(results, table)
    before = path.read_bytes()
    metadata = {key: value for key, value in (pq.read_metadata(path).metadata or {}).items() if key != b"ARROW:schema"}
    pq.write_table(make(pq.read_table(path)).replace_schema_metadata(metadata), path)
    if table == "sessions":
        _put(path, *_split(path.read_bytes()))
        return
    content, rows = path.read_bytes(), pq.read_metadata(path).num_rows
    assert content != before
    staged = carried_in(part_of(results, "sessions"))[0]["games"][3]
    forge_head(results, lambda head: head.update(games=[len(content), rows, blake3(content).hexdigest(), staged]))
