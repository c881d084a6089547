import numpy as np
import numpy.typing as npt

def allowed_actions() -> npt.NDArray[np.bool_]: ...
