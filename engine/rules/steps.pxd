# See steps.pyx for details.

cimport cython
from libc.stdint cimport int64_t


@cython.final
cdef class Steps:
    cdef object __weakref__
    cdef readonly double seconds    # limit of a step
    cdef public object stopping     # returns whether the run is stopping; None if nothing stops it
    cdef int64_t number             # number of the current or last step
    cdef unsigned long thread       # thread of the step, 0 between steps
    cdef bint broken_off
    cdef bint stopped               # stopped by the run, not for its time
    cdef int64_t seen               # number of the step at the last check
    cdef double waited              # seconds since then

    cdef int begin(self) except -1
    cdef int end(self) except -1
