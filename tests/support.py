"""Playing legs in tests: the compiled core with Python bots, and bots built as a tournament builds them."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.games.von_neumann_poker.core import VonNeumannPoker
from engine.kernel.game_core import ANSWER_WANTED, LEG_IS_OVER, RECORDS_ARE_FULL
from engine.kernel.records import Table
from tests.built_in import VON_NEUMANN_POKER
from tests.oracles.deals import key_of
from tests.oracles.von_neumann_poker import Asked, BetCap, Bot, Game, Record, Session, View
from tournament.artifacts.bot import Entrant
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.entrants.build import build_entrants
from tournament.leg import Leg, LegPlan, Seat
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import buffer_fields
from tournament.store.leg_result import LegResult
from tournament.worker.leg import play_leg, result_of

VIEW = struct.Struct("<ffiii")  # the bet last
COMMON = 1_000  # rows of a table that needn't fill up


@dataclass
class Sums:
    """The sums of a core."""

    sessions: int
    games: int
    points: float
    squared_points: float
    blocks: list[float]


@dataclass
class CoreRecord(Record):
    """A core's record with its sums, and how often its tables were emptied."""

    sums: Sums = field(default_factory=lambda: Sums(0, 0, 0.0, 0.0, []))
    emptied: int = 0


def poker_settings(**keys: object) -> Settings:
    """Settings as from tournament.toml: the defaults where no key is given."""
    return Settings.model_validate(keys)


def poker_tables(games: int = COMMON, sessions: int = COMMON) -> tuple[Table, Table]:
    """Empty tables for this many rows."""
    return (
        Table(buffer_fields(VON_NEUMANN_POKER.games), games),
        Table(buffer_fields(VON_NEUMANN_POKER.sessions), sessions),
    )


def take_rows(games: Table, sessions: Table, record: Record) -> None:
    """Move the rows in use from the tables to the record."""

    def rows(table: Table) -> list[list[Any]]:
        return [values[: table.rows].tolist() for values in table.arrays.values()]

    for row in zip(*rows(games)):
        game = Game(*row)
        record.games.append(game._replace(seat_0_is_a=bool(game.seat_0_is_a), folded=bool(game.folded)))
    record.sessions += [Session(*row) for row in zip(*rows(sessions))]
    games.rows = sessions.rows = 0


def play_core(
    x: Bot,
    y: Bot,
    deals_key: int,
    *,
    sessions: int,
    bet_cap: BetCap = "before_ante",
    seats_swapped: bool = False,
    roles_by_session: bool = False,
    match: int = 0,
    first_session: int = 0,
    capacities: tuple[int, int] = (COMMON, COMMON),
) -> CoreRecord:
    """Play a leg on the compiled core with Python bots."""
    games_table, sessions_table = poker_tables(*capacities)
    core = VonNeumannPoker(
        games_table,
        sessions_table,
        deals_key=key_of(deals_key),
        sessions=sessions,
        match=match,
        first_session=first_session,
        seats_swapped=seats_swapped,
        roles_by_session=roles_by_session,
        cap_after_ante=bet_cap == "after_ante",
    )
    record = CoreRecord()
    answer = 0
    while (status := core.play(answer)) != LEG_IS_OVER:
        if status == RECORDS_ARE_FULL:
            take_rows(games_table, sessions_table, record)
            record.emptied += 1
            answer = -(2**63)  # no bot's answer, which must be ignored
            continue
        assert status == ANSWER_WANTED
        kind, seat, view_bytes = core.pending()
        *shown, bet = VIEW.unpack(view_bytes)
        view, bot = View(*shown), (x, y)[seat]
        record.asked.append(Asked(seat, view, bet if kind else None))
        answer = bot.b(view, bet) if kind else bot.a(view)
    take_rows(games_table, sessions_table, record)
    own, others = core.sums()
    assert others == own.opposite()
    record.sums = Sums(core.sessions_played, core.games_recorded, own.points, own.squared_points, list(own.blocks))
    return record


@dataclass
class MemorySink:
    """A sink that keeps all rows in memory, column by column."""

    games: Table
    sessions: Table
    gathered: dict[str, list[NDArray[np.generic]]] = field(default_factory=dict)

    def clear(self) -> None:
        for label, table in (("games", self.games), ("sessions", self.sessions)):
            for name, values in table.arrays.items():
                self.gathered.setdefault(f"{label}.{name}", []).append(values[: table.rows].copy())
            table.rows = 0

    def column(self, name: str) -> NDArray[np.float64]:
        """Return all values of a column such as "games.bet", as floats."""
        return np.concatenate(self.gathered[name]).astype(np.float64)


def build_folder(folder: Path, bots: Mapping[str, str | bytes]) -> dict[str, Entrant]:
    """Write files of these names and build them as a tournament does. Return the entrants by name."""
    for file_name, source in bots.items():
        (folder / file_name).write_bytes(source if isinstance(source, bytes) else source.encode())
    built = build_entrants(VON_NEUMANN_POKER, poker_settings(), SandboxSettings(), folder, lambda _text: None)
    return {entrant.name: entrant for entrant in built}


def artifact_of(entrant: Entrant) -> bytes:
    """Return the WebAssembly of an entrant that was built."""
    assert entrant.artifact is not None, f"{entrant.name}: {entrant.problem}"
    return entrant.artifact


# A number in a source that `variant_of` replaces, to make many bots of one compiled one.
VARIANT = 1_592_653_589


def variant_of(entrant: Entrant, number: int) -> Entrant:
    """Return the bot with another number in place of VARIANT, which must be the value of a volatile variable."""
    old = VARIANT.to_bytes(4, "little")
    assert artifact_of(entrant).count(old) == 1
    return replace(entrant, artifact=artifact_of(entrant).replace(old, number.to_bytes(4, "little")))


def play_built(
    x: Entrant,
    y: Entrant,
    *,
    settings: Settings,
    number: int = 0,
    deals_key: int = 1,
    random_seeds: Sequence[int] = (1, 2),
    stopping: Callable[[], bool] = lambda: False,
    measures_bots: bool = False,
) -> tuple[LegResult, MemorySink]:
    """Play a leg between built bots as a worker does, rows kept in memory."""
    sink = MemorySink(*poker_tables(1 << 16, 1 << 14))
    artifacts = {sha256(artifact_of(bot)).hexdigest(): artifact_of(bot) for bot in (x, y)}
    seats = [
        Seat(bot.name, "wasm", sha256(artifact_of(bot)).hexdigest(), seed) for bot, seed in zip((x, y), random_seeds)
    ]
    leg = Leg("", LegPlan(0, number, settings.sessions, key_of(deals_key), rotation=number % 2), tuple(seats))
    outcome = play_leg(VON_NEUMANN_POKER, settings, leg, artifacts, sink, stopping, measures_bots=measures_bots)
    sink.clear()
    return result_of(VON_NEUMANN_POKER, outcome), sink


def constant_bot(bet: int, call: int) -> Bot:
    """Return a bot that always answers the same."""
    return Bot(lambda _view: bet, lambda _view, _bet: call)
