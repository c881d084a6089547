"""Digests of legs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from tournament.runner.schedule.fixtures import Competitor, MatchColumns, Seats

_AT_ONCE = 1 << 16  # Objects of matches take ten times as much memory as columns.


class Digests:
    """Digests of legs: the sha256 of a JSON list of what they all share, the players, and the leg's number.

    The shared part is written and hashed once, and so is each player, who is identified by kind and number.

    Args:
        shared: Values that all legs share, as JSON values, at least one.
    """

    def __init__(self, shared: list[Any]) -> None:
        self._start = hashlib.sha256(_json(shared)[:-1] + b",")
        self._before: dict[int, Any] = {}
        self._after: dict[tuple[str, int], bytes] = {}

    def of(self, players: Seats, number: int, disqualified: Sequence[int] = ()) -> bytes:
        """Return the digest of a leg, of 32 bytes.

        Args:
            players: The entrants by seat, then the house player if there is one. The first is an entrant.
            number: Number of the leg in its match, from 0.
            disqualified: The seats of bots that were disqualified in an earlier leg, ascending. By default there are
                none.
        """
        digest = self._hash_first(players[0]).copy()
        end = b",%b" % _json(list(disqualified)) if disqualified else b""
        digest.update(b"%b%d%b]" % (b"".join(map(self._encode_other, players[1:])), number, end))
        return cast(bytes, digest.digest())

    def digest_columns(self, columns: MatchColumns, players: Seats, legs_per_replica: int) -> bytes:
        """Return the digests of all legs of matches, of 32 bytes each, one after the other.

        They are in the order of the columns' rows, and in each row by leg number. No bot is disqualified in them.

        Args:
            columns: The matches.
            players: The players to whose places the columns refer.
            legs_per_replica: Number of legs of each row.
        """
        first = {place: self._hash_first(players[place]) for place in _distinct(columns.players[:, :1])}
        other_texts = {place: self._encode_other(players[place]) for place in _distinct(columns.players[:, 1:])}
        ends = [b"%d]" % number for number in range(int(columns.replica.max(initial=-1) + 1) * legs_per_replica)]
        digests = bytearray()
        for at in range(0, len(columns.match), _AT_ONCE):
            rows = columns.players[at : at + _AT_ONCE].tolist()
            for (one, *rest), replica in zip(rows, columns.replica[at : at + _AT_ONCE].tolist()):
                start = first[one]
                more = other_texts[rest[0]] if len(rest) == 1 else b"".join([other_texts[place] for place in rest])
                for end in ends[replica * legs_per_replica : (replica + 1) * legs_per_replica]:
                    digest = start.copy()
                    digest.update(more + end)
                    digests += digest.digest()
        return bytes(digests)

    def _hash_first(self, player: Competitor) -> Any:
        """Return the hash of the shared part and a leg's first player, an entrant. Copy it before an update."""
        if player.number not in self._before:
            self._before[player.number] = digest = self._start.copy()
            digest.update(_player(player))
        return self._before[player.number]

    def _encode_other(self, player: Competitor) -> bytes:
        """Return the part of a digest's content for a player that isn't a leg's first."""
        key = player.kind, player.number
        if key not in self._after:
            self._after[key] = _player(player)
        return self._after[key]


def _distinct(indices: npt.NDArray[np.int32]) -> list[int]:
    """Return the distinct values of an array of indices, ascending."""
    distinct: list[int] = np.flatnonzero(np.bincount(indices.ravel())).tolist()
    return distinct


def _player(player: Competitor) -> bytes:
    """Return a player's name and artifact as JSON, with a comma after them."""
    return _json([player.name, player.artifact]) + b","


def _json(parts: list[Any]) -> bytes:
    """Return a list as JSON without spaces. The keys of objects are sorted."""
    return json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()
