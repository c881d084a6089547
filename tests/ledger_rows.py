"""A ledger's entry with its legs as a row each, which a forger edits, and packed again without a check."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from tournament.store.leg_sums import LegSums

Row = dict[str, Any]
_WHOLE = ("match", "number", "sessions", "games")
_WIDTH = len(LegSums._fields)
_PLAIN = ("digest", "x", "y", *_WHOLE, *LegSums._fields, "y_sums")


def entry_of(content: bytes) -> dict[str, Any]:
    """An entry's first line, where each batch has its legs as rows."""
    line, _, columns = content.partition(b"\n")
    entry: dict[str, Any] = json.loads(line)
    rows = rows_of(entry.pop("legs", {}), columns)
    for batch in entry.get("batches", ()):
        count = batch.get("legs", 0)
        batch["legs"], rows = rows[:count], rows[count:]
    return entry


def content_of(entry: dict[str, Any]) -> bytes:
    """The file of such an entry, possible or not; whoever poisons a folder can seal as well."""
    entry = copy.deepcopy(entry)
    rows: list[Row] = []
    batches = entry.get("batches", ())
    for batch in batches if isinstance(batches, list) else ():
        if isinstance(batch["legs"], list):
            rows += batch["legs"]
            batch["legs"] = len(batch["legs"])
    entry["legs"], columns = packed_of(rows)
    content = json.dumps(entry, separators=(",", ":")).encode() + b"\n" + columns
    return content + hashlib.sha256(content).digest()


def rows_of(packed: dict[str, Any], content: bytes) -> list[Row]:
    """Legs, possible or not. Fields that few legs have are among a row's where they aren't as in most."""
    count, start = packed.get("legs", 0), 0
    columns = []
    for kind, wide in (("<f8", _WIDTH * (2 if packed.get("y_sums") else 1)), ("<i8", 4), ("<i4", 2), ("<i4", 1)):
        columns.append(np.frombuffer(content, kind, count * wide, start).reshape(wide, count).T)
        start += columns[-1].nbytes
    rows = []
    for place, (sums, whole, (x, y), (more,)) in enumerate(zip(*(column.tolist() for column in columns))):
        by_seat = np.array(sums).reshape(_WIDTH, -1).T.tolist()
        digest = content[start + 32 * place : start + 32 * place + 32].hex()
        row: Row = {"digest": digest, "x": packed["names"][x], "y": packed["names"][y], **dict(zip(_WHOLE, whole))}
        row |= dict(zip(LegSums._fields, by_seat[0]))
        row |= {"y_sums": by_seat[1]} if len(by_seat) > 1 else {}
        rows.append(row | copy.deepcopy(packed["rests"][more]))
    return rows


def packed_of(rows: Sequence[Row]) -> tuple[dict[str, Any], bytes]:
    """What an entry has for these rows, possible or not."""
    names = list(dict.fromkeys(name for row in rows for name in (row["x"], row["y"])))
    of_rows = [{key: value for key, value in row.items() if key not in _PLAIN} for row in rows]
    rests = [json.loads(text) for text in dict.fromkeys(map(json.dumps, of_rows))]
    sums = [[*(row[name] for name in LegSums._fields), *row.get("y_sums", ())] for row in rows]
    seats = max((len(one) for one in sums), default=0) // _WIDTH or 1
    if len({len(one) for one in sums}) == 1 and len(sums[0]) == seats * _WIDTH:
        by_column = np.array(sums, "<f8").reshape(len(rows), seats, -1).T.tobytes()
    else:
        by_column = np.array([number for one in sums for number in one], "<f8").tobytes()
    columns = (
        by_column,
        np.array([[row[name] for name in _WHOLE] for row in rows], "<i8").T.tobytes(),
        np.array([[names.index(row["x"]), names.index(row["y"])] for row in rows], "<i4").T.tobytes(),
        np.array([rests.index(rest) for rest in of_rows], "<i4").tobytes(),
        bytes.fromhex("".join(row["digest"] for row in rows)),
    )
    packed = {"legs": len(rows), "names": names, "rests": rests}
    return packed | ({"y_sums": True} if seats > 1 else {}), b"".join(columns)
