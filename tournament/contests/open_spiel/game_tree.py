"""A game of OpenSpiel as the rules of a tree (`engine.rules.game_tree`): what its states ask, and where actions lead.

Asking OpenSpiel about a state takes microseconds; the tree remembers the answer.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from engine.rules.decisions import Asked
from engine.rules.game_tree import CHANCE, OVER, SIMULTANEOUS, TURN, GameTree
from tournament.contests.open_spiel import ACT, PACKAGE
from tournament.names import did_you_mean

# Memory for what is kept of a game; all of tic-tac-toe takes 120 MB, the questions to processes among them.
_MOST_BYTES = 128 << 20
_MOST_GAMES = 4
# OpenSpiel's PlayerId of movers that aren't players.
_CHANCE_MOVES, _BOTH_MOVE = -1, -2


class NoGame(Exception):
    """There is no such game, or none that two bots can play; the message says why."""


class Game:
    """A game's rules, as a tree asks for them. Raises NoGame."""

    def __init__(self, written: str) -> None:
        self._game = _load(written)
        has_information_state = self._game.get_type().provides_information_state_string
        self._told = "information_state_string" if has_information_state else "observation_string"

    def begin(self) -> Any:
        """The state in which a game begins."""
        return self._game.new_initial_state()

    def describe(self, state: Any) -> tuple[Any, ...]:
        """The possible moves, or the outcome, in a state."""
        player = state.current_player()
        if player >= 0:
            legal = state.legal_actions()
            if legal:
                return TURN, player, legal
        elif player == _CHANCE_MOVES:
            actions, probabilities = zip(*state.chance_outcomes())
            return CHANCE, actions, probabilities
        elif player == _BOTH_MOVE:
            return SIMULTANEOUS, state.legal_actions(0), state.legal_actions(1)
        return OVER, state.returns()

    def advance(self, state: Any, action: Any) -> None:
        """Change a state by an action, or by those of both players."""
        if isinstance(action, tuple):
            state.apply_actions(action)
        else:
            state.apply_action(action)

    def ask(self, state: Any, player: int, first: int) -> Asked:
        """The question to a player. `first`: the seat of player 0."""
        legal = state.legal_actions(player)
        return ACT(
            player ^ first,
            information_state=str(getattr(state, self._told)(player)),
            legal_actions=legal,
            action_names=[state.action_to_string(player, action) for action in legal],
            seat=player,
        )


@lru_cache(_MOST_GAMES)
def game_of(written: str) -> Game:
    """A game with its parameters, as OpenSpiel writes it. Raises NoGame."""
    return Game(written)


@lru_cache(_MOST_GAMES)
def tree_of(written: str) -> GameTree:
    """Its tree. Raises NoGame."""
    return GameTree(game_of(written), ACT, most_bytes=_MOST_BYTES)


def _load(written: str) -> Any:
    try:
        import pyspiel
    except ImportError:
        raise NoGame(f"needs the package {PACKAGE}; install it with: pip install 'tournament[openspiel]'") from None
    name = written.split("(")[0]
    if name not in pyspiel.registered_names():
        raise NoGame(
            f"there is no game {name} in OpenSpiel {_version()}{did_you_mean(name, pyspiel.registered_names())}"
        )
    try:
        game = pyspiel.load_game(written)
    except (pyspiel.SpielError, ValueError, RuntimeError) as error:
        raise NoGame(f"it is refused by OpenSpiel: {_first_line(error)}") from None
    kind = game.get_type()
    if game.num_players() != 2:
        raise NoGame(f"it is a game of {game.num_players()}; contests are for two")
    if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        raise NoGame("it is a mean field game; contests are for two")
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        raise NoGame("it draws its chance itself, so that games could not be played again")
    if not (kind.provides_information_state_string or kind.provides_observation_string):
        raise NoGame("there is no text in OpenSpiel of what its players know")
    return game


def _version() -> str:
    import importlib.metadata

    return importlib.metadata.version(PACKAGE)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
