"""What became of a bot: its versions and their standings, and whom it is closest to beating."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tournament.errors import BadInput
from tournament.names import did_you_mean
from tournament.standings.matches import Match
from tournament.standings.standings import Standing, Standings
from tournament.store.ledger import Batch, Field
from tournament.store.ledger_reading import read_former_fields
from tournament.store.storage import Storage


@dataclass(frozen=True)
class Version:
    """A bot's line in the last standings with this content, and how many bots were ranked in them."""

    line: Standing
    ranked: int


def history_of(
    storage: Storage, ranking: Standings, name: str, rank: Callable[[Field, Sequence[Batch]], Standings]
) -> list[Version]:
    """A bot's versions in these records, the oldest first; the last one is that of the `ranking`.

    Raises BadInput for an unknown bot, RunFailed when the ledger can't be read.
    """
    last: list[tuple[str, Field, Sequence[Batch]]] = []
    for field, batches in read_former_fields(storage):
        for entrant in field.entrants:
            if entrant.name == name:
                if last and last[-1][0] == entrant.sha256:
                    last.pop()
                last.append((entrant.sha256, field, batches))
    now = line_of(ranking, name)
    if last and last[-1][0] == now.sha256:
        last.pop()
    return [_version(standings, name) for standings in (*(rank(field, batches) for _, field, batches in last), ranking)]


def _version(standings: Standings, name: str) -> Version:
    return Version(line_of(standings, name), len(standings.ranked))


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
