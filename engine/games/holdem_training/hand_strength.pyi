import numpy as np
import numpy.typing as npt

HAND_TYPES: tuple[str, ...]

def strengths(hands: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint16]: ...
def hand_types() -> npt.NDArray[np.uint8]: ...
