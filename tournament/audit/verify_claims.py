"""Whether what the ledger says of legs follows from its field, and what is still to be played. No games are read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from tournament.audit.recount import name_of
from tournament.audit.report import Problem, plays_again
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.leg import PROCESSES
from tournament.runner.planning import round_to_play, schedule_of
from tournament.runner.schedule.counting import count_legs, fixtures_of
from tournament.runner.schedule.legs import ONE_OF_EACH, Fixture, Replicas, Schedule
from tournament.runner.schedule.recorded import keeping_what_was_played, recorded_replicas
from tournament.standings.without_luck import LuckOfLegs
from tournament.store.ledger import Batch, Field
from tournament.store.legs import LegResult


def leg_problems(contest: Contest, field: Field, settings: ContestSettings, batches: Sequence[Batch]) -> list[Problem]:
    """Legs that the field's settings and players don't give, and faults that they can't have."""
    schedule = _schedule(contest, field, settings)
    per_leg = schedule.sessions_per_leg
    problems = []
    for batch in batches:
        legs, confined = batch.legs, False
        for place, fixture in enumerate(fixtures_of(legs, schedule)):
            wrong = [fixture] if isinstance(fixture, str) else []
            if legs.rest[place].faults:
                wrong += _wrong_faults(legs[place], settings.faults_allowed, per_leg)
            confined |= isinstance(fixture, Fixture) and not PROCESSES.isdisjoint((fixture.x.kind, fixture.y.kind))
            problems += [Problem("ledger", f"has {name_of(legs[place])} {what}", plays_again(batch)) for what in wrong]
        if confined and not batch.sandbox:
            what = f"says of no sandbox of {batch.name}, in which processes play"
            problems.append(Problem("ledger", what, f"remove {batch.parts[0].place}, and {plays_again(batch)}"))
    return problems


def _wrong_faults(leg: LegResult, allowed: int, sessions: int) -> Iterator[str]:
    first = leg.number * sessions
    if any(not first <= fault.session < first + sessions for fault in leg.faults):
        yield "with a fault in a session that is none of its own"
    if leg.ended_by is None and any(leg.fault_count(seat) > allowed for seat in range(len(leg.sums))):
        yield f"with more faults than the {allowed} that are allowed, and not ended by them"


def legs_still_to_play(
    contest: Contest, field: Field, settings: ContestSettings, batches: Sequence[Batch], luck: LuckOfLegs
) -> list[str]:
    """A note of legs that a run with these settings would play now, if there are any."""
    schedule_with = partial(_schedule, contest, field, settings)
    this = round_to_play(contest, settings, field, schedule_with, batches, luck if contest.luck else None)
    schedule = keeping_what_was_played(schedule_with, this.replicas, batches)
    found = count_legs(batches, schedule)
    if this.done and not len(found.missing):
        return []
    still = f"{len(found.missing):,} of {found.total:,} legs are still to be played"
    return [still if len(found.missing) else this.said]


def probation_problems(
    contest: Contest, field: Field, settings: ContestSettings, batches: Sequence[Batch]
) -> list[Problem]:
    """Legs that don't count, since one of their bots was disqualified in its first."""
    several = [batch.legs for batch in batches]
    if all(rest.ended_by is None for legs in several for rest in legs.rest):
        return []
    schedule_with = partial(_schedule, contest, field, settings)
    schedule = schedule_with(recorded_replicas(batches, schedule_with().legs_per_replica))
    found = count_legs(batches, schedule)
    out = found.probation.out
    beyond = [
        digest
        for legs in several
        for digest, x, y in zip(legs.digests, legs.x, legs.y)
        if digest not in found.counting and (x in out or (not schedule.house and y in out))
    ]
    if not beyond:
        return []
    what = f"has {len(beyond):,} legs beyond the first of {', '.join(sorted(out))}, disqualified in that one"
    return [Problem("ledger", what, "tournament run takes them out")]


def _schedule(contest: Contest, field: Field, settings: ContestSettings, replicas: Replicas = ONE_OF_EACH) -> Schedule:
    """The schedule of a field, whose seed need not be known: its digests follow from the fingerprint."""
    fingerprint = str(field.settings.get("seed"))
    return schedule_of(contest, settings.playing(), b"", field, replicas, fingerprint)
