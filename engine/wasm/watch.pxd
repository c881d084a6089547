# See watch.pyx for details.

from libc.stdint cimport uint64_t

from engine.kernel.game_core cimport MAX_SEATS
from engine.wasm.fuel cimport Fuel

cdef class Watch:
    cdef tuple kept                 # objects that `fuels` point to
    cdef int seats
    cdef void* fuels[MAX_SEATS]
    cdef double seconds, seconds_per_fuel
    cdef object stopping
    cdef readonly bint measures_bots, times_core
    cdef bint is_exact              # whether `used` is processor time, not wall-clock time
    cdef double used[MAX_SEATS]    # seconds by seat if `measures_bots`, otherwise the sum in the first
    cdef double since               # time of the last sum
    cdef int running                # seat whose time runs, -1 for none
    cdef double core_since          # start of the core's step, by the clock
    cdef double looked              # time of the last call of `stopping`, by the clock
    cdef readonly bint is_stopped
    cdef readonly int late          # late seat, ANY, or -1 for none
    cdef readonly object interruption

    cdef void reset(self, stopping) noexcept
    cdef void switch(self, int seat) noexcept nogil
    cdef void begin_step(self) noexcept nogil
    cdef void end_step(self, int seat) noexcept nogil
    cdef bint goes_on(self) noexcept nogil
    cdef void be_late_or_exact(self) noexcept nogil
    cdef bint is_late(self, double used, uint64_t fuel) noexcept nogil
    cdef bint asks(self) noexcept nogil
