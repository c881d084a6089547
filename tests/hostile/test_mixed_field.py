"""A field of every kind of bot, honest and hostile, plays the same tournament on Ray, twice."""

from __future__ import annotations

import logging
from pathlib import Path

import pandas.testing
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

NAMES = {
    "webassembly": ("division_by_zero", "endless_loop_at_once", "out_of_bounds_write", "unbounded_recursion"),
    "python": ("aborts", "attacks_its_parent", "garbage_bytes"),
    "programs": ("ends_after_a_question",),
}


@pytest.mark.slow
def test_every_kind_of_bot_plays_on_ray(
    tmp_path: Path, scratch: Path, alone: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice on a Ray worker, whose traps are those of processes with handlers of their own.

    The second time it is the same worker that plays: Ray starts once, which takes longer than to play.
    """
    import ray  # heavy, and each worker of the tests would read it

    kinds = {kind: [bot for bot in bots_in(kind) if bot.stem in names] for kind, names in NAMES.items()}
    bots = [bot for found in kinds.values() for bot in found if found is not kinds["webassembly"]]
    assert len(bots) == 4 and len(kinds["webassembly"]) == 4
    ground = Ground(tmp_path)
    for bot in kinds["webassembly"]:  # some have the names of others
        copy = tmp_path / f"compiled_{bot.name}"
        copy.write_text(bot.read_text())
        bots.append(copy)
    ground.prepare(bots)
    played = []
    monkeypatch.setenv("PYTHONFAULTHANDLER", "1")
    with nothing_survives(scratch), own_ray(ray, 1, logging_level=logging.ERROR, log_to_driver=False):
        for name in ("on_ray", "on_ray_again"):
            played.append(ground.play("ray", results=tmp_path / name))
    for results in played:
        assert_verdicts(results, bots)
        assert_good_ones_are_untouched(results, alone)
    for results in played[1:]:
        pandas.testing.assert_frame_equal(results.games, played[0].games, check_exact=True)
        pandas.testing.assert_frame_equal(results.standings, played[0].standings, check_exact=True)
        mine, first = (
            one.entrants.drop(columns=["cpu_seconds", "memory_bytes", "slowest_seconds"])
            for one in (results, played[0])
        )
        pandas.testing.assert_frame_equal(mine, first, check_exact=True)
    assert not {pid: line for pid, line in confined_processes().items() if str(tmp_path) in line}
