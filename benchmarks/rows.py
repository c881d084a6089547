"""Rows of the benchmarks' table: medians of both sides, and how a part's own command prints them."""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

HEADER = "| what | ours | against | ratio | wanted |\n|---|---|---|---|---|"


@dataclass(frozen=True)
class Row:
    """A measured row: both sides as text, their ratio if known, and the least it should be ("≤" for at most)."""

    what: str
    ours: str
    theirs: str
    ratio: float | None
    wanted: str

    def line(self) -> str:
        ratio = "—" if self.ratio is None else f"{self.ratio:.2f}"
        return f"| {self.what} | {self.ours} | {self.theirs} | {ratio} | {self.wanted} |"


def medians(pairs: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    """Return the medians of both sides, and of their ratios round by round."""
    mine, other = (statistics.median(side) for side in zip(*pairs))
    return mine, other, statistics.median(ours / theirs for ours, theirs in pairs)


def print_rows(description: str, rows: Callable[[int], Iterable[tuple[str, str, str, float | None, str]]]) -> None:
    """Print the rows of the number of rounds in the command line."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print(HEADER, flush=True)
    for measured in rows(rounds):
        print(Row(*measured).line(), flush=True)
