"""Playing recorded legs again, as a run would, and comparing every column of their rows."""

from __future__ import annotations

import hashlib
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tournament.artifacts.bot import Entrant
from tournament.audit.recount import Rows, name_of
from tournament.audit.report import Problem, plays_again
from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.entrants.build import build_entrants
from tournament.errors import RunFailed
from tournament.keys import master_key
from tournament.leg import Leg
from tournament.runner.planning import artifacts_of, schedule_of
from tournament.runner.schedule.counting import fixtures_of
from tournament.runner.schedule.legs import Schedule
from tournament.sandbox.outside.scratch import scratch_folder
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import Column
from tournament.store.folder_storage import FolderStorage
from tournament.store.ledger import Batch, Field, FieldEntrant, Part
from tournament.store.legs import Fault, LegResult, Legs
from tournament.store.parts import rows_of
from tournament.store.storage import Storage, explain_write_error
from tournament.worker.batch import Task, play_task


@dataclass(frozen=True)
class Players:
    """The settings with their seed, the field's schedule, and what plays by its sha256. `missing` names who isn't here.

    `others` names bots of the entrants folder that aren't as the field has them, `problems` tell of those that are
    the same and of which the field says something else.
    """

    settings: ContestSettings
    sandbox: SandboxSettings
    schedule: Schedule
    artifacts: Mapping[str, bytes]
    missing: frozenset[str]
    others: frozenset[str]
    problems: tuple[Problem, ...]


def find_players(
    contest: Contest,
    config: Config,
    field: Field,
    settings: ContestSettings,
    say: Callable[[str], None],
    only: Sequence[str] | None = None,
) -> Players:
    """Players of a recorded field that are unchanged in the entrants folder; `only` those of some names, if given. The
    settings have the seed. Raises BadInput when there is no entrants folder."""
    assert settings.seed is not None
    entrants = build_entrants(contest, settings, config.sandbox, config.entrants, say, only, lambda: field.entrants)
    house = contest.house.players(settings, config.folder, say) if contest.house else ()
    artifacts = artifacts_of(entrants, house)
    recorded = {e.name: e.artifact for e in field.entrants if e.artifact} | {p.name: p.sha256 for p in field.house}
    here, known = {e.name: e for e in entrants}, {e.name: e for e in field.entrants}
    same = [name for name in here.keys() & known.keys() if here[name].sha256 == known[name].sha256]
    return Players(
        settings,
        config.sandbox,
        schedule_of(contest, settings.playing(), master_key(settings.seed), field),
        artifacts,
        frozenset(name for name, artifact in recorded.items() if artifact not in artifacts),
        frozenset(here.keys() ^ known.keys() | here.keys() - set(same)),
        tuple(problem for name in sorted(same) for problem in _entrant_problems(known[name], here[name])),
    )


def _entrant_problems(known: FieldEntrant, here: Entrant) -> Iterator[Problem]:
    """What the field says of an entrant that its file, which is the same, doesn't give."""
    again = "tournament run mends it"
    if known.kind != here.kind:
        yield Problem("ledger", f"says that {known.name} is {known.kind}, not {here.kind}", again)
    if (known.problem is None) != (here.problem is None):
        what = "plays, and it can't" if known.problem is None else "can't play, and it can"
        yield Problem("ledger", f"says that {known.name} {what}", again)
    elif known.problem != (here.problem and replace(known, problem=here.problem).bounded().problem):
        yield Problem("ledger", f"gives another reason why {known.name} can't play than there is here", again)


def chosen_legs(batches: Iterable[Batch], missing: frozenset[str], count: int) -> list[tuple[Batch, LegResult]]:
    """So many random legs, or all there are, whose players are here."""
    legs = [(batch, leg) for batch in batches for leg in batch.legs if missing.isdisjoint((leg.x, leg.y))]
    return random.SystemRandom().sample(legs, min(count, len(legs)))


def replay_problems(
    contest: Contest, storage: Storage, players: Players, chosen: Sequence[tuple[Batch, LegResult]]
) -> Iterator[list[Problem]]:
    """Play these legs; yield each one's differences. Raises RunFailed and BadInput when this machine can't."""
    for batch, recorded in chosen:
        (fixture,) = fixtures_of(Legs.of([recorded]), players.schedule)
        if isinstance(fixture, str):
            yield [Problem("ledger", f"has {name_of(recorded)} {fixture}", plays_again(batch))]
            continue
        yield _compared(contest, storage, players, batch, recorded, players.schedule.leg(fixture))


def _compared(
    contest: Contest, storage: Storage, players: Players, batch: Batch, recorded: LegResult, leg: Leg
) -> list[Problem]:
    """The problems of one leg, played again."""
    with scratch_folder() as folder:
        there = FolderStorage(str(folder))
        there.prepare()
        task = Task(
            contest.name,
            players.settings.for_workers(),
            players.sandbox.model_dump(),
            there.location,
            ((leg,),),
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
    result = again.legs[0]
    if _faults(recorded, leg.has_processes) != _faults(result, leg.has_processes):
        differing.append("faults")
    if replace(recorded, faults=()) != replace(result, faults=()):
        differing.append("results")
    if batch.sandbox != again.sandbox and leg.has_processes:
        differing.append(f"sandbox: {batch.sandbox or 'none'}, here {again.sandbox}")
    if not differing:
        return []
    place = batch.parts[0].place
    remedy = f"remove it, and {plays_again(batch)}"
    if leg.has_processes:
        remedy = f"that may be where a bot that is a process looks at a clock or is short of time; if not, {remedy}"
    return [Problem(place, f"has {name_of(recorded)} with other {', '.join(differing)}", remedy)]


# What may come out otherwise in what a process is blamed for, and in what it printed.
_VARYING = re.compile(r"0x[0-9a-fA-F]+|[0-9]+(?:[.,][0-9]+)*")


def _faults(leg: LegResult, has_processes: bool) -> list[Fault]:
    """What is the same in faults whenever a leg is played: a process's may contain the time."""
    if not has_processes:
        return list(leg.faults)
    return [
        replace(one, what=_VARYING.sub("0", one.what), complaints=_VARYING.sub("0", one.complaints))
        for one in leg.faults
    ]


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
