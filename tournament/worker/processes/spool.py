"""Where legs' records wait until those before them are written: in memory, or in a file without a name."""

from __future__ import annotations

import tempfile

import numpy as np

from engine.records import Table
from tournament.worker.leg import RowSink

_MOST_BYTES_IN_MEMORY = 64 << 20


class Spool:
    """The rows of a batch's legs, all in one file: legs by the thousand have not a file each, nor much memory."""

    def __init__(self, most_bytes_in_memory: int = _MOST_BYTES_IN_MEMORY) -> None:
        self.file = tempfile.SpooledTemporaryFile(max_size=most_bytes_in_memory)
        self.size = 0

    def close(self) -> None:
        self.file.close()


class LegRows:
    """The rows of one leg, in the order in which they came; its tables say how they lie in memory."""

    def __init__(self, spool: Spool, games: Table, sessions: Table) -> None:
        self._spool = spool
        self._tables = (games, sessions)
        self._chunks: list[tuple[int, tuple[int, int], tuple[int, int]]] = []  # offset; bytes and rows of either kind

    def take(self, games: bytes = b"", sessions: bytes = b"") -> None:
        """Take rows of games and of sessions: the blocks that their tables were before, and what is in them now.

        Raises OSError when there is no room for them.
        """
        file, offset = self._spool.file, self._spool.size
        file.seek(offset)
        sizes = []
        for table, pile in zip(self._tables, (games, sessions)):
            size = file.write(pile) + file.write(table.as_bytes())
            sizes.append((size, len(pile) // table.layout.itemsize * table.capacity + table.rows))
            self._spool.size += size
            table.rows = 0
        self._chunks.append((offset, sizes[0], sizes[1]))

    def replay_into(self, sink: RowSink) -> None:
        """Give all rows to a sink."""
        for offset, *sizes in self._chunks:
            self._spool.file.seek(offset)
            for own, table, (size, count) in zip(self._tables, (sink.games, sink.sessions), sizes):
                if table.capacity - table.rows < count:
                    sink.clear()
                blocks = np.frombuffer(self._spool.file.read(size), dtype=own.layout)
                for name, values in table.arrays.items():
                    values[table.rows : table.rows + count] = blocks[name].reshape(-1)[:count]
                table.rows += count
