import numpy as np
import numpy.typing as npt

CELLS_A_SIDE: int
CELLS: int

def add_cells(
    session: npt.NDArray[np.int32],
    seat_0_is_a: npt.NDArray[np.uint8],
    a_card: npt.NDArray[np.float32],
    b_card: npt.NDArray[np.float32],
    a_gain: npt.NDArray[np.int8],
    first_session: int,
    sessions: int,
    sums: npt.NDArray[np.int64],
) -> None: ...
def worth_of_cards(
    sums: npt.NDArray[np.int64],
    usual_gains: npt.NDArray[np.float64],
    games_of_usual: float,
    dollars: npt.NDArray[np.float64],
    games: npt.NDArray[np.int64],
) -> None: ...
