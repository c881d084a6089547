"""Games of OpenSpiel: their rules through our bots give OpenSpiel's own expected values."""

from __future__ import annotations

import math
from typing import Any

import pyspiel
import pytest

from tests.python_rules import play_field
from tests.test_documentation import RECORDS, SETTINGS, section
from tournament.config import load_config
from tournament.contests import find_contest
from tournament.contests.contest import ContestSettings
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
    mean = result.points / result.sessions
    error = math.sqrt((result.squared_points / result.sessions - mean**2) / result.sessions)
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


def test_points_of_a_game_that_is_not_zero_sum_are_both_recorded() -> None:
    """The prisoner's dilemma of OpenSpiel: 0 cooperates for 5 each; 1 defects for 10, and leaves the other 0."""
    bots = {"a": (".c", LOWEST), "b": (".c", "int act(const Bot *bot) { return 1; }\n")}
    ((result, rows),) = play_field(find_contest("open_spiel"), bots, sessions=4, open_spiel="matrix_pd").values()
    assert (result.points, result.y_sums[0]) == (0.0, 40.0)
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


OWN_KEYS = {"open_spiel", "duplicate"}


def test_its_keys_and_columns_are_documented() -> None:
    contest = find_contest("open_spiel")
    keys = section(SETTINGS, "[open_spiel]")
    assert set(contest.settings.model_fields) - set(ContestSettings.model_fields) == OWN_KEYS
    assert all(f"| {name} |" in keys for name in OWN_KEYS)
    for table, columns in (("games", contest.games), ("sessions", contest.sessions)):
        rows = section(RECORDS, f"{table} (contests in Python)")
        assert all(f"| {column.name} | {column.type} |" in rows for column in columns)
