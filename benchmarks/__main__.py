"""Measure, print a table, and write it to benchmarks/results/.

    python -m benchmarks [--rounds N] [--full]

Both sides of a row run in turn, round by round, so that a drift of the
machine's speed favours neither. A row shows medians and the median ratio.
--full takes the memory row to 10^9 games (about two minutes and 12 GB of disk).
"""

from __future__ import annotations

import argparse
import itertools
import os
import platform
import statistics
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import environments, growth, holdem, tables, two_card_draw
from benchmarks.fields import (
    ROOT,
    STATEMENT_BOTS,
    built,
    plain_controller,
    play_in_memory,
    run_command,
    run_plain,
    run_tournament,
)
from benchmarks.processes import (
    actions_a_second,
    axelrod_turns_a_second,
    c_field,
    games_a_second,
    program_field,
    python_field,
    seconds_of_importing,
)
from benchmarks.rows import HEADER, Row, medians

TEN_BOTS = (*STATEMENT_BOTS, "von_neumann", "newman", "scholar", "tell_reader", "stack_captain", "copycat", "maniac")


def side_by_side(rounds: int, ours: Callable[[], float], theirs: Callable[[], float]) -> tuple[float, float, float]:
    """Return the medians of both sides, and of their ratios round by round."""
    return medians([(ours(), theirs()) for _ in range(rounds)])


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure what benchmarks/README.md lists.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--full", action="store_true", help="memory with 10^9 games instead of 10^8")
    options = parser.parse_args()
    rows = []

    def add(row: Row) -> None:
        rows.append(row)
        print(row.line(), flush=True)

    print(HEADER, flush=True)
    with tempfile.TemporaryDirectory(prefix="tournament-bench-") as name:
        folder = Path(name)
        three, field = built(STATEMENT_BOTS), built(())
        libc = plain_controller(folder, STATEMENT_BOTS, fast_random=False)
        fast = plain_controller(folder, (), fast_random=True)
        mine, other, ratio = side_by_side(
            options.rounds, lambda: play_in_memory(three, 200_000), lambda: run_plain(libc, 200_000)
        )
        add(_rates("statement's bots, recorded in memory, against a plain C controller", mine, other, ratio, "0.9"))
        mine, other, ratio = side_by_side(
            options.rounds, lambda: play_in_memory(field, 5_000), lambda: run_plain(fast, 5_000)
        )
        add(
            _rates("all pairs of the shipped field, against the same with a fast generator", mine, other, ratio, "0.55")
        )
        mine, other, ratio = side_by_side(
            options.rounds, lambda: _written_rate(STATEMENT_BOTS, 300_000), lambda: run_plain(libc, 200_000)
        )
        add(_rates("statement's bots, written to Parquet and committed, 1 worker", mine, other, ratio, "0.6"))
        sample = two_card_draw.built("sample")
        simulator = two_card_draw.plain_simulator(folder, "sample")
        mine, other, ratio = side_by_side(
            options.rounds,
            lambda: two_card_draw.play_in_memory(sample, 100, 10_000),
            lambda: two_card_draw.run_plain(simulator, 1_200_000),
        )
        add(_rates("two-card draw, a C++ bot's hands, against a plain C++ simulator", mine, other, ratio, "0.6"))
    seconds = statistics.median(two_card_draw.seconds_to_make(200_000) for _ in range(options.rounds))
    add(Row("one server of two-card draw, 200,000 steps, seconds", f"{seconds:.3f} s", "0.5 s", seconds / 0.5, "≤ 1"))
    for row in _process_rows(options.rounds):
        add(row)
    mine, other, ratio = side_by_side(options.rounds, lambda: _whole_rate(2), lambda: _whole_rate(1))
    what = "`tournament run` from start to end, two workers against one, share of twice the speed"
    add(Row(what, _millions(mine), _millions(other), ratio / 2, "≥ 0.95"))
    seconds = statistics.median(run_command(TEN_BOTS, 100) for _ in range(options.rounds))
    add(
        Row("`tournament run`, 10 bots, 100 sessions, warm cache, seconds", f"{seconds:.2f} s", "1 s", seconds, "≤ 0.6")
    )
    small = run_tournament((), 280, 2)
    large = run_tournament((), 280_000 if options.full else 28_000, 2)
    add(
        Row(
            f"peak resident memory, {_games(large['games'])} against {_games(small['games'])} games",
            f"{large['megabytes']:.0f} MB",
            f"{small['megabytes']:.0f} MB",
            large["megabytes"] / small["megabytes"],
            "≤ 1.1",
        )
    )
    for measured in itertools.chain(
        growth.rows(), *(part.rows(options.rounds) for part in (holdem, tables, environments))
    ):
        add(Row(*measured))
    target = ROOT / "benchmarks" / "results"
    target.mkdir(exist_ok=True)
    now = datetime.now(UTC).strftime("%Y-%m-%d-%H%M")
    lines = [f"{now}, {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}", ""]
    lines += [HEADER, *[row.line() for row in rows]]
    (target / f"{now}.md").write_text("\n".join(lines) + "\n")


def _process_rows(rounds: int) -> Iterator[Row]:
    """Bots that are processes, on one core."""
    python, c, programs = python_field(64), c_field(16), program_field(8)
    fields: list[tuple[str, Callable[[], float]]] = [
        ("sandboxed Python bots, 64 all against all, recorded", lambda: games_a_second(python, 300)),
        (
            "sandboxed Python bots against C, 64 by 16, recorded",
            lambda: games_a_second([*python, *c], 400, only_mixed=True),
        ),
    ]
    for what, ours in fields:
        if axelrod_turns_a_second() is None:
            yield Row(f"{what}, against Axelrod's turns", _thousands(ours()), "not installed", None, "≥ 20")
            continue
        mine, other, ratio = side_by_side(rounds, ours, lambda: axelrod_turns_a_second() or 0.0)
        yield Row(f"{what}, against Axelrod's turns", _thousands(mine), _thousands(other), ratio, "≥ 20")
    mine, other, ratio = side_by_side(
        rounds, lambda: seconds_of_importing("numpy", ["numpy"]), lambda: seconds_of_importing("time", ["numpy"])
    )
    what = "`tournament run`, 8 Python bots that import numpy, against the same that import time, seconds"
    yield Row(what, f"{mine:.1f} s", f"{other:.1f} s", ratio, "≤ 1.5")
    actions = statistics.median(actions_a_second(programs, 1000) for _ in range(rounds))
    what = "sandboxed programs in C, actions, against 35,000 of the ACPC dealer"
    yield Row(what, _thousands(actions), "35 k/s", actions / 35_000, "≥ 3")


def _written_rate(names: tuple[str, ...], sessions: int) -> float:
    figures = run_tournament(names, sessions, 1)
    return figures["games"] / figures["seconds"]


def _whole_rate(workers: int) -> float:
    figures = run_tournament((), 20_000, workers)
    return figures["games"] / figures["wall"]


def _rates(what: str, mine: float, other: float, ratio: float, wanted: str) -> Row:
    return Row(what, _millions(mine), _millions(other), ratio, f"≥ {wanted}")


def _thousands(rate: float) -> str:
    return f"{rate / 1e3:.0f} k/s"


def _millions(rate: float) -> str:
    return f"{rate / 1e6:.1f} M/s"


def _games(count: float) -> str:
    return f"{count / 1e6:.0f} M" if count >= 1e6 else f"{count:,.0f}"


if __name__ == "__main__":
    main()
