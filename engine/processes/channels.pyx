"""The pipes of one worker's processes: chooses the next process to ask, and exchanges questions and answers.

Nothing here blocks, except `wait_for_any`. Bytes that don't fit into a pipe are sent later. Each channel has two
buffers, which take turns: one gathers the next message to the process, the other is being sent.
"""

import os

cimport cython
from libc.errno cimport EAGAIN, EINTR, errno
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memmove, memset, strlen
from posix.unistd cimport read, write
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

from engine.kernel.memory cimport grown
from engine.processes.messages cimport Header, most_answer_bytes

cdef extern from "<sys/ioctl.h>" nogil:
    int FIONREAD
    int ioctl(int descriptor, unsigned long request, ...)

cdef enum:
    FIRST_ROOM = 1 << 16        # initial bytes for answers
    MAX_UNREAD = 1 << 24       # bytes that wait for a program to read them
    ASK_AGAIN = 4               # ask the same process if it has a quarter as many questions as before
    MANY_QUESTIONS = 4          # number below which messages cost more than answers
    ALSO_ASKED = 2              # questions of others that are then asked at once
    MOST_TURNS = 4              # turns for each process in which one with few questions waits
    MAX_QUOTED = 100           # quoted characters of a line that isn't an answer
    COMPLAINTS_AT_ONCE = 64     # reads of 4 KB, so that a flood doesn't keep the others waiting


cdef bint start_gathering(Channel* channel, size_t room) noexcept nogil:
    """Begin the next message, of about this many bytes. Return False if memory is short."""
    if not grown(<void**>&channel.gathering, &channel.gathering_capacity, room + sizeof(Header), 1):
        return False
    channel.gathered_count = 0
    channel.gathered_size = 0 if channel.lines else sizeof(Header)
    return True


cdef bint gather_bytes(Channel* channel, const void* content, size_t size) noexcept nogil:
    """Add bytes to the next message. Return False if memory is short."""
    if not grown(<void**>&channel.gathering, &channel.gathering_capacity, channel.gathered_size + size, 1):
        return False
    if size:
        memcpy(channel.gathering + channel.gathered_size, content, size)
    channel.gathered_size += size
    return True


cdef bint gather_lane(Channel* channel, int lane) noexcept nogil:
    """Record the lane of the question that was added, -1 for a start or an end. Return False if memory is short."""
    if not grown(<void**>&channel.gathered, &channel.gathered_capacity, channel.gathered_count + 1, sizeof(int)):
        return False
    channel.gathered[channel.gathered_count] = lane
    channel.gathered_count += 1
    channel.questions += lane >= 0
    return True


cdef inline bint can_be_asked(const Channel* channel) noexcept nogil:
    """Return whether questions wait for a process that owes no answer."""
    return channel.questions and channel.is_open and not channel.outstanding


cdef void take_gathered_lanes(Channel* channel) noexcept nogil:
    """Turn the gathered lanes into those that are asked."""
    channel.serial += 1
    channel.messages += 1
    channel.gathered, channel.asked = channel.asked, channel.gathered
    channel.gathered_capacity, channel.asked_capacity = channel.asked_capacity, channel.gathered_capacity
    channel.asked_count = channel.gathered_count
    channel.asks_start = channel.gathers_start
    channel.gathered_count = channel.questions = 0
    channel.gathers_start = False
    channel.outstanding = True
    channel.asked_at = now_nanoseconds()


cdef void note_answer(Channel* channel) noexcept nogil:
    """Record the time until the answer to a message. Questions that were sent together share it evenly."""
    channel.took = (now_nanoseconds() - channel.asked_at) // max(1, channel.asked_count)


cdef bint take_gathered_message(Channel* channel) noexcept nogil:
    """Turn the gathered message into the one that is sent, with its header. Return False if memory is short."""
    cdef Header* header
    take_gathered_lanes(channel)
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
    """Append the gathered text to what is still to be sent. Return False if memory is short."""
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
    """Reserve this many bytes for answers. Return False if memory is short."""
    return grown(<void**>&channel.inbox, &channel.inbox_capacity, room, 1)


cdef size_t line_room(const Channel* channel) noexcept nogil:
    """Return the length at which a program's line is too long, in bytes."""
    return (MAX_ACTION_BYTES if channel.dialogue == NULL else MAX_LINE_BYTES) + 1


cdef Reading pull(Channel* channel, size_t room) noexcept nogil:
    """Read once into the inbox, which has this many bytes in all and isn't full. Return whether something came."""
    cdef Py_ssize_t got
    while True:
        got = read(channel.from_bot, channel.inbox + channel.inbox_size, room - channel.inbox_size)
        if got > 0:
            channel.inbox_size += got
            return SOMETHING
        if got < 0 and errno == EINTR:
            continue
        return NOTHING_YET if got < 0 and errno == EAGAIN else NO_MORE


