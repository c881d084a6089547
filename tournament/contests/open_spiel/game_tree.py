"""A game of OpenSpiel as a tree of what it asks, remembered as far as it was played and memory is meant for it.

Asking OpenSpiel what a state is takes several microseconds; looking up where an action leads takes a tenth of one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from engine.decisions import Asked
from tournament.contests.open_spiel import ACT, PACKAGE
from tournament.names import did_you_mean

CHANCE, TURN, SIMULTANEOUS, OVER = range(4)
# Nodes of a game that are kept, a few KB each.
_MOST_KEPT = 40_000
_MOST_GAMES = 4


class NoGame(Exception):
    """There is no such game, or none that two bots can play; the message says why."""


class Node:
    """A place in a game. `children` are the kept nodes by the action that leads there, a pair of them where both move.

    Of chance its `actions` and their `probabilities`; `returns` by player.
    """

    __slots__ = ("_asked", "_tells", "actions", "children", "is_kept", "kind", "probabilities", "returns", "state")

    def __init__(self, state: Any, is_kept: bool, tells: Callable[[Any, int], str]) -> None:
        self.state = state
        self.is_kept = is_kept
        self.children: dict[Any, Node] = {}
        self._asked: dict[int, Asked] = {}
        self._tells = tells
        if state.is_terminal():
            self.kind = OVER
            self.returns: list[float] = state.returns()
        elif state.is_chance_node():
            self.kind = CHANCE
            self.actions, self.probabilities = (list(column) for column in zip(*state.chance_outcomes()))
        else:
            self.kind = SIMULTANEOUS if state.is_simultaneous_node() else TURN

    def ask(self, first: int) -> Asked:
        """The question to the player whose turn it is. `first`: the seat of the game's player 0."""
        return self._asked.get(first) or self._ask(self.state.current_player(), first)

    def ask_player(self, player: int, first: int) -> Asked:
        """The question to a player where both move."""
        return self._asked.get(2 + 2 * player + first) or self._ask(player, first, 2 + 2 * player)

    def _ask(self, player: int, first: int, key: int = 0) -> Asked:
        state, tells = self.state, self._tells
        legal = state.legal_actions(player)
        asked = self._asked[key + first] = ACT(
            player ^ first,
            information_state=lambda: tells(state, player),
            legal_actions=legal,
            action_names=lambda: [state.action_to_string(player, action) for action in legal],
            seat=player,
        )
        return asked


class Tree:
    """A game from its root. Raises NoGame."""

    def __init__(self, written: str) -> None:
        game = _load(written)
        has_information_state = game.get_type().provides_information_state_string
        self._tells = _information_state if has_information_state else _observation
        self._kept = 1
        self.root = Node(game.new_initial_state(), True, self._tells)

    def follow(self, node: Node, action: Any) -> Node:
        """Where an action leads from a node; kept while there is room."""
        is_kept = node.is_kept and self._kept < _MOST_KEPT
        state = node.state.clone() if node.is_kept else node.state  # what isn't kept is passed once
        if node.kind == SIMULTANEOUS:
            state.apply_actions(list(action))
        else:
            state.apply_action(action)
        child = Node(state, is_kept, self._tells)
        if is_kept:
            self._kept += 1
            node.children[action] = child
        return child


def _information_state(state: Any, player: int) -> str:
    return str(state.information_state_string(player))


def _observation(state: Any, player: int) -> str:
    return str(state.observation_string(player))


@lru_cache(_MOST_GAMES)
def tree_of(written: str) -> Tree:
    """The tree of a game with its parameters, as OpenSpiel writes it. Raises NoGame."""
    return Tree(written)


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
