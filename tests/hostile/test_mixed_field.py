"""A field of every kind of bot, honest and hostile, plays on Ray."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from tests.hostile.field import (
    Ground,
    assert_good_ones_are_untouched,
    assert_verdicts,
    bots_in,
    confined_processes,
    nothing_survives,
)
from tournament.records.results import Results
from tournament.runner.executors.private_ray import own_ray

NAMES = (
    *("division_by_zero.c", "endless_loop_at_once.c", "out_of_bounds_write.c", "unbounded_recursion.c"),
    *("aborts.py", "garbage_bytes.py", "ends_after_a_question"),
)


@pytest.mark.slow
def test_every_kind_of_bot_plays_on_ray(
    tmp_path: Path, scratch: Path, alone: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Traps on a Ray worker are those of a process with handlers of its own."""
    import ray  # heavy, and each worker of the tests would read it

    kinds = ("webassembly", "python", "programs")
    bots = [
        bot for kind in kinds for bot in bots_in(kind) if bot.name in NAMES and (kind, bot.stem) != ("programs", "x")
    ]
    ground = Ground(tmp_path)
    ground.prepare(bots)
    monkeypatch.setenv("PYTHONFAULTHANDLER", "1")
    with nothing_survives(scratch), own_ray(ray, 1, logging_level=logging.ERROR, log_to_driver=False):
        results = ground.play("ray")
    assert_verdicts(results, bots)
    assert_good_ones_are_untouched(results, alone)
    assert not {pid: line for pid, line in confined_processes().items() if str(tmp_path) in line}
