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

_FORMER = "ledger"  # a folder that only records of earlier versions have
_AT_ONCE = 16  # files that are read side by side, for an object store is slow to answer


@dataclass(frozen=True)
class Records:
    """What counts at a moment.

    Attributes:
        field: What is played; None before the first run.
        batches: Those that count, sorted by name.
        problems: What is wrong with batches that are left out, by name, in words that follow a part's place.
        waiting: Batches that no run has taken in yet, or that one hasn't cut yet: they don't count.
    """

    field: ContestSetup | None = None
    batches: tuple[Batch, ...] = ()
    problems: Mapping[str, str] = dataclass_field(default_factory=dict)
    waiting: tuple[Batch, ...] = ()

    @property
    def parts(self) -> list[Part]:
        """The parts of all batches, those that don't count among them."""
        return [part for batch in (*self.batches, *self.waiting) for part in batch.parts]


def read_records(storage: Storage) -> Records:
    """Return what counts now, also during a run, which may replace parts meanwhile.

    Batches that are damaged are left out: `problems` names them, and the next run plays their legs again.

    Raises:
        RunError: The storage can't be read.
    """
    batches, problems = read_batches(storage)
    known = read_field(storage, batches)
    if known is None:
        return Records(problems=problems)
    counting, waiting = split_counting(known, batches)
    if counting and (strange := not_own(known, counting)):
        problems |= dict.fromkeys(strange, "is damaged: it has legs of other matches than its bots play")
        counting = [batch for batch in counting if batch.name not in strange]
    return Records(known, tuple(counting), problems, tuple(waiting))


def split_counting(known: ContestSetup, batches: Sequence[Batch]) -> tuple[list[Batch], list[Batch]]:
    """Return the batches whose legs are all of a field and in none before, and the others."""
    counting: list[Batch] = []
    others: list[Batch] = []
    for batch in batches:
        (counting if batch.origin is None or batch.origin.is_of(known) else others).append(batch)
    legs = Legs.joined(batch.legs for batch in counting)
    keys = pair_keys(legs.match, legs.number)
    in_order = np.argsort(keys, kind="stable")
    again = np.zeros(len(keys), bool)
    again[in_order[1:]] = keys[in_order[1:]] == keys[in_order[:-1]]
    if again.any():
        of = np.repeat(np.arange(len(counting)), [len(batch.legs) for batch in counting])
        twice = {*of[again].tolist()}
        others += [batch for place, batch in enumerate(counting) if place in twice]
        counting = [batch for place, batch in enumerate(counting) if place not in twice]
    return counting, others


def read_batches(storage: Storage, *, whole: bool = False) -> tuple[list[Batch], dict[str, str]]:
    """Return the batches that there are, sorted by name, and what is wrong with others, by name.

    Args:
        storage: Where the records are.
        whole: Whether to compare the rows of sessions with their hash, too.

    Raises:
        RunError: The storage can't be read.
    """
    sizes = {found[1]: size for name, size in storage.list("sessions").items() if (found := BATCH_FILE.fullmatch(name))}
    names = sorted(sizes)
    games = storage.list("games")  # after the sessions, which come first

    def read(name: str) -> Batch | str | None:
        try:
            batch = read_batch(storage, name, whole=whole, size=sizes[name], with_checks=False)
        except FileNotFoundError:
            return None  # a run has removed it
        except DamagedPart as problem:
            return str(problem).partition(" ")[2]
        part = batch.part("games")
        if games.get(part.name) == part.size:
            return batch
        there = [size for size in (storage.size(part.place), storage.size(part.staged)) if size is not None]
        if part.size in there:
            return batch
        return (
            f"is damaged: games have {there[0]:,} bytes, of {part.size:,}" if there else "has no games: these are gone"
        )

    if is_url(storage.location) or whole:
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            read_ones = dict(zip(names, pool.map(read, names)))
    else:  # threads would take turns
        read_ones = dict(zip(names, map(read, names)))
    problems = {name: one for name, one in read_ones.items() if isinstance(one, str)}
    # Games without a part of sessions/ are left where a batch was being removed.
    problems |= {
        found[1]: "is missing" for name in games if (found := BATCH_FILE.fullmatch(name)) and found[1] not in read_ones
    }
    return _possible([one for one in read_ones.values() if isinstance(one, Batch)], problems), problems


