"""Reading the ledger from its two folders, and which of its batches count."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import TypeVar

import numpy as np
from pydantic import ConfigDict, TypeAdapter

from tournament.errors import RunFailed
from tournament.leg import house_match_number, match_number
from tournament.store.checkpoint import Checkpoint, read_checkpoint, state_of_checkpoint
from tournament.store.ledger import (
    FOLDERS_OF_ENTRIES,
    Batch,
    Field,
    State,
    check_density,
    check_field,
    entry_name,
    most_bytes,
    unpack,
    unsealed,
)
from tournament.store.legs import Legs, merged
from tournament.store.storage import Storage, TooLarge

_ENTRY_NAME = re.compile(r"[0-9]{8}\.json")
_REMEDY = "bring it back from a copy, or move {} away and run again"
_FORMER = b'"legs":[{"digest":'  # a row each, as entries had them
# Entries that are read side by side, for an object store is slow to answer, and their bytes; a larger one is alone.
_AT_ONCE, _BYTES_AT_ONCE = 16, 32 << 20


def read_state(storage: Storage, damaged: dict[str, bytes] | None = None, *, from_checkpoint: bool = True) -> State:
    """Add up the ledger's entries. Raises RunFailed when one is missing, or both its copies are damaged.

    With `damaged`, both copies of every entry are read, and `damaged` gets what the files that differ should contain,
    by place.
    """
    limits = limits_of_entries(storage)
    names = list(limits)
    state = state_of_checkpoint(storage, _checkpoint(storage, limits)) if from_checkpoint else State()
    folders = FOLDERS_OF_ENTRIES if damaged is not None else FOLDERS_OF_ENTRIES[:1]
    for name, texts in _read_ahead(storage, names[state.entries :], folders, limits):
        entry = _read_entry(storage, name, lambda text: unpack(text, state.batches), limits[name], damaged, texts)
        state.add(entry)
    return state


def text_of(storage: Storage, place: str, most: int) -> bytes | None:
    """A file's content, None where it is missing; nothing of one with more than `most` bytes."""
    try:
        return storage.read(place, most)
    except FileNotFoundError:
        return None
    except TooLarge:
        return b""


def _read_ahead(
    storage: Storage, names: Sequence[str], folders: Sequence[str], limits: Mapping[str, int]
) -> Iterator[tuple[str, dict[str, bytes | None]]]:
    """Entries in order, each with its texts by place, None for a missing one. Some are read before they are needed."""
    listed = {folder: storage.list(folder) for folder in folders}
    sizes = {name: sum(found.get(name, 0) for found in listed.values()) for name in names}
    coming = deque(names)
    waiting: deque[tuple[str, dict[str, Future[bytes | None]]]] = deque()
    bytes_waiting = 0
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        try:
            while coming or waiting:
                while coming and len(waiting) < _AT_ONCE:
                    if waiting and bytes_waiting + sizes[coming[0]] > _BYTES_AT_ONCE:
                        break
                    name = coming.popleft()
                    bytes_waiting += sizes[name]
                    texts = {
                        place: pool.submit(text_of, storage, place, limits[name])
                        for place in (f"{folder}/{name}" for folder in folders)
                    }
                    waiting.append((name, texts))
                name, texts = waiting.popleft()
                bytes_waiting -= sizes[name]
                yield name, {place: text.result() for place, text in texts.items()}
        finally:
            pool.shutdown(cancel_futures=True)


def read_field(storage: Storage) -> Field | None:
    """The current field, from the newest entry that has one; legs aren't read. Raises as `read_state`."""
    limits = limits_of_entries(storage)
    names = list(limits)
    checkpoint = _checkpoint(storage, limits)
    for name in reversed(names[checkpoint.entries :]):
        field = _read_entry(storage, name, _field_of, limits[name])
        if field:
            return field
    return checkpoint.field


def _checkpoint(storage: Storage, limits: Mapping[str, int]) -> Checkpoint:
    first = next(iter(limits), "")
    return read_checkpoint(storage, list(limits), lambda: _read_entry(storage, first, _field_of, limits[first]))


def read_former_fields(storage: Storage) -> Iterator[tuple[Field, list[Batch]]]:
    """Each field but the last, oldest first, with the batches that counted then. Raises as `read_state`."""
    state = State()
    for name, most in limits_of_entries(storage).items():
        entry = _read_entry(storage, name, lambda content: unpack(content, state.batches), most)
        if entry.field and state.field and entry.field.entrants != state.field.entrants:
            yield state.field, list(state.newest().values())
        state.add(entry)


@dataclass(frozen=True)
class _OnlyField:
    """An entry without its batches."""

    __pydantic_config__ = ConfigDict(strict=True, extra="ignore", allow_inf_nan=False)

    field: Field | None = None


