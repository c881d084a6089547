# The answers of a leg that counted, in the order in which its core took them. See kept_answers.pyx.

from libc.stdint cimport int64_t

cdef struct KeptAnswers:
    unsigned char* content
    size_t size
    size_t capacity
    size_t counted      # bytes of answers that count now; the following ones will count again
    size_t last         # the place of the last answer


cdef inline bint counts_again(const KeptAnswers* kept) noexcept nogil:
    """Return whether a kept answer counts at the next decision."""
    return kept.counted < kept.size

cdef bint is_failure_next(const KeptAnswers* kept) noexcept nogil
cdef bint keep_number(KeptAnswers* kept, int64_t answer) noexcept nogil
cdef bint keep_value(KeptAnswers* kept) noexcept nogil
cdef bint keep_failure(KeptAnswers* kept) noexcept nogil
cdef bint count_failure(KeptAnswers* kept) noexcept nogil
cdef bint next_number(KeptAnswers* kept, int64_t* answer) noexcept nogil
cdef bint forget_last(KeptAnswers* kept) noexcept nogil
cdef bint restore(KeptAnswers* kept, bytes content)
