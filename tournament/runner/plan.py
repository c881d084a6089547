"""The plan of a run: pairings, replicas, and estimates of time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

from tournament.artifacts.bot import Entrant, plays_as
from tournament.artifacts.python_artifact import legs_may_share
from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.contests.scoring import HousePlayer
from tournament.contests.settings import ContestSettings
from tournament.cores import cores
from tournament.errors import InputError
from tournament.keys import master_key
from tournament.leg import PROCESSES
from tournament.runner.archives import IncompatibleRecords
from tournament.runner.pace import Pace
from tournament.runner.prepare import Prepared
from tournament.runner.resume import make_field
from tournament.runner.schedule.counting import reconcile
from tournament.runner.schedule.fixtures import ONE_REPLICA, Competitor, Replicas
from tournament.runner.schedule.legs import AgainstHouse, RoundRobin, Schedule
from tournament.runner.schedule.limits import too_few_authors, too_many
from tournament.runner.schedule.recorded import extend_with_played_replicas
from tournament.runner.schedule.rounds import Round, next_round
from tournament.runner.self_play import prepare_self_play
from tournament.store.field import Batch, ContestSetup, Until
from tournament.store.reading import read_records
from tournament.store.storage import open_storage


@dataclass(frozen=True)
class Plan:
    """The legs that a run would play, and estimates of games, seconds and bytes.

    Attributes:
        legs: Number of legs that are still to play.
        total_legs: Number of legs of the schedule. For a run until the order is settled it is that of the next round.
        games: Estimated number of games of the legs to play.
        seconds: Estimated wall-clock seconds that all workers take for them.
        size: Estimated bytes of their records.
        workers: Number of simultaneous tasks: the setting, otherwise one for each core of this machine.
        paced: Whether the seconds follow from the speed of earlier runs. False by default.
        last: Whether no round follows. True by default.
        outdated: Number of recorded legs of bots that changed or left; 0 if all records go to an archive.
        unlike: Records that go to an archive, with the reasons; None if they fit.
    """

    legs: int
    total_legs: int
    games: int
    seconds: float
    size: int
    workers: int
    paced: bool = False
    last: bool = True
    outdated: int = 0
    unlike: IncompatibleRecords | None = None


def make_plan(prepared: Prepared) -> Plan:
    """Return what a run would play now, self-play included. Nothing is changed.

    Only legs, games, seconds and bytes include self-play. The other fields are those of the contest itself.

    Raises:
        InputError: A limit of schedules is exceeded, there are too few authors for a table, or the location is an
            invalid URL.
        RunError: The records can't be read.
    """
    plan = _plan_contest(prepared)
    if not prepared.config.contest.self_play:
        return plan
    more = _plan_contest(prepare_self_play(prepared))
    return replace(
        plan,
        legs=plan.legs + more.legs,
        total_legs=plan.total_legs + more.total_legs,
        games=plan.games + more.games,
        seconds=plan.seconds + more.seconds,
        size=plan.size + more.size,
    )


def _plan_contest(prepared: Prepared) -> Plan:
    """Return what a run would play now, without self-play.

    Raises:
        InputError: A limit of schedules is exceeded, there are too few authors for a table, or the location is an
            invalid URL.
        RunError: The records can't be read.
    """
    contest, config = prepared.contest, prepared.config
    seed = config.contest.seed
    assert seed is not None
    storage = open_storage(prepared.location)
    records = read_records(storage)
    field = make_field(
        contest,
        prepared.settings,
        prepared.entrants,
        prepared.house,
        records.field,
        until_from_settings(config.contest),
        config.authors,
    )
    schedule_with = partial(
        make_schedule,
        contest,
        config.contest.playing(),
        master_key(seed),
        field,
        against_copies=prepared.against_copies,
    )
    standing = (*records.batches, *records.waiting)
    this = round_to_play(contest, config.contest, field, schedule_with, standing)
    schedule = extend_with_played_replicas(schedule_with, this.replicas, standing)
    # Committed legs of bots that have changed or left don't count: a run removes them first.
    reconciliation = reconcile(standing, schedule)
    reconciliation.exclude(set_aside_in(field))
    sessions = schedule.sessions_per_leg
    games = int(len(reconciliation.missing) * sessions * contest.estimates.games(config.contest))
    starts = starts_per_leg(
        schedule, artifacts_by_sha256(prepared.entrants, prepared.house), config.sandbox.legs_per_process
    )
    pace = new_pace(contest, config, worker_count(config), sessions, starts)
    paced = pace.learn(standing)
    seconds = pace.seconds_for(reconciliation.inline, reconciliation.in_lanes)
    unlike = prepared.incompatible_records()
    return Plan(
        len(reconciliation.missing),
        reconciliation.total,
        games,
        seconds,
        int(games * contest.estimates.bytes),
        pace.workers,
        paced,
        this.done,
        0 if unlike else sum(len(batch.legs) for batch in standing) - reconciliation.done,
        unlike,
    )


def round_to_play(
    contest: Contest,
    settings: ContestSettings,
    field: ContestSetup,
    schedule_with: Callable[[Replicas], Schedule],
    batches: Sequence[Batch],
) -> Round:
    """Return the round to play now: the only one of a fixed number of replicas, or the next one.

    Args:
        contest: Contest of the field.
        settings: Settings of the contest, with the number of replicas.
        field: Field of the run. Its `until` is None for a fixed number of replicas.
        schedule_with: Called with the replicas of each match; returns the field's schedule.
        batches: The committed batches.

    Raises:
        InputError: `schedule_with` raises it, because a limit of schedules is exceeded.
    """
    if field.until is None:
        return Round(Replicas(settings.replicas), done=True)
    scoring = contest.house.scoring if contest.house else None
    return next_round(field, scoring, schedule_with, batches)


def set_aside_in(field: ContestSetup) -> set[str]:
    """Return the names of bots that play nothing in this run, though their recorded games count."""
    return {one.name for one in field.entrants if one.set_aside}


def until_from_settings(settings: ContestSettings) -> Until | None:
    """Return when a run until the order is settled stops, or None for a run of a fixed number of replicas."""
    if settings.until_settled is None:
        return None
    return Until(settings.until_settled, settings.replicas, settings.max_replicas, settings.tie_margin)


def artifacts_by_sha256(entrants: Sequence[Entrant], house: Sequence[HousePlayer]) -> dict[str, bytes]:
    """Return the contents of bots and house players, by sha256. Bots that aren't built or can't play are omitted."""
    artifacts = {e.artifact_sha256: e.artifact for e in entrants if e.artifact is not None and e.artifact_sha256}
    return artifacts | {player.sha256: player.content for player in house}


def make_schedule(
    contest: Contest,
    settings: dict[str, object],
    key: bytes,
    field: ContestSetup,
    replicas: Replicas = ONE_REPLICA,
    fingerprint: str = "",
    only_entrant: str | None = None,
    paired: bool = False,
    against_copies: bool = False,
) -> Schedule:
    """Return the schedule of a field. Entrants without an artifact play nothing.

    Args:
        contest: Contest of the field.
        settings: Settings on which games depend.
        key: Master key of the seed.
        field: Field of the records or of the run.
        replicas: Replicas of each match, by default one.
        fingerprint: Fingerprint of the seed, which suffices to list fixtures without the key. "" to derive it.
        only_entrant: Name of the entrant whose matches alone are played, or None for all. Against house players it has
            no effect by itself.
        paired: Whether all versions of that entrant meet the same deals, which no contest has.
        against_copies: Whether each entrant plays only its copy.

    Raises:
        InputError: There are too many entrants or legs, or too few authors for a table. Contests with house players
            aren't checked.
    """
    mates = field.settings.get("table_mates", "any") != "any"
    entrants = [
        Competitor(e.number, e.name, plays_as(e.kind), e.artifact, e.author if mates else "", e.is_house)
        for e in field.entrants
        if e.artifact
    ]
    house = [Competitor(player.number, player.name, "house", player.sha256) for player in field.house]
    shared_args = (contest.engine_version, replicas, fingerprint, only_entrant if paired else None)
    if contest.house:
        return AgainstHouse(contest.rules, settings, key, entrants, house, *shared_args)
    seats, tables = contest.seats_of(settings), cast("int | None", field.settings.get("tables"))
    schedule = RoundRobin(
        contest.rules,
        settings,
        key,
        entrants,
        (),
        *shared_args,
        only_entrant,
        seats,
        tables,
        against_copies,
        contest.first_by_name,
    )
    if problem := too_many(schedule) or too_few_authors(schedule):
        raise InputError(f"{contest.name}: {problem}")
    return schedule


def worker_count(config: Config) -> int:
    """Return the number of simultaneous workers on this machine: the setting, or if it is unset the number of cores."""
    return config.general.workers or cores()


def new_pace(
    contest: Contest, config: Config, workers: int, sessions_per_leg: int, starts_per_leg: float = 0.0
) -> Pace:
    """Return a pace without measurements, by the contest's estimates. It starts now.

    Args:
        contest: Contest to play.
        config: Settings of the folder.
        workers: Number of simultaneous tasks.
        sessions_per_leg: Number of sessions of a leg.
        starts_per_leg: Mean number of unshared processes that a leg with processes starts. 0.0 by default.
    """
    games = contest.estimates.games(config.contest)
    return Pace(workers, sessions_per_leg, games, contest.estimates.rate, starts_per_leg)


def starts_per_leg(schedule: Schedule, artifacts: Mapping[str, bytes], legs_per_process: int) -> float:
    """Return the mean number of unshared processes that a leg with processes starts, or 0.0 if there are none.

    Args:
        schedule: Schedule of the field.
        artifacts: Contents of bots, by sha256. Python bots whose content is missing count as shared.
        legs_per_process: Number of legs that a shared process plays. With 1, no process is shared.
    """
    legs = starts = 0
    own = {
        player.name
        for player in schedule.competitors
        if player.kind == "program"
        or (
            player.kind == "python"
            and player.artifact in artifacts  # A bot that is set aside might have none.
            and not (legs_per_process > 1 and legs_may_share(artifacts[player.artifact]))
        )
    }
    for match in schedule.matches() if own else ():
        if any(seat.kind in PROCESSES for seat in match.seats):
            legs += 1
            starts += sum(seat.name in own for seat in match.seats)
    return starts / legs if legs else 0.0
