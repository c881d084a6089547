"""A session's chance of which one draw can be changed, all others being the same."""

from __future__ import annotations

from collections.abc import MutableSequence, Sequence
from typing import Any, NamedTuple

from engine.kernel.chance import Rng
from engine.rules.session_core import Session

# Options. With more a draw can be the seed of a generator of the rules' own, of which every later value shows a part.
MAX_OPTIONS = 1 << 20
# A changed fraction is moved by a multiple of this.
_PART = 1 / 7


class Draw(NamedTuple):
    """A draw.

    Attributes:
        options: How many outcomes it has, 0 for a fraction; or places of a random order.
        is_order: Whether it is a random order.
        taken: How many of the first places rules get, 0 for all.
    """

    options: int
    is_order: bool = False
    taken: int = 0

    @property
    def is_known(self) -> bool:
        """True if a part of the draw is less than all of it, and the draw can't be a seed."""
        return self.options == 0 or 2 < self.options <= MAX_OPTIONS


class Change(NamedTuple):
    """Another outcome of a draw.

    Attributes:
        number: Number of the draw in its session.
        one: How many options further the outcome is; in a random order a place.
        other: In a random order the place that changes with it.
    """

    number: int
    one: int
    other: int = 0


class Chance:
    """Stands for a session's generator: lists its draws, and changes one.

    A changed draw takes the same words of the stream, so later draws have the outcomes that they had. Methods that
    only `random.Random` has are neither listed nor changed.
    """

    def __init__(self, rng: Rng, change: Change | None) -> None:
        self._rng, self._change = rng, change
        self.draws: list[Draw] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rng, name)

    def _taken(self, draw: Draw) -> Change | None:
        """List a draw. Return its change, if it is the one to be changed."""
        self.draws.append(draw)
        change = self._change
        return change if change and change.number == len(self.draws) - 1 else None

    def _index(self, count: int) -> int:
        """Return an index below a positive count."""
        index = self._rng.randrange(count)
        change = self._taken(Draw(count))
        return (index + change.one) % count if change else index

    def random(self) -> float:
        """Return a fraction."""
        value = self._rng.random()
        change = self._taken(Draw(0))
        return (value + change.one * _PART) % 1.0 if change else value

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        """Return an integer of a range."""
        start, stop = (0, start) if stop is None else (start, stop)
        count = -((start - stop) // step) if step else 0
        if not 0 < count < 1 << 64:
            return self._rng.randrange(start, stop, step)
        return start + step * self._index(count)

    def randint(self, low: int, high: int) -> int:
        """Return an integer, both ends included."""
        return self.randrange(low, high + 1)

    def choice(self, items: Sequence[Any]) -> Any:
        """Return an item."""
        return items[self._index(len(items))] if len(items) else self._rng.choice(items)

    def roll(self, count: int, faces: int = 6) -> list[int]:
        """Return numbers from 1 to `faces`, each a draw of its own."""
        if count < 0 or faces < 1:
            return self._rng.roll(count, faces)
        return [1 + self._index(faces) for _ in range(count)]

    def weighted_index(self, weights: Sequence[float]) -> int:
        """Return an index by its weight."""
        weights = list(weights)
        index = self._rng.weighted_index(weights)
        options = [place for place, weight in enumerate(weights) if weight > 0]
        change = self._taken(Draw(len(options)))
        return options[(options.index(index) + change.one) % len(options)] if change else index

    def shuffle(self, items: MutableSequence[Any]) -> None:
        """Put items into random order."""
        self._rng.shuffle(items)
        if change := self._taken(Draw(len(items), is_order=True)):
            items[change.one], items[change.other] = items[change.other], items[change.one]

    def sample(self, items: Sequence[Any], count: int) -> list[Any]:
        """Return items in random order. Items that are left over have the last places of the order."""
        indices = self._rng.sample(range(len(items)), count)
        if change := self._taken(Draw(len(items), is_order=True, taken=count)):
            indices += sorted(set(range(len(items))) - set(indices))
            indices[change.one], indices[change.other] = indices[change.other], indices[change.one]
        return [items[place] for place in indices[:count]]


class WatchedSession:
    """Stands for a session: rules draw from a `Chance`, all else is the session's."""

    def __init__(self, session: Session, change: Change | None) -> None:
        self._session = session
        self.rng = Chance(session.rng, change)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._session, name)
