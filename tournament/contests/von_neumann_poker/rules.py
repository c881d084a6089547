"""One-card von Neumann poker: all play all, bankroll sessions, ±m/√g points."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from engine.games.von_neumann_poker.core import GAME_ROW, SESSION_ROW
from engine.games.von_neumann_poker.core import VonNeumannPoker as VonNeumannPokerCore
from engine.kernel.game_core import GameCore
from tournament.contests.bots import CompiledBots, PythonBots, Sdk
from tournament.contests.contest import Core, CoreSetup, Estimates, LegsLuck, Luck
from tournament.contests.scoring import PointsSource
from tournament.contests.settings import ContestSettings, Duplicate
from tournament.contests.von_neumann_poker.presentation import PRESENTATION
from tournament.decisions.decision import Decision
from tournament.decisions.value_types import Float, Int
from tournament.rules.rules import Rules
from tournament.store.columns import describe_columns


class Settings(ContestSettings):
    """Keys of the table [von_neumann_poker] in tournament.toml."""

    bet_cap: Literal["before_ante", "after_ante"] = Field(
        "before_ante",
        description="bets are capped at the stacks before the antes, as by the statement's controller, or after",
    )
    duplicate: Duplicate = False


def _new_core(setup: CoreSetup[Settings]) -> GameCore:
    """Return the core of a leg, with the cap of bets and the roles of the settings."""
    return VonNeumannPokerCore(
        setup.games,
        setup.sessions,
        **setup.leg.for_core,
        seats_swapped=setup.leg.seats_swapped,
        cap_after_ante=setup.settings.bet_cap == "after_ante",
        roles_by_session=setup.settings.duplicate,
    )


LUCK_COLUMNS = ("session", "seat_0_is_a", "a_card", "b_card", "a_gain")


def _new_luck(settings: Settings) -> LegsLuck:
    """Return a new object that computes the luck of legs with these settings. Its module is imported only now."""
    from tournament.contests.von_neumann_poker import luck

    return luck.LegsLuck(settings.sessions)


_OWN_COPIES = "Bot, Money, Card and the like are there before the first line; delete your copies."
_IN_C = {"opponents_previous_card": "opponentsPreviousCard", "opponents_money": "opponentsMoney", "bet": "aBet"}
_HINTS = (
    ("const-qualified type", "to write to bot->f, take a plain `Bot *bot`, or cast the const away."),
    ("redefinition of 'Bot'", _OWN_COPIES),
    ("typedef redefinition", _OWN_COPIES),
    ("adapter.h", "the two functions are `int a(const Bot *bot)` and `int b(const Bot *bot, const int aBet)`."),
)
_HIGHEST_CARD = 1 - 2**-24
_MONEY = Int(10, 190)
_OBSERVATION = {
    "card": Float(low=0.0, high=_HIGHEST_CARD, single=True),
    "opponents_previous_card": Float(low=-1.0, high=_HIGHEST_CARD, single=True),
    "money": _MONEY,
    "opponents_money": _MONEY,
}


class VonNeumannPoker(Rules):
    """Rules in which all bots play all others, two at a table. A session's points are dollars divided by √games."""

    name = "von_neumann_poker"
    title = "One-card von Neumann poker"
    version = 2
    seats = 2
    first_by_name = True
    settings_class = Settings
    points_unit = "a point is a dollar won, divided by √games of its session"
    description = (
        "Two bots each put in $10 and get a card, a number from 0 to 1. One of them, A, passes or bets up to $50."
        " After a pass the higher card wins the pot. After a bet the other one, B, folds, or calls, and then the"
        " higher card wins. They are A and B in turn. A session starts with $100 each and lasts 50 games, or until one"
        " can't put in $10."
    )
    decisions = (
        Decision("a", "Bet or pass", observation=_OBSERVATION, answer=Int(0, 50, "the bet"), names={0: "pass"}),
        Decision(
            "b",
            "Call a bet or fold",
            observation={**_OBSERVATION, "bet": Int(1, 50)},
            answer=Int(0, 1),
            names={0: "fold", 1: "call"},
        ),
    )
    core = Core(
        _new_core,
        games=describe_columns(
            GAME_ROW,
            ("seat_0_is_a", "folded"),
            seat_0_is_a="seat 0 plays A, who acts first",
            a_card="A's card, 0 to 1",
            b_card="B's card, 0 to 1",
            a_money="A's stack before the antes, dollars",
            b_money="B's stack before the antes, dollars",
            bet="A's bet as played, dollars; 0 is a pass",
            folded="B folded; false also after a pass",
            a_gain="what A won, dollars; B lost as much",
        ),
        sessions=describe_columns(
            SESSION_ROW,
            gain_0="what seat 0 won, dollars",
            points_0="gain_0 / √games",
            points_1="what seat 1 has for it: −points_0",
        ),
        scored=PointsSource("sessions", ("points_0",), zero_sum=True),
    )
    sdk = Sdk(
        Path(__file__).parent / "sdk",
        CompiledBots("von_neumann_poker.h", hints=_HINTS, names=_IN_C),
        PythonBots(state_size=50),
        parameters={"b": ("bet",)},
    )
    presentation = PRESENTATION
    luck = Luck(LUCK_COLUMNS, _new_luck)
    estimates = Estimates(lambda settings: 25.0, rate=3e6, bytes=12.0)
    presets: ClassVar = {"von_neumann_poker": {"sessions": 100, "replicas": 10}}
