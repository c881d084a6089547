"""Tables on terminals of usual sizes: nothing is wider, and the head of what is printed last stays in sight."""

from __future__ import annotations

import io
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

from tests.contest_runs import command_line, environment, new_place
from tests.samples import sampled
from tournament.cli.replay_tables import print_game
from tournament.cli.screen import Screen
from tournament.cli.tables import crosstable_tables, final_tables, leaderboard_table
from tournament.contests import find_contest
from tournament.runner.watcher import Progress
from tournament.standings.matches import Matches
from tournament.standings.standings import Standing, Standings
from tournament.worker.observation import ObservedGame, Step

SIZES = [(80, 24), (100, 30), (140, 40)]
UNIT = "a point is a dollar won, divided by √games of its session"


def field(ranked: int, below: int, matches: int = 3) -> Standings:
    """So many bots that play, and others that don't for reasons of two lines."""
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
    return Standings((*lines, *out), Matches.of(), ())


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


@pytest.mark.parametrize(("ranked", "below", "is_terminal"), [(9, 1, True), (60, 40, False)])
def test_where_there_is_room_and_where_there_is_no_terminal_all_is_told(
    ranked: int, below: int, is_terminal: bool
) -> None:
    console = screen_of(80, 24, is_terminal)
    for part in final_tables(console, field(ranked, below), "A contest", UNIT, {}):
        console.print(part)
    text = "\n".join(lines_of(console))
    assert all(name in text for name in (f"bot_{ranked} ", f"out_{below - 1}: disqualified")) and "more" not in text


def test_what_is_piped_is_neither_broken_nor_padded() -> None:
    console = Console(file=io.StringIO(), width=80, color_system=None)
    told = "cards " * 40
    step = Step(0, "ann", "a", {}, asked=f"a: {told}", answer=5, answered="5")
    print_game(console, ObservedGame(0, 3, {"ann": ("A", "K")}, (("ann", "bets 5"),), "ann wins", (step,), None))
    assert isinstance(console.file, io.StringIO)
    lines = console.file.getvalue().splitlines()
    assert lines == ["game 3: ann A K", f"  ann a: {told}", "    → 5", "  ann bets 5; ann wins"]
    with Screen(console, "A contest") as screen:
        screen.doing("building")
    assert console.file.getvalue().endswith("building\n")


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
            leaderboard_table(Standings(tuple(lines), Matches.of(), (), scoring), "A contest", None, UNIT, wide)
        )
        shown = lines_of(console)
        assert all(any(f" {line.name} " in text for text in shown) for line in lines)
        assert not any("…" in text for text in shown)
        assert all(heading in shown[1] for heading in ("score", "± 95%", "place", "faults", *(
            measure.title for measure in (scoring.measures if scoring else ()))))  # fmt: skip
        assert ("games" in shown[1]) == ("matches" in shown[1]) == wide


@pytest.mark.parametrize(("width", "height", "matches"), [*((*size, 3) for size in SIZES), (80, 24, 0)])
def test_the_live_board_ends_with_its_progress(width: int, height: int, matches: int) -> None:
    """Whatever is said below the table, and however it is broken."""
    standings = field(60, 5)
    uneven = Standings((*standings.entrants[:9], *field(60, 5, matches).entrants[9:]), Matches.of(), ())
    console = screen_of(width, height)
    with Screen(console, "A contest", unit=UNIT) as screen:
        screen.on_progress(Progress(3, 10, 1000, 1.0, 2.0, uneven))
        assert screen._live
        lines = console.render_lines(screen._live.renderable, pad=False)
    text = ["".join(piece.text for piece in line).rstrip() for line in lines]
    assert len(text) < height
    assert "A contest" in text[0] and "bot_1 " in text[3]
    assert text[-1].endswith("3/10 legs · 1.0k games · 1.0k games/s · 0:02 left")
    assert max(map(len, text)) <= width


@pytest.mark.parametrize(
    "variables",
    sampled([{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}], 2),
)
def test_a_console_without_a_sign_shows_another(tmp_path: Path, variables: dict[str, str]) -> None:
    place = new_place(tmp_path, ["bold", "calm"])
    for words in (place.arguments(), ["leaderboard", "--results", str(place.results)], ["run", "--help"]):
        done = subprocess.run(
            command_line(words), env=environment(variables), capture_output=True, check=False, cwd=tmp_path
        )
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False)
        done.stdout.decode("ascii")
    assert b"? 95%" in subprocess.run(
        command_line(["leaderboard", "--results", str(place.results)]),
        env=environment(variables), capture_output=True, check=True,
    ).stdout  # fmt: skip


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
    console.print(leaderboard_table(Standings(lines, Matches.of(), ()), "A contest", None, UNIT))
    numbers = {line.split()[2]: line.split()[0] for line in lines_of(console) if " bot_" in line}
    assert numbers == {line.name: "=" if line is lines[1] else str(line.rank) for line in lines}
