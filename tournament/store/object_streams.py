"""Objects as streams: uploaded in pieces while they are written, read in large blocks."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, Protocol, cast

BLOCK = 8 << 20  # bytes that are uploaded or read at once
_END = 64 << 10  # bytes that pyarrow reads of a file first, for its footer


class _Writer(Protocol):
    """An upload of obstore's."""

    def write(self, buffer: Any, /) -> int: ...
    def close(self) -> None: ...
    def __exit__(self, kind: Any, error: Any, trace: Any, /) -> object: ...


class Upload(io.RawIOBase):
    """A stream that becomes an object when it is finished; closed before, it leaves nothing. `asking` calls what it is
    given, and translates its errors."""

    def __init__(self, writer: _Writer, asking: Callable[[Callable[[], Any]], Any]) -> None:
        super().__init__()
        self._asking = asking
        self._writer: _Writer | None = writer

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        writer = self._writer
        assert writer
        # It is sent later, when the caller may have reused this memory.
        content = bytes(data)
        return cast(int, self._asking(lambda: writer.write(content)))

    def finish(self) -> None:
        """Make it an object."""
        writer, self._writer = self._writer, None
        assert writer
        self._asking(writer.close)
        super().close()

    def close(self) -> None:
        """Cancel the upload if it isn't finished."""
        writer, self._writer = self._writer, None
        super().close()
        if writer:
            # obstore cancels an upload whose context is left by an exception.
            self._asking(lambda: writer.__exit__(RuntimeError, RuntimeError(), None))


class Blocks(io.RawIOBase):
    """An object of this size, read in large blocks; its end, where Parquet has its footer, alone. The last two blocks
    are kept."""

    def __init__(self, size: int, get_range: Callable[[int, int], tuple[bytes, int]]) -> None:
        """`get_range` returns the bytes between two places, and the object's size."""
        super().__init__()
        self._size, self._get_range, self._place = size, get_range, 0
        self._kept: list[tuple[int, bytes]] = []

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._place = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._size}[whence]
        return self._place

    def read(self, size: int | None = -1) -> bytes:
        end = self._size if size is None or size < 0 else min(self._place + size, self._size)
        start, self._place = self._place, max(self._place, end)
        if start >= end:
            return b""
        for first, block in self._kept:
            if first <= start and end <= first + len(block):
                return block[start - first : end - first]
        end_of_blocks = max(0, self._size - _END)
        first = min(start, end_of_blocks)
        block, _ = self._get_range(first, max(end, min(first + BLOCK, self._size)))
        self._kept = [*self._kept[-1:], (first, block)]
        return block[start - first : end - first]
