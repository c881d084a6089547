"""Verifying one contest's records."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from pydantic import ValidationError

from tournament.audit.chosen_legs import chosen_legs
from tournament.audit.report import Problem, Verification, reading
from tournament.audit.verify_games import find_players, replay_problems
from tournament.audit.verify_records import (
    batch_problems,
    batches_problems,
    field_problems,
    history_problems,
    house_problems,
    kept_bot_problems,
    stray_problems,
    summary_problems,
)
from tournament.audit.verify_seed import find_seed
from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.cores import cores
from tournament.errors import InputError, RunError, TournamentError, pluralize
from tournament.leg import legs_per_replica
from tournament.records.contest_of import contest_of, is_here
from tournament.records.results import ranking_of
from tournament.records.self_play import recorded_self_play
from tournament.runner.executors.local import LocalExecutor
from tournament.runner.stray_files import in_tables
from tournament.store.field import Batch, ContestSetup
from tournament.store.legs import Legs
from tournament.store.reading import Records, read_records
from tournament.store.storage import Storage, open_storage


class VerificationListener(Protocol):
    """Follows a verification. `checked` gets how much of the `what` is done."""

    def on_message(self, text: str) -> None: ...
    def checked(self, what: str, done: int, total: int) -> None: ...


def verify_contest(
    location: str, config_of: Callable[[str], Config], replay: int | None, listener: VerificationListener
) -> Verification:
    """Read all that is recorded at a location, and play this many of its legs again, None for all.

    A run may go on meanwhile. `config_of` gives the settings of a contest. Raises InputError when there are no records,
    RunError when they can't be read or this machine can't play.
    """
    with reading(location):
        storage = open_storage(location)
        found = _verified(storage, config_of, replay, listener)
        if of_copies := recorded_self_play(storage.location):
            found = found.with_self_play(_verified(of_copies, config_of, replay, listener))
        return found


@dataclass(frozen=True)
class Snapshot:
    """The records at a moment: a run may go on meanwhile. `there`: what lay in the tables before they were read."""

    there: Mapping[str, bool]
    field: ContestSetup
    records: Records

    @classmethod
    def of(cls, storage: Storage) -> Snapshot:
        there, records = in_tables(storage), read_records(storage)
        if records.field is None:
            raise InputError(f"{storage.location} has no results")
        return cls(there, records.field, records)

    @property
    def batches(self) -> Sequence[Batch]:
        return self.records.batches


def _verified(
    storage: Storage, config_of: Callable[[str], Config], replay: int | None, listener: VerificationListener
) -> Verification:
    before = Snapshot.of(storage)
    field, batches = before.field, before.batches
    contest = contest_of(storage.location, field)
    config = _config(config_of, contest) if is_here(contest) else None
    seed, problems, notes = find_seed(storage, config.contest.seed if config else None, field)
    settings = None
    if config is None:
        notes.append(f"the rules {field.game} are not here: sums are not checked, and nothing is played again")
    elif field.engine == contest.engine_version:
        settings = settings_of(contest, field, config, seed)
        contest = contest.under(settings)
    else:
        versions = f"version {field.engine} of {contest.name}, this is {contest.engine_version}"
        notes.append(f"games of {versions}: their sums are not checked")

    def check(batch: Batch) -> list[Problem]:
        return batch_problems(storage, batch, contest, settings)

    damaged = [batch for batch, found in zip(batches, _checked(check, batches, listener)) if found]
    # What was damaged counts if it is still there now.
    after = Snapshot.of(storage)
    problems += [problem for batch in after.batches if batch in damaged for problem in check(batch)]
    problems += batches_problems(after.records)
    of_field = field_problems(storage)
    problems += of_field
    problems += stray_problems(storage, after.there)
    problems += history_problems(storage)
    problems += kept_bot_problems(storage)
    problems += house_problems(storage, after.field, contest.house.suffix if contest.house else None)
    ranking = ranking_of(storage, after.field, after.batches)
    per_replica = 1 if after.field.house_numbers else legs_per_replica(after.field.settings, ranking.seats)
    if not (of_field or after.records.problems or after.records.waiting):
        wrong = summary_problems(storage, after.records, ranking, per_replica)
        if wrong and storage.may_be_locked():
            notes.append(f"a run may go on: {pluralize(len(wrong), 'summary', 'summaries')} behind the records")
        else:
            problems += wrong
    replayed = 0
    if replay != 0 and config and settings and settings.seed is not None:
        sound = [batch for batch in after.batches if batch not in damaged]
        again = _Replay(storage, contest, config, after.field, settings, sound)
        found, replayed, why_not = again.played(replay, listener)
        problems += found
        notes += why_not
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


def _config(config_of: Callable[[str], Config], contest: Contest) -> Config:
    """The settings of a contest, or of that whose rules it has, where it has no table here. Raises InputError."""
    try:
        return config_of(contest.name)
    except InputError:
        return config_of(contest.rules)


def settings_of(contest: Contest, field: ContestSetup, config: Config, seed: str | None) -> ContestSettings:
    """The recorded settings, and those of the folder on which no game depends; with the seed, if it is known. Raises
    RunError when the contest doesn't know them."""
    elsewhere = {key: value for key, value in config.contest if key not in config.contest.playing()}
    try:
        recorded = contest.settings.model_validate(
            {key: field.settings[key] for key in field.settings.keys() - {"seed"}}
        )
    except ValidationError as error:
        raise RunError(f"the recorded settings are none of {contest.name}: {error.errors()[0]['loc'][0]}") from None
    return recorded.model_copy(update=elsewhere | {"seed": seed})


def _checked(
    check: Callable[[Batch], list[Problem]], batches: Sequence[Batch], listener: VerificationListener
) -> Iterator[list[Problem]]:
    """What is wrong with each batch."""
    total, done = sum(part.size for batch in batches for part in batch.parts), 0
    with ThreadPoolExecutor(cores()) as pool:
        for batch, found in zip(batches, pool.map(check, batches)):
            yield found
            done += sum(part.size for part in batch.parts)
            listener.checked("bytes of records", done, total)


@dataclass(frozen=True)
class _Replay:
    """Recorded batches whose legs are played again."""

    storage: Storage
    contest: Contest
    config: Config
    field: ContestSetup
    settings: ContestSettings
    batches: Sequence[Batch]

    def played(self, count: int | None, listener: VerificationListener) -> tuple[list[Problem], int, list[str]]:
        """What differs when this many legs are played again, or all; how many were, and why others could not be."""
        notes: list[str] = []
        try:
            players = find_players(
                self.storage, self.contest, self.config, self.field, self.settings, listener.on_message
            )
        except TournamentError as problem:
            return [], 0, [f"no leg is played again: {problem}"]
        if players.missing:
            gone = ", ".join(sorted(players.missing))
            notes.append(f"not here as they played, so their legs are not played again: {gone}")
        if players.others:
            notes.append(f"not as the entrants folder has them: {', '.join(sorted(players.others))}")
        problems = list(players.problems)
        chosen = chosen_legs(self.batches, players.missing, count, players.schedule.legs_of_deals)
        done, total = 0, sum(len(places) for _, places in chosen)
        executor = LocalExecutor(self.config.general.workers or cores())
        recorded = Legs.joined(batch.legs for batch in self.batches)
        for number, differing in replay_problems(self.contest, self.storage, players, chosen, recorded, executor):
            problems += differing
            listener.checked("legs played again", done := done + number, total)
        return problems, total, notes
