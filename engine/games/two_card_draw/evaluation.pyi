from typing import final

import numpy as np
import numpy.typing as npt

@final
class StrategyEvaluator:
    """Values of a server's strategy of two-card draw; see evaluation.pyx."""

    def __init__(self, strategy: npt.NDArray[np.float64], bet1: int, bet2: int, tremble: float = 0.001) -> None: ...
    def value(self) -> float: ...
    def trembling_value(self) -> float: ...
