"""Replaying recorded legs as a run would play them, and comparing every column of their rows."""

from __future__ import annotations

import contextlib
import re
import tarfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tournament.arrays import Ints
from tournament.artifacts.archive import recipe_of
from tournament.artifacts.bot import Entrant, Submission
from tournament.artifacts.python_artifact import legs_may_share
from tournament.audit.chosen_legs import Selection, number_deals
from tournament.audit.report import Problem, describe_replay
from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.entrants.build import adapted, build_entrant, build_entrants
from tournament.errors import RunError
from tournament.keys import master_key
from tournament.leg import Leg, Unfit
from tournament.runner.executors import Executor
from tournament.runner.plan import artifacts_by_sha256, make_schedule
from tournament.runner.schedule.counting import find_fixtures
from tournament.runner.schedule.legs import Schedule
from tournament.sandbox.outside.scratch import scratch_folder
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import Column
from tournament.store.field import Batch, ContestSetup, FieldEntrant, Origin, Part
from tournament.store.folder_storage import FolderStorage
from tournament.store.kept_bots import artifact_path, read_bot
from tournament.store.leg_result import Fault, LegResult
from tournament.store.legs import Legs, pair_keys
from tournament.store.parts import read_rows
from tournament.store.storage import FIELD_NAME, Storage, explain_write_error
from tournament.worker.batch import Receipt, Task

# Maximum number of legs that are played as one task and compared in memory.
_MAX_LEGS = 64


@dataclass(frozen=True)
class Players:
    """Everything that is needed to replay legs of a recorded field.

    Attributes:
        settings: Settings of the contest with the seed.
        sandbox: Settings of the sandbox.
        schedule: Schedule of the field.
        origin: Origin of the field's legs.
        artifacts: Artifacts of players by sha256.
        missing: Names of players that played and aren't available.
        differing: Names of bots that differ from the field, or are only in one of the field and the entrants folder.
        problems: Problems of bots that are unchanged, although the field describes them otherwise, by name.
    """

    settings: ContestSettings
    sandbox: SandboxSettings
    schedule: Schedule
    origin: Origin
    artifacts: Mapping[str, bytes]
    missing: frozenset[str]
    differing: frozenset[str]
    problems: tuple[Problem, ...]


def find_players(
    storage: Storage,
    contest: Contest,
    config: Config,
    field: ContestSetup,
    settings: ContestSettings,
    on_message: Callable[[str], None],
    only: Sequence[str] | None = None,
) -> Players:
    """Return the players of a recorded field.

    Unchanged bots come from the entrants folder, others as they are stored with the records.

    Args:
        storage: Storage of the records.
        contest: Contest of the records.
        config: Settings of the folder.
        field: Field of the records.
        settings: Settings of the contest with the seed, which must be known.
        on_message: Called with messages.
        only: Names of the players to return; None for all. With names, a damaged stored bot is an error. Otherwise it
            is only missing.

    Raises:
        InputError: There is no entrants folder, and all players are requested. Or this machine can't build or confine a
            bot, or a house player's file is wrong. Or a limit of schedules is exceeded.
        RunError: A requested stored bot is damaged, or this machine can't build bots.
    """
    assert settings.seed is not None
    recorded_entrants = {e.name: e for e in field.entrants}

    def is_selected(file: Submission) -> bool:
        """Return whether to build a bot: all bots, or only requested ones that haven't changed."""
        return only is None or (file.name in only and field.sha256.get(file.name) == file.sha256)

    entrants: list[Entrant] = []
    if only is None or config.entrants.is_dir():
        entrants = build_entrants(
            contest,
            settings,
            config.sandbox,
            config.entrants,
            on_message,
            is_selected,
            lambda: field.entrants,
            config.house,
        )
    house = contest.house.players(settings, config.folder, on_message) if contest.house else ()
    artifacts = artifacts_by_sha256(entrants, house)
    for entrant in field.entrants:
        if entrant.artifact and entrant.artifact not in artifacts and (only is None or entrant.name in only):
            with contextlib.suppress(*([RunError] if only is None else [])):
                if content := _as_it_played(storage, entrant, contest, settings, config):
                    artifacts[entrant.artifact] = content
    recorded = {e.name: e.artifact for e in field.entrants if e.artifact} | {p.name: p.sha256 for p in field.house}
    current = {e.name: e for e in entrants}
    both = current.keys() & recorded_entrants.keys()
    same = [name for name in both if current[name].sha256 == recorded_entrants[name].sha256]
    return Players(
        settings,
        config.sandbox,
        make_schedule(contest, settings.playing(), master_key(settings.seed), field),
        field.origin,
        artifacts,
        frozenset(name for name, artifact in recorded.items() if artifact not in artifacts),
        frozenset(current.keys() ^ recorded_entrants.keys() | current.keys() - set(same)),
        tuple(
            problem for name in sorted(same) for problem in _entrant_problems(recorded_entrants[name], current[name])
        ),
    )


