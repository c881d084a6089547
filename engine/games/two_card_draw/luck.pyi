import numpy as np
import numpy.typing as npt

LINES: int

def value_actions(
    acts: npt.NDArray[np.float64],
    shows: npt.NDArray[np.float64],
    draws: npt.NDArray[np.float64],
    exchanges: npt.NDArray[np.float64],
    chances: npt.NDArray[np.float64],
    bet1: float,
    bet2: float,
    shares: npt.NDArray[np.float64],
    advantages: npt.NDArray[np.float64],
) -> float: ...
def share_actions(
    counts: npt.NDArray[np.int32], general: float, special: float, shares: npt.NDArray[np.float64]
) -> None: ...
def add_hands(
    x_dealt: npt.NDArray[np.uint8],
    bets1: npt.NDArray[np.uint8],
    x_opened1: npt.NDArray[np.uint8],
    x_drew: npt.NDArray[np.uint8],
    y_drew: npt.NDArray[np.uint8],
    x_held: npt.NDArray[np.uint8],
    bets2: npt.NDArray[np.uint8],
    x_opened2: npt.NDArray[np.uint8],
    rounds: npt.NDArray[np.uint8],
    folded: npt.NDArray[np.uint8],
    x_gain: npt.NDArray[np.int8],
    first: int,
    hands: int,
    value: float,
    advantages: npt.NDArray[np.float64],
    counts: npt.NDArray[np.int32],
    luck: npt.NDArray[np.float64],
) -> None: ...
