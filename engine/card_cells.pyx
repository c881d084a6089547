"""How often each pair of cards was dealt in a leg of von Neumann poker, and what was won with it."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t

CELLS_A_SIDE = 16
CELLS = 2 * CELLS_A_SIDE * CELLS_A_SIDE

cdef enum:
    C_SIDE = 16


def add_cells(
    const int32_t[::1] session,
    const uint8_t[::1] x_is_a,
    const float[::1] a_card,
    const float[::1] b_card,
    const int8_t[::1] a_gain,
    int32_t first_session,
    int64_t sessions,
    int32_t[:, ::1] counts,
    int32_t[:, ::1] gains,
):
    """Add games to the counts of their cells and to x's gains in them, a row for each block of the leg's sessions.

    A cell is x_is_a · 256 + ⌊16 · a_card⌋ · 16 + ⌊16 · b_card⌋. Raises ValueError for what no leg has.
    """
    cdef int64_t blocks = counts.shape[0]
    cdef int64_t row, block = 0
    cdef int64_t rows = session.shape[0]
    cdef int32_t known = -1
    cdef int32_t number
    cdef int cell, a, b
    if not rows == x_is_a.shape[0] == a_card.shape[0] == b_card.shape[0] == a_gain.shape[0]:
        raise ValueError("columns of other lengths")
    if counts.shape[1] != 2 * C_SIDE * C_SIDE or gains.shape[0] != blocks or gains.shape[1] != counts.shape[1]:
        raise ValueError("another number of cells")
    with nogil:
        for row in range(rows):
            if session[row] != known:
                known = session[row]
                number = known - first_session
                if number < 0 or number >= sessions:
                    with gil:
                        raise ValueError("a session of another leg")
                block = number * blocks // sessions
            if not (0 <= a_card[row] < 1 and 0 <= b_card[row] < 1):
                with gil:
                    raise ValueError("no card")
            a = <int>(a_card[row] * C_SIDE)
            b = <int>(b_card[row] * C_SIDE)
            cell = (x_is_a[row] != 0) * (C_SIDE * C_SIDE) + a * C_SIDE + b
            counts[block, cell] += 1
            gains[block, cell] += a_gain[row] if x_is_a[row] else -a_gain[row]
