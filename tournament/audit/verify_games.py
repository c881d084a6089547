"""Playing recorded legs again, as a run would, and comparing every column of their rows."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tournament.audit.recount import Rows, name_of
from tournament.audit.report import Problem, plays_again
from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.entrants.build import build_entrants
from tournament.errors import RunFailed
from tournament.keys import master_key, seed_fingerprint
from tournament.leg import Leg
from tournament.runner.contest_run import artifacts_of, competitors_of, schedule_of
from tournament.runner.replicas import recorded_replicas
from tournament.runner.seed import read_seed
from tournament.sandbox.outside.scratch import scratch_folder
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import Column
from tournament.store.folder_storage import FolderStorage
from tournament.store.ledger import Batch, Field, Part
from tournament.store.legs import LegResult
from tournament.store.parts import rows_of
from tournament.store.storage import Storage, explain_write_error
from tournament.worker.batch import Task, play_task


@dataclass(frozen=True)
class Players:
    """The settings with their seed, and what plays by its sha256. `missing` names players that aren't here."""

    settings: ContestSettings
    sandbox: SandboxSettings
    artifacts: Mapping[str, bytes]
    missing: frozenset[str]


def find_players(
    contest: Contest,
    config: Config,
    storage: Storage,
    field: Field,
    settings: ContestSettings,
    say: Callable[[str], None],
    only: Sequence[str] | None = None,
) -> Players:
    """Players of a recorded field that are unchanged in the entrants folder; `only` those of some names, if given.

    Raises RunFailed when the seed is missing or damaged, BadInput when there is no entrants folder.
    """
    given, fingerprint = config.contest.seed, field.settings.get("seed")
    if given is None or seed_fingerprint(master_key(given)) != fingerprint:
        given = read_seed(storage, fingerprint)
    elsewhere = {key: value for key, value in config.contest if key not in config.contest.playing()}
    settled = settings.model_copy(update=elsewhere | {"seed": given})
    entrants = build_entrants(contest, settled, config.sandbox, config.entrants, say, only, lambda: field.entrants)
    house = contest.house.players(settled, config.folder, say) if contest.house else ()
    artifacts = artifacts_of(entrants, house)
    recorded = {e.name: e.artifact for e in field.entrants if e.artifact} | {p.name: p.sha256 for p in field.house}
    return Players(
        settled,
        config.sandbox,
        artifacts,
        frozenset(name for name, artifact in recorded.items() if artifact not in artifacts),
    )


def chosen_legs(batches: Iterable[Batch], missing: frozenset[str], count: int) -> list[tuple[Batch, LegResult]]:
    """So many random legs, or all there are, whose players are here."""
    legs = [(batch, leg) for batch in batches for leg in batch.legs if missing.isdisjoint((leg.x, leg.y))]
    return random.SystemRandom().sample(legs, min(count, len(legs)))


def replay_problems(
    contest: Contest, storage: Storage, field: Field, players: Players, chosen: Sequence[tuple[Batch, LegResult]]
) -> Iterator[list[Problem]]:
    """Play these legs; yield each one's differences. Raises RunFailed and BadInput when this machine can't."""
    seed = players.settings.seed
    assert seed is not None
    schedule_with = partial(schedule_of, contest, players.settings.playing(), master_key(seed), *competitors_of(field))
    played = recorded_replicas((batch for batch, _ in chosen), schedule_with().legs_per_replica)
    schedule = schedule_with(played)
    wanted = {leg.digest for _, leg in chosen}
    legs = {leg.digest: leg for leg in schedule.legs() if leg.digest in wanted}
    for batch, recorded in chosen:
        leg = legs.get(recorded.digest)
        if leg is None:
            what = f"has {name_of(recorded)} with another digest than its players and settings give"
            yield [Problem("ledger", what, "tournament run plays it again")]
            continue
        yield _compared(contest, storage, players, batch, recorded, leg)


def _compared(
    contest: Contest, storage: Storage, players: Players, batch: Batch, recorded: LegResult, leg: Leg
) -> list[Problem]:
    """The problems of one leg, played again."""
    with scratch_folder() as folder:
        there = FolderStorage(str(folder))
        there.prepare()
        task = Task(
            contest.name,
            players.settings.playing(),
            players.sandbox.model_dump(),
            there.location,
            (leg,),
            contest.rules,
        )
        try:
            (again,) = play_task(task, players.artifacts).batches
        except OSError as error:
            raise RunFailed(explain_write_error(error, there.location)) from None
        first, end = leg.plan.first_session, leg.plan.first_session + leg.plan.sessions
        differing = []
        for old, new in zip(_by_table(batch), _by_table(again)):
            columns = {"games": contest.games, "sessions": contest.sessions}[old.table]
            there.publish(new.staged, new.place)
            here = _digests(_of_leg(rows_of(storage, old, columns), leg.plan.match, first, end), columns)
            played = _digests(rows_of(there, new, columns), columns)
            differing += [f"{old.table}.{name}" for name in here if here[name] != played[name]]
    if _faults(recorded) != _faults(again.legs[0]):
        differing.append("faults")
    if not differing:
        return []
    place = batch.parts[0].place
    remedy = f"remove it, and {plays_again(batch)}"
    if leg.has_processes:
        remedy = f"that may be where a bot that is a process looks at a clock or is short of time; if not, {remedy}"
    return [Problem(place, f"has {name_of(recorded)} with other {', '.join(differing)}", remedy)]


def _faults(leg: LegResult) -> tuple[Any, ...]:
    """What is the same in faults whenever a leg is played: a process's complaints may contain the time."""
    places = [(fault.seat, fault.session, fault.game, fault.question) for fault in leg.faults]
    return places, leg.faults_left_out, leg.ended_by


def _by_table(batch: Batch) -> list[Part]:
    return sorted(batch.parts, key=lambda part: part.table)


def _of_leg(chunks: Iterable[Rows], match: int, first: int, end: int) -> Iterator[Rows]:
    """The rows of a match, with sessions from `first` to before `end`."""
    for rows in chunks:
        inside = (rows["match"] == match) & (rows["session"] >= first) & (rows["session"] < end)
        yield {name: values[inside] for name, values in rows.items()}


def _digests(chunks: Iterable[Rows], columns: Sequence[Column]) -> dict[str, bytes]:
    """The sha256 of each column's bytes, however they are cut into chunks."""
    digests = {column.name: hashlib.sha256() for column in columns}
    for rows in chunks:
        for name, digest in digests.items():
            digest.update(rows[name].tobytes())
    return {name: digest.digest() for name, digest in digests.items()}
