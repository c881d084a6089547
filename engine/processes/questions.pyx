"""Writes decisions as messages to processes, into the channels.

A binary message has questions of many lanes (`engine.processes.messages`). A message of text has one lane: a line of
JSON, or the lines of a dialogue.
"""

cimport cython
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset

from engine.kernel.game_core cimport Decision, GameCore
from engine.kernel.limits cimport MAX_VIEW_BYTES
from engine.kernel.memory cimport grown
from engine.processes.channels cimport Channel, gather_bytes, gather_lane
from engine.processes.messages cimport Question, padding_of, question_size

from struct import unpack_from

cdef const char* PADDING = b"\0\0\0\0\0\0\0\0"

# How JSON has a number of the view, by its struct code.
_IN_JSON = {"f": "%.9g", "d": "%.17g", "q": "%d", "i": "%d"}


@cython.final
cdef class QuestionWriter:
    """A writer of a contest's decisions into channels' next messages. It takes the arguments of Lanes.

    Methods that add something return whether they succeeded. If not, memory is short, or the trouble is recorded.

    Raises:
        ValueError: A view is too large.
    """

    def __init__(self, int view_size, questions, bint tells_values):
        if not 0 <= view_size <= MAX_VIEW_BYTES:
            raise ValueError(f"a view has {view_size} bytes, at most {int(MAX_VIEW_BYTES)} are possible")
        self.view_size = view_size
        self.tells_values = tells_values
        self.stride = question_size(view_size)
        self.lines = []
        for kind, (is_news, name, fields) in enumerate(questions):
            self.news |= <uint64_t>(1 if is_news else 0) << <int>kind
            values = "".join([f', "{key}": {_IN_JSON[code]}' for key, code, _ in fields])
            places = [(f"<{code}", offset) for _, code, offset in fields]
            self.lines.append((f'{{"decision": "{name}"{values}}}\n', places))

    cdef bint add(self, Channel* channel, int lane, int slot, void* core) noexcept nogil:
        """Add a lane's pending decision."""
        cdef Decision* decision = &(<GameCore>core).decision
        cdef Question* question
        if not gather_lane(channel, lane):
            return False
        if channel.lines:
            return self.add_line(channel, core)
        question = self.next_question(channel, slot, decision.kind)
        if question == NULL:
            return False
        memcpy(question + 1, (<GameCore>core).windows[decision.seat], self.view_size)
        return not self.tells_values or self.add_values(channel, core)

    cdef int add_order(self, Channel* channel, int kind, int slot, int64_t argument) except -1:
        """Add START_LANE or END_LANE. It waits for a question, so that its fault belongs to a decision.

        Raises:
            MemoryError: Memory is short.
        """
        cdef Question* question = self.next_question(channel, slot, kind)
        if question == NULL or not gather_lane(channel, -1):
            raise MemoryError
        question.argument = argument
        return 0

    cdef Question* next_question(self, Channel* channel, int slot, int kind) noexcept nogil:
        """Return a new question of a message, NULL if memory is short.

        It is zeroed, so that bots can't read older content.
        """
        cdef Question* question
        if not grown(<void**>&channel.gathering, &channel.gathering_capacity, channel.gathered_size + self.stride, 1):
            return NULL
        question = <Question*>memset(channel.gathering + channel.gathered_size, 0, self.stride)
        question.lane = slot
        question.kind = kind
        channel.gathered_size += self.stride
        return question

    cdef bint is_only_told(self, Channel* channel, int kind) noexcept nogil:
        """Return whether a decision of this kind only informs a program, which then doesn't answer."""
        return channel.lines and self.news >> kind & 1

    cdef bint add_line(self, Channel* channel, void* core) noexcept nogil:
        """Add a lane's pending decision for a program."""
        if channel.dialogue != NULL:
            return self.add_dialogue(channel)
        return self.add_values(channel, core)

    cdef bytes line_of(self, GameCore core):
        """Return the line of JSON of a decision whose values are in the view."""
        cdef const unsigned char* window = core.windows[core.decision.seat]
        cdef bytes view = window[:self.view_size]
        line, places = self.lines[core.decision.kind]
        return (line % tuple([unpack_from(code, view, offset)[0] for code, offset in places])).encode()

    cdef bint add_values(self, Channel* channel, void* core) noexcept with gil:
        """Add a decision's values: as the line, or by name after its question, whose argument is their size."""
        cdef size_t question = channel.gathered_size - self.stride
        cdef bytes told
        try:
            told = (<GameCore>core).told(channel.lines) if self.tells_values else self.line_of(<GameCore>core)
            if not gather_bytes(channel, <const char*>told, len(told)):
                return False
            if not channel.lines:
                (<Question*>(channel.gathering + question)).argument = len(told)
                return gather_bytes(channel, PADDING, padding_of(len(told)))
        except MemoryError:
            return False
        except BaseException as trouble:
            self.trouble = trouble
            return False
        return True

    cdef bint add_dialogue(self, Channel* channel) noexcept with gil:
        """Add the lines of a dialogue's question."""
        try:
            return self.add_lines(channel, (<object>channel.dialogue).question_lines())
        except BaseException as trouble:
            self.trouble = trouble
            return False

    cdef bint add_lines(self, Channel* channel, lines) except -1:
        """Add lines of text, and return True.

        Raises:
            MemoryError: Memory is short.
        """
        cdef bytes text = "".join([f"{line}\n" for line in lines]).encode()
        if not gather_bytes(channel, <const char*>text, len(text)):
            raise MemoryError
        return True
