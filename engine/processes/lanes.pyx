"""Many legs played in step with bots that are processes.

A process answers in microseconds, and waking it takes several. So one
message carries the pending decisions of many legs: each leg is a lane, each
process a channel. A lane plays until it needs a process; when all lanes
wait, each channel's gathered questions go out in one message, and as the
answers come in the lanes play on.

Channels speak binary (`engine.processes.messages`), many lanes each, or lines of text
(`engine.processes.lines`), one lane each. Where a decision takes more than a line and its
answer, the caller brings a dialogue: an object whose `asked()` gives the lines that
put the decision, and whose `said(line)` is a line in reply, or the program's
answer to the decision.
"""

import os

cimport cython
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memchr, memcpy, memmove, memset
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

from engine.processes.channels cimport (
    MOST_POLLED,
    NO_MORE,
    NOTHING_YET,
    Channel,
    Reading,
    append_gathered,
    drain,
    free_buffers,
    gather_bytes,
    gather_lane,
    make_inbox,
    poll,
    pollfd,
    pull,
    push,
    start_gathering,
    take_gathered_lanes,
    take_gathered_message,
    watch,
)
from engine.kernel.game_core cimport DECIDE, REFUSED, Decision, GameCore, Status
from engine.kernel.game_core cimport RECORDS_FULL as CORE_FULL
from engine.kernel.limits cimport MOST_ARGUMENTS, MOST_VIEW_BYTES
from engine.processes.lines cimport C_MOST_LINE_BYTES, LONGEST_QUESTION, QuestionLines
from engine.kernel.memory cimport grown
from engine.processes.messages cimport (
    ANSWERED,
    END_LANE,
    MOST_TEXT,
    OUT_OF_MEMORY,
    START_LANE,
    Answer,
    Header,
    Question,
    is_answer,
    padding_of,
    question_size,
)
from engine.kernel.prefetch cimport prefetch
from engine.kernel.records cimport RowBuffer, Table
from engine.wasm.referee cimport Referee


LEG_ENDED = LEG_OVER_EVENT
RECORDS_FULL = RECORDS_FULL_EVENT
BOT_TRAPPED = TRAP_EVENT
BOT_FAULTY = FAULT_EVENT
BOT_OUT_OF_MEMORY = MEMORY_EVENT
CHANNEL_FAILED = CHANNEL_EVENT

cdef const char* PADDING = b"\0\0\0\0\0\0\0\0"
cdef const char* NO_MEMORY = b"there is no memory left for its questions"


class Violation(Exception):
    """A program said what its dialogue doesn't allow; the message tells it."""


cdef enum:
    C_LEG_IS_OVER = 0
    C_RECORDS_ARE_FULL = 1
    C_ANSWER_WANTED = 2
    C_FAULT = 3
    LINE_ROOM = C_MOST_LINE_BYTES + 1
    LINES_AT_ONCE = 64          # from a program in a dialogue, before the others get their turn
    MOST_UNREAD = 1 << 24       # bytes that wait for a program to read them
    PATIENCE_MILLISECONDS = 1   # to wait for the channel that was asked last
    CORE_LINES = 14             # of 64 bytes: about the size of a core
    LARGEST_BUFFER = 1 << 15    # bytes of a lane's rows
    ASK_AGAIN = 4               # ask the same process if it has a quarter as many questions as before
    MANY_QUESTIONS = 4          # with fewer, messages are what costs


cdef int64_t now_nanoseconds() noexcept nogil:
    cdef timespec moment
    clock_gettime(CLOCK_MONOTONIC, &moment)
    return <int64_t>moment.tv_sec * 1000000000 + moment.tv_nsec


