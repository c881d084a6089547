import numpy as np
import numpy.typing as npt

SHOWDOWNS: int

def count_outcomes() -> npt.NDArray[np.int64]: ...
