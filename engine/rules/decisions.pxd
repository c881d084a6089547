# See decisions.pyx for details.

from libc.stdint cimport int64_t

cdef struct Place:      # a value that a decision tells, and where C bots find it
    int code            # i, q: a whole number of 32 or 64 bits; d: a fraction; s: a text, which C bots don't get
    int64_t low
    int64_t high
    int most            # of a list; -1 is a single value
    int offset          # in the bot's struct
    int count_offset    # of the number that says how many a list has


cdef class Decision:
    cdef readonly str name
    cdef readonly tuple tells       # (name, code, low, high, most) of each value
    cdef readonly int64_t low
    cdef readonly int64_t high
    cdef readonly int64_t default
    cdef int kind                   # its number in its contest, -1 before it has one
    cdef int legal                  # which of the values has the legal actions, or -1
    cdef list names
    cdef Place* places


cdef class Asked:
    cdef readonly Decision decision
    cdef readonly int seat
    cdef readonly dict values
    # The values but for texts, in order: a list as its length and its items, a fraction by its bits.
    cdef int64_t* cells
    cdef int64_t* legal_cells       # where the legal actions' length is
    cdef int64_t default
    cdef bytes packed
    cdef bytes line

    cdef int check(self, given_default) except -1
    cdef int choose_default(self, given) except -1
    cdef bint takes(self, int64_t answer) noexcept
    cdef void show(self, unsigned char* window) noexcept
    cdef bytes told(self, bint as_line)
    cdef bytes as_message(self)
    cdef bytes texts(self, int number)