def _possible(batches: Sequence[Batch], problems: dict[str, str]) -> list[Batch]:
    """Return the batches whose legs someone can have played, side by side in memory. Others become problems."""
    seats = Counter(batch.legs.seats for batch in batches).most_common(1)
    strange = {one.name: "has legs of another number of seats" for one in batches if one.legs.seats != seats[0][0]}
    found = side_by_side([batch for batch in batches if batch.name not in strange])
    try:
        check_legs(Legs.joined(batch.legs for batch in found))
    except ValueError:
        for batch in found:
            try:
                check_legs(batch.legs)
            except ValueError as problem:
                strange[batch.name] = f"is damaged: {problem}"
        found = side_by_side([batch for batch in found if batch.name not in strange])
    problems |= strange
    return found


def is_current(storage: Storage, batch_name: str, part: Part) -> bool:
    """Return whether a part of games/ is still the one that its batch has. A run may have replaced both."""
    try:
        return read_batch(storage, batch_name).part("games").blake3 == part.blake3
    except (FileNotFoundError, DamagedPart):
        return False


def read_field(storage: Storage, batches: Sequence[Batch] | None = None) -> ContestSetup | None:
    """Return the current field, None before the first run. One that is missing or damaged is made from the batches.

    Args:
        storage: Where the records are.
        batches: The batches, if they were read.

    Raises:
        RunError: These are records of an earlier version, or the storage can't be read.
    """
    content = text_of(storage, FIELD_NAME)
    if content is not None:
        try:
            return unpack_field(content)
        except ValueError:
            pass
    elif storage.list(_FORMER):
        raise RunError(
            f"{storage.location} has records of an earlier version of tournament; to keep them, rename that folder, and"
            " run again"
        )
    return _field_from(read_batches(storage)[0] if batches is None else batches)


def _field_from(batches: Sequence[Batch]) -> ContestSetup | None:
    """Return a field whose legs these batches have, None without any. The next run writes it with what these don't
    know."""
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


def with_all_numbers(known: ContestSetup) -> ContestSetup:
    """Return a field in which every number up to the highest has a name: those of players that left are unknown.

    Raises:
        RunError: Two players have one number.
    """
    found = []
    for numbers, prefix in ((known.numbers, "left"), (known.house_numbers, "left_house")):
        taken = {number: name for name, number in numbers.items()}
        missing = [number for number in range(max(taken, default=-1)) if number not in taken]
        found.append(numbers | {f"{prefix}_{number}": number for number in missing})
    made = replace(known, numbers=found[0], house_numbers=found[1])
    try:
        check_field(made)
    except ValueError:
        raise RunError("the sessions parts have bots of several tournaments; move those of others away") from None
    return made


def text_of(storage: Storage, place: str, *most: int) -> bytes | None:
    """A file's content, None where it is missing; nothing of one with more bytes than `most`, or than a file has that
    is read as a whole."""
    try:
        return storage.read(place, *most)
    except FileNotFoundError:
        return None
    except TooLarge:
        return b""


def side_by_side(batches: Sequence[Batch]) -> list[Batch]:
    """The same batches with their legs one after the other in memory: what else was read can go."""
    legs = Legs.joined(batch.legs for batch in batches)
    ends = itertools.accumulate((len(batch.legs) for batch in batches), initial=0)
    return [replace(batch, legs=legs[first : first + len(batch.legs)]) for batch, first in zip(batches, ends)]


def not_own(known: ContestSetup, batches: Sequence[Batch]) -> set[str]:
    """Return the names of batches with a leg of another match than its players have in a field. Digests stand for
    players, too, but take longer: `tournament.runner.schedule.counting` compares them."""
    legs = Legs.joined(batch.legs for batch in batches)
    names, players, match = legs.names, legs.players, legs.match
    numbers = np.sort(np.stack([legs.numbered(seat, known.numbers) for seat in range(legs.seats)], axis=1), axis=1)
    wrong = numbers[:, 0] < 0
    if known.house_numbers:
        house = legs.house_numbered(known.house_numbers)
        wrong |= (house < 0) | (house_match_number(numbers[:, 0], house) != match)
    elif legs.seats == 2 and "tables" not in known.settings and match.any():  # all bots at one table have match 0
        own = {one.name for one in known.entrants if one.is_house} if "house_seats" in known.settings else set()
        order = sorted(range(len(names)), key=lambda place: (names[place] in own, names[place]))
        by_name = np.argsort(order)
        wrong |= match_number(numbers[:, 0], numbers[:, 1]) != match
        wrong |= by_name[players[:, 0]] >= by_name[players[:, 1]]
    if not wrong.any():
        return set()
    of = np.repeat(np.arange(len(batches)), [len(batch.legs) for batch in batches])
    return {batches[place].name for place in of[wrong].tolist()}
