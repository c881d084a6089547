"""A game of OpenSpiel: what its states ask, and a memo of that, since asking OpenSpiel takes microseconds."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Any

from engine.kernel.chance import Rng
from engine.rules.decisions import Question
from tournament.contests.open_spiel.rules import ACT, CHANCE, MAX_PLAYERS, OVER, PACKAGE, SIMULTANEOUS, TURN
from tournament.errors import pluralize
from tournament.names import did_you_mean

# Nodes of a game that are remembered: some 150 MB with the messages to processes.
_MAX_NODES = 60_000
_MAX_GAMES = 4
# OpenSpiel's PlayerId of movers that aren't players.
_CHANCE_MOVES, _ALL_MOVE = -1, -2
_SEEDS = ("rng_seed", "seed")  # names of the parameter in games that draw their chance themselves
_SEED_LIMIT = 1 << 31
_MAX_TRIED = 500  # actions, to see whether two runs of a seed are equal


class NoGame(Exception):
    """Raised when there is no such game, or none that bots can play. The message is the reason."""


class Node:
    """A state of a game.

    Attributes:
        kind: CHANCE, TURN, SIMULTANEOUS or OVER.
        told: The constructor's payload. By kind: (outcomes, probabilities), a question, (questions, positions), or
            points by position.
        after: Following nodes that are remembered, by action, or by the tuple of all players' actions. New nodes share
            one empty dict, so assign a new dict before the first addition.
    """

    __slots__ = ("after", "kind", "told")

    def __init__(self, kind: int, payload: Any) -> None:
        self.kind = kind
        self.told = payload
        self.after = _NO_NODES  # remembered nodes, by action


_NO_NODES: dict[Any, Node] = {}  # shared by most nodes, because a dict of its own takes time and memory


class Game:
    """A game's rules and remembered nodes. Up to 60,000 nodes are remembered, those that were visited first.

    Attributes:
        players: Number of players.
        told: Name of the method of OpenSpiel's states that returns a player's information as text.
        root: Node of the initial state. None if the game draws its chance itself. Then no nodes are remembered.
        nodes: Number of remembered nodes after the root.

    Args:
        written: Name and parameters in OpenSpiel's notation.

    Raises:
        NoGame: OpenSpiel isn't installed, the game can't be loaded, or bots can't play it.
    """

    def __init__(self, written: str) -> None:
        self._game, self._seeded = _load(written)
        self.players = self._game.num_players()
        self.told = _texts(self._game.get_type())
        self.root = self.node(self.state(())) if not self._seeded else None
        self.nodes = 0

    def begun(self, rng: Rng) -> Walk:
        """Return a new game at its first state. If it draws its chance itself, it takes a seed from `rng`."""
        if self.root:
            return Walk(self, self.root)
        assert self._seeded
        state = _seeded_game(*self._seeded, rng.randrange(_SEED_LIMIT)).new_initial_state()
        return Walk(self, self.node(state), state)

    def state(self, history: Any) -> Any:
        """Return a new state of OpenSpiel after these actions, including outcomes of chance, from the first on.

        If all players move at the same time, an action is a tuple with one for each player.
        """
        state = self._game.new_initial_state()
        for action in history:
            advance(state, action)
        return state

    def node(self, state: Any) -> Node:
        """Return a new node of a state, which isn't remembered yet.

        A state whose only mover has no legal action is OVER, even if OpenSpiel doesn't call it terminal.
        """
        player = state.current_player()
        if player == _CHANCE_MOVES:
            return Node(CHANCE, tuple(zip(*state.chance_outcomes())))
        if player == _ALL_MOVE:
            can = {player: legal for player in range(self.players) if (legal := state.legal_actions(player))}
            return Node(SIMULTANEOUS, ([self._ask(state, player, legal) for player, legal in can.items()], [*can]))
        if player >= 0 and (legal := state.legal_actions()):
            return Node(TURN, self._ask(state, player, legal))
        return Node(OVER, state.returns())

    def _ask(self, state: Any, player: int, legal: list[int]) -> Question:
        """Return a player's question in a state. Names of actions are in the order of the legal actions.

        Args:
            state: State of OpenSpiel.
            player: The player, from 0.
            legal: Its legal actions.
        """
        return ACT(
            player,
            information_state=str(getattr(state, self.told)(player)),
            legal_actions=legal,
            action_names=[state.action_to_string(player, action) for action in legal],
        )


class Walk:
    """A game in play, along remembered nodes, and by a state of OpenSpiel's after the last of them.

    If the game draws its chance itself, it is played by that state alone.

    Attributes:
        game: The game.
        history: Actions so far, in order, including outcomes of chance. It stays empty if the game draws its chance
            itself.
        node: The current node, which other walks can share. Callers must not change it.

    Args:
        game: The game.
        node: Its first node.
        own: The first state, which the walk changes, if the game draws its chance itself. Otherwise None.
    """

    __slots__ = ("_own", "_state", "game", "history", "node")

    def __init__(self, game: Game, node: Node, own: Any = None) -> None:
        self.game = game
        self.history: list[Any] = []
        self.node = node
        self._own = own
        self._state: Any = None

    def position(self) -> Any:
        """Return OpenSpiel's current state. It can be the walk's own, so callers must not change it."""
        return self._own or self.game.state(self.history)

    def go(self, action: Any) -> Node:
        """Apply an action, or a tuple of the actions of all players, and return the next node.

        A new node is remembered while the game has fewer than 60,000. OpenSpiel raises an exception of its own for an
        action that isn't legal.
        """
        if self._own is not None:
            advance(self._own, action)
            self.node = self.game.node(self._own)
            return self.node
        before = self.node
        self.history.append(action)
        next_node = before.after.get(action)
        if next_node is not None:
            self._state = None
            self.node = next_node
            return next_node
        if self._state is None:
            self._state = self.game.state(self.history)
        else:
            advance(self._state, action)
        self.node = self.game.node(self._state)
        if self.game.nodes < _MAX_NODES:
            self.game.nodes += 1
            if before.after is _NO_NODES:
                before.after = {}
            before.after[action] = self.node
        return self.node


def advance(state: Any, action: Any) -> None:
    """Apply an action, or those of all players as a tuple by player, to a state, which changes."""
    if isinstance(action, tuple):
        state.apply_actions(action)
    else:
        state.apply_action(action)


@lru_cache(_MAX_GAMES)
def load_game(written: str) -> Game:
    """Return a game by its name and parameters in OpenSpiel's notation.

    The last four games are cached, and all callers share their remembered nodes.

    Raises:
        NoGame: OpenSpiel isn't installed, the game can't be loaded, or bots can't play it.
    """
    return Game(written)


def _load(written: str) -> tuple[Any, tuple[str, dict[str, Any], str] | None]:
    """Return a game and, if it draws its chance itself, the first three arguments of `_seeded_game`, otherwise None.

    Args:
        written: Name and parameters in OpenSpiel's notation.

    Raises:
        NoGame: OpenSpiel isn't installed, it has no such game, or it refuses the parameters. Or bots can't play it: it
            is a mean field game, has one player or more than ten, or no text of what players know. Or its own chance
            can't be repeated by a seed.
    """
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
    except Exception as error:  # OpenSpiel's C++ raises many types
        raise NoGame(f"it is refused by OpenSpiel: {_first_line(error)}") from None
    kind = game.get_type()
    if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        raise NoGame("it is a mean field game, whose players can't be bots")
    if not 2 <= game.num_players() <= MAX_PLAYERS:
        raise NoGame(f"it has {pluralize(game.num_players(), 'player')}; contests need 2 to {MAX_PLAYERS}")
    if not (kind.provides_information_state_string or kind.provides_observation_string):
        raise NoGame("its players' information has no text in OpenSpiel")
    if kind.chance_mode != pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        return game, None
    parameters = pyspiel.game_parameters_from_string(written)
    seed = next((one for one in _SEEDS if one in kind.parameter_specification), None)
    arguments = {one: value for one, value in parameters.items() if one != "name"}
    if seed is None or len({_tried(_seeded_game(name, arguments, seed, 1)) for _ in range(2)}) > 1:
        raise NoGame("it draws its own chance, and no seed repeats it, so games couldn't be replayed")
    return game, (name, arguments, seed)


def _seeded_game(name: str, arguments: dict[str, Any], seed: str, number: int) -> Any:
    """Return a game that draws its own chance from a seed.

    Args:
        name: Name of the game.
        arguments: Its parameters by name.
        seed: Name of the parameter that takes the seed.
        number: The seed.
    """
    import pyspiel

    return pyspiel.load_game(name, arguments | {seed: number})


def _tried(game: Any) -> tuple[str, ...]:
    """Return what players know in a random game of at most 500 actions, in order, and its last state as text.

    The random actions are always the same ones. So two runs are equal if the seed determines all chance. The run ends
    early at simultaneous moves.
    """
    drawn, told, known = random.Random(1), _texts(game.get_type()), []
    state = game.new_initial_state()
    for _ in range(_MAX_TRIED):
        player = state.current_player()
        if player == _CHANCE_MOVES:
            outcomes, weights = zip(*state.chance_outcomes())
            state.apply_action(drawn.choices(outcomes, weights)[0])
        elif player >= 0 and state.legal_actions():
            known.append(str(getattr(state, told)(player)))
            state.apply_action(drawn.choice(state.legal_actions()))
        else:
            break
    return (*known, str(state))


def _texts(kind: Any) -> str:
    """Return the name of the method that returns a player's information."""
    return "information_state_string" if kind.provides_information_state_string else "observation_string"


def _version() -> str:
    """Return the installed version of OpenSpiel."""
    import importlib.metadata

    return importlib.metadata.version(PACKAGE)


def _first_line(error: Exception) -> str:
    """Return the first line of an error, cut to 200 characters, or the name of its type if it has no text."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
