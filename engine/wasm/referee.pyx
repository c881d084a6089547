"""The loop that plays WebAssembly bots, core and bots alternately, without leaving the runtime.

Entering the runtime costs more than a game. So the loop itself is a few WebAssembly instructions
(tournament/worker/wasm/loop_text.py writes them). It calls the core's step, which returns the number of the next
function, and then that function. Both calls are far cheaper than entering the runtime. The runtime calls the step as
`on_step`, unless direct_step.pyx supports its version.
"""

cimport cython
from libc.stdint cimport UINT64_MAX

from engine.kernel.game_core cimport DECIDE, RECORDS_FULL, REFUSED, SEATS
from engine.wasm.fuel cimport Fuel
from engine.wasm.runtime cimport RuntimeFunction, RuntimeValue, runtime
from engine.wasm.watch cimport Watch

cdef enum:
    STOP = -1   # number that ends the loop
    MORE = 256  # a bot gets 1/256 of its limit more, so that it isn't refilled after each decision


cdef void* on_step(void* referee, void* caller, RuntimeValue* values, size_t count) noexcept nogil:
    """Return the next function's number to the loop, which passes the last answer."""
    (<Referee>referee).next_measured(values)
    return NULL


cdef inline int function_number(int seat, int question, int seats) noexcept nogil:
    """Return the number of the function that answers a seat's question."""
    return (SEATS if seats < SEATS else seats) * question + seat    # direct_step.h has it for at most two seats


def number_of_function(int seat, int question, int seats):
    """Return the loop's number of the function that answers a seat's question.

    Any other number, such as STOP, ends the loop.
    """
    return function_number(seat, question, seats)


