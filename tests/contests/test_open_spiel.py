"""Games of OpenSpiel: their rules through our bots give OpenSpiel's own expected values."""

from __future__ import annotations

import math
from typing import Any

import pyspiel
import pytest

from tests.python_rules import play_field
from tournament.config import load_config
from tournament.contests import find_contest
from tournament.errors import InputError

UNIFORM = "int act(const View *bot) { return bot->legal_actions[rand() % bot->legal_actions_count]; }\n"
LOWEST = "int act(const View *bot) { return bot->legal_actions[0]; }\n"
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


def by_openspiel(game: str, policy: Any, other: Any) -> float:
    """What the first policy wins on the mean, being each player every other time; by OpenSpiel."""
    root = pyspiel.load_game_as_turn_based(game).new_initial_state()
    seats = [[policy, other], [other, policy]]
    return float(sum(pyspiel.expected_returns(root, seat, -1, False)[place] for place, seat in enumerate(seats))) / 2


def check_mean(result: Any, expectation: float) -> None:
    assert result.faults == ()
    won = result.sums[0]
    mean = won.points / result.sessions
    error = math.sqrt((won.squared_points / result.sessions - mean**2) / result.sessions)
    assert abs(mean - expectation) <= 4 * error + 1e-9, (mean, expectation, error)


@pytest.mark.statistical
@pytest.mark.parametrize("game", GAMES)
def test_uniform_and_fixed_policies_win_what_openspiel_expects(game: str) -> None:
    bots = {"a_lowest": (".c", LOWEST), "b_uniform": (".c", UNIFORM)}
    ((result, rows),) = play_field(
        find_contest("open_spiel"), bots, sessions=GAMES[game], open_spiel_game=game
    ).values()
    uniform = pyspiel.UniformRandomPolicy(pyspiel.load_game_as_turn_based(game))
    check_mean(result, by_openspiel(game, pyspiel.PreferredActionPolicy(list(range(13))), uniform))
    assert (rows["games"]["points_0"] == -rows["games"]["points_1"]).all()


@pytest.mark.statistical
def test_python_bots_play_by_the_information_state() -> None:
    bots = {"a_state": (".py", BY_STATE), "b_uniform": (".c", UNIFORM)}
    ((result, _),) = play_field(find_contest("open_spiel"), bots, sessions=3000, open_spiel_game="kuhn_poker").values()
    chosen = {
        card + h: card == "2" or (card == "1" and h.endswith("b")) for card in "012" for h in ("", "p", "b", "pb")
    }
    policy = pyspiel.TabularPolicy({state: [(0, 1.0 - bets), (1, float(bets))] for state, bets in chosen.items()})
    uniform = pyspiel.UniformRandomPolicy(pyspiel.load_game("kuhn_poker"))
    check_mean(result, by_openspiel("kuhn_poker", policy, uniform))


def test_points_of_a_game_that_is_not_zero_sum_are_both_recorded() -> None:
    """The prisoner's dilemma of OpenSpiel: 0 cooperates for 5 each; 1 defects for 10, and leaves the other 0."""
    bots = {"a": (".c", LOWEST), "b": (".c", "int act(const View *bot) { return 1; }\n")}
    ((result, rows),) = play_field(find_contest("open_spiel"), bots, sessions=4, open_spiel_game="matrix_pd").values()
    assert [won.points for won in result.sums] == [0.0, 40.0]
    assert rows["sessions"]["points_1"].tolist() == [10.0] * 4


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ("leduc_pokr", "there is no game leduc_pokr in OpenSpiel"),
        ("hearts", "it is a game of 4; contests are for two"),
        ("kuhn_poker(players=3)", "it is a game of 3"),
        ("leduc_poker(cards=2)", "refused by OpenSpiel: Unknown parameter 'cards'"),
        ("", 'say which game, such as open_spiel_game = "leduc_poker"'),
    ],
)
def test_what_is_no_game_for_two_is_named_with_its_line(game: str, message: str, tmp_path: Any) -> None:
    file = tmp_path / "tournament.toml"
    file.write_text(f'[poker]\nrules = "open_spiel"\nsessions = 2\nopen_spiel_game = "{game}"\n')
    with pytest.raises(InputError) as problem:
        load_config("poker", file)
    assert message in str(problem.value)
    assert f"{file}, line 4: open_spiel_game = " in str(problem.value)
    assert game != "leduc_pokr" or str(problem.value).endswith("; did you mean leduc_poker?")
