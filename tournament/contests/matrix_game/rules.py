"""Repeated matrix games: both choose a move at the same time, and a table in tournament.toml says what they get."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from pydantic import Field, ValidationInfo, field_validator

from engine.games.matrix_game.core import BOT_BYTES, GAME_ROW, MAX_MOVES, MOST_TURNS, SESSION_ROW
from engine.games.matrix_game.core import MatrixGame as MatrixGameCore
from engine.kernel.game_core import GameCore
from tournament.contests.bots import CompiledBots, Histories, PythonBots, Sdk
from tournament.contests.contest import Core, CoreSetup, Estimates
from tournament.contests.matrix_game.presentation import SEAT_0_IS_ROW, new_presentation
from tournament.contests.presentation import Presentation
from tournament.contests.scoring import PointsSource
from tournament.contests.settings import ContestSettings, Sessions
from tournament.decisions.decision import Decision, News
from tournament.decisions.value_types import Int, Returns
from tournament.rules.rules import Rules
from tournament.store.columns import describe_columns

_MAX_PAYOFF = 1e6
_MAX_NAME = 40  # characters of a move's name
_MAX_NAME_AS_JSON = 12 * _MAX_NAME + 2

Payoffs = list[list[float]]


class Settings(ContestSettings):
    """Keys of a table of tournament.toml with `rules = "matrix_game"`. Its defaults are rock-paper-scissors."""

    sessions: Sessions = 100
    moves: list[str] = Field(
        ["rock", "paper", "scissors"], description="the moves' names, 2 to 64; bots know them by number, from 0"
    )
    payoffs: Payoffs = Field(
        [[0, -1, 1], [1, 0, -1], [-1, 1, 0]],
        validate_default=True,
        description="what a player is paid: for each of its moves a list by the other's",
    )
    column_payoffs: Payoffs | None = Field(
        None, description="what the other is paid by the same two moves, if that differs; then set duplicate"
    )
    turns_per_game: int = Field(1000, ge=1, le=MOST_TURNS, description="turns of a game")
    games_per_session: int = Field(1, ge=1, le=10_000, description="games of a session, each with an empty history")
    noise: float = Field(0.0, ge=0, le=1, description="chance that a move is replaced by another one")
    end_probability: float = Field(
        0.0,
        ge=0,
        le=1,
        description="chance that a game ends after a turn; bots don't know. It has at most turns_per_game turns",
    )
    duplicate: bool = Field(False, description="play each match twice, roles exchanged")

    @field_validator("moves")
    @classmethod
    def _are_moves(cls, moves: list[str]) -> list[str]:
        """Return the names of moves as they are.

        Raises:
            ValueError: There aren't 2 to 64 names, two are the same, or one doesn't have 1 to 40 printable characters.
        """
        if not 2 <= len(moves) <= MAX_MOVES:
            raise ValueError(f"there must be 2 to {MAX_MOVES} moves")
        if len(set(moves)) < len(moves):
            raise ValueError("two moves have the same name")
        if not all(name.isprintable() and 0 < len(name) <= _MAX_NAME for name in moves):
            raise ValueError(f"a move's name has 1 to {_MAX_NAME} printable characters")
        return moves

    @field_validator("payoffs", "column_payoffs")
    @classmethod
    def _check_payoff_shape(cls, payoffs: Payoffs | None, info: ValidationInfo) -> Payoffs | None:
        """Return payoffs as floats, without −0. None is returned as it is.

        If the moves themselves are wrong, the payoffs are returned unchecked.

        Args:
            payoffs: A list for each move of the row player, with a payoff for each move of the column player. None only
                for `column_payoffs`.
            info: The fields that were checked before.

        Raises:
            ValueError: There isn't one payoff for each pair of moves, or one is NaN or outside of ±1,000,000.
        """
        moves = info.data.get("moves")
        if payoffs is None or moves is None:  # their own mistake is reported
            return payoffs
        count = len(moves)
        if len(payoffs) != count or any(len(row) != count for row in payoffs):
            raise ValueError(f"must be {count} lists of {count} numbers each, for the moves {', '.join(moves)}")
        if not all(abs(payoff) <= _MAX_PAYOFF for row in payoffs for payoff in row):
            raise ValueError(f"a payoff must be at least {-_MAX_PAYOFF:.0f} and at most {_MAX_PAYOFF:.0f}")
        return [[payoff + 0.0 for payoff in row] for row in payoffs]

    @property
    def payoffs_to_column(self) -> Payoffs:
        """The column player's payoffs, by the row player's move and then its own.

        They are `column_payoffs` themselves, which callers must not change. Without them, both players are paid alike.
        """
        return self.column_payoffs or [list(column) for column in zip(*self.payoffs)]


def _new_core(setup: CoreSetup[Settings]) -> GameCore:
    """Return the core of a leg, with the moves and payoffs of the settings."""
    settings = setup.settings
    return MatrixGameCore(
        setup.games,
        setup.sessions,
        **setup.leg.for_core,
        row_payoffs=settings.payoffs,
        column_payoffs=settings.payoffs_to_column,
        turns_per_game=settings.turns_per_game,
        games_per_session=settings.games_per_session,
        noise=settings.noise,
        end_probability=settings.end_probability,
        seats_swapped=setup.leg.seats_swapped,
        move_names=settings.moves,
    )


def _new_core_at_limits(setup: CoreSetup[Settings]) -> GameCore:
    """Return a core of at most ten sessions in which all moves are drawn at random, whatever the bots choose.

    So bots meet histories that they don't know.
    """
    even = 1 - 1 / len(setup.settings.moves)  # noise at which all moves are equally likely
    few = setup.leg._replace(sessions=min(setup.leg.sessions, _SESSIONS_AT_LIMITS))
    return _new_core(replace(setup, leg=few, settings=setup.settings.model_copy(update={"noise": even})))


def _make_presentation(settings: Settings) -> Presentation:
    """Return the presentation of a game with these settings.

    Its charts by turn end at four times the expected length if games end by chance, at most at `turns_per_game`.
    """
    payoffs = settings.payoffs, settings.payoffs_to_column
    turns, ends = settings.turns_per_game, settings.end_probability
    expected = min(turns, int(_ENDS_FOR_PANELS / ends)) if ends else 0
    return new_presentation(settings.moves, payoffs, expected or turns)


_ENDS_FOR_PANELS = 4  # times a game's expected length: one game in fifty is longer
_SESSIONS_AT_LIMITS = 10
_MOVE = Int(-1, MAX_MOVES - 1)
_OBSERVATION = {
    "turn": Int(0, MOST_TURNS - 1),
    "turns_per_game": Int(-1, MOST_TURNS),
    "moves": Int(2, MAX_MOVES),
    "role": Int(0, 1),
    "my_previous_move": _MOVE,
    "opponents_previous_move": _MOVE,
}


def _turns(settings: Settings) -> float:
    """Return the expected number of turns of a session, over all of its games."""
    ends = settings.end_probability
    each = (1 - (1 - ends) ** settings.turns_per_game) / ends if ends else settings.turns_per_game
    return settings.games_per_session * each


class _Move(Decision):
    """A decision whose answer is a move's number, or its name."""

    returns: Returns = "name"
    most_json = _MAX_NAME_AS_JSON


