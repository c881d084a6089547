from typing import Any

import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

PLAIN: int
RLE: int
DELTA_BINARY_PACKED: int
RLE_DICTIONARY: int
MOST_ROWS: int

@disjoint_base
class Chunk:
    """A column of a row group, as bytes; see pages.pyx."""

    @property
    def prefix(self) -> bytes: ...
    @property
    def payload(self) -> memoryview: ...
    @property
    def dictionary_bytes(self) -> int: ...
    @property
    def encodings(self) -> tuple[int, ...]: ...
    @property
    def least(self) -> int | None: ...
    @property
    def greatest(self) -> int | None: ...

@disjoint_base
class PageEncoder:
    """Encodes columns, one after the other, in memory that it keeps."""

    def encode(self, values: npt.NDArray[np.generic[Any]], flags: bool = False) -> Chunk: ...
