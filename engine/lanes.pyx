"""Many legs played in step with bots that are processes.

A process answers in microseconds, and being woken takes it several. So one
message carries the pending decisions of many legs: each leg is a lane, each
process a channel. A lane plays until its process is wanted; when all lanes
wait, each channel's gathered questions go out in one message, and as the
answers come in the lanes play on.

Channels speak binary (`engine.python_bots` is the other end), many lanes each,
or lines of text, one lane each. Where a decision takes more than a line and its
answer, the caller brings a dialogue: an object whose `asked()` gives the lines that
put the decision, and whose `said(line)` is a line in reply, or the answer that
the program has come to.

A binary message is a Header and `count` Questions, each of `question_size`
bytes; its answer is a Header with the same serial, as many Answers, and the
texts of those that are faulty.
"""

import os

cimport cython
from libc.errno cimport EAGAIN, EINTR, errno
from libc.stdint cimport INT64_MAX, int32_t, int64_t, uint32_t, uint64_t
from libc.stdio cimport snprintf
from libc.stdlib cimport free, realloc
from libc.string cimport memchr, memcmp, memcpy, memmove, memset
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec
from posix.unistd cimport read, write

from engine.game_core cimport DECIDE, REFUSED, Decision, GameCore, Status
from engine.game_core cimport RECORDS_FULL as CORE_FULL
from engine.nearness cimport prefetch
from engine.records cimport Table
from engine.referee cimport Referee


LEG_ENDED = LEG_OVER_EVENT
RECORDS_FULL = RECORDS_FULL_EVENT
BOT_TRAPPED = TRAP_EVENT
BOT_FAULTY = FAULT_EVENT
BOT_OUT_OF_MEMORY = MEMORY_EVENT
CHANNEL_FAILED = CHANNEL_EVENT

cdef extern from "poll.h" nogil:
    struct pollfd:
        int fd
        short events
        short revents
    int poll(pollfd* descriptors, unsigned long count, int timeout)
    short POLLIN
    short POLLOUT


class Violation(Exception):
    """A program said what its dialogue doesn't allow; the message tells it."""


cdef enum:
    C_LEG_IS_OVER = 0
    C_RECORDS_ARE_FULL = 1
    C_ANSWER_WANTED = 2
    C_FAULT = 3
    LONGEST_LINE = 256
    LINES_AT_ONCE = 64          # of a program that asks back and back, before the others get their turn
    MOST_UNREAD = 1 << 24       # bytes that wait for a program to read them
    PATIENCE_MILLISECONDS = 1   # for the last of the channels asked together
    _CORE_LINES = 14            # of 64 bytes: about the size of a core
    _LARGEST_PILE = 1 << 15     # bytes
    _WORTH_ASKING_AGAIN = 4

MOST_LINE_BYTES = LONGEST_LINE - 1    # of a program's line, its end not counted


cdef int64_t now_nanoseconds() noexcept nogil:
    cdef timespec moment
    clock_gettime(CLOCK_MONOTONIC, &moment)
    return <int64_t>moment.tv_sec * 1000000000 + moment.tv_nsec


cdef bint grown(void** content, size_t* capacity, size_t needed, size_t item) noexcept nogil:
    """Make room for `needed` items; false when there is no memory."""
    cdef void* larger
    if needed <= capacity[0]:
        return True
    larger = realloc(content[0], 2 * needed * item)
    if larger == NULL:
        return False
    content[0] = larger
    capacity[0] = 2 * needed
    return True


