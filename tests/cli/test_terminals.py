"""Tables on terminals of usual sizes: nothing is wider, and the head of what is printed last stays in sight."""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from tournament.cli.fitting import FittingTable
from tournament.cli.match import opponents_table
from tournament.cli.tables import (
    MAX_COLUMNS,
    crosstable_tables,
    final_tables,
    leaderboard_table,
)
from tournament.contests import find_contest
from tournament.standings.matches import Match, Matches
from tournament.standings.standings import Standing, Standings
from tournament.trial.match import Estimate, MatchReport, OpponentResult

UNIT = "a point is a dollar won, divided by √games of its session"


def field(ranked: int, below: int, matches: int = 3) -> Standings:
    """This many bots that play, and others that don't for reasons of two lines."""
    lines = [
        Standing(
            f"bot_{place}", "c", "", place, 1e5 / place, 9.0, 1e5 / place - 20, 1e5 / place + 20, matches, 10, 99,
        )
        for place in range(1, ranked + 1)
    ]  # fmt: skip
    out = [
        Standing(f"out_{place}", "c", "", faults=4, status="disqualified", reason="divided by zero in a deal " * 4)
        for place in range(below)
    ]
    return Standings((*lines, *out), Matches.from_matches, ())


def screen_of(width: int, height: int, is_terminal: bool = True) -> Console:
    return Console(file=io.StringIO(), width=width, height=height, force_terminal=is_terminal, color_system=None)


def lines_of(console: Console) -> list[str]:
    """Return the printed lines, as a terminal breaks them."""
    assert isinstance(console.file, io.StringIO)
    text = Text.from_ansi(console.file.getvalue()).plain
    return [
        line[start : start + console.width]
        for line in text.splitlines()
        for start in range(0, max(1, len(line)), console.width)
    ]


@pytest.mark.parametrize(("width", "height", "below"), [(80, 24, 3), (140, 40, 3), (80, 24, 0), (80, 24, 40)])
def test_head_and_winner_stay_in_sight(width: int, height: int, below: int) -> None:
    standings = field(60, below)
    console = screen_of(width, height)
    again = {line.name: f"tournament replay a_contest --match {line.name}" for line in standings.entrants}
    for part in final_tables(console, standings, "A contest", UNIT, again):
        console.print(part, soft_wrap=isinstance(part, Text))
    lines = lines_of(console)
    # Then come where the records are, who came late, and the prompt.
    assert len(lines) <= height
    assert "A contest" in lines[0] and "score" in lines[1] and "bot_1 " in lines[3]
    listed = [line for line in lines if " bot_" in line]
    assert f"… and {60 - len(listed)} more" in "\n".join(lines)
    shown = [line for line in lines if line.startswith("out_")]
    if below:
        assert shown and shown[0].startswith("out_0: disqualified: divided by zero")
        assert any("see it: tournament replay a_contest --match out_0" in line for line in lines)
    if below == 40:
        assert any("… and 37 more: tournament leaderboard has all" in line for line in lines)


NAMES = ["tit_for_two_tats_and_more", "generous_zero_determinant", "a_name_of_fifty_letters_" * 2]
TEN = ", ".join(f"{name}_{seat}" for seat, name in enumerate(NAMES * 3))[:150]


def with_matches(count: int, seats: int = 2) -> Standings:
    """Standings of this many bots with long names and large scores, each having met each."""
    names = [f"{name}_{turn}" for turn in range(count) for name in NAMES][:count]
    lines = [
        replace(line, name=name, score=-98_765.4, ci_low=-120_000.0, ci_high=25_020.1, rank_low=1, rank_high=count)
        for line, name in zip(field(count, 0).entrants, names)
    ]
    matches = [
        Match(number, x, y, 1, 7, 70, -8_641.5 * 7, 321.5, -8_641.5 * 7, 321.5, 10)
        for number, (x, y) in enumerate(itertools.combinations(names, 2))
    ]
    below = Standing("a_broken_bot", "c", "", faults=4, status="disqualified", reason="divided by zero")
    return Standings((*lines, below), lambda: Matches.from_matches(matches), (), seats=seats)


def every_table(width: int | None) -> Iterator[tuple[FittingTable, set[str]]]:
    """Yield tables for a terminal, or None for a pipe, with figures of which it always shows one."""
    for seats in (2, 10):
        standings = with_matches(7, seats)
        yield leaderboard_table(standings, "Title", None, UNIT), {"-98,765.4"}
        for table in crosstable_tables(standings, "Title", width):
            yield table, {"-8,641.50"}
    yield crosstable_tables(with_matches(MAX_COLUMNS + 1), "Title", width)[0], {"-8641.500"}
    points = Estimate(-98_765.432, 6_123.0, 12_345.678)
    for names in (NAMES, [TEN]):
        opponents = tuple(OpponentResult(name, points, points, points, points) for name in names)
        report = MatchReport("a_bot", None, 7, 70, baseline="another", opponents=opponents)
        yield opponents_table(report, find_contest("von_neumann_poker")), {"-98,765.432"}


@pytest.mark.parametrize("width", [30, 80, None])
def test_table_keeps_digits_and_names_at_every_width(width: int | None) -> None:
    """Pipes have no width, so each row is one line there, with all columns."""
    for table, figures in every_table(width):
        console = screen_of(width or 80, 60, is_terminal=width is not None)
        console.print(table, crop=False)
        assert isinstance(console.file, io.StringIO)
        text = console.file.getvalue()
        lines = text.splitlines()
        assert all(cell_len(line) <= (width or 10_000) for line in lines), text
        assert "…" not in text and any(figure in text for figure in figures), text
        # A wrapped name goes on in the rows below, within its column.
        at = [[cell.strip() for cell in re.split("[┃│]", line)] for line in lines]
        columns = ["".join(cells).replace(" ", "") for cells in itertools.zip_longest(*at, fillvalue="")]
        for place in (place for place, column in enumerate(table.columns) if column.is_left):
            for cells, _ in table.rows:
                assert any(str(cells[place]).replace(" ", "") in column for column in columns), text
        assert width or next(line for line in lines if "┃" in line).count("┃") == len(table.columns) - 1
