"""One contest from settings to standings."""

from __future__ import annotations

import signal
import threading
import time
import uuid
from bisect import bisect
from collections.abc import Iterator, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.entrants.bot import Entrant
from tournament.entrants.build import build_entrants, playable
from tournament.executors import choose_executor
from tournament.play import Receipt, Task
from tournament.problems import RunFailed
from tournament.results import counted, write_summaries
from tournament.schedule import ENGINE_VERSION, Competitor, Leg, RoundRobin
from tournament.standings import Standings, work_out
from tournament.store.ledger import (
    Batch,
    Field,
    FieldEntrant,
    LegResult,
    Writer,
    batch_name,
    open_for_writing,
    read_state,
    standing_batches,
    without_legs,
)
from tournament.store.parts import rewrite_without, sha256_of
from tournament.store.root import FolderRoot, explain_write_error, inside, open_root

# How long a batch plays: short at first, so that there is something to see, then long enough
# for its overhead not to matter.
_FIRST_SECONDS, _LONGEST_SECONDS = 0.25, 2.0
# Before anything is measured: games a second on one core, games in a session.
_GUESSED_PACE, _GUESSED_GAMES = 3e6, 12.0
_SUMMARY_SECONDS = 5.0
_WORTH_MENTIONING = 1e9  # bytes


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


@dataclass
class _Pace:
    """What was learned of speed, to cut batches by."""

    workers: int
    sessions_per_leg: int
    started: float = field(default_factory=time.perf_counter)
    games: int = 0
    sessions: int = 0
    legs: int = 0
    worker_seconds: float = 0.0

    def note(self, receipt: Receipt) -> None:
        self.legs += len(receipt.batch.legs)
        self.games += sum(leg.games for leg in receipt.batch.legs)
        self.sessions += sum(leg.sessions for leg in receipt.batch.legs)
        self.worker_seconds += receipt.seconds

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started

    def leg_seconds(self) -> float:
        """What a leg takes of one worker."""
        pace = self.games / self.worker_seconds if self.games else _GUESSED_PACE
        games = self.games / self.sessions if self.sessions else _GUESSED_GAMES
        return self.sessions_per_leg * games / pace

    def legs_in_batch(self, legs_left: int) -> int:
        seconds = min(_LONGEST_SECONDS, max(_FIRST_SECONDS, self.seconds / 5))
        # Towards the end batches get smaller, so that all workers finish together.
        fair = legs_left / (2 * self.workers)
        return max(1, int(min(seconds / self.leg_seconds(), fair)))


def run_contest(contest: Contest, config: Config, watcher: Watcher) -> Standings:
    """Play what is still to play and return the standings.

    Raises BadInput for what the user can mend, RunFailed when the run stopped
    short; what is committed by then stays, also after KeyboardInterrupt.
    """
    entrants = build_entrants(contest, config.contest, config.entrants, watcher.say)
    fit = playable(entrants)
    location = inside(config.results, contest.name)
    try:
        return _run(contest, config, entrants, fit, location, watcher)
    except OSError as error:
        raise RunFailed(explain_write_error(error, location)) from None


def _run(
    contest: Contest, config: Config, entrants: list[Entrant], fit: list[Entrant], location: str, watcher: Watcher
) -> Standings:
    settings = config.contest.playing()
    _set_other_settings_aside(contest, location, settings, watcher)
    writer = open_for_writing(open_root(location))
    try:
        wanted_field = _field(contest, settings, entrants, writer.state.field)
        numbers = wanted_field.numbers
        schedule = RoundRobin(
            contest.name,
            settings,
            [Competitor(numbers[e.name], e.name, _artifact_sha256(e)) for e in fit],
        )
        standing = _sound_batches(writer, watcher)
        changed = [*_losses(writer, standing), *_adapted(contest, writer, standing, schedule)]
        if changed or wanted_field != writer.state.field:
            writer.commit(field=wanted_field, batches=changed)
        return _play(contest, config, writer, schedule, fit, watcher)
    finally:
        writer.close()


