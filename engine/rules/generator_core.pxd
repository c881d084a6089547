# See generator_core.pyx for details.

from libc.stdint cimport int64_t

from engine.kernel.game_core cimport GameCore, Status


cdef class GeneratorCore(GameCore):
    cdef object generator
    cdef readonly object outcome
    cdef readonly object failure
    cdef bint is_asking

    cdef Status play_on(self, int64_t answer) except *
    cdef object resume(self, answer)
