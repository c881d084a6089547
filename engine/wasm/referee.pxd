# See referee.pyx for details.

cimport cython
from libc.stdint cimport int64_t, uint64_t, uintptr_t

from engine.kernel.game_core cimport MAX_SEATS, Decision, GameCore, Status
from engine.wasm.fuel cimport Fuel
from engine.wasm.runtime cimport RuntimeFunction, RuntimeValue
from engine.wasm.watch cimport Watch

cdef struct StepArgument:       # the first argument of the functions in direct_step.h, which have its members' places
    void* core
    void* step
    const Decision* decision    # the pending decision
    Status status               # result of the last step; written directly unless it is DECIDE

cdef struct Taken:              # fuel of a seat's decisions
    uint64_t decisions
    uint64_t fuel
    uint64_t most_fuel


@cython.final
cdef class Referee:
    cdef GameCore core
    cdef void* context
    cdef RuntimeFunction loop
    cdef StepArgument direct
    cdef tuple kept                     # objects that `fuels` point to
    cdef void* fuels[MAX_SEATS]
    cdef int seats                      # number of seats
    cdef uint64_t fuel                  # fuel of each decision
    cdef uint64_t bank                  # fuel of the whole leg
    cdef Watch watch
    cdef bint measures
    cdef bint is_asking                 # whether a measured bot is being asked
    cdef uint64_t used_before           # fuel that it had used before
    cdef Taken taken[MAX_SEATS]
    cdef void* error
    cdef void* trap

    cdef int take_core(self, GameCore core) except -1
    cdef Status play_on(self, int64_t answer) noexcept nogil
    cdef bint enter(self, RuntimeValue* values) noexcept nogil
    cdef int next_call(self, int64_t answer) noexcept nogil
    cdef void next_measured(self, RuntimeValue* values) noexcept nogil
    cdef uint64_t spent(self, int seat) noexcept nogil
    cdef uint64_t left_of_bank(self, int seat) noexcept nogil
    cdef bint refill(self, int seat) noexcept nogil
    cdef void note_fuel(self) noexcept nogil
