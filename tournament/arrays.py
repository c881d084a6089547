"""Types of numpy's arrays."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]
Numbers = TypeVar("Numbers", int, npt.NDArray[np.int64])  # one or many
