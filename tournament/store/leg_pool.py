"""All legs that the ledger's entries bring, of which batches that were made of others have places."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tournament.store.legs import Legs

Places = npt.NDArray[np.int64]


class LegPool:
    """Legs one after the other, as they were added. They are copied when they are asked for, and only those."""

    def __init__(self) -> None:
        self._several: list[Legs] = []
        self._starts = [0]

    def add(self, legs: Legs) -> Places:
        """Keep legs; returns their places."""
        start = self._starts[-1]
        if legs:
            self._several.append(legs)
            self._starts.append(start + len(legs))
        return np.arange(start, start + len(legs), dtype=np.int64)

    def at(self, places: Places) -> Legs:
        """The legs at these places, in their order."""
        order = np.argsort(places, kind="stable")
        ascending = places[order]
        starts = np.array(self._starts)
        edges = np.searchsorted(ascending, starts)
        found = Legs.joined(
            self._several[one].chosen(ascending[edges[one] : edges[one + 1]] - starts[one])
            for one in np.flatnonzero(np.diff(edges)).tolist()
        )
        where = np.empty_like(order)
        where[order] = np.arange(len(order))
        return found if (np.diff(where) == 1).all() else found.chosen(where)
