"""One contest from settings to standings."""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from tournament.artifacts.bot import Entrant, plays_as
from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.contests.scoring import HousePlayer
from tournament.contests.settings import ContestSettings
from tournament.entrants.build import build_entrants, playable
from tournament.entrants.folder import unrecognised
from tournament.errors import RunFailed
from tournament.keys import master_key
from tournament.leg import Leg
from tournament.runner.archives import archive_other_records
from tournament.runner.batching import Pace
from tournament.runner.executors import choose_executor
from tournament.runner.replicas import keeping_what_was_played
from tournament.runner.resume import (
    batches_to_keep,
    content_sha256,
    field_of,
    lost_batches,
    say_what_leaves,
    write_house_files,
)
from tournament.runner.rewriting import cut_batches, merge_small_batches
from tournament.runner.rounds import Round, Until, next_round, with_verdicts
from tournament.runner.schedule import ONE_OF_EACH, AgainstHouse, Competitor, Replicas, RoundRobin, Schedule
from tournament.runner.seed import keep_seed, recorded_settings, settle_seed
from tournament.standings.results import counted, write_summaries
from tournament.standings.standings import Standings, compute_standings
from tournament.standings.without_luck import Floats, LuckOfLegs, luck_of_batches, read_luck, write_luck
from tournament.store.checks import Checks
from tournament.store.ledger import Batch, Field, FieldEntrant
from tournament.store.ledger_reading import read_field, read_state, standing_batches
from tournament.store.storage import explain_write_error, inside, open_storage
from tournament.store.writer import Writer, open_for_writing, require_held
from tournament.worker.batch import Task

_SUMMARY_SECONDS = 5.0
_LARGE = 1e9  # bytes of records that are announced


@dataclass(frozen=True)
class Progress:
    """How far a run is. Seconds are of play; `games` and legs count what this run played."""

    legs: int
    total_legs: int
    games: int
    seconds: float
    seconds_left: float | None
    standings: Standings


class Watcher(Protocol):
    """Who looks on. `done` gets progress after each commit."""

    def say(self, text: str) -> None: ...
    def done(self, progress: Progress) -> None: ...


class NobodyWatching:
    """A watcher that looks away."""

    def say(self, text: str) -> None:
        pass

    def done(self, progress: Progress) -> None:
        pass


@dataclass(frozen=True)
class Prepared:
    """A contest that can be run: its settings with a seed, its bots built, its house players made.

    `location` is where its records are, or come to be.
    """

    contest: Contest
    config: Config
    entrants: Sequence[Entrant]
    house: Sequence[HousePlayer]
    location: str


def prepare_contest(contest: Contest, config: Config, watcher: Watcher) -> Prepared:
    """Find out whatever can keep a contest from being run, and play nothing.

    Nothing is moved but what a crash left half moved. Raises BadInput for what the
    user can mend, RunFailed for what else is in the way.
    """
    location = inside(config.results, contest.name)
    with _trouble_explained(location):
        storage = open_storage(location)
        storage.check_writable()
        storage.finish_exchange()
        if config.contest.seed is not None:  # else whose seed it is has to be read, see below
            read_field(storage)
        entrants = build_entrants(
            contest,
            config.contest,
            config.sandbox,
            config.entrants,
            watcher.say,
            recorded=lambda: recorded_entrants(contest, config),
        )
        playable(entrants, 1 if contest.house else 2, config.entrants)
        if others := unrecognised(config.entrants):
            watcher.say(f"Not taken for bots in {config.entrants}: {_listed(others)}")
        names = {entrant.name for entrant in entrants}
        config, house = settle_seed(contest, config, names, location, watcher.say)
    return Prepared(contest, config, entrants, house, location)


def recorded_entrants(contest: Contest, config: Config) -> Sequence[FieldEntrant]:
    """Those of the last run that was committed. Raises RunFailed when the records can't be read."""
    location = inside(config.results, contest.name)
    with _trouble_explained(location):
        field = read_field(open_storage(location))
    return field.entrants if field else ()


