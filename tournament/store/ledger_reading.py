"""Reading the ledger, and which of its batches count."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace

import numpy as np

from tournament.errors import RunError
from tournament.leg import house_match_number, match_number
from tournament.store.ledger import ENTRY_NAME, Batch, Entry, Field, State, entry_name, unpack
from tournament.store.legs import Legs, merged, pair_keys
from tournament.store.storage import Storage, TooLarge

_ONLY_BEFORE = "ledger-copy"  # a folder that records had up to engine version 8
_REMEDY = "bring it back from a copy, or move {} away and run again"
# Entries that are read side by side, for an object store is slow to answer, and their bytes; a larger one is alone.
_AT_ONCE, _BYTES_AT_ONCE = 16, 32 << 20


def read_state(storage: Storage) -> State:
    """Add up the ledger's entries, from the newest fold on. Raises RunError when one is missing or damaged."""
    sizes = sizes_of_entries(storage)
    if not sizes:
        return State()
    last = _read_entry(storage, newest := max(sizes))
    first = last[0].fold or 1
    state = State(first - 1)
    for entry, size in _read_ahead(storage, sizes, range(first, newest)):
        _add(storage, state, entry, size)
    _add(storage, state, *last)
    gather(storage, state)
    return state


def read_field(storage: Storage) -> Field | None:
    """The current field. Raises as `read_state`."""
    sizes = sizes_of_entries(storage)
    if not sizes:
        return None
    last, _ = _read_entry(storage, max(sizes))
    return last.field if last.field or not last.told else _read_entry(storage, last.told)[0].field


def states(storage: Storage) -> Iterator[tuple[State, Entry]]:
    """The state before each entry, and the entry: from the first fold on before which one is missing, or from the
    beginning. What is given is changed later, and its legs aren't gathered. Raises as `read_state`."""
    sizes = sizes_of_entries(storage)
    newest = max(sizes, default=0)
    first = newest and (_read_entry(storage, newest)[0].fold or 1)
    while first > 1 and first - 1 in sizes:
        before = _read_entry(storage, first - 1)[0].fold or 1
        if any(number not in sizes for number in range(before, first)):
            break
        first = before
    state = State(first - 1)
    for entry, size in _read_ahead(storage, sizes, range(first, newest + 1)) if newest else ():
        yield state, entry
        _add(storage, state, entry, size)


def read_former_fields(storage: Storage) -> Iterator[tuple[Field, list[Batch]]]:
    """Each field but the last, oldest first, with the batches that counted when most legs did: those of a bot that
    changed are taken out first. Raises as `read_state`."""
    most: list[Batch] = []
    most_legs = 0
    for state, entry in states(storage):
        changed = entry.field and state.field and entry.field.entrants != state.field.entrants
        if state.legs >= most_legs and (changed or any(batch.name in state.batches for batch in entry.batches)):
            gather(storage, state)
            most, most_legs = list(state.newest().values()), state.legs
        if changed and state.field:
            yield state.field, most
            most, most_legs = [], 0


def sizes_of_entries(storage: Storage) -> dict[int, int]:
    """The bytes of each entry by its number."""
    return {int(name[:8]): size for name, size in storage.list("ledger").items() if ENTRY_NAME.fullmatch(name)}


def text_of(storage: Storage, place: str, *most: int) -> bytes | None:
    """A file's content, None where it is missing; nothing of one with more bytes than `most`, or than a file has that
    is read as a whole."""
    try:
        return storage.read(place, *most)
    except FileNotFoundError:
        return None
    except TooLarge:
        return b""


def _read_ahead(storage: Storage, sizes: Mapping[int, int], numbers: Sequence[int]) -> Iterator[tuple[Entry, int]]:
    """Entries of these numbers and their bytes. Some are read before they are needed."""
    coming = deque(numbers)
    waiting: deque[tuple[int, Future[bytes | None]]] = deque()
    bytes_waiting = 0
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        try:
            while coming or waiting:
                while coming and len(waiting) < _AT_ONCE:
                    size = sizes.get(coming[0], 0)
                    if waiting and bytes_waiting + size > _BYTES_AT_ONCE:
                        break
                    bytes_waiting += size
                    waiting.append((coming[0], pool.submit(text_of, storage, _place(coming.popleft()))))
                number, content = waiting.popleft()
                bytes_waiting -= sizes.get(number, 0)
                yield _unpacked(storage, number, content.result())
        finally:
            pool.shutdown(cancel_futures=True)


