import numpy as np
import numpy.typing as npt
from typing_extensions import disjoint_base

@disjoint_base
class Table:
    """Column buffers of equal length, `rows` of `capacity` in use; see records.pyx."""

    arrays: dict[str, npt.NDArray[np.generic]]
    rows: int
    def __init__(self, fields: dict[str, str], capacity: int) -> None: ...
    @property
    def capacity(self) -> int: ...
    @property
    def row(self) -> np.dtype[np.void]: ...
    @property
    def layout(self) -> np.dtype[np.void]: ...
