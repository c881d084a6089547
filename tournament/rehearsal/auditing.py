"""The audit: plays at the minimum and maximum number of seats, and the findings about them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

from pydantic import ValidationError

from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.errors import InputError
from tournament.keys import KEY_BYTES, sub_key
from tournament.rehearsal.finding import Finding
from tournament.rehearsal.foresight import foresight
from tournament.rehearsal.fuzz import fuzz
from tournament.rehearsal.length import cost, length
from tournament.rehearsal.memory import growth, independence
from tournament.rehearsal.plays import MAX_QUESTIONS, MIN_LEGS, Plays, play_at
from tournament.rehearsal.positions import positions
from tournament.rehearsal.twins import twins

FINDINGS: tuple[Callable[[Sequence[Plays]], Iterator[Finding]], ...] = (
    fuzz,
    growth,
    independence,
    positions,
    twins,
    length,
    cost,
)
# Numbers of seats of a contest in which all bots share a table.
_TABLE_SIZES = (2, 8)
# Share of the time for foresight, and the number of draws that it changes no matter how long they take.
_SHARE_OF_FORESIGHT, _MIN_DRAWS = 0.1, 24


def audit(
    contest: Contest,
    settings: ContestSettings,
    minutes: float,
    doing: Callable[[str], None],
    fewest: int = MIN_LEGS,
    seed: str = "",
) -> list[Finding]:
    """Return the findings of an audit, faults first.

    Otherwise those about changed draws come before those of the functions in `FINDINGS`, in their order. Numbers of
    seats are ascending. If rules fail at one of them, draws aren't changed there. Draws are changed only in rules in
    Python.

    Args:
        contest: The contest.
        settings: Settings of the contest. Those of seats, sessions and the seed are replaced.
        minutes: Minutes to play, over all numbers of seats, of which a tenth is for changing draws.
        doing: Called with a short description of the current step.
        fewest: Minimum number of legs at each number of seats, no matter how long they take, by default 12. Also of
            changed draws, up to 24.
        seed: Text from which the deals follow. "" is one, too.

    Raises:
        InputError: Bots play house players.
    """
    if contest.house:
        raise InputError(f"--audit: bots of {contest.title} play house players, not each other; expected other rules")
    drawn = sub_key(bytes(KEY_BYTES), "audit", seed)[:16].hex()
    counts, several = _seat_counts(contest, settings), []
    findings: list[Finding] = []
    seconds = 60 * minutes / len(counts)
    for seats in counts:
        more = {"seats": seats} if isinstance(contest.seats, range) else {}
        chosen, seated = settings.model_copy(update={**more, "seed": drawn}), contest.seated(seats)
        share = (1 - _SHARE_OF_FORESIGHT) * seconds
        several.append(play_at(seated, chosen, seats, share, doing, fewest, MAX_QUESTIONS // len(counts)))
        if contest.new_random_core and not any(leg.failure for leg in several[-1].legs):
            doing(f"{seats} seats, changed draws")
            findings += foresight(seated, chosen, seats, _SHARE_OF_FORESIGHT * seconds, min(fewest, _MIN_DRAWS))
    findings += [finding for find in FINDINGS for finding in find(several)]
    return sorted(findings, key=lambda finding: not finding.is_fault)


def _seat_counts(contest: Contest, settings: ContestSettings) -> list[int]:
    """Return the different numbers of seats to audit, ascending: the minimum, the maximum and that of the settings.

    Numbers that the other settings don't allow are omitted, and those without a seat for an entrant. If all bots share
    a table, they are 2 and 8.
    """
    usual = contest.seats_of(settings.playing())
    if contest.seats == "all":
        return list(_TABLE_SIZES)
    if isinstance(contest.seats, int):
        return [contest.seats]
    counts = {contest.seats[0], contest.seats[-1], usual or contest.seats[0]}
    return sorted(count for count in counts if count > settings.house_seats and _can_seat(settings, count))


def _can_seat(settings: ContestSettings, seats: int) -> bool:
    """Return whether the other settings allow this number of seats. The name of an OpenSpiel game can determine it."""
    with contextlib.suppress(ValidationError):
        type(settings).model_validate(settings.model_dump(exclude_unset=True) | {"seats": seats})
        return True
    return False