def _as_it_played(
    storage: Storage, entrant: FieldEntrant, contest: Contest, settings: ContestSettings, config: Config
) -> bytes | None:
    """Return a bot's artifact that is stored with the records, or None if it isn't stored.

    An untrusted person might have written it, so a module is compiled on trial first.

    Raises:
        RunError: The artifact is damaged or isn't one, or this machine can't compile it.
        InputError: This machine can't confine the trial.
    """
    assert entrant.artifact
    content = read_bot(storage, entrant.artifact)
    if content is None:
        return None
    path = f"{storage.location}/{artifact_path(entrant.artifact)}"
    try:
        if entrant.kind == "program":
            recipe_of(content)
        elif entrant.kind == "python":
            legs_may_share(content)
        else:
            module = Submission(entrant.name, "wasm", Path(path), content, entrant.artifact)
            built = build_entrant(module, adapted(contest.interface, settings), settings, config.sandbox)
            if built.problem:
                raise Unfit(built.problem)
    except (Unfit, ValueError, KeyError, TypeError, RecursionError, tarfile.TarError) as problem:
        why = " ".join(str(problem).split())
        raise RunError(f"{path} isn't {entrant.name} as it played: {why}; restore its file") from None
    return content


def _entrant_problems(recorded: FieldEntrant, current: Entrant) -> Iterator[Problem]:
    """Yield what the field claims about an unchanged entrant that its file contradicts: at most two problems.

    The kind comes first, then whether or why it can't play. Reasons are compared as far as records keep them.
    """
    fix = "tournament run repairs it"
    if recorded.kind != current.kind:
        yield Problem(FIELD_NAME, f"says that {recorded.name} is {recorded.kind}, not {current.kind}", fix)
    if (recorded.problem is None) != (current.problem is None):
        claim = "plays, and it can't" if recorded.problem is None else "can't play, and it can"
        yield Problem(FIELD_NAME, f"says that {recorded.name} {claim}", fix)
    elif recorded.problem != (current.problem and replace(recorded, problem=current.problem).bounded().problem):
        yield Problem(FIELD_NAME, f"gives another reason why {recorded.name} can't play than it has here", fix)


