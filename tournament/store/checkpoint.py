"""The ledger's checkpoint: the state after its first entries, in a form that is read quickly.

It is no record and needs no copy: the entries stay, and are read instead where it is damaged, one of
their files has changed, or it isn't marked by who has the seed.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from pydantic import TypeAdapter

from tournament.store.ledger import (
    FOLDERS_OF_ENTRIES,
    Batch,
    Field,
    Hash,
    State,
    check_batch,
    check_field,
    entry_name,
    without_legs,
)
from tournament.store.legs import CHECKED, Legs, Number, pack_legs, unpack_legs
from tournament.store.notes import read_note, read_small, write_note
from tournament.store.secrets import keep_key, kept_key
from tournament.store.storage import Storage

_NOTE, _LEGS = "checkpoint", "checkpoint-legs"
# Of entries since the last checkpoint, for a new one: fewer are read in a tenth of a second.
_FEWEST_BYTES, _FEWEST_SHARE = 4 << 20, 0.1


@dataclass(frozen=True)
class Checkpoint:
    """The state after the first `entries`; `stamp` is of their files. The batches have no legs; these are packed in
    a file of their own, `counts` of each batch, with the sha256 `legs`."""

    __pydantic_config__ = CHECKED

    entries: Number = 0
    stamp: Hash | Literal[""] = ""
    legs: Hash | Literal[""] = ""
    field: Field | None = None
    batches: tuple[Batch, ...] = ()
    counts: tuple[Number, ...] = ()


@cache
def _checkpoints() -> TypeAdapter[Checkpoint]:
    return TypeAdapter(Checkpoint)  # slow to make


def write_checkpoint(storage: Storage, state: State) -> None:
    """Write a checkpoint if it saves enough reading, and the seed is here. All batches must be published. Raises
    OSError."""
    sizes = storage.list("ledger")
    entries = [sizes.get(entry_name(number), 0) for number in range(1, state.entries + 1)]
    if sum(entries[state.noted :]) < max(_FEWEST_BYTES, _FEWEST_SHARE * sum(entries)):
        return
    key = kept_key(storage, state.field)
    if key is None:
        return
    newest = list(state.newest().values())
    packed = pack_legs(Legs.joined(Legs.of(batch.legs) for batch in newest))
    checkpoint = Checkpoint(
        state.entries,
        _stamp_of_entries(storage, list(map(entry_name, range(1, state.entries + 1)))),
        hashlib.sha256(packed).hexdigest(),
        state.field,
        tuple(map(without_legs, newest)),
        tuple(len(batch.legs) for batch in newest),
    )
    storage.replace(f"ledger/{_LEGS}", packed)
    write_note(storage, _NOTE, _checkpoints().dump_json(checkpoint), key)
    keep_key(storage, key)
    state.noted = state.entries


def _stamp_of_entries(storage: Storage, names: Sequence[str]) -> str:
    """A text that changes with any file of these entries, in either folder."""
    digest = hashlib.sha256()
    for folder in FOLDERS_OF_ENTRIES:
        stamps = storage.stamps(folder)
        digest.update("".join(f"{folder}/{name} {stamps.get(name)}\n" for name in names).encode())
    return digest.hexdigest()


def read_checkpoint(storage: Storage, names: Sequence[str], first_field: Callable[[], Field | None]) -> Checkpoint:
    """The checkpoint, for entries of these names; an empty one if there is none, or nobody with their seed made it. All
    entries are of one seed. Whose it is, the first one tells: its field is asked for only if it is needed."""
    if not names or _NOTE not in (listed := storage.list("ledger")) or _LEGS not in listed:
        return Checkpoint()
    key = kept_key(storage, first_field())
    text = key and read_note(storage, _NOTE, key)
    if not text:
        return Checkpoint()
    try:
        checkpoint = _checkpoints().validate_json(text)
        if checkpoint.field:
            check_field(checkpoint.field)
    except ValueError:
        return Checkpoint()
    ours = names[: checkpoint.entries]
    whole = len(ours) == checkpoint.entries and checkpoint.stamp == _stamp_of_entries(storage, ours)
    return checkpoint if whole else Checkpoint()


def state_of_checkpoint(storage: Storage, checkpoint: Checkpoint) -> State:
    """The state after the checkpoint's entries; an empty one if its legs aren't there."""
    packed = read_small(storage, _LEGS) if checkpoint.entries else None
    try:
        if packed is None or hashlib.sha256(packed).hexdigest() != checkpoint.legs:
            return State()
        legs = unpack_legs(packed)
        batches: dict[str, list[Batch]] = {}
        ends = list(itertools.accumulate(checkpoint.counts))
        if len(ends) != len(checkpoint.batches) or [len(legs)] != ends[-1:]:
            return State()
        for batch, count, end in zip(checkpoint.batches, checkpoint.counts, ends):
            batches[batch.name] = [replace(batch, legs=legs[end - count : end])]
            check_batch(batches[batch.name][0])
    except ValueError:
        return State()
    return State(checkpoint.entries, checkpoint.field, batches, checkpoint.entries)