@cython.final
cdef class Lanes:
    """The lanes and channels of one worker.

    `view_size`, `most_arguments` and `tells_values` as in the contest's interface, `lines` as
    QuestionLines takes them. Raises ValueError for more than there is room for.
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
    cdef Event* events          # of one run: at most one for each lane, which then stops, and for each channel
    cdef size_t event_capacity
    cdef int event_count
    cdef pollfd* polled
    cdef size_t polled_capacity
    cdef int asked_last         # of the processes with many lanes, -1 for none yet
    cdef int passed_over        # how often the one of them that waits longest was not asked
    cdef list closed            # channels closed since the last run, whose events may still be read
    cdef list spare             # channels whose numbers are free
    cdef int view_size
    cdef int most_arguments
    cdef bint tells_values
    cdef size_t stride
    cdef QuestionLines question_lines
    cdef list kept              # what the lanes point to
    cdef dict dialogues         # what the channels point to
    cdef object mishap          # an exception that `run` is to raise

    def __init__(self, int view_size, int most_arguments, lines, *, bint tells_values=False):
        if not 0 <= view_size <= MOST_VIEW_BYTES:
            raise ValueError(f"a view has {view_size} bytes, at most {int(MOST_VIEW_BYTES)} are possible")
        if not 1 <= most_arguments <= MOST_ARGUMENTS:
            raise ValueError(f"a question has {most_arguments} arguments, 1 to {int(MOST_ARGUMENTS)} are possible")
        self.view_size = view_size
        self.most_arguments = most_arguments
        self.tells_values = tells_values
        self.stride = question_size(most_arguments, view_size)
        self.kept = []
        self.dialogues = {}
        self.asked_last = -1
        self.closed = []
        self.spare = []
        self.question_lines = QuestionLines(lines)

    def __dealloc__(self):
        cdef int i
        for i in range(self.channel_count):
            free_buffers(&self.channels[i])
        for i in range(self.lane_count):
            free(self.lanes[i].buffers[0].content)
            free(self.lanes[i].buffers[1].content)
        free(self.lanes)
        free(self.channels)
        free(self.ready)
        free(self.touched)
        free(self.events)
        free(self.polled)

    def open_channel(self, int to_bot, int from_bot, int errors, *, bint lines, bytes greeting=b"", dialogue=None):
        """Add a process by its pipes, which become non-blocking; its number. It reads `greeting` first."""
        cdef int number = self.spare.pop() if self.spare else self.channel_count
        cdef size_t count = self.channel_count + 1
        if not (
            grown(<void**>&self.channels, &self.channel_capacity, count, sizeof(Channel))
            and grown(<void**>&self.touched, &self.touched_capacity, count, sizeof(int))
            and grown(<void**>&self.polled, &self.polled_capacity, MOST_POLLED * count, sizeof(pollfd))
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
        if not start_gathering(channel, 4096) or not gather_bytes(channel, <const char*>greeting, len(greeting)):
            raise MemoryError
        return number

    def close_channel(self, int number):
        """Forget a channel, once; the caller ends its process. Its lanes must be gone or stopped.

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

    def open_lane(self, GameCore core, Referee referee, Table games, Table sessions, channels, slots):
        """Add a leg at its beginning; its number. `referee` is None without WebAssembly bots, whose channel is -1.

        `slots`: what the seats' processes call the lane. The core writes into the
        tables. They should be small, so that their memory can be prefetched; when one is full,
        its rows move to a buffer.
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
            lane.slots[seat] = slots[seat]
        lane.state = STOPPED
        self.lane_count += 1
        return number

    def start_bot(self, int lane_number, int seat, uint64_t seed):
        """Have the seat's process make a new bot for the lane, before its next question."""
        cdef Lane* lane = &self.lanes[lane_number]
        if not self.gather(lane.channels[seat], -1, START_LANE, lane.slots[seat], <int64_t>seed):
            raise MemoryError

    def end_bot(self, int lane_number, int seat):
        """Have the seat's process forget the lane's bot."""
        cdef Lane* lane = &self.lanes[lane_number]
        if self.channels[lane.channels[seat]].is_open:
            if not self.gather(lane.channels[seat], -1, END_LANE, lane.slots[seat], 0):
                raise MemoryError

    def resume(self, int lane_number, int64_t answer=0):
        """Let a stopped lane play on with this answer to what was pending."""
        cdef Lane* lane = &self.lanes[lane_number]
        if lane.state != STOPPED:
            raise ValueError("only a stopped lane can be resumed")
        self.make_ready(lane_number, answer)

    def take_rows(self, int lane_number):
        """A lane's rows of games and of sessions, and how many of each: ((bytes, rows), (bytes, rows)).

        The bytes are blocks as its tables lie in memory; all but the last are full.
        """
        cdef Lane* lane = &self.lanes[lane_number]
        cdef RowBuffer* buffer
        cdef int i
        taken = []
        for i in range(2):
            buffer = &lane.buffers[i]
            if not (<Table>lane.tables[i]).move_rows(buffer):
                raise MemoryError
            taken.append((buffer.content[:buffer.size], buffer.rows))
            buffer.size = 0
            buffer.rows = 0
        return tuple(taken)

    def drop(self, int lane_number):
        """Forget a lane; what its bots still answer is ignored."""
        cdef int i
        cdef int kept = 0
        self.lanes[lane_number].state = GONE
        self.lanes[lane_number].core = NULL
        self.lanes[lane_number].referee = NULL
        for i in range(2):
            free(self.lanes[lane_number].buffers[i].content)
        memset(self.lanes[lane_number].buffers, 0, sizeof(self.lanes[lane_number].buffers))
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
            drain(&self.channels[number])
        return self.channels[number].tail[:self.channels[number].tail_size]

    def take_complaints(self, int number):
        """The last bytes that a process wrote to standard error, once: they are forgotten."""
        cdef bytes taken = self.complaints(number)
        self.channels[number].tail_size = 0
        return taken

    def drain_all(self):
        """Read what processes wrote to standard error, so that none waits for it to be read."""
        cdef int i
        for i in range(self.channel_count):
            if self.channels[i].is_open:
                drain(&self.channels[i])

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
        """`run` without the GIL, until this time of the monotonic clock."""
        cdef int sent, received
        while True:
            while self.ready_count:
                self.prefetch_lane(self.ready_count - 9, False)
                self.prefetch_lane(self.ready_count - 5, True)
                self.ready_count -= 1
                self.advance(self.ready[self.ready_count])
            if self.event_count or now_nanoseconds() >= until:
                return
            sent = self.send_next()
            if sent >= 0 and self.channels[sent].outstanding:
                poll(self.polled, watch(&self.channels[sent], self.polled), PATIENCE_MILLISECONDS)
            received = self.sweep()
            if received == 0 and sent < 0 and self.event_count == 0 and not self.wait_for_any(until):
                return

    cdef void prefetch_lane(self, int position, bint core_is_near) noexcept nogil:
        """Ask for the memory of a lane that is soon to play: it was not touched since its last decision."""
        cdef char* core
        cdef int line
        if position < 0:
            return
        core = <char*>self.lanes[self.ready[position]].core
        if core == NULL:
            return
        if core_is_near:
            (<GameCore><void*>core).prefetch()
        else:
            for line in range(CORE_LINES):
                prefetch(core + 64 * line)

    cdef int send_next(self) noexcept nogil:
        """Send the questions of one process with many lanes, and of every program; the last one's number or -1.

        Asked one after the other, processes get messages of twice as many questions
        as if all were asked at once: while one answers, the others'
        questions gather. Lines carry one question each, so they need not wait.
        """
        cdef int number
        cdef int last = -1
        cdef int kept = 0
        cdef int i
        cdef int chosen = self.choose()
        for i in range(self.touched_count):
            number = self.touched[i]
            if self.channels[number].lines or number == chosen:
                self.channels[number].in_touched = False
                # A channel that has not answered yet is touched again by its answer.
                if self.channels[number].is_open and not self.channels[number].outstanding:
                    self.send(number)
                    last = number
            else:
                self.touched[kept] = number
                kept += 1
        self.touched_count = kept
        return last

    cdef int choose(self) noexcept nogil:
        """Of the processes with many lanes, the one to be asked next; -1 for none.

        The process that was asked last comes first if it has many questions again:
        its memory is still in the processor's cache. Then the one that waits longest; but where it has few questions,
        the one that has most, until it was passed over as often as processes wait.
        """
        cdef int first = -1
        cdef int fullest = -1
        cdef int number, i
        cdef Channel* channel
        for i in range(self.touched_count):
            number = self.touched[i]
            channel = &self.channels[number]
            if channel.lines or channel.outstanding or not channel.is_open:
                continue
            if first < 0:
                first = number
            if fullest < 0 or channel.gathered_count > self.channels[fullest].gathered_count:
                fullest = number
        if fullest < 0:
            return -1
        if self.is_worth_asking_again():
            return self.asked_last
        if (
            fullest == first
            or self.channels[first].gathered_count >= MANY_QUESTIONS
            or self.passed_over >= self.touched_count
        ):
            self.passed_over = 0
            fullest = first
        else:
            self.passed_over += 1
        self.asked_last = fullest
        return fullest

    cdef bint is_worth_asking_again(self) noexcept nogil:
        """Whether the process that was asked last has many questions now, a quarter as many as then."""
        cdef Channel* channel
        if self.asked_last < 0:
            return False
        channel = &self.channels[self.asked_last]
        return (
            channel.is_open
            and channel.in_touched
            and not channel.outstanding
            and channel.gathered_count >= MANY_QUESTIONS
            and ASK_AGAIN * channel.gathered_count >= channel.asked_count
        )

    cdef int sweep(self) noexcept nogil:
        """Read the answers that are there; how many channels had one or failed."""
        cdef int i
        cdef int received = 0
        for i in range(self.channel_count):
            if self.channels[i].is_open and self.channels[i].outstanding:
                self.push_on(i)
            if self.channels[i].is_open and self.channels[i].outstanding:
                received += self.receive(i)
        return received

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
                count += watch(channel, &self.polled[count])
        if count == 0:
            return False
        poll(self.polled, count, <int>left if left < 50 else 50)
        count = 0
        for i in range(self.channel_count):
            channel = &self.channels[i]
            if channel.is_open and channel.outstanding:
                if self.polled[count + 1].revents:
                    drain(channel)
                count += 2 if channel.sent == channel.sending_size else 3
        return True

    cdef void advance(self, int number) noexcept nogil:
        """Play a lane to its next question to a process, or to what the caller must deal with."""
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
            if code != C_RECORDS_ARE_FULL or not self.make_room(lane):
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
        elif decision.argument_count > self.most_arguments:
            self.refuse_question(channel, decision.argument_count)
        elif not self.gather(channel, number, decision.kind, lane.slots[seat], 0):
            self.fail(channel, NO_MEMORY)

    cdef bint make_room(self, Lane* lane) noexcept nogil:
        """Move the rows of full tables to their buffers; false when the caller should take those first."""
        cdef RowBuffer* buffer
        cdef int i
        for i in range(2):
            if (<Table>lane.tables[i]).rows < (<Table>lane.tables[i]).capacity:
                continue
            buffer = &lane.buffers[i]
            if buffer.size and buffer.size + (<Table>lane.tables[i]).size > LARGEST_BUFFER:
                return False
            if not (<Table>lane.tables[i]).move_rows(buffer):
                return False
        return True

    cdef void refuse_question(self, int number, int argument_count) noexcept with gil:
        """Break off for a core that asks with more arguments than its contest's interface has."""
        text = f"a question has {argument_count} arguments, the interface says at most {self.most_arguments}"
        self.break_off(number, ValueError(text))

    cdef bint gather(self, int number, int lane, int kind, int slot, int64_t argument) noexcept nogil:
        """Add a question to a channel's next message; false when there is no memory."""
        cdef Channel* channel = &self.channels[number]
        cdef Question* question
        cdef Decision* decision
        cdef int i
        if not grown(<void**>&channel.gathering, &channel.gathering_capacity, channel.gathered_size + self.stride, 1):
            return False
        if not gather_lane(channel, lane):
            return False
        question = <Question*>(channel.gathering + channel.gathered_size)
        question.lane = slot
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
        channel.gathered_size += self.stride
        if lane >= 0 and self.tells_values and not self.gather_values(channel, lane):
            return False
        if lane >= 0:    # starts and ends wait for a question, so that their faults belong to a decision
            self.touch(number)
        return True

    cdef bint gather_values(self, Channel* channel, int lane) noexcept with gil:
        """Add what a lane's decision tells behind its question, whose first argument is its size; false without memory.

        For a channel of lines it is the line.
        """
        cdef size_t question = channel.gathered_size - self.stride
        cdef bytes told
        try:
            told = (<GameCore>self.lanes[lane].core).told(channel.lines)
            if not gather_bytes(channel, <const char*>told, len(told)):
                return False
            if not channel.lines:
                (<Question*>(channel.gathering + question)).arguments[0] = len(told)
                return gather_bytes(channel, PADDING, padding_of(len(told)))
        except MemoryError:
            return False
        except BaseException as mishap:
            self.mishap = mishap
            return False
        return True

    cdef void gather_line(self, int number, int lane) noexcept nogil:
        """Write a question as a line."""
        cdef Channel* channel = &self.channels[number]
        cdef Decision* decision = &(<GameCore>self.lanes[lane].core).decision
        cdef size_t size = channel.gathered_size
        if not grown(
            <void**>&channel.gathering, &channel.gathering_capacity, size + LONGEST_QUESTION, 1
        ) or not gather_lane(channel, lane):
            self.fail(number, NO_MEMORY)
            return
        if self.tells_values:
            if self.gather_values(channel, lane):
                self.touch(number)
            else:
                self.fail(number, NO_MEMORY)
            return
        channel.gathered_size += self.question_lines.write(
            <char*>channel.gathering + size, decision, (<GameCore>self.lanes[lane].core).windows[decision.seat]
        )
        self.touch(number)

    cdef void gather_dialogue(self, int number, int lane) noexcept with gil:
        """Write the lines with which a dialogue asks for a decision."""
        cdef Channel* channel = &self.channels[number]
        try:
            self.add_lines(channel, (<object>channel.dialogue).asked())
            if not gather_lane(channel, lane):
                raise MemoryError
        except BaseException as mishap:
            self.break_off(number, mishap)
            return
        self.touch(number)

    cdef add_lines(self, Channel* channel, lines):
        """Add to what a channel is sent next."""
        cdef bytes text = "".join([f"{line}\n" for line in lines]).encode()
        if not gather_bytes(channel, <const char*>text, len(text)):
            raise MemoryError

    cdef void break_off(self, int number, mishap):
        """Stop for an exception that is no bot's fault; `run` raises it."""
        self.mishap = mishap
        self.fail(number, b"can't be talked with")

    cdef void speak(self, int number) noexcept nogil:
        """Send what a dialogue has gathered."""
        cdef Channel* channel = &self.channels[number]
        if channel.sending_size - channel.sent > MOST_UNREAD:
            self.fail(number, b"does not read what it is told")
        elif not append_gathered(channel):
            self.fail(number, NO_MEMORY)
        else:
            self.push_on(number)

    cdef bint hear(self, int number) noexcept nogil:
        """Read a dialogue's program up to its action; false when it has not written a whole line."""
        cdef Channel* channel = &self.channels[number]
        cdef unsigned char* end
        cdef size_t used
        cdef Reading reading
        cdef int lines = 0
        if channel.asked[0] < 0:    # its lane is stopped
            return False
        if not make_inbox(channel, LINE_ROOM):
            self.fail(number, NO_MEMORY)
            return True
        while lines < LINES_AT_ONCE:
            end = <unsigned char*>memchr(channel.inbox, c"\n", channel.inbox_size)
            if end != NULL:
                lines += 1
                used = end - channel.inbox + 1
                if not self.understand(number, used - 1):
                    return True
                channel.inbox_size -= used
                memmove(channel.inbox, channel.inbox + used, channel.inbox_size)
                if not channel.outstanding:
                    return True
                self.speak(number)
                if not channel.is_open:
                    return True
                continue
            if channel.inbox_size == LINE_ROOM:
                self.understand(number, LINE_ROOM)
                return True
            reading = pull(channel, LINE_ROOM)
            if reading == NOTHING_YET:
                return lines > 0
            if reading == NO_MORE:
                self.fail(number, b"")
                return True
        return True

    cdef bint understand(self, int number, size_t length) noexcept with gil:
        """Have a dialogue take a line of so many bytes; false when the channel has failed over it.

        A line that is too long fails it, whatever the dialogue makes of it.
        """
        cdef Channel* channel = &self.channels[number]
        cdef int64_t answer
        try:
            said = (<object>channel.dialogue).said(channel.inbox[:length])
            if length > C_MOST_LINE_BYTES:
                raise Violation("wrote an over-long line")
            if isinstance(said, str):
                self.add_lines(channel, [said])
                return True
            answer = said
        except Violation as violation:
            self.fail(number, str(violation).encode())
            return False
        except BaseException as mishap:
            self.break_off(number, mishap)
            return False
        self.make_ready(channel.asked[0], answer)
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
        if channel.dialogue != NULL:
            take_gathered_lanes(channel)
            self.speak(number)
            if channel.is_open:
                self.hear(number)    # it may have written ahead
            return
        if channel.lines and not self.silent_so_far(number):
            return
        if take_gathered_message(channel):
            self.push_on(number)
        else:
            self.fail(number, NO_MEMORY)

    cdef bint silent_so_far(self, int number) noexcept nogil:
        """Fail a channel of lines that has written something since its last answer; false if so."""
        cdef Channel* channel = &self.channels[number]
        if not make_inbox(channel, LINE_ROOM):
            self.fail(number, NO_MEMORY)
            return False
        channel.inbox_size = 0
        pull(channel, LINE_ROOM)    # if it has ended, sending will tell
        if channel.inbox_size == 0:
            return True
        self.refuse_line(number, b"answered before it was asked: ")
        return False

    cdef void push_on(self, int number) noexcept nogil:
        """Write what is not yet written of what a channel is sent."""
        cdef Channel* channel = &self.channels[number]
        if push(channel):
            return
        if channel.dialogue != NULL:    # it reads no more, but may have answered already
            channel.sent = channel.sending_size
        else:
            self.fail(number, b"")

    cdef bint receive(self, int number) noexcept nogil:
        """Read a channel's answer as far as it is there; true when it is whole or the channel failed."""
        cdef Channel* channel = &self.channels[number]
        cdef size_t room, size
        cdef Reading reading
        if channel.dialogue != NULL:
            return self.hear(number)
        room = LINE_ROOM if channel.lines else sizeof(Header) + channel.asked_count * (sizeof(Answer) + MOST_TEXT)
        if not make_inbox(channel, room + 1):
            self.fail(number, NO_MEMORY)
            return True
        while True:
            reading = pull(channel, room + 1)
            if reading == NOTHING_YET:
                return False
            if reading == NO_MORE:
                self.fail(number, b"")
                return True
            if channel.lines:
                if memchr(channel.inbox, c"\n", channel.inbox_size) != NULL or channel.inbox_size > LINE_ROOM:
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
        """Whether a lane waits for an answer to what is gathered. Starts and ends alone are not sent."""
        cdef int i
        for i in range(channel.gathered_count):
            if channel.gathered[i] >= 0:
                return True
        return False

    cdef void take_answers(self, int number) noexcept nogil:
        """Give the lanes of a whole message their answers."""
        cdef Channel* channel = &self.channels[number]
        cdef Answer* answers = <Answer*>(channel.inbox + sizeof(Header))
        cdef const char* text = <const char*>(answers + channel.asked_count)
        cdef Lane* lane
        cdef int i, asked, kind
        if not is_answer(channel.inbox, channel.inbox_size, channel.serial, <uint32_t>channel.asked_count):
            self.fail(number, b"wrote what is no answer to what it was asked")
            return
        for i in range(channel.asked_count):
            asked = channel.asked[i]
            if asked >= 0:
                lane = &self.lanes[asked]
                if lane.state == ASKED:
                    if answers[i].status == ANSWERED:
                        self.make_ready(asked, answers[i].answer)
                    else:
                        lane.state = STOPPED
                        kind = MEMORY_EVENT if answers[i].status == OUT_OF_MEMORY else FAULT_EVENT
                        self.tell(kind, asked, number, text, answers[i].text_length)
            text += answers[i].text_length

    cdef void take_line_answer(self, int number) noexcept nogil:
        """Give the lane of a channel of lines its answer."""
        cdef Channel* channel = &self.channels[number]
        cdef int asked = channel.asked[0]
        cdef int64_t answer
        cdef const char* wrong
        if asked < 0 or self.lanes[asked].state != ASKED:
            return
        wrong = self.question_lines.read(
            (<GameCore>self.lanes[asked].core).decision.kind,
            <const char*>channel.inbox,
            channel.inbox_size,
            &answer,
        )
        if wrong != NULL:
            self.refuse_line(number, wrong)
        else:
            self.make_ready(asked, answer)

    cdef void make_ready(self, int lane, int64_t answer) noexcept nogil:
        """Have a lane play on with this answer."""
        self.lanes[lane].answer = answer
        self.lanes[lane].state = READY
        self.ready[self.ready_count] = lane
        self.ready_count += 1

    cdef void refuse_line(self, int number, const char* why) noexcept nogil:
        """Fail a channel for the line that it wrote, and quote it."""
        cdef Channel* channel = &self.channels[number]
        cdef char text[512]
        cdef int length = 0
        cdef int i
        cdef unsigned char letter
        while why[length] and length < 100:
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
        drain(&self.channels[number])
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
