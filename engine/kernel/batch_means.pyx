"""The variance that a leg's blocks show (batch means), worked out for each leg that is played."""

from engine.kernel.game_core cimport BLOCKS, MOST_SEATS


def batch_means(rows, list shares, int used, luck=None):
    """Return, for each row of blocks, the variance of its sum over other legs, the same of the sum without `luck`, and
    the first one's covariance with the sum of the next row, after the last one the first.

    `shares`: the part of the leg that each block has; `used`: how many have any. With fewer than two all are 0.
    `luck`: what luck was worth to the first row by block, and cost the second, if anything.
    """
    cdef double apart[MOST_SEATS][BLOCKS]
    cdef double without[BLOCKS]
    cdef double share[BLOCKS]
    cdef double of_first[BLOCKS]
    cdef double more, variance, adjusted
    cdef int count = len(rows), row, block
    cdef tuple own
    if not 0 < count <= MOST_SEATS or len(shares) != BLOCKS:
        raise ValueError("not the blocks of a leg")
    if luck is not None and (count > 2 or len(luck) != BLOCKS):
        raise ValueError("luck is of a game of two, by block")
    if used < 2:
        return [(0.0, 0.0, 0.0)] * count
    for block in range(BLOCKS):
        share[block] = shares[block]
        of_first[block] = 0.0 if luck is None else luck[block]
    for row in range(count):
        own = rows[row]
        if len(own) != BLOCKS:
            raise ValueError("not the blocks of a leg")
        for block in range(BLOCKS):
            apart[row][block] = own[block]
        spread(apart[row], share)
    more = used / (used - 1.0)
    found = []
    for row in range(count):
        variance = adjusted = product(apart[row], apart[row]) * more
        if luck is not None:
            own = rows[row]
            for block in range(BLOCKS):
                without[block] = own[block] + of_first[block] if row else own[block] - of_first[block]
            spread(without, share)
            adjusted = product(without, without) * more
        found.append((variance, adjusted, product(apart[row], apart[(row + 1) % count]) * more))
    return found


cdef void spread(double* values, const double* shares) noexcept nogil:
    """Subtract from each block its share of the sum."""
    cdef double whole = total(values)
    cdef int block
    for block in range(BLOCKS):
        values[block] -= whole * shares[block]


cdef double product(const double* one, const double* other) noexcept nogil:
    """The sum of the products."""
    cdef double products[BLOCKS]
    cdef int block
    for block in range(BLOCKS):
        products[block] = one[block] * other[block]
    return total(products)


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