def _artifact_sha256(entrant: Entrant) -> str:
    assert entrant.artifact is not None
    return sha256(entrant.artifact).hexdigest()


def _set_other_settings_aside(contest: Contest, location: str, settings: dict[str, object], watcher: Watcher) -> None:
    """Records of other settings are kept, in a folder beside; a run never throws whole tournaments away."""
    root = open_root(location)
    known = read_state(root).field
    if known is None or (known.settings == settings and known.engine == ENGINE_VERSION):
        return
    differing = [
        f"{key} was {known.settings.get(key)}, is {value}"
        for key, value in settings.items()
        if known.settings.get(key) != value
    ] or [f"games of engine version {known.engine}, this is {ENGINE_VERSION}"]
    if not isinstance(root, FolderRoot):
        raise RunFailed(f"{location} holds records of other settings ({'; '.join(differing)}); name another place")
    root.hold()
    try:
        old = Path(location)
        for number in range(1, 10_000):
            aside = old.with_name(f"{old.name}-before-{number}")
            if not aside.exists():
                old.rename(aside)
                break
    finally:
        root.release()
    watcher.say(f"Other settings than before ({'; '.join(differing)}): the old records are now in {aside}")


def _field(contest: Contest, settings: dict[str, object], entrants: list[Entrant], known: Field | None) -> Field:
    numbers = dict(known.numbers) if known else {}
    for entrant in entrants:
        numbers.setdefault(entrant.name, len(numbers))
    return Field(
        contest=contest.name,
        engine=ENGINE_VERSION,
        settings=settings,
        entrants=tuple(
            FieldEntrant(
                numbers[e.name], e.name, e.kind, e.sha256, _artifact_sha256(e) if e.artifact else None, e.problem
            )
            for e in entrants
        ),
        numbers=numbers,
    )


def _sound_batches(writer: Writer, watcher: Watcher) -> list[Batch]:
    """The standing batches whose parts are what was committed, byte for byte."""
    standing = standing_batches(writer.root, writer.state)
    size = sum(part.size for batch in standing for part in batch.parts)
    if size > _WORTH_MENTIONING:
        watcher.say(f"Checking {size / 1e9:.1f} GB of records…")

    def is_sound(batch: Batch) -> bool:
        return all(sha256_of(writer.root, part) == part.sha256 for part in batch.parts)

    with ThreadPoolExecutor() as pool:
        verdicts = list(pool.map(is_sound, standing))
    for batch, verdict in zip(standing, verdicts):
        if not verdict:
            watcher.say(f"Part {batch.name} is damaged; its {len(batch.legs)} legs are played again")
    return [batch for batch, verdict in zip(standing, verdicts) if verdict]


def _losses(writer: Writer, sound: list[Batch]) -> list[Batch]:
    """The batches that were committed but are no longer whole, as having no legs."""
    whole = {batch.name for batch in sound}
    return [
        without_legs(versions[-1])
        for name, versions in writer.state.batches.items()
        if versions[-1].legs and name not in whole
    ]


def _adapted(contest: Contest, writer: Writer, sound: list[Batch], schedule: RoundRobin) -> list[Batch]:
    """What replaces the batches that don't fit the schedule.

    Legs that no longer count are left out. A batch that has legs on both sides of
    one that is still to play is cut there, so that parts stay in schedule order.
    """
    counting = counted(sound)
    wanted: set[str] = set()
    missing: list[tuple[int, int]] = []
    for leg in schedule.legs():
        wanted.add(leg.digest)
        if leg.digest not in counting:
            missing.append((leg.plan.match, leg.plan.number))
    replacements = []
    for batch in sound:
        runs: dict[int, list[LegResult]] = {}
        for result in batch.legs:
            if result.digest in wanted:
                runs.setdefault(bisect(missing, (result.match, result.number)), []).append(result)
        if len(runs) == 1 and sum(map(len, runs.values())) == len(batch.legs):
            continue
        replacements.append(without_legs(batch))
        replacements += [_cut_out(contest, writer, batch, tuple(legs)) for legs in runs.values()]
    return replacements


