# See draw_evaluation.pyx for details.

from engine.draw_tree cimport Strategy

cdef object bot_rows(Strategy* bot)