def replay_problems(
    contest: Contest, storage: Storage, players: Players, selected: Selection, recorded: Legs, executor: Executor
) -> Iterator[tuple[int, list[Problem]]]:
    """Replay legs, and yield the number of legs compared, and their differences, in the order in which tasks end.

    Legs that the schedule doesn't have come last.

    Args:
        contest: Contest of the records.
        storage: Storage of the records.
        players: Players of the field.
        selected: Legs to replay.
        recorded: All legs of the records.
        executor: Plays the legs.

    Yields:
        The number of legs compared in a task, and their differences. The number is 0 if the task failed, so that none
        of its legs was compared.

    Raises:
        RunError: This machine can't play the legs, or a part is missing or damaged, or can't be written.
        InputError: This machine can't confine a bot.
    """
    share = -(-sum(len(indices) for _, indices in selected) // (4 * executor.workers))
    pieces = [
        (batch, piece)
        for batch, indices in selected
        for piece in _cut(
            number_deals(batch.legs, players.schedule.legs_sharing_deals)[indices], indices, min(share, _MAX_LEGS)
        )
    ]
    with scratch_folder() as folder:
        replay_storage = FolderStorage(str(folder))
        replay_storage.prepare()
        in_play: dict[str, _Replayed] = {}

        def next_task() -> Task | None:
            """Return the next task with legs that the schedule has, or None if there are no more.

            Numbers and problems of tasks without such legs are appended to `alien`.
            """
            while pieces:
                batch, indices = pieces.pop(0)
                replayed = _Replayed.of(batch, batch.legs.take(indices), recorded, players)
                if replayed.legs:
                    in_play[replayed.legs[0].digest] = replayed
                    return _task(contest, players, replay_storage, replayed.legs)
                alien.append((len(indices), replayed.problems))
            return None

        alien: list[tuple[int, list[Problem]]] = []
        played = executor.play(next_task, players.artifacts)
        try:
            for receipts in played:
                for receipt in receipts:
                    if problems := _not_played(receipt):
                        yield 0, problems
                        continue
                    (batch,) = receipt.batches
                    yield in_play.pop(batch.legs.digests[0]).compared(contest, storage, replay_storage, batch)
        except OSError as error:
            raise RunError(explain_write_error(error, replay_storage.location)) from None
        finally:
            played.close()
        yield from alien


def _not_played(receipt: Receipt) -> list[Problem]:
    """Return the problems of legs of a task that weren't replayed: failed rules first, then failed bots.

    If there are any, none of the task's legs is compared.
    """
    failed = [
        Problem(f"match {one.match}", f"can't be replayed: the rules failed in {one}", "repair the rules")
        for one in receipt.failed
    ]
    return failed + [
        Problem(", ".join(one.names), f"can't be replayed: {one.reason}", "run verify again")
        for one in receipt.troubles
    ]


def _cut(deals: Ints, indices: npt.NDArray[np.intp], count: int) -> list[npt.NDArray[np.intp]]:
    """Return indices in pieces of at least `count`, except the last one. Legs with the same deals stay together.

    Args:
        deals: Number of the deals of each index.
        indices: Indices of legs, in order. Without any there is no piece.
        count: Minimum number of legs of a piece.
    """
    ends = np.flatnonzero(np.diff(deals)) + 1
    cuts: list[int] = []
    for end in ends.tolist():
        if end - (cuts[-1] if cuts else 0) >= count:
            cuts.append(end)
    return np.split(indices, cuts) if len(indices) else []


def _task(contest: Contest, players: Players, replay_storage: FolderStorage, legs: Sequence[Leg]) -> Task:
    """Return the task of playing these legs into a storage."""
    settings, sandbox = players.settings.for_workers(), players.sandbox.model_dump()
    return Task(
        contest.name,
        settings,
        sandbox,
        replay_storage.location,
        tuple(legs),
        players.origin.for_players(
            {seat.name for leg in legs for seat in leg.seats}, {leg.house.name for leg in legs if leg.house}
        ),
        contest.rules,
        contest.requires,
        source=contest.source,
    )


@dataclass(frozen=True)
class _Replayed:
    """Recorded legs of a batch that are replayed.

    Attributes:
        batch: The batch.
        recorded: Recorded results of the legs.
        legs: The legs as the schedule has them.
        problems: Problems of other legs, which the schedule doesn't have.
    """

    batch: Batch
    recorded: Legs
    legs: Sequence[Leg]
    problems: list[Problem]

    @classmethod
    def of(cls, batch: Batch, recorded: Legs, all_recorded: Legs, players: Players) -> _Replayed:
        """Return the replay of recorded legs of a batch.

        Args:
            batch: The batch.
            recorded: Legs to replay.
            all_recorded: All legs of the records.
            players: Players of the field.
        """
        fixtures = list(find_fixtures(recorded, players.schedule, all_recorded))
        problems = [
            Problem(batch.parts[1].path, f"has {_leg_name(recorded[index])} {reason}", describe_replay(len(batch.legs)))
            for index, reason in enumerate(fixtures)
            if isinstance(reason, str)
        ]
        scheduled = [index for index, fixture in enumerate(fixtures) if not isinstance(fixture, str)]
        legs = [players.schedule.leg(fixture) for fixture in fixtures if not isinstance(fixture, str)]
        return cls(batch, recorded.take(scheduled), legs, problems)

    def compared(
        self, contest: Contest, storage: Storage, replay_storage: Storage, replayed: Batch
    ) -> tuple[int, list[Problem]]:
        """Return the number of legs compared, and their differences from the records, in order of the legs.

        Problems of legs that the schedule doesn't have come first.

        Args:
            contest: Contest of the records.
            storage: Storage of the records.
            replay_storage: Storage of the replayed batch.
            replayed: The replayed batch.

        Raises:
            FileNotFoundError: A part of the batch was removed.
            OSError: The replayed batch can't be moved or read.
            RunError: A part of the batch is damaged or can't be opened.
        """
        differing: list[list[str]] = [[] for _ in self.legs]
        for old, new in zip(_by_table(self.batch), _by_table(replayed)):
            columns = contest.columns(old.table)
            replay_storage.publish(new.staged, new.path)
            recorded, played = (
                _by_leg(read_rows(place, part, columns), columns, self.legs)
                for place, part in ((storage, old), (replay_storage, new))
            )
            replay_storage.remove(new.path)
            for names, one, other in zip(differing, recorded, played):
                names += [f"{old.table}.{name}" for name in one if one[name] != other[name]]
        for index, (leg, names) in enumerate(zip(self.legs, differing)):
            before, now = self.recorded[index], replayed.legs[index]
            if _faults(before, leg.has_processes) != _faults(now, leg.has_processes):
                names.append("faults")
            if replace(before, faults=()) != replace(now, faults=()):
                names.append("results")
        differences = [
            self._problem(self.recorded[index], self.legs[index], names)
            for index, names in enumerate(differing)
            if names
        ]
        return len(self.legs), self.problems + differences

    def _problem(self, recorded: LegResult, leg: Leg, differing: Sequence[str]) -> Problem:
        """Return the problem of a leg that differs.

        Args:
            recorded: The recorded result.
            leg: The leg as the schedule has it.
            differing: Names of the differing columns, or "faults" and "results", at least one.
        """
        fix = f"remove it, and {describe_replay(len(self.batch.legs))}"
        if leg.has_processes:
            reason = explain_restart(recorded) or "a bot's process reads a clock or ran short of time"
            fix = f"possibly because {reason}; if not, {fix}"
        message = f"has {_leg_name(recorded)} with other {', '.join(differing)}"
        return Problem(self.batch.parts[0].path, message, fix)


def explain_restart(leg: LegResult) -> str:
    """Return how a leg that was aborted and started again can differ from its replay, or "" if it wasn't aborted."""
    return f"it was started {leg.tries} times, and a bot answered differently in a later attempt" * (leg.tries > 1)


def _leg_name(leg: LegResult) -> str:
    """Return a leg as text."""
    return f"match {leg.match}, leg {leg.number} ({leg.title})"


# Numbers in the faults of a process, and in its output, which can differ from replay to replay.
_VARYING = re.compile(r"0x[0-9a-fA-F]+|[0-9]+(?:[.,][0-9]+)*")


def _faults(leg: LegResult, has_processes: bool) -> list[Fault]:
    """Return faults, with each number in those of a process replaced by 0, because it can differ between replays."""
    if not has_processes:
        return list(leg.faults)
    return [
        replace(one, message=_VARYING.sub("0", one.message), last_output=_VARYING.sub("0", one.last_output))
        for one in leg.faults
    ]


def _by_table(batch: Batch) -> list[Part]:
    """Return the parts of a batch, sorted by the name of their table."""
    return sorted(batch.parts, key=lambda part: part.table)


def _by_leg(
    chunks: Iterable[Mapping[str, npt.NDArray[Any]]], columns: Sequence[Column], legs: Sequence[Leg]
) -> list[dict[str, bytes]]:
    """Return the bytes of each column in the rows of each leg, by leg and name. Rows of other legs are omitted.

    Args:
        chunks: Rows by column, a part of them at a time. Errors of reading pass through.
        columns: Columns of the table.
        legs: At least one leg, in order of match and session.
    """
    by_leg: list[dict[str, bytes]] = [{column.name: b"" for column in columns} for _ in legs]
    plans = np.array([(leg.plan.match, leg.plan.first_session) for leg in legs], np.int64)
    starts, length = pair_keys(plans[:, 0], plans[:, 1]), legs[0].plan.sessions
    for rows in chunks:
        keys = pair_keys(rows["match"].astype(np.int64), rows["session"].astype(np.int64))
        leg_indices = np.searchsorted(starts, keys, "right") - 1
        leg_indices[(leg_indices < 0) | (keys >= starts[leg_indices] + 1j * length)] = -1
        for leg in np.unique(leg_indices[leg_indices >= 0]).tolist():
            for name in by_leg[leg]:
                values = rows[name][leg_indices == leg]
                is_name = values.dtype == object
                by_leg[leg][name] += "\n".join(["", *values]).encode() if is_name else values.tobytes()
    return by_leg
