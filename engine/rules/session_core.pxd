# See session_core.pyx for details.

cimport cython
from libc.stdint cimport int64_t

from engine.kernel.chance cimport Chance
from engine.rules.decisions cimport Asked
from engine.kernel.game_core cimport GameCore, Status
from engine.kernel.records cimport Table
from engine.rules.steps cimport Steps

cdef struct ColumnPlace:    # a column of a table, and what its values are
    char* content
    size_t size             # bytes of a value
    bint is_real
    int64_t low             # of a whole number
    int64_t high


@cython.final
cdef class Rows:
    cdef Table table
    cdef list names
    cdef dict places_by_name
    cdef ColumnPlace* places
    cdef list waiting       # rows for which there is no room yet

    cdef int add(self, list values) except -1
    cdef int write(self, list values) except -1
    cdef bint catch_up(self) except *


@cython.final
cdef class SessionCore(GameCore):
    cdef object play_session
    cdef object generator       # that plays the session
    cdef object failure
    cdef bint is_asking
    cdef Steps steps
    cdef Chance chance
    cdef Rows games_rows
    cdef Rows sessions_rows
    cdef Asked asked
    cdef Session current
    cdef object reply           # the answer that the generator waits for, or None
    cdef int first              # the seat that comes first in the first session
    cdef bint zero_sum

    cdef Status play_on(self, int64_t answer) except *
    cdef object take_step(self)
    cdef int refuse(self, error) except -1
    cdef object go_on(self)
    cdef int finish_session(self) except -1


@cython.final
cdef class Session:
    cdef SessionCore core
    cdef readonly int64_t number
    cdef readonly int first
    cdef readonly int64_t games
    cdef readonly Chance chance
