"""Games of OpenSpiel: their rules through our bots give OpenSpiel's own expected values."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pyspiel
import pytest

from engine.kernel.game_core import ANSWER_WANTED, FAULT, LEG_IS_OVER, RECORDS_ARE_FULL
from engine.rules.game_tree import CHANCE, OVER, SIMULTANEOUS, TURN, GameTree
from engine.rules.session_core import SessionCore
from engine.rules.tree_core import TreeCore
from tests.oracles.deals import key_of
from tests.python_rules import Rows, play_field, rows_of, tables_of
from tournament.api import replay, run
from tournament.config import load_config
from tournament.contests import find_contest
from tournament.contests.open_spiel import ACT, OpenSpiel, game_tree
from tournament.contests.open_spiel.game_tree import Game
from tournament.errors import BadInput

UNIFORM = "int act(const Bot *bot) { return bot->legal_actions[rand() % bot->legal_actions_count]; }\n"
LOWEST = "int act(const Bot *bot) { return bot->legal_actions[0]; }\n"
# Bets with the best card, calls with the better two, by the information state alone: "2" or "1pb".
BY_STATE = """\
def act(state):
    card, history = state.information_state[0], state.information_state[1:]
    assert state.action_names == ["Pass", "Bet"] and state.legal_actions == [0, 1]
    assert state.seat == len(history) % 2
    return int(card == "2" or (card == "1" and history.endswith("b")))
