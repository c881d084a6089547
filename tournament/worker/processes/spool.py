"""Storage of legs' records until those before them are written: in memory, or in an unnamed file."""

from __future__ import annotations

import tempfile

import numpy as np

from engine.kernel.records import Table
from tournament.worker.leg import RowSink

_MAX_BYTES_IN_MEMORY = 64 << 20


class Spool:
    """The rows of a batch's legs, all in one file, because there can be thousands of legs.

    Args:
        most_bytes_in_memory: Bytes beyond which the file is on disk. By default 64 MiB.
        discards: Whether rows are thrown away.

    Attributes:
        discards: Whether rows are thrown away.
        file: The file, which has no name and is gone once it is closed.
        size: Number of bytes written.
    """

    def __init__(self, most_bytes_in_memory: int = _MAX_BYTES_IN_MEMORY, *, discards: bool = False) -> None:
        self.discards = discards
        self.file = tempfile.SpooledTemporaryFile(max_size=most_bytes_in_memory)
        self.size = 0

    def close(self) -> None:
        """Delete the rows."""
        self.file.close()


class LegRows:
    """The rows of one leg in their order, in blocks that are laid out as its tables are.

    Args:
        spool: Stores the rows. It must stay open until they have been read.
        games: A table with the layout of games.
        sessions: A table with the layout of sessions.
    """

    def __init__(self, spool: Spool, games: Table, sessions: Table) -> None:
        self._spool = spool
        self._layouts = (games.layout, sessions.layout)
        self._chunks: list[tuple[int, tuple[int, int], tuple[int, int]]] = []  # offset; bytes and rows of either kind

    def take(self, games: tuple[bytes, int], sessions: tuple[bytes, int]) -> None:
        """Store rows of games and of sessions, each given as bytes and the number of rows, after the earlier ones.

        If the spool discards rows, nothing happens.

        Raises:
            OSError: The spool can't be written.
        """
        if self._spool.discards:
            return
        file, offset = self._spool.file, self._spool.size
        file.seek(offset)
        self._spool.size += file.write(games[0]) + file.write(sessions[0])
        self._chunks.append((offset, (len(games[0]), games[1]), (len(sessions[0]), sessions[1])))

    def replay_into(self, sink: RowSink) -> None:
        """Append all rows to a sink's tables, and clear the sink whenever a block doesn't fit into one of them.

        The sink isn't cleared at the end. If the spool discards rows, nothing is appended.

        Raises:
            OSError: The spool can't be read, or the sink not cleared.
        """
        for offset, *sizes in self._chunks:
            self._spool.file.seek(offset)
            for layout, table, (size, count) in zip(self._layouts, (sink.games, sink.sessions), sizes):
                if table.capacity - table.rows < count:
                    sink.clear()
                blocks = np.frombuffer(self._spool.file.read(size), dtype=layout)
                for name, values in table.arrays.items():
                    values[table.rows : table.rows + count] = blocks[name].reshape(-1)[:count]
                table.rows += count