def _listed(names: Sequence[str], most: int = 10) -> str:
    """Names in a line, the first of them."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


@dataclass(frozen=True)
class Plan:
    """What a run would play: legs, of how many there are, and by what is guessed of them games, seconds and bytes.

    Of a run until the order is settled it is the next round, and `last` says whether no other follows.
    """

    legs: int
    total_legs: int
    games: int
    seconds: float
    size: int
    last: bool = True


def plan_of(prepared: Prepared) -> Plan:
    """What a run would play now. Nothing is changed."""
    contest, config = prepared.contest, prepared.config
    seed = config.contest.seed
    assert seed is not None
    storage = open_storage(prepared.location)
    state = read_state(storage)
    settings = recorded_settings(config.contest, seed)
    field = field_of(contest, settings, prepared.entrants, prepared.house, state.field)
    schedule_with = partial(schedule_of, contest, config.contest.playing(), master_key(seed), *competitors_of(field))
    standing = standing_batches(storage, state) if state.field else []
    # Rounds alone ask for it.
    luck = read_luck(storage, contest) if contest.luck and config.contest.until_settled is not None else None
    this = _round(contest, config.contest, field, schedule_with, standing, luck)
    schedule = keeping_what_was_played(schedule_with, this.replicas, standing)
    # What is committed may have legs that a run takes out first: of bots that have changed or left.
    done = counted(standing) & {fixture.digest for fixture in schedule.fixtures()}
    inline, in_lanes = _legs_to_play(schedule, done)
    sessions = schedule.sessions_per_leg
    games = int((inline + in_lanes) * sessions * contest.estimates.games(config.contest))
    workers = config.general.workers or len(os.sched_getaffinity(0))
    seconds = new_pace(contest, config, workers, sessions).seconds_for(inline, in_lanes)
    return Plan(inline + in_lanes, schedule.total(), games, seconds, int(games * contest.estimates.bytes), this.done)


def run_contest(contest: Contest, config: Config, watcher: Watcher) -> Standings:
    """Play what is still to play and return the standings. Raises as its two halves do."""
    return run_prepared(prepare_contest(contest, config, watcher), watcher)


def run_prepared(prepared: Prepared, watcher: Watcher) -> Standings:
    """Play what is still to play and return the standings.

    Raises BadInput for what the user can mend, RunFailed when the run stopped
    short; what is committed by then stays, also after KeyboardInterrupt.
    """
    with _trouble_explained(prepared.location):
        return _run(prepared, watcher)


@contextlib.contextmanager
def _trouble_explained(location: str) -> Iterator[None]:
    """Where results can't be written or read, the run fails with that for a reason."""
    try:
        yield
    except OSError as error:
        raise RunFailed(explain_write_error(error, location)) from None


def _run(prepared: Prepared, watcher: Watcher) -> Standings:
    contest, config, entrants, house = prepared.contest, prepared.config, prepared.entrants, prepared.house
    location, seed = prepared.location, config.contest.seed
    assert seed is not None
    settings = recorded_settings(config.contest, seed)
    archive_other_records(contest, location, settings, {entrant.name for entrant in entrants}, house, watcher.say)
    writer = open_for_writing(open_storage(location))
    try:
        for name in writer.mended:
            watcher.say(f"{name} was damaged or missing: it is back from its copy")
        wanted_field = field_of(contest, settings, entrants, house, writer.state.field)
        schedule_with = partial(
            schedule_of, contest, config.contest.playing(), master_key(seed), *competitors_of(wanted_field)
        )
        keep_seed(writer.storage, seed)
        write_house_files(contest, config.contest, writer, house)
        artifacts = artifacts_of(entrants, house)
        luck = read_luck(writer.storage, contest) if contest.luck else None
        begun = False
        while True:
            standing = standing_batches(writer.storage, writer.state)
            this = _round(contest, config.contest, wanted_field, schedule_with, standing, luck)
            if this.neighbours:
                watcher.say(this.said)
            schedule = keeping_what_was_played(schedule_with, this.replicas, standing)
            checks = Checks(writer.storage)
            sound, cuts = batches_to_keep(writer, checks, schedule, watcher.say)
            say_what_leaves(writer, cuts, schedule, watcher.say)
            changed = [
                *lost_batches(writer, sound),
                *cut_batches(contest, writer, cuts, schedule.sessions_per_leg),
            ]
            if changed or wanted_field != writer.state.field:
                writer.commit(field=wanted_field, batches=changed)
            standings, luck = _play(contest, config, writer, checks, schedule, artifacts, watcher, luck, begun=begun)
            if this.done:
                return with_verdicts(standings, this.neighbours)
            begun = True
    except FileNotFoundError:
        require_held(writer.storage)  # who took over has swept up what this one was writing
        raise
    finally:
        writer.close()


