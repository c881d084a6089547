"""Resources that bots used in their legs."""

from __future__ import annotations

import numpy as np

from tournament.store.leg_result import Used
from tournament.store.legs import Legs


def used_by(legs: Legs) -> dict[str, Used]:
    """Return the resources that each bot used in all legs, by name. The order of legs doesn't change any bit.

    Fuel and processor time (seconds, rounded to microseconds in each leg) are sums. Memory and the slowest answer are
    maxima. A bot without legs has zeros.
    """
    fuel, microseconds = np.zeros((2, len(legs.names)), np.int64)
    memory, slowest = np.zeros((2, len(legs.names)))
    for seat in range(legs.seats):
        used = legs.used[:, seat].astype(float)
        np.add.at(fuel, legs.players[:, seat], np.rint(used[:, 0]).astype(np.int64))
        np.add.at(microseconds, legs.players[:, seat], np.rint(1e6 * used[:, 1]).astype(np.int64))
        np.maximum.at(memory, legs.players[:, seat], used[:, 2])
        np.maximum.at(slowest, legs.players[:, seat], used[:, 3])
    columns = fuel.tolist(), (microseconds / 1e6).tolist(), memory, slowest
    return {name: Used(*own) for name, *own in zip(legs.names, *columns)}
