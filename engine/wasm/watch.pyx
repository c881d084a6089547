"""Checks, while a leg's bots run, whether they take far too long for their fuel, and whether the run must stop.

Time is the thread's own processor time, so a machine that is busy, paused or asleep makes no bot late. Reading it for
each decision would take longer than many games. So at first the wall-clock time of all bots together is measured,
which is never less. Once it reaches half of their limit, processor time is measured instead, starting at 0. If legs
are played with `measures_bots`, because one of them took too long, each bot's time is measured from the beginning. A
core with rules in Python takes longer than bots, so its wall-clock time is subtracted.
"""

cimport cython
from libc.stdint cimport uint8_t, uintptr_t
from posix.time cimport CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID, clock_gettime, timespec

from engine.wasm.runtime cimport runtime

cdef enum:
    NOBODY = -1
    ANY = MAX_SEATS             # an unknown bot

cdef double LOOK_SECONDS = 0.1      # interval of checks whether the run must stop
cdef const char* ENDED = b"ended by the tournament"

ANY_SEAT = ANY


cdef inline double seconds_of(int clock) noexcept nogil:
    """Return a clock's time in seconds."""
    cdef timespec time
    clock_gettime(clock, &time)
    return time.tv_sec + 1e-9 * time.tv_nsec


cdef void* on_tick(void* context, void* watch, uint64_t* more, uint8_t* kind) noexcept nogil:
    """Let a bot's call continue or end. The runtime calls this when its engine's clock ticks."""
    more[0] = 1
    kind[0] = 0
    if (<Watch>watch).goes_on():
        return NULL
    return runtime.new_error(ENDED)


@cython.final
cdef class Watch:
    """The time limits of one leg's bots, and the check whether the run must stop.

    A bot is late if it takes more than `seconds` plus `seconds_per_fuel` for each unit of fuel that it used.

    Args:
        fuels: Fuel of each seat.
        seconds: Seconds that a bot can take without fuel.
        seconds_per_fuel: Seconds that it can take for each unit of fuel.
        stopping: Returns whether the run must stop. An exception stops it, too.
        measures_bots: Whether each bot's time is measured from the beginning.
        times_core: Whether the core's time is subtracted, because its rules are in Python.

    Attributes:
        late: Seat of the late bot, ANY_SEAT if it isn't known, -1 for none.
        is_stopped: Whether the run must stop.
        interruption: Exception raised by `stopping`, or None.

    Raises:
        ValueError: There are too many seats.
    """

    def __init__(
        self,
        fuels,
        *,
        double seconds,
        double seconds_per_fuel,
        stopping,
        bint measures_bots=False,
        bint times_core=False,
    ):
        self.kept = tuple(fuels)
        self.seats = <int>len(self.kept)
        if self.seats > MAX_SEATS:
            raise ValueError(f"a leg has {self.seats} seats, at most {int(MAX_SEATS)} are possible")
        for seat, fuel in enumerate(self.kept):
            self.fuels[seat] = <void*><Fuel?>fuel
        self.seconds, self.seconds_per_fuel = seconds, seconds_per_fuel
        self.measures_bots, self.times_core = measures_bots, times_core
        self.looked = seconds_of(CLOCK_MONOTONIC)
        self.reset(stopping)

    cdef void reset(self, stopping) noexcept:
        """Begin a new leg, whose bots have taken no time."""
        cdef int seat
        self.stopping = stopping
        self.is_exact = self.measures_bots
        self.running = self.late = NOBODY
        for seat in range(self.seats):
            self.used[seat] = 0

    @property
    def callback(self):
        """Address of the function that the runtime calls when its clock ticks, and its argument."""
        return <uintptr_t>&on_tick, <uintptr_t><void*>self

    def begin(self, int seat):
        """Attribute this thread's time from now on to a seat."""
        self.switch(seat)

    def end(self):
        """Stop attributing this thread's time. Return False if a bot is late or the run must stop."""
        cdef bint goes_on
        with nogil:
            goes_on = self.goes_on()
            self.switch(NOBODY)
        return goes_on

    def used_by(self, int seat):
        """Return the seconds and the fuel that a seat used, or with ANY_SEAT those of all together.

        Seconds are processor time if bots are measured, or have taken half of their limit. A seat has seconds of its
        own only if bots are measured. Otherwise the first one has those of all.
        """
        if seat == ANY:
            return sum([self.used[i] for i in range(self.seats)]), sum([fuel.spent for fuel in self.kept])
        return self.used[seat], (<Fuel>self.fuels[seat]).spent

    cdef void switch(self, int seat) noexcept nogil:
        """Add the time since the last switch to the seat that was running, and start that of another, -1 for none."""
        cdef double now = seconds_of(CLOCK_THREAD_CPUTIME_ID if self.is_exact else CLOCK_MONOTONIC)
        if self.running != NOBODY:
            self.used[self.running if self.measures_bots else 0] += now - self.since
        self.running, self.since = seat, now

    cdef void begin_step(self) noexcept nogil:
        """Record that the core takes a step, if its time matters."""
        if self.measures_bots:
            self.switch(NOBODY)
        elif self.times_core:
            self.core_since = seconds_of(CLOCK_MONOTONIC)

    cdef void end_step(self, int seat) noexcept nogil:
        """Record that the core asks a seat."""
        if self.measures_bots:
            self.switch(seat)
        elif self.times_core:
            self.used[0] -= seconds_of(CLOCK_MONOTONIC) - self.core_since

    cdef bint goes_on(self) noexcept nogil:
        """Return whether no bot is late and the run can continue."""
        cdef double now
        cdef uint64_t fuel, together = 0
        cdef int seat
        self.switch(self.running)
        for seat in range(self.seats):
            fuel = (<Fuel>self.fuels[seat]).settle()
            together += fuel
            if self.measures_bots and self.is_late(self.used[seat], fuel):
                self.late = seat
        if not self.measures_bots and self.is_late(self.used[0] * (1 if self.is_exact else 2), together):
            self.be_late_or_exact()
        now = seconds_of(CLOCK_MONOTONIC)
        if now - self.looked > LOOK_SECONDS:
            self.looked = now
            self.is_stopped |= self.asks()
        return self.late == NOBODY and not self.is_stopped

    cdef void be_late_or_exact(self) noexcept nogil:
        """Declare the bots late, or measure processor time if wall-clock time was measured."""
        if self.is_exact:
            self.late = ANY
            return
        self.is_exact = True
        self.used[0] = 0
        self.since = seconds_of(CLOCK_THREAD_CPUTIME_ID)

    cdef bint is_late(self, double used, uint64_t fuel) noexcept nogil:
        """Return whether these seconds are above the limit for this fuel."""
        return used > self.seconds + self.seconds_per_fuel * fuel

    cdef bint asks(self) noexcept nogil:
        """Return whether the run must stop, and keep an exception of `stopping`, which stops it."""
        with gil:
            try:
                return self.stopping()
            except BaseException as interruption:   # Ctrl-C, too, reaches Python only here
                self.interruption = interruption
                return True
