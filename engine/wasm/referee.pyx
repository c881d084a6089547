"""The one loop that plays WebAssembly bots: core and bots in turn, without leaving the runtime.

Entering the runtime costs more than a game. So the loop itself is a few
WebAssembly instructions (tournament/worker/wasm/loop_text.py writes them): it calls `on_step`
here, which steps the core and says whose function is next, and then that
function. Both calls are far cheaper than entering the runtime.
"""

cimport cython
from libc.math cimport ceil
from libc.stdint cimport UINT64_MAX
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

from engine.kernel.game_core cimport DECIDE, REFUSED, Decision
from engine.kernel.limits cimport C_PACKED_VALUES

cdef enum:
    STOP = -1   # instead of a function's number: leave the loop
    FUEL_BETWEEN_LOOKS = 100_000_000    # at the clock: a tenth of a second as a rule

PACKED_VALUES = C_PACKED_VALUES


cdef void* on_step(void* referee, void* caller, RuntimeValue* values, size_t count) noexcept nogil:
    """Called by the loop with the last answer; gives the next function's number and its arguments."""
    values[0].i32 = (<Referee>referee).next_call(values)
    return NULL


cdef void* on_plain_step(void* referee, void* caller, RuntimeValue* values, size_t count) noexcept nogil:
    """The same where no fuel is counted and arguments are packed, in as few instructions as possible."""
    values[0].i32 = (<Referee>referee).next_plain_call(values)
    return NULL


cdef void* on_plain_step_of_one(void* referee, void* caller, RuntimeValue* values, size_t count) noexcept nogil:
    """Likewise where no question has more than one argument, of 64 bits."""
    values[0].i32 = (<Referee>referee).next_plain_call_of_one(values)
    return NULL


cdef inline int function_number(int seat, int question, int questions) noexcept nogil:
    return seat * questions + question


def number_of_function(int seat, int question, int questions):
    """The loop's number for a seat's function, one for each question. Greater numbers, and STOP, end the loop."""
    return function_number(seat, question, questions)


cdef inline int64_t packed(int64_t one, int64_t other) noexcept nogil:
    """Two arguments of 32 bits in a value."""
    return <int64_t><uint32_t>one | other << 32


cdef inline double now() noexcept nogil:
    """Seconds of a clock that only goes forward."""
    cdef timespec time
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec + 1e-9 * time.tv_nsec


