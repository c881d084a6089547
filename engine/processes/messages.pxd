# Messages between the worker (engine.processes.lanes) and a Python bot's process (engine.processes.python_bots).
#
# A message to the process is a Header and `count` Questions, each of `question_size` bytes. If bots start with it,
# a Header without items says that they have started. The
# answer is a Header with the same serial, as many Answers, and their texts: for each answer
# why it is faulty, or the answer where that isn't a whole number, and what the leg printed, `text_length` and
# `printed_length` bytes.
# Where a contest tells values by name, each Question is followed by them: so many bytes as its argument says, and zeros
# up to a multiple of eight. As Python's marshal has it, they are the bot's position, the number of positions, the
# number of each position's bot, and, marshalled by themselves, the question's own values.
# All numbers are as they lie in memory: both ends are one machine.

from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t

cdef enum:
    MOST_TEXT = 400         # bytes that say why one answer is faulty
    MOST_PRINTED = 800      # characters that are kept of what a leg printed
    MOST_PRINTED_BYTES = 4 * MOST_PRINTED

cdef enum:              # instead of a question's kind
    START_LANE = -1     # make a new bot for the lane; the argument is its seed
    END_LANE = -2

cdef enum:              # status of an answer
    ANSWERED
    FAULTY              # the text says why
    OUT_OF_MEMORY
    ANSWERED_IN_JSON    # the text is the answer

cdef struct Header:
    uint32_t size       # bytes of the message, with this header
    uint32_t serial     # of the question, and again of its answer
    uint32_t count      # items
    uint32_t text_size  # bytes after the items

cdef struct Question:
    int32_t lane        # as its channel numbers it
    int32_t kind
    int64_t argument        # the view follows

cdef struct Answer:
    int64_t answer
    int16_t status
    int16_t printed_length
    int32_t text_length

cdef inline size_t question_size(int view_size) noexcept nogil:
    """Bytes of a Question with its view."""
    return sizeof(Question) + (view_size + 7) // 8 * 8

cdef inline size_t padding_of(size_t size) noexcept nogil:
    """How many zeros follow so many bytes."""
    return (8 - size % 8) % 8

cdef inline size_t most_answer_bytes(size_t count, size_t most_text) noexcept nogil:
    """The size of the longest answer to so many questions, with texts of at most so many bytes."""
    return sizeof(Header) + count * (sizeof(Answer) + most_text + MOST_PRINTED_BYTES)

cdef inline bint is_answer(
    const unsigned char* message, size_t size, uint32_t serial, uint32_t count, size_t most_text
) noexcept nogil:
    """Whether so many bytes are a whole and sound answer to the message of this serial with so many questions."""
    cdef const Header* header = <const Header*>message
    cdef const Answer* answers = <const Answer*>(message + sizeof(Header))
    cdef size_t texts = 0
    cdef uint32_t i
    if size < sizeof(Header) + count * sizeof(Answer) or header.size != size:
        return False
    if header.serial != serial or header.count != count:
        return False
    for i in range(count):
        if not 0 <= answers[i].text_length <= <int64_t>most_text:
            return False
        if not 0 <= answers[i].printed_length <= MOST_PRINTED_BYTES:
            return False
        texts += answers[i].text_length + answers[i].printed_length
    return texts == header.text_size and size == sizeof(Header) + count * sizeof(Answer) + texts
