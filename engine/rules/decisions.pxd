# See decisions.pyx for details.

from libc.stdint cimport int64_t

from engine.rules.shapes cimport Cells, Shape


cdef class Decision:
    cdef readonly str name
    cdef readonly Shape answer_shape
    cdef readonly object default    # None: the first of the legal actions
    cdef readonly bint loses        # whether an illegal answer loses the game, and is no fault
    cdef readonly bint is_news   # whether it is news, which no bot answers
    cdef readonly bint takes_numbers    # whether answers are whole numbers, for bots of every kind
    cdef int legal                  # index of the value with the legal actions, or -1
    cdef size_t room                # bytes of a C bot's answer behind its struct, 0 if it returns the answer
    cdef list names
    cdef list shapes                # shapes of the values


cdef class Illegal:
    cdef readonly object answer


cdef class Question:
    cdef readonly Decision decision
    cdef readonly int position      # position of the bot
    cdef readonly dict values
    cdef readonly object answer     # type of the answers that are legal this time; None for all
    cdef Shape narrowed             # shape of `answer`
    # The values without texts, in order: a list is its length and its items, a float its bits.
    cdef Cells cells
    cdef Py_ssize_t legal_cell      # cell with the legal actions' length, or -1
    cdef readonly object default
    # Its values encoded, without the seating: marshalled for messages; the end of a line.
    cdef bytes packed
    cdef bytes line

    cdef int check(self, given_default) except -1
    cdef int choose_default(self, given) except -1
    cdef bint takes_number(self, int64_t answer) noexcept
    cdef object from_number(self, int64_t answer)
    cdef object checked(self, object value)
    cdef object legal_text(self, object value)
    cdef bytes told(self, bint as_line, tuple players)
    cdef dict shown(self, tuple players)
