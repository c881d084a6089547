"""The pipes of a process that plays: its questions, its answers, and its standard error.

Nothing here waits: what doesn't fit into a pipe is sent later. Two buffers take
turns: one gathers the next message to a process, the other is being sent.
"""

from libc.errno cimport EAGAIN, EINTR, errno
from libc.stdlib cimport free
from libc.string cimport memcpy, memmove
from posix.unistd cimport read

from engine.kernel.memory cimport grown
from engine.processes.messages cimport Header

cdef enum:
    COMPLAINTS_AT_ONCE = 64     # reads of 4 KB, so that a flood does not keep the others waiting


cdef bint start_gathering(Channel* channel, size_t room) noexcept nogil:
    """Begin the next message, which will have about so many bytes; false when there is no memory."""
    if not grown(<void**>&channel.gathering, &channel.gathering_capacity, room + sizeof(Header), 1):
        return False
    channel.gathered_count = 0
    channel.gathered_size = 0 if channel.lines else sizeof(Header)
    return True


cdef bint gather_bytes(Channel* channel, const void* content, size_t size) noexcept nogil:
    """Add to the next message; false when there is no memory."""
    if not grown(<void**>&channel.gathering, &channel.gathering_capacity, channel.gathered_size + size, 1):
        return False
    if size:
        memcpy(channel.gathering + channel.gathered_size, content, size)
    channel.gathered_size += size
    return True


cdef bint gather_lane(Channel* channel, int lane) noexcept nogil:
    """Note the lane of the question that was added, -1 for a start or an end; false when there is no memory."""
    if not grown(<void**>&channel.gathered, &channel.gathered_capacity, channel.gathered_count + 1, sizeof(int)):
        return False
    channel.gathered[channel.gathered_count] = lane
    channel.gathered_count += 1
    return True


cdef void take_gathered_lanes(Channel* channel) noexcept nogil:
    """Make the gathered lanes those that are asked."""
    channel.serial += 1
    channel.messages += 1
    channel.gathered, channel.asked = channel.asked, channel.gathered
    channel.gathered_capacity, channel.asked_capacity = channel.asked_capacity, channel.gathered_capacity
    channel.asked_count = channel.gathered_count
    channel.asks_start = channel.gathers_start
    channel.gathered_count = 0
    channel.gathers_start = False
    channel.outstanding = True


cdef bint take_gathered_message(Channel* channel) noexcept nogil:
    """Make the gathered message the one that is sent, with a header if it is binary; false without memory."""
    cdef Header* header
    take_gathered_lanes(channel)
    if not channel.lines:
        header = <Header*>channel.gathering
        header.size = <uint32_t>channel.gathered_size
        header.serial = channel.serial
        header.count = <uint32_t>channel.asked_count
        header.text_size = 0
    channel.gathering, channel.sending = channel.sending, channel.gathering
    channel.gathering_capacity, channel.sending_capacity = channel.sending_capacity, channel.gathering_capacity
    channel.sending_size = channel.gathered_size
    channel.sent = 0
    channel.inbox_size = 0
    return start_gathering(channel, 0)


cdef bint append_gathered(Channel* channel) noexcept nogil:
    """Put the gathered text behind what is still to be sent; false when there is no memory."""
    cdef size_t unread = channel.sending_size - channel.sent
    if channel.sent > unread:
        memmove(channel.sending, channel.sending + channel.sent, unread)
        channel.sent = 0
        channel.sending_size = unread
    if not grown(
        <void**>&channel.sending, &channel.sending_capacity, channel.sending_size + channel.gathered_size, 1
    ):
        return False
    if channel.gathered_size:
        memcpy(channel.sending + channel.sending_size, channel.gathering, channel.gathered_size)
    channel.sending_size += channel.gathered_size
    channel.gathered_size = 0
    return True


cdef bint make_inbox(Channel* channel, size_t room) noexcept nogil:
    """Make room for so many bytes of answers; false when there is no memory."""
    return grown(<void**>&channel.inbox, &channel.inbox_capacity, room, 1)


cdef Reading pull(Channel* channel, size_t room) noexcept nogil:
    """Read once into the inbox, which holds so many bytes in all and isn't full."""
    cdef Py_ssize_t got
    while True:
        got = read(channel.from_bot, channel.inbox + channel.inbox_size, room - channel.inbox_size)
        if got > 0:
            channel.inbox_size += got
            return SOMETHING
        if got < 0 and errno == EINTR:
            continue
        return NOTHING_YET if got < 0 and errno == EAGAIN else NO_MORE


cdef void drain(Channel* channel) noexcept nogil:
    """Read a process's standard error, and keep the last of it."""
    cdef char chunk[4096]
    cdef Py_ssize_t got
    cdef int kept, _portion
    for _portion in range(COMPLAINTS_AT_ONCE):
        if channel.errors < 0:
            return
        got = read(channel.errors, chunk, sizeof(chunk))
        if got == 0:
            channel.errors = -1
        if got <= 0:
            return
        kept = channel.tail_size
        if kept + got > <int>sizeof(channel.tail):
            kept = <int>sizeof(channel.tail) - <int>got
            memmove(channel.tail, channel.tail + channel.tail_size - kept, kept)
        memcpy(channel.tail + kept, chunk, got)
        channel.tail_size = kept + <int>got


cdef int watch(const Channel* channel, pollfd* polled) noexcept nogil:
    """Fill in the descriptors to wait for until a channel can go on; returns how many, at most MOST_POLLED."""
    polled[0].fd = channel.from_bot
    polled[0].events = POLLIN
    polled[1].fd = channel.errors    # poll ignores -1
    polled[1].events = POLLIN
    if channel.sent == channel.sending_size:
        return 2
    polled[2].fd = channel.to_bot
    polled[2].events = POLLOUT
    return 3


cdef void free_buffers(Channel* channel) noexcept nogil:
    free(channel.gathering)
    free(channel.gathered)
    free(channel.sending)
    free(channel.asked)
    free(channel.inbox)
