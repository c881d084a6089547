"""Tournaments of equal bots, and how often they distinguish the bots."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from tournament.rehearsal.finding import FALSE_ALARM, Finding
from tournament.rehearsal.plays import MANNERS, Plays
from tournament.standings.rank_bounds import ERROR_RATE, significantly_different
from tournament.standings.student_t import two_sided_tail

_REPLICAS = 4


def twins(tables: Sequence[Plays]) -> Iterator[Finding]:
    """Yield the share of tournaments of four replicas that distinguish equal bots, at each number of seats.

    It is a fault if there are far more of them than the error rate of 5% explains. Four consecutive legs of a manner
    are a tournament. Numbers of seats without one, or with one bot that isn't the house's, are omitted. Legs in which
    the rules failed don't count.

    Args:
        tables: Plays at each number of seats.
    """
    for plays in tables:
        distinguished = played = 0
        for manner in MANNERS:
            legs = plays.of(manner)
            for first in range(0, len(legs) - _REPLICAS + 1, _REPLICAS):
                values = np.array([leg.by_bot for leg in legs[first : first + _REPLICAS]])
                values = values[:, : plays.seats - plays.house_seats]
                if values.shape[1] > 1:
                    played += 1
                    distinguished += _are_distinguishable(values)
        if not played:
            continue
        each = (
            math.comb(played, k) * ERROR_RATE**k * (1 - ERROR_RATE) ** (played - k)
            for k in range(distinguished, played + 1)
        )
        chance = sum(each)
        text = f"{distinguished} of {played} tournaments of equal bots at {plays.seats} seats tell them apart; 5% may"
        if chance < FALSE_ALARM:
            yield Finding("twins", f"{text}: something goes by who a bot is", is_fault=True)
        else:
            yield Finding("twins", text)


def _are_distinguishable(values: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> bool:
    """Return whether any two columns differ significantly, by Student's t of the rows and Holm's correction.

    Args:
        values: Points by leg and bot, with at least two rows and two columns.
    """
    one, other = np.triu_indices(values.shape[1], 1)
    differences = values[:, one] - values[:, other]
    differences[np.abs(differences) < 1e-9 * np.abs(values).max(initial=1.0)] = 0.0
    mean, error = differences.mean(axis=0), differences.std(axis=0, ddof=1) / math.sqrt(len(values))
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.nan_to_num(mean / error, nan=0.0, posinf=np.inf, neginf=-np.inf)
    return bool(significantly_different(two_sided_tail(t, np.full(len(t), len(values) - 1.0))).any())
