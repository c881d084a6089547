"""Products and linear equations whose results have the same bits for any number of threads.

BLAS, which `@` and numpy.linalg use, adds in an order that depends on the number of threads.
"""

from __future__ import annotations

import numpy as np

from tournament.arrays import Floats


def product(matrix: Floats, right: Floats) -> Floats:
    """Return the product of a matrix, on the left, with another matrix or a vector."""
    return np.asarray(np.einsum("ij,j...->i...", matrix, np.ascontiguousarray(right)))


def solved(matrix: Floats, right: Floats) -> Floats:
    """Return the solution of linear equations. It isn't finite if there is none.

    Args:
        matrix: A square matrix.
        right: The right side, a vector or a matrix of columns.
    """
    count = len(matrix)
    # P. Crout's method takes a row and a column at a time, with the largest element of a column as its pivot.
    rows = np.column_stack([matrix, right])
    with np.errstate(all="ignore"):
        for k in range(count):
            rows[k:, k] -= product(rows[k:, :k], rows[:k, k])
            largest = k + int(np.abs(rows[k:, k]).argmax())
            rows[[k, largest]] = rows[[largest, k]]
            rows[k, k + 1 :] -= np.einsum("j,jk->k", rows[k, :k], rows[:k, k + 1 :])
            rows[k + 1 :, k] /= rows[k, k]
        solution = rows[:, count:]
        for k in reversed(range(count)):
            solution[k] -= np.einsum("j,jk->k", rows[k, k + 1 : count], solution[k + 1 :])
            solution[k] /= rows[k, k]
    return solution.reshape(np.shape(right))
