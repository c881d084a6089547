"""A game of OpenSpiel: what its states ask, and a memo of that, since asking OpenSpiel takes microseconds."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from engine.rules.decisions import Question
from tournament.contests.open_spiel.rules import ACT, PACKAGE
from tournament.names import did_you_mean

# Of a game; some 150 MB with all that processes are told.
_MOST_NODES = 60_000
_MOST_GAMES = 4
CHANCE, TURN, SIMULTANEOUS, OVER = range(4)
# OpenSpiel's PlayerId of movers that aren't players.
_CHANCE_MOVES, _BOTH_MOVE = -1, -2


class NoGame(Exception):
    """There is no such game, or none that two bots can play; the message says why."""


class Node:
    """What OpenSpiel says of a state: its kind, and (outcomes, probabilities), a question, two, or returns."""

    __slots__ = ("after", "kind", "told")

    def __init__(self, kind: int, told: Any) -> None:
        self.kind = kind
        self.told = told
        self.after: dict[Any, Node] = {}  # by action, as far as they are remembered


class Game:
    """A game's rules, and the nodes that are remembered of it, by who is first. Raises NoGame."""

    def __init__(self, written: str) -> None:
        self._game = _load(written)
        has_information_state = self._game.get_type().provides_information_state_string
        self._told = "information_state_string" if has_information_state else "observation_string"
        self.roots = [self.node(self.state(()), first) for first in range(2)]
        self.nodes = 0

    def state(self, history: Any) -> Any:
        """The state to which these actions lead; where both players move, an action is a pair."""
        state = self._game.new_initial_state()
        for action in history:
            advance(state, action)
        return state

    def node(self, state: Any, first: int) -> Node:
        """A new node. `first`: the seat of player 0."""
        player = state.current_player()
        if player == _CHANCE_MOVES:
            return Node(CHANCE, tuple(zip(*state.chance_outcomes())))
        if player == _BOTH_MOVE:
            return Node(SIMULTANEOUS, (self._ask(state, 0, first), self._ask(state, 1, first)))
        if player >= 0 and state.legal_actions():
            return Node(TURN, self._ask(state, player, first))
        return Node(OVER, state.returns())

    def _ask(self, state: Any, player: int, first: int) -> Question:
        legal = state.legal_actions(player)
        return ACT(
            player ^ first,
            information_state=str(getattr(state, self._told)(player)),
            legal_actions=legal,
            action_names=[state.action_to_string(player, action) for action in legal],
            seat=player,
        )


class Walk:
    """A game as it is played: along nodes that are remembered, and by a state of OpenSpiel's where they end."""

    def __init__(self, game: Game, first: int) -> None:
        self.game = game
        self.first = first
        self.history: list[Any] = []
        self.node = game.roots[first]
        self._state: Any = None

    def go(self, action: Any) -> None:
        """Go on by an action, or a pair of them."""
        before = self.node
        self.history.append(action)
        self.node = before.after.get(action)  # type: ignore[assignment]
        if self.node is not None:
            self._state = None
            return
        if self._state is None:
            self._state = self.game.state(self.history)
        else:
            advance(self._state, action)
        self.node = self.game.node(self._state, self.first)
        if self.game.nodes < _MOST_NODES:
            self.game.nodes += 1
            before.after[action] = self.node


def advance(state: Any, action: Any) -> None:
    """Change a state by an action, or by those of both players."""
    if isinstance(action, tuple):
        state.apply_actions(action)
    else:
        state.apply_action(action)


@lru_cache(_MOST_GAMES)
def game_of(written: str) -> Game:
    """A game with its parameters, as OpenSpiel writes it. Raises NoGame."""
    return Game(written)


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