@cache
def _only_fields() -> TypeAdapter[_OnlyField]:
    return TypeAdapter(_OnlyField)  # slow to make


def _field_of(content: bytes) -> Field | None:
    text = unsealed(content)
    check_density(text)
    field = _only_fields().validate_json(text).field if b'"field":' in text else None
    if field:
        check_field(field)
    return field


def limits_of_entries(storage: Storage) -> dict[str, int]:
    """The names of entries in order, and how many bytes each may have. Raises RunFailed when one is missing in both
    folders, or both its copies are larger."""
    found: dict[str, int] = {}
    for folder in FOLDERS_OF_ENTRIES:
        for name, size in storage.list(folder).items():
            if _ENTRY_NAME.fullmatch(name):
                found[name] = min(size, found.get(name, size))
    limits: dict[str, int] = {}
    before = 0
    for number, name in enumerate(sorted(found), 1):
        if name != (expected := entry_name(number)):
            raise RunFailed(f"{storage.location}/ledger/{expected} is missing; {_REMEDY.format(storage.location)}")
        limits[name] = most_bytes(before)
        if found[name] > limits[name]:
            raise _damaged(storage, name)
        before += found[name]
    return limits


def _damaged(storage: Storage, name: str) -> RunFailed:
    return RunFailed(f"{storage.location}/ledger/{name} is damaged; {_REMEDY.format(storage.location)}")


_Read = TypeVar("_Read")


def _read_entry(
    storage: Storage,
    name: str,
    read: Callable[[bytes], _Read],
    most: int,
    damaged: dict[str, bytes] | None = None,
    known: Mapping[str, bytes | None] = MappingProxyType({}),
) -> _Read:
    """What `read` makes of the first sound copy of an entry, of `most` bytes; it raises ValueError for others. Texts
    that are `known` aren't read again. `damaged` as in `read_state`."""
    texts: dict[str, bytes | None] = {}
    sound: tuple[_Read, bytes] | None = None
    for folder in FOLDERS_OF_ENTRIES:
        place = f"{folder}/{name}"
        texts[place] = text = known[place] if place in known else text_of(storage, place, most)
        if text is not None and sound is None:
            with suppress(ValueError):
                sound = read(text), text
        if sound and damaged is None:
            break
    if sound is None:
        if any(text and _FORMER in text for text in texts.values()):
            raise RunFailed(
                f"{storage.location}/ledger/{name} was written by an earlier version, which this one can't read;"
                f" move {storage.location} away and run again"
            )
        raise _damaged(storage, name)
    entry, content = sound
    if damaged is not None:
        damaged |= {place: content for place, text in texts.items() if text != content}
    return entry


def standing_batches(storage: Storage, state: State) -> list[Batch]:
    """The batches that count, sorted by name: of each the newest version whose games part is in place. Raises RunFailed
    when a leg is none of the field's, or would count twice."""
    games = storage.list("games")
    standing: list[Batch] = []
    for _, versions in sorted(state.batches.items()):
        for version in reversed(versions):
            part = next(part for part in version.parts if part.table == "games")
            if version.legs and games.get(part.name) == part.size:
                standing.append(version)
                break
    if standing:
        _require_own(storage.location, state.field, standing)
    return standing


def _require_own(location: str, field: Field | None, batches: Sequence[Batch]) -> None:
    """Raises RunFailed where a leg is there twice, or isn't of the two players of the field whose match it is. Digests
    stand for players, too, but take longer: `tournament.runner.counting` compares them."""
    several = [Legs.of(batch.legs) for batch in batches]
    match, number = np.concatenate([legs.whole[:, :2] for legs in several]).T
    names, players = merged([(legs.names, legs.players) for legs in several])
    keys = match << 31 | number
    if (np.diff(keys) <= 0).any() and len(np.unique(keys)) < len(keys):  # mostly in order
        raise RunFailed(f"the ledger of {location} has a leg twice; {_REMEDY.format(location)}")
    if field is None:
        return
    against_house, of_y = bool(field.house_numbers), field.house_numbers or field.numbers
    x, y = (
        np.array([numbers.get(name, -1) for name in names])[seat]
        for numbers, seat in zip((field.numbers, of_y), players.T)
    )
    for place in np.flatnonzero((x < 0) | (y < 0))[:1]:
        name = names[players[place, int(x[place] >= 0)]]
        raise RunFailed(f"the ledger of {location} has a leg of {name!r}, who was never in the field")
    wrong = (house_match_number if against_house else match_number)(x, y) != match
    if not against_house:
        by_name = np.argsort(np.argsort(np.array(names, object)))
        wrong |= by_name[players[:, 0]] >= by_name[players[:, 1]]
    for place in np.flatnonzero(wrong)[:1]:
        raise RunFailed(
            f"the ledger of {location} gives match {match[place]} to others than the field does;"
            f" {_REMEDY.format(location)}"
        )
