"""Products and equations with the same bits whatever number of threads: BLAS, which `@` and numpy.linalg call, adds in
an order that goes by them."""

from __future__ import annotations

import numpy as np

from tournament.arrays import Floats


def product(matrix: Floats, right: Floats) -> Floats:
    """A matrix times another, or a vector."""
    return np.asarray(np.einsum("ij,j...->i...", matrix, np.ascontiguousarray(right)))


def solved(matrix: Floats, right: Floats) -> Floats:
    """What the matrix times gives the right side, a vector or several as columns; not finite where nothing does."""
    count = len(matrix)
    # P. Crout's method: row and column by row and column, with the largest of a column as its pivot.
    rows = np.column_stack([matrix, right])
    with np.errstate(all="ignore"):
        for k in range(count):
            rows[k:, k] -= product(rows[k:, :k], rows[:k, k])
            largest = k + int(np.abs(rows[k:, k]).argmax())
            rows[[k, largest]] = rows[[largest, k]]
            rows[k, k + 1 :] -= np.einsum("j,jk->k", rows[k, :k], rows[:k, k + 1 :])
            rows[k + 1 :, k] /= rows[k, k]
        found = rows[:, count:]
        for k in reversed(range(count)):
            found[k] -= np.einsum("j,jk->k", rows[k, k + 1 : count], found[k + 1 :])
            found[k] /= rows[k, k]
    return found.reshape(np.shape(right))
