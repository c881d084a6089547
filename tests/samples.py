"""Sweeps of which `make test` takes a sample, and `make test-thorough` the rest."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import pytest


def sample_params(cases: Iterable[Any], taken: Callable[[Any], bool] | Collection[Any] | int) -> list[Any]:
    """Values for `parametrize`, those not taken marked as thorough.

    `taken`: the cases of the sample, what says so of a case, or a number: the first of each this many.
    """

    def is_taken(number: int, case: Any) -> bool:
        if isinstance(taken, int):
            return number % taken == 0
        return taken(case) if callable(taken) else case in taken

    return [
        case if is_taken(number, case) else pytest.param(case, marks=pytest.mark.thorough)
        for number, case in enumerate(cases)
    ]
