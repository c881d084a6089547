"""Games of OpenSpiel: their rules through our bots give OpenSpiel's own expected values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyspiel
import pytest

from tests.python_rules import play_table
from tournament.config import load_config
from tournament.contests import find_contest
from tournament.errors import InputError

Policy = Callable[[Any], Mapping[int, float]]
UNIFORM = "int act(const View *bot) { return bot->legal_actions[rand() % bot->legal_actions_count]; }\n"
LOWEST = "int act(const View *bot) { return bot->legal_actions[0]; }\n"
HIGHEST = "int act(const View *view) { return view->legal_actions[view->legal_actions_count - 1]; }\n"
# Bets in Kuhn poker with the best card, calls with the better two, by the information state alone: "2" or "1pb".
BY_STATE = """\
def act(state):
    card, history = state.information_state[0], state.information_state[1:]
    assert state.action_names == ["Pass", "Bet"] and state.legal_actions == [0, 1]
    assert state.seat == len(history) % 2
    return int(card == "2" or (card == "1" and history.endswith("b")))
"""


def by_state(state: Any) -> Mapping[int, float]:
    told = state.information_state_string()
    return {int(told[0] == "2" or (told[0] == "1" and told.endswith("b"))): 1.0}


BOTS: dict[str, tuple[tuple[str, str], Policy]] = {
    "lowest": ((".c", LOWEST), lambda state: {state.legal_actions()[0]: 1.0}),
    "highest": ((".c", HIGHEST), lambda state: {state.legal_actions()[-1]: 1.0}),
    "uniform": (
        (".c", UNIFORM),
        lambda state: dict.fromkeys(state.legal_actions(), 1 / len(state.legal_actions())),
    ),
    "by_state": ((".py", BY_STATE), by_state),
}


def expected(state: Any, policies: Sequence[Policy]) -> list[float]:
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


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("game", "names", "sessions"),
    [
        ("kuhn_poker", "by_state uniform", 3000),
        ("leduc_poker", "lowest uniform", 2000),
        ("goofspiel(imp_info=True,num_cards=3,points_order=descending)", "lowest uniform", 1000),
        ("kuhn_poker(players=4)", "lowest highest uniform lowest", 3000),
        ("first_sealed_auction(players=3,max_value=4)", "lowest highest uniform", 1500),
    ],
)
def test_bots_win_what_enumeration_of_openspiel_expects(game: str, names: str, sessions: int) -> None:
    """Bots are each of the game's players equally often."""
    root = pyspiel.load_game_as_turn_based(game).new_initial_state()
    sources, policies = zip(*[BOTS[name] for name in names.split()])
    players = len(policies)
    assert root.num_players() == players
    by_first = [expected(root, policies[first:] + policies[:first]) for first in range(players)]
    bots = {f"bot_{seat}": source for seat, source in enumerate(sources)}
    ((result, rows),) = play_table(find_contest("open_spiel"), bots, sessions=sessions, open_spiel_game=game)
    assert result.faults == () and len(rows["games"]["actions"]) == sessions
    for seat, won in enumerate(result.sums):
        wanted = sum(by_first[first][seat - first] for first in range(players)) / players
        mean = won.points / sessions
        error = math.sqrt((won.squared_points / sessions - mean**2) / sessions)
        assert abs(mean - wanted) <= 4 * error + 1e-9, (mean, wanted, error)


def test_session_seed_repeats_game_with_own_chance() -> None:
    """Sessions differ, and two runs of the same deals are equal."""
    bots = {f"bot_{seat}": (".c", UNIFORM) for seat in range(4)}
    one, two = (
        play_table(find_contest("open_spiel"), bots, sessions=12, open_spiel_game="tarok(players=4)")[0][1]["games"]
        for _ in range(2)
    )
    assert all((one[name] == two[name]).all() for name in one)
    assert len({tuple(float(one[f"points_{seat}"][i]) for seat in range(4)) for i in range(12)}) > 1


def test_seats_are_the_players_of_the_game(tmp_path: Path) -> None:
    file = tmp_path / "tournament.toml"
    text = '[poker]\nrules = "open_spiel"\nopen_spiel_game = "kuhn_poker(players=3)"\n'
    for seats in ("", "seats = 3\n"):
        file.write_text(text + seats)
        config = load_config("poker", file)
        assert config.played.seats_of(config.contest.playing()) == 3
    file.write_text(text + "seats = 4\n")
    with pytest.raises(InputError, match=r"line 4: seats = 4: kuhn_poker\(players=3\) has 3 players; leave seats out"):
        load_config("poker", file)
