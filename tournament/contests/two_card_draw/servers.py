"""The house players of two-card draw: servers generated from the contest's seed, or read from a folder."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from engine.games.two_card_draw.core import CompiledStrategy
from engine.games.two_card_draw.evaluation import StrategyEvaluator
from tournament.contests.scoring import HousePlayer
from tournament.contests.two_card_draw.generate import Recipe, cached_at, generate, generated_text
from tournament.contests.two_card_draw.strategy_file import (
    ServerStrategy,
    read_strategy,
    read_strategy_file,
    write_strategy,
)
from tournament.errors import InputError, pluralize
from tournament.keys import sub_key, to_number
from tournament.names import LETTERS, valid_name

SUFFIX = ".txt"
FACTS = ("bet1", "bet2", "achievable")


def make_recipe(key: bytes, name: str) -> Recipe:
    """Return the parameters of a generated server, uniform in the ranges of the statement.

    These are 1 to 5 chips for bet1, bet1 to three times bet1 for bet2, and 10,000 to 200,000 steps. Each server has its
    own sub-keys, so the examples reveal nothing about the others.

    Args:
        key: The contest's master key.
        name: The server's name.
    """
    bets, iterations, seed = [sub_key(key, "two-card draw server", what, name) for what in ("bets", "steps", "climb")]
    bet1 = 1 + int.from_bytes(bets[:8], "little") % 5
    bet2 = bet1 + int.from_bytes(bets[8:16], "little") % (2 * bet1 + 1)
    return Recipe(bet1, bet2, 10_000 + to_number(iterations) % 190_001, int.from_bytes(seed, "little"))


def generated_server(key: bytes, name: str) -> HousePlayer:
    """Return the server of this name in the contest of this master key. It is made if it isn't in the cache.

    Raises:
        RunError: The cache can't be used.
    """
    return make_server(name, generated_text(make_recipe(key, name)))


@cache
def practice_server(key: bytes, name: str = "practice") -> HousePlayer:
    """Return a server to try a bot against, which no bot has seen before. It is kept in this process's memory only.

    All callers share the object, which they must not change.

    Args:
        key: Key of its parameters and its strategy.
        name: Its name, by default "practice". Another name is another server.
    """
    return make_server(name, write_strategy(generate(make_recipe(key, name))).encode())


def practice_servers(key: bytes, count: int, on_message: Callable[[str], None]) -> list[HousePlayer]:
    """Return servers like a contest's, which no bot has seen before. They are kept in this process's memory only.

    Args:
        key: Key of their parameters and strategies.
        count: Number of servers. They are called practice_01 and so on, in this order.
        on_message: Called once with a message before they are made.
    """
    on_message(f"Making {pluralize(count, 'server')}…")
    return [practice_server(key, f"practice_{number:02}") for number in range(1, count + 1)]


def generated_servers(key: bytes, count: int, on_message: Callable[[str], None]) -> list[HousePlayer]:
    """Return the servers of a contest, in the order of their numbers. Those that aren't in the cache are made.

    Args:
        key: The contest's master key.
        count: Number of servers. They are called server_01 and so on.
        on_message: Called once with a message before servers are made, if some aren't in the cache.

    Raises:
        RunError: The cache can't be used.
    """
    names = [f"server_{number:02}" for number in range(1, count + 1)]
    missing = sum(not cached_at(make_recipe(key, name)).exists() for name in names)
    if missing:
        on_message(f"Making {missing} server{'s' if missing > 1 else ''}…")
    return [generated_server(key, name) for name in names]


def servers_in(folder: Path) -> list[HousePlayer]:
    """Return the servers of a folder's strategy files, sorted by the files' names. Hidden files are omitted.

    Raises:
        InputError: The folder doesn't exist or has no strategy files, or a file's name can't be a player's. Or a file
            can't be read, is larger than 4 MiB, or is malformed.
    """
    if not folder.is_dir():
        raise InputError(f"the folder of strategies {folder} does not exist; correct `strategy_dir` in [two_card_draw]")
    servers = []
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        if path.name.startswith("."):
            continue
        if not valid_name(path.stem):
            raise InputError(f"{path.name}: a strategy's name has {LETTERS}, digits and _ . + - only, 64 at most")
        servers.append(make_server(path.stem, read_strategy_file(path)[1]))
    if not servers:
        raise InputError(f"{folder} has no strategies, which are files ending in {SUFFIX}")
    return servers


def make_server(name: str, content: bytes) -> HousePlayer:
    """Return a house player from a strategy file.

    Its facts are its bets in chips, and as `achievable` a perfect opponent's win in chips per hand.

    Args:
        name: Name of the player.
        content: Content of the file, which the player keeps as it is.

    Raises:
        InputError: The content is larger than 4 MiB, or malformed. The message doesn't name the player.
    """
    strategy = parse_strategy(content)
    best = -StrategyEvaluator(strategy.rows, strategy.bet1, strategy.bet2).value()
    return HousePlayer(name, content, dict(zip(FACTS, (strategy.bet1, strategy.bet2, best))))


@cache
def parse_strategy(content: bytes) -> ServerStrategy:
    """Return the strategy in a server's content, parsed once per process. Callers must not change it.

    Raises:
        InputError: The content is larger than 4 MiB, or malformed.
    """
    return read_strategy(content, "a server's strategy")


@cache
def compiled_strategy(content: bytes) -> CompiledStrategy:
    """Return a server's strategy, compiled to be played, once per process. All its legs share the object.

    Raises:
        InputError: The content is larger than 4 MiB, or malformed.
    """
    return CompiledStrategy(parse_strategy(content).rows)
