"""A session's generator of which one draw can be changed while all others stay the same."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any, NamedTuple

from engine.kernel.chance import Rng
from engine.rules.session_core import Session

# Maximum options of a draw that is changed. A draw with more might be the seed of a generator that rules have of their
# own. Every later value would then show a part of it.
MAX_OPTIONS = 1 << 20
# A changed fraction moves by a multiple of this.
_PART = 1 / 7


class Draw(NamedTuple):
    """A draw.

    Attributes:
        options: Number of possible outcomes; 0 for a fraction. For a random order, its length.
        is_order: Whether it is a random order.
        taken: Number of first elements of the order that the rules receive; 0 for all.
    """

    options: int
    is_order: bool = False
    taken: int = 0

    @property
    def is_known(self) -> bool:
        """True if a question can show a part of the draw, and the draw can't be a seed.

        So it is a fraction, or has from 3 to `MAX_OPTIONS` options.
        """
        return self.options == 0 or 2 < self.options <= MAX_OPTIONS


class Change(NamedTuple):
    """Another outcome of a draw.

    Attributes:
        number: Number of the draw in its session, from 0.
        one: Number of options by which the outcome moves on, or of sevenths for a fraction. In a random order, the
            index of an element.
        other: In a random order, the index of the element that it is swapped with. Otherwise unused.
    """

    number: int
    one: int
    other: int = 0


class Chance:
    """A replacement for a session's generator, which records its draws and changes one of them.

    A changed draw takes the same words of the stream, so later draws keep their outcomes. Methods that only
    `random.Random` has are neither recorded nor changed.

    Attributes:
        draws: Draws so far, in order.

    Args:
        rng: Generator to replace.
        change: Draw to change, with its new outcome; None for none.
    """

    def __init__(self, rng: Rng, change: Change | None) -> None:
        self._rng, self._change = rng, change
        self.draws: list[Draw] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rng, name)

    def _taken(self, draw: Draw) -> Change | None:
        """Record a draw, and return its change, or None if it isn't the draw to change."""
        self.draws.append(draw)
        change = self._change
        return change if change and change.number == len(self.draws) - 1 else None

    def _index(self, count: int) -> int:
        """Return a random index below a positive count. A changed one moves on by a number of options, cyclically."""
        index = self._rng.randrange(count)
        change = self._taken(Draw(count))
        return (index + change.one) % count if change else index

    def random(self) -> float:
        """Return a fraction from 0 to below 1. A changed one moves by sevenths."""
        value = self._rng.random()
        change = self._taken(Draw(0))
        return (value + change.one * _PART) % 1.0 if change else value

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        """Return an integer of a range.

        Raises:
            ValueError: The range is empty, its step is 0, or it has more than 2**64 numbers.
        """
        start, stop = (0, start) if stop is None else (start, stop)
        count = -((start - stop) // step) if step else 0
        if not 0 < count < 1 << 64:
            return self._rng.randrange(start, stop, step)
        return start + step * self._index(count)

    def randint(self, low: int, high: int) -> int:
        """Return an integer from `low` to `high`, both included.

        Raises:
            ValueError: There is no such integer.
        """
        return self.randrange(low, high + 1)

    def choice(self, items: Sequence[Any]) -> Any:
        """Return an item of a sequence.

        Raises:
            ValueError: The sequence is empty.
        """
        return items[self._index(len(items))] if len(items) else self._rng.choice(items)

    def roll(self, count: int, faces: int = 6) -> list[int]:
        """Return numbers from 1 to `faces`, each as a draw of its own, in order.

        Args:
            count: Number of dice.
            faces: Number of faces of each die, by default 6.

        Raises:
            ValueError: The count is negative, or there are no faces.
        """
        if count < 0 or faces < 1:
            return self._rng.roll(count, faces)
        return [1 + self._index(faces) for _ in range(count)]

    def weighted_index(self, weights: Sequence[float]) -> int:
        """Return an index with a probability in proportion to its weight. A changed draw moves over positive weights.

        Raises:
            ValueError: A weight is negative or not finite, or all weights are 0.
        """
        weights = list(weights)
        index = self._rng.weighted_index(weights)
        options = [place for place, weight in enumerate(weights) if weight > 0]
        change = self._taken(Draw(len(options)))
        return options[(options.index(index) + change.one) % len(options)] if change else index

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Put items into a random order, in place. A changed order has two elements swapped."""
        self._rng.shuffle(items)
        if change := self._taken(Draw(len(items), is_order=True)):
            items[change.one], items[change.other] = items[change.other], items[change.one]

    def sample(self, items: Sequence[Any], count: int) -> list[Any]:
        """Return `count` items at different indices in a random order.

        A changed draw swaps two elements of the order in which the remaining items follow, sorted by index.

        Raises:
            ValueError: There are fewer items than `count`, or it is negative.
        """
        indices = self._rng.sample(range(len(items)), count)
        if change := self._taken(Draw(len(items), is_order=True, taken=count)):
            indices += sorted(set(range(len(items))) - set(indices))
            indices[change.one], indices[change.other] = indices[change.other], indices[change.one]
        return [items[place] for place in indices[:count]]


class WatchedSession:
    """A replacement for a session: rules draw from a `Chance`, and everything else is the session's.

    Attributes:
        rng: The generator that the rules use.

    Args:
        session: Session to replace.
        change: Draw to change; None for none.
    """

    def __init__(self, session: Session, change: Change | None) -> None:
        self._session = session
        self.rng = Chance(session.rng, change)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)
