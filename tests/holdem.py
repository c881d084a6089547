"""Playing Hold'em training in tests: the compiled core with Python players."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from engine.games.holdem_training.core import HoldemTraining
from engine.kernel.game_core import ANSWER_WANTED, LEG_IS_OVER, RECORDS_ARE_FULL
from engine.kernel.records import Table
from tests.built_in import HOLDEM_TRAINING
from tests.oracles.deals import key_of
from tests.oracles.holdem_training import Hand, Player, Record, View
from tests.python_rules import Rows, play_legs, rows_of
from tests.worker.support import ON, Source, write_bot
from tournament.artifacts.bot import Entrant
from tournament.contests.holdem_training.rules import BOB, Settings
from tournament.entrants.build import build_entrants
from tournament.leg import Leg, LegPlan, Seat
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import buffer_fields
from tournament.store.leg_result import LegResult

VIEW = struct.Struct("<22i")
GAMES, SESSIONS = buffer_fields(HOLDEM_TRAINING.games), buffer_fields(HOLDEM_TRAINING.sessions)
CARD_COLUMNS = [*GAMES][3:12]


@dataclass
class CoreRecord(Record):
    """A core's record with its sums, its sessions, and how often its tables were emptied."""

    sessions: list[tuple[Any, ...]] = field(default_factory=list)
    emptied: int = 0
    points: float = 0.0
    squared_points: float = 0.0
    blocks: Sequence[float] = ()


def view_of(data: bytes) -> View:
    """Return the core's view as the oracle has it, and fail if it shows Bob's cards."""
    fields = VIEW.unpack(data)
    cards = [None if suit == -1 else 13 * suit + value - 1 for suit, value in zip(fields[0:18:2], fields[1:18:2])]
    assert cards[2] is None and cards[3] is None
    assert cards[0] is not None and cards[1] is not None
    board = tuple(card for card in cards[4:] if card is not None)
    assert cards[4 : 4 + len(board)] == list(board)
    return View((cards[0], cards[1]), board, *fields[18:])


def add_rows(record: CoreRecord, rows: Rows) -> None:
    games = {name: values.tolist() for name, values in rows["games"].items()}
    lists = [
        zip(*[games[name] for name in names])
        for names in (CARD_COLUMNS, [f"raise_{n}" for n in range(1, 5)], [f"bob_answer_{n}" for n in range(1, 5)])
    ]
    of_hand = (games[name] for name in ("match", "session", "game"))
    record.hands += map(Hand._make, zip(*of_hand, *lists, games["folded_by"], games["profit"]))
    record.sessions += zip(*[values.tolist() for values in rows["sessions"].values()])


def play_core(
    player: Player,
    deals_key: int,
    *,
    sessions: int,
    hands: int,
    match: int = 0,
    first_session: int = 0,
    decks: Sequence[Sequence[int]] | None = None,
    capacities: tuple[int, int] = (1000, 1000),
) -> CoreRecord:
    """Play a leg on the compiled core with a Python player, whose answers must be legal."""
    tables = Table(GAMES, capacities[0]), Table(SESSIONS, capacities[1])
    core = HoldemTraining(
        *tables,
        deals_key=key_of(deals_key),
        sessions=sessions,
        hands=hands,
        match=match,
        first_session=first_session,
        decks=None if decks is None else np.array(decks, dtype=np.uint8),
    )
    record, answer = CoreRecord(), 0
    while (status := core.play(answer)) != LEG_IS_OVER:
        if status == RECORDS_ARE_FULL:
            add_rows(record, rows_of(tables))
            tables[0].rows = tables[1].rows = 0
            record.emptied += 1
            continue
        assert status == ANSWER_WANTED
        kind, seat, view = core.pending()
        assert (kind, seat) == (0, 0)
        record.asked.append(view_of(view))
        answer = player(record.asked[-1])
    add_rows(record, rows_of(tables))
    (own,) = core.sums()
    record.points, record.squared_points, record.blocks = own.points, own.squared_points, list(own.blocks)
    return record


def build(folder: Path, sources: Mapping[str, Source], sandbox: SandboxSettings = ON) -> dict[str, Entrant]:
    """Write files and folders of these names and build them as a tournament does. Return the entrants by name."""
    for file_name, source in sources.items():
        write_bot(folder / file_name, source)
    built = build_entrants(HOLDEM_TRAINING, Settings(), sandbox, folder, lambda _text: None)
    return {entrant.name: entrant for entrant in built}


def leg_of(bot: Entrant, deals_key: int, random_seed: int = 1, number: int = 0) -> Leg:
    """Return a session of a built bot against Bob."""
    assert bot.artifact_sha256 is not None, bot.problem
    seat = Seat(bot.name, bot.plays_as, bot.artifact_sha256, random_seed)
    house = Seat("Bob", "house", "bob", 0)
    return Leg(f"{bot.name} {number}", LegPlan(0, number, 1, key_of(deals_key), seats=1), (seat,), house)


def play_built(
    bot: Entrant, deals_key: int, *, hands: int, random_seed: int = 1, **settings: Any
) -> tuple[LegResult, CoreRecord]:
    """Play a session of a built bot as a worker does, rows kept in memory."""
    (played,) = play_processes([bot], [leg_of(bot, deals_key, random_seed)], hands=hands, **settings)
    return played


def play_processes(
    bots: Sequence[Entrant], legs: Sequence[Leg], *, hands: int, sandbox: SandboxSettings = ON, **settings: Any
) -> list[tuple[LegResult, CoreRecord]]:
    """Play sessions of bots as one batch, in the order of the legs."""
    artifacts = {bot.artifact_sha256 or "": bot.artifact or b"" for bot in bots} | {"bob": BOB.content}
    chosen = Settings(hands=hands, sessions=1, **settings)
    found = []
    for result, rows in play_legs(HOLDEM_TRAINING, chosen, legs, artifacts, hands + 1, sandbox).values():
        found.append((result, CoreRecord()))
        add_rows(found[-1][1], rows)
    return found
