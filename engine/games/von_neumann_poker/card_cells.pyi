from typing import final

import numpy as np
import numpy.typing as npt

CELLS_A_SIDE: int
CELLS: int

@final
class CellSums:
    def __init__(
        self,
        sessions: int,
        played: npt.NDArray[np.int64],
        before: npt.NDArray[np.int64],
        usual_gains: npt.NDArray[np.float64],
        games_of_usual: float,
        usual_length: float,
        sessions_of_usual: float,
        scale: float,
    ) -> None: ...
    def add(
        self,
        first_rows: npt.NDArray[np.int64],
        first_sessions: npt.NDArray[np.int64],
        session: npt.NDArray[np.int32],
        seat_0_is_a: npt.NDArray[np.uint8],
        a_card: npt.NDArray[np.float32],
        b_card: npt.NDArray[np.float32],
        a_gain: npt.NDArray[np.int8],
    ) -> None: ...
    def write_luck(self, luck: npt.NDArray[np.float64]) -> None: ...
