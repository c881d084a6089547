"""Verification of one contest's records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from pydantic import ValidationError

from tournament.audit.chosen_legs import select_legs
from tournament.audit.report import Problem, Verification, reading
from tournament.audit.verify_games import find_players, replay_problems
from tournament.audit.verify_records import (
    batch_problems,
    batches_problems,
    field_problems,
    history_problems,
    house_problems,
    stored_bot_problems,
    summary_problems,
    unexpected_files,
)
from tournament.audit.verify_seed import find_seed
from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.cores import cores
from tournament.errors import InputError, RunError, TournamentError, pluralize
from tournament.leg import legs_per_replica
from tournament.records.contest_of import contest_of, is_installed
from tournament.records.results import rank_records
from tournament.records.self_play import recorded_self_play
from tournament.runner.executors.local import LocalExecutor
from tournament.runner.stray_files import in_tables
from tournament.store.field import Batch, ContestSetup
from tournament.store.legs import Legs
from tournament.store.reading import Records, read_records
from tournament.store.storage import Storage, open_storage


class VerificationListener(Protocol):
    """Receives the progress of a verification."""

    def on_message(self, text: str) -> None:
        """Receive a message."""

    def checked(self, what: str, done: int, total: int) -> None:
        """Receive the progress of a check.

        Args:
            what: What is counted: "bytes of records" or "legs replayed".
            done: Number done.
            total: Number to do.
        """


def verify_contest(
    location: str, get_config: Callable[[str], Config], replay: int | None, listener: VerificationListener
) -> Verification:
    """Verify all records at a location, and replay some legs. A run can write to the records at the same time.

    Problems are returned, not raised. The records of self-play are verified, too, if there are any.

    Args:
        location: Folder or URL of the records.
        get_config: Called with the name of a contest; returns its settings, or raises InputError.
        replay: Number of random legs to replay, and as many of self-play. None for all, and 0 for none. Legs that share
            deals with these are replayed, too.
        listener: Receives the progress.

    Raises:
        InputError: There are no records or settings, the location is an invalid URL, or this machine can't confine a
            bot. The same is raised if bots play house players, and the rules aren't installed.
        RunError: The records can't be read, lack facts of house players or have an unknown setting, or this machine
            can't play.
    """
    with reading(location):
        storage = open_storage(location)
        verification = _verified(storage, get_config, replay, listener)
        if self_play := recorded_self_play(storage.location):
            verification = verification.with_self_play(_verified(self_play, get_config, replay, listener))
        return verification


@dataclass(frozen=True)
class Snapshot:
    """The records at one moment, because a run can write to them at the same time.

    Attributes:
        entries: Whether each entry of the tables' folders is a file, by path, before they were read.
        field: Field of the records.
        records: The records.
    """

    entries: Mapping[str, bool]
    field: ContestSetup
    records: Records

    @classmethod
    def of(cls, storage: Storage) -> Snapshot:
        """Return the records of a storage now.

        Raises:
            InputError: There are no records.
            RunError: The records or the tables' folders can't be read.
            OSError: A file can't be read.
        """
        entries, records = in_tables(storage), read_records(storage)
        if records.field is None:
            raise InputError(f"{storage.location} has no results")
        return cls(entries, records.field, records)

    @property
    def batches(self) -> Sequence[Batch]:
        """Batches that count, sorted by name."""
        return self.records.batches


def _verified(
    storage: Storage, get_config: Callable[[str], Config], replay: int | None, listener: VerificationListener
) -> Verification:
    """Return the verification of the records in a storage.

    Args:
        storage: Storage of the records.
        get_config: Called with the name of a contest; returns its settings.
        replay: Number of legs to replay; None for all.
        listener: Receives the progress.

    Raises:
        InputError: There are no records or settings, this machine can't confine a bot, or the rules of house players
            aren't installed.
        RunError: The records can't be read, lack facts of house players or have an unknown setting, or this machine
            can't play.
        OSError: A file can't be read.
    """
    before = Snapshot.of(storage)
    field, batches = before.field, before.batches
    contest = contest_of(storage.location, field)
    config = _config(get_config, contest) if is_installed(contest) else None
    seed, problems, notes = find_seed(storage, config.contest.seed if config else None, field)
    settings = None
    if config is None:
        notes.append(f"the rules {field.game} aren't installed, so sums aren't checked and legs aren't replayed")
    elif field.engine == contest.engine_version:
        settings = merge_settings(contest, field, config, seed)
        contest = contest.under(settings)
    else:
        versions = f"version {field.engine} of {contest.name}, and this is {contest.engine_version}"
        notes.append(f"the games have {versions}, so their sums aren't checked")

    def check(batch: Batch) -> list[Problem]:
        """Return the problems of a batch.

        Raises:
            FileNotFoundError: A part is removed while it is read.
            OSError: A part can't be read.
            RunError: A part can't be opened.
        """
        return batch_problems(storage, batch, contest, settings)

    damaged = [batch for batch, faults in zip(batches, _checked(check, batches, listener)) if faults]
    # Damage counts only if the part still exists now.
    after = Snapshot.of(storage)
    problems += [problem for batch in after.batches if batch in damaged for problem in check(batch)]
    problems += batches_problems(after.records)
    field_defects = field_problems(storage)
    problems += field_defects
    problems += unexpected_files(storage, after.entries)
    problems += history_problems(storage)
    problems += stored_bot_problems(storage)
    problems += house_problems(storage, after.field, contest.house.suffix if contest.house else None)
    ranking = rank_records(storage, after.field, after.batches)
    per_replica = 1 if after.field.house_numbers else legs_per_replica(after.field.settings, ranking.seats)
    if not (field_defects or after.records.problems or after.records.waiting):
        wrong = summary_problems(storage, after.records, ranking, per_replica)
        if wrong and storage.may_be_locked():
            notes.append(
                f"a run might be writing: {pluralize(len(wrong), 'summary', 'summaries')} are behind the records"
            )
        else:
            problems += wrong
    replayed = 0
    if replay != 0 and config and settings and settings.seed is not None:
        undamaged = [batch for batch in after.batches if batch not in damaged]
        replaying = _Replay(storage, contest, config, after.field, settings, undamaged)
        differences, replayed, replay_notes = replaying.played(replay, listener)
        problems += differences
        notes += replay_notes
    return Verification(
        contest.name,
        storage.location,
        len(batches),
        len(before.records.parts),
        sum(part.size for part in before.records.parts),
        sum(len(batch.legs) for batch in batches),
        sum(int(batch.legs.games.sum()) for batch in batches),
        sum(int(batch.legs.sessions.sum()) for batch in batches),
        replayed,
        tuple(notes),
        tuple(problems),
    )


def _config(get_config: Callable[[str], Config], contest: Contest) -> Config:
    """Return the settings of a contest, or those of the contest with the same rules if it has no table here.

    Raises:
        InputError: Neither has valid settings.
    """
    try:
        return get_config(contest.name)
    except InputError:
        return get_config(contest.rules)


def merge_settings(contest: Contest, field: ContestSetup, config: Config, seed: str | None) -> ContestSettings:
    """Return the recorded settings, with the seed and those settings of the folder that don't affect games.

    Args:
        contest: Contest of the records.
        field: Field of the records.
        config: Settings of the folder.
        seed: The seed; None if unknown.

    Raises:
        RunError: The contest doesn't know a recorded setting, or refuses its value.
    """
    local = {key: value for key, value in config.contest if key not in config.contest.playing()}
    try:
        recorded = contest.settings.model_validate(
            {key: field.settings[key] for key in field.settings.keys() - {"seed"}}
        )
    except ValidationError as error:
        raise RunError(
            f"the records have a setting that {contest.name} doesn't know: {error.errors()[0]['loc'][0]}"
        ) from None
    return recorded.model_copy(update=local | {"seed": seed})


def _checked(
    check: Callable[[Batch], list[Problem]], batches: Sequence[Batch], listener: VerificationListener
) -> Iterator[list[Problem]]:
    """Yield the problems of each batch, in order, and report the progress in bytes after each.

    Checks run in threads, as many as there are cores. The first exception of a check is passed on in its batch's turn.
    """
    total, done = sum(part.size for batch in batches for part in batch.parts), 0
    with ThreadPoolExecutor(cores()) as pool:
        for batch, problems in zip(batches, pool.map(check, batches)):
            yield problems
            done += sum(part.size for part in batch.parts)
            listener.checked("bytes of records", done, total)


@dataclass(frozen=True)
class _Replay:
    """Recorded batches whose legs are replayed.

    Attributes:
        storage: Storage of the records.
        contest: The contest under the records' settings.
        config: Settings of the folder.
        field: Field of the records.
        settings: Settings of the contest with the seed.
        batches: The batches.
    """

    storage: Storage
    contest: Contest
    config: Config
    field: ContestSetup
    settings: ContestSettings
    batches: Sequence[Batch]

    def played(self, count: int | None, listener: VerificationListener) -> tuple[list[Problem], int, list[str]]:
        """Replay legs. If the players can't be found, a note says why, and no leg is replayed.

        Args:
            count: Number of legs; None for all.
            listener: Receives the progress.

        Returns:
            The differences, the number of selected legs, and notes about bots that aren't available or differ.

        Raises:
            InputError: This machine can't confine a bot.
            RunError: This machine can't play the legs, or a part is missing, damaged or can't be written.
        """
        notes: list[str] = []
        try:
            players = find_players(
                self.storage, self.contest, self.config, self.field, self.settings, listener.on_message
            )
        except TournamentError as problem:
            return [], 0, [f"no legs are replayed: {problem}"]
        if players.missing:
            missing = ", ".join(sorted(players.missing))
            notes.append(f"not available as they played, so their legs aren't replayed: {missing}")
        if players.differing:
            notes.append(f"different from the entrants folder: {', '.join(sorted(players.differing))}")
        problems = list(players.problems)
        selected = select_legs(self.batches, players.missing, count, players.schedule.legs_sharing_deals)
        done, total = 0, sum(len(indices) for _, indices in selected)
        executor = LocalExecutor(self.config.general.workers or cores())
        recorded = Legs.joined(batch.legs for batch in self.batches)
        for number, differing in replay_problems(self.contest, self.storage, players, selected, recorded, executor):
            problems += differing
            listener.checked("legs replayed", done := done + number, total)
        return problems, total, notes
