"""The value of luck in legs of von Neumann poker, from the number of games and the gains for each pair of cards."""

cimport cython
from libc.math cimport sqrt
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy, memset

from engine.kernel.game_core cimport BLOCKS

cpdef enum:
    CELLS_A_SIDE = 16
    CELLS = 2 * CELLS_A_SIDE * CELLS_A_SIDE

cdef enum:
    AT_ONCE = 256       # games whose cells are computed before any is counted, several per instruction


@cython.final
cdef class CellSums:
    """The value of luck in consecutive legs, from their games in sums by cell.

    A cell is seat_0_is_a · 256 + ⌊16 · a_card⌋ · 16 + ⌊16 · b_card⌋. Its sum has 2³² for each game, and x's gain. Each
    block of a leg that has sessions has its own sums.

    The value of a game is the mean gain of its cell in earlier blocks, less the mean of this over its role's cells.
    Before any game, `usual_gains` counts for `games_of_usual` games of each cell. g is the mean length of the sessions
    in earlier blocks. Before any, `usual_length` counts for `sessions_of_usual` sessions. The luck of a block is the
    value of its games in dollars, times `scale`/√g.

    Args:
        sessions: Number of sessions of each leg.
        played: Numbers of the blocks that have sessions.
        before: Number of sessions in earlier blocks, for each of them.
        usual_gains: x's usual gain by cell, in dollars.
        games_of_usual: Number of games of a cell that its usual gain counts for.
        usual_length: Usual number of games of a session.
        sessions_of_usual: Number of sessions that the usual length counts for.
        scale: Points per dollar, times √g.

    Raises:
        ValueError: The leg has more blocks than any leg, or the arrays have other lengths.
        MemoryError: There isn't enough memory.
    """

    cdef int64_t sessions, blocks, first_session
    cdef const int64_t[::1] played
    cdef const int64_t[::1] before
    cdef const double[::1] usual_gains
    cdef double games_of_usual, usual_length, sessions_of_usual, scale
    cdef int64_t* sums
    cdef double* luck           # rows of legs, an element for each block, the last one unfinished
    cdef int64_t legs, most_legs

    def __init__(
        self,
        int64_t sessions,
        const int64_t[::1] played,
        const int64_t[::1] before,
        const double[::1] usual_gains,
        double games_of_usual,
        double usual_length,
        double sessions_of_usual,
        double scale,
    ):
        self.sessions, self.blocks = sessions, played.shape[0]
        if before.shape[0] != self.blocks or self.blocks > BLOCKS or usual_gains.shape[0] != CELLS:
            raise ValueError("not the blocks of a leg")
        self.played, self.before, self.usual_gains = played, before, usual_gains
        self.games_of_usual, self.scale = games_of_usual, scale
        self.usual_length, self.sessions_of_usual = usual_length, sessions_of_usual
        free(self.sums)
        self.sums = <int64_t*>calloc(max(self.blocks, 1) * CELLS, sizeof(int64_t))
        if self.sums == NULL:
            raise MemoryError

    def __dealloc__(self):
        free(self.sums)
        free(self.luck)

    def add(
        self,
        const int64_t[::1] first_rows,
        const int64_t[::1] first_sessions,
        const int32_t[::1] session,
        const uint8_t[::1] seat_0_is_a,
        const float[::1] a_card,
        const float[::1] b_card,
        const int8_t[::1] a_gain,
    ):
        """Add the next games.

        Args:
            first_rows: The rows at which further legs begin, in order.
            first_sessions: Number of the first session of each of these legs.
            session: Number of the session of each game.
            seat_0_is_a: Whether x is A in each game.
            a_card: A's card in each game, from 0 to below 1.
            b_card: B's card in each game, from 0 to below 1.
            a_gain: A's gain in each game, in dollars.

        Raises:
            ValueError: No leg has these games. The sums are then useless.
            MemoryError: There isn't enough memory.
        """
        cdef int64_t rows = session.shape[0], first = 0, end, leg
        if not rows == seat_0_is_a.shape[0] == a_card.shape[0] == b_card.shape[0] == a_gain.shape[0]:
            raise ValueError("columns of other lengths")
        with nogil:
            for leg in range(min(first_rows.shape[0], first_sessions.shape[0]) + 1):
                end = rows if leg == first_rows.shape[0] else first_rows[leg]
                if end < first or end > rows or (end > first and self.legs == 0):
                    with gil:
                        raise ValueError("legs that don't follow each other")
                self.add_of_leg(first, end, session, seat_0_is_a, a_card, b_card, a_gain)
                first = end
                if leg < first_rows.shape[0]:
                    self.begin(first_sessions[leg])

    cdef int begin(self, int64_t first_session) except -1 nogil:
        """End the current leg, and begin the next one.

        Args:
            first_session: Number of the leg's first session in its match.

        Raises:
            MemoryError: There isn't enough memory for its sums.
        """
        cdef double* luck
        self.end()
        if self.legs == self.most_legs:
            luck = <double*>realloc(self.luck, 2 * (self.legs + 8) * BLOCKS * sizeof(double))
            if luck == NULL:
                with gil:
                    raise MemoryError
            self.luck, self.most_legs = luck, 2 * (self.legs + 8)
        self.first_session = first_session
        memset(self.sums, 0, self.blocks * CELLS * sizeof(int64_t))
        memset(self.luck + self.legs * BLOCKS, 0, BLOCKS * sizeof(double))
        self.legs += 1
        return 0

    cdef int add_of_leg(
        self,
        int64_t first,
        int64_t rows,
        const int32_t[::1] session,
        const uint8_t[::1] seat_0_is_a,
        const float[::1] a_card,
        const float[::1] b_card,
        const int8_t[::1] a_gain,
    ) except -1 nogil:
        """Add games of the current leg, from row `first` to before `rows`.

        Raises:
            ValueError: A session belongs to another leg, or a card isn't one.
        """
        cdef int64_t i, count, number, known = -1
        cdef int64_t* block = NULL
        cdef int32_t cells[AT_ONCE]
        cdef int32_t gains[AT_ONCE]
        cdef int32_t wrong = 0
        cdef int32_t as_a
        cdef float a, b
        while first < rows:
            count = min(rows - first, AT_ONCE)
            for i in range(count):
                a = a_card[first + i]
                b = b_card[first + i]
                wrong |= not ((a >= 0) & (a < 1) & (b >= 0) & (b < 1))
                as_a = seat_0_is_a[first + i] != 0
                # The mask keeps values that aren't cards inside the table.
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
            with gil:
                raise ValueError("no card")
        return 0

    cdef void end(self) noexcept nogil:
        """Compute the luck in the current leg."""
        cdef double gains[CELLS]        # sum in earlier blocks
        cdef double counts[CELLS]
        cdef double means[CELLS]
        cdef double of_role[2]          # sums of the means
        cdef const int64_t* sums
        cdef int64_t block, here, games = 0
        cdef int32_t gain
        cdef int cell, role, first
        cdef double found, of_cells, count, in_role, before, known
        cdef double* luck
        if self.legs == 0:
            return
        luck = self.luck + (self.legs - 1) * BLOCKS
        for cell in range(CELLS):
            counts[cell] = self.games_of_usual
            gains[cell] = self.games_of_usual * self.usual_gains[cell]
            means[cell] = self.usual_gains[cell]
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
                # Earlier blocks give the value of this block's games. The games then count for later blocks.
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
            luck[self.played[block]] = self.scale * found / sqrt(
                (known + self.usual_length * self.sessions_of_usual) / (self.before[block] + self.sessions_of_usual)
            )

    def write_luck(self, double[:, ::1] luck):
        """Write the value of luck for x, in points, in each leg and block.

        Args:
            luck: Receives the values: shape (legs, BLOCKS).

        Raises:
            ValueError: The array has another shape.
        """
        if luck.shape[0] != self.legs or luck.shape[1] != BLOCKS:
            raise ValueError("an array of another shape")
        self.end()
        if self.legs:
            memcpy(&luck[0, 0], self.luck, self.legs * BLOCKS * sizeof(double))
