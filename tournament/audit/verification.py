"""Verifying one contest's records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from pydantic import ValidationError

from tournament.audit.report import Problem, Verification, reading
from tournament.audit.verify_claims import leg_problems, legs_still_to_play, probation_problems
from tournament.audit.verify_games import chosen_legs, find_players, replay_problems
from tournament.audit.verify_records import (
    Recounted,
    fold_problems,
    house_problems,
    ledger_problems,
    luck_problems,
    recount,
    stray_problems,
    summary_problems,
)
from tournament.audit.verify_seed import check_house, find_seed
from tournament.config import Config
from tournament.contests import find_contest
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.cores import cores
from tournament.errors import BadInput, RunFailed, TournamentError
from tournament.records.results import ranking_of
from tournament.runner.strays import in_tables
from tournament.standings.without_luck import LuckOfLegs
from tournament.store.ledger import Batch, Field, State
from tournament.store.ledger_reading import read_state, standing_batches
from tournament.store.storage import Storage, open_storage


class Watcher(Protocol):
    """Follows a verification. `checked` gets how much of the `what` is done."""

    def say(self, text: str) -> None: ...
    def checked(self, what: str, done: int, total: int) -> None: ...


def verify_contest(location: str, config_of: Callable[[str], Config], replay: int, watcher: Watcher) -> Verification:
    """Read all that is recorded at a location, and play so many of its legs again.

    A run may go on meanwhile. `config_of` gives the settings of a contest. Raises BadInput when there are no records,
    RunFailed when the ledger can't be read or this machine can't play.
    """
    with reading(location):
        return _verified(open_storage(location), config_of, replay, watcher)


@dataclass(frozen=True)
class _Played:
    """How records were played. `settings`: under which, None where that was another version of the game."""

    storage: Storage
    contest: Contest
    config: Config
    settings: ContestSettings | None


@dataclass(frozen=True)
class Snapshot:
    """The records at a moment: a run may go on meanwhile. `there`: what lay in the tables before the ledger was
    read."""

    there: Mapping[str, bool]
    state: State
    field: Field

    @classmethod
    def of(cls, storage: Storage) -> Snapshot:
        there, state = in_tables(storage), read_state(storage)
        if state.field is None:
            raise BadInput(f"{storage.location} holds no results")
        return cls(there, state, state.field)

    @property
    def batches(self) -> list[Batch]:
        return list(self.state.newest().values())


def _verified(storage: Storage, config_of: Callable[[str], Config], replay: int, watcher: Watcher) -> Verification:
    before = Snapshot.of(storage)
    contest, field, batches = find_contest(before.field.contest, before.field.game), before.field, before.batches
    config = _config(config_of, contest)
    seed, problems, notes = find_seed(storage, config.contest.seed, field)
    settings = None
    if field.engine == contest.engine_version:
        settings = settings_of(contest, field, config, seed)
        house = check_house(storage, contest, settings, config, field, watcher.say)
        problems += house.problems
        notes += house.notes
    else:
        versions = f"version {field.engine} of {contest.name}, this is {contest.engine_version}"
        notes.append(f"games of {versions}: their sums are not checked")
    played = _Played(storage, contest, config, settings)
    recounted = _recounted(played, before, watcher)
    luck = {digest: points for one in recounted for digest, points in one.luck.items()}
    damaged = [batch for batch, one in zip(batches, recounted) if one.problems]
    # What was damaged counts if it is still there now.
    after = Snapshot.of(storage)
    checks: list[Callable[[Snapshot], list[Problem]]] = [
        lambda now: ledger_problems(storage, now.state),
        lambda now: fold_problems(storage),
        lambda now: [
            problem for batch in now.batches if batch in damaged for problem in _recount(played, now, batch).problems
        ],
        lambda now: luck_problems(storage, contest, luck),
        lambda now: stray_problems(storage, now.state, now.there),
        lambda now: house_problems(storage, now.field, contest.house.suffix if contest.house else None),
    ]
    for check in checks:
        problems += check(after)
    standing_batches(storage, after.state)  # raises where a leg is none of the field's
    found, more_notes = _claims(played, after, luck)
    problems += found
    notes += more_notes
    replayed = 0
    if replay and settings is not None and settings.seed is not None:
        sound = [batch for batch in after.batches if batch not in damaged]
        found, replayed, why_not = _replay(played, after, settings, sound, replay, watcher)
        problems += found
        notes += why_not
    return Verification(
        contest.name,
        storage.location,
        before.state.entries,
        sum(len(batch.parts) for batch in batches),
        sum(part.size for batch in batches for part in batch.parts),
        sum(len(batch.legs) for batch in batches),
        sum(int(batch.legs.games.sum()) for batch in batches),
        sum(int(batch.legs.sessions.sum()) for batch in batches),
        replayed,
        tuple(notes),
        tuple(problems),
    )


def _claims(played: _Played, now: Snapshot, luck: LuckOfLegs) -> tuple[list[Problem], list[str]]:
    """What is wrong with what the ledger says of legs, and with the summaries; and notes on what is left to play."""
    storage, contest, settings = played.storage, played.contest, played.settings
    problems, notes, too_many = [], [], []
    if settings is not None:
        problems += leg_problems(contest, now.field, settings, now.batches)
        notes += legs_still_to_play(contest, now.field, settings, now.batches, luck)
        too_many = probation_problems(contest, now.field, settings, now.batches)
    damaged, behind = summary_problems(storage, ranking_of(storage, now.field, now.batches))
    may_go_on = bool(behind or too_many) and storage.may_be_held()
    problems += damaged if may_go_on else damaged + too_many + behind
    notes += ["a run may go on: matches.parquet and its like are behind the ledger"] * (may_go_on and bool(behind))
    notes += ["a run may go on: it will take out legs that don't count"] * (may_go_on and bool(too_many))
    return problems, notes


def _config(config_of: Callable[[str], Config], contest: Contest) -> Config:
    """The settings of a contest, or of that whose rules it has, where it has no table here. Raises BadInput."""
    try:
        return config_of(contest.name)
    except BadInput:
        return config_of(contest.rules)


def settings_of(contest: Contest, field: Field, config: Config, seed: str | None) -> ContestSettings:
    """The recorded settings, and those of the folder on which no game depends; with the seed, if it is known. Raises
    RunFailed when the contest doesn't know them."""
    elsewhere = {key: value for key, value in config.contest if key not in config.contest.playing()}
    try:
        recorded = contest.settings.model_validate(
            {key: field.settings[key] for key in field.settings.keys() - {"seed"}}
        )
    except ValidationError as error:
        raise RunFailed(f"the ledger's settings are none of {contest.name}: {error.errors()[0]['loc'][0]}") from None
    return recorded.model_copy(update=elsewhere | {"seed": seed})


