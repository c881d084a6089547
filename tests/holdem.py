"""Playing Hold'em training in tests: the compiled core with Python players."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from engine.games.holdem_training.core import HoldemTraining
from engine.kernel.game_core import ANSWER_WANTED, LEG_IS_OVER, RECORDS_ARE_FULL
from engine.kernel.records import Table
from tests.built_in import HOLDEM_TRAINING
from tests.oracles.deals import key_of
from tests.oracles.holdem_training import Hand, Player, Record, View
from tests.worker.support import ON, Source, write_bot
from tournament.artifacts.bot import Entrant
from tournament.cache import cache_folder
from tournament.contests.holdem_training.rules import BOB, Settings
from tournament.entrants.build import build_entrants
from tournament.leg import Leg, LegPlan, Seat
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import buffer_fields
from tournament.store.leg_result import LegResult
from tournament.worker.leg import play_leg, result_of
from tournament.worker.processes.lanes import play_in_lanes
from tournament.worker.processes.spool import Spool

VIEW = struct.Struct("<22i")
CARD_COLUMNS = (
    "alice_card_1",
    "alice_card_2",
    "bob_card_1",
    "bob_card_2",
    "flop_1",
    "flop_2",
    "flop_3",
    "turn",
    "river",
)
GAMES, SESSIONS = buffer_fields(HOLDEM_TRAINING.games), buffer_fields(HOLDEM_TRAINING.sessions)


@dataclass
class CoreRecord(Record):
    """A core's record with its sums, its sessions, and how often its tables were emptied."""

    sessions: list[tuple[int, int, int, int, float]] | None = None
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


def take_rows(games: Table, sessions: Table, record: CoreRecord) -> None:
    """Move the rows in use from the tables to the record."""
    columns = {name: values[: games.rows].tolist() for name, values in games.arrays.items()}
    for i in range(games.rows):
        row = {name: values[i] for name, values in columns.items()}
        record.hands.append(
            Hand(
                row["match"],
                row["session"],
                row["game"],
                tuple(row[name] for name in CARD_COLUMNS),
                tuple(row[f"raise_{n}"] for n in range(1, 5)),
                tuple(row[f"bob_answer_{n}"] for n in range(1, 5)),
                row["folded_by"],
                row["profit"],
            )
        )
    assert record.sessions is not None
    record.sessions += list(zip(*[values[: sessions.rows].tolist() for values in sessions.arrays.values()]))
    games.rows = sessions.rows = 0


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
    record = CoreRecord(sessions=[])
    answer = 0
    while (status := core.play(answer)) != LEG_IS_OVER:
        if status == RECORDS_ARE_FULL:
            take_rows(*tables, record)
            record.emptied += 1
            continue
        assert status == ANSWER_WANTED
        kind, seat, view = core.pending()
        assert (kind, seat) == (0, 0)
        record.asked.append(view_of(view))
        answer = player(record.asked[-1])
    take_rows(*tables, record)
    (own,) = core.sums()
    record.points, record.squared_points, record.blocks = own.points, own.squared_points, list(own.blocks)
    return record


def build(folder: Path, sources: Mapping[str, Source], sandbox: SandboxSettings = ON) -> dict[str, Entrant]:
    """Write files and folders of these names and build them as a tournament does. Return the entrants by name."""
    for file_name, source in sources.items():
        write_bot(folder / file_name, source)
    built = build_entrants(HOLDEM_TRAINING, Settings(), sandbox, folder, lambda _text: None)
    return {entrant.name: entrant for entrant in built}


class RowSink:
    """A sink that keeps all rows as a record."""

    def __init__(self) -> None:
        self.games = Table(GAMES, 1 << 13)
        self.sessions = Table(SESSIONS, 10)
        self.record = CoreRecord(sessions=[])

    def clear(self) -> None:
        take_rows(self.games, self.sessions, self.record)


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
    leg = leg_of(bot, deals_key, random_seed)
    if leg.has_processes:
        (played,) = play_processes([bot], [leg], hands=hands, **settings)
        return played
    sink = RowSink()
    artifacts = {leg.seats[0].artifact: bot.artifact or b"", "bob": BOB.content}
    outcome = play_leg(HOLDEM_TRAINING, Settings(hands=hands, sessions=1, **settings), leg, artifacts, sink)
    sink.clear()
    return result_of(HOLDEM_TRAINING, outcome), sink.record


def play_processes(
    bots: Sequence[Entrant], legs: Sequence[Leg], *, hands: int, sandbox: SandboxSettings = ON, **settings: Any
) -> list[tuple[LegResult, CoreRecord]]:
    """Play sessions of bots that are processes as one batch, in the order of the legs."""
    artifacts = {bot.artifact_sha256 or "": bot.artifact or b"" for bot in bots} | {"bob": BOB.content}
    chosen = Settings(hands=hands, sessions=1, **settings)
    played = {}
    with contextlib.closing(Spool()) as spool:
        for done in play_in_lanes(HOLDEM_TRAINING, chosen, sandbox, legs, artifacts, cache_folder(), spool):
            sink = RowSink()
            done.rows.replay_into(sink)
            sink.clear()
            played[done.result.digest] = (done.result, sink.record)
    return [played[leg.digest] for leg in legs]
