"""A bot among the others: its line, its matches, and the match that it came closest to winning."""

from __future__ import annotations

from collections.abc import Sequence

from tournament.errors import InputError
from tournament.names import did_you_mean
from tournament.standings.matches import Match
from tournament.standings.standings import Standing, Standings


def find_line(ranking: Standings, name: str) -> Standing:
    """Return the line of a bot.

    Raises:
        InputError: The standings have no such bot.
    """
    by_name = {line.name: line for line in ranking.entrants}
    if name not in by_name:
        raise InputError(f"{name[:200]}: the records have no such bot{did_you_mean(name, by_name, ',')}")
    return by_name[name]


def find_matches(ranking: Standings, name: str) -> list[Match]:
    """Return a bot's matches against ranked bots, the host's bots or house players, with the bot as x.

    The first match is that of the largest lead. A bot that has no rank and isn't the host's has none.

    Raises:
        InputError: The standings have no such bot.
    """
    find_line(ranking, name)
    opponents = {line.name for line in (*ranking.ranked, *ranking.house_bots)} | set(ranking.house)
    return sorted(
        (side for side in ranking.sides if side.x == name and {name, side.y} <= opponents), key=lambda side: -lead(side)
    )


def lead(match: Match) -> float:
    """Return by how much x is ahead of y, in points per session: the difference of their points."""
    return (match.points_0 - match.points_1) / max(1, match.sessions)


def closest_to_beating(matches: Sequence[Match]) -> Match | None:
    """Return the match that the bot came closest to winning, or None if it won every match or there is none.

    A drawn match isn't won. Of equally close matches it is the first one.

    Args:
        matches: Matches with the bot as x.
    """
    return max((match for match in matches if lead(match) <= 0), key=lead, default=None)