def _recount(played: _Played, at: Snapshot, batch: Batch) -> Recounted:
    """What is wrong with a batch's parts or sums, and the luck in them."""
    return recount(played.storage, batch, played.contest, at.field, played.settings)


def _recounted(played: _Played, at: Snapshot, watcher: Watcher) -> list[Recounted]:
    """The same of each batch."""
    batches = at.batches
    total, done = sum(part.size for batch in batches for part in batch.parts), 0
    found = []
    with ThreadPoolExecutor(cores()) as pool:
        for batch, one in zip(batches, pool.map(lambda batch: _recount(played, at, batch), batches)):
            found.append(one)
            done += sum(part.size for part in batch.parts)
            watcher.checked("bytes of records", done, total)
    return found


def _replay(
    played: _Played, at: Snapshot, settings: ContestSettings, batches: Sequence[Batch], count: int, watcher: Watcher
) -> tuple[list[Problem], int, list[str]]:
    """What differs when legs are played again, how many were, and why others could not be."""
    notes: list[str] = []
    try:
        players = find_players(played.contest, played.config, at.field, settings, watcher.say)
    except TournamentError as problem:
        return [], 0, [f"no leg is played again: {problem}"]
    if players.missing:
        notes.append(
            f"not here as they played, so their legs are not played again: {', '.join(sorted(players.missing))}"
        )
    if players.others:
        notes.append(f"not as the entrants folder has them: {', '.join(sorted(players.others))}")
    problems = list(players.problems)
    chosen = chosen_legs(batches, players.missing, count)
    for number, differing in enumerate(replay_problems(played.contest, played.storage, players, chosen), 1):
        problems += differing
        watcher.checked("legs played again", number, len(chosen))
    return problems, len(chosen), notes
