"""Where legs' records wait until those before them are written: in memory, or in a file without a name."""

from __future__ import annotations

import tempfile

import numpy as np

from engine.records import Table
from tournament.legs import Desk

_MOST_BYTES_IN_MEMORY = 64 << 20


class Spool:
    """The rows of a batch's legs, all in one file: legs by the thousand have not a file each, nor much memory."""

    def __init__(self, most_bytes_in_memory: int = _MOST_BYTES_IN_MEMORY) -> None:
        self.file = tempfile.SpooledTemporaryFile(max_size=most_bytes_in_memory)
        self.size = 0

    def close(self) -> None:
        self.file.close()


class LegRows:
    """The rows of one leg, in the order in which they came."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._chunks: list[tuple[int, int, int]] = []  # offset, games, sessions

    def take(self, games: Table, sessions: Table) -> None:
        """Take the rows from a leg's tables. Raises OSError when there is no room for them."""
        self._chunks.append((self._spool.size, games.rows, sessions.rows))
        self._spool.file.seek(self._spool.size)
        for table in (games, sessions):
            for values in table.arrays.values():
                self._spool.size += self._spool.file.write(values[: table.rows].tobytes())
            table.rows = 0

    def pour(self, desk: Desk) -> None:
        """Give all rows to a desk."""
        for offset, *counts in self._chunks:
            self._spool.file.seek(offset)
            for table, count in zip((desk.games, desk.sessions), counts):
                if table.capacity - table.rows < count:
                    desk.clear()
                for name, values in table.arrays.items():
                    chunk = self._spool.file.read(count * values.dtype.itemsize)
                    table.arrays[name][table.rows : table.rows + count] = np.frombuffer(chunk, dtype=values.dtype)
                table.rows += count