@cython.final
cdef class Referee:
    """Plays a core with those of its bots that are WebAssembly. Call `seat_bots` before the first `play`.

    Addresses are of the runtime's functions and of the store's context. `questions`: how many the contest has;
    `most_arguments`: of any of them. `fuel`: for each decision, 0 where it is not counted. `bank`: for all decisions
    and starts of a seat together, 0 for no such limit. `seconds`: in the runtime, where fuel is counted; after these
    `is_late` is set, and `play` ends with FAULT though no bot is at fault, or with a trap, where `set_deadline` isn't
    0 and the engine's clock ticks once a second.
    """

    def __init__(
        self,
        GameCore core,
        *,
        uintptr_t call_unchecked,
        uintptr_t set_fuel,
        uintptr_t get_fuel,
        uintptr_t set_deadline,
        uintptr_t context,
        int questions,
        int most_arguments,
        bint packed,
        uint64_t fuel,
        uint64_t bank,
        double seconds,
    ):
        self.core = core
        self.call_unchecked = <CallUnchecked>call_unchecked
        self.set_fuel = <SetFuel>set_fuel
        self.get_fuel = <GetFuel>get_fuel
        self.set_deadline = <SetDeadline>set_deadline
        self.context = <void*>context
        self.questions = questions
        self.most_arguments = most_arguments
        self.packed = packed
        self.fuel = fuel
        self.bank = bank if fuel > 0 and bank > 0 else UINT64_MAX
        self.seconds_left = seconds

    @property
    def step_function(self):
        """(address of the C function, its first argument) that the loop calls to step the core."""
        step = <uintptr_t>&on_step
        if not (self.fuel or self.metered):
            if self.packed:
                step = <uintptr_t>&on_plain_step
            elif self.most_arguments == 1:
                step = <uintptr_t>&on_plain_step_of_one
        return step, <uintptr_t><void*>self

    def seat_bots(self, bytes loop, x_seated, y_seated):
        """Take the loop's function handle, and which seats it serves; others' answers are given to `play`."""
        if len(loop) != sizeof(RuntimeFunction):
            raise ValueError("a function handle has 16 bytes")
        self.loop = (<RuntimeFunction*><const char*>loop)[0]
        self.seated[0] = x_seated
        self.seated[1] = y_seated

    def measure_fuel(self):
        """Measure the fuel of decisions from now on."""
        self.metered = True

    def fuel_used(self, int seat):
        """(decisions, instructions in all, the most for one) of a seat, while measured."""
        return self.meters[seat].decisions, self.meters[seat].fuel, self.meters[seat].most_fuel

    def fuel_left(self, int seat):
        """The fuel that a seat may still use in the leg."""
        return self.left_of_bank(seat)

    def fuel_spent(self, int seat):
        """The fuel that a seat has used in the leg, where it is counted."""
        return self.accounts[seat].spent

    def account(self, int seat):
        """The address of a seat's account, from which Surroundings tells its bot the time."""
        return <uintptr_t>&self.accounts[seat]

    def charge(self, int seat, uint64_t fuel):
        """Charge a seat for fuel that it used otherwise than for a decision."""
        self.accounts[seat].spent += fuel

    def play(self, int64_t answer=0):
        """Play until something is needed that only the caller can give.

        `answer` answers the pending decision; it is ignored at the start of a
        leg and after RECORDS_ARE_FULL. Returns LEG_IS_OVER; RECORDS_ARE_FULL
        (empty the tables, then call again); FAULT (the asked bot trapped or broke
        the rules: restart it, then call again with the default answer); or
        ANSWER_WANTED (the asked seat has no WebAssembly bot).
        """
        cdef Status status
        with nogil:
            status = self.play_on(answer)
        return status

    cdef Status play_on(self, int64_t answer) noexcept nogil:
        """`play` for callers that hold no GIL."""
        cdef RuntimeValue values[8]
        values[0].i64 = answer
        self.is_asking = False
        if self.fuel:
            self.set_fuel(self.context, self.fuel)
            self.entered = now()
            if self.set_deadline != NULL:
                self.set_deadline(self.context, <uint64_t>ceil(max(self.seconds_left, 1)))
            self.error = self.call_unchecked(self.context, &self.loop, values, 8, &self.trap)
            self.seconds_left -= now() - self.entered
        else:
            self.error = self.call_unchecked(self.context, &self.loop, values, 8, &self.trap)
        if self.error != NULL or self.trap != NULL:
            if self.fuel:
                self.note_fuel()
            return REFUSED
        return self.status

    cdef int next_call(self, RuntimeValue* values) noexcept nogil:
        cdef Decision* decision = &self.core.decision
        cdef int i
        if self.fuel:
            self.note_fuel()
            if self.is_late:
                self.status = REFUSED
                return STOP
        self.status = self.core.step(values[0].i64)
        if self.status != DECIDE or not self.seated[decision.seat]:
            return STOP
        # All of them: a loop of fixed length has no branch to mispredict.
        if self.packed:
            for i in range(C_PACKED_VALUES):
                values[i + 1].i64 = packed(decision.arguments[2 * i], decision.arguments[2 * i + 1])
        else:
            for i in range(self.most_arguments):
                values[i + 1].i64 = decision.arguments[i]
        if self.fuel:
            self.allot_fuel(decision.seat)
        return function_number(decision.seat, decision.kind, self.questions)

    cdef inline int next_plain_call(self, RuntimeValue* values) noexcept nogil:
        cdef Decision* decision = &self.core.decision
        cdef Status status = self.core.step(values[0].i64)
        self.status = status
        if status != DECIDE or not self.seated[decision.seat]:
            return STOP
        values[1].i64 = packed(decision.arguments[0], decision.arguments[1])
        values[2].i64 = packed(decision.arguments[2], decision.arguments[3])
        values[3].i64 = packed(decision.arguments[4], decision.arguments[5])
        return function_number(decision.seat, decision.kind, self.questions)

    cdef inline int next_plain_call_of_one(self, RuntimeValue* values) noexcept nogil:
        cdef Decision* decision = &self.core.decision
        cdef Status status = self.core.step(values[0].i64)
        self.status = status
        if status != DECIDE or not self.seated[decision.seat]:
            return STOP
        values[1].i64 = decision.arguments[0]
        return function_number(decision.seat, decision.kind, self.questions)

    cdef uint64_t left_of_bank(self, int seat) noexcept nogil:
        return self.bank - min(self.bank, self.accounts[seat].spent)

    cdef void allot_fuel(self, int seat) noexcept nogil:
        """Set the fuel for the decision now asked, no more than the bank has left."""
        self.is_asking = True
        self.accounts[seat].given = min(self.fuel, self.left_of_bank(seat))
        self.set_fuel(self.context, self.accounts[seat].given)

    cdef void note_fuel(self) noexcept nogil:
        """Charge the fuel used since the last call to the seat that was asked, if any was."""
        cdef uint64_t left = 0
        cdef uint64_t used
        cdef int seat = self.core.decision.seat
        cdef Account* account = &self.accounts[seat]
        cdef Meter* meter
        if not self.is_asking:
            return
        self.get_fuel(self.context, &left)
        used = account.given - left if left < account.given else 0
        if self.metered:
            meter = &self.meters[seat]
            meter.decisions += 1
            meter.fuel += used
            meter.most_fuel = max(meter.most_fuel, used)
        account.spent += used
        self.fuel_until_look -= <int64_t>used
        if self.fuel_until_look < 0:
            self.fuel_until_look = FUEL_BETWEEN_LOOKS
            self.is_late = now() - self.entered > self.seconds_left

    def take_failure(self):
        """Addresses of the runtime's (error, trap) of the last fault, 0 for none; the caller frees them."""
        cdef uintptr_t error = <uintptr_t>self.error
        cdef uintptr_t trap = <uintptr_t>self.trap
        self.error = NULL
        self.trap = NULL
        return error, trap
