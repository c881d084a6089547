"""Counts of games compared with plain loops over the records, and scenes with what was won."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from tests.reporting.conftest import Played, played
from tournament.api import run
from tournament.contests import find_contest
from tournament.contests.contest import Contest
from tournament.contests.presentation import (
    BarChart,
    GridChart,
    LineChart,
    Row,
    Seats,
    Subject,
    sum_over_entrants,
)
from tournament.reporting.bots import Bots
from tournament.reporting.findings import contest_of
from tournament.reporting.layout import Layout


def rows_of(one: Played) -> list[Row]:
    return [{str(name): value for name, value in row.items()} for row in one.results.games.to_dict("records")]


def test_charts_of_von_neumann_poker_count_its_games(pages: Mapping[str, Played]) -> None:
    one = pages["von_neumann_poker"]
    bets: Counter[tuple[str, int, int]] = Counter()
    answers: Counter[tuple[str, int, int, bool]] = Counter()
    for row in rows_of(one):
        a, b = (row["bot_0"], row["bot_1"]) if row["seat_0_is_a"] else (row["bot_1"], row["bot_0"])
        bets[a, int(row["a_card"] * 20), row["bet"]] += 1
        if row["bet"]:
            answers[b, int(row["b_card"] * 20), row["bet"], row["folded"]] += 1
    sums, names = one.findings.survey.sums, [*one.findings.entrants, "others"]
    found_bets = {(names[i], c, b): n for (i, c, b), n in np.ndenumerate(sums["bets"]) if n}
    found_answers = {(names[i], c, b, bool(f)): n for (i, c, b, f), n in np.ndenumerate(sums["answers"]) if n}
    assert found_bets == bets and found_answers == answers


def test_charts_of_two_card_draw_count_its_games(pages: Mapping[str, Played]) -> None:
    one = pages["two_card_draw"]
    opened: Counter[tuple[str, int, bool]] = Counter()
    drew: Counter[tuple[str, int, int]] = Counter()
    for row in rows_of(one):
        opened[row["bot_0"], row["dealt_0"], row["opened1_0"]] += 1
        if row["rounds"] == 2:
            drew[row["bot_0"], row["dealt_0"], row["drew_0"]] += 1
    sums, names = one.findings.survey.sums, one.findings.entrants
    for name, known in (("opened", opened), ("drew", drew)):
        assert {(names[i], a, type(b)(c)): n for (i, a, c), n in np.ndenumerate(sums[name]) for b in (0,) if n} == known


def test_charts_of_holdem_training_count_its_decisions(pages: Mapping[str, Played]) -> None:
    """Count every decision of Alice by its action, in a loop over the rounds of each hand."""
    one = pages["holdem_training"]
    hole: Counter[tuple[str, int]] = Counter()
    board: Counter[tuple[str, int, int]] = Counter()
    for row in rows_of(one):
        for number in range(1, 5):
            answer = row[f"bob_answer_{number}"]
            folds = row["folded_by"] == 1 and not answer
            action = 0 if row[f"raise_{number}"] else 1 if folds else 2
            if number == 1:
                hole[row["bot_0"], action] += 1
            else:
                board[row["bot_0"], number - 2, action] += 1
            if folds or answer == 3:
                break
    sums, names = one.findings.survey.sums, one.findings.entrants
    found = sums["hole"].sum(axis=1)
    assert {(names[i], action): n for (i, action), n in np.ndenumerate(found) if n} == hole
    found = sums["board"].sum(axis=2)
    assert {(names[i], n, action): count for (i, n, action), count in np.ndenumerate(found) if count} == board


MOVES = ("hawk", "dove", "<owl>")


def turns_of_a_matrix_game(seed: int, count: int = 400) -> list[dict[str, int]]:
    """Rows of two matches among bots 0, 1 and 2: games of 5 turns, some cut short, a tenth of the moves slips."""
    draw = np.random.default_rng(seed)
    rows, session, turn = [], 0, 0
    for place in range(count):
        rows.append(
            {
                "match": 2 * place // count, "session": session, "game": turn, "turn": turn,
                "move_0": int(draw.integers(3)), "move_1": int(draw.integers(3)),
                "move_replaced_0": int(draw.random() < 0.1), "move_replaced_1": int(draw.random() < 0.1),
            }
        )  # fmt: skip
        turn += 1
        if turn == 5 or draw.random() < 0.1 or place == count // 2 - 1:
            session, turn = session + 1, 0
    return rows


def shown_matrix_game(moves: tuple[str, ...], payoffs: list[list[float]], **more: object) -> Contest:
    contest = find_contest("matrix_game")
    told = {"moves": list(moves), "payoffs": payoffs, "turns_per_game": 5, **more}
    return contest.under(contest.settings.model_validate(told))


@pytest.mark.parametrize("count", [2, 3, 4])
def test_charts_of_matrix_games_count_moves(count: int) -> None:
    """Count chosen moves by turn, and by the moves of the turn before in the same game."""
    names = (*MOVES, "lark")[:count]
    presentation = shown_matrix_game(names, [[0.0] * count] * count).presentation
    assert presentation
    rows = turns_of_a_matrix_game(count)
    for row in rows:
        row["move_0"], row["move_1"] = row["move_0"] % count, (row["move_1"] + row["move_replaced_0"]) % count
    opponent = {0: 1, 1: 2}  # Bot 0 met these, by match.
    turns: Counter[tuple[int, int, int]] = Counter()
    answers: Counter[tuple[int, int, int]] = Counter()
    before: dict[str, int] = {}
    for row in rows:
        for who, own, other in ((0, 0, 1), (opponent[row["match"]], 1, 0)):
            if row[f"move_replaced_{own}"]:
                continue
            turns[who, row["turn"], row[f"move_{own}"]] += 1
            if row["turn"] and before:
                last = before[f"move_{other}"] + (count * before[f"move_{own}"] if count <= 3 else 0)
                answers[who, last, row[f"move_{own}"]] += 1
        before = row
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    others = np.array([opponent[row["match"]] for row in rows], np.int32)
    seats = Seats((np.zeros(len(rows), np.int32), others), 3)
    sums = presentation.tally(columns, seats)
    assert {place: n for place, n in np.ndenumerate(sums["turns"]) if n} == turns
    assert {place: n for place, n in np.ndenumerate(sums["answers"]) if n} == answers
    over_game, grid = presentation.charts(sums, Subject(0, sum_over_entrants(sums)))
    assert isinstance(over_game, LineChart) and isinstance(grid, GridChart)
    of_first = sum(n for (who, turn, _), n in turns.items() if (who, turn) == (0, 0))
    assert over_game.lines[-1 if count == 2 else 0].values[0] == turns[0, 0, 0] / of_first
    assert grid.rows[-1] == (f"{names[-1]}, {names[-1]}" if count <= 3 else names[-1])
    assert [sum(row) for row in grid.counts] == [
        sum(n for (who, last, _), n in answers.items() if (who, last) == (0, place)) for place in range(len(grid.rows))
    ]


@pytest.mark.parametrize(("is_row", "paid"), [(True, (2, 6)), (False, (7, 3))])
def test_scene_of_matrix_game_pays_by_role(is_row: bool, paid: tuple[int, int]) -> None:
    contest = shown_matrix_game(("stay", "go"), [[1, 2], [3, 4]], column_payoffs=[[5, 6], [7, 8]])
    row = {"turn": 0, "move_0": 0, "move_1": 1, "move_replaced_0": 0, "move_replaced_1": 0, "seat_0_is_row": is_row}
    assert contest.presentation
    assert [step.text for step in contest.presentation.scene(row).steps][2:] == [f"is paid {amount}" for amount in paid]


def test_points_by_position_of_matrix_game_are_by_role(tmp_path: Path) -> None:
    """Only rows of sessions have the role, which legs of a match exchange."""
    folder = tmp_path / "bots"
    folder.mkdir()
    for move in range(3):
        (folder / f"plays_{move}.c").write_text(f"int move(const Bot *bot) {{ return {move}; }}\n")
    (tmp_path / "tournament.toml").write_text(
        '[roles]\nrules = "matrix_game"\nentrants = "bots"\nmoves = ["a", "b", "c"]\npayoffs = '
        "[[1, 2, 3], [4, 5, 6], [7, 8, 9]]\ncolumn_payoffs = [[10, 20, 30], [40, 50, 60], [70, 80, 90]]\n"
        "turns_per_game = 7\nsessions = 3\nreplicas = 10\n"
    )
    run("roles", config=tmp_path / "tournament.toml", executor="local", workers=1)
    one = played(tmp_path / "results" / "roles")
    rows = one.results.sessions
    paid: dict[bool, list[float]] = {True: [], False: []}  # plays_1's means of a turn, by whether it is the row player
    for seat, is_row in ((0, True), (0, False), (1, True), (1, False)):
        own = rows[(rows[f"bot_{seat}"] == "plays_1") & (rows.seat_0_is_row == (is_row == (seat == 0)))]
        assert len(own)
        paid[is_row] += (own[f"points_{seat}"] / own.games).tolist()
    assert set(paid[True]) == {4.0, 6.0} and set(paid[False]) == {20.0, 80.0}
    page = Layout(contest_of(one.results), one.findings, live=False)
    (chart,) = (chart for chart in Bots(page).charts("plays_1") if chart.title == "Points by position")
    assert isinstance(chart, BarChart) and chart.labels == ("row player", "column player")
    assert chart.lines[1].values == pytest.approx([np.mean(paid[True]), np.mean(paid[False])])


def test_scenes_of_von_neumann_poker_end_with_recorded_gain(pages: Mapping[str, Played]) -> None:
    presentation = find_contest("von_neumann_poker").presentation
    assert presentation and presentation.points
    for row in rows_of(pages["von_neumann_poker"]):
        scene = presentation.scene(row)
        pots = [step.pot for step in scene.steps if step.pot is not None]
        x_card, y_card = (float(cards[0]) for cards in scene.steps[0].cards if cards)
        gain = float(presentation.points({name: np.array([value]) for name, value in row.items()})[0][0])
        words = [step.text.split()[0] for step in scene.steps[1:]]
        assert words in (["passes", "wins"], ["bets", "folds", "wins"], ["bets", "calls", "wins"])
        last = scene.steps[-1]
        assert (gain > 0) == (last.seat == 0)
        if words[1] != "folds":
            assert abs(gain) == pots[-1] / 2
            assert abs(x_card - y_card) < 1e-3 or (x_card > y_card) == (gain > 0)
        else:
            assert abs(gain) == 10
