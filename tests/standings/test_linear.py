"""What is worked out of whole crosstables is the same to the last bit on any number of threads."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.contest_runs import environment

RATES = """
import numpy as np
from tests.standings.test_unforetold import honest, ranking_of
from tournament.standings.bradley_terry import _most_likely
from tournament.standings.unforetold import unforetold
chance = np.random.default_rng(4)
won = honest(chance, 3.0, 500)
games = won - won.T
sessions = np.full(won.shape, 100.0) - np.diag(np.full(len(won), 100.0))
of_each = (sessions / (1 + np.exp(-games / 9))).sum(axis=1)
for found in _most_likely(sessions, of_each):
    print(found.tobytes().hex())
print(unforetold(ranking_of(won[:300, :300])))
"""


@pytest.mark.slow
def test_ratings_and_notes_are_the_same_on_any_number_of_threads() -> None:
    command = [sys.executable, "-c", RATES]
    one, two = (
        subprocess.run(
            command, env=environment({"OPENBLAS_NUM_THREADS": number}), capture_output=True, text=True, check=True
        ).stdout.splitlines()
        for number in ("1", "2")
    )
    assert len(one) == 3 and "Unforetold(" in one[2]
    assert [line == other for line, other in zip(one, two)] == [True] * 3