"""
GAMES = {  # with how many sessions are played
    "kuhn_poker": 4000,
    "leduc_poker": 2000,
    "liars_dice": 1000,
    "tic_tac_toe": 600,
    "goofspiel(num_cards=4)": 1500,
    "goofspiel(imp_info=True,num_cards=3,points_order=descending)": 1000,
}


def expected(game: str, policies: tuple[str, str]) -> float:
    """What the first policy wins on the mean, being each player every other time; by walking the whole tree."""

    def value(state: Any, first: int) -> Any:
        if state.is_terminal():
            return float(state.returns()[first])
        if state.is_chance_node():
            return sum(p * value(state.child(action), first) for action, p in state.chance_outcomes())
        if state.is_simultaneous_node():
            return sum(
                p * q * value(_after(state, [one, other]), first)
                for one, p in moves(state, 0, first)
                for other, q in moves(state, 1, first)
            )
        return sum(p * value(state.child(action), first) for action, p in moves(state, state.current_player(), first))

    def moves(state: Any, player: int, first: int) -> list[tuple[int, float]]:
        legal = state.legal_actions(player)
        if policies[player ^ first] == LOWEST:
            return [(legal[0], 1.0)]
        return [(action, 1 / len(legal)) for action in legal]

    root = pyspiel.load_game(game).new_initial_state()
    return float(value(root, 0) + value(root, 1)) / 2


def by_openspiel(game: str, policy: Any, other: Any) -> float:
    """The same by OpenSpiel."""
    root = pyspiel.load_game(game).new_initial_state()
    seats = [[policy, other], [other, policy]]
    return float(sum(pyspiel.expected_returns(root, seat, -1, False)[place] for place, seat in enumerate(seats))) / 2


def _after(state: Any, actions: list[int]) -> Any:
    child = state.clone()
    child.apply_actions(actions)
    return child


def check_mean(result: Any, expectation: float) -> None:
    assert result.faults == ()
    points, squared_points, _ = result.sums[0]
    mean = points / result.sessions
    error = math.sqrt((squared_points / result.sessions - mean**2) / result.sessions)
    assert abs(mean - expectation) <= 4 * error + 1e-9, (mean, expectation, error)


@pytest.mark.statistical
@pytest.mark.parametrize("game", GAMES)
def test_uniform_and_fixed_policies_win_what_openspiel_expects(game: str) -> None:
    bots = {"a_lowest": (".c", LOWEST), "b_uniform": (".c", UNIFORM)}
    ((result, rows),) = play_field(find_contest("open_spiel"), bots, sessions=GAMES[game], open_spiel=game).values()
    if game in ("liars_dice", "tic_tac_toe"):  # their trees are too large for a walk in Python
        lowest = pyspiel.PreferredActionPolicy(list(range(13)))
        check_mean(result, by_openspiel(game, lowest, pyspiel.UniformRandomPolicy(pyspiel.load_game(game))))
    else:
        check_mean(result, expected(game, (LOWEST, UNIFORM)))
    assert (rows["games"]["x_points"] == -rows["games"]["y_points"]).all()


@pytest.mark.statistical
def test_python_bots_play_by_the_information_state() -> None:
    bots = {"a_state": (".py", BY_STATE), "b_uniform": (".c", UNIFORM)}
    ((result, _),) = play_field(find_contest("open_spiel"), bots, sessions=3000, open_spiel="kuhn_poker").values()
    chosen = {
        card + h: card == "2" or (card == "1" and h.endswith("b")) for card in "012" for h in ("", "p", "b", "pb")
    }
    policy = pyspiel.TabularPolicy({state: [(0, 1.0 - bets), (1, float(bets))] for state, bets in chosen.items()})
    uniform = pyspiel.UniformRandomPolicy(pyspiel.load_game("kuhn_poker"))
    check_mean(result, by_openspiel("kuhn_poker", policy, uniform))


SESSIONS = 40


def walked(core: Any, tables: Any, chosen: int) -> tuple[list[Any], list[Rows]]:
    """What a core asks, answered at random, now and then against the rules; and its rows, table by full table."""
    drawn = random.Random(chosen)
    asked, rows = [], []
    status = core.play()
    while status != LEG_IS_OVER:
        if status == RECORDS_ARE_FULL:
            rows.append(rows_of(tables))
            for table in tables:
                table.rows = 0
            status = core.play()
            continue
        if status == FAULT:
            asked.append(core.refused())
        else:
            assert status == ANSWER_WANTED
            asked.append((core.pending(), core.told_values(), core.default(), core.position()))
        legal = core.told_values()["legal_actions"]
        status = core.play(drawn.choice(legal) if drawn.random() < 0.9 else -1 - len(asked))
    core.check()
    return asked, [*rows, rows_of(tables)]


@pytest.mark.parametrize("game", [*GAMES, "matrix_pd"])
@pytest.mark.parametrize("most_bytes", [0, 20_000, 1 << 30], ids=["none kept", "some kept", "all kept"])
def test_walking_the_tree_is_playing_by_the_rules_in_python(game: str, most_bytes: int) -> None:
    """Bit for bit: questions, faults, chance, records and sums, whatever of the tree is remembered."""
    contest = find_contest("open_spiel")
    rules = OpenSpiel(contest.settings.model_validate({"open_spiel": game}))
    tree = GameTree(Game(game), ACT, most_bytes=most_bytes)
    for number, rows in enumerate((1000, 7)):
        shared: dict[str, Any] = {"deals_key": key_of(number), "sessions": SESSIONS, "match": 3, "first_session": 5}
        shared["seats_swapped"] = number == 1
        mine, oracles = tables_of(contest, rows), tables_of(contest, rows)
        along = TreeCore(*mine, tree, **shared)
        by_rules = SessionCore(*oracles, rules.play, {"actions": "int32"}, **shared, zero_sum=False)
        asked, written = walked(along, mine, number)
        asked_too, written_too = walked(by_rules, oracles, number)
        assert asked == asked_too
        for table in ("games", "sessions"):
            for column in written[0][table]:
                one, two = ([v for part in parts for v in part[table][column]] for parts in (written, written_too))
                assert one == two, column
                assert column != "session" or len(one) == SESSIONS
        assert along.sums() == by_rules.sums()
        assert (along.games_recorded, along.sessions_played) == (SESSIONS, SESSIONS)
    assert tree.nodes == 1 or most_bytes > 0


def test_rules_are_asked_once_what_processes_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kuhn poker has 24 places where a player is asked, each with one text whoever is seated first."""
    asked = []

    class Counting(Game):
        def ask(self, state: Any, player: int, first: int) -> Any:
            asked.append((str(state), player))
            return super().ask(state, player, first)

    monkeypatch.setattr(game_tree, "Game", Counting)
    game_tree.game_of.cache_clear()
    game_tree.tree_of.cache_clear()
    bots = dict.fromkeys(
        ("a", "b"), (".py", "import random\ndef act(state): return random.choice(state.legal_actions)\n")
    )
    for _ in range(2):
        ((result, _rows),) = play_field(
            find_contest("open_spiel"), bots, sessions=400, open_spiel="kuhn_poker"
        ).values()
        assert result.faults == ()
    game_tree.game_of.cache_clear()
    game_tree.tree_of.cache_clear()
    assert len(asked) == len(set(asked)) == 24


class Table23:
    """Both move at once, player 0 in two ways and player 1 in three, and are paid by what they chose."""

    def begin(self) -> list[Any]:
        return []

    def describe(self, state: list[Any]) -> Any:
        return (OVER, (10 * state[0][0] + state[0][1], -1)) if state else (SIMULTANEOUS, [4, 5], [7, 8, 9])

    def advance(self, state: list[Any], action: Any) -> None:
        state.append(action)

    def ask(self, state: Any, player: int, first: int) -> Any:
        raise AssertionError


