"""Coverage of the intervals of matches against all, with bots that learn."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.fields import bot_files
from tournament.api import match
from tournament.trial.match import Estimate, MatchReport

_FIELD = ("kuhn3", "likeme", "naive", "von_neumann", "newman", "scholar", "tell_reader", "copycat")
_VERSIONS = (("scholar", "tell_reader"), ("newman", "likeme"))
_SETTINGS = "[von_neumann_poker]\nsessions = 50\n"


def table(count: int) -> Iterator[str]:
    """This many of four replicas and of ten, each on deals of its own, compared with one that is far longer."""
    yield "| instead of | replicas | points | better by | points against each | better against each |"
    yield "|---|---|---|---|---|---|"
    with tempfile.TemporaryDirectory() as folder:
        settings = Path(folder) / "tournament.toml"
        settings.write_text(_SETTINGS)
        for versions in _VERSIONS:
            play = partial(_play, settings, *versions)
            truth, what = play("long", replicas=25 * count), " instead of ".join(versions)
            for replicas in (4, 10):
                held = np.mean([_held(play(number, replicas=replicas), truth) for number in range(count)], axis=0)
                yield f"| {what} | {replicas} | {' | '.join(f'{100 * one:.1f}%' for one in held)} |"


def _play(settings: Path, new: str, old: str, number: object, **how: Any) -> MatchReport:
    files = {path.stem: path for path in bot_files(_FIELD)}
    others = [path for name, path in files.items() if name not in (new, old)]
    seed = f"match {number} of {new} instead of {old}, {sorted(how)}"
    return match("von_neumann_poker", files[new], *others, baseline=files[old], config=settings, seed=seed, **how)


def _held(found: MatchReport, truth: MatchReport) -> list[float]:
    """Return whether intervals hold the true values: points, difference, and their shares over opponents."""
    true = {line.opponent: line for line in truth.opponents}
    return [
        _holds(found.points, truth.points),
        _holds(found.difference, truth.difference),
        float(np.mean([_holds(line.points, true[line.opponent].points) for line in found.opponents])),
        float(np.mean([_holds(line.difference, true[line.opponent].difference) for line in found.opponents])),
    ]


def _holds(found: Estimate | None, true: Estimate | None) -> bool:
    return bool(
        found and true and found.ci_half_width is not None and abs(found.value - true.value) <= found.ci_half_width
    )
