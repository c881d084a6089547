"""Two-card draw: bots against servers that play fixed strategies, as in TopCoder's Marathon Match 14."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from engine.games.two_card_draw.core import GAME_ROW, SESSION_ROW
from engine.games.two_card_draw.core import TwoCardDraw as TwoCardDrawCore
from engine.kernel.game_core import GameCore
from tournament.contests.bots import CompiledBots, Sdk
from tournament.contests.contest import Core, CoreSetup, Estimates
from tournament.contests.scoring import House, HousePlayer, HousePlaySums, HouseScoring, Measure, PointsSource
from tournament.contests.settings import BankedSettings, Increment, Seconds
from tournament.contests.two_card_draw.presentation import PRESENTATION
from tournament.contests.two_card_draw.servers import (
    FACTS,
    SUFFIX,
    compiled_strategy,
    generated_server,
    generated_servers,
    parse_strategy,
    practice_server,
    practice_servers,
    servers_in,
)
from tournament.decisions.decision import Decision, News
from tournament.decisions.value_types import Int
from tournament.keys import master_key
from tournament.paths import PathText
from tournament.rules.rules import Rules
from tournament.store.columns import describe_columns

EXAMPLES = tuple(f"example_{number}" for number in range(4))
MAX_HANDS = 60_000


class Settings(BankedSettings):
    """Keys of the table [two_card_draw] in tournament.toml."""

    sessions: int = Field(
        1, ge=1, le=10**6, description="how often a bot meets each server, each time again, with other cards"
    )
    hands: int = Field(10_000, ge=32, le=MAX_HANDS, description="hands of a session")
    servers: int = Field(16, ge=1, le=1000, description="servers made from the seed")
    strategy_dir: PathText | None = Field(None, description="folder of strategy files to play instead")
    # The statement's limit is 20 seconds for all calls of a test case, however they are spread.
    seconds: Seconds = 20.0
    increment_ms: Increment = 0.0

    def playing(self) -> dict[str, object]:
        """Return the settings that the games depend on, by name, without `strategy_dir`."""
        # The strategies of a folder are known by their contents.
        return {key: value for key, value in super().playing().items() if key != "strategy_dir"}


def _new_core(setup: CoreSetup[Settings]) -> GameCore:
    """Return the core of a leg against the server in the setup.

    Raises:
        InputError: The server's strategy is malformed.
    """
    house = setup.house
    assert house is not None
    strategy = parse_strategy(house)
    return TwoCardDrawCore(
        setup.games,
        setup.sessions,
        deals_key=setup.leg.deals_key,
        hands=setup.settings.hands,
        bet1=strategy.bet1,
        bet2=strategy.bet2,
        server=compiled_strategy(house),
        match=setup.leg.match,
        session=setup.leg.first_session,
    )


def players(settings: Settings, folder: Path, on_message: Callable[[str], None]) -> Sequence[HousePlayer]:
    """Return the servers of a tournament: the strategies of the folder by name, or servers made from the seed.

    Made servers are in the order of their numbers, and are kept in the cache.

    Args:
        settings: The contest's settings. Without a seed the servers are those of the seed 1.
        folder: Folder from which `strategy_dir` starts.
        on_message: Called with a message before servers are made, if some aren't in the cache.

    Raises:
        InputError: The folder doesn't exist or has no strategies. Or a file can't be read, is malformed, or has a name
            that no player can have.
        RunError: The cache can't be used.
    """
    if settings.strategy_dir is not None:
        return servers_in(folder / settings.strategy_dir)
    return generated_servers(_key(settings), settings.servers, on_message)


def practice_players(settings: Settings, folder: Path, on_message: Callable[[str], None]) -> Sequence[HousePlayer]:
    """Return the servers of a match: the strategies of the folder by name, or servers that no contest has.

    Made servers are in the order of their numbers, and are kept in memory only.

    Args:
        settings: The contest's settings. Without a seed the servers are those of the seed 1.
        folder: Folder from which `strategy_dir` starts.
        on_message: Called with a message before servers are made.

    Raises:
        InputError: The folder doesn't exist or has no strategies. Or a file can't be read, is malformed, or has a name
            that no player can have.
    """
    if settings.strategy_dir is not None:
        return servers_in(folder / settings.strategy_dir)
    return practice_servers(_key(settings), settings.servers, on_message)


def example(settings: Settings, name: str) -> HousePlayer:
    """Return a server like the contest's that entrants can know and that doesn't count. It is kept in the cache.

    Args:
        settings: The contest's settings. Without a seed it is a server of the seed 1.
        name: Name of the server, one of EXAMPLES.

    Raises:
        RunError: The cache can't be used.
    """
    return generated_server(_key(settings), name)


def _key(settings: Settings) -> bytes:
    """Return the master key. Before a run has settled its seed, practice uses that of the seed 1."""
    return master_key(settings.seed or "1")


def score(played: HousePlaySums) -> float:
    """Return the score of a session's sums in chips: the profit plus one chip for each hand, at least 0."""
    return max(0.0, played.points + played.games)