@cython.final
cdef class Lanes:
    """The lanes and channels of one worker.

    `view_size` and `most_arguments` as in the contest's interface; `lines`:
    for each question the segments of its line and the words that answer it, as
    `tournament.worker.processes.lines` makes them.
    """
    cdef Lane* lanes
    cdef int lane_count
    cdef size_t lane_capacity
    cdef Channel* channels
    cdef int channel_count
    cdef size_t channel_capacity
    cdef int* ready
    cdef size_t ready_capacity
    cdef int ready_count
    cdef int* touched           # channels with questions that are not sent
    cdef size_t touched_capacity
    cdef int touched_count
    cdef Event* events          # of one run: at most one for each lane, which then is stopped, and each channel
    cdef size_t event_capacity
    cdef int event_count
    cdef pollfd* polled
    cdef size_t polled_capacity
    cdef int asked_last         # of the processes with many lanes, -1 for none yet
    cdef list closed            # channels closed since the last run, which may have told something of them
    cdef list spare             # channels whose places are free
    cdef int view_size
    cdef int most_arguments
    cdef size_t stride
    cdef Line texts[MOST_QUESTIONS]
    cdef list kept              # what the lanes point to
    cdef dict dialogues         # what the channels point to
    cdef object mishap          # an exception of ours, to be raised where the caller can see it

    def __init__(self, int view_size, int most_arguments, lines):
        self.view_size = view_size
        self.most_arguments = most_arguments
        self.stride = question_size(most_arguments, view_size)
        self.kept = []
        self.dialogues = {}
        self.asked_last = -1
        self.closed = []
        self.spare = []
        for number, (segments, words) in enumerate(lines):
            self.take_line(number, segments, words)

    def __dealloc__(self):
        cdef int i
        for i in range(self.channel_count):
            free_buffers(&self.channels[i])
        for i in range(self.lane_count):
            free(self.lanes[i].piles[0].content)
            free(self.lanes[i].piles[1].content)
        free(self.lanes)
        free(self.channels)
        free(self.ready)
        free(self.touched)
        free(self.events)
        free(self.polled)

    cdef take_line(self, int number, segments, words):
        cdef Line* line = &self.texts[number]
        cdef bytes text
        if number >= MOST_QUESTIONS or len(segments) > MOST_SEGMENTS or len(words) > MOST_WORDS:
            raise ValueError("a line of more pieces than there is room for")
        for i, (kind, place, text) in enumerate(segments):
            if len(text) > 31:
                raise ValueError(f"a piece of a line is longer than 31 characters: {text}")
            line.segments[i].kind = kind
            line.segments[i].place = place
            line.segments[i].length = <int>len(text)
            memcpy(line.segments[i].text, <const char*>text, len(text))
        line.segment_count = <int>len(segments)
        for i, (text, takes_number, value) in enumerate(words):
            line.words[i].length = <int>len(text)
            line.words[i].takes_number = takes_number
            line.words[i].value = value
            memcpy(line.words[i].text, <const char*>text, len(text))
        line.word_count = <int>len(words)

    def open_channel(self, int to_bot, int from_bot, int errors, *, bint lines, bytes greeting=b"", dialogue=None):
        """A process by its pipes (made non-blocking here); its number. `greeting` goes before the first question."""
        cdef int number = self.spare.pop() if self.spare else self.channel_count
        cdef size_t count = self.channel_count + 1
        if not (
            grown(<void**>&self.channels, &self.channel_capacity, count, sizeof(Channel))
            and grown(<void**>&self.touched, &self.touched_capacity, count, sizeof(int))
            and grown(<void**>&self.polled, &self.polled_capacity, 3 * count, sizeof(pollfd))
        ):
            raise MemoryError
        cdef Channel* channel = &self.channels[number]
        if number < self.channel_count:
            free_buffers(channel)
        else:
            self.channel_count += 1
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
        if not grown(<void**>&channel.gathering, &channel.gathering_capacity, 4096, 1):
            raise MemoryError
        if lines:
            if not grown(<void**>&channel.gathering, &channel.gathering_capacity, len(greeting) + 4096, 1):
                raise MemoryError
            memcpy(channel.gathering, <const char*>greeting, len(greeting))
            channel.gathered_size = len(greeting)
        else:
            channel.gathered_size = sizeof(Header)
        return number

    def close_channel(self, int number):
        """Forget a channel, once; its process is the caller's to end. Its lanes must be gone or stopped.

        Whether it was one of lines. After the next run its number may stand for another channel.
        """
        cdef Channel* channel = &self.channels[number]
        cdef int kept = 0
        cdef int i
        if channel.is_closed:
            raise ValueError("the channel is closed already")
        channel.is_open = False
        channel.is_closed = True
        channel.outstanding = False
        for i in range(self.touched_count):
            if self.touched[i] != number:
                self.touched[kept] = self.touched[i]
                kept += 1
        self.touched_count = kept
        self.closed.append(number)
        channel.dialogue = NULL
        self.dialogues.pop(number, None)
        return bool(channel.lines)

    def unsent(self, int number):
        """What a process has not read yet of the message that is out."""
        cdef Channel* channel = &self.channels[number]
        return channel.sending[channel.sent:channel.sending_size] if channel.sending != NULL else b""

    def open_lane(self, GameCore core, Referee referee, Table games, Table sessions, channels, places):
        """A leg at its beginning; its number. `referee` is None without WebAssembly bots; they have channel -1.

        The core writes into the tables. They should be small, for each row's
        place in each of them must come near in time: whenever one is full its rows go on a pile.
        """
        cdef size_t count = self.lane_count + 1
        if not (
            grown(<void**>&self.lanes, &self.lane_capacity, count, sizeof(Lane))
            and grown(<void**>&self.ready, &self.ready_capacity, count, sizeof(int))
        ):
            raise MemoryError
        cdef int number = self.lane_count
        cdef Lane* lane = &self.lanes[number]
        memset(lane, 0, sizeof(Lane))
        lane.core = <void*>core
        lane.referee = <void*>referee if referee is not None else NULL
        lane.tables[0] = <void*>games
        lane.tables[1] = <void*>sessions
        self.kept.append((core, referee, games, sessions))
        for seat in range(2):
            lane.channels[seat] = channels[seat]
            lane.places[seat] = places[seat]
        lane.state = STOPPED
        self.lane_count += 1
        return number

    def start_bot(self, int lane_number, int seat, uint64_t seed):
        """Have the seat's process make a new bot for the lane, before its next question."""
        cdef Lane* lane = &self.lanes[lane_number]
        if not self.gather(lane.channels[seat], -1, START_LANE, lane.places[seat], <int64_t>seed):
            raise MemoryError

    def end_bot(self, int lane_number, int seat):
        """Have the seat's process forget the lane's bot."""
        cdef Lane* lane = &self.lanes[lane_number]
        if self.channels[lane.channels[seat]].is_open:
            if not self.gather(lane.channels[seat], -1, END_LANE, lane.places[seat], 0):
                raise MemoryError

    def resume(self, int lane_number, int64_t answer=0):
        """Let a stopped lane play on with this answer to what was pending."""
        cdef Lane* lane = &self.lanes[lane_number]
        if lane.state != STOPPED:
            raise ValueError("only a stopped lane can be resumed")
        lane.answer = answer
        lane.state = READY
        self.ready[self.ready_count] = lane_number
        self.ready_count += 1

    def take_piles(self, int lane_number):
        """A lane's rows that are in its tables no more, as (games, sessions): blocks as Table.as_bytes gives them."""
        cdef Pile* piles = self.lanes[lane_number].piles
        games, sessions = piles[0].content[:piles[0].size], piles[1].content[:piles[1].size]
        piles[0].size = piles[1].size = 0
        return games, sessions

    def drop(self, int lane_number):
        """Forget a lane; what its bots still answer is ignored."""
        cdef int i
        cdef int kept = 0
        self.lanes[lane_number].state = GONE
        self.lanes[lane_number].core = NULL
        self.lanes[lane_number].referee = NULL
        for i in range(2):
            free(self.lanes[lane_number].piles[i].content)
        memset(self.lanes[lane_number].piles, 0, sizeof(self.lanes[lane_number].piles))
        self.kept[lane_number] = None
        for i in range(self.ready_count):
            if self.ready[i] != lane_number:
                self.ready[kept] = self.ready[i]
                kept += 1
        self.ready_count = kept

    def stop(self, int lane_number):
        """Stop a lane that waits for its bot; the answer, should it come, is ignored."""
        cdef Lane* lane = &self.lanes[lane_number]
        cdef Channel* channel
        cdef int i
        lane.state = STOPPED
        for seat in range(2):
            if lane.channels[seat] >= 0:
                channel = &self.channels[lane.channels[seat]]
                for i in range(channel.asked_count):
                    if channel.asked[i] == lane_number:
                        channel.asked[i] = -1

    def change_channel(self, int lane_number, int seat, int channel):
        """Give a lane's seat another process."""
        self.lanes[lane_number].channels[seat] = channel

    def is_outstanding(self, int number):
        """(whether a message is out, how many messages there were)."""
        return bool(self.channels[number].outstanding), self.channels[number].messages

    def decisions(self, int lane_number):
        """How many decisions each seat's process was asked for."""
        return self.lanes[lane_number].decisions[0], self.lanes[lane_number].decisions[1]

    def complaints(self, int number):
        """The last bytes that a process wrote to standard error."""
        if self.channels[number].is_open:
            self.drain(&self.channels[number])
        return self.channels[number].tail[:self.channels[number].tail_size]

    def drain_all(self):
        """Read what processes wrote to standard error, so that none waits for it to be read."""
        cdef int i
        for i in range(self.channel_count):
            if self.channels[i].is_open:
                self.drain(&self.channels[i])

    def run(self, double seconds):
        """Play until something needs the caller, or for so many seconds.

        Returns what happened as (kind, lane, channel, text): LEG_ENDED,
        RECORDS_FULL, BOT_TRAPPED (the lane's WebAssembly bot, or any answered against the rules), BOT_FAULTY and
        BOT_OUT_OF_MEMORY (lane and channel), CHANNEL_FAILED. The lanes in
        question are stopped; those of a failed channel are not.
        """
        cdef int64_t until = now_nanoseconds() + <int64_t>(seconds * 1e9)
        cdef int i
        if not grown(
            <void**>&self.events, &self.event_capacity, self.lane_count + self.channel_count, sizeof(Event)
        ):
            raise MemoryError
        self.event_count = 0
        self.spare += self.closed
        self.closed.clear()
        with nogil:
            self.play(until)
        if self.mishap is not None:
            mishap, self.mishap = self.mishap, None
            raise mishap
        happened = []
        for i in range(self.event_count):
            event = &self.events[i]
            happened.append(
                (event.kind, event.lane, event.channel, event.text[:event.text_size].decode("utf-8", "replace"))
            )
        return happened

    cdef void play(self, int64_t until) noexcept nogil:
        cdef int sent, received
        while True:
            while self.ready_count:
                self.warm(self.ready_count - 9, False)
                self.warm(self.ready_count - 5, True)
                self.ready_count -= 1
                self.advance(self.ready[self.ready_count])
            if self.event_count or now_nanoseconds() >= until:
                return
            sent = self.send_next()
            if sent >= 0 and self.channels[sent].outstanding:
                poll(self.polled, self.watch(&self.channels[sent], self.polled), PATIENCE_MILLISECONDS)
            received = self.sweep()
            if received == 0 and sent < 0 and self.event_count == 0 and not self.wait_for_any(until):
                return

    cdef void warm(self, int place, bint core_is_near) noexcept nogil:
        """Have memory come near that a lane needs soon: it has not been touched since its last decision."""
        cdef char* core
        cdef int line
        if place < 0:
            return
        core = <char*>self.lanes[self.ready[place]].core
        if core == NULL:
            return
        if core_is_near:
            (<GameCore><void*>core).warm()
        else:
            for line in range(_CORE_LINES):
                prefetch(core + 64 * line)

    cdef int send_next(self) noexcept nogil:
        """Send the questions of the channel that has waited longest, and of every program; the last one's number or -1.

        Asked one after the other, processes find twice as many questions in a
        message as if all were asked at once: while one is asked, the others'
        questions gather. Lines carry one question each, so they need not wait.
        The one that was asked last comes first if it has many questions again:
        its memory is still near, as another's is not.
        """
        cdef int number
        cdef int last = -1
        cdef bint asked_many = False
        cdef int kept = 0
        cdef int i
        cdef int again = self.asked_last if self.is_worth_asking_again() else -1
        for i in range(self.touched_count):
            number = self.touched[i]
            if self.channels[number].lines or (not asked_many and (again < 0 or number == again)):
                self.channels[number].in_touched = False
                # One that is still at its last message comes back with its answer.
                if self.channels[number].is_open and not self.channels[number].outstanding:
                    self.send(number)
                    if not self.channels[number].lines:
                        asked_many = True
                        self.asked_last = number
                    last = number
            else:
                self.touched[kept] = number
                kept += 1
        self.touched_count = kept
        return last

    cdef bint is_worth_asking_again(self) noexcept nogil:
        """Whether the process that was asked last has a quarter as many questions now."""
        cdef Channel* channel
        if self.asked_last < 0:
            return False
        channel = &self.channels[self.asked_last]
        return (
            channel.is_open
            and channel.in_touched
            and not channel.outstanding
            and _WORTH_ASKING_AGAIN * channel.gathered_count >= channel.asked_count
        )

    cdef int sweep(self) noexcept nogil:
        """Take in what answers there are; how many channels had one or failed."""
        cdef int i
        cdef int received = 0
        for i in range(self.channel_count):
            if self.channels[i].is_open and self.channels[i].outstanding:
                self.push(i)
            if self.channels[i].is_open and self.channels[i].outstanding:
                received += self.receive(i)
        return received

    cdef int watch(self, Channel* channel, pollfd* polled) noexcept nogil:
        """Fill in what to wait for until a channel can go on; how many descriptors these are."""
        polled[0].fd = channel.from_bot
        polled[0].events = POLLIN
        polled[1].fd = channel.errors    # -1 once it is closed, which poll passes over
        polled[1].events = POLLIN
        if channel.sent == channel.sending_size:
            return 2
        polled[2].fd = channel.to_bot
        polled[2].events = POLLOUT
        return 3

    cdef bint wait_for_any(self, int64_t until) noexcept nogil:
        """Wait until a process answers or complains; false when none is asked or the time is over."""
        cdef int i
        cdef int count = 0
        cdef int64_t left = (until - now_nanoseconds()) // 1000000
        cdef Channel* channel
        if left <= 0:
            return False
        for i in range(self.channel_count):
            channel = &self.channels[i]
            if channel.is_open and channel.outstanding:
                count += self.watch(channel, &self.polled[count])
        if count == 0:
            return False
        poll(self.polled, count, <int>left if left < 50 else 50)
        count = 0
        for i in range(self.channel_count):
            channel = &self.channels[i]
            if channel.is_open and channel.outstanding:
                if self.polled[count + 1].revents:
                    self.drain(channel)
                count += 2 if channel.sent == channel.sending_size else 3
        return True

    cdef void advance(self, int number) noexcept nogil:
        """Play a lane to its next question to a process, or to what the caller must see to."""
        cdef Lane* lane = &self.lanes[number]
        cdef Status status
        cdef int code, seat, channel
        cdef Decision* decision
        if lane.state != READY:
            return
        while True:
            if lane.referee != NULL:
                code = (<Referee>lane.referee).play_on(lane.answer)
            else:
                status = (<GameCore>lane.core).step(lane.answer)
                code = C_ANSWER_WANTED
                if status == DECIDE:
                    break
                code = C_RECORDS_ARE_FULL if status == CORE_FULL else C_FAULT if status == REFUSED else C_LEG_IS_OVER
            if code != C_RECORDS_ARE_FULL or not self.pile_up(lane):
                break
        if code != C_ANSWER_WANTED:
            lane.state = STOPPED
            self.tell(code, number, -1, NULL, 0)
            return
        decision = &(<GameCore>lane.core).decision
        seat = decision.seat
        channel = lane.channels[seat]
        lane.decisions[seat] += 1
        lane.state = ASKED
        if self.channels[channel].dialogue != NULL:
            self.gather_dialogue(channel, number)
        elif self.channels[channel].lines:
            self.gather_line(channel, number)
        elif not self.gather(channel, number, decision.kind, lane.places[seat], 0):
            self.fail(channel, b"there is no memory left for its questions")

    cdef bint pile_up(self, Lane* lane) noexcept nogil:
        """Put the rows of full tables on their piles; false when a pile should be taken away first."""
        cdef Pile* pile
        cdef size_t size
        cdef int i
        for i in range(2):
            pile = &lane.piles[i]
            if (<Table>lane.tables[i]).rows < (<Table>lane.tables[i]).capacity:
                continue
            size = (<Table>lane.tables[i]).size
            if pile.size and pile.size + size > _LARGEST_PILE:
                return False
            if not grown(<void**>&pile.content, &pile.capacity, pile.size + size, 1):
                return False
            memcpy(pile.content + pile.size, (<Table>lane.tables[i]).content, size)
            pile.size += size
            (<Table>lane.tables[i]).rows = 0
        return True

    cdef bint gather(self, int number, int lane, int kind, int place, int64_t argument) noexcept nogil:
        """Add a question to a channel's next message; false when there is no memory."""
        cdef Channel* channel = &self.channels[number]
        cdef Question* question
        cdef Decision* decision
        cdef size_t capacity = <size_t>channel.gathered_capacity
        cdef int i
        if not grown(<void**>&channel.gathering, &channel.gathering_capacity, channel.gathered_size + self.stride, 1):
            return False
        if not grown(<void**>&channel.gathered, &capacity, channel.gathered_count + 1, sizeof(int)):
            return False
        channel.gathered_capacity = <int>capacity
        question = <Question*>(channel.gathering + channel.gathered_size)
        question.lane = place
        question.kind = kind
        if lane >= 0:
            decision = &(<GameCore>self.lanes[lane].core).decision
            for i in range(decision.argument_count):
                question.arguments[i] = decision.arguments[i]
            memcpy(
                &question.arguments[self.most_arguments],
                (<GameCore>self.lanes[lane].core).windows[decision.seat],
                self.view_size,
            )
        else:
            question.arguments[0] = argument
        channel.gathered[channel.gathered_count] = lane
        channel.gathered_count += 1
        channel.gathered_size += self.stride
        if lane >= 0:    # starts and ends wait for a question: what goes wrong in them is then a decision's fault
            self.touch(number)
        return True

    cdef void gather_line(self, int number, int lane) noexcept nogil:
        """Write a question as a line."""
        cdef Channel* channel = &self.channels[number]
        cdef Decision* decision = &(<GameCore>self.lanes[lane].core).decision
        cdef unsigned char* view = (<GameCore>self.lanes[lane].core).windows[decision.seat]
        cdef Line* line = &self.texts[decision.kind]
        cdef Segment* segment
        cdef size_t capacity = <size_t>channel.gathered_capacity
        cdef size_t size = channel.gathered_size
        cdef char* target
        cdef int i
        if not grown(<void**>&channel.gathered, &capacity, 1, sizeof(int)) or not grown(
            <void**>&channel.gathering, &channel.gathering_capacity, size + 64 * MOST_SEGMENTS, 1
        ):
            self.fail(number, b"there is no memory left for its questions")
            return
        channel.gathered_capacity = <int>capacity
        for i in range(line.segment_count):
            segment = &line.segments[i]
            target = <char*>channel.gathering + size
            if segment.kind == 0:
                memcpy(target, segment.text, segment.length)
                size += segment.length
            elif segment.kind == 1:
                size += snprintf(target, 32, "%lld", <long long>decision.arguments[segment.place])
            elif segment.kind == c"f":
                size += snprintf(target, 32, "%.9g", <double>(<float*>(view + segment.place))[0])
            elif segment.kind == c"d":
                size += snprintf(target, 32, "%.17g", (<double*>(view + segment.place))[0])
            elif segment.kind == c"q":
                size += snprintf(target, 32, "%lld", <long long>(<int64_t*>(view + segment.place))[0])
            else:
                size += snprintf(target, 32, "%d", (<int32_t*>(view + segment.place))[0])
        channel.gathered_size = size
        channel.gathered[0] = lane
        channel.gathered_count = 1
        self.touch(number)

    cdef void gather_dialogue(self, int number, int lane) noexcept with gil:
        """Write what puts a decision in a dialogue."""
        cdef Channel* channel = &self.channels[number]
        cdef size_t capacity = <size_t>channel.gathered_capacity
        try:
            if not grown(<void**>&channel.gathered, &capacity, 1, sizeof(int)):
                raise MemoryError
            channel.gathered_capacity = <int>capacity
            self.add_lines(channel, (<object>channel.dialogue).asked())
        except BaseException as mishap:
            self.break_off(number, mishap)
            return
        channel.gathered[0] = lane
        channel.gathered_count = 1
        self.touch(number)

    cdef add_lines(self, Channel* channel, lines):
        """Add to what a channel is sent next."""
        cdef bytes text = "".join([f"{line}\n" for line in lines]).encode()
        cdef size_t size = len(text)
        if not grown(<void**>&channel.gathering, &channel.gathering_capacity, channel.gathered_size + size, 1):
            raise MemoryError
        memcpy(channel.gathering + channel.gathered_size, <const char*>text, size)
        channel.gathered_size += size

    cdef void break_off(self, int number, mishap):
        """Stop for an exception that is no bot's fault; `run` raises it."""
        self.mishap = mishap
        self.fail(number, b"can't be talked with")

    cdef void speak(self, int number) noexcept nogil:
        """Send what a dialogue has gathered, behind what its program has yet to read."""
        cdef Channel* channel = &self.channels[number]
        cdef size_t unread = channel.sending_size - channel.sent
        if unread > MOST_UNREAD:
            self.fail(number, b"does not read what it is told")
            return
        if channel.sent > unread:
            memmove(channel.sending, channel.sending + channel.sent, unread)
            channel.sent = 0
            channel.sending_size = unread
        if not grown(
            <void**>&channel.sending, &channel.sending_capacity, channel.sending_size + channel.gathered_size, 1
        ):
            self.fail(number, b"there is no memory left for its questions")
            return
        memcpy(channel.sending + channel.sending_size, channel.gathering, channel.gathered_size)
        channel.sending_size += channel.gathered_size
        channel.gathered_size = 0
        self.push(number)

    cdef bint hear(self, int number) noexcept nogil:
        """Take in what a dialogue's program has said, up to its action; false when it has said nothing whole."""
        cdef Channel* channel = &self.channels[number]
        cdef unsigned char* end
        cdef size_t length
        cdef Py_ssize_t got
        cdef int lines = 0
        if channel.asked[0] < 0:    # its lane is stopped
            return False
        if not grown(<void**>&channel.inbox, &channel.inbox_capacity, LONGEST_LINE + 1, 1):
            self.fail(number, b"there is no memory left for its answers")
            return True
        while lines < LINES_AT_ONCE:
            end = <unsigned char*>memchr(channel.inbox, c"\n", channel.inbox_size)
            if end != NULL or channel.inbox_size >= LONGEST_LINE:
                length = end - channel.inbox if end != NULL else channel.inbox_size
                lines += 1
                if not self.understand(number, length):
                    return True
                channel.inbox_size -= length + 1
                memmove(channel.inbox, channel.inbox + length + 1, channel.inbox_size)
                if not channel.outstanding:
                    return True
                self.speak(number)
                if not channel.is_open:
                    return True
                continue
            got = read(channel.from_bot, channel.inbox + channel.inbox_size, LONGEST_LINE - channel.inbox_size)
            if got < 0 and errno == EINTR:
                continue
            if got < 0 and errno == EAGAIN:
                return lines > 0
            if got <= 0:
                self.fail(number, b"")
                return True
            channel.inbox_size += got
        return True

    cdef bint understand(self, int number, size_t length) noexcept with gil:
        """Have a dialogue take a line of so many bytes; false when the channel has failed over it."""
        cdef Channel* channel = &self.channels[number]
        cdef int asked = channel.asked[0]
        try:
            said = (<object>channel.dialogue).said(channel.inbox[:length])
            if isinstance(said, str):
                self.add_lines(channel, [said])
                return True
            self.lanes[asked].answer = said
        except Violation as violation:
            self.fail(number, str(violation).encode())
            return False
        except BaseException as mishap:
            self.break_off(number, mishap)
            return False
        self.lanes[asked].state = READY
        self.ready[self.ready_count] = asked
        self.ready_count += 1
        channel.outstanding = False
        return True

    cdef void touch(self, int number) noexcept nogil:
        if not self.channels[number].in_touched:
            self.channels[number].in_touched = True
            self.touched[self.touched_count] = number
            self.touched_count += 1

    cdef void send(self, int number) noexcept nogil:
        """Send what a channel has gathered."""
        cdef Channel* channel = &self.channels[number]
        cdef Header* header
        if channel.dialogue == NULL and channel.lines and not self.silent_so_far(number):
            return
        channel.serial += 1
        channel.messages += 1
        if not channel.lines:
            header = <Header*>channel.gathering
            header.size = <uint32_t>channel.gathered_size
            header.serial = channel.serial
            header.count = <uint32_t>channel.gathered_count
            header.text_size = 0
        channel.gathered, channel.asked = channel.asked, channel.gathered
        channel.gathered_capacity, channel.asked_capacity = channel.asked_capacity, channel.gathered_capacity
        channel.asked_count = channel.gathered_count
        if channel.dialogue != NULL:
            channel.gathered_count = 0
            channel.outstanding = True
            self.speak(number)
            if channel.is_open:
                self.hear(number)    # it may have written ahead
            return
        channel.gathering, channel.sending = channel.sending, channel.gathering
        channel.gathering_capacity, channel.sending_capacity = channel.sending_capacity, channel.gathering_capacity
        channel.sending_size = channel.gathered_size
        channel.gathered_count = 0
        channel.gathered_size = 0 if channel.lines else sizeof(Header)
        channel.sent = 0
        channel.inbox_size = 0
        channel.outstanding = True
        if not grown(<void**>&channel.gathering, &channel.gathering_capacity, sizeof(Header), 1):
            self.fail(number, b"there is no memory left for its questions")
            return
        self.push(number)

    cdef bint silent_so_far(self, int number) noexcept nogil:
        """Whether a channel of lines has written nothing since its last answer; else it fails."""
        cdef Channel* channel = &self.channels[number]
        cdef Py_ssize_t got
        if not grown(<void**>&channel.inbox, &channel.inbox_capacity, LONGEST_LINE + 1, 1):
            self.fail(number, b"there is no memory left for its answers")
            return False
        got = read(channel.from_bot, channel.inbox, LONGEST_LINE)
        if got <= 0:    # if it has ended, sending will tell
            return True
        channel.inbox_size = got
        self.refuse(number, b"answered before it was asked: ")
        return False

    cdef void push(self, int number) noexcept nogil:
        """Write what is not yet written of the message that is out."""
        cdef Channel* channel = &self.channels[number]
        cdef Py_ssize_t put
        while channel.sent < channel.sending_size:
            put = write(channel.to_bot, channel.sending + channel.sent, channel.sending_size - channel.sent)
            if put > 0:
                channel.sent += put
            elif put < 0 and errno == EINTR:
                continue
            elif put < 0 and errno == EAGAIN:
                return
            elif channel.dialogue != NULL:    # it reads no more; what it has said already may do
                channel.sent = channel.sending_size
            else:
                self.fail(number, b"")
                return

    cdef bint receive(self, int number) noexcept nogil:
        """Read a channel's answer as far as it is there; true when it is whole or the channel failed."""
        cdef Channel* channel = &self.channels[number]
        cdef size_t room, size
        cdef Py_ssize_t got
        if channel.dialogue != NULL:
            return self.hear(number)
        room = LONGEST_LINE if channel.lines else sizeof(Header) + channel.asked_count * (sizeof(Answer) + MOST_TEXT)
        if not grown(<void**>&channel.inbox, &channel.inbox_capacity, room + 1, 1):
            self.fail(number, b"there is no memory left for its answers")
            return True
        while True:
            got = read(channel.from_bot, channel.inbox + channel.inbox_size, room + 1 - channel.inbox_size)
            if got < 0 and errno == EINTR:
                continue
            if got < 0 and errno == EAGAIN:
                return False
            if got <= 0:
                self.fail(number, b"")
                return True
            channel.inbox_size += got
            if channel.lines:
                if memchr(channel.inbox, c"\n", channel.inbox_size) != NULL or channel.inbox_size > LONGEST_LINE:
                    channel.outstanding = False
                    self.take_line_answer(number)
                    return True
            elif channel.inbox_size >= sizeof(Header):
                size = (<Header*>channel.inbox).size
                if size <= channel.inbox_size or size > room:
                    channel.outstanding = False
                    self.take_answers(number)
                    if channel.is_open and self.has_questions(channel):
                        self.touch(number)
                    return True

    cdef bint has_questions(self, Channel* channel) noexcept nogil:
        """Whether a lane waits among what is gathered; starts and ends alone don't go out."""
        cdef int i
        for i in range(channel.gathered_count):
            if channel.gathered[i] >= 0:
                return True
        return False

    cdef void take_answers(self, int number) noexcept nogil:
        """Give the lanes of a whole message their answers."""
        cdef Channel* channel = &self.channels[number]
        cdef Header* header = <Header*>channel.inbox
        cdef Answer* answers = <Answer*>(channel.inbox + sizeof(Header))
        cdef char* text
        cdef size_t texts = 0
        cdef Lane* lane
        cdef int i, asked, length, kind
        if header.size != channel.inbox_size or header.serial != channel.serial:
            self.fail(number, b"wrote what is no answer to what it was asked")
            return
        if header.count != <uint32_t>channel.asked_count or header.size != (
            sizeof(Header) + header.count * sizeof(Answer) + header.text_size
        ):
            self.fail(number, b"wrote what is no answer to what it was asked")
            return
        for i in range(channel.asked_count):
            if answers[i].text_length < 0 or <uint32_t>answers[i].text_length > header.text_size:
                self.fail(number, b"wrote what is no answer to what it was asked")
                return
            texts += answers[i].text_length
        if texts != header.text_size:
            self.fail(number, b"wrote what is no answer to what it was asked")
            return
        text = <char*>(answers + channel.asked_count)
        for i in range(channel.asked_count):
            asked = channel.asked[i]
            length = answers[i].text_length
            if asked >= 0:
                lane = &self.lanes[asked]
                if lane.state == ASKED:
                    if answers[i].status == ANSWERED:
                        lane.answer = answers[i].answer
                        lane.state = READY
                        self.ready[self.ready_count] = asked
                        self.ready_count += 1
                    else:
                        lane.state = STOPPED
                        kind = MEMORY_EVENT if answers[i].status == OUT_OF_MEMORY else FAULT_EVENT
                        self.tell(kind, asked, number, text, length)
            text += length

    cdef void take_line_answer(self, int number) noexcept nogil:
        """Read a channel's line: ACTION, a word, and a number for words that take one."""
        cdef Channel* channel = &self.channels[number]
        cdef int asked = channel.asked[0]
        cdef Lane* lane = &self.lanes[asked if asked >= 0 else 0]
        cdef Line* line
        cdef Word* word
        cdef char* text = <char*>channel.inbox
        cdef int size = <int>channel.inbox_size
        cdef int start, end, i
        cdef int64_t value
        if asked < 0 or lane.state != ASKED:
            return
        for i in range(size):
            if text[i] == c"\n":
                break
        else:
            self.refuse(number, b"wrote an over-long line: ")
            return
        if i != size - 1:
            self.refuse(number, b"answered before it was asked: ")
            return
        size = i
        if size and text[size - 1] == c"\r":
            size -= 1
        line = &self.texts[(<GameCore>lane.core).decision.kind]
        start = next_word(text, size, 0, &end)
        if end - start != 6 or memcmp(text + start, b"ACTION", 6) != 0:
            self.refuse(number, b"wrote what is no ACTION: ")
            return
        start = next_word(text, size, end, &end)
        for i in range(line.word_count):
            word = &line.words[i]
            if end - start == word.length and memcmp(text + start, word.text, word.length) == 0:
                value = word.value
                if word.takes_number:
                    start = next_word(text, size, end, &end)
                    if not read_number(text + start, end - start, &value):
                        self.refuse(number, b"wrote no whole number: ")
                        return
                start = next_word(text, size, end, &end)
                if start != end:
                    break
                lane.answer = value
                lane.state = READY
                self.ready[self.ready_count] = asked
                self.ready_count += 1
                return
        self.refuse(number, b"wrote an ACTION that is none: ")

    cdef void refuse(self, int number, const char* why) noexcept nogil:
        """Fail a channel for the line that it wrote, and quote it."""
        cdef Channel* channel = &self.channels[number]
        cdef char text[512]
        cdef int length = 0
        cdef int i
        cdef unsigned char letter
        while why[length]:
            text[length] = why[length]
            length += 1
        for i in range(<int>channel.inbox_size):
            letter = channel.inbox[i]
            if letter == c"\n" or i == 100:
                break
            text[length] = <char>letter if 32 <= letter < 127 else c"?"
            length += 1
        text[length] = 0
        self.fail(number, text)

    cdef void fail(self, int number, const char* why) noexcept nogil:
        """A channel can't go on. An empty reason: its process has ended or closed its pipes."""
        cdef int length = 0
        if not self.channels[number].is_open:
            return
        while why[length] and length < 511:
            length += 1
        self.channels[number].is_open = False
        self.channels[number].outstanding = False
        self.drain(&self.channels[number])
        self.tell(CHANNEL_EVENT, -1, number, why, length)

    cdef void tell(self, int kind, int lane, int channel, const char* text, int length) noexcept nogil:
        cdef Event* event = &self.events[self.event_count]
        event.kind = kind
        event.lane = lane
        event.channel = channel
        event.text_size = length if length < 511 else 511
        if length:
            memcpy(event.text, text, event.text_size)
        self.event_count += 1

    cdef void drain(self, Channel* channel) noexcept nogil:
        """Keep the last of what a process complains; a flood is read in portions."""
        cdef char chunk[4096]
        cdef Py_ssize_t got
        cdef int kept, _portion
        for _portion in range(64):
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


cdef void free_buffers(Channel* channel) noexcept nogil:
    free(channel.gathering)
    free(channel.gathered)
    free(channel.sending)
    free(channel.asked)
    free(channel.inbox)


cdef int next_word(char* text, int size, int start, int* end) noexcept nogil:
    """Where the next word begins; `end` becomes where it ends, the same when there is none."""
    while start < size and (text[start] == c" " or text[start] == c"\t"):
        start += 1
    end[0] = start
    while end[0] < size and text[end[0]] != c" " and text[end[0]] != c"\t":
        end[0] += 1
    return start


cdef bint read_number(char* text, int length, int64_t* value) noexcept nogil:
    """A whole number in decimal; what is too large is the largest."""
    cdef int i = 0
    cdef bint negative = False
    cdef int64_t number = 0
    if length and (text[0] == c"-" or text[0] == c"+"):
        negative = text[0] == c"-"
        i = 1
    if i == length:
        return False
    while i < length:
        if text[i] < c"0" or text[i] > c"9":
            return False
        number = number * 10 + (text[i] - c"0") if number < INT64_MAX // 10 - 1 else INT64_MAX - 10
        i += 1
    value[0] = -number if negative else number
    return True
