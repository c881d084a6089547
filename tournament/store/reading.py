"""Reading the field, and the batches that count."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field

import numpy as np

from tournament.errors import RunError
from tournament.leg import house_match_number, match_number
from tournament.store.carried import DamagedPart, read_batch
from tournament.store.field import BATCH_FILE, Batch, ContestSetup, FieldEntrant, Part
from tournament.store.field_file import check_field, unpack_field
from tournament.store.leg_checks import check_legs
from tournament.store.legs import Legs, hex_hashes, pair_keys
from tournament.store.storage import FIELD_NAME, Storage, TooLarge, is_url

# A folder that only records of earlier versions have.
_EARLIER_LEDGER = "ledger"
# Files that are read in parallel, because an object store answers slowly.
_AT_ONCE = 16


@dataclass(frozen=True)
class Records:
    """The records that count at one moment.

    Attributes:
        field: The field; None before the first run, when there are no batches either.
        batches: Batches that count, sorted by name.
        problems: Problem of each batch that is omitted, by name. The text follows a part's name in messages.
        waiting: Batches that don't count until a run accepts or cuts them. They have legs of another field, or a leg
            of an earlier batch.
    """

    field: ContestSetup | None = None
    batches: tuple[Batch, ...] = ()
    problems: Mapping[str, str] = dataclass_field(default_factory=dict)
    waiting: tuple[Batch, ...] = ()

    @property
    def parts(self) -> list[Part]:
        """Parts of all batches that count, then of those that don't, each games part before its sessions part."""
        return [part for batch in (*self.batches, *self.waiting) for part in batch.parts]


def read_records(storage: Storage) -> Records:
    """Return the records that count now. A run can replace parts while they are read.

    Damaged batches are omitted, and the next run plays their legs again. Rows of games aren't read, so only the size of
    a games part is compared. A field that is restored from batches isn't written.

    Raises:
        RunError: The storage can't be read, has records of an earlier version, or parts of several tournaments.
        InputError: The URL of an object store needs an account.
        OSError: A part's folder can't be searched, or the file of the field can't be read.
    """
    batches, problems = read_batches(storage)
    field = read_field(storage, batches)
    if field is None:
        return Records(problems=problems)
    counting, waiting = split_counting(field, batches)
    if counting and (foreign := not_own(field, counting)):
        problems |= dict.fromkeys(foreign, "is damaged: it has legs of other matches than its bots play")
        counting = [batch for batch in counting if batch.name not in foreign]
    return Records(field, tuple(counting), problems, tuple(waiting))


def split_counting(field: ContestSetup, batches: Sequence[Batch]) -> tuple[list[Batch], list[Batch]]:
    """Return the batches whose legs all belong to a field and to no other batch, and the other batches.

    A batch that shares a leg with an earlier one is among the others. Both lists keep the order of the batches, except
    that those with shared legs are the last of the others.
    """
    counting: list[Batch] = []
    waiting: list[Batch] = []
    for batch in batches:
        (counting if batch.origin is None or batch.origin.matches_field(field) else waiting).append(batch)
    legs = Legs.joined(batch.legs for batch in counting)
    keys = pair_keys(legs.match, legs.number)
    order = np.argsort(keys, kind="stable")
    is_repeated = np.zeros(len(keys), bool)
    is_repeated[order[1:]] = keys[order[1:]] == keys[order[:-1]]
    if is_repeated.any():
        batch_index = np.repeat(np.arange(len(counting)), [len(batch.legs) for batch in counting])
        repeating = {*batch_index[is_repeated].tolist()}
        waiting += [batch for index, batch in enumerate(counting) if index in repeating]
        counting = [batch for index, batch in enumerate(counting) if index not in repeating]
    return counting, waiting


