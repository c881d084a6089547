"""A seat's fuel in a leg: the counter in its bot's module (`modules`), and the fuel used by earlier starts."""

cimport cython
from libc.stdint cimport uintptr_t

from engine.wasm.runtime cimport I64, RuntimeNumber, runtime


@cython.final
cdef class Fuel:
    """The fuel that a seat's bot can use, and has used in all its starts.

    Args:
        context: Address of the context of the bot's store.
    """

    def __init__(self, uintptr_t context):
        self.context = <void*>context

    def count_by(self, bytes counter):
        """Take the handle of a new instance's counter, b"" for none. What the previous one counted remains in the sum.

        Raises:
            ValueError: A handle has another size.
        """
        if len(counter) not in (0, sizeof(RuntimeVariable)):
            raise ValueError("a variable's handle has 24 bytes")
        self.settle()
        self.is_counted = len(counter) > 0
        self.is_overdrawn = False
        self.given = 0
        if self.is_counted:
            self.counter = (<RuntimeVariable*><const char*>counter)[0]

    cdef void reset(self) noexcept:
        """Forget the counter and the fuel used so far."""
        self.is_counted = self.is_overdrawn = False
        self.given = self.settled = 0

    def give(self, uint64_t fuel):
        """Let the bot use this much fuel from now on, instead of what it has left."""
        self.give_more(fuel)

    @property
    def ran_out(self):
        """True if the bot has needed more than it had since its start."""
        self.settle()
        return self.is_overdrawn

    @property
    def spent(self):
        """Fuel used so far."""
        return self.settle()

    cdef int64_t left(self) noexcept nogil:
        """Return the counter's value, which is negative if the bot needed more than it had, or 0 without a counter."""
        cdef RuntimeNumber value
        if not self.is_counted:
            return 0
        runtime.get_variable(self.context, &self.counter, &value)
        return value.number

    cdef void put(self, int64_t left) noexcept nogil:
        """Set the counter, if there is one."""
        cdef RuntimeNumber value
        if self.is_counted:
            value.kind = I64
            value.number = left
            runtime.set_variable(self.context, &self.counter, &value)

    cdef void give_more(self, uint64_t fuel) noexcept nogil:
        """Let the bot use this much fuel from now on, instead of what it has left."""
        self.settle()
        self.given = fuel
        self.put(<int64_t>fuel)

    cdef uint64_t settle(self) noexcept nogil:
        """Add up the fuel used so far, and return the sum.

        A bot that needed more than it had is recorded as overdrawn.
        """
        cdef int64_t left
        if self.is_counted:
            left = self.left()
            self.is_overdrawn |= left < 0
            self.settled += self.given - <uint64_t>max(left, 0)
            self.given = <uint64_t>max(left, 0)
        return self.settled

    cdef uint64_t pay(self, uint64_t price) noexcept nogil:
        """Take a price from the remaining fuel. Return the rest, 0 if there wasn't enough."""
        cdef int64_t left = self.left() - <int64_t>min(price, <uint64_t>1 << 62)
        self.is_overdrawn |= left <= 0
        self.put(max(left, 0))
        return <uint64_t>max(left, 0)
