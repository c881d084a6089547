"""The variance that a leg's blocks show (batch means), worked out for each leg that is played."""

from engine.kernel.game_core cimport BLOCKS, MOST_SEATS


def batch_means(rows, list shares, int used):
    """Return, for each row of blocks, the variance of its sum over other legs, and its covariance with the sum of the
    next row, after the last one the first.

    `shares`: the part of the leg that each block has; `used`: how many have any. With fewer than two all are 0.
    """
    cdef double apart[MOST_SEATS][BLOCKS]
    cdef double products[BLOCKS]
    cdef double share[BLOCKS]
    cdef double whole, more
    cdef int count = len(rows), row, block
    cdef tuple own
    if not 0 < count <= MOST_SEATS or len(shares) != BLOCKS:
        raise ValueError("not the blocks of a leg")
    if used < 2:
        return [(0.0, 0.0)] * count
    for block in range(BLOCKS):
        share[block] = shares[block]
    for row in range(count):
        own = rows[row]
        if len(own) != BLOCKS:
            raise ValueError("not the blocks of a leg")
        for block in range(BLOCKS):
            apart[row][block] = own[block]
        whole = total(apart[row])
        for block in range(BLOCKS):
            apart[row][block] -= whole * share[block]
    more = used / (used - 1.0)
    found = []
    for row in range(count):
        for block in range(BLOCKS):
            products[block] = apart[row][block] * apart[row][block]
        variance = total(products) * more
        for block in range(BLOCKS):
            products[block] = apart[row][block] * apart[(row + 1) % count][block]
        found.append((variance, total(products) * more))
    return found


cdef double total(const double* values) noexcept nogil:
    """A sum with what each addition rounds away added at the end (A. Neumaier, 1974): as good as in twice the digits,
    and the same everywhere."""
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
