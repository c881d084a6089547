"""Verifying one contest's records."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from pydantic import ValidationError

from tournament.audit.report import Problem, Verification
from tournament.audit.verify_games import chosen_legs, find_players, replay_problems
from tournament.audit.verify_records import (
    batch_problems,
    checkpoint_problems,
    house_problems,
    ledger_problems,
    may_be_written_now,
    probation_problems,
    stray_problems,
    summary_problems,
)
from tournament.config import Config
from tournament.contests import find_contest
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.errors import BadInput, RunFailed, TournamentError
from tournament.standings.results import ranking_of
from tournament.store.ledger import Batch, Field
from tournament.store.ledger_reading import read_state, standing_batches
from tournament.store.storage import Storage, open_storage


class Watcher(Protocol):
    """Follows a verification. `checked` gets how much of the `what` is done."""

    def say(self, text: str) -> None: ...
    def checked(self, what: str, done: int, total: int) -> None: ...


class NobodyWatching:
    """A watcher that ignores what it gets."""

    def say(self, text: str) -> None:
        pass

    def checked(self, what: str, done: int, total: int) -> None:
        pass


def verify_contest(location: str, config_of: Callable[[str], Config], replay: int, watcher: Watcher) -> Verification:
    """Read all that is recorded at a location, and play so many of its legs again.

    A run may go on meanwhile. `config_of` gives the settings of a contest. Raises
    BadInput when there are no records, RunFailed when the ledger can't be read or
    this machine can't play.
    """
    try:
        return _verified(open_storage(location), config_of, replay, watcher)
    except OSError as error:
        raise RunFailed(f"{location} can't be read: {error.strerror or error}") from None


def _verified(storage: Storage, config_of: Callable[[str], Config], replay: int, watcher: Watcher) -> Verification:
    state = read_state(storage, from_checkpoint=False)
    if state.field is None:
        raise BadInput(f"{storage.location} holds no results")
    contest = find_contest(state.field.contest, state.field.game)
    entries = state.entries
    problems: list[Problem] = []
    notes: list[str] = []
    settings = None
    if state.field.engine != contest.engine_version:
        notes.append(
            f"games of version {state.field.engine} of {contest.name}, this is {contest.engine_version}:"
            " their sums are not checked"
        )
    else:
        settings = settings_of(contest, state.field)
    batches = list(state.newest().values())
    damaged = _damaged(storage, batches, contest, settings, watcher)
    # A run may go on meanwhile: a problem counts if it is still there now.
    problems += ledger_problems(storage, entries)
    state = read_state(storage, from_checkpoint=False)
    newest = state.newest()
    problems += checkpoint_problems(storage, state)
    for batch in damaged:
        if newest.get(batch.name) == batch:
            problems += batch_problems(storage, batch, contest, settings)
    problems += stray_problems(storage, list(newest.values()))
    assert state.field is not None
    problems += house_problems(storage, state.field, contest.house.suffix if contest.house else None)
    standing_batches(storage, state)  # raises where a leg counts twice
    too_many = probation_problems(contest, settings, state.field, list(newest.values())) if settings else []
    missing, behind = summary_problems(storage, ranking_of(storage, state.field, list(newest.values())))
    problems += missing
    if (behind or too_many) and may_be_written_now(storage):
        notes.append("a run may go on: matches.parquet and its like, or the ledger, are not yet as they will be")
    else:
        problems += too_many + behind
    sound = [batch for batch in newest.values() if batch not in damaged]
    replayed = 0
    if replay and settings is not None:
        found, replayed, why_not = _replay(
            contest, config_of(contest.name), storage, state.field, settings, sound, replay, watcher
        )
        problems += found
        notes += why_not
    return Verification(
        contest.name,
        storage.location,
        entries,
        sum(len(batch.parts) for batch in batches),
        sum(part.size for batch in batches for part in batch.parts),
        sum(len(batch.legs) for batch in batches),
        sum(leg.games for batch in batches for leg in batch.legs),
        sum(leg.sessions for batch in batches for leg in batch.legs),
        replayed,
        tuple(notes),
        tuple(problems),
    )


def settings_of(contest: Contest, field: Field) -> ContestSettings:
    """The recorded settings, but for the seed. Raises RunFailed when the contest doesn't know them."""
    try:
        return contest.settings.model_validate({key: value for key, value in field.settings.items() if key != "seed"})
    except ValidationError as error:
        raise RunFailed(f"the ledger's settings are none of {contest.name}: {error.errors()[0]['loc'][0]}") from None


def _damaged(
    storage: Storage,
    batches: Sequence[Batch],
    contest: Contest,
    settings: ContestSettings | None,
    watcher: Watcher,
) -> list[Batch]:
    """The batches whose parts or sums are wrong."""
    total, done = sum(part.size for batch in batches for part in batch.parts), 0
    damaged = []
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        checks = pool.map(lambda batch: batch_problems(storage, batch, contest, settings), batches)
        for batch, problems in zip(batches, checks):
            if problems:
                damaged.append(batch)
            done += sum(part.size for part in batch.parts)
            watcher.checked("bytes of records", done, total)
    return damaged


def _replay(
    contest: Contest,
    config: Config,
    storage: Storage,
    field: Field,
    settings: ContestSettings,
    batches: Sequence[Batch],
    count: int,
    watcher: Watcher,
) -> tuple[list[Problem], int, list[str]]:
    """What differs when legs are played again, how many were, and why others could not be."""
    problems: list[Problem] = []
    notes: list[str] = []
    try:
        players = find_players(contest, config, storage, field, settings, watcher.say)
    except TournamentError as problem:
        return [], 0, [f"no leg is played again: {problem}"]
    if players.missing:
        notes.append(
            f"not here as they played, so their legs are not played again: {', '.join(sorted(players.missing))}"
        )
    chosen = chosen_legs(batches, players.missing, count)
    for number, found in enumerate(replay_problems(contest, storage, field, players, chosen), 1):
        problems += found
        watcher.checked("legs played again", number, len(chosen))
    return problems, len(chosen), notes