@cython.final
cdef class Referee:
    """A player of a core's WebAssembly bots. Call `seat_bots` before the first `play`.

    The watch is called when a bot needs more fuel, and when the engine's clock ticks. If it finds that a bot is late or
    the run must stop, `play` returns FAULT although no bot is at fault.

    Args:
        context: Address of the context of the bots' store.
        fuels: Fuel of each seat.
        fuel: Fuel for each decision.
        bank: Fuel for all decisions and starts of a seat, 0 for no limit.
        watch: Watch of the same seats.

    Raises:
        ValueError: The core has fewer seats.
    """

    def __init__(
        self,
        GameCore core,
        *,
        uintptr_t context,
        fuels,
        uint64_t fuel,
        uint64_t bank,
        Watch watch,
    ):
        self.context = <void*>context
        self.kept = tuple(fuels)
        self.seats = <int>len(self.kept)
        self.take_core(core)
        for seat, its in enumerate(self.kept):
            self.fuels[seat] = <void*><Fuel?>its
        self.fuel = fuel
        self.bank = bank if bank > 0 else UINT64_MAX
        self.watch = watch

    cdef int take_core(self, GameCore core) except -1:
        """Take a leg's core.

        Raises:
            ValueError: The core has fewer seats.
        """
        if self.seats > core.seats:
            raise ValueError(f"{self.seats} seats have fuel, the core has {core.seats}")
        self.core = core
        self.direct.core, self.direct.step, self.direct.decision = <void*>core, <void*>core.step, &core.decision
        return 0

    def begin(self, GameCore core, stopping):
        """Take a new leg's core. Its bots have used no fuel and no time.

        Args:
            core: A core of the same class and as many seats.
            stopping: Returns whether the run must stop.

        Raises:
            ValueError: The core has fewer seats.
        """
        cdef int seat
        self.take_core(core)
        for seat in range(self.seats):
            (<Fuel>self.fuels[seat]).reset()
        self.watch.reset(stopping)

    @property
    def step_function(self):
        """Address of the C function that steps the core, and its first argument."""
        return <uintptr_t>&on_step, <uintptr_t><void*>self

    def seat_bots(self, bytes loop):
        """Take the handle of the loop's function, and refill all seats.

        Seats that the loop doesn't serve are answered by `play`.

        Raises:
            ValueError: The handle has another size.
        """
        if len(loop) != sizeof(RuntimeFunction):
            raise ValueError("a function handle has 16 bytes")
        self.loop = (<RuntimeFunction*><const char*>loop)[0]
        self.is_asking = False
        for seat in range(self.seats):
            self.refill(seat)

    def measure_fuel(self):
        """Measure the fuel of decisions from now on.

        Call it before `direct_step`, because a direct step measures nothing.
        """
        self.measures = True

    def fuel_used(self, int seat):
        """Return a seat's decisions, their total fuel, and the maximum fuel of a decision, while measured."""
        return self.taken[seat].decisions, self.taken[seat].fuel, self.taken[seat].most_fuel

    def fuel_left(self, int seat):
        """Return the fuel that a seat can still use in the leg."""
        return self.left_of_bank(seat)

    def play(self, int64_t answer=0):
        """Play until something is needed that only the caller can give.

        Args:
            answer: Answer to the pending decision. It is ignored at the start of a leg and after RECORDS_ARE_FULL.

        Returns:
            LEG_IS_OVER. RECORDS_ARE_FULL: empty the tables, then call again. FAULT: the asked bot trapped or broke the
            rules, unless the watch ended play; restart it, then call again with the default answer. ANSWER_WANTED: the
            asked seat has no WebAssembly bot.
        """
        cdef Status status
        with nogil:
            status = self.play_on(answer)
        return status

    cdef Status play_on(self, int64_t answer) noexcept nogil:
        """Play for callers that don't hold the GIL."""
        cdef RuntimeValue values[8]
        cdef int seat
        values[0].i64 = answer
        self.is_asking = False
        self.direct.status = DECIDE
        while True:
            if not self.enter(values):
                self.note_fuel()
                return REFUSED
            if values[1].i32 == 0:
                if self.direct.status == RECORDS_FULL and not self.watch.goes_on():
                    return REFUSED
                return self.direct.status
            # A bot has answered, and needs more fuel for its next decision.
            seat = self.core.decision.seat
            self.note_fuel()
            if not self.watch.goes_on() or not self.refill(seat):
                return REFUSED

    cdef bint enter(self, RuntimeValue* values) noexcept nogil:
        """Enter the loop, which reads the answer from `values` and writes its own there. It returns success."""
        self.watch.switch(0)
        self.error = runtime.call_unchecked(self.context, &self.loop, values, 8, &self.trap)
        self.watch.switch(-1)
        return self.error == NULL and self.trap == NULL

    cdef inline int next_call(self, int64_t answer) noexcept nogil:
        """Step the core. Return the number of the function to call, or STOP."""
        cdef Status status = self.core.step(answer)
        self.direct.status = status
        if status != DECIDE:
            return STOP
        return function_number(self.core.decision.seat, self.core.decision.kind, self.core.seats)

    cdef void next_measured(self, RuntimeValue* values) noexcept nogil:
        """Step the core, and put the next function's number in place of the answer.

        Fuel and time are measured if wanted.
        """
        self.note_fuel()
        self.watch.begin_step()
        values[0].i32 = self.next_call(values[0].i64)
        if self.measures and self.direct.status == DECIDE:
            self.is_asking = True
            self.used_before = self.spent(self.core.decision.seat)
        self.watch.end_step(self.core.decision.seat if self.direct.status == DECIDE else -1)

    cdef uint64_t spent(self, int seat) noexcept nogil:
        """Return the fuel that a seat has used in the leg."""
        return (<Fuel>self.fuels[seat]).settle()

    cdef uint64_t left_of_bank(self, int seat) noexcept nogil:
        """Return the fuel that a seat can still use in the leg."""
        return self.bank - min(self.bank, self.spent(seat))

    cdef bint refill(self, int seat) noexcept nogil:
        """Give a seat fuel for its next decision, at most what the bank has.

        Returns:
            False if the bot needed more than it had.
        """
        cdef uint64_t left = self.left_of_bank(seat)
        if (<Fuel>self.fuels[seat]).is_overdrawn:
            return False
        (<Fuel>self.fuels[seat]).give_more(min(self.fuel + self.fuel // MORE, left))
        return True

    cdef void note_fuel(self) noexcept nogil:
        """Record the fuel of the last decision, if it is measured."""
        cdef Taken* taken = &self.taken[self.core.decision.seat]
        cdef uint64_t used
        if not self.is_asking:
            return
        self.is_asking = False
        used = self.spent(self.core.decision.seat) - self.used_before
        taken.decisions += 1
        taken.fuel += used
        taken.most_fuel = max(taken.most_fuel, used)

    def take_failure(self):
        """Return the addresses of the runtime's error and trap of the last fault, 0 for none. The caller frees them."""
        cdef uintptr_t error = <uintptr_t>self.error
        cdef uintptr_t trap = <uintptr_t>self.trap
        self.error = NULL
        self.trap = NULL
        return error, trap
