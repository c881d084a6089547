"""Equilibria of small antisymmetric games by trying all supports, in exact fractions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction


def extreme_equilibria(game: Sequence[Sequence[int]]) -> list[tuple[Fraction, ...]]:
    """The corners of the set of mixes against which no row gains anything; every equilibrium is a mean of them.

    A corner has as many tight conditions as unknowns: choose which shares are nothing and which rows gain
    exactly nothing, solve, and keep what is an equilibrium.
    """
    count = len(game)
    found = set()
    for size in range(1, count + 1):
        for support in itertools.combinations(range(count), size):
            for tight in itertools.combinations(range(count), size - 1):
                rows = [[Fraction(game[row][column]) for column in support] + [Fraction(0)] for row in tight]
                solved = _solved([*rows, [Fraction(1)] * (size + 1)])
                if solved is None or min(solved) < 0:
                    continue
                mix = [Fraction(0)] * count
                for place, share in zip(support, solved):
                    mix[place] = share
                if all(sum(a * p for a, p in zip(row, mix)) <= 0 for row in game):
                    found.add(tuple(mix))
    return sorted(found)


def _solved(rows: list[list[Fraction]]) -> list[Fraction] | None:
    """The one solution of as many equations as unknowns, None where there isn't just one."""
    size = len(rows)
    for column in range(size):
        pivot = next((row for row in range(column, size) if rows[row][column]), None)
        if pivot is None:
            return None
        rows[column], rows[pivot] = rows[pivot], rows[column]
        for row in _others(size, column):
            factor = rows[row][column] / rows[column][column]
            rows[row] = [a - factor * b for a, b in zip(rows[row], rows[column])]
    return [row[size] / row[place] for place, row in enumerate(rows)]


def _others(size: int, one: int) -> Iterator[int]:
    return (place for place in range(size) if place != one)
