from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

CONTROLS: int

def add_hands(
    columns: Sequence[npt.NDArray[np.uint8]],
    profit: npt.NDArray[np.int8],
    first: int,
    hands: int,
    shuffle: int,
    weights: npt.NDArray[np.float64],
    moments: npt.NDArray[np.float64],
    luck: npt.NDArray[np.float64],
) -> int: ...
def solve(equations: npt.NDArray[np.float64]) -> None: ...