def _round(
    contest: Contest,
    settings: ContestSettings,
    field: Field,
    schedule_with: Callable[[Replicas], Schedule],
    batches: Sequence[Batch],
    luck: LuckOfLegs | None,
) -> Round:
    """How many replicas to play now."""
    if settings.until_settled is None:
        return Round(Replicas(settings.replicas), done=True)
    until = Until(settings.until_settled, settings.most_replicas, settings.tie)
    scoring = contest.house.scoring if contest.house else None
    judged_by = luck if contest.luck and contest.luck.keeps_means else None
    return next_round(field, scoring, schedule_with, batches, settings.replicas, until, judged_by)


def artifacts_of(entrants: Sequence[Entrant], house: Sequence[HousePlayer]) -> dict[str, bytes]:
    """What plays, by its sha256."""
    artifacts = {e.artifact_sha256: e.artifact for e in entrants if e.artifact is not None and e.artifact_sha256}
    return artifacts | {content_sha256(player): player.content for player in house}


def competitors_of(field: Field) -> tuple[list[Competitor], list[Competitor]]:
    """The entrants of a field that can play, and its house players."""
    return (
        [Competitor(e.number, e.name, plays_as(e.kind), e.artifact) for e in field.entrants if e.artifact],
        [Competitor(player.number, player.name, "house", player.sha256) for player in field.house],
    )


def schedule_of(
    contest: Contest,
    settings: dict[str, object],
    key: bytes,
    entrants: Sequence[Competitor],
    house: Sequence[Competitor],
    replicas: Replicas = ONE_OF_EACH,
) -> Schedule:
    """Who plays whom in a contest whose seed has this master key."""
    if contest.house:
        return AgainstHouse(contest.rules, settings, key, entrants, house, contest.engine_version, replicas)
    return RoundRobin(contest.rules, settings, key, entrants, (), contest.engine_version, replicas)


def _play(
    contest: Contest,
    config: Config,
    writer: Writer,
    checks: Checks,
    schedule: Schedule,
    artifacts: Mapping[str, bytes],
    watcher: Watcher,
    luck: LuckOfLegs | None,
    *,
    begun: bool,
) -> tuple[Standings, LuckOfLegs | None]:
    """Play what is missing of a schedule; returns what is then known of luck as well.

    `luck` is what is known of it, None where the contest has no correction. `begun`: this run has played a round
    before.
    """
    played = standing_batches(writer.storage, writer.state)
    done = counted(played)
    total = schedule.total()
    to_play = total - len(done)
    scoring = contest.house.scoring if contest.house else None
    assert writer.state.field is not None
    house = {player.name: artifacts[player.sha256] for player in writer.state.field.house if player.sha256 in artifacts}

    seen_luck: dict[str, Floats] = {}  # of legs that were played now

    def standings() -> Standings:
        assert writer.state.field is not None
        return compute_standings(writer.state.field, played, scoring, luck)

    def work_out_luck() -> None:
        """What luck was worth in legs of which that isn't known: it is read from their games."""
        nonlocal luck
        if luck is not None:
            noted = luck.keys()
            known = {**luck, **seen_luck}
            luck = luck_of_batches(contest, config.contest, writer.storage, played, known, watcher.say, house)
            if luck.keys() != noted:
                write_luck(writer.storage, contest, luck)

    def summarise() -> None:
        write_summaries(writer.storage, ranking)
        checks.write(played, writer.published)

    if to_play == 0:
        work_out_luck()
    ranking = standings()
    summarise()
    if to_play == 0:
        if not begun:
            watcher.say("Every match of these entrants is in the records; nothing to play")
        return ranking, luck
    sessions = schedule.sessions_per_leg
    general = config.general
    size = to_play * sessions * contest.estimates.games(config.contest) * contest.estimates.bytes
    if size > _LARGE:
        watcher.say(f"This will take about {size / 1e9:.0f} GB of records")
    if general.executor == "ray":
        watcher.say("Starting Ray…")
    inline, in_lanes = _legs_to_play(schedule, done)
    seconds = new_pace(contest, config, 1, sessions).seconds_for(inline, in_lanes)
    executor = choose_executor(general.executor, general.workers, general.address, seconds, watcher.say)
    pace = new_pace(contest, config, executor.workers, sessions)
    tasks = _tasks(contest, config, writer, schedule, done, pace, inline, in_lanes)
    # Working out standings takes long in large fields, so it waits for a multiple of what it took.
    ranked = summarised = time.perf_counter()
    ranking_seconds = 0.0
    receipts = executor.play(tasks, artifacts)
    try:
        for receipt in receipts:
            played += writer.commit(batches=receipt.batches)
            if luck is not None:
                seen_luck.update(receipt.luck)
            pace.note(receipt)
            pace.workers = executor.workers
            now = time.perf_counter()
            if now - ranked > 20 * ranking_seconds:
                ranking = standings()
                ranked = time.perf_counter()
                ranking_seconds = ranked - now
                if now - summarised > _SUMMARY_SECONDS:
                    summarise()
                    summarised = now
            left = pace.seconds_for(inline - (pace.legs - pace.legs_in_lanes), in_lanes - pace.legs_in_lanes)
            watcher.done(Progress(len(done) + pace.legs, total, pace.games, pace.seconds, left, ranking))
        if done:  # so that a first run doesn't write twice
            merge_small_batches(contest, writer, checks, schedule, watcher.say)
        writer.require_whole()
        played = standing_batches(writer.storage, writer.state)
        work_out_luck()
    finally:
        receipts.close()
        played = standing_batches(writer.storage, writer.state)  # what is told in the end is what is there
        ranking = standings()
        if writer.storage.still_held():  # who took over writes his own
            summarise()
    return ranking, luck


