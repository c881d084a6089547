from collections.abc import Collection, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

MAX_ROWS: int

@disjoint_base
class GroupEncoder:
    """Encodes row groups, in memory that it keeps; see pages.pyx."""

    def __new__(cls, names: Sequence[str], flags: Collection[str] = (), statistics: Collection[str] = ()) -> Self: ...
    def encode(
        self,
        columns: Sequence[
            npt.NDArray[np.generic[Any]] | tuple[bytes, bool, int, npt.NDArray[np.int32], npt.NDArray[np.int64]]
        ],
        place: int,
    ) -> tuple[memoryview, bytes]: ...
