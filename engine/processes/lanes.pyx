"""Plays many legs in lockstep with bots that are processes.

A process answers in microseconds, and waking it takes several. So one message carries the pending decisions of many
legs: each leg is a lane, each process a channel. A lane plays until it needs a process. When all lanes wait, each
channel's gathered questions are sent in one message. As answers arrive, the lanes continue.

A channel exchanges binary messages with many lanes (`engine.processes.messages`), or lines of text with one lane. The
next line answers a line of JSON, and an earlier line is a fault. If decisions need more than a line, the caller passes
a dialogue. Its `question_lines()` returns the lines of a question. Its `read_line(line)` returns a list of lines in
reply, or the program's answer. A program with a dialogue can write ahead.

The caller of `run` can take a seat, too, with the channel BY_CALLER. Its lane is in `waiting` until the caller calls
`answer`, or `answer_rows` for all lanes.

A lane keeps the answers that counted. If its leg breaks off and begins again, they count again. Its bots get the same
questions, so that they have the same knowledge. Their new answers are ignored up to where the leg broke off.
"""

import json

cimport cython
from libc.stdint cimport int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memchr, memcpy, memmove, memset

from engine.kernel.game_core cimport DECIDE, RECORDS_FULL, REFUSED, SEATS, GameCore, Status
from engine.kernel.memory cimport grown
from engine.kernel.records cimport RowBuffer, Table
from engine.processes.channels cimport (
    BOT_FAULTY,
    BOT_OUT_OF_MEMORY,
    NO_MORE,
    NOTHING_YET,
    WROTE_NO_ANSWER,
    Channel,
    Channels,
    Reading,
    line_room,
    make_inbox,
    note_answer,
    now_nanoseconds,
    poll,
    pull,
    watch,
)
from engine.processes.kept_answers cimport (
    KeptAnswers,
    count_failure,
    counts_again,
    forget_last,
    is_failure_next,
    keep_failure,
    keep_number,
    keep_value,
    next_number,
    restore,
)
from engine.processes.lines cimport MAX_LINE_BYTES, find_action, read_whole
from engine.processes.messages cimport (
    ANSWERED,
    ANSWERED_IN_JSON,
    END_LANE,
    FAULTY,
    MAX_TEXT,
    OUT_OF_MEMORY,
    START_LANE,
    Answer,
    Header,
    is_answer,
)
from engine.processes.questions cimport QuestionWriter
from engine.wasm.referee cimport Referee


class Violation(Exception):
    """Raised when a program writes something that its dialogue doesn't allow. The message says what."""


def refuse_constant(name):
    """Refuse NaN and infinities, which JSON doesn't have.

    Raises:
        ValueError: Always.
    """
    raise ValueError(name)


cdef enum:
    CALLER = -2                 # instead of a channel, if the caller answers for the seat
    PATIENCE_MILLISECONDS = 1   # wait for the process that was asked last
    MAX_QUOTED = 200           # quoted characters of an invalid answer
    LINES_AT_ONCE = 64          # lines of one program in a dialogue before the others' turn
    LARGEST_BUFFER = 1 << 15    # bytes of a lane's rows

BY_CALLER = CALLER

cdef enum LaneState:
    READY       # the answer has arrived
    ASKED       # the bot has been asked
    STOPPED     # the caller has the event, and resumes or drops the lane
    GONE

cdef enum BotState:
    IDLE
    QUESTIONED
    HAS_ANSWERED    # answered before its turn
    HAS_FAILED      # failed before its turn; the caller keeps the fault

cdef struct SeatedBot:
    int channel             # -1 for none, or CALLER
    int slot                # the channel's number of the lane
    int state
    bint in_json            # whether the answer is in `values`
    int64_t answer
    uint64_t decisions
    int64_t slowest         # maximum nanoseconds of a decision

cdef struct Lane:
    void* core              # a GameCore
    void* referee           # a Referee if a seat has a WebAssembly bot, otherwise NULL
    SeatedBot few[SEATS]    # the first seats
    SeatedBot* more         # further seats, or NULL
    int seats
    int row                 # row in the caller's arrays, or -1
    int64_t answer
    int state
    void* tables[2]         # tables of games and of sessions, into which the core writes
    RowBuffer buffers[2]    # rows that were moved out of the tables
    KeptAnswers kept
    int values_counted      # number of the lane's values that count now


cdef inline SeatedBot* bot_of(Lane* lane, int seat) noexcept nogil:
    """Return the bot of a lane's seat."""
    return &lane.few[seat] if seat < SEATS else &lane.more[seat - SEATS]


