"""The files that sum up the records: matches.parquet and entrants.parquet."""

from __future__ import annotations

from typing import Any

from tournament.arrays import Cells
from tournament.standings.standings import Standings
from tournament.store.columns import Column
from tournament.store.leg_result import Used
from tournament.store.storage import Storage

MATCHES = (
    Column("match", "int64", "match number, as in games and sessions"),
    Column("replica", "int32", "replica of a match whose bots are drawn; −1 for one that is summed over its replicas"),
    Column("seat", "uint8", "seat of the bot, by names from 0; in von Neumann poker seat 0 plays A in the first game"),
    Column("bot", "str", "who sits there"),
    Column("house", "str", "the house player that it meets; empty without"),
    Column("legs", "int32", "legs played: one of each replica, in a duplicate match one for each seat"),
    Column("sessions", "int64", "sessions played"),
    Column("games", "int64", "games played"),
    Column("points", "float64", "points of the bot over the match"),
    Column("stderr", "float64", "standard error of points: over replicas; of one, over 32 blocks of its sessions"),
)


ENTRANTS = (
    Column("name", "str", "the bot's name: its file's, without the ending, or its folder's"),
    Column("kind", "str", "c, cpp, wasm, python or program"),
    Column("sha256", "str", "of the bot's file, or of its folder packed"),
    Column(
        "status",
        "str",
        "ok, house (the host's own, not ranked), disqualified (too many faults), broken (can't be built or started) or"
        " incomplete (set aside in the last"
        " run, through no fault of its own, before all its matches were played)",
    ),
    Column("faults", "int32", "faults over all its legs, each one counted"),
    Column("reason", "str", "why it is not ok"),
    Column("fuel", "int64", "fuel that it used over all its legs; 0 of a process"),
    Column("cpu_seconds", "float64", "processor time that its processes used over all its legs; 0 of WebAssembly"),
    Column("memory_bytes", "int64", "most memory that it had at once in any of its legs"),
    Column("slowest_seconds", "float64", "time of its slowest decision, as in legs/; 0 of WebAssembly"),
)


def write_summaries(storage: Storage, ranking: Standings) -> None:
    """Write matches.parquet and entrants.parquet. Raises OSError."""
    from tournament.store.small_tables import write_summary

    for name, (columns, values) in summaries(ranking).items():
        write_summary(storage, name, columns, values)


def summaries(ranking: Standings) -> dict[str, tuple[tuple[Column, ...], Cells]]:
    """The files that sum up the records, each with its columns and their values."""
    return {
        "matches.parquet": (MATCHES, match_values(ranking)),
        "entrants.parquet": (ENTRANTS, entrant_values(ranking)),
    }


def match_values(ranking: Standings) -> Cells:
    return ranking.rows_of_matches().columns()


def entrant_values(ranking: Standings) -> dict[str, list[Any]]:
    lines = sorted(ranking.entrants, key=lambda line: line.name)
    used, nothing = ranking.find_used(), Used()
    rows = [{**vars(line), **used.get(line.name, nothing)._asdict()} for line in lines]
    return {column.name: [row[column.name] for row in rows] for column in ENTRANTS}
