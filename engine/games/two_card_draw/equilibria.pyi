from typing import final

import numpy as np
import numpy.typing as npt

@final
class EquilibriumSolver:
    """Finds the best strategies of two-card draw; see equilibria.pyx."""

    def __init__(self, bet1: int, bet2: int) -> None: ...
    def iterate(self, iterations: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...