cdef inline int due(Lane* lane) noexcept nogil:
    """Return the seat whose answer the core takes next."""
    return (<GameCore>lane.core).decision.seat


cdef inline int seat_at(Lane* lane, int channel) noexcept nogil:
    """Return the seat whose bot is at a channel's other end, or -1."""
    cdef int seat
    for seat in range(lane.seats):
        if bot_of(lane, seat).channel == channel:
            return seat
    return -1


cdef int without(int* lanes, int count, int lane) noexcept nogil:
    """Remove a lane from these, and return the number of those that are left."""
    cdef int kept = 0
    cdef int i
    for i in range(count):
        if lanes[i] != lane:
            lanes[kept] = lanes[i]
            kept += 1
    return kept


cdef void replace_lane(int* lanes, int count, int lane) noexcept nogil:
    """Put -1 in the place of a lane whose answer is to be ignored."""
    cdef int i
    for i in range(count):
        if lanes[i] == lane:
            lanes[i] = -1


@cython.final
cdef class Lanes:
    """The lanes of one worker, and their `channels`.

    Args:
        view_size: Bytes of a view.
        questions: The shapes of the contest's decisions (see `questions.pyi`).
        tells_values: Whether bots receive values by name, without a view.
        most_text: Maximum bytes of a Python bot's answer as JSON.

    Raises:
        ValueError: The view or a decision is too large.
    """
    cdef readonly Channels channels
    cdef QuestionWriter questions
    cdef Lane* lanes
    cdef int lane_count
    cdef size_t lane_capacity
    cdef int* ready
    cdef size_t ready_capacity
    cdef int ready_count
    cdef int* asks_caller       # lanes that wait for the caller
    cdef size_t asks_caller_capacity
    cdef int asks_caller_count
    cdef list spare             # numbers of dropped lanes
    cdef list kept              # objects that the lanes point to
    cdef dict values            # answers that aren't integers, before their turn, by lane and seat
    cdef dict kept_values       # answers that aren't integers and that counted, by lane
    cdef size_t most_text       # maximum bytes of an answer's text
    cdef bint in_python         # whether all that is done in lanes is to take steps of cores in Python

    def __init__(self, int view_size, questions, *, bint tells_values=False, int most_text=0):
        self.channels = Channels()
        self.questions = QuestionWriter(view_size, questions, tells_values)
        self.spare = []
        self.kept = []
        self.values = {}
        self.kept_values = {}
        self.most_text = max(<int>MAX_TEXT, most_text)
        self.channels.most_text = self.most_text

    def __dealloc__(self):
        cdef int i
        for i in range(self.lane_count):
            free(self.lanes[i].buffers[0].content)
            free(self.lanes[i].buffers[1].content)
            free(self.lanes[i].kept.content)
            free(self.lanes[i].more)
        free(self.lanes)
        free(self.ready)
        free(self.asks_caller)

    def open_lane(
        self, GameCore core, Referee referee, Table games, Table sessions, channels, slots, bytes kept=b"", values=(),
        *, int row=-1
    ):
        """Add a leg, which begins with the next run, and return the lane's number.

        Args:
            referee: The referee of its WebAssembly bots; None without such bots.
            games: The table of games that the core writes to. When it is full, its rows move to a buffer.
            sessions: The table of sessions, for which the same holds.
            channels: The channel of each seat's process; -1 for a WebAssembly bot, BY_CALLER for the caller.
            slots: What the seats' processes call the lane.
            kept: What `answers` returned when this leg broke off: these answers count again.
            values: The values that it returned.
            row: Row of the lane in the arrays of `read_rows` and `answer_rows`. Its records are discarded. -1 for none.

        Raises:
            MemoryError: The worker itself lacks memory.
        """
        cdef size_t count = self.lane_count + 1
        cdef int number = self.spare.pop() if self.spare else self.lane_count
        if not (
            grown(<void**>&self.lanes, &self.lane_capacity, count, sizeof(Lane))
            and grown(<void**>&self.ready, &self.ready_capacity, count, sizeof(int))
            and grown(<void**>&self.asks_caller, &self.asks_caller_capacity, count, sizeof(int))
        ):
            raise MemoryError
        cdef Lane* lane = &self.lanes[number]
        memset(lane, 0, sizeof(Lane))
        lane.core = <void*>core
        lane.referee = <void*>referee if referee is not None else NULL
        lane.tables[0] = <void*>games
        lane.tables[1] = <void*>sessions
        if number == self.lane_count:
            self.kept.append(None)
            self.lane_count += 1
        self.kept[number] = core, referee, games, sessions
        # This excludes WebAssembly bots, which can take long.
        self.in_python = (
            (self.in_python or self.lane_count == 1) and <bint>core.steps_in_python and referee is None
        )
        lane.row = row
        lane.seats = <int>len(channels)
        if lane.seats > SEATS:
            lane.more = <SeatedBot*>calloc(lane.seats - SEATS, sizeof(SeatedBot))
            if lane.more == NULL:
                raise MemoryError
        for seat in range(lane.seats):
            bot_of(lane, seat).channel = channels[seat]
            bot_of(lane, seat).slot = slots[seat]
        if kept and not restore(&lane.kept, kept):
            raise MemoryError
        if values:
            self.kept_values[number] = list(values)
        self.make_ready(number, 0)
        return number

    def start_bot(self, int lane_number, int seat, uint64_t seed):
        """Order the seat's process to make a new bot for the lane before its next question.

        A program gets no order, because its process is one bot's.

        Args:
            seed: The start of all that is random for the bot.

        Raises:
            MemoryError: The worker itself lacks memory.
        """
        cdef Lane* lane = &self.lanes[lane_number]
        cdef Channel* channel = &self.channels.all[bot_of(lane, seat).channel]
        if not channel.lines:
            self.questions.add_order(channel, START_LANE, bot_of(lane, seat).slot, <int64_t>seed)
            channel.gathers_start = True

    def end_bot(self, int lane_number, int seat):
        """Order the seat's process to forget the lane's bot, unless its channel has failed.

        Raises:
            MemoryError: The worker itself lacks memory.
        """
        cdef Lane* lane = &self.lanes[lane_number]
        cdef Channel* channel = &self.channels.all[bot_of(lane, seat).channel]
        if channel.is_open:
            self.questions.add_order(channel, END_LANE, bot_of(lane, seat).slot, 0)

    @property
    def waiting_count(self):
        """Number of lanes that wait for the caller, or 0 while a process still has to answer."""
        cdef int i
        for i in range(self.channels.count):
            if self.channels.all[i].is_open and self.channels.all[i].outstanding:
                return 0
        return self.asks_caller_count

    @property
    def waiting(self):
        """Numbers of the lanes that wait for the caller, in no order."""
        return [self.asks_caller[i] for i in range(self.asks_caller_count)]

    def answer(self, int lane_number, value):
        """Answer for the seat that a lane waits for, and play on with the next run.

        Args:
            value: An integer, or another value as JSON has it.

        Raises:
            ValueError: The lane doesn't wait for the caller.
        """
        cdef Lane* lane = &self.lanes[lane_number]
        cdef int seat, i
        cdef int64_t number = 0
        for i in range(self.asks_caller_count):
            if self.asks_caller[i] == lane_number:
                break
        else:
            raise ValueError("the lane doesn't wait for the caller")
        self.asks_caller_count = without(self.asks_caller, self.asks_caller_count, lane_number)
        seat = due(lane)
        is_number = type(value) is int
        if is_number:
            try:
                number = value
            except OverflowError:
                is_number = False
        if not is_number:
            self.values[lane_number, seat] = value
        bot_of(lane, seat).in_json = not is_number
        self.answer_as_caller(lane_number, lane, seat, number)

    cdef void answer_as_caller(self, int number, Lane* lane, int seat, int64_t answer) noexcept nogil:
        """Continue a lane with the caller's answer for a seat."""
        cdef SeatedBot* bot = bot_of(lane, seat)
        bot.answer = answer
        bot.state = HAS_ANSWERED
        self.go_on(number, lane, seat)

    def read_rows(
        self,
        int64_t[::1] kinds,
        unsigned char[:, :] views,
        int64_t[::1] seen,
        int64_t[::1] ended,
        double[:] seen_points,
        double[:] gains,
    ):
        """Write into each waiting lane's row the pending decision and the progress of the leg.

        Args:
            kinds: Receives the kind of the decision.
            views: Receives the view, from its beginning, as far as a row reaches.
            seen: Receives the number of sessions that are over.
            ended: Increased by the number of those that weren't in `seen` before.
            seen_points: Receives the asked seat's points in the sessions that are over.
            gains: Increased by the points that weren't in `seen_points` before.
        """
        cdef int view_size = <int>views.shape[1]
        cdef GameCore core
        cdef Lane* lane
        cdef double points
        cdef int i
        for i in range(self.asks_caller_count):
            lane = &self.lanes[self.asks_caller[i]]
            core = <GameCore>lane.core
            kinds[lane.row] = core.decision.kind
            if view_size:
                memcpy(&views[lane.row, 0], core.windows[core.decision.seat], view_size)
            if core.sessions_played != seen[lane.row]:
                ended[lane.row] += core.sessions_played - seen[lane.row]
                seen[lane.row] = core.sessions_played
                points = core.totals[core.decision.seat].points
                gains[lane.row] += points - seen_points[lane.row]
                seen_points[lane.row] = points

    def answer_rows(self, const int64_t[::1] answers):
        """Answer all waiting lanes with the integers in their rows, and play on as far as no process is needed.

        Returns:
            Whether all these lanes wait again, so that no `run` is needed.

        Raises:
            MemoryError: The worker itself lacks memory.
        """
        cdef Lane* lane
        cdef int i, seat
        cdef int count = self.asks_caller_count
        self.channels.begin_run()
        with nogil:
            self.asks_caller_count = 0
            for i in range(count):
                lane = &self.lanes[self.asks_caller[i]]
                seat = due(lane)
                bot_of(lane, seat).in_json = False
                self.answer_as_caller(self.asks_caller[i], lane, seat, answers[lane.row])
            if self.in_python:
                self.advance_in_python()
            else:
                self.advance_all()
        if self.channels.lacks_memory:
            raise MemoryError("no memory is left for bots' questions and answers")
        return self.asks_caller_count == count

    def resume(self, int lane_number, int64_t answer=0):
        """Resume a stopped lane with this answer to the pending decision.

        Raises:
            ValueError: The lane isn't stopped.
        """
        if self.lanes[lane_number].state != STOPPED:
            raise ValueError("only a stopped lane can be resumed")
        self.make_ready(lane_number, answer)

    def resume_after_failure(self, int lane_number):
        """Record that the bot for which a stopped lane waits has failed, and resume if an answer of it counts again.

        Returns:
            Whether the lane has resumed. Otherwise the default answer counts.

        Raises:
            MemoryError: The worker itself lacks memory.
        """
        cdef Lane* lane = &self.lanes[lane_number]
        if not keep_failure(&lane.kept):
            raise MemoryError
        if not count_failure(&lane.kept):
            return False
        self.count_again(lane_number, lane)
        self.resume(lane_number, lane.answer)
        return True

    def fails_again(self, int lane_number):
        """Return whether the lane waits for a bot that failed at this decision before the leg began again."""
        return is_failure_next(&self.lanes[lane_number].kept)

    def answers(self, int lane_number):
        """Return the answers that counted in a lane: as bytes, and a tuple of those that aren't integers."""
        cdef Lane* lane = &self.lanes[lane_number]
        return lane.kept.content[:lane.kept.size], tuple(self.kept_values.get(lane_number, ()))

    def take_rows(self, int lane_number):
        """Return a lane's rows of games and of sessions, each as bytes and the number of rows, and forget them.

        The bytes are blocks in the format of its tables in memory. All blocks except the last are full.

        Raises:
            MemoryError: The worker itself lacks memory.
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
        """Forget a lane, whose number can then be another's. Later answers of its bots are ignored."""
        cdef Lane* lane = &self.lanes[lane_number]
        cdef Channel* channel
        cdef int i, seat, number
        self.asks_caller_count = without(self.asks_caller, self.asks_caller_count, lane_number)
        self.ready_count = without(self.ready, self.ready_count, lane_number)
        for seat in range(lane.seats):
            number = bot_of(lane, seat).channel
            self.ignore_answer(lane_number, number)
            if number >= 0:
                channel = &self.channels.all[number]
                replace_lane(channel.gathered, channel.gathered_count, lane_number)
            self.values.pop((lane_number, seat), None)
        for i in range(2):
            free(lane.buffers[i].content)
        free(lane.kept.content)
        free(lane.more)
        memset(lane, 0, sizeof(Lane))
        lane.state = GONE
        self.kept_values.pop(lane_number, None)
        self.kept[lane_number] = None
        self.spare.append(lane_number)

    cdef void ignore_answer(self, int lane, int channel) noexcept nogil:
        """Ignore the answer for a lane of a process that has been asked."""
        if channel >= 0:
            replace_lane(self.channels.all[channel].asked, self.channels.all[channel].asked_count, lane)

    def stop(self, int lane_number, int seat):
        """Stop a lane for a seat's bot, whose answer is then ignored.

        Returns:
            Whether the lane has stopped. Otherwise it continues, and stops with a FAULT at this bot's next turn.
        """
        cdef Lane* lane = &self.lanes[lane_number]
        cdef SeatedBot* bot = bot_of(lane, seat)
        self.ignore_answer(lane_number, bot.channel)
        if due(lane) == seat and lane.state != READY:
            bot.state = IDLE
            lane.state = STOPPED
            return True
        bot.state = HAS_FAILED
        return False

    def change_channel(self, int lane_number, int seat, int channel):
        """Give a lane's seat another process."""
        bot_of(&self.lanes[lane_number], seat).channel = channel

    def decisions(self, int lane_number):
        """Return the number of decisions that each seat's process was asked."""
        cdef Lane* lane = &self.lanes[lane_number]
        return tuple([bot_of(lane, seat).decisions for seat in range(lane.seats)])

    def slowest_seconds(self, int lane_number, int seat):
        """Return the seconds of the slowest decision of a seat's process."""
        return bot_of(&self.lanes[lane_number], seat).slowest / 1e9

    def run(self, double seconds):
        """Play until something needs the caller, or for this many seconds.

        An exception of a core or a dialogue, which is no bot's fault, is passed on.

        Returns:
            Events as (kind, lane, channel, text, output). The core's kinds are LEG_IS_OVER, RECORDS_ARE_FULL and FAULT:
            the lane's WebAssembly bot failed, or any bot broke the rules. They stop the lane. The channels' kinds are
            BOT_FAULTY and BOT_OUT_OF_MEMORY, with lane and channel, and CHANNEL_FAILED and WROTE_NO_ANSWER. They don't
            stop a lane, and `stop` returns whether it waits for the faulty bot. The output is that of a lane's bot
            which can share a process, as bytes.

        Raises:
            MemoryError: The worker itself lacks memory.
        """
        cdef int64_t until = now_nanoseconds() + <int64_t>(seconds * 1e9)
        cdef int sent
        cdef Channel* channel
        self.channels.begin_run()
        with nogil:
            while True:
                if self.in_python:
                    self.advance_in_python()
                else:
                    self.advance_all()
                if self.channels.has_events or now_nanoseconds() >= until:
                    break
                sent = self.channels.send_next()
                channel = &self.channels.all[max(sent, 0)]
                if sent >= 0 and channel.lines and channel.inbox_size and channel.outstanding:
                    self.hear(sent)     # the program has written ahead
                if sent >= 0 and channel.outstanding:
                    poll(self.channels.polled, watch(channel, self.channels.polled), PATIENCE_MILLISECONDS)
                if self.sweep() or sent >= 0 or self.channels.has_events:
                    continue
                if not self.channels.wait_for_any(until):
                    break
        if self.questions.trouble is not None:
            trouble, self.questions.trouble = self.questions.trouble, None
            raise trouble
        return self.channels.take_events()

    cdef int sweep(self) noexcept nogil:
        """Read the answers that have arrived. Return how many channels had one or failed."""
        cdef Channel* channel
        cdef int number
        cdef int received = 0
        for number in range(self.channels.count):
            channel = &self.channels.all[number]
            if channel.is_open and channel.outstanding:
                self.channels.push_on(number)
            if not channel.is_open or not channel.outstanding:
                continue
            if channel.lines:
                received += self.hear(number)
            elif self.channels.receive(number):
                received += 1
                if channel.is_open:
                    self.take_answers(number)
        return received

    cdef void advance_in_python(self) noexcept with gil:
        """Play all lanes that are ready with the GIL, which cores in Python need.

        Taking it for each step would cost more than some steps.
        """
        self.advance_all()

    cdef void advance_all(self) noexcept nogil:
        """Play all lanes that are ready."""
        while self.ready_count:
            self.ready_count -= 1
            self.advance(self.ready[self.ready_count])

    cdef void advance(self, int number) noexcept nogil:
        """Play a lane until it waits for a process, or the caller is needed."""
        cdef Lane* lane = &self.lanes[number]
        cdef SeatedBot* bot
        cdef Status status
        if lane.state != READY:
            return
        while True:
            if lane.referee != NULL:
                status = (<Referee>lane.referee).play_on(lane.answer)
            else:
                status = (<GameCore>lane.core).step(lane.answer)
            if status == RECORDS_FULL and self.make_room(lane):
                continue
            if status != DECIDE:
                lane.state = STOPPED
                if status == REFUSED and bot_of(lane, due(lane)).channel != -1:
                    self.forget_refused(number, lane)
                self.channels.report(status, number, -1, NULL, 0)
                return
            bot = bot_of(lane, due(lane))
            if is_failure_next(&lane.kept) and (bot.state != QUESTIONED or bot.channel == CALLER):
                self.stop_at_failure(number, lane, bot)
                return
            if bot.state == HAS_ANSWERED and self.take_kept(number, lane, bot):
                continue
            if bot.state == IDLE and lane.state == READY:
                if self.tells_only(lane, bot):
                    continue
                self.ask(number, lane)
            if bot.channel == CALLER:
                if counts_again(&lane.kept):
                    bot.state = IDLE
                    self.count_again(number, lane)
                    continue
                bot.state = QUESTIONED
                self.asks_caller[self.asks_caller_count] = number
                self.asks_caller_count += 1
            if bot.state == HAS_FAILED:
                self.stop_at_failure(number, lane, bot)
            if lane.state == READY:
                lane.state = ASKED
            return

    cdef bint tells_only(self, Lane* lane, SeatedBot* bot) noexcept nogil:
        """Send the pending decision to a program if it only informs. Return whether it does."""
        if not self.is_news(lane, bot):
            return False
        lane.answer = 0
        if not self.questions.add_line(&self.channels.all[bot.channel], lane.core):
            self.channels.lack_memory(bot.channel)
        return True

    cdef bint is_news(self, Lane* lane, SeatedBot* bot) noexcept nogil:
        """Return whether the pending decision only informs a program, which doesn't answer it."""
        cdef int kind = (<GameCore>lane.core).decision.kind
        return bot.channel >= 0 and self.questions.is_only_told(&self.channels.all[bot.channel], kind)

    cdef void ask(self, int number, Lane* lane) noexcept nogil:
        """Ask the process of the pending decision, and those that are asked together with it."""
        cdef SeatedBot* bot
        cdef int count = max(1, (<GameCore>lane.core).pending_count)
        cdef int ahead
        for ahead in range(count):
            if ahead > 0:
                (<GameCore>lane.core).select_question(ahead)
            bot = bot_of(lane, due(lane))
            if bot.channel == CALLER:
                bot.state = QUESTIONED      # asked at its turn
            # A program gets news, which it doesn't answer, at its turn.
            if bot.channel < 0 or bot.state == HAS_FAILED or self.is_news(lane, bot):
                continue
            bot.decisions += 1
            bot.state = QUESTIONED
            if self.questions.add(&self.channels.all[bot.channel], number, bot.slot, lane.core):
                self.channels.note_question(bot.channel)
            else:
                self.channels.lack_memory(bot.channel)
        if count > 1:
            (<GameCore>lane.core).select_question(0)

    cdef bint take_kept(self, int number, Lane* lane, SeatedBot* bot) noexcept nogil:
        """Pass an answer at its turn to the core. Return False if the bot has failed."""
        bot.state = IDLE
        if is_failure_next(&lane.kept):
            self.stop_at_failure(number, lane, bot)
            return False
        if counts_again(&lane.kept):
            self.count_again(number, lane)
            return True
        if bot.in_json:
            return self.read_value(number, lane, bot)
        lane.answer = bot.answer
        if not keep_number(&lane.kept, lane.answer):
            self.channels.lacks_memory = True
        return True

    cdef void stop_at_failure(self, int number, Lane* lane, SeatedBot* bot) noexcept nogil:
        """Stop a lane whose bot has failed at this decision: before its turn, or before the leg began again."""
        bot.state = IDLE
        lane.state = STOPPED
        self.channels.report(REFUSED, number, bot.channel, NULL, 0)

    cdef void forget_refused(self, int number, Lane* lane) noexcept nogil:
        """Forget the last kept answer, which the core has refused."""
        if forget_last(&lane.kept):
            with gil:
                self.kept_values[number].pop()

    cdef void count_again(self, int number, Lane* lane) noexcept nogil:
        """Take a lane's next answer that counts again, instead of a new one."""
        if not next_number(&lane.kept, &lane.answer):
            self.count_value_again(number, lane)

    cdef void count_value_again(self, int number, Lane* lane) noexcept with gil:
        """Take a lane's next value that counts again. The core has read it before."""
        try:
            lane.answer = (<GameCore>lane.core).read_answer(self.kept_values[number][lane.values_counted])
            lane.values_counted += 1
        except BaseException as trouble:
            self.questions.trouble = trouble

    cdef bint read_value(self, int number, Lane* lane, SeatedBot* bot) noexcept with gil:
        """Have the core read an answer that isn't an integer."""
        cdef bytes why
        value = self.values.pop((number, due(lane)))
        try:
            lane.answer = (<GameCore>lane.core).read_answer(value)
            if not keep_value(&lane.kept):
                self.channels.lacks_memory = True
            self.kept_values.setdefault(number, []).append(value)
            return True
        except ValueError as wrong:
            in_lines = bot.channel >= 0 and self.channels.all[bot.channel].lines
            why = f"{wrong}: {'ACTION ' * in_lines}{json.dumps(value, default=repr)}".encode()[:MAX_QUOTED]
            if in_lines:
                bot.state = QUESTIONED
                lane.state = ASKED
                self.channels.fail(bot.channel, why, WROTE_NO_ANSWER)
            else:
                lane.state = STOPPED
                self.channels.report(BOT_FAULTY, number, bot.channel, why, <int>len(why))
        except BaseException as trouble:
            self.questions.trouble = trouble
            lane.state = STOPPED
        return False

    cdef bint make_room(self, Lane* lane) noexcept nogil:
        """Move the rows of full tables to their buffers. Return False if the caller should take these first."""
        cdef RowBuffer* buffer
        cdef int i
        for i in range(2):
            if (<Table>lane.tables[i]).rows < (<Table>lane.tables[i]).capacity:
                continue
            if lane.row >= 0:
                (<Table>lane.tables[i]).rows = 0
                continue
            buffer = &lane.buffers[i]
            if buffer.size and buffer.size + (<Table>lane.tables[i]).size > LARGEST_BUFFER:
                return False
            if not (<Table>lane.tables[i]).move_rows(buffer):
                return False
        return True

    cdef bint hear(self, int number) noexcept nogil:
        """Read a program's lines up to its answer. Return False if it hasn't written a complete line."""
        cdef Channel* channel = &self.channels.all[number]
        cdef unsigned char* end
        cdef size_t room = line_room(channel)
        cdef size_t used
        cdef Reading reading
        cdef int lines = 0
        if channel.asked[0] < 0:    # the lane is stopped
            return False
        if not make_inbox(channel, room):
            self.channels.lack_memory(number)
            return True
        while lines < LINES_AT_ONCE:
            end = <unsigned char*>memchr(channel.inbox, c"\n", channel.inbox_size)
            if end != NULL or channel.inbox_size == room:
                lines += 1
                note_answer(channel)
                used = end - channel.inbox + 1 if end != NULL else room + 1
                if channel.dialogue == NULL:
                    self.take_line(number, used - 1)
                elif not self.understand(number, used - 1):
                    return True
                if not channel.is_open:
                    return True
                channel.inbox_size -= used
                memmove(channel.inbox, channel.inbox + used, channel.inbox_size)
                if not channel.outstanding:
                    return True
                self.channels.speak(number)
                if not channel.is_open:
                    return True
                continue
            reading = pull(channel, room)
            if reading == NOTHING_YET:
                return lines > 0
            if reading == NO_MORE:
                self.channels.fail(number, b"")
                return True
        return True

    cdef bint understand(self, int number, size_t length) noexcept with gil:
        """Have a dialogue take a line of this many bytes. Return False if that failed the channel.

        A line that is too long always fails it.
        """
        cdef Channel* channel = &self.channels.all[number]
        try:
            said = (<object>channel.dialogue).read_line(channel.inbox[:length])
            if length > MAX_LINE_BYTES:
                raise Violation("wrote an over-long line")
            if isinstance(said, list):
                self.questions.add_lines(channel, said)
                return True
        except Violation as violation:
            self.channels.fail(number, str(violation).encode(), WROTE_NO_ANSWER)
            return False
        except BaseException as trouble:
            self.questions.trouble = trouble
            self.channels.fail(number, b"can't be talked with")
            return False
        channel.outstanding = False
        if type(said) is int and -(1 << 63) <= said < 1 << 63:
            self.give(channel.asked[0], number, said)
        else:
            self.give_value(channel.asked[0], number, said)
        return True

    cdef void take_answers(self, int number) noexcept nogil:
        """Give the lanes of a complete message their answers."""
        cdef Channel* channel = &self.channels.all[number]
        cdef Answer* answer = <Answer*>(channel.inbox + sizeof(Header))
        cdef const char* text = <const char*>(answer + channel.asked_count)
        cdef int i, asked, kind, length
        if not is_answer(
            channel.inbox, channel.inbox_size, channel.serial, <uint32_t>channel.asked_count, self.most_text
        ):
            self.channels.fail(number, b"wrote what is no answer to what it was asked")
            return
        note_answer(channel)
        for i in range(channel.asked_count):
            asked = channel.asked[i]
            if asked >= 0 and self.waits_for(asked, number):
                if answer.status == ANSWERED:
                    self.give(asked, number, answer.answer)
                elif answer.status != ANSWERED_IN_JSON or not self.take_value(asked, number, text, answer.text_length):
                    self.stop_if_due(asked, number)
                    kind = BOT_OUT_OF_MEMORY if answer.status == OUT_OF_MEMORY else BOT_FAULTY
                    length = answer.text_length if answer.status == FAULTY else 0
                    self.channels.report(
                        kind, asked, number, text, length, text + answer.text_length, answer.printed_length
                    )
            text += answer.text_length + answer.printed_length
            answer += 1

    cdef void stop_if_due(self, int number, int channel) noexcept nogil:
        """Stop a lane that waits for a channel's bot, which has failed, before all others."""
        cdef Lane* lane = &self.lanes[number]
        cdef int seat = seat_at(lane, channel)
        if due(lane) == seat:
            bot_of(lane, seat).state = IDLE
            lane.state = STOPPED

    cdef bint waits_for(self, int number, int channel) noexcept nogil:
        """Return whether a lane exists, and waits for a channel's bot now or at a later turn."""
        cdef Lane* lane = &self.lanes[number]
        cdef int seat = seat_at(lane, channel)
        return lane.core != NULL and seat >= 0 and bot_of(lane, seat).state == QUESTIONED

    cdef void give(self, int number, int channel, int64_t answer) noexcept nogil:
        """Give a lane the answer of a channel's bot, to be kept until its turn."""
        cdef Lane* lane = &self.lanes[number]
        cdef int seat = seat_at(lane, channel)
        cdef SeatedBot* bot = bot_of(lane, seat)
        bot.answer = answer
        bot.in_json = False
        self.note_decision(channel, bot)
        self.go_on(number, lane, seat)

    cdef void go_on(self, int number, Lane* lane, int seat) noexcept nogil:
        """Continue a lane that waits for a seat with its answer."""
        cdef SeatedBot* bot = bot_of(lane, seat)
        if lane.state == ASKED and due(lane) == seat and self.take_kept(number, lane, bot):
            self.make_ready(number, lane.answer)

    cdef bint take_value(self, int number, int channel, const char* text, int length) noexcept with gil:
        """Give a lane an answer in JSON. Return False if it is invalid."""
        try:
            value = json.loads(text[:length].decode("utf-8", "surrogatepass"))
        except (ValueError, RecursionError):
            return False
        self.give_value(number, channel, value)
        return True

    cdef void give_value(self, int number, int channel, object value) noexcept:
        """Give a lane an answer that isn't an integer, to be kept until its turn."""
        cdef Lane* lane = &self.lanes[number]
        cdef int seat = seat_at(lane, channel)
        cdef SeatedBot* bot = bot_of(lane, seat)
        self.values[number, seat] = value
        bot.in_json = True
        self.note_decision(channel, bot)
        self.go_on(number, lane, seat)

    cdef void note_decision(self, int channel, SeatedBot* bot) noexcept nogil:
        """Record that a bot has answered, and its time."""
        bot.state = HAS_ANSWERED
        bot.slowest = max(bot.slowest, self.channels.all[channel].took)

    cdef void take_line(self, int number, size_t length) noexcept nogil:
        """Take the first line of a program's inbox, of this many bytes, as the answer to its question."""
        cdef Channel* channel = &self.channels.all[number]
        cdef const char* line = <const char*>channel.inbox
        cdef size_t start
        cdef int64_t answer = 0
        if length == line_room(channel):
            self.channels.refuse_line(number, b"wrote an over-long line: ")
            return
        start = find_action(line, &length)
        if start == 0:
            self.channels.refuse_line(number, b"wrote what is no ACTION: ")
        elif read_whole(line + start, length, &answer):
            channel.outstanding = False
            self.give(channel.asked[0], number, answer)
        else:
            self.take_other(number, line + start, length)

    cdef void take_other(self, int number, const char* text, size_t length) noexcept with gil:
        """Take a program's answer that isn't an integer."""
        try:
            value = json.loads(text[:length].decode(), parse_constant=refuse_constant)
        except (ValueError, RecursionError):
            self.channels.refuse_line(number, b"wrote an ACTION that is no JSON: ")
            return
        self.channels.all[number].outstanding = False
        self.give_value(self.channels.all[number].asked[0], number, value)

    cdef void make_ready(self, int lane, int64_t answer) noexcept nogil:
        """Continue a lane with this answer."""
        self.lanes[lane].answer = answer
        self.lanes[lane].state = READY
        self.ready[self.ready_count] = lane
        self.ready_count += 1