def _cut_out(contest: Contest, writer: Writer, batch: Batch, kept: tuple[LegResult, ...]) -> Batch:
    """A batch of some of a batch's legs, staged."""
    assert writer.state.field is not None
    columns = {"games": contest.games, "sessions": contest.sessions}
    name = batch_name(kept[0].match, kept[0].number, (leg.digest for leg in kept))
    per_leg = int(writer.state.field.settings["sessions"])
    dropped = [(leg.match, leg.number * per_leg, (leg.number + 1) * per_leg) for leg in batch.legs if leg not in kept]
    parts = tuple(
        replace(
            rewrite_without(
                writer.root, part, columns[part.table], dropped, f"staging/{name}-{uuid.uuid4().hex}-{part.table}"
            ),
            name=f"{name}.parquet",
        )
        for part in batch.parts
    )
    return Batch(name, parts, kept)


def _play(
    contest: Contest, config: Config, writer: Writer, schedule: RoundRobin, fit: list[Entrant], watcher: Watcher
) -> Standings:
    played = standing_batches(writer.root, writer.state)
    done = counted(played)
    total = schedule.total()
    to_play = total - len(done)
    assert writer.state.field is not None

    def standings() -> Standings:
        assert writer.state.field is not None
        return work_out(writer.state.field, played)

    ranking = standings()
    write_summaries(writer.root, ranking)
    if to_play == 0:
        watcher.say("Every match of these entrants is in the records; nothing to play")
        return ranking
    sessions = config.contest.sessions
    estimate = to_play * sessions * _GUESSED_GAMES / _GUESSED_PACE
    general = config.general
    if general.executor == "ray":
        watcher.say("Starting Ray…")
    executor = choose_executor(general.executor, general.workers, general.address, estimate)
    pace = _Pace(executor.workers, sessions)
    artifacts = {_artifact_sha256(entrant): entrant.artifact for entrant in fit if entrant.artifact is not None}
    tasks = _tasks(contest, config, writer, schedule, done, pace)
    # Working out standings takes long in large fields, so it waits for a multiple of what it took.
    ranked = summarised = time.perf_counter()
    ranking_seconds = 0.0
    receipts = executor.play(tasks, artifacts)
    try:
        for receipt in receipts:
            with uninterrupted():
                writer.commit(batches=[receipt.batch])
                played.append(receipt.batch)
                pace.note(receipt)
            now = time.perf_counter()
            if now - ranked > 20 * ranking_seconds:
                ranking = standings()
                ranked = time.perf_counter()
                ranking_seconds = ranked - now
                if now - summarised > _SUMMARY_SECONDS:
                    write_summaries(writer.root, ranking)
                    summarised = now
            left = (to_play - pace.legs) * pace.leg_seconds() / executor.workers
            watcher.done(Progress(len(done) + pace.legs, total, pace.games, pace.seconds, left, ranking))
    finally:
        receipts.close()
        ranking = standings()
        if writer.root.still_held():  # who took over writes his own
            write_summaries(writer.root, ranking)
    return ranking


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait until the block is done. Only the main thread gets it, so elsewhere nothing is to do."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    interrupts: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: interrupts.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if interrupts:
        raise KeyboardInterrupt


def _tasks(
    contest: Contest, config: Config, writer: Writer, schedule: RoundRobin, done: Set[str], pace: _Pace
) -> Iterator[Task]:
    """Batches of the legs not yet done, cut where one that is done lies between: parts stay in schedule order."""
    left = schedule.total() - len(done)
    batch: list[Leg] = []
    room = 0
    for leg in schedule.legs():
        played = leg.digest in done
        if batch and (played or len(batch) == room):
            left -= len(batch)
            yield Task(contest.name, config.contest.playing(), writer.root.location, tuple(batch))
            batch = []
        if not played:
            room = room if batch else pace.legs_in_batch(left)
            batch.append(leg)
    if batch:
        yield Task(contest.name, config.contest.playing(), writer.root.location, tuple(batch))
