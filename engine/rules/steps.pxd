# See steps.pyx for details.

cimport cython
from libc.stdint cimport int64_t


@cython.final
cdef class Steps:
    cdef object __weakref__
    cdef readonly double seconds    # that a step may take
    cdef public object stopping     # says whether the run is to stop, or None
    cdef int64_t number             # of the step now taken, or the last
    cdef unsigned long thread       # that takes it; 0 between steps
    cdef bint broken_off
    cdef bint stopped               # by the run, not for its time
    cdef int64_t seen               # the step that was taken when last looked at
    cdef double waited              # since then, in seconds

    cdef int begin(self) except -1
    cdef int end(self) except -1