def read_batches(storage: Storage, *, with_rows: bool = False) -> tuple[list[Batch], dict[str, str]]:
    """Return the batches, sorted by name, and the problems of batches that are omitted, by name.

    Args:
        storage: Storage of the records.
        with_rows: Whether to compare the rows of sessions with their hash, too.

    Returns:
        The batches, with their legs contiguous in memory, and the problems. A batch is omitted if a part is damaged or
        missing, if a leg is impossible, or if most other batches have another number of seats.

    Raises:
        RunError: The storage can't be read, or a part can't be opened.
        InputError: The URL of an object store needs an account.
        OSError: A part's folder can't be searched.
    """
    sizes = {
        matched[1]: size for name, size in storage.list("sessions").items() if (matched := BATCH_FILE.fullmatch(name))
    }
    names = sorted(sizes)
    # Listed after the sessions parts, which are published first.
    games = storage.list("games")

    def read(name: str) -> Batch | str | None:
        """Return a batch, its problem as text, or None if a run has removed it.

        Raises:
            RunError: A part can't be opened.
            OSError: A part's folder can't be searched.
        """
        try:
            batch = read_batch(storage, name, with_rows=with_rows, size=sizes[name], with_checks=False)
        except FileNotFoundError:
            # A run removed the part after it was listed.
            return None
        except DamagedPart as problem:
            return str(problem).partition(" ")[2]
        part = batch.part("games")
        if games.get(part.name) == part.size:
            return batch
        sizes_read = [size for size in (storage.size(part.path), storage.size(part.staged)) if size is not None]
        if part.size in sizes_read:
            return batch
        return (
            f"is damaged: its games part has {sizes_read[0]:,} of {part.size:,} bytes"
            if sizes_read
            else "has no games part"
        )

    if is_url(storage.location) or with_rows:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            results = dict(zip(names, pool.map(read, names)))
    # Threads would only wait for each other.
    else:
        results = dict(zip(names, map(read, names)))
    problems = {name: one for name, one in results.items() if isinstance(one, str)}
    # If the removal of a batch was interrupted, its games are left without a sessions part.
    problems |= {
        matched[1]: "is missing"
        for name in games
        if (matched := BATCH_FILE.fullmatch(name)) and matched[1] not in results
    }
    return _possible([one for one in results.values() if isinstance(one, Batch)], problems), problems


def _possible(batches: Sequence[Batch], problems: dict[str, str]) -> list[Batch]:
    """Return the batches whose legs are possible, contiguous in memory, and add the others to the problems.

    A batch with another number of seats than most batches is among the others, too. The order stays the same.
    """
    seats = Counter(batch.legs.seats for batch in batches).most_common(1)
    foreign = {one.name: "has legs with another number of seats" for one in batches if one.legs.seats != seats[0][0]}
    possible = side_by_side([batch for batch in batches if batch.name not in foreign])
    try:
        check_legs(Legs.joined(batch.legs for batch in possible))
    except ValueError:
        for batch in possible:
            try:
                check_legs(batch.legs)
            except ValueError as problem:
                foreign[batch.name] = f"is damaged: {problem}"
        possible = side_by_side([batch for batch in possible if batch.name not in foreign])
    problems |= foreign
    return possible


def is_current(storage: Storage, batch_name: str, part: Part) -> bool:
    """Return whether a part of games/ still belongs to its batch. A run might have replaced both.

    It is False if the sessions part is missing or damaged.

    Raises:
        RunError: The sessions part can't be opened, or a request to the object store fails.
    """
    try:
        return read_batch(storage, batch_name).part("games").blake3 == part.blake3
    except (FileNotFoundError, DamagedPart):
        return False


def read_field(storage: Storage, batches: Sequence[Batch] | None = None) -> ContestSetup | None:
    """Return the current field. A missing or damaged one is restored from the batches, but isn't written.

    Args:
        storage: Storage of the records.
        batches: The batches if the caller has read them; None to read them if necessary.

    Returns:
        The field, or None if it is missing or damaged and there are no batches, as before the first run.

    Raises:
        RunError: These are records of an earlier version, the storage can't be read, or two players have the same
            number.
        InputError: The URL of an object store needs an account.
        OSError: The file of the field can't be read, or a part's folder can't be searched.
    """
    content = read_if_present(storage, FIELD_NAME)
    if content is not None:
        try:
            return unpack_field(content)
        except ValueError:
            pass
    elif storage.list(_EARLIER_LEDGER):
        raise RunError(
            f"{storage.location} has records of an earlier version of tournament; to keep them, rename that folder, and"
            " run again"
        )
    return _field_from(read_batches(storage)[0] if batches is None else batches)