cdef void take_word_of_start(Channel* channel) noexcept nogil:
    """Take the report that all bots that start with a message have started, if it has arrived."""
    cdef const Header* header = <const Header*>channel.inbox
    if channel.inbox_size < sizeof(Header) or header.size != sizeof(Header):
        return
    channel.asks_start = False
    channel.inbox_size -= sizeof(Header)
    memmove(channel.inbox, channel.inbox + sizeof(Header), channel.inbox_size)


cdef void drain(Channel* channel) noexcept nogil:
    """Read what a process wrote to standard error, up to a limit, and keep the end of it."""
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


cdef int unread_bytes(const Channel* channel) noexcept nogil:
    """Return how many bytes a process has not yet read of what was written to it."""
    cdef int unread = 0
    return unread if ioctl(channel.to_bot, FIONREAD, &unread) == 0 else 0


cdef int watch(const Channel* channel, pollfd* polled) noexcept nogil:
    """Fill in the descriptors to wait for until a channel can continue. Return their number, at most MAX_POLLED."""
    polled[0].fd = channel.from_bot
    polled[0].events = POLLIN
    polled[1].fd = channel.errors    # poll ignores -1
    polled[1].events = POLLIN
    if channel.sent == channel.sending_size or channel.greeting:
        return 2
    polled[2].fd = channel.to_bot
    polled[2].events = POLLOUT
    return 3


cdef void free_buffers(Channel* channel) noexcept nogil:
    """Free the memory of a channel."""
    free(channel.gathering)
    free(channel.gathered)
    free(channel.sending)
    free(channel.asked)
    free(channel.inbox)


cdef int64_t now_nanoseconds() noexcept nogil:
    """Return the monotonic clock's time in nanoseconds."""
    cdef timespec moment
    clock_gettime(CLOCK_MONOTONIC, &moment)
    return <int64_t>moment.tv_sec * 1000000000 + moment.tv_nsec


