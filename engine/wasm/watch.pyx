"""Looks after the bots of a leg while they run: whether they take far too long for their fuel, and whether the run is
to stop.

Time is the thread's own processor time: a machine that is busy, paused or asleep makes no bot late. To look at it for
each decision would take longer than many games. So at first all bots' time is added up, and by the clock, which can only
show more: only once that is half of what they have, processor time is counted, from nothing. Where legs are played
`apart`, because one of them took too long, it is told from the beginning whose it was. A core whose rules are in Python
takes longer than bots do: its time is subtracted, by the clock.
"""

cimport cython
from libc.stdint cimport uint8_t, uintptr_t
from posix.time cimport CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID, clock_gettime, timespec

from engine.wasm.runtime cimport runtime

cdef enum:
    NOBODY = -1
    ANY = MOST_SEATS             # of the bots: it isn't known which

cdef double LOOK_SECONDS = 0.1      # between questions whether the run is to stop
cdef const char* ENDED = b"ended by the tournament"

ANY_SEAT = ANY


cdef inline double seconds_of(int clock) noexcept nogil:
    cdef timespec time
    clock_gettime(clock, &time)
    return time.tv_sec + 1e-9 * time.tv_nsec


cdef void* on_tick(void* context, void* watch, uint64_t* more, uint8_t* kind) noexcept nogil:
    """Called by the runtime within a bot's code as its engine's clock ticks; an error ends the call."""
    more[0] = 1
    kind[0] = 0
    if (<Watch>watch).goes_on():
        return NULL
    return runtime.new_error(ENDED)


@cython.final
cdef class Watch:
    """Of one leg's bots. Late are those that took more than `seconds`, and `seconds_per_fuel` for the fuel that they
    used: `late` is the seat, ANY_SEAT if that isn't known, -1 for none. `stopping` says whether the run is to stop;
    `is_stopped` tells that it did, and `interruption` is what it raised."""

    def __init__(
        self,
        fuels,
        *,
        double seconds,
        double seconds_per_fuel,
        stopping,
        bint apart=False,
        bint times_core=False,
    ):
        self.kept = tuple(fuels)
        self.seats = <int>len(self.kept)
        if self.seats > MOST_SEATS:
            raise ValueError(f"a leg has {self.seats} seats, at most {int(MOST_SEATS)} are possible")
        for seat, fuel in enumerate(self.kept):
            self.fuels[seat] = <void*><Fuel?>fuel
        self.seconds, self.seconds_per_fuel = seconds, seconds_per_fuel
        self.stopping = stopping
        self.apart = self.is_exact = apart
        self.times_core = times_core
        self.running = self.late = NOBODY
        self.looked = seconds_of(CLOCK_MONOTONIC)

    @property
    def callback(self):
        """(address of the function that the runtime calls as its clock ticks, its argument)."""
        return <uintptr_t>&on_tick, <uintptr_t><void*>self

    def begin(self, int seat):
        """What this thread does from now on is a seat's."""
        self.switch(seat)

    def end(self):
        """What it does is no longer a bot's. False once a bot is late or the run is to stop."""
        cdef bint goes_on
        with nogil:
            goes_on = self.goes_on()
            self.switch(NOBODY)
        return goes_on

    def used_by(self, int seat):
        """(seconds of processor time, fuel) of a seat, or of ANY_SEAT: all together."""
        if seat == ANY:
            return sum([self.used[i] for i in range(self.seats)]), sum([fuel.spent for fuel in self.kept])
        return self.used[seat], (<Fuel>self.fuels[seat]).spent

    cdef void switch(self, int seat) noexcept nogil:
        cdef double now = seconds_of(CLOCK_THREAD_CPUTIME_ID if self.is_exact else CLOCK_MONOTONIC)
        if self.running != NOBODY:
            self.used[self.running if self.apart else 0] += now - self.since
        self.running, self.since = seat, now

    cdef void begin_step(self) noexcept nogil:
        """The core steps: nothing for those that are quick."""
        if self.apart:
            self.switch(NOBODY)
        elif self.times_core:
            self.core_since = seconds_of(CLOCK_MONOTONIC)

    cdef void end_step(self, int seat) noexcept nogil:
        """The core asks a seat."""
        if self.apart:
            self.switch(seat)
        elif self.times_core:
            self.used[0] -= seconds_of(CLOCK_MONOTONIC) - self.core_since

    cdef bint goes_on(self) noexcept nogil:
        """Whether no bot is late and the run isn't to stop."""
        cdef double now
        cdef uint64_t fuel, together = 0
        cdef int seat
        self.switch(self.running)
        for seat in range(self.seats):
            fuel = (<Fuel>self.fuels[seat]).settle()
            together += fuel
            if self.apart and self.is_late(self.used[seat], fuel):
                self.late = seat
        if not self.apart and self.is_late(self.used[0] * (1 if self.is_exact else 2), together):
            self.be_late_or_exact()
        now = seconds_of(CLOCK_MONOTONIC)
        if now - self.looked > LOOK_SECONDS:
            self.looked = now
            self.is_stopped |= self.asks()
        return self.late == NOBODY and not self.is_stopped

    cdef void be_late_or_exact(self) noexcept nogil:
        """All bots together took too much, or could soon have, as it seems by the clock."""
        if self.is_exact:
            self.late = ANY
            return
        self.is_exact = True
        self.used[0] = 0
        self.since = seconds_of(CLOCK_THREAD_CPUTIME_ID)

    cdef bint is_late(self, double used, uint64_t fuel) noexcept nogil:
        return used > self.seconds + self.seconds_per_fuel * fuel

    cdef bint asks(self) noexcept nogil:
        with gil:
            try:
                return self.stopping()
            except BaseException as interruption:   # Ctrl-C, which reaches Python only here
                self.interruption = interruption
                return True
