"""Any game for two to ten of OpenSpiel as a contest: turns or simultaneous moves, and chance drawn from our deals.

OpenSpiel (M. Lanctot and others, "OpenSpiel: A Framework for Reinforcement Learning in Games", 2019) has the rules.
It is an extra of this package, imported when such a contest is played.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from tournament.decisions.decision import Decision
from tournament.decisions.value_types import Int, LegalAction, List, Text
from tournament.rules.rules import Questions, Rules, Settings
from tournament.store.columns import Column

if TYPE_CHECKING:
    from engine.rules.session_core import Session

PACKAGE = "open_spiel"
_HIGHEST = 2**31 - 1
_MAX_ACTIONS = 4096
MAX_PLAYERS = 10
# Kinds of states of a game.
CHANCE, TURN, SIMULTANEOUS, OVER = range(4)

ACT = Decision(
    "act",
    "Choose an action",
    observation={
        "information_state": Text(description="what your player knows, as OpenSpiel writes it"),
        "action_names": List(Text(), description="the names of the legal actions, in the same order"),
    },
    answer=LegalAction(Int(0, _HIGHEST), _MAX_ACTIONS, "an action"),
)


class OpenSpielSettings(Settings):
    """Keys of the contest's table in tournament.toml."""

    open_spiel_game: str = Field(
        "",
        validate_default=True,
        description='which game, as OpenSpiel names it, with its parameters: "leduc_poker", "goofspiel(num_cards=4)"',
    )

    @field_validator("open_spiel_game")
    @classmethod
    def _can_be_played(cls, value: str) -> str:
        """Return the game's name and parameters as they are. The game is loaded and stays cached.

        Raises:
            PydanticCustomError: The name is empty, OpenSpiel isn't installed, the game can't be loaded, or bots can't
                play it.
        """
        if not value:
            raise PydanticCustomError("open_spiel", 'missing game; set one, such as open_spiel_game = "leduc_poker"')
        from tournament.contests.open_spiel.game_tree import NoGame, load_game

        try:
            load_game(value)
        except NoGame as problem:
            raise PydanticCustomError("open_spiel", "{problem}", {"problem": str(problem)}) from None
        return value

    seats: int = Field(
        0, ge=0, validate_default=True, description="bots at a table: as many as the game has players, also by default"
    )

    @field_validator("seats")
    @classmethod
    def _are_players(cls, value: int, info: ValidationInfo) -> int:
        """Return the game's number of players. If the game was refused, the value is returned as it is.

        Args:
            value: Number of seats of the settings; 0 for that of the game.
            info: The fields that were checked before.

        Raises:
            PydanticCustomError: The settings have another number than the game, and it isn't 0.
        """
        from tournament.contests.open_spiel.game_tree import load_game

        if "open_spiel_game" not in info.data:
            return value  # already refused
        players: int = load_game(info.data["open_spiel_game"]).players
        if value not in (0, players):
            message = "{game} has {players} players; leave seats out, or choose players in open_spiel_game"
            raise PydanticCustomError("seats", message, {"game": info.data["open_spiel_game"], "players": players})
        return players


class OpenSpiel(Rules):
    """Rules whose session is one game. The game's players are positions, so bots change between them.

    Attributes:
        game: The game of the settings, which all legs in the process share.
        walk: The game in play, from the first call of `play` on.
    """

    name = "open_spiel"
    title = "OpenSpiel"
    seats = range(2, MAX_PLAYERS + 1)
    settings_class = OpenSpielSettings
    decisions = (ACT,)
    columns = (Column("actions", "int32", "actions that the bots chose"),)
    zero_sum = False  # some games are, some aren't
    description = "Bots play a game of OpenSpiel by its rules; a session is one game, and they change seats after each."
    points_unit = "a point is what the game returns to its player"
    requires = (PACKAGE,)

    def render(self) -> str:
        """Return OpenSpiel's text of the current state. A game must have begun."""
        return str(self.walk.position())

    def __init__(self, settings: OpenSpielSettings) -> None:
        from tournament.contests.open_spiel.game_tree import load_game  # here: once a leg, not in each of its games

        super().__init__(settings)
        self.game = load_game(settings.open_spiel_game)

    def play(self, session: Session) -> Questions:
        """Play one game, and record its points by position and the number of actions that bots chose.

        Yields:
            A question, or in a simultaneous move a list of questions to all positions that can act.
        """
        rng = session.rng
        self.walk = walk = self.game.begun(rng)
        go, node = walk.go, walk.node
        actions = 0
        while (kind := node.kind) != OVER:
            if kind == TURN:
                node = go((yield node.told))
                actions += 1
            elif kind == CHANCE:
                outcomes, probabilities = node.told
                node = go(outcomes[rng.weighted_index(probabilities)])
            else:
                questions, players = node.told
                answers = yield questions
                node = go(tuple(answers.get(player, 0) for player in range(session.seats)))
                actions += len(players)
        session.record(node.told, actions=actions)
