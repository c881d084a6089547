# See channels.pyx for details.

cimport cython
from libc.stdint cimport int64_t, uint32_t, uint64_t

from engine.kernel.game_core cimport REFUSED
from engine.processes.lines cimport MOST_ACTION_BYTES, MOST_LINE_BYTES

cdef extern from "poll.h" nogil:
    struct pollfd:
        int fd
        short events
        short revents
    int poll(pollfd* descriptors, unsigned long count, int timeout)
    short POLLIN
    short POLLOUT

cdef enum:
    MOST_POLLED = 3     # descriptors of a channel

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
    bint in_touched
    bint gathers_start          # a leg begins in the next message
    bint asks_start             # a leg begins in the message that is out, and hasn't reported that it has begun
    unsigned char* gathering    # the next message
    size_t gathered_size
    size_t gathering_capacity
    int* gathered               # the lane of each question, -1 for a start or an end
    int gathered_count
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
    MOST_EVENT_TEXT = 511

cdef struct Event:
    int kind
    int lane
    int channel
    int text_size
    char text[MOST_EVENT_TEXT]


@cython.final
cdef class Channels:
    cdef Channel* all
    cdef int count
    cdef size_t capacity
    cdef int* touched           # channels with questions that are not sent
    cdef size_t touched_capacity
    cdef int touched_count
    cdef pollfd* polled
    cdef size_t polled_capacity
    cdef int asked_last         # last process with many lanes that was asked, -1 for none yet
    cdef int times_skipped      # consecutive times that the longest-waiting process was not asked
    cdef Event* events          # events of one run: at most one for each lane, which then stops, and each channel
    cdef size_t event_capacity
    cdef int event_count
    cdef list closed            # numbers of channels closed since the last run, whose events may still be read
    cdef list spare             # numbers that are free
    cdef dict dialogues         # what the channels point to
    cdef size_t most_text       # bytes of the text of a Python bot's answer
    cdef bint lacks_memory      # whether the worker itself lacked memory in this run

    cdef int begin_run(self, int lane_count) except -1
    cdef list happened(self)
    cdef void touch(self, int number) noexcept nogil
    cdef int send_next(self) noexcept nogil
    cdef int choose(self) noexcept nogil
    cdef bint is_worth_asking_again(self) noexcept nogil
    cdef void speak(self, int number) noexcept nogil
    cdef bint was_silent(self, int number) noexcept nogil
    cdef void push_on(self, int number) noexcept nogil
    cdef bint receive(self, int number) noexcept nogil
    cdef bint wait_for_any(self, int64_t until) noexcept nogil
    cdef void refuse_line(self, int number, const char* why) noexcept nogil
    cdef void lack_memory(self, int number) noexcept nogil
    cdef void fail(self, int number, const char* why, int kind=*) noexcept nogil
    cdef void tell(self, int kind, int lane, int channel, const char* text, int length) noexcept nogil

cdef int64_t now_nanoseconds() noexcept nogil
cdef void note_answer(Channel* channel) noexcept nogil
cdef bint gather_bytes(Channel* channel, const void* content, size_t size) noexcept nogil
cdef bint gather_lane(Channel* channel, int lane) noexcept nogil
cdef size_t line_room(const Channel* channel) noexcept nogil
cdef Reading pull(Channel* channel, size_t room) noexcept nogil
cdef bint make_inbox(Channel* channel, size_t room) noexcept nogil
cdef int watch(const Channel* channel, pollfd* polled) noexcept nogil