_PAST = News("past", "An earlier turn, for a process that was started again", observation=_OBSERVATION)


class MatrixGame(Rules):
    """Rules of all matrix games. The settings have the moves and payoffs."""

    name = "matrix_game"
    title = "Matrix game"
    seats = 2
    settings_class = Settings
    points_unit = "a score is what a bot was paid, over all turns of its matches"
    description = (
        "Two bots choose a move at the same time, turn after turn, and are paid for each turn by a table of payoffs."
        " Both see what the other one played before."
    )

    @staticmethod
    def decisions(settings: Settings) -> tuple[Decision, ...]:
        """Return the decision, which is one of these moves, and after it the news of earlier turns."""
        return _Move("move", "Choose a move", observation=_OBSERVATION, answer=Int(0, len(settings.moves) - 1)), _PAST

    core = Core(
        _new_core,
        games=describe_columns(
            GAME_ROW,
            ("move_replaced_0", "move_replaced_1"),
            game="turn of the session, from 0: each is a game of its own that is paid",
            turn="turn since the bots' histories were last empty, from 0",
            move_0="seat 0's move as played, by its number in the settings' moves",
            move_1="seat 1's move as played",
            move_replaced_0="noise replaced the move that seat 0 chose",
            move_replaced_1="noise replaced the move that seat 1 chose",
        ),
        sessions=describe_columns(
            SESSION_ROW,
            (SEAT_0_IS_ROW,),
            games="turns played",
            seat_0_is_row="seat 0 had the row's payoffs, seat 1 the column's",
            points_0="what seat 0 was paid over the session",
            points_1="what seat 1 was paid over the session",
        ),
        scored=PointsSource("sessions", ("points_0", "points_1")),
        at_limits=_new_core_at_limits,
    )
    sdk = Sdk(
        Path(__file__).parent / "sdk",
        CompiledBots(
            "matrix_game.h",
            struct="Bot",
            struct_size=BOT_BYTES,
            hints=(("redefinition of 'Bot'", "Bot is there before the first line; delete your copy."),),
        ),
        PythonBots(
            histories=Histories(
                {"my_moves": "my_previous_move", "opponents_moves": "opponents_previous_move"},
                length="turn",
                past=_PAST.name,
            )
        ),
    )
    presentation = _make_presentation
    estimates = Estimates(_turns, rate=1e7, bytes=1.6)
    presets: ClassVar = {
        "rock_paper_scissors": {
            "rules": "matrix_game",
            "title": "Rock-paper-scissors",
            "moves": ["rock", "paper", "scissors"],
            "payoffs": [[0, -1, 1], [1, 0, -1], [-1, 1, 0]],
            "turns_per_game": 1000,
            "sessions": 2,
            "replicas": 10,
        },
        "prisoners_dilemma": {
            "rules": "matrix_game",
            "title": "Iterated prisoner's dilemma",
            "moves": ["cooperate", "defect"],
            "payoffs": [[3, 0], [5, 1]],
            "turns_per_game": 200,
            "sessions": 2,
            "replicas": 10,
        },
    }
