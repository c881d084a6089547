"""Objects as streams: written in pieces that go out meanwhile, read in large blocks."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any, Protocol, cast

BLOCK = 8 << 20  # bytes of a piece that goes out, and that is read at once


class _Writer(Protocol):
    """What a client has for an upload."""

    def write(self, buffer: Any, /) -> int: ...
    def close(self) -> None: ...
    def __exit__(self, kind: Any, error: Any, trace: Any, /) -> object: ...


class Upload(io.RawIOBase):
    """A stream that becomes an object when it is finished, and nothing when it is closed before.

    `asking` does what it is given, and translates what goes wrong.
    """

    def __init__(self, writer: _Writer, asking: Callable[[Callable[[], Any]], Any]) -> None:
        super().__init__()
        self._asking = asking
        self._writer: _Writer | None = writer

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        writer = self._writer
        assert writer
        # The client sends it later, when the caller may have other things in this memory.
        content = bytes(data)
        return cast(int, self._asking(lambda: writer.write(content)))

    def finish(self) -> None:
        """Make it an object."""
        writer, self._writer = self._writer, None
        assert writer
        self._asking(writer.close)
        super().close()

    def close(self) -> None:
        """Take back what is not finished."""
        writer, self._writer = self._writer, None
        super().close()
        if writer:
            # Leaving by an exception is how obstore takes an upload back.
            self._asking(lambda: writer.__exit__(RuntimeError, RuntimeError(), None))


class Blocks(io.RawIOBase):
    """An object read in large blocks, of which the last two are kept: a part's end says where its columns are."""

    def __init__(self, get_range: Callable[[int, int], tuple[bytes, int]]) -> None:
        """`get_range` gives the bytes from one place to another, and the object's size."""
        super().__init__()
        self._get_range, self._place = get_range, 0
        first, self._size = get_range(0, BLOCK)
        self._kept = [(0, first)]

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
        block, _ = self._get_range(start, max(end, min(start + BLOCK, self._size)))
        self._kept = [self._kept[-1], (start, block)]
        return block[: end - start]
