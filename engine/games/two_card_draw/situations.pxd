# See situations.pyx for details.

from engine.games.two_card_draw.core cimport SITUATIONS

cdef enum:      # actions
    FOLD
    CALL    # or check
    RAISE   # or bet

cdef enum Stage:
    ROUND1
    DRAW
    ROUND2

cdef struct Situation:
    Stage stage
    int hand        # by rank
    int history     # how round 1 ended; like the next two, 0 where the stage comes before
    int x_drew
    int y_drew
    int bets        # faced; 0 for a draw
    int allowed     # bits of the actions that a generated strategy may take

cdef const Situation* situations() noexcept nogil
