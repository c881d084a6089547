import numpy as np
import numpy.typing as npt

def strengths(hands: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint16]: ...
