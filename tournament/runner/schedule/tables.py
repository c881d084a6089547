"""Tables: their entrants, and the numbers of these matches.

All combinations are numbered in colexicographic order by the combinatorial number system (D. Knuth, "The Art of
Computer Programming" 4A, 7.2.1.3), so that a newcomer changes no number. Drawn tables are numbered by growing squares
of the host's number and the table's place among those that it hosts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

from tournament.arrays import Ints
from tournament.leg import house_match_number

_Hashes = npt.NDArray[np.uint64]


def combinations(items: int, count: int) -> Ints:
    """Return the combinations of `count` of the integers 0 to `items` − 1, a row each, in colexicographic order.

    The integers of a row ascend. A count of 0 gives one empty row. With too few integers there is no row.

    The last column comes first. Its values divide the rows into groups. In each group the columns before it are the
    first combinations of one fewer.
    """
    rows = math.comb(items, count)
    table = np.empty((rows, count), np.int64)
    rank = np.arange(rows)
    for place in range(count - 1, -1, -1):
        counts = np.array([min(math.comb(last, place + 1), rows) for last in range(items + 1)])
        table[:, place] = np.searchsorted(counts, rank, side="right") - 1
        rank -= counts[table[:, place]]
    return table


def colex_numbers(numbers: Sequence[int], tables: Ints) -> Ints:
    """Return the numbers of combinations in colexicographic order, from 0, one for each row of `tables`.

    Args:
        numbers: Numbers of the items, from 0, in any order.
        tables: Indices in `numbers`, a row for each combination, in which the items' numbers ascend.
    """
    ranks = np.zeros(len(tables), np.int64)
    for place, column in enumerate(tables.T, 1):
        ranks += np.array([math.comb(number, place) for number in numbers], np.int64)[column]
    return ranks


def in_squares(first: Sequence[int], second: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield all pairs of a number of `first` and one of `second`, by the pairs' `house_match_number`, ascending.

    The sequences can be in any order. A number that a sequence repeats counts once.
    """
    ones, others = set(first), set(second)
    for larger in sorted(ones | others):
        if larger in others:
            for number in sorted(number for number in ones if number < larger):
                yield number, larger
        if larger in ones:
            for number in sorted(number for number in others if number <= larger):
                yield larger, number


@lru_cache(maxsize=32)
def drawn_tables(
    fingerprint: str,
    entrants: tuple[tuple[int, str, str], ...],
    seats: int,
    tables: int,
    replica: int,
    house: tuple[str, ...] = (),
    house_seats: int = 0,
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """Return the drawn tables of a replica by match number, ascending. The last 32 results are cached.

    Args:
        fingerprint: Fingerprint of the seed.
        entrants: Number, name and author of each entrant. Those of one author, if it isn't "", share no table.
        seats: Number of a table's seats that are the entrants'. There must be as many entrants.
        tables: Number of tables that each entrant hosts. A table with the same players as an earlier one is omitted.
        replica: Number of the replica, from 0.
        house: Names of the house bots. By default there are none.
        house_seats: Number of a table's seats that are the house bots', by default 0.

    Returns:
        For each table the match number and the indices of its bots: first those in `entrants`, ascending. Indices of
        house bots follow, ascending, counted from the number of entrants. A table has fewer entrants than seats if
        there are too few authors.
    """
    index = {number: place for place, (number, _, _) in enumerate(entrants)}
    draw = Draw(fingerprint, [name for _, name, _ in entrants], [author for _, _, author in entrants])
    house_draw = Draw(fingerprint, house)
    found, drawn = [], set()
    for number, place in in_squares(list(index), range(tables)):
        host = index[number]
        members = tuple(sorted((host, *draw.guests(replica, host, place, seats - 1))))
        if house_seats:
            served = house_draw.serving(replica, entrants[host][1], place, house_seats)
            members += tuple(len(entrants) + one for one in served)
        if members not in drawn:
            drawn.add(members)
            found.append((house_match_number(number, place), members))
    return tuple(found)


class Draw:
    """Draws the guests of hosts by hashes, and passes over a second bot of one author.

    A hash depends only on the seed's fingerprint, the replica, the host's name, the table's place among the host's and
    the guest's name. So a new bot changes only the tables that it enters.

    Args:
        fingerprint: Fingerprint of the seed.
        names: Names of the bots that can be drawn.
        authors: The bots' authors in the same order, "" for a bot whose author doesn't matter. Empty if none matters,
            which is the default.
    """

    def __init__(self, fingerprint: str, names: Sequence[str], authors: Sequence[str] = ()) -> None:
        self._fingerprint = fingerprint
        self._names = names
        self._authors = authors if any(authors) else ()
        self._own = np.array([_hash64("guest", fingerprint, name) for name in names], np.uint64)

    def guests(self, replica: int, host: int, index: int, count: int) -> tuple[int, ...]:
        """Return the indices of the guests at a table, those with the lowest hashes, in ascending order.

        Args:
            replica: Number of the replica, from 0.
            host: Index of the host.
            index: The table's place among those that it hosts, from 0.
            count: Number of guests, less than the number of names. There are fewer guests if the authors don't suffice.
        """
        hashes = self._hashes(replica, self._names[host], index)
        hashes[host] = np.iinfo(np.uint64).max
        if self._authors and count:
            return self._without_common_authors(host, count, np.argsort(hashes, kind="stable").tolist())
        return _lowest(hashes, count)

    def serving(self, replica: int, host: str, index: int, count: int) -> tuple[int, ...]:
        """Return the indices of the bots with the lowest hashes for a table, in ascending order. Authors don't count.

        Args:
            replica: Number of the replica, from 0.
            host: Name of the table's host, which isn't one of the bots.
            index: The table's place among those that the host has, from 0.
            count: Number of bots. All are returned if there are no more.
        """
        return _lowest(self._hashes(replica, host, index), count)

    def _hashes(self, replica: int, host: str, index: int) -> _Hashes:
        """Return a new array with the hash of each bot for a host's table, in the order of the names."""
        table = _hash64("table", self._fingerprint, str(replica), host, str(index))
        return _mixed(_mixed(self._own ^ np.uint64(table)) + np.uint64(table))

    def _without_common_authors(self, host: int, count: int, in_order: Sequence[int]) -> tuple[int, ...]:
        """Return the first guests without a common author among them or with the host, as ascending indices.

        Args:
            host: Index of the host.
            count: Maximum number of guests. There are fewer if the authors don't suffice.
            in_order: Indices of all bots, in the order in which they are tried.
        """
        seated, guests = {self._authors[host]}, list[int]()
        for guest in in_order:
            if guest != host and (not (author := self._authors[guest]) or author not in seated):
                seated.add(author)
                guests.append(guest)
                if len(guests) == count:
                    break
        return tuple(sorted(guests))


def _lowest(hashes: _Hashes, count: int) -> tuple[int, ...]:
    """Return the indices of the `count` lowest hashes, in ascending order. All are returned if there are no more."""
    lowest = np.argpartition(hashes, count - 1)[:count] if count < len(hashes) else np.arange(len(hashes))
    return tuple(np.sort(lowest).tolist())


def _hash64(*parts: str) -> int:
    """Return 64 bits of a hash of texts. Their lengths count, so other divisions of the same text differ."""
    content = b"".join(b"%d:%b" % (len(text := part.encode()), text) for part in parts)
    return int.from_bytes(blake2b(content, digest_size=8, person=b"drawn tables").digest(), "little")


def _mixed(values: _Hashes) -> _Hashes:
    """Return words mixed one to one (the finaliser of SplitMix64, G. Steele and others, 2014)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))
