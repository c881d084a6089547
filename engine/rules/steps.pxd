# See steps.pyx for details.

cimport cython
from libc.stdint cimport int64_t


@cython.final
cdef class Steps:
    cdef object __weakref__
    cdef readonly double seconds    # limit of a step
    cdef public object stopping     # says whether the run is to stop, or None
    cdef int64_t number             # number of the current or last step
    cdef unsigned long thread       # thread of the step, 0 between steps
    cdef bint broken_off
    cdef bint stopped               # stopped by the run, not for its time
    cdef int64_t seen               # the step that was taken when last looked at
    cdef double waited              # seconds since then

    cdef int begin(self) except -1
    cdef int end(self) except -1
