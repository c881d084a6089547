# See watch.pyx for details.

from libc.stdint cimport uint64_t

from engine.kernel.game_core cimport MOST_SEATS
from engine.wasm.fuel cimport Fuel

cdef class Watch:
    cdef tuple kept                 # what `fuels` point to
    cdef int seats
    cdef void* fuels[MOST_SEATS]
    cdef double seconds, seconds_per_fuel
    cdef object stopping
    cdef readonly bint apart, times_core
    cdef bint is_exact              # `used` is processor time, else by the clock
    cdef double used[MOST_SEATS]    # by seat if `apart`, else of all in the first
    cdef double since               # when the time that runs was last added up
    cdef int running                # whose time runs, or NOBODY
    cdef double core_since          # when the core's step began, by the clock
    cdef double looked              # when `stopping` was last asked, by the clock
    cdef readonly bint is_stopped
    cdef readonly int late          # the seat that is, or ANY of them; NOBODY
    cdef readonly object interruption

    cdef void switch(self, int seat) noexcept nogil
    cdef void begin_step(self) noexcept nogil
    cdef void end_step(self, int seat) noexcept nogil
    cdef bint goes_on(self) noexcept nogil
    cdef void be_late_or_exact(self) noexcept nogil
    cdef bint is_late(self, double used, uint64_t fuel) noexcept nogil
    cdef bint asks(self) noexcept nogil
