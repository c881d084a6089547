"""Chance for rules written in Python: named as in the standard library's `random`, with words of `engine.kernel.deals`.

Draws depend on a key and a number alone: not on the version of Python, nor on
draws under other numbers.
"""

cimport cython
from libc.stdint cimport UINT64_MAX, uint64_t

from engine.kernel.deals cimport read_key, start_stream, stream_word


@cython.final
cdef class Rng:
    """Draws from the stream of one number under a key of 32 bytes."""

    def __init__(self, bytes key, uint64_t number=0):
        read_key(&self.key, key)
        self.turn_to(number)

    cdef void turn_to(self, uint64_t number) noexcept nogil:
        """Go on with the stream of another number, from its beginning."""
        self.number = number
        self.drawn = 0
        self.is_started = False     # many games draw nothing

    cdef uint64_t word(self) noexcept nogil:
        """The next 64 random bits."""
        if not self.is_started:
            start_stream(&self.stream, &self.key, self.number)
            self.is_started = True
        self.drawn += 1
        return stream_word(&self.stream, self.drawn - 1)

    cdef uint64_t below(self, uint64_t end) except? 0:
        """A number from 0 to `end` - 1, all equally likely. Raises ValueError for an end of 0."""
        if end == 0:
            raise ValueError("there is nothing to draw from")
        cdef uint64_t over = (UINT64_MAX % end + 1) % end   # words that would favour the first numbers
        cdef uint64_t word = self.word()
        while word > UINT64_MAX - over:
            word = self.word()
        return word % end

    cdef double fraction(self) noexcept nogil:
        return <double>(self.word() >> 11) * 1.1102230246251565e-16     # 2^-53

    def random(self):
        """A number from 0 to 1, never 1."""
        return self.fraction()

    def randrange(self, start, stop=None):
        """A whole number from `start` to `stop` - 1; from 0 on if only one is given. Raises ValueError for none."""
        if stop is None:
            start, stop = 0, start
        if stop <= start:
            raise ValueError(f"there is no whole number from {start} to {stop - 1}")
        return start + self.below(stop - start)

    def randint(self, low, high):
        """A whole number from `low` to `high`, both included. Raises ValueError for none."""
        return self.randrange(low, high + 1)

    def choice(self, items):
        """One of a sequence, all equally likely. Raises ValueError for an empty one."""
        return items[self.below(len(items))]

    def shuffle(self, list items):
        """Put a list into random order (R. Durstenfeld, Algorithm 235, 1964)."""
        cdef Py_ssize_t last, other
        for last in range(len(items) - 1, 0, -1):
            other = <Py_ssize_t>self.below(last + 1)
            items[last], items[other] = items[other], items[last]

    def sample(self, items, Py_ssize_t count):
        """`count` items of a sequence, none twice, in random order. Raises ValueError if it has fewer."""
        cdef list pool = list(items)
        cdef Py_ssize_t last = len(pool) - 1
        cdef Py_ssize_t other
        if not 0 <= count <= len(pool):
            raise ValueError(f"{count} can't be drawn from {len(pool)}")
        drawn = []
        for _ in range(count):
            other = <Py_ssize_t>self.below(last + 1)
            drawn.append(pool[other])
            pool[other] = pool[last]
            last -= 1
        return drawn

    def roll(self, Py_ssize_t count, int faces=6):
        """`count` numbers from 1 to `faces`, as a list."""
        return [1 + self.below(faces) for _ in range(count)]

    def weighted_index(self, weights):
        """The index of a weight, drawn in proportion to them. Raises ValueError if none is above 0."""
        cdef double total = 0
        cdef double weight, left
        cdef Py_ssize_t place
        cdef Py_ssize_t last = -1
        for weight in weights:
            total += weight
        left = self.fraction() * total
        for place, weight in enumerate(weights):
            if weight > 0:
                last = place
                if left < weight:
                    return place
                left -= weight
        if last < 0:
            raise ValueError("there is nothing to draw from")
        return last     # by rounding
