# See evaluation.pyx for details.

from engine.games.two_card_draw.tree cimport Strategy

cdef object bot_rows(Strategy* bot)
