"""Types of numpy arrays and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Cells = Mapping[str, Sequence[Any] | npt.NDArray[Any]]  # the columns of a table by name
