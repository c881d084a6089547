# See pipes.pyx for details.

from libc.stdint cimport uint32_t, uint64_t

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
    void* dialogue      # the object that asks and understands it instead of fixed lines, or NULL
    bint is_open
    bint is_closed      # by the caller
    bint outstanding    # a message is out, its answer is not yet in
    bint in_touched
    bint gathers_start          # a leg begins in the next message
    bint asks_start             # and in the one that is out
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
    int* asked                  # as `gathered`, of the message that is out
    int asked_count
    size_t asked_capacity
    unsigned char* inbox
    size_t inbox_size
    size_t inbox_capacity
    uint32_t serial
    uint64_t messages
    int tail_size               # of the last that it wrote to standard error
    char tail[4096]

cdef bint start_gathering(Channel* channel, size_t room) noexcept nogil
cdef bint gather_bytes(Channel* channel, const void* content, size_t size) noexcept nogil
cdef bint gather_lane(Channel* channel, int lane) noexcept nogil
cdef void take_gathered_lanes(Channel* channel) noexcept nogil
cdef bint take_gathered_message(Channel* channel) noexcept nogil
cdef bint append_gathered(Channel* channel) noexcept nogil
cdef Reading pull(Channel* channel, size_t room) noexcept nogil
cdef bint make_inbox(Channel* channel, size_t room) noexcept nogil
cdef void drain(Channel* channel) noexcept nogil
cdef int watch(const Channel* channel, pollfd* polled) noexcept nogil
cdef void free_buffers(Channel* channel) noexcept nogil
