# See fuel.pyx for details.

cimport cython
from libc.stdint cimport int64_t, uint64_t, uintptr_t

cdef union RuntimeVariable:     # the runtime's wasmtime_global_t
    uint64_t aligned
    unsigned char bytes[24]

cdef struct RuntimeNumber:      # the runtime's wasmtime_val_t
    uint64_t kind
    int64_t number
    uint64_t[2] unused

ctypedef void (*GetVariable)(void* context, const void* variable, RuntimeNumber* value) noexcept nogil
ctypedef void* (*SetVariable)(void* context, const void* variable, const RuntimeNumber* value) noexcept nogil


@cython.final
cdef class Fuel:
    cdef GetVariable get
    cdef SetVariable set
    cdef void* context
    cdef RuntimeVariable counter
    cdef readonly bint is_counted   # its bot has a counter
    cdef bint is_overdrawn          # the counter fell below zero
    cdef uint64_t given         # when the counter was last set or settled
    cdef uint64_t settled       # what was used before

    cdef int64_t left(self) noexcept nogil
    cdef void put(self, int64_t left) noexcept nogil
    cdef void give_more(self, uint64_t fuel) noexcept nogil
    cdef uint64_t settle(self) noexcept nogil
    cdef uint64_t pay(self, uint64_t price) noexcept nogil