def share(played: Sequence[HousePlaySums]) -> float | None:
    """Return the profit over all servers as a share of a perfect opponent's expectation.

    It is None if that expectation isn't above 0, as without play. It can be negative, or above 1.

    Args:
        played: Sums of an entrant's play against each server.
    """
    achievable = sum(p.facts["achievable"] * p.games for p in played)
    return sum(p.points for p in played) / achievable if achievable > 0 else None


_MAX_LOST = 61  # chips of a hand: the ante, three bets of 5 and three of 15
_CARD, _BETS = Int(0, 4), Int(0, 3)
_CARDS = {"card1": _CARD, "card2": _CARD}


_DECISIONS = (
    News("init", "How much is bet in each round", observation={"bet1": Int(5, 5), "bet2": Int(5, 15)}),
    Decision(
        "new_hand",
        "Bet or check, first in round 1",
        observation={**_CARDS, "winnings": Int(-MAX_HANDS * _MAX_LOST, MAX_HANDS * _MAX_LOST)},
        answer=Int(0, 1),
        names={0: "check", 1: "bet"},
    ),
    Decision(
        "round1",
        "Answer a bet of round 1",
        observation={**_CARDS, "bets": Int(1, 3)},
        answer=Int(0, 2),
        names={0: "fold", 1: "call", 2: "raise"},
    ),
    Decision("draw", "Exchange cards", observation={**_CARDS, "bets": _BETS}, answer=Int(0, 2, "how many cards")),
    Decision(
        "round2",
        "Bet, or answer a bet, in round 2",
        observation={**_CARDS, "bets1": _BETS, "bets2": _BETS, "drew": Int(0, 2)},
        answer=Int(0, 2),
        names={0: "fold", 1: "check", 2: "bet"},
    ),
    News("showdown", "Both hands at the end", observation={**_CARDS, "opp1": _CARD, "opp2": _CARD}),
)


class TwoCardDraw(Rules):
    """Rules in which every entrant plays against the same servers. A session's score is in chips."""

    name = "two_card_draw"
    title = "Two-card draw"
    seats = 1
    settings_class = Settings
    points_unit = "a score is chips won in a session, and a chip for each hand"
    description = (
        "Bots play poker with two cards, numbers from 0 to 4, against servers: fixed strategies that play by dice."
        " Each side puts in a chip, there is a round of bets, both may exchange cards, there is a second round, and"
        " the better hand wins, a pair before a high card. All bots meet the same servers; who finds out how one plays"
        " can beat it."
    )
    decisions = _DECISIONS
    core = Core(
        _new_core,
        games=describe_columns(
            GAME_ROW,
            ("opened1_0", "opened2_0"),
            game="hand of the session, from 0",
            dealt_0="the bot's hand as dealt, two digits: lower and higher card",
            house_dealt="the server's hand as dealt",
            bets1="bets and raises in round 1, 0 to 3",
            opened1_0="the bot bet first in round 1",
            drew_0="cards that the bot drew; 0 also when round 1 ended the hand",
            house_drew="cards that the server drew",
            held_0="the bot's hand at the end",
            house_held="the server's hand at the end",
            bets2="bets and raises in round 2, 0 to 3",
            opened2_0="the bot bet first in round 2",
            rounds="rounds of betting: 1 when someone folded in the first, else 2",
            folded_by="who folded: 0 no one, 1 the bot, 2 the server",
            pot="chips in the pot at the end",
            gain_0="what the bot won, chips",
        ),
        sessions=describe_columns(
            SESSION_ROW,
            games="hands played",
            gain_0="what the bot won, chips",
            score_0="gain_0 and a chip for each hand, at least 0",
        ),
        scored=PointsSource("games", ("gain_0",), length="hands"),
    )
    sdk = Sdk(
        Path(__file__).parent / "sdk",
        CompiledBots("two_card_draw.h"),
        parameters={decision.name: tuple(decision.observation) for decision in _DECISIONS},
        class_name="TwoCardDraw",
    )
    house = House(
        players,
        practice_server,
        HouseScoring(
            score,
            measures=(
                Measure(
                    "share",
                    "of best",
                    "profit as a share of what a perfect opponent would expect, beyond 100% with luck",
                    share,
                    lambda value: f"{100 * value:.1f}%",
                ),
            ),
        ),
        suffix=SUFFIX,
        facts=FACTS,
        examples=EXAMPLES,
        example=example,
        practice_players=practice_players,
    )
    presentation = PRESENTATION
    estimates = Estimates(lambda settings: settings.hands, rate=5e6, bytes=8.0)
    presets: ClassVar = {"two_card_draw": {}}
