import numpy as np
import numpy.typing as npt

def sums_of_legs(
    totals: npt.NDArray[np.float64],
    shares: list[float],
    used: int,
    luck: npt.NDArray[np.float64] | None,
    luck_in_all: npt.NDArray[np.float64] | None,
    sums: npt.NDArray[np.float64],
) -> None: ...
