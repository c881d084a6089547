"""The variance that a leg's blocks show (batch means), computed for all legs of a batch."""

from engine.kernel.game_core cimport BLOCKS, MAX_SEATS


def sums_of_legs(
    const double[:, :, ::1] totals,
    list shares,
    int used,
    const double[:, ::1] luck,
    const double[::1] luck_in_all,
    double[:, :, ::1] sums,
):
    """Write the sums of each seat in legs of one length.

    A row has points, their squares, the value of luck, the variance of points over other legs, and that without luck.
    Its last element is the covariance with the next seat, or for the last seat with the first.

    Args:
        totals: A core's sums by leg and seat.
        shares: Share of a leg in each block.
        used: Number of blocks with a share. With fewer than two, variances are 0.
        luck: Points of luck for the first seat in each leg by block, which it cost the second, or None.
        luck_in_all: Their sum for each leg.
        sums: Receives a row of six numbers for each leg and seat.

    Raises:
        ValueError: Arrays have other sizes.
    """
    cdef Py_ssize_t leg
    cdef int count = <int>totals.shape[1], row, block
    cdef bint corrected = luck is not None
    cdef double apart[MAX_SEATS][BLOCKS]
    cdef double without[BLOCKS]
    cdef double share[BLOCKS]
    cdef double more = used / (used - 1.0) if used > 1 else 0.0
    if not (0 < count <= MAX_SEATS and len(shares) == BLOCKS and totals.shape[2] == BLOCKS + 2):
        raise ValueError("not the blocks of a leg")
    if not (sums.shape[0] == totals.shape[0] and sums.shape[1] == count and sums.shape[2] == 6):
        raise ValueError("no room for the sums")
    if corrected and not (
        count <= 2 and luck.shape[1] == BLOCKS and luck.shape[0] == totals.shape[0] == luck_in_all.shape[0]
    ):
        raise ValueError("luck is of a game of two, by block")
    for block in range(BLOCKS):
        share[block] = shares[block]
    with nogil:
        for leg in range(totals.shape[0]):
            for row in range(count):
                sums[leg, row, 0] = totals[leg, row, 0]
                sums[leg, row, 1] = totals[leg, row, 1]
                sums[leg, row, 2] = 0.0
                if corrected:
                    sums[leg, row, 2] = 0.0 - luck_in_all[leg] if row else luck_in_all[leg]
                if used < 2:
                    sums[leg, row, 3] = sums[leg, row, 4] = sums[leg, row, 5] = 0.0
                    continue
                for block in range(BLOCKS):
                    apart[row][block] = totals[leg, row, 2 + block]
                spread(apart[row], share)
                sums[leg, row, 3] = sums[leg, row, 4] = product(apart[row], apart[row]) * more
                if corrected:
                    for block in range(BLOCKS):
                        if row:
                            without[block] = totals[leg, row, 2 + block] + luck[leg, block]
                        else:
                            without[block] = totals[leg, row, 2 + block] - luck[leg, block]
                    spread(without, share)
                    sums[leg, row, 4] = product(without, without) * more
            if used > 1:
                for row in range(count):
                    sums[leg, row, 5] = product(apart[row], apart[(row + 1) % count]) * more


cdef void spread(double* values, const double* shares) noexcept nogil:
    """Subtract from the value of each block its share of the sum."""
    cdef double whole = total(values)
    cdef int block
    for block in range(BLOCKS):
        values[block] -= whole * shares[block]


cdef double product(const double* one, const double* other) noexcept nogil:
    """Return the sum of the products of two blocks' values."""
    cdef double products[BLOCKS]
    cdef int block
    for block in range(BLOCKS):
        products[block] = one[block] * other[block]
    return total(products)


cdef double total(const double* values) noexcept nogil:
    """Return a sum that is exact to twice the digits and equal on all machines (A. Neumaier, 1974)."""
    cdef double whole = 0.0, lost = 0.0, after, value
    cdef int block
    for block in range(BLOCKS):
        value = values[block]
        after = whole + value
        if abs(whole) >= abs(value):
            lost += (whole - after) + value
        else:
            lost += (value - after) + whole
        whole = after
    return whole + lost
