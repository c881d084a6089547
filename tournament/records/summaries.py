"""The files that summarise the records: matches.parquet and entrants.parquet."""

from __future__ import annotations

from typing import Any

from tournament.arrays import Cells
from tournament.standings.standings import Standings
from tournament.store.columns import Column
from tournament.store.leg_result import Used
from tournament.store.storage import Storage

MATCHES = (
    Column("match", "int64", "match number, as in games and sessions"),
    Column("replica", "int32", "replica of a match whose bots are drawn; −1 if the row sums over all replicas"),
    Column(
        "seat",
        "uint8",
        "seat of the bot, from 0, in the order of names; in von Neumann poker seat 0 plays A in the first game",
    ),
    Column("bot", "str", "name of the bot"),
    Column("house", "str", "name of the house player; empty if there is none"),
    Column("legs", "int32", "legs played: one for each replica; in a duplicate match one for each replica and seat"),
    Column("sessions", "int64", "sessions played"),
    Column("games", "int64", "games played"),
    Column("points", "float64", "points of the bot over the match"),
    Column(
        "stderr",
        "float64",
        "standard error of points, over replicas; if there is one replica, over 32 blocks of its sessions",
    ),
)


ENTRANTS = (
    Column("name", "str", "name of the bot: that of its file, without the suffix, or of its folder"),
    Column("kind", "str", "kind of the bot: c, cpp, wasm, python or program"),
    Column("sha256", "str", "sha256 of the bot's file, or of its packed folder"),
    Column(
        "status",
        "str",
        "ok, house (the host's own, not ranked), disqualified (too many faults), broken (can't be built or started) or"
        " incomplete (set aside in the last"
        " run, through no fault of its own, before all its matches were played)",
    ),
    Column("faults", "int32", "number of faults of the bot in all its legs"),
    Column("reason", "str", "reason for a status other than ok"),
    Column("fuel", "int64", "fuel that the bot used in all its legs; 0 for a process"),
    Column("cpu_seconds", "float64", "processor time of the bot's processes in all its legs; 0 for WebAssembly"),
    Column("memory_bytes", "int64", "peak memory of the bot in any of its legs"),
    Column("slowest_seconds", "float64", "time of the bot's slowest decision, as in legs/; 0 for WebAssembly"),
)


def write_summaries(storage: Storage, ranking: Standings) -> None:
    """Write matches.parquet and entrants.parquet.

    Raises:
        OSError: A file can't be written.
        RunError: A request to the object store fails.
    """
    from tournament.store.small_tables import write_summary

    for name, (columns, values) in summaries(ranking).items():
        write_summary(storage, name, columns, values)


def summaries(ranking: Standings) -> dict[str, tuple[tuple[Column, ...], Cells]]:
    """Return the columns and values of each file that summarises the records, by its name."""
    return {
        "matches.parquet": (MATCHES, match_values(ranking)),
        "entrants.parquet": (ENTRANTS, entrant_values(ranking)),
    }


def match_values(ranking: Standings) -> Cells:
    """Return the values of matches.parquet by column, in the order of matches and seats. Unknown errors are NaN."""
    return ranking.find_match_rows().columns()


def entrant_values(ranking: Standings) -> dict[str, list[Any]]:
    """Return the values of entrants.parquet by column, sorted by name. A bot without legs used 0 of everything."""
    entrants = sorted(ranking.entrants, key=lambda line: line.name)
    used, nothing = ranking.find_used(), Used()
    rows = [{**vars(line), **used.get(line.name, nothing)._asdict()} for line in entrants]
    return {column.name: [row[column.name] for row in rows] for column in ENTRANTS}
