"""Limits of schedules: entrants, legs, and authors."""

from __future__ import annotations

import math

from tournament.errors import pluralize
from tournament.leg import MAX_SEATS
from tournament.runner.schedule.legs import RoundRobin
from tournament.store.leg_result import MATCH_BOUND

_MAX_LEGS = 1_000_000  # limit for all combinations of three and more


def too_many(schedule: RoundRobin) -> str:
    """Return the first limit that a schedule exceeds, as text with the fix, or "" if it exceeds none.

    All schedules need enough house bots and at most 64 seats. Two more limits hold for combinations of three and more
    of the entrants. They have at most a million legs, unless one entrant plays in all, and a limit of match numbers.
    Drawn tables and a match of all entrants have neither.
    """
    entrants, seats, house = len(schedule.entrants), schedule.seat_count, len(schedule.house_bots)
    if house < schedule.house_seats:
        return (
            f"house_seats: {schedule.house_seats} of each table, and the house has {pluralize(house, 'bot')} that can"
            " play; put as many bots into its folder"
        )
    if seats > MAX_SEATS:
        return f"a match has at most {MAX_SEATS} seats, and there are {entrants:,} bots; move some of them away"
    if schedule.seats is None or seats < 3:
        return ""
    if schedule.tables is not None:
        return ""
    if schedule.of is None:
        tables = math.comb(entrants, seats - schedule.house_seats) * math.comb(house, schedule.house_seats)
        legs = tables * schedule.legs_per_replica * schedule.replicas.of_all
        if legs > _MAX_LEGS:
            return (
                f"{entrants:,} bots on {seats} seats have {legs:,} legs, of at most {_MAX_LEGS:,};"
                " set tables = 20, and each bot hosts 20 matches"
            )
    highest = max((competitor.number for competitor in schedule.competitors), default=0)
    if math.comb(highest + 1, seats) > MATCH_BOUND:
        return f"bots have had {highest + 1:,} names, too many to number matches of {seats}; set tables = 20"
    return ""


def too_few_authors(schedule: RoundRobin) -> str:
    """Return the problem, as text with the fix, if no table can be drawn without two bots of one author.

    It is "" if there are enough authors, or tables aren't drawn. An entrant whose author is "" counts as an author of
    its own. House bots aren't counted.
    """
    authors = {
        player.author or f" {player.name}" for player in map(schedule.competitors.__getitem__, schedule.entrants)
    }
    if schedule.tables is None or len(authors) >= schedule.seat_count - schedule.house_seats:
        return ""
    return (
        f'table_mates = "other_authors": a table of {schedule.seat_count} needs bots of {schedule.seat_count} authors,'
        f" and these {len(schedule.competitors):,} bots are of {len(authors)}; wait for more, or remove the setting"
    )
