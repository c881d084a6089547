"""Counts of each pair of cards in a leg of von Neumann poker, and the gains with it."""

cimport cython
from libc.math cimport sqrt
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free

from engine.kernel.game_core cimport BLOCKS

cpdef enum:
    CELLS_A_SIDE = 16
    CELLS = 2 * CELLS_A_SIDE * CELLS_A_SIDE

cdef enum:
    AT_ONCE = 256       # games whose cells are worked out before any is counted, several in an instruction


@cython.final
cdef class CellSums:
    """A leg's games in sums by cell, with 2³² for each game and x's gain, a row for each block that has `sessions`.

    A cell is seat_0_is_a · 256 + ⌊16 · a_card⌋ · 16 + ⌊16 · b_card⌋. `played` are the numbers of those blocks, and
    `before` how many sessions are in earlier ones. Raises ValueError for more blocks than a leg has.
    """

    cdef int32_t first_session
    cdef int64_t sessions, blocks
    cdef const int64_t[::1] played
    cdef const int64_t[::1] before
    cdef int64_t* sums

    def __init__(
        self, int32_t first_session, int64_t sessions, const int64_t[::1] played, const int64_t[::1] before
    ):
        self.first_session, self.sessions, self.blocks = first_session, sessions, played.shape[0]
        if before.shape[0] != self.blocks or self.blocks > BLOCKS:
            raise ValueError("not the blocks of a leg")
        self.played, self.before = played, before
        free(self.sums)
        self.sums = <int64_t*>calloc(max(self.blocks, 1) * CELLS, sizeof(int64_t))
        if self.sums == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.sums)

    def add(
        self,
        const int32_t[::1] session,
        const uint8_t[::1] seat_0_is_a,
        const float[::1] a_card,
        const float[::1] b_card,
        const int8_t[::1] a_gain,
    ):
        """Add the next games. Raises ValueError for games that no leg has; the sums are then useless."""
        cdef int64_t rows = session.shape[0]
        cdef int64_t first = 0
        cdef int64_t i, count
        cdef int32_t known = -1
        cdef int32_t number
        cdef int64_t* block = NULL
        cdef int32_t cells[AT_ONCE]
        cdef int32_t gains[AT_ONCE]
        cdef int32_t wrong = 0
        cdef int32_t as_a
        cdef float a, b
        if not rows == seat_0_is_a.shape[0] == a_card.shape[0] == b_card.shape[0] == a_gain.shape[0]:
            raise ValueError("columns of other lengths")
        with nogil:
            while first < rows:
                count = min(rows - first, AT_ONCE)
                for i in range(count):
                    a = a_card[first + i]
                    b = b_card[first + i]
                    wrong |= not ((a >= 0) & (a < 1) & (b >= 0) & (b < 1))
                    as_a = seat_0_is_a[first + i] != 0
                    # The mask keeps values that are no cards inside the table.
                    cells[i] = as_a * CELLS_A_SIDE * CELLS_A_SIDE + (
                        ((<int32_t>(a * CELLS_A_SIDE) * CELLS_A_SIDE) + <int32_t>(b * CELLS_A_SIDE)) & (CELLS // 2 - 1)
                    )
                    gains[i] = (2 * as_a - 1) * a_gain[first + i]
                for i in range(count):
                    if session[first + i] != known:
                        known = session[first + i]
                        number = known - self.first_session
                        if number < 0 or number >= self.sessions:
                            with gil:
                                raise ValueError("a session of another leg")
                        block = self.sums + number * self.blocks // self.sessions * CELLS
                    block[cells[i]] += (<int64_t>1 << 32) + gains[i]
                first += AT_ONCE
        if wrong:
            raise ValueError("no card")

    def write_luck(
        self,
        const double[::1] usual_gains,
        double games_of_usual,
        double usual_length,
        double sessions_of_usual,
        double scale,
        double[::1] luck,
    ):
        """Write what luck was worth to x in each block: its dollars, times `scale`/√g.

        A game is worth the mean gain of its cell in earlier blocks, less the mean of this over all cells of its role.
        Before any game, `usual_gains` counts for `games_of_usual` games of each cell. g is the mean length of the
        sessions in earlier blocks; before any, `usual_length` counts for `sessions_of_usual` sessions.

        Raises ValueError for arrays of other lengths.
        """
        cdef double gains[CELLS]        # sum in earlier blocks
        cdef double counts[CELLS]
        cdef double means[CELLS]
        cdef double of_role[2]          # sums of the means
        cdef const int64_t* sums
        cdef int64_t block, here, games = 0
        cdef int32_t gain
        cdef int cell, role, first
        cdef double found, of_cells, count, in_role, before, known
        if usual_gains.shape[0] != CELLS or luck.shape[0] != BLOCKS:
            raise ValueError("arrays of other lengths")
        with nogil:
            for cell in range(CELLS):
                counts[cell] = games_of_usual
                gains[cell] = games_of_usual * usual_gains[cell]
                means[cell] = usual_gains[cell]
            for role in range(2):
                of_role[role] = 0.0
                for cell in range(role * (CELLS // 2), (role + 1) * (CELLS // 2)):
                    of_role[role] += means[cell]
            for block in range(self.blocks):
                sums = self.sums + block * CELLS
                known = <double>games
                found = 0.0
                for role in range(2):
                    first = role * (CELLS // 2)
                    of_cells = in_role = 0.0
                    before = of_role[role] / (CELLS // 2)
                    # One pass: the block's games are worth what earlier blocks say, and then count for later ones.
                    for cell in range(first, first + CELLS // 2):
                        here = sums[cell]
                        if not here:
                            continue
                        gain = <int32_t>here
                        count = <double>((here - gain) >> 32)
                        of_cells += count * means[cell]
                        in_role += count
                        counts[cell] += count
                        gains[cell] += gain
                        of_role[role] -= means[cell]
                        means[cell] = gains[cell] / counts[cell]
                        of_role[role] += means[cell]
                    found += of_cells - in_role * before
                    games += <int64_t>in_role
                luck[self.played[block]] = scale * found / sqrt(
                    (known + usual_length * sessions_of_usual) / (self.before[block] + sessions_of_usual)
                )