@cython.final
cdef class Channels:
    """The channels by number, each with a process at its other end, and the events of the current run."""

    def __cinit__(self):
        self.asked_last = -1
        self.events = []
        self.closed = []
        self.spare = []
        self.dialogues = {}

    def __dealloc__(self):
        cdef int i
        for i in range(self.count):
            free_buffers(&self.all[i])
        free(self.all)
        free(self.polled)

    def open(self, int to_bot, int from_bot, int errors, *, bint lines, bytes greeting=b"", dialogue=None):
        """Add a process by its pipes, which become non-blocking, and return the number of its channel.

        Args:
            to_bot: Descriptor of the process's input.
            from_bot: Descriptor of its output.
            errors: Descriptor of its standard error.
            lines: Whether it is a program, which is asked in text.
            greeting: Bytes that it receives before its first question.
            dialogue: Writes its questions and reads its lines instead of JSON, unless it is None.

        Raises:
            MemoryError: The worker itself lacks memory.
        """
        cdef int number = self.spare.pop() if self.spare else self.count
        cdef size_t count = self.count + 1
        if not (
            grown(<void**>&self.all, &self.capacity, count, sizeof(Channel))
            and grown(<void**>&self.polled, &self.polled_capacity, MAX_POLLED * count, sizeof(pollfd))
        ):
            raise MemoryError
        cdef Channel* channel = &self.all[number]
        if number < self.count:
            free_buffers(channel)
        else:
            self.count += 1
        memset(channel, 0, sizeof(Channel))
        for descriptor in (to_bot, from_bot, errors):
            os.set_blocking(descriptor, False)
        channel.to_bot = to_bot
        channel.from_bot = from_bot
        channel.errors = errors
        channel.lines = lines
        channel.is_open = True
        if dialogue is not None:
            self.dialogues[number] = dialogue
            channel.dialogue = <void*>dialogue
        if not start_gathering(channel, 4096) or not gather_bytes(channel, <const char*>greeting, len(greeting)):
            raise MemoryError
        channel.greeting = len(greeting)
        return number

    def close(self, int number):
        """Forget a channel. The caller ends its process. Its lanes must be dropped or stopped.

        After the next run its number can belong to another channel.

        Raises:
            ValueError: The channel is already closed.
        """
        cdef Channel* channel = &self.all[number]
        if channel.is_closed:
            raise ValueError("the channel is closed already")
        channel.is_open = False
        channel.is_closed = True
        channel.outstanding = False
        self.closed.append(number)
        channel.dialogue = NULL
        self.dialogues.pop(number, None)

    def unsent(self, int number):
        """Return the unwritten bytes of the message that is being sent, and for a program of the next one."""
        cdef Channel* channel = &self.all[number]
        cdef bytes unsent = channel.sending[channel.sent:channel.sending_size] if channel.sending != NULL else b""
        return unsent + channel.gathering[:channel.gathered_size] if channel.lines else unsent

    def is_outstanding(self, int number):
        """Return whether a message is unanswered, the number of messages, and whether a bot is still starting.

        A Python bot's process reports when the bots of a message have started. A program has started when it has read
        everything that it was sent.
        """
        cdef Channel* channel = &self.all[number]
        cdef bint starts = channel.asks_start
        if channel.lines:
            starts = channel.messages == 1 and (channel.sent < channel.sending_size or unread_bytes(channel))
        return bool(channel.outstanding), channel.messages, bool(starts)

    def printed(self, int number):
        """Return the last bytes, at most 4,096, that a process wrote to standard error."""
        if self.all[number].is_open:
            drain(&self.all[number])
        return self.all[number].tail[:self.all[number].tail_size]

    def take_printed(self, int number):
        """Return the last bytes that a process wrote to standard error, and forget them."""
        cdef bytes taken = self.printed(number)
        self.all[number].tail_size = 0
        return taken

    def drain_all(self):
        """Read what processes wrote to standard error, so that none waits for space in the pipe."""
        cdef int i
        for i in range(self.count):
            if self.all[i].is_open:
                drain(&self.all[i])

    cdef void begin_run(self):
        """Free the numbers of channels that were closed before this run."""
        self.lacks_memory = False
        self.spare += self.closed
        self.closed.clear()

    cdef list take_events(self):
        """Return the events of the run, as Lanes.run returns them.

        Raises:
            MemoryError: The worker itself had too little memory.
        """
        events = self.events
        self.events = []
        self.has_events = False
        if self.lacks_memory:
            raise MemoryError("no memory is left for bots' questions and answers")
        return events

    cdef void note_question(self, int number) noexcept nogil:
        """Record a question that was gathered. The first one begins the process's wait."""
        if self.all[number].questions == 1:
            self.turns += 1
            self.all[number].waits_since = self.turns

    cdef int send_next(self) noexcept nogil:
        """Send the questions of one process with many lanes, and of every program. Return the last one's number or -1.

        Asking processes one at a time makes messages twice as long, because questions to the others gather while one
        answers. A program's message has one question, so it doesn't wait. If the chosen process has few questions,
        others with about as many are asked at the same time. On one core the processes then wake one after another,
        without the worker in between.
        """
        cdef Channel* channel
        cdef int number
        cdef int last = -1
        cdef int chosen = self.choose()
        cdef bint has_few = chosen >= 0 and self.all[chosen].gathered_count < MANY_QUESTIONS
        for number in range(self.count):
            channel = &self.all[number]
            if not can_be_asked(channel):
                continue
            if channel.lines:
                last = number
                if channel.dialogue != NULL or self.was_silent(number):
                    take_gathered_lanes(channel)
                    self.speak(number)
            elif number == chosen or (has_few and channel.gathered_count >= ALSO_ASKED):
                last = number
                if take_gathered_message(channel):
                    self.push_on(number)
                else:
                    self.lack_memory(number)
        return last

    cdef int choose(self) noexcept nogil:
        """Return the number of the process with many lanes to ask next, or -1.

        The process that was asked last comes first if it has many questions again, because its memory is still in the
        processor's cache. Otherwise the process that has waited longest is next. If it has few questions, the one with
        most questions is next instead, for some turns.
        """
        cdef int first = -1
        cdef int fullest = -1
        cdef int number
        cdef Channel* channel
        for number in range(self.count):
            channel = &self.all[number]
            if channel.lines or not can_be_asked(channel):
                continue
            if (
                number == self.asked_last
                and channel.gathered_count >= MANY_QUESTIONS
                and ASK_AGAIN * channel.gathered_count >= channel.asked_count
            ):
                return number
            if first < 0 or channel.waits_since < self.all[first].waits_since:
                first = number
            if fullest < 0 or channel.gathered_count > self.all[fullest].gathered_count:
                fullest = number
        if first >= 0 and self.all[first].gathered_count < MANY_QUESTIONS:
            if self.turns - self.all[first].waits_since < MOST_TURNS * <uint64_t>self.count:
                first = fullest
        self.asked_last = first
        return first

    cdef void speak(self, int number) noexcept nogil:
        """Send what was gathered for a program."""
        cdef Channel* channel = &self.all[number]
        if channel.sending_size - channel.sent > MAX_UNREAD:
            self.fail(number, b"does not read what it is told")
        elif not append_gathered(channel):
            self.lack_memory(number)
        else:
            self.push_on(number)

    cdef bint was_silent(self, int number) noexcept nogil:
        """Fail a program that has written something before it is asked. Return whether it was silent.

        The pipe is read only the first time. Later, a line too many is found together with the next one.
        """
        cdef Channel* channel = &self.all[number]
        if not make_inbox(channel, line_room(channel)):
            self.lack_memory(number)
            return False
        if channel.messages == 0:
            pull(channel, line_room(channel))   # detects that the process has ended
        if channel.inbox_size == 0:
            return True
        self.refuse_line(number, b"answered before it was asked: ")
        return False

    cdef void push_on(self, int number) noexcept nogil:
        """Write as much of a channel's message as fits into the pipe."""
        cdef Channel* channel = &self.all[number]
        cdef size_t until
        cdef Py_ssize_t put
        while channel.sent < channel.sending_size:
            if channel.greeting and channel.sent >= channel.greeting:
                # The program's work after the greeting is part of its start.
                if channel.messages == 1 and unread_bytes(channel):
                    return
                channel.greeting = 0
            until = channel.greeting if channel.greeting else channel.sending_size
            put = write(channel.to_bot, channel.sending + channel.sent, until - channel.sent)
            if put > 0:
                channel.sent += put
            elif put < 0 and errno == EAGAIN:
                return
            elif put == 0 or errno != EINTR:
                if channel.lines:   # the program reads no more, but might have answered already
                    channel.sent = channel.sending_size
                else:
                    self.fail(number, b"")
                return

    cdef bint receive(self, int number) noexcept nogil:
        """Read a channel's answer as far as it has arrived. Return True if it is complete or the channel failed."""
        cdef Channel* channel = &self.all[number]
        cdef size_t most = most_answer_bytes(channel.asked_count, self.most_text)
        cdef size_t room = min(most + 1, max(channel.inbox_capacity, <size_t>FIRST_ROOM))
        cdef size_t size
        cdef Reading reading
        while True:
            if not make_inbox(channel, room):
                self.lack_memory(number)
                return True
            reading = pull(channel, room)
            if reading == NOTHING_YET:
                return False
            if reading == NO_MORE:
                self.fail(number, b"")
                return True
            if channel.asks_start:
                take_word_of_start(channel)
            if channel.inbox_size >= sizeof(Header):
                size = (<Header*>channel.inbox).size
                if size <= channel.inbox_size or size > most:
                    channel.outstanding = False
                    return True
            if channel.inbox_size == room:
                room = min(most + 1, 2 * room)

    cdef bint wait_for_any(self, int64_t until) noexcept nogil:
        """Wait for at most 50 ms until a process answers or writes to standard error.

        Args:
            until: Time of the monotonic clock, in nanoseconds, after which it doesn't wait.

        Returns:
            False if no process is asked or the time is over.
        """
        cdef int i
        cdef int count = 0
        cdef int most = 50
        cdef int64_t left = (until - now_nanoseconds()) // 1000000
        cdef Channel* channel
        if left <= 0:
            return False
        for i in range(self.count):
            channel = &self.all[i]
            if channel.is_open and channel.outstanding:
                count += watch(channel, &self.polled[count])
                if channel.greeting:
                    most = 1
        if count == 0:
            return False
        poll(self.polled, count, min(<int>left, most))
        count = 0
        for i in range(self.count):
            channel = &self.all[i]
            if channel.is_open and channel.outstanding:
                if self.polled[count + 1].revents:
                    drain(channel)
                count += 2 if channel.sent == channel.sending_size or channel.greeting else 3
        return True

    cdef void refuse_line(self, int number, const char* why) noexcept with gil:
        """Fail a channel because of the line that its program wrote, and quote the line."""
        cdef Channel* channel = &self.all[number]
        cdef bytes line = channel.inbox[:min(channel.inbox_size, <size_t>MAX_QUOTED)].split(b"\n")[0]
        cdef bytes text = <bytes>why + bytes([letter if 32 <= letter < 127 else 63 for letter in line])
        self.fail(number, text, WROTE_NO_ANSWER)

    cdef void lack_memory(self, int number) noexcept nogil:
        """Record that the worker has no memory for a channel, which isn't the bot's fault."""
        self.lacks_memory = True
        self.fail(number, b"")

    cdef void fail(self, int number, const char* why, int kind=CHANNEL_FAILED) noexcept nogil:
        """Record that a channel can't continue, and report it. Without a reason its process has closed its pipes."""
        if not self.all[number].is_open:
            return
        self.all[number].is_open = False
        self.all[number].outstanding = False
        drain(&self.all[number])
        self.report(kind, -1, number, why, strlen(why))

    cdef void report(
        self, int kind, int lane, int channel, const char* text, size_t length, const char* printed=NULL, size_t most=0
    ) noexcept with gil:
        """Record an event, with `most` bytes that a leg printed. −1 stands for no lane or no channel."""
        self.has_events = True
        try:
            what = text[:min(length, <size_t>MAX_EVENT_TEXT)].decode("utf-8", "replace")
            self.events.append((kind, lane, channel, what, printed[:most]))
        except MemoryError:
            self.lacks_memory = True
