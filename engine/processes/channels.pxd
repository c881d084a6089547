# See channels.pyx for details.

cimport cython
from libc.stdint cimport int64_t, uint32_t, uint64_t

from engine.kernel.game_core cimport REFUSED
from engine.processes.lines cimport MAX_ACTION_BYTES, MAX_LINE_BYTES

cdef extern from "poll.h" nogil:
    struct pollfd:
        int fd
        short events
        short revents
    int poll(pollfd* descriptors, unsigned long count, int timeout)
    short POLLIN
    short POLLOUT

cdef enum:
    MAX_POLLED = 3     # descriptors of a channel

cdef enum Reading:
    NOTHING_YET
    SOMETHING
    NO_MORE             # the other end is closed

cdef struct Channel:
    int to_bot
    int from_bot
    int errors          # -1 once it is closed
    bint lines          # one lane, asked in text
    void* dialogue      # the object that writes its questions and reads its lines instead of JSON, or NULL
    bint is_open
    bint is_closed      # the caller has closed it
    bint outstanding    # a message is out, its answer is not yet in
    bint gathers_start          # a leg begins in the next message
    bint asks_start             # a leg begins in the message that is out, and hasn't reported that it has begun
    unsigned char* gathering    # the next message
    size_t gathered_size
    size_t gathering_capacity
    int* gathered               # the lane of each question, -1 for a start or an end
    int gathered_count
    int questions               # their number without starts and ends
    uint64_t waits_since        # the turn in which the first of these came
    size_t gathered_capacity
    unsigned char* sending      # the message that is out
    size_t sending_size
    size_t sending_capacity
    size_t sent
    size_t greeting             # bytes that a program reads before it is sent its first question
    int* asked                  # lanes of the message that is out, like `gathered`
    int asked_count
    size_t asked_capacity
    unsigned char* inbox
    size_t inbox_size
    size_t inbox_capacity
    uint32_t serial
    uint64_t messages
    int64_t asked_at            # nanoseconds, when the message that is out was made
    int64_t took                # nanoseconds from there to its answer, for each of its questions
    int tail_size               # bytes of `tail`, the end of standard error
    char tail[4096]

cpdef enum:     # kinds of events, in addition to GameCore's LEG_OVER, RECORDS_FULL and REFUSED
    BOT_FAULTY = REFUSED + 1
    BOT_OUT_OF_MEMORY
    CHANNEL_FAILED
    WROTE_NO_ANSWER     # the channel failed because of what a process wrote

cdef enum:
    MAX_EVENT_TEXT = 511


@cython.final
cdef class Channels:
    cdef Channel* all
    cdef int count
    cdef size_t capacity
    cdef pollfd* polled
    cdef size_t polled_capacity
    cdef int asked_last         # last process with many lanes that was asked, -1 for none yet
    cdef uint64_t turns         # questions so far
    cdef list events            # events of one run
    cdef bint has_events
    cdef list closed            # numbers of channels closed since the last run, whose events may still be read
    cdef list spare             # numbers that are free
    cdef dict dialogues         # what the channels point to
    cdef size_t most_text       # bytes of the text of a Python bot's answer
    cdef bint lacks_memory      # whether the worker itself lacked memory in this run

    cdef void begin_run(self)
    cdef list take_events(self)
    cdef void note_question(self, int number) noexcept nogil
    cdef int send_next(self) noexcept nogil
    cdef int choose(self) noexcept nogil
    cdef void speak(self, int number) noexcept nogil
    cdef bint was_silent(self, int number) noexcept nogil
    cdef void push_on(self, int number) noexcept nogil
    cdef bint receive(self, int number) noexcept nogil
    cdef bint wait_for_any(self, int64_t until) noexcept nogil
    cdef void refuse_line(self, int number, const char* why) noexcept with gil
    cdef void lack_memory(self, int number) noexcept nogil
    cdef void fail(self, int number, const char* why, int kind=*) noexcept nogil
    cdef void report(
        self, int kind, int lane, int channel, const char* text, size_t length, const char* printed=*, size_t most=*
    ) noexcept with gil

cdef int64_t now_nanoseconds() noexcept nogil
cdef void note_answer(Channel* channel) noexcept nogil
cdef bint gather_bytes(Channel* channel, const void* content, size_t size) noexcept nogil
cdef bint gather_lane(Channel* channel, int lane) noexcept nogil
cdef size_t line_room(const Channel* channel) noexcept nogil
cdef Reading pull(Channel* channel, size_t room) noexcept nogil
cdef bint make_inbox(Channel* channel, size_t room) noexcept nogil
cdef int watch(const Channel* channel, pollfd* polled) noexcept nogil
