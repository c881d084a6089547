"""Games of OpenSpiel: their rules through our bots give OpenSpiel's own expected values."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyspiel
import pytest

from tests.contest_runs import REPOSITORY
from tests.python_rules import of_seat, play_field, play_table
from tournament.config import load_config
from tournament.contests import find_contest
from tournament.contests.open_spiel.game_tree import NoGame, load_game
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
# Sessions of each game.
GAMES = {
    "kuhn_poker": 4000,
    "leduc_poker": 2000,
    "goofspiel(imp_info=True,num_cards=3,points_order=descending)": 1000,
}


def by_openspiel(game: str, policy: Any, other: Any) -> float:
    """Return the first policy's mean points by OpenSpiel, when it is each player every other time."""
    root = pyspiel.load_game_as_turn_based(game).new_initial_state()
    seats = [[policy, other], [other, policy]]
    return float(sum(pyspiel.expected_returns(root, seat, -1, False)[place] for place, seat in enumerate(seats))) / 2


def check_mean(result: Any, expectation: float, seat: int = 0) -> None:
    assert result.faults == ()
    won = result.sums[seat]
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


def expected(state: Any, policies: Sequence[Callable[[Any], Mapping[int, float]]]) -> list[float]:
    """Return each player's mean points over all ends of a game."""
    if state.is_terminal():
        return list(state.returns())
    player = state.current_player()
    outcomes = dict(state.chance_outcomes()) if player < 0 else policies[player](state)
    total = [0.0] * len(policies)
    for action, probability in outcomes.items():
        if probability:
            total = [a + probability * b for a, b in zip(total, expected(state.child(action), policies))]
    return total


def uniform(state: Any) -> Mapping[int, float]:
    return dict.fromkeys(state.legal_actions(), 1 / len(state.legal_actions()))


FIXED: dict[str, tuple[str, Callable[[Any], Mapping[int, float]]]] = {
    "lowest": (LOWEST, lambda state: {state.legal_actions()[0]: 1.0}),
    "highest": (
        "int act(const View *view) { return view->legal_actions[view->legal_actions_count - 1]; }\n",
        lambda state: {state.legal_actions()[-1]: 1.0},
    ),
    "uniform": (UNIFORM, uniform),
}
# Sessions of each game. Players are lowest, highest, uniform, lowest.
OF_MANY = {
    "kuhn_poker(players=4)": 3000,
    "goofspiel(players=3,num_cards=3)": 1500,
    "first_sealed_auction(players=3,max_value=4)": 1500,
}


@pytest.mark.statistical
@pytest.mark.parametrize("game", OF_MANY)
def test_bots_of_three_and_more_win_what_enumeration_expects(game: str) -> None:
    """Seats are each of the game's players equally often."""
    root = pyspiel.load_game_as_turn_based(game).new_initial_state()
    players = root.num_players()
    names = [*FIXED, "lowest"][:players]
    policies = [FIXED[name][1] for name in names]
    by_first = [expected(root, policies[first:] + policies[:first]) for first in range(players)]
    bots = {f"bot_{seat}": (".c", FIXED[name][0]) for seat, name in enumerate(names)}
    ((result, rows),) = play_table(find_contest("open_spiel"), bots, sessions=OF_MANY[game], open_spiel_game=game)
    for seat in range(players):
        check_mean(result, sum(by_first[first][seat - first] for first in range(players)) / players, seat)
    assert len(rows["games"]["actions"]) == OF_MANY[game]


def test_session_seed_repeats_game_with_own_chance() -> None:
    """Sessions differ, and two runs of the same deals are equal."""
    bots = {f"bot_{seat}": (".c", UNIFORM) for seat in range(4)}
    one, two = (
        play_table(find_contest("open_spiel"), bots, sessions=12, open_spiel_game="tarok(players=4)")[0][1]["games"]
        for _ in range(2)
    )
    assert all((one[name] == two[name]).all() for name in one)
    assert len({tuple(float(one[f"points_{seat}"][i]) for seat in range(4)) for i in range(12)}) > 1


REFUSED = re.compile(r"^\| (.+?) \| (.+?) \|$", re.MULTILINE)


@pytest.mark.thorough
def test_page_lists_all_games_that_are_refused_and_why() -> None:
    """Games that OpenSpiel loads without parameters are either on the page or can be played."""
    find_contest("open_spiel")  # numbers the decisions
    page = (REPOSITORY / "docs" / "reference" / "contests.md").read_text()
    listed = {
        name: why
        for names, why in REFUSED.findall(page.split("Refused are")[1])
        for name in re.findall("`(.+?)`", names)
    }
    reasons: dict[str, str] = {}
    for kind in pyspiel.registered_games():
        try:
            load_game(kind.short_name)
        except NoGame as problem:
            reasons[kind.short_name] = str(problem)
    assert reasons.keys() == listed.keys()
    assert {name: why for name, why in reasons.items() if listed[name] not in why} == {}


def test_records_have_both_points_of_non_zero_sum_game() -> None:
    """Defectors of OpenSpiel's prisoner's dilemma win 10, and leave the other 0."""
    bots = {"a": (".c", LOWEST), "b": (".c", "int act(const View *bot) { return 1; }\n")}
    ((result, rows),) = play_field(find_contest("open_spiel"), bots, sessions=4, open_spiel_game="matrix_pd").values()
    assert [won.points for won in result.sums] == [0.0, 40.0]
    assert of_seat(rows["sessions"], "points", 1).tolist() == [10.0] * 4


def test_seats_are_the_players_of_the_game(tmp_path: Any) -> None:
    file = tmp_path / "tournament.toml"
    text = '[poker]\nrules = "open_spiel"\nopen_spiel_game = "kuhn_poker(players=3)"\n'
    for seats in ("", "seats = 3\n"):
        file.write_text(text + seats)
        config = load_config("poker", file)
        assert config.played.seats_of(config.contest.playing()) == 3
    file.write_text(text + "seats = 4\n")
    with pytest.raises(InputError, match=r"line 4: seats = 4: kuhn_poker\(players=3\) has 3 players; leave seats out"):
        load_config("poker", file)
