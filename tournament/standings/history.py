"""A bot among the others: its line, its matches, and whom it is closest to beating."""

from __future__ import annotations

from collections.abc import Sequence

from tournament.errors import InputError
from tournament.names import did_you_mean
from tournament.standings.matches import Match
from tournament.standings.standings import Standing, Standings


def line_of(ranking: Standings, name: str) -> Standing:
    """A bot's line. Raises InputError for an unknown one."""
    lines = {line.name: line for line in ranking.entrants}
    if name not in lines:
        raise InputError(f"{name[:200]}: the records have no such bot{did_you_mean(name, lines, ',')}")
    return lines[name]


def matches_of_bot(ranking: Standings, name: str) -> list[Match]:
    """A ranked bot's matches from its side, against ranked bots or house players, the best first."""
    line_of(ranking, name)
    counted = {line.name for line in (*ranking.ranked, *ranking.house_bots)} | set(ranking.house)
    return sorted(
        (side for side in ranking.sides if side.x == name and {name, side.y} <= counted),
        key=lambda side: -lead(side),
    )


def lead(match: Match) -> float:
    """By how much x is ahead of y, in points a session."""
    return (match.points_0 - match.points_1) / max(1, match.sessions)


def closest_to_beating(matches: Sequence[Match]) -> Match | None:
    """Of those that a bot has not beaten the one by the least lead."""
    return max((match for match in matches if lead(match) <= 0), key=lead, default=None)
