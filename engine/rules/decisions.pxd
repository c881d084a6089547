# See decisions.pyx for details.

from libc.stdint cimport int64_t

cdef struct Place:      # a value that a decision shows
    # i, q: a whole number of 32 or 64 bits; d: any number; c: a choice; s: a text, which C bots don't get
    int code
    int64_t low
    int64_t high
    int most            # of a list; -1 is a single value

cdef struct StructOffset:
    int value           # of a number, or of a list's first item
    int count           # of the number that says how many items a list has


cdef class Decision:
    cdef readonly str name
    cdef readonly tuple value_specs  # (name, code, low, high, most, choices) of each value
    cdef readonly tuple answer_spec  # (code, low, high, most, choices)
    cdef readonly object default    # None: the first of the legal actions
    cdef readonly bint loses        # whether an illegal answer loses the game, and is no fault
    cdef readonly bint takes_numbers    # whether answers are whole numbers, for bots of every kind
    cdef int legal                  # which of the values has the legal actions, or -1
    cdef Place answered             # the answer
    cdef size_t room                # bytes of what they leave there, 0 where they return the answer
    cdef list names
    cdef list choices               # by value: the place of each name among the choices, or None
    cdef dict answer_choices
    cdef Place* places


cdef class Placement:
    cdef readonly Decision decision
    cdef int kind                   # number of the decision in the contest
    cdef int answer_offset          # where C bots leave answers
    cdef bint wide_actions          # whether legal actions that are numbers have 64 bits in the struct
    cdef StructOffset* offsets      # by value


cdef class Illegal:
    cdef readonly object answer


cdef class Question:
    cdef readonly Decision decision
    cdef readonly int position      # that is asked
    cdef readonly dict values
    # The values but for texts, in order: a list as its length and its items, a number that isn't whole by its bits.
    cdef int64_t* cells
    cdef int64_t* legal_cells       # where the legal actions' length is
    cdef readonly object default
    # Encoded, without the seating: of a message where its values begin, and its values; of a line its end.
    cdef bytes bounds
    cdef bytes packed
    cdef int seats                  # for which `bounds` are
    cdef bytes line

    cdef int check(self, given_default) except -1
    cdef int choose_default(self, given) except -1
    cdef bint takes_number(self, int64_t answer) noexcept
    cdef object from_number(self, int64_t answer)
    cdef object from_memory(self, int64_t answer, const unsigned char* window, Placement placement)
    cdef object checked(self, object value)
    cdef object legal_text(self, object value)
    cdef void show(self, unsigned char* window, Placement placement, tuple players) noexcept
    cdef bytes told(self, bint as_line, tuple players)
    cdef tuple as_message(self)
    cdef dict shown(self, tuple players)
    cdef bytes texts(self, int number)
