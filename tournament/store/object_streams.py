"""Objects as streams: uploads in pieces, and downloads in large blocks."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, Protocol, cast

# Bytes per upload or download.
BLOCK = 8 << 20
# Bytes that pyarrow reads first, for the footer.
_END = 64 << 10


class _Writer(Protocol):
    """An upload of obstore."""

    def write(self, buffer: Any, /) -> int:
        """Write bytes, and return their number."""

    def close(self) -> None:
        """Complete the upload."""

    def __exit__(self, kind: Any, error: Any, trace: Any, /) -> object: ...


class Upload(io.RawIOBase):
    """A stream that becomes an object when it is finished. If it is closed before, it leaves nothing."""

    def __init__(self, writer: _Writer, asking: Callable[[Callable[[], Any]], Any]) -> None:
        """Start with an open upload.

        Args:
            writer: The upload.
            asking: Called with a function without arguments; returns its result, and translates its errors.
        """
        super().__init__()
        self._asking = asking
        self._writer: _Writer | None = writer

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: Any) -> int:
        """Write bytes, and return their number.

        Raises:
            RunError: A request fails.
        """
        writer = self._writer
        assert writer
        # The upload sends the data later, when the caller might have reused this memory.
        content = bytes(data)
        return cast(int, self._asking(lambda: writer.write(content)))

    def finish(self) -> None:
        """Complete the object, and close the stream.

        Raises:
            RunError: A request fails.
        """
        writer, self._writer = self._writer, None
        assert writer
        self._asking(writer.close)
        super().close()

    def close(self) -> None:
        """Cancel the upload if it isn't finished, and close the stream.

        Raises:
            RunError: The request fails.
        """
        writer, self._writer = self._writer, None
        super().close()
        if writer:
            # obstore cancels an upload whose context is left by an exception.
            self._asking(lambda: writer.__exit__(RuntimeError, RuntimeError(), None))


class Blocks(io.RawIOBase):
    """An object of known size that is read in large blocks, of which the last two are cached.

    The end, where Parquet has its footer, is a block of its own.
    """

    def __init__(self, size: int, get_range: Callable[[int, int], tuple[bytes, int]]) -> None:
        """Start at the object's first byte.

        Args:
            size: Size of the object in bytes.
            get_range: Called with two offsets; returns the bytes from the first to before the second, and the object's
                size.
        """
        super().__init__()
        self._size, self._get_range, self._offset = size, get_range, 0
        self._cached: list[tuple[int, bytes]] = []

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the offset of the next byte to read."""
        return self._offset

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Change the offset of the next byte to read, and return it.

        Args:
            offset: Bytes from the start, the current offset or the end.
            whence: Origin of `offset`, as in `io`; the start by default.
        """
        self._offset = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._offset, io.SEEK_END: self._size}[whence]
        return self._offset

    def read(self, size: int | None = -1) -> bytes:
        """Return the next `size` bytes, or all remaining bytes if it is None or negative.

        Fewer bytes are returned before the end of the object, and b"" at its end.

        Raises:
            FileNotFoundError: The object is missing.
            RunError: The request fails.
        """
        end = self._size if size is None or size < 0 else min(self._offset + size, self._size)
        start, self._offset = self._offset, max(self._offset, end)
        if start >= end:
            return b""
        for first, block in self._cached:
            if first <= start and end <= first + len(block):
                return block[start - first : end - first]
        blocks_end = max(0, self._size - _END)
        first = min(start, blocks_end)
        block, _ = self._get_range(first, max(end, min(first + BLOCK, self._size)))
        self._cached = [*self._cached[-1:], (first, block)]
        return block[start - first : end - first]
