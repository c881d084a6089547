"""Tables on terminals of usual sizes: nothing is wider, and the head of what is printed last stays in sight."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console
from rich.text import Text

from tournament.cli.tables import crosstable_tables, final_tables, leaderboard_table
from tournament.contests import find_contest
from tournament.standings.matches import Matches
from tournament.standings.standings import Standing, Standings

SIZES = [(80, 24), (100, 30), (140, 40)]
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
    return Standings((*lines, *out), Matches.of, ())


def screen_of(width: int, height: int, is_terminal: bool = True) -> Console:
    return Console(file=io.StringIO(), width=width, height=height, force_terminal=is_terminal, color_system=None)


def lines_of(console: Console) -> list[str]:
    """What was printed, as a terminal breaks it."""
    assert isinstance(console.file, io.StringIO)
    text = Text.from_ansi(console.file.getvalue()).plain
    return [
        line[start : start + console.width]
        for line in text.splitlines()
        for start in range(0, max(1, len(line)), console.width)
    ]


@pytest.mark.parametrize(
    ("width", "height", "below"), [*((*size, 3) for size in SIZES), (80, 24, 0), (80, 24, 1), (80, 24, 40)]
)
def test_the_head_and_the_winner_stay_in_sight(width: int, height: int, below: int) -> None:
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


@pytest.mark.parametrize("contest", ["holdem_training", "two_card_draw", "von_neumann_poker"])
def test_eighty_characters_hold_the_columns_and_wide_has_all(contest: str) -> None:
    """Of contests with measures of their own, too."""
    scoring = house.scoring if (house := find_contest(contest).house) else None
    measures = {measure.name: 2.0 for measure in scoring.measures} if scoring else {}
    score = 12.345 if contest == "holdem_training" else 12345.6
    lines = [
        replace(
            line,
            name=f"one_who_samples_{line.rank}",
            measures=measures,
            score=score,
            ci_low=score - 1,
            ci_high=score + 1,
        )
        for line in field(7, 0).entrants
    ]
    for wide in (False, True):
        console = screen_of(200 if wide else 80, 40)
        console.print(
            leaderboard_table(Standings(tuple(lines), Matches.of, (), scoring), "A contest", None, UNIT, wide)
        )
        shown = lines_of(console)
        assert all(any(f" {line.name} " in text for text in shown) for line in lines)
        assert not any("…" in text for text in shown)
        assert all(heading in shown[1] for heading in ("score", "± 95%", "place", "faults", *(
            measure.title for measure in (scoring.measures if scoring else ()))))  # fmt: skip
        assert ("games" in shown[1]) == ("matches" in shown[1]) == wide


def test_a_long_name_is_cut_and_no_figure() -> None:
    standings = field(12, 0)
    long = replace(standings.entrants[3], name="a_name_of_" + "fifty_letters_" * 3, score=-98_765.4)
    standings = replace(standings, entrants=(*standings.entrants[:3], long, *standings.entrants[4:]))
    console = screen_of(80, 40)
    console.print(leaderboard_table(standings, "A contest", None, UNIT))
    lines = lines_of(console)
    assert "-98,765.4" in next(line for line in lines if "a_name_of_fifty" in line)
    assert [line for line in lines if "…" in line] == [line for line in lines if "a_name_of_" in line]
    assert len(crosstable_tables(standings, "A contest", console.width)) == 3  # of twelve bots


def test_bots_of_one_score_share_their_number() -> None:
    first, second, *rest = field(6, 0).entrants
    lines = (first, replace(second, score=first.score), *rest)
    console = screen_of(80, 40)
    console.print(leaderboard_table(Standings(lines, Matches.of, ()), "A contest", None, UNIT))
    numbers = {line.split()[2]: line.split()[0] for line in lines_of(console) if " bot_" in line}
    assert numbers == {line.name: "=" if line is lines[1] else str(line.rank) for line in lines}
