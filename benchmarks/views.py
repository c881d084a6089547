"""Processor seconds of the two largest views: `python -m benchmarks.views`."""

from __future__ import annotations

import io
import itertools
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from rich.console import Console

from benchmarks.fields import ROOT
from benchmarks.rows import print_rows
from tests.reporting.conftest import played
from tests.reporting.test_page import large_field
from tournament.api import run
from tournament.cli.tables import crosstable_tables
from tournament.contests import find_contest
from tournament.reporting.page import render
from tournament.standings.matches import Matches
from tournament.standings.standings import Standing, Standings


def main() -> None:
    """Print a row for the crosstable of 1,000 bots in a pipe and one for the report of 300 bots."""
    print_rows(__doc__ or "", _rows)


def _rows(rounds: int) -> Iterator[tuple[str, str, str, float | None, str]]:
    with tempfile.TemporaryDirectory(prefix="tournament-bench-") as folder:
        run(
            "von_neumann_poker",
            config=ROOT / "tournament.toml",
            results=folder,
            sessions=8,
            executor="local",
            workers=1,
        )
        findings = large_field(played(Path(folder)), 300)
    poker, standings = find_contest("von_neumann_poker"), _standings(1000)

    def print_crosstable() -> None:
        console = Console(file=io.StringIO(), width=80)
        for table in crosstable_tables(standings, "A contest", None):
            console.print(table, crop=False)

    for what, draw, most in (
        ("crosstable of 1,000 bots as a list", print_crosstable, 5),
        ("report of 300 bots", lambda: render(poker, findings), 3),
    ):
        yield what, f"{min(_seconds(draw) for _ in range(rounds)):.1f} s", "—", None, f"≤ {most} s"


def _standings(bots: int) -> Standings:
    """Standings of bots that all won a little against those behind them."""
    names = tuple(f"bot_{number:04}" for number in range(bots))
    players = np.array(list(itertools.combinations(range(bots), 2)), np.int32)
    whole = np.tile(np.array([0, 1, 100, 5000, 90]), (len(players), 1))
    amounts = np.tile(np.array([50.0, 12.0, -50.0, 12.0, 24.0]), (len(players), 1))
    lines = tuple(Standing(name, "c", "", rank) for rank, name in enumerate(names, 1))
    return Standings(lines, lambda: Matches(names, players, whole, amounts), ())


def _seconds(draw: Callable[[], object]) -> float:
    began = time.process_time()
    draw()
    return time.process_time() - began


if __name__ == "__main__":
    main()
