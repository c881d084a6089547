"""The messages that start one leg in a Python bot's process, for callers without lanes."""

# Bytes of the report that a leg has begun, and of the answer to one question.
LEAST_ANSWER_BYTES = 2 * sizeof(Header) + sizeof(Answer)
MOST_ANSWER_BYTES = LEAST_ANSWER_BYTES + MOST_TEXT


def start_message(int view_size):
    """Return the message that begins a leg with seed 0, for a view of this size."""
    cdef size_t size = sizeof(Header) + question_size(view_size)
    cdef bytes message = bytes(size)
    cdef char* content = message
    cdef Header* header = <Header*>content
    cdef Question* question = <Question*>(content + sizeof(Header))
    header.size = <uint32_t>size
    header.serial = header.count = 1
    question.kind = START_LANE
    return message


def read_start(bytes answer):
    """Read the process's answer to this message.

    Returns:
        Whether the process lacked memory, and why the leg can't begin, or None if it has. The bot can have written the
        reason.

    Raises:
        ValueError: The answer has fewer than LEAST_ANSWER_BYTES.
    """
    cdef Answer outcome
    cdef const char* content = answer
    if len(answer) < LEAST_ANSWER_BYTES:
        raise ValueError("a message that is torn off")
    outcome = (<const Answer*>(content + 2 * sizeof(Header)))[0]
    if outcome.status == ANSWERED:
        return False, None
    return outcome.status == OUT_OF_MEMORY, answer[LEAST_ANSWER_BYTES:].decode("utf-8", "replace")
