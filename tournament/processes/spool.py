"""Where a leg's records wait until those before it are written: in memory, or in a file without a name."""

from __future__ import annotations

import tempfile
from typing import Protocol

import numpy as np

from engine.records import Table

_MOST_BYTES_IN_MEMORY = 4 << 20


class Desk(Protocol):
    """Where a batch's rows gather; `clear` takes them away."""

    games: Table
    sessions: Table

    def clear(self) -> None: ...


class Spool:
    """The rows of one leg, in the order in which they came."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_MOST_BYTES_IN_MEMORY)
        self._chunks: list[tuple[int, int]] = []

    def take(self, games: Table, sessions: Table) -> None:
        """Take the rows from a leg's tables. Raises OSError when there is no room for them."""
        self._chunks.append((games.rows, sessions.rows))
        for table in (games, sessions):
            for values in table.arrays.values():
                self._file.write(values[: table.rows].tobytes())
            table.rows = 0

    def pour(self, desk: Desk) -> None:
        """Give all rows to a desk, and end."""
        self._file.seek(0)
        for counts in self._chunks:
            for table, count in zip((desk.games, desk.sessions), counts):
                if table.capacity - table.rows < count:
                    desk.clear()
                for name, values in table.arrays.items():
                    chunk = self._file.read(count * values.dtype.itemsize)
                    table.arrays[name][table.rows : table.rows + count] = np.frombuffer(chunk, dtype=values.dtype)
                table.rows += count
        self.close()

    def close(self) -> None:
        self._file.close()
