"""What became of a bot: its versions and their standings, and whom it is closest to beating."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tournament.errors import BadInput, RunFailed
from tournament.names import did_you_mean
from tournament.standings.matches import Match
from tournament.standings.standings import Standing, Standings
from tournament.store.ledger import Batch, Field
from tournament.store.ledger_reading import read_former_fields, read_state, standing_batches
from tournament.store.storage import Storage, open_storage


@dataclass(frozen=True)
class Version:
    """A bot's line in the last standings with this content, and how many bots were ranked in them. `archive`: the
    number of the archive that has them, None for the records themselves."""

    line: Standing
    ranked: int
    archive: int | None = None


def history_of(
    storage: Storage,
    ranking: Standings,
    name: str,
    rank: Callable[[Storage, Field, Sequence[Batch]], Standings],
) -> list[Version]:
    """A bot's versions, the oldest first: those in archives, in the order in which they were moved there, then those
    in these records. The last one is that of the `ranking`.

    Raises BadInput for an unknown bot, RunFailed when the ledger can't be read; archives that can't are left out.
    """
    now = line_of(ranking, name)
    found: list[Version] = []

    def add(place: Storage, last: Sequence[_Last], archive: int | None = None) -> None:
        rankings = [rank(place, field, batches) for _, field, batches in last]
        found.extend(Version(line_of(ranking, name), len(ranking.ranked), archive) for ranking in rankings)

    for number, location in sorted((_number_of(location), location) for location in storage.archives()):
        with contextlib.suppress(RunFailed):
            archive = open_storage(location)
            state = read_state(archive)
            latest = [(state.field, standing_batches(archive, state))] if state.field else []
            add(archive, _last_of_each(name, [*read_former_fields(archive), *latest]), number)
    last = _last_of_each(name, read_former_fields(storage))
    add(storage, last[:-1] if last and last[-1][0] == now.sha256 else last)
    return [*found, Version(now, len(ranking.ranked))]


_Last = tuple[str, Field, Sequence[Batch]]


def _last_of_each(name: str, fields: Iterable[tuple[Field, Sequence[Batch]]]) -> list[_Last]:
    """A bot's contents in these fields, each with the last field and batches that had it."""
    last: list[_Last] = []
    for field, batches in fields:
        for entrant in field.entrants:
            if entrant.name == name:
                if last and last[-1][0] == entrant.sha256:
                    last.pop()
                last.append((entrant.sha256, field, batches))
    return last


def _number_of(archive: str) -> int:
    """An archive's number, by its location, which may be a URL with options."""
    return int(archive.partition("?")[0].rpartition("-")[2])


def line_of(ranking: Standings, name: str) -> Standing:
    """A bot's line. Raises BadInput for an unknown one."""
    lines = {line.name: line for line in ranking.entrants}
    if name not in lines:
        raise BadInput(f"{name[:200]}: the records have no such bot{did_you_mean(name, lines, ',')}")
    return lines[name]


def matches_of_bot(ranking: Standings, name: str) -> list[Match]:
    """A ranked bot's matches from its side, against ranked bots or house players, the best first."""
    line_of(ranking, name)
    counted = {line.name for line in ranking.ranked} | set(ranking.house)
    return sorted(
        (side for side in ranking.sides if side.x == name and {name, side.y} <= counted),
        key=lambda side: -lead(side),
    )


def lead(match: Match) -> float:
    """By how much x is ahead of y, in points a session."""
    return (match.x_points - match.y_points) / max(1, match.sessions)


def closest_to_beating(matches: Sequence[Match]) -> Match | None:
    """Of those that a bot has not beaten the one by the least lead."""
    return max((match for match in matches if lead(match) <= 0), key=lead, default=None)