def _place(number: int) -> str:
    return f"ledger/{entry_name(number)}"


def _read_entry(storage: Storage, number: int) -> tuple[Entry, int]:
    """An entry, and its bytes. Raises RunError when it is missing or damaged."""
    return _unpacked(storage, number, text_of(storage, _place(number)))


def _unpacked(storage: Storage, number: int, content: bytes | None) -> tuple[Entry, int]:
    problem = "missing"
    if content is not None:
        problem = "damaged"
        with suppress(ValueError):
            entry = unpack(content)
            if max(entry.fold, entry.told) <= number:
                return entry, len(content)
    if storage.list(_ONLY_BEFORE):
        raise RunError(
            f"{storage.location} has records of an earlier tournament, in which matches shared their deals;"
            f" move {storage.location} away and run again"
        )
    raise RunError(f"{storage.location}/{_place(number)} is {problem}; {_REMEDY.format(storage.location)}")


def _add(storage: Storage, state: State, entry: Entry, size: int) -> None:
    with _told(storage, state):
        state.add(entry, size)


def gather(storage: Storage, state: State) -> None:
    """Gather the legs of a state's batches. Raises RunError where those of one can't be its own."""
    with _told(storage, state):
        state.gather()


@contextmanager
def _told(storage: Storage, state: State) -> Iterator[None]:
    """Raises RunError where entries don't go together."""
    try:
        yield
    except ValueError as error:
        raise RunError(
            f"{storage.location}/ledger/{entry_name(state.entries)} is {error}; {_REMEDY.format(storage.location)}"
        ) from None


def standing_batches(storage: Storage, state: State) -> list[Batch]:
    """The batches that count, sorted by name: of each the newest version whose games part is in place. Raises RunError
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


def side_by_side(batches: Sequence[Batch]) -> list[Batch]:
    """The same batches with their legs one after the other in memory: what else the ledger has can go."""
    legs = Legs.joined(batch.legs for batch in batches)
    ends = itertools.accumulate((len(batch.legs) for batch in batches), initial=0)
    return [replace(batch, legs=legs[first : first + len(batch.legs)]) for batch, first in zip(batches, ends)]


def _require_own(location: str, field: Field | None, batches: Sequence[Batch]) -> None:
    """Raises RunError where a leg is there twice, or isn't of the two players of the field whose match it is. Digests
    stand for players, too, but take longer: `tournament.runner.schedule.counting` compares them."""
    several = [batch.legs for batch in batches]
    match = np.concatenate([legs.match for legs in several])
    names, players = merged([(legs.names, legs.players) for legs in several])
    keys = np.concatenate([pair_keys(legs.match, legs.number) for legs in several])
    if (np.diff(np.sort(keys, kind="stable")) == 0).any():  # fast: a few sorted runs
        raise RunError(f"the ledger of {location} has a leg twice; {_REMEDY.format(location)}")
    if field is None:
        return
    against_house, of_y = bool(field.house_numbers), field.house_numbers or field.numbers
    x, y = (
        np.array([numbers.get(name, -1) for name in names])[seat]
        for numbers, seat in zip((field.numbers, of_y), players.T)
    )
    for place in np.flatnonzero((x < 0) | (y < 0))[:1]:
        name = names[players[place, int(x[place] >= 0)]]
        raise RunError(f"the ledger of {location} has a leg of {name!r}, who was never in the field")
    wrong = (house_match_number if against_house else match_number)(x, y) != match
    if not against_house:
        by_name = np.argsort(np.argsort(np.array(names, object)))
        wrong |= by_name[players[:, 0]] >= by_name[players[:, 1]]
    for place in np.flatnonzero(wrong)[:1]:
        raise RunError(
            f"the ledger of {location} gives match {match[place]} to others than the field does;"
            f" {_REMEDY.format(location)}"
        )
