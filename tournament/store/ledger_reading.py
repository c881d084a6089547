"""Reading the ledger, and the legs that it lists."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from tournament.errors import RunError
from tournament.leg import house_match_number, match_number
from tournament.store.ledger import ENTRY_NAME, Batch, ContestSetup, Entry, State, entry_name, unpack
from tournament.store.legs import Legs, pair_keys
from tournament.store.storage import Storage, TooLarge

IS_MISSING = " is missing"
_ONLY_BEFORE = ".entry"  # how entries of records ended that earlier versions wrote
_REMEDY = "bring it back from a copy, or move {} away and run again"
# Files that are read side by side, for an object store is slow to answer, and their bytes; a larger one is alone.
_AT_ONCE, _BYTES_AT_ONCE = 16, 32 << 20


@dataclass(frozen=True)
class Records:
    """What counts at a moment: what the ledger lists, and batches with their legs, sorted by name."""

    state: State
    batches: tuple[Batch, ...] = ()

    @property
    def field(self) -> ContestSetup | None:
        return self.state.field


def read_records(storage: Storage) -> Records:
    """What counts now. Raises RunError when something is missing or damaged."""
    records, problems = read_what_is_there(storage)
    for problem in problems.values():
        raise RunError(f"{storage.location}/{problem}; run again to play its legs again")
    require_own(storage.location, records.field, records.batches)
    return records


def read_what_is_there(storage: Storage) -> tuple[Records, Mapping[str, str]]:
    """What counts now, also during a run, which may replace parts meanwhile; and what is wrong with parts of legs/, by
    their file, whose batches are left out. Raises RunError when the ledger or the storage can't be read."""
    before = -1
    while True:
        state = read_state(storage)
        batches, problems = read_batches(storage, state)
        if state.entries == before or not any(problem.endswith(IS_MISSING) for problem in problems.values()):
            return Records(state, tuple(batches)), problems
        before = state.entries


def read_batches(storage: Storage, state: State) -> tuple[list[Batch], dict[str, str]]:
    """The batches that a state lists with their legs, sorted by name; and what is wrong with parts of legs/, by their
    file. Raises RunError when the storage can't be read."""
    from tournament.store.leg_parts import DamagedPart, read_legs  # pyarrow, which a field doesn't need

    found: list[Batch] = []
    problems: dict[str, str] = {}

    def read(name: str) -> Legs | str:
        file = state.files[name]
        try:
            return read_legs(storage, file, [state.batches[batch] for batch in file.batches])
        except FileNotFoundError as gone:
            return f"{gone}{IS_MISSING}"
        except DamagedPart as problem:
            return str(problem)

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for name, legs in zip(state.files, pool.map(read, state.files)):
            if isinstance(legs, str):
                problems[name] = legs
                continue
            first = 0
            for listed in (state.batches[batch] for batch in state.files[name].batches):
                found.append(Batch(listed.name, listed.parts, legs[first : first + listed.legs], listed.sandbox))
                first += listed.legs
    return side_by_side(sorted(found, key=lambda batch: batch.name)), problems


def read_state(storage: Storage) -> State:
    """Add up the ledger's entries, from the newest fold on. Raises RunError when one is missing or damaged."""
    sizes = sizes_of_entries(storage)
    if not sizes:
        return State()
    last = _read_entry(storage, newest := max(sizes))
    first = last[0].fold or 1
    state = State(first - 1)
    for entry, size in itertools.chain(_read_ahead(storage, sizes, range(first, newest)), [last]):
        try:
            state.add(entry, size)
        except ValueError as error:
            place = _place(state.entries)
            raise RunError(f"{storage.location}/{place} is {error}; {_REMEDY.format(storage.location)}") from None
    return state


def read_field(storage: Storage) -> ContestSetup | None:
    """The current field. Raises as `read_state`."""
    sizes = sizes_of_entries(storage)
    if not sizes:
        return None
    last, _ = _read_entry(storage, max(sizes))
    return last.field if last.field or not last.told else _read_entry(storage, last.told)[0].field


def sizes_of_entries(storage: Storage) -> dict[int, int]:
    """The bytes of each entry by its number. Raises RunError for records of an earlier version."""
    there = storage.list("ledger")
    if any(name.endswith(_ONLY_BEFORE) for name in there):
        raise RunError(
            f"{storage.location} has records of an earlier version of tournament; move {storage.location} away and run"
            " again"
        )
    return {int(name[:8]): size for name, size in there.items() if ENTRY_NAME.fullmatch(name)}


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
    raise RunError(f"{storage.location}/{_place(number)} is {problem}; {_REMEDY.format(storage.location)}")


def side_by_side(batches: Sequence[Batch]) -> list[Batch]:
    """The same batches with their legs one after the other in memory: what else the ledger has can go."""
    legs = Legs.joined(batch.legs for batch in batches)
    ends = itertools.accumulate((len(batch.legs) for batch in batches), initial=0)
    return [replace(batch, legs=legs[first : first + len(batch.legs)]) for batch, first in zip(batches, ends)]


def require_own(location: str, field: ContestSetup | None, batches: Sequence[Batch]) -> None:
    """Raises RunError where a leg is there twice, or isn't of the two players of the field whose match it is. Digests
    stand for players, too, but take longer: `tournament.runner.schedule.counting` compares them."""
    legs = Legs.joined(batch.legs for batch in batches)
    names, players, match = legs.names, legs.players, legs.match
    keys = np.sort(pair_keys(match, legs.number), kind="stable")  # fast: a few sorted runs
    if (keys[1:] == keys[:-1]).any():
        raise RunError(f"the ledger of {location} has a leg twice; {_REMEDY.format(location)}")
    if field is None:
        return
    numbers = np.sort(np.stack([legs.numbered(seat, field.numbers) for seat in range(legs.seats)], axis=1), axis=1)
    house = legs.house_numbered(field.house_numbers)
    strange = numbers[:, 0] < 0
    if against_house := bool(field.house_numbers):
        strange |= house < 0
    for place in np.flatnonzero(strange)[:1]:
        known = {*field.numbers, *(field.house_numbers if against_house else ())}
        name = next(one for one in (*legs.seated[place], legs.houses[place]) if one not in known)
        raise RunError(f"the ledger of {location} has a leg of {name!r}, who was never in the field")
    if against_house:
        wrong = house_match_number(numbers[:, 0], house) != match
    elif legs.seats == 2 and "tables" not in field.settings and match.any():  # all bots at one table have match 0
        by_name = np.argsort(np.argsort(np.array(names, object)))
        wrong = match_number(numbers[:, 0], numbers[:, 1]) != match
        wrong |= by_name[players[:, 0]] >= by_name[players[:, 1]]
    else:  # of larger tables, and of drawn ones, digests tell
        wrong = np.zeros(len(match), bool)
    for place in np.flatnonzero(wrong)[:1]:
        raise RunError(
            f"the ledger of {location} gives match {match[place]} to others than the field does;"
            f" {_REMEDY.format(location)}"
        )