def test_what_both_choose_leads_where_it_says() -> None:
    tree = GameTree(Table23(), ACT, most_bytes=10_000)
    tables = tables_of(find_contest("open_spiel"), 20)
    core = TreeCore(*tables, tree, deals_key=key_of(1), sessions=12)
    pairs = [(one, other) for one in (4, 5) for other in (7, 8, 9)]
    status = core.play()
    for one, other in (pair for pair in pairs for _ in range(2)):
        assert (status, core.default(), core.pending()[1]) == (ANSWER_WANTED, 4, core.position()[0] % 2)
        assert core.play(one) == ANSWER_WANTED and core.default() == 7
        status = core.play(other)
    assert status == LEG_IS_OVER
    rows = rows_of(tables)["games"]
    assert [max(x, y) for x, y in zip(rows["x_points"], rows["y_points"])] == [
        10.0 * one + other for one, other in pairs for _ in range(2)
    ]
    assert tree.nodes == 7 and set(rows["actions"]) == {2}


class Odd:
    """Rules that say of their first state what a test has them say."""

    def __init__(self, *described: Any) -> None:
        self.described = list(described)

    def begin(self) -> int:
        return 0

    def describe(self, state: int) -> Any:
        return self.described.pop(0)

    def advance(self, state: int, action: Any) -> None: ...

    def ask(self, state: int, player: int, first: int) -> Any:
        raise AssertionError


@pytest.mark.parametrize(
    ("described", "message"),
    [
        ((TURN, 0, []), "tells 0 legal_actions"),
        ((TURN, 0, range(4097)), "tells 4097 legal_actions; declared are 1 to 4096"),
        ((SIMULTANEOUS, [1], []), "tells 0 legal_actions"),
        ((TURN, 1, [-1]), "-1 is no action that act declares"),
        ((CHANCE, [1, 2], [0.0, 0.0]), "there is nothing to draw from"),
        ((OVER, [math.nan, 0]), "which is no finite number for both"),
    ],
)
def test_what_rules_cannot_say_ends_the_leg_with_their_error(described: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GameTree(Odd(described), ACT, most_bytes=1000)
    contest = find_contest("open_spiel")
    tree = GameTree(Odd((CHANCE, [7], [1.0]), described), ACT, most_bytes=1000)
    core = TreeCore(*tables_of(contest, 5), tree, deals_key=key_of(1), sessions=1)
    assert core.play() == LEG_IS_OVER and core.sessions_played == 0
    with pytest.raises(ValueError, match=message):
        core.check()


def test_points_of_a_game_that_is_not_zero_sum_are_both_recorded() -> None:
    """The prisoner's dilemma of OpenSpiel: 0 cooperates for 5 each; 1 defects for 10, and leaves the other 0."""
    bots = {"a": (".c", LOWEST), "b": (".c", "int act(const Bot *bot) { return 1; }\n")}
    ((result, rows),) = play_field(find_contest("open_spiel"), bots, sessions=4, open_spiel="matrix_pd").values()
    assert [won.points for won in result.sums] == [0.0, 40.0]
    assert rows["sessions"]["y_points"].tolist() == [10.0] * 4


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ("leduc_pokr", "there is no game leduc_pokr in OpenSpiel"),
        ("hearts", "it is a game of 4; contests are for two"),
        ("kuhn_poker(players=3)", "it is a game of 3"),
        ("leduc_poker(cards=2)", "refused by OpenSpiel: Unknown parameter 'cards'"),
        ("", 'say which game, such as open_spiel = "leduc_poker"'),
    ],
)
def test_what_is_no_game_for_two_is_named_with_its_line(game: str, message: str, tmp_path: Any) -> None:
    file = tmp_path / "tournament.toml"
    file.write_text(f'[poker]\ngame = "open_spiel"\nsessions = 2\nopen_spiel = "{game}"\n')
    with pytest.raises(BadInput) as problem:
        load_config("poker", file)
    assert message in str(problem.value)
    assert f"{file}, line 4: open_spiel = " in str(problem.value)
    assert game != "leduc_pokr" or str(problem.value).endswith("; did you mean leduc_poker?")


def test_a_replay_draws_openspiel_s_own_states(tmp_path: Path) -> None:
    """Which states they are, its own rules say: each follows from the one before by a legal action or by chance."""
    (tmp_path / "bots").mkdir()
    for name in ("one", "other"):
        (tmp_path / "bots" / f"{name}.c").write_text(UNIFORM)
    config = tmp_path / "tournament.toml"
    config.write_text(
        '[ttt]\ngame = "open_spiel"\nopen_spiel = "tic_tac_toe"\nentrants = "bots"\nsessions = 3\n'
        'seed = "a seed of the tests of drawings"\n'
    )
    run("ttt", config=config, executor="local", workers=1)
    found = replay("ttt", match=0, session=2, config=config)
    assert found.differs == ""
    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    steps = found.games[0].steps
    for drawing, step in zip(found.drawings, steps):
        assert drawing == str(state)
        state.apply_action(step.answer)
    assert state.is_terminal() and found.drawings[len(steps) :] == (str(state),)
