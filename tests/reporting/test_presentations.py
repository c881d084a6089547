"""What is counted of games, against plain loops over the records; and scenes, against what the records say was won."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np
import pytest

from tests.reporting.conftest import Played
from tournament.contests import find_contest
from tournament.contests.contest import Contest
from tournament.contests.game_text import told_game
from tournament.contests.presentation import GridChart, LineChart, Row, Scene, Seats, Subject, together


def rows_of(one: Played) -> list[Row]:
    return [{str(name): value for name, value in row.items()} for row in one.results.games.to_dict("records")]


def test_von_neumann_poker_is_counted(pages: Mapping[str, Played]) -> None:
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


def test_two_card_draw_is_counted(pages: Mapping[str, Played]) -> None:
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


def test_holdem_training_is_counted(pages: Mapping[str, Played]) -> None:
    """Every decision of Alice once, by its action: a loop over the rounds of each hand."""
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
PAYOFFS: list[list[float]] = [[0, 2, 1], [-1, 0.5, 3], [4, -2, 0]]


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
def test_matrix_games_are_counted(count: int) -> None:
    """Moves that were chosen, by turn; and after which moves of the turn before, of the same game."""
    names = (*MOVES, "lark")[:count]
    presentation = shown_matrix_game(names, [[0.0] * count] * count).presentation
    assert presentation
    rows = turns_of_a_matrix_game(count)
    for row in rows:
        row["move_0"], row["move_1"] = row["move_0"] % count, (row["move_1"] + row["move_replaced_0"]) % count
    opponent = {0: 1, 1: 2}  # of bot 0, by match
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
    over_game, grid = presentation.charts(sums, Subject(0, together(sums)))
    assert isinstance(over_game, LineChart) and isinstance(grid, GridChart)
    of_first = sum(n for (who, turn, _), n in turns.items() if (who, turn) == (0, 0))
    assert over_game.lines[-1 if count == 2 else 0].values[0] == turns[0, 0, 0] / of_first
    assert grid.rows[-1] == (f"{names[-1]}, {names[-1]}" if count <= 3 else names[-1])
    assert [sum(row) for row in grid.counts] == [
        sum(n for (who, last, _), n in answers.items() if (who, last) == (0, place)) for place in range(len(grid.rows))
    ]


def test_scenes_and_words_of_matrix_games_have_the_moves_and_what_they_paid() -> None:
    told = [
        shown_matrix_game(MOVES, PAYOFFS),
        shown_matrix_game(MOVES, PAYOFFS, column_payoffs=[[9] * 3] * 3, duplicate=True),
    ]
    for row in turns_of_a_matrix_game(1, 40):
        for contest, known in zip(told, (True, False)):
            assert contest.presentation
            moves = [
                f"plays {MOVES[row[f'move_{own}']]}" + " by a slip" * row[f"move_replaced_{own}"] for own in (0, 1)
            ]
            paid = [PAYOFFS[row["move_0"]][row["move_1"]], PAYOFFS[row["move_1"]][row["move_0"]]]
            scene = contest.presentation.scene(row)
            points = [f"is paid {amount:g}" for amount in paid]
            ends = list(enumerate(points)) if known else [(None, f"turn {row['turn']} of its game")]
            assert [(step.seat, step.text) for step in scene.steps] == [*enumerate(moves), *ends]
            game = told_game(scene, ("a", "b"))
            assert game.actions == tuple(zip("ab", moves))
            assert game.outcome == (f"a {points[0]}, b {points[1]}" if known else ends[0][1])
            columns = {name: np.array([value]) for name, value in row.items()}
            assert (contest.presentation.points_0 is not None) == known
            if contest.presentation.points_0:
                assert contest.presentation.points_0(columns).tolist() == [paid[0]]


def contributions(scene: Scene, ante: float, sizes: tuple[float, ...]) -> tuple[float, float, int | None]:
    """What x and y have put in by the words of a scene, and who folded: bets of these sizes, by round."""
    paid, round_, folder = [ante, ante], 0, None
    for step in scene.steps:
        if step.text.startswith("draws") and step.seat == 1:
            round_ = 1
        if step.seat is None:
            continue
        if step.text in ("bets", "raises"):
            paid[step.seat] = max(paid) + sizes[round_]
        elif step.text == "calls":
            paid[step.seat] = max(paid)
        elif step.text == "folds":
            folder = step.seat
    return paid[0], paid[1], folder


def test_scenes_of_two_card_draw_come_to_what_was_won(pages: Mapping[str, Played]) -> None:
    one = pages["two_card_draw"]
    facts = {player.name: player.facts for player in one.results.setup.house}
    presentation = find_contest("two_card_draw").presentation
    assert presentation
    for row in rows_of(one):
        sizes = (facts[row["house"]]["bet1"], facts[row["house"]]["bet2"])
        x, y, folder = contributions(presentation.scene(row), 1, sizes)
        assert x + y == row["pot"]
        assert {None: 0, 0: 1, 1: 2}[folder] == row["folded_by"]
        assert abs(row["gain_0"]) in ((y, x)[folder != 1], y, x, 0)
        if folder is not None:
            assert row["gain_0"] == (y if folder == 1 else -x)
        else:
            assert x == y and row["gain_0"] in (-x, 0, x)


def test_scenes_of_von_neumann_poker_come_to_what_was_won(pages: Mapping[str, Played]) -> None:
    presentation = find_contest("von_neumann_poker").presentation
    assert presentation and presentation.points_0
    for row in rows_of(pages["von_neumann_poker"]):
        scene = presentation.scene(row)
        pots = [step.pot for step in scene.steps if step.pot is not None]
        x_card, y_card = (float(cards[0]) for cards in scene.steps[0].cards if cards)
        gain = float(presentation.points_0({name: np.array([value]) for name, value in row.items()})[0])
        words = [step.text.split()[0] for step in scene.steps[1:]]
        assert words in (["passes", "wins"], ["bets", "folds", "wins"], ["bets", "calls", "wins"])
        last = scene.steps[-1]
        assert (gain > 0) == (last.seat == 0)
        if words[1] != "folds":
            assert abs(gain) == pots[-1] / 2
            assert abs(x_card - y_card) < 1e-3 or (x_card > y_card) == (gain > 0)
        else:
            assert abs(gain) == 10


def test_games_that_are_looked_at_are_in_the_records(pages: Mapping[str, Played]) -> None:
    one = pages["von_neumann_poker"]
    by_place = {(row["match"], row["session"], row["game"]): row for row in rows_of(one)}
    gains: dict[int, list[int]] = {}
    for row in by_place.values():
        gains.setdefault(row["match"], []).append(row["a_gain"] if row["seat_0_is_a"] else -row["a_gain"])
    for match, games in one.findings.survey.chosen.items():
        for game in games:
            known = by_place[match, game.session, game.game]
            assert all(known[name] == value for name, value in game.rows[0].items())
        best = [game.gain for game in games if game.why == "best"]
        worst = [game.gain for game in games if game.why == "worst"]
        assert best in ([max(gains[match])], []) and worst in ([min(gains[match])], [])
        assert len({(game.session, game.game) for game in games}) == len(games)
        first = min((session, game) for m, session, game in by_place if m == match)
        assert first in {(game.session, game.game) for game in games}