def _field_from(batches: Sequence[Batch]) -> ContestSetup | None:
    """Return a field to which the legs of batches belong, or None without batches.

    Settings are those of the last batch, and every entrant has the kind wasm. The next run writes the field with the
    facts that the batches don't have.

    Raises:
        RunError: Two players have the same number.
    """
    origins = [batch.origin for batch in batches if batch.origin is not None]
    if not origins:
        return None
    last = origins[-1]
    numbers: dict[str, int] = {}
    artifacts: dict[str, str] = {}
    for origin in origins:
        numbers |= zip(origin.names, origin.numbers)
        artifacts |= zip(origin.names, hex_hashes(origin.artifacts))
    house = {one.name: one for origin in origins for one in origin.house}
    taken = int(str(last.settings.get("house_seats", 0)))
    own = {name for batch in batches for seats in batch.legs.seated for name in seats[len(seats) - taken :]}
    return with_all_numbers(
        ContestSetup(
            last.contest,
            last.engine,
            last.settings,
            tuple(
                FieldEntrant(number, name, "wasm", artifacts[name], artifacts[name], None, is_house=name in own)
                for name, number in sorted(numbers.items(), key=lambda one: one[1])
            ),
            numbers,
            tuple(sorted(house.values(), key=lambda one: one.number)),
            {name: one.number for name, one in house.items()},
            last.game,
        )
    )


def with_all_numbers(field: ContestSetup) -> ContestSetup:
    """Return a field in which every number up to the highest has a name. Former players get made-up names.

    Raises:
        RunError: Two players have the same number, or a made-up name is taken.
    """
    complete = []
    for numbers, prefix in ((field.numbers, "left"), (field.house_numbers, "left_house")):
        taken = {number: name for name, number in numbers.items()}
        missing = [number for number in range(max(taken, default=-1)) if number not in taken]
        complete.append(numbers | {f"{prefix}_{number}": number for number in missing})
    complete_field = replace(field, numbers=complete[0], house_numbers=complete[1])
    try:
        check_field(complete_field)
    except ValueError:
        raise RunError(
            "the sessions parts have bots of different tournaments; move those of other tournaments to another folder"
        ) from None
    return complete_field


def read_if_present(storage: Storage, path: str, *most: int) -> bytes | None:
    """Return a file's content, or None if it is missing.

    Args:
        storage: Storage of the records.
        path: Name of the file.
        most: Maximum bytes of the file, at most one number; 512 MiB by default. The result is b"" if the file is
            larger.

    Raises:
        RunError: The file can't be opened, or a request to the object store fails.
        OSError: The file can't be read.
    """
    try:
        return storage.read(path, *most)
    except FileNotFoundError:
        return None
    except TooLarge:
        return b""


def side_by_side(batches: Sequence[Batch]) -> list[Batch]:
    """Return copies of batches, in the same order, whose legs share one contiguous table.

    Everything else that the old legs refer to can then be freed.
    """
    legs = Legs.joined(batch.legs for batch in batches)
    ends = itertools.accumulate((len(batch.legs) for batch in batches), initial=0)
    return [replace(batch, legs=legs[first : first + len(batch.legs)]) for batch, first in zip(batches, ends)]


def not_own(field: ContestSetup, batches: Sequence[Batch]) -> set[str]:
    """Return the names of batches with a leg whose match isn't that of its players in a field.

    Digests show this, too, but take longer: `tournament.runner.schedule.counting` compares them.
    """
    legs = Legs.joined(batch.legs for batch in batches)
    names, players, match = legs.names, legs.players, legs.match
    numbers = np.sort(np.stack([legs.numbered(seat, field.numbers) for seat in range(legs.seats)], axis=1), axis=1)
    wrong = numbers[:, 0] < 0
    if field.house_numbers:
        house = legs.house_numbered(field.house_numbers)
        wrong |= (house < 0) | (house_match_number(numbers[:, 0], house) != match)
    # All bots at one table have match 0.
    elif legs.seats == 2 and "tables" not in field.settings and match.any():
        own = {one.name for one in field.entrants if one.is_house} if "house_seats" in field.settings else set()
        order = sorted(range(len(names)), key=lambda index: (names[index] in own, names[index]))
        by_name = np.argsort(order)
        wrong |= match_number(numbers[:, 0], numbers[:, 1]) != match
        wrong |= by_name[players[:, 0]] >= by_name[players[:, 1]]
    if not wrong.any():
        return set()
    batch_index = np.repeat(np.arange(len(batches)), [len(batch.legs) for batch in batches])
    return {batches[index].name for index in batch_index[wrong].tolist()}
