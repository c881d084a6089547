"""The audit: plays at the fewest and the most seats, and what all findings make of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.errors import InputError
from tournament.rehearsal.finding import Finding
from tournament.rehearsal.fuzz import fuzz
from tournament.rehearsal.length import cost, length
from tournament.rehearsal.memory import independence
from tournament.rehearsal.plays import FEWEST_LEGS, Plays, play_at
from tournament.rehearsal.positions import positions
from tournament.rehearsal.twins import twins

FINDINGS: tuple[Callable[[Sequence[Plays]], Iterator[Finding]], ...] = (
    fuzz,
    independence,
    positions,
    twins,
    length,
    cost,
)
_SEATS_OF_ALL = (2, 8)


def audit(
    contest: Contest,
    settings: ContestSettings,
    minutes: float,
    doing: Callable[[str], None],
    fewest: int = FEWEST_LEGS,
) -> list[Finding]:
    """Return what an audit of rules in Python finds, faults first.

    Args:
        contest: The contest.
        settings: Its settings.
        minutes: Minutes to play.
        doing: Shows how far it is.
        fewest: Legs at each number of seats to play however long they take.

    Raises:
        InputError: The rules are a machine's, or play against house players.
    """
    if contest.new_random_core is None or contest.house:
        raise InputError("--audit is for rules in Python in which bots play each other")
    counts = _seat_counts(contest, settings)
    several = [play_at(contest, settings, seats, 60 * minutes / len(counts), doing, fewest) for seats in counts]
    found = [finding for find in FINDINGS for finding in find(several)]
    return sorted(found, key=lambda finding: not finding.is_fault)


def _seat_counts(contest: Contest, settings: ContestSettings) -> list[int]:
    """Return the fewest seats, the most and those of the settings."""
    usual = contest.seats_of(settings.playing())
    if contest.seats == "all":
        return list(_SEATS_OF_ALL)
    if isinstance(contest.seats, int):
        return [contest.seats]
    counts = {contest.seats[0], contest.seats[-1], usual or contest.seats[0]}
    return sorted(count for count in counts if count > settings.house_seats)