def new_pace(contest: Contest, config: Config, workers: int, sessions_per_leg: int) -> Pace:
    """Nothing measured yet, only what the contest expects."""
    return Pace(workers, sessions_per_leg, contest.estimates.games(config.contest), contest.estimates.rate)


def _tasks(
    contest: Contest,
    config: Config,
    writer: Writer,
    schedule: Schedule,
    done: Set[str],
    pace: Pace,
    inline_left: int,
    in_lanes_left: int,
) -> Iterator[Task]:
    """Tasks of the legs not yet done, cut where one that is done lies between: parts stay in schedule order.

    One goes on into another replica only in lanes: the more legs play in step there, the faster each goes.
    """
    settings, sandbox = config.contest.playing(), config.sandbox.model_dump()
    batch: list[Leg] = []
    in_lanes = replica = 0

    def next_task() -> Task:
        nonlocal inline_left, in_lanes_left, batch, in_lanes
        task = Task(
            contest.name,
            settings,
            sandbox,
            writer.storage.location,
            tuple(batch),
            contest.rules,
            contest.requires,
            legs_per_replica=schedule.legs_per_replica,
            with_luck=config.general.address is None,  # other machines may round otherwise
        )
        inline_left -= len(batch) - in_lanes
        in_lanes_left -= in_lanes
        batch = []
        in_lanes = 0
        return task

    for fixture in itertools.chain(schedule.fixtures(), [None]):
        played = fixture is None or fixture.digest in done
        is_another = fixture is not None and replica != (replica := schedule.place(fixture.match, fixture.number)[0])
        if batch and is_another and in_lanes < len(batch):
            yield next_task()
        if not played and fixture is not None:
            batch.append(schedule.leg(fixture))
            in_lanes += fixture.has_processes
        inline = len(batch) - in_lanes
        if batch and (played or pace.batch_is_full(inline, in_lanes, inline_left, in_lanes_left)):
            yield next_task()


def _legs_to_play(schedule: Schedule, done: Set[str]) -> tuple[int, int]:
    """How many legs are still to play: of WebAssembly bots alone, and with processes."""
    if all(competitor.kind == "wasm" for competitor in schedule.competitors):
        return schedule.total() - len(done), 0
    in_lanes = [fixture.has_processes for fixture in schedule.fixtures() if fixture.digest not in done]
    return in_lanes.count(False), in_lanes.count(True)
