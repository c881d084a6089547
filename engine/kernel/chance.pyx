"""Chance for rules written in Python: named as in the standard library's `random`, with words of `engine.kernel.deals`.

Draws depend on a key and a number alone: not on the version of Python, nor on draws under other numbers.
"""

import random

cimport cython
from libc.math cimport isfinite
from libc.stdint cimport UINT64_MAX, uint64_t

from engine.kernel.deals cimport read_key, start_stream, stream_word

cdef object ALL_WORDS = 2**64   # number of different words


@cython.final
cdef class Rng:
    """Draws from the stream of one number under a key.

    Args:
        key: 32 bytes.
        number: Number of the stream.

    Raises:
        ValueError: The key has another length.
    """

    def __init__(self, bytes key, uint64_t number=0):
        read_key(&self.key, key)
        self.turn_to(number)

    cdef void turn_to(self, uint64_t number) noexcept nogil:
        """Continue with the stream of another number, from its beginning."""
        self.number = number
        self.drawn = 0
        self.is_started = False     # many games draw nothing

    cdef uint64_t word(self) noexcept nogil:
        """Return the next 64 random bits."""
        if not self.is_started:
            start_stream(&self.stream, &self.key, self.number)
            self.is_started = True
        self.drawn += 1
        return stream_word(&self.stream, self.drawn - 1)

    cdef uint64_t below(self, uint64_t end) except? 0:
        """Return a number from 0 to one less than the end, all equally likely.

        Raises:
            ValueError: The end is 0.
        """
        if end == 0:
            raise ValueError("there is nothing to draw from")
        cdef uint64_t over = (UINT64_MAX % end + 1) % end   # words that would favour the first numbers
        cdef uint64_t word = self.word()
        while word > UINT64_MAX - over:
            word = self.word()
        return word % end

    cdef double fraction(self) noexcept nogil:
        """Return a float of at least 0 and below 1, of 53 random bits."""
        return <double>(self.word() >> 11) * 1.1102230246251565e-16     # 2^-53

    def random(self):
        """Return a float of at least 0 and below 1."""
        return self.fraction()

    def randrange(self, start, stop=None, step=1):
        """Return an integer of `range(start, stop, step)`, or of `range(start)`.

        Raises:
            ValueError: The range is empty or has more than 2**64 numbers.
        """
        if stop is None:
            start, stop = 0, start
        if step == 1:
            count = stop - start
        else:
            if step == 0:
                raise ValueError("step is 0")
            count = (stop - start + step - (1 if step > 0 else -1)) // step
        if count <= 0:
            raise ValueError(f"there is no number in range({start}, {stop}, {step})")
        if count > ALL_WORDS:
            raise ValueError(f"range({start}, {stop}, {step}) has more than 2**64 numbers; use session.random")
        return start + step * (self.below(count) if count < ALL_WORDS else self.word())

    def randint(self, low, high):
        """Return an integer from `low` to `high`, both included.

        Raises:
            ValueError: There is none, or there are more than 2**64.
        """
        return self.randrange(low, high + 1)

    def choice(self, items):
        """Return one item of a sequence, all equally likely.

        Raises:
            ValueError: The sequence is empty.
        """
        return items[self.below(len(items))]

    def shuffle(self, items):
        """Put a mutable sequence into random order (R. Durstenfeld, Algorithm 235, 1964)."""
        cdef Py_ssize_t last, other
        for last in range(len(items) - 1, 0, -1):
            other = <Py_ssize_t>self.below(last + 1)
            items[last], items[other] = items[other], items[last]

    def sample(self, items, Py_ssize_t count):
        """Return `count` different items of a sequence in random order.

        Raises:
            ValueError: It has fewer, or the count is negative.
        """
        cdef dict moved = {}    # old index of an undrawn item, by its new one
        cdef Py_ssize_t last = len(items) - 1
        cdef Py_ssize_t other
        if not 0 <= count <= len(items):
            raise ValueError(f"{count} can't be drawn from {len(items)}")
        drawn = []
        for _ in range(count):
            other = <Py_ssize_t>self.below(last + 1)
            drawn.append(items[moved.get(other, other)])
            moved[other] = moved.get(last, last)
            last -= 1
        return drawn

    def roll(self, Py_ssize_t count, int faces=6):
        """Return `count` numbers from 1 to `faces`, all equally likely.

        Raises:
            ValueError: The count is negative, or there is no face.
        """
        if count < 0 or faces < 1:
            raise ValueError(f"{count} dice of {faces} faces can't be rolled")
        return [1 + self.below(faces) for _ in range(count)]

    def weighted_index(self, weights):
        """Return the index of a weight, drawn in proportion to them.

        Raises:
            ValueError: A weight is negative or infinite, or none is above 0.
        """
        cdef double total = 0
        cdef double weight, left
        cdef Py_ssize_t place
        cdef Py_ssize_t last = -1
        weights = list(weights)
        for weight in weights:
            if not weight >= 0 or not isfinite(weight):
                raise ValueError(f"{weight} is no weight: expected a finite number from 0 up")
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
        return last     # rounding led here

    def __getattr__(self, str name):
        """Return a method of Python's `random` that isn't among the fast draws above.

        Raises:
            AttributeError: There is no such method.
        """
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__} has no attribute {name}")
        return getattr(StreamRandom(self), name)


class StreamRandom(random.Random):
    """A `random.Random` that draws from an Rng, so it has all methods of Python's `random` and no state of its own.

    Which words a method draws depends on Python's version.
    """

    def __init__(self, rng):
        self._rng = rng
        super().__init__(0)

    def random(self):
        """Return a float of at least 0 and below 1."""
        return self._rng.random()

    def getrandbits(self, count):
        """Return an integer of `count` random bits.

        Raises:
            ValueError: The count is negative.
        """
        cdef Rng rng = self._rng
        if count < 0:
            raise ValueError("number of bits must be non-negative")
        drawn = 0
        for done in range(0, count, 64):
            drawn |= <object>rng.word() << done
        return drawn & ((1 << count) - 1)

    def randbytes(self, count):
        """Return `count` random bytes.

        Raises:
            ValueError: The count is negative.
        """
        return self.getrandbits(8 * count).to_bytes(count, "little")

    def seed(self, *given, **named):
        """Do nothing: the contest's seed chooses the stream."""

    def getstate(self):
        """Raise NotImplementedError, because the stream is shared."""
        raise NotImplementedError("the stream of a game has no state that can be read")

    def setstate(self, state):
        """Raise NotImplementedError, because the stream is shared."""
        raise NotImplementedError("the stream of a game has no state that can be set")

    # `gauss` keeps every second number for its next call, which here could be in another game.
    gauss_next = property(lambda self: None, lambda self, value: None)
