"""Hold'em training: every entrant against Bob, ranked by W, the mean profit of a hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from engine.games.holdem_training.core import HoldemTraining as HoldemTrainingCore
from engine.games.holdem_training.rate_helpers import RateHelpers
from engine.games.holdem_training.rates import RateSampler
from engine.kernel.game_core import GameCore
from tournament.contests.bots import CompiledBots, Import, PythonBots, PythonSdk, Sdk
from tournament.contests.contest import Core, CoreSetup, Estimates, LegsLuck, Luck
from tournament.contests.holdem_training.limits import new_core_at_limits
from tournament.contests.holdem_training.presentation import PRESENTATION
from tournament.contests.holdem_training.protocol import Dialogue
from tournament.contests.holdem_training.records import GAMES, SESSIONS
from tournament.contests.holdem_training.scoring import points, tasks
from tournament.contests.scoring import House, HousePlayer, HousePlaySums, HouseScoring, Measure, PointsSource
from tournament.contests.settings import (
    FAULTS,
    BankedSettings,
    FaultsAllowed,
    Increment,
    Megabytes,
    ProgramSeconds,
    Seconds,
    Sessions,
)
from tournament.decisions.decision import Decision
from tournament.decisions.value_types import Int
from tournament.rules.rules import Rules

# Bob plays by the rules alone. If they change, change this content, too.
BOB = HousePlayer("Bob", b"Bob calls by one hundred rollouts")


class Settings(BankedSettings):
    """Keys of the table [holdem_training] in tournament.toml."""

    sessions: Sessions = Field(5, description="sessions of an entrant, each with bots that start again")
    hands: int = Field(10_000, ge=1, le=10_000_000, description="hands of a session")
    max_faults: FaultsAllowed = Field(3, description=f"{FAULTS}; a program is at the first")

    # The statement of the function form allows 120 seconds for everything, and 512 MB.
    seconds: Seconds = 120.0
    memory_megabytes: Megabytes = 512

    # The statement of the terminal form allows 10 seconds for a match of 10,000 hands, however they are spread.
    # Longer sessions get more: their hands have up to four decisions.
    program_seconds: ProgramSeconds = 10.0
    increment_ms: Increment = 0.25


def _new_core(setup: CoreSetup[Settings]) -> GameCore:
    """Return the core of a leg, with the hands of a session by the settings."""
    return HoldemTrainingCore(setup.games, setup.sessions, hands=setup.settings.hands, **setup.leg.for_core)


LUCK_COLUMNS = (
    *("alice_card_1", "alice_card_2", "bob_card_1", "bob_card_2", "flop_1", "flop_2", "flop_3", "turn", "river"),
    *(f"raise_{n}" for n in range(1, 5)),
    *(f"bob_answer_{n}" for n in range(1, 5)),
    "folded_by",
    "profit",
)


def _new_luck(settings: Settings) -> LegsLuck:
    """Return a new object that computes the luck of legs with these settings. Its module is imported only now."""
    from tournament.contests.holdem_training import luck

    return luck.LegsLuck(settings.hands)


def mean_profit(played: HousePlaySums) -> float:
    """Return W, the mean profit of a hand in chips, or 0 without a hand."""
    return played.points / played.games if played.games else 0.0


def _against_bob(value: Callable[[HousePlaySums], float | None], played: Sequence[HousePlaySums]) -> float | None:
    """Return the value against Bob, the only house player, or None without play against him.

    Args:
        value: Called with the sums of play against Bob; returns the value, or None if it is unknown.
        played: Sums of an entrant's play, with at most one element.
    """
    return value(played[0]) if played else None


def _tasks(played: HousePlaySums) -> float:
    """Return the number of tasks that are passed: 0, 1 for the small one, or 2 for both."""
    return float(sum(tasks(mean_profit(played))))


_TASK_NAMES = ("", "small", "small, large")
_MEASURES = (
    Measure(
        "points",
        "points",
        "the terminal form's points for W: none up to 8, 40 for 11, 82 for 14, and 3 more for each chip beyond",
        partial(_against_bob, lambda p: float(points(mean_profit(p)))),
        lambda n: f"{n:.0f}",
    ),
    Measure(
        "tasks",
        "tasks",
        "tasks passed: 1 the small one, 2 the large one too",
        partial(_against_bob, _tasks),
        lambda n: _TASK_NAMES[int(n)],
    ),
)


def new_dialogue(core: GameCore, key: bytes) -> Dialogue:
    """Return the dialogue of a program's leg.

    Args:
        core: The leg's core.
        key: Key of the samples for the program's questions about rates.
    """
    assert isinstance(core, HoldemTrainingCore)
    return Dialogue(core, RateSampler(key))


def name_answer(answer: int) -> str:
    """Return a refused answer in the statement's words.

    Args:
        answer: Number by which the adapter passes the answer on: -2 for CALL, -3 for an unknown action. Others are the
            chips of a raise, from which 1,000 was subtracted if they aren't positive.
    """
    return {-2: "CALL", -3: "an unknown action"}.get(answer) or f"RAISE {answer if answer > 0 else answer + 1000}"


def show_view(values: Mapping[str, float]) -> str:
    """Return what Alice sees, as a line: her cards, the board, the round, both stacks and the pot, in this order.

    A card is its suit, 0 to 3, and its value, 1 to 13. Unknown cards are left out. Stacks and the pot are in chips.

    Args:
        values: The numbers of the observation by name.
    """

    def cards(owner: str) -> str:
        """Return an owner and its visible cards as suit and value."""
        names = [name.removesuffix("_suit") for name in values if name.startswith(owner) and name.endswith("_suit")]
        visible = [place for place in names if values[f"{place}_suit"] >= 0]
        return " ".join([owner, *[f"{values[f'{place}_suit']:g} {values[f'{place}_value']:g}" for place in visible]])

    chips = [f"{name} {values[name]:g}" for name in ("round", "stack", "bobs_stack", "pot")]
    return ", ".join([cards("alice"), cards("board"), *chips])


_CARD_NAMES = [f"{who}_{n}" for who, count in (("alice", 2), ("bob", 2), ("board", 5)) for n in range(1, count + 1)]
_CHIPS = Int(0, 210)
_OBSERVATION = {
    f"{place}_{part}": Int(-1, high) for place in _CARD_NAMES for part, high in (("suit", 3), ("value", 13))
} | {
    "round": Int(1, 4),
    "stack": _CHIPS,
    "bobs_stack": _CHIPS,
    "pot": _CHIPS,
}
_PYTHON_MODULES = (
    "engine.kernel.deals",
    "engine.games.holdem_training.hand_strength",
    "engine.games.holdem_training.rates",
)


class HoldemTraining(Rules):
    """Rules in which every entrant plays against Bob, and is ranked by W, its mean profit of a hand in chips."""

    name = "holdem_training"
    title = "Hold'em training"
    seats = 1
    settings_class = Settings
    points_unit = "a score is W, the mean profit of a hand in chips"
    description = (
        "Every bot plays Texas Hold'em for two against the same opponent, Bob, whose every answer follows from a"
        " known rule. The pot begins with 10 chips, both have 100. In each of four rounds the bot checks, folds or"
        " raises, and Bob calls or folds. The best five of seven cards win the pot."
    )
    decisions = (
        Decision(
            "makeDecision",
            "Check, fold or raise",
            observation=_OBSERVATION,
            answer=Int(-1, 100, "the chips raised, 0 to check, -1 to fold"),
            default=0,
        ),
    )
    core = Core(_new_core, GAMES, SESSIONS, PointsSource("games", ("profit",), length="hands"), new_core_at_limits)
    sdk = Sdk(
        Path(__file__).parent / "sdk",
        CompiledBots(
            "texas.h",
            imports=(Import("tournament_rates", ("i64", "i32"), "i64"), Import("tournament_result", ("i64",), "i32")),
            new_helpers=RateHelpers,
        ),
        PythonBots(PythonSdk(Path(__file__).parent / "sdk" / "texas.py", _PYTHON_MODULES)),
        show_view=show_view,
        new_dialogue=new_dialogue,
        name_answer=name_answer,
    )
    house = House(
        players=lambda settings, folder, say: (BOB,),
        practice=lambda _key: BOB,
        scoring=HouseScoring(mean_profit, of_match=True, decimals=3, measures=_MEASURES),
    )
    presentation = PRESENTATION
    luck = Luck(LUCK_COLUMNS, _new_luck)
    estimates = Estimates(lambda settings: settings.hands, rate=1e5, bytes=15.0)
    presets: ClassVar = {"holdem_training": {}}
