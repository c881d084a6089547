# Messages between the worker (engine.processes.lanes) and a Python bot's process (engine.processes.python_bots).
#
# A message to the process is a Header and `count` Questions, each of `question_size` bytes. If bots start with it, a
# Header without items reports that they have started. The answer is a Header with the same serial, as many Answers, and
# their texts. Each answer has `text_length` bytes with the reason of a fault, or an answer that isn't an integer, and
# `printed_length` bytes that the leg printed.
# If a contest passes values by name, they follow each Question: as many bytes as its argument says, and zeros up to a
# multiple of eight. They are marshalled: the bot's position, the number of positions, the number of each position's
# bot, and, marshalled separately, the question's own values.
# All numbers have the machine's own format, because both ends are on one machine.

from libc.stdint cimport int16_t, int32_t, int64_t, uint32_t

cdef enum:
    MAX_TEXT = 400         # bytes that say why one answer is faulty
    MAX_PRINTED = 800      # characters that are kept of what a leg printed
    MAX_PRINTED_BYTES = 4 * MAX_PRINTED

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
    uint32_t serial     # number of the message, repeated in its answer
    uint32_t count      # items
    uint32_t text_size  # bytes after the items

cdef struct Question:
    int32_t lane        # the channel's number of the lane
    int32_t kind
    int64_t argument        # the view follows

cdef struct Answer:
    int64_t answer
    int16_t status
    int16_t printed_length
    int32_t text_length

cdef inline size_t question_size(int view_size) noexcept nogil:
    """Return the bytes of a Question with its view."""
    return sizeof(Question) + (view_size + 7) // 8 * 8

cdef inline size_t padding_of(size_t size) noexcept nogil:
    """Return the number of zeros after this many bytes."""
    return (8 - size % 8) % 8

cdef inline size_t most_answer_bytes(size_t count, size_t most_text) noexcept nogil:
    """Return the maximum bytes of an answer to `count` questions with texts of at most `most_text` bytes."""
    return sizeof(Header) + count * (sizeof(Answer) + most_text + MAX_PRINTED_BYTES)

cdef inline bint is_answer(
    const unsigned char* message, size_t size, uint32_t serial, uint32_t count, size_t most_text
) noexcept nogil:
    """Return whether these bytes are a complete, valid answer to the message of this serial with `count` questions."""
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
        if not 0 <= answers[i].printed_length <= MAX_PRINTED_BYTES:
            return False
        texts += answers[i].text_length + answers[i].printed_length
    return texts == header.text_size and size == sizeof(Header) + count * sizeof(Answer) + texts
