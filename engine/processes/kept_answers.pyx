"""The answers of a leg that counted. `engine.processes.lanes` keeps them in case the leg begins again.

A small number is a byte. Other answers are a mark and the bytes after it.
"""

from libc.stdint cimport int64_t
from libc.string cimport memcpy, memmove

from engine.kernel.memory cimport grown

cdef enum:
    SMALL_ANSWERS = 252         # answers below are bytes
    WIDE_ANSWER = 252           # 8 bytes follow
    VALUE_ANSWER = 253          # the next one of the leg's values
    FAILURE = 254               # the bot failed, and its default answer counted
    FAILURE_TOO = 255           # the bot failed only when the leg began again; what it answered before follows


cdef bint is_failure_next(const KeptAnswers* kept) noexcept nogil:
    """Return whether the bot of the next decision failed there before the leg began again."""
    return kept.counted < kept.size and kept.content[kept.counted] >= FAILURE


cdef bint keep(KeptAnswers* kept, unsigned char mark, const void* answer, size_t size) noexcept nogil:
    """Keep a mark, and this many bytes after it, which count now. Return False if memory is short."""
    if not grown(<void**>&kept.content, &kept.capacity, kept.size + 1 + size, 1):
        return False
    kept.last = kept.size
    kept.content[kept.size] = mark
    if size:
        memcpy(kept.content + kept.size + 1, answer, size)
    kept.size += 1 + size
    kept.counted = kept.size
    return True


cdef bint keep_number(KeptAnswers* kept, int64_t answer) noexcept nogil:
    """Keep an answer that counts now. Return False if memory is short."""
    if 0 <= answer < SMALL_ANSWERS:
        return keep(kept, <unsigned char>answer, NULL, 0)
    return keep(kept, WIDE_ANSWER, &answer, sizeof(answer))


cdef bint keep_value(KeptAnswers* kept) noexcept nogil:
    """Keep a mark for a value that counts now. The caller keeps the value. Return False if memory is short."""
    return keep(kept, VALUE_ANSWER, NULL, 0)


cdef bint keep_failure(KeptAnswers* kept) noexcept nogil:
    """Record that the bot of this decision has failed, unless that is recorded. Return False if memory is short."""
    cdef size_t left = kept.size - kept.counted
    if is_failure_next(kept):
        return True
    if not grown(<void**>&kept.content, &kept.capacity, kept.size + 1, 1):
        return False
    memmove(kept.content + kept.counted + 1, kept.content + kept.counted, left)
    kept.content[kept.counted] = FAILURE_TOO if left else FAILURE
    kept.size += 1
    return True


cdef bint count_failure(KeptAnswers* kept) noexcept nogil:
    """Pass the failure that was kept for this decision. Return whether an answer follows that counts again."""
    kept.counted += 1
    return kept.content[kept.counted - 1] == FAILURE_TOO


cdef bint next_number(KeptAnswers* kept, int64_t* answer) noexcept nogil:
    """Take the next answer that counts again. Return False if it is the next of the caller's values."""
    cdef unsigned char mark = kept.content[kept.counted]
    kept.last = kept.counted
    kept.counted += 1
    if mark == VALUE_ANSWER:
        return False
    answer[0] = mark
    if mark == WIDE_ANSWER:
        memcpy(answer, kept.content + kept.counted, sizeof(int64_t))
        kept.counted += sizeof(int64_t)
    return True


cdef bint forget_last(KeptAnswers* kept) noexcept nogil:
    """Forget the last kept answer, which the core has refused. Return whether it was a value."""
    if kept.last >= kept.size:
        return False
    kept.size = kept.counted = kept.last
    return kept.content[kept.last] == VALUE_ANSWER


cdef bint restore(KeptAnswers* kept, bytes content):
    """Restore the answers of an interrupted leg, so that they count again. Return False if memory is short."""
    if not grown(<void**>&kept.content, &kept.capacity, len(content), 1):
        return False
    memcpy(kept.content, <const char*>content, len(content))
    kept.size = len(content)
    return True
