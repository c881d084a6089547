"""Playing recorded legs again, as a run would, and comparing every column of their rows."""

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

from tournament.arrays import Whole
from tournament.artifacts.archive import recipe_of
from tournament.artifacts.bot import Entrant, Submission
from tournament.artifacts.python_artifact import legs_may_share
from tournament.audit.chosen_legs import Chosen, deals_of
from tournament.audit.report import Problem, plays_again
from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.entrants.build import adapted, build_entrant, build_entrants
from tournament.errors import RunError
from tournament.keys import master_key
from tournament.leg import Leg, Unfit
from tournament.runner.executors import Executor
from tournament.runner.plan import artifacts_of, schedule_of
from tournament.runner.schedule.counting import fixtures_of
from tournament.runner.schedule.legs import Schedule
from tournament.sandbox.outside.scratch import scratch_folder
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import Column
from tournament.store.field import Batch, ContestSetup, FieldEntrant, Origin, Part
from tournament.store.folder_storage import FolderStorage
from tournament.store.kept_bots import kept_bot, place_of
from tournament.store.leg_result import Fault, LegResult
from tournament.store.legs import Legs, pair_keys
from tournament.store.parts import rows_of
from tournament.store.storage import FIELD_NAME, Storage, explain_write_error
from tournament.worker.batch import Receipt, Task

_MOST_LEGS = 64  # that are played as one task, and compared in memory


@dataclass(frozen=True)
class Players:
    """The settings with their seed, the field's schedule, and what plays by its sha256. `missing` names who isn't here.

    `others` names bots of the entrants folder that aren't as the field has them, `problems` tell of those that are
    the same and of which the field says something else.
    """

    settings: ContestSettings
    sandbox: SandboxSettings
    schedule: Schedule
    origin: Origin
    artifacts: Mapping[str, bytes]
    missing: frozenset[str]
    others: frozenset[str]
    problems: tuple[Problem, ...]


def find_players(
    storage: Storage,
    contest: Contest,
    config: Config,
    field: ContestSetup,
    settings: ContestSettings,
    say: Callable[[str], None],
    only: Sequence[str] | None = None,
) -> Players:
    """Players of a recorded field: those that are unchanged in the entrants folder, and others as they are kept beside
    the records. `only` those of some names, if given: then a kept one that is damaged raises RunError. The settings
    have the seed. Raises InputError when there is no entrants folder, and all are wanted."""
    assert settings.seed is not None
    known = {e.name: e for e in field.entrants}

    def is_chosen(file: Submission) -> bool:
        return only is None or (file.name in only and field.sha256.get(file.name) == file.sha256)

    entrants: list[Entrant] = []
    if only is None or config.entrants.is_dir():
        entrants = build_entrants(
            contest, settings, config.sandbox, config.entrants, say, is_chosen, lambda: field.entrants, config.house
        )
    house = contest.house.players(settings, config.folder, say) if contest.house else ()
    artifacts = artifacts_of(entrants, house)
    for entrant in field.entrants:
        if entrant.artifact and entrant.artifact not in artifacts and (only is None or entrant.name in only):
            with contextlib.suppress(*([RunError] if only is None else [])):
                if content := _as_it_played(storage, entrant, contest, settings, config):
                    artifacts[entrant.artifact] = content
    recorded = {e.name: e.artifact for e in field.entrants if e.artifact} | {p.name: p.sha256 for p in field.house}
    here = {e.name: e for e in entrants}
    same = [name for name in here.keys() & known.keys() if here[name].sha256 == known[name].sha256]
    return Players(
        settings,
        config.sandbox,
        schedule_of(contest, settings.playing(), master_key(settings.seed), field),
        field.origin,
        artifacts,
        frozenset(name for name, artifact in recorded.items() if artifact not in artifacts),
        frozenset(here.keys() ^ known.keys() | here.keys() - set(same)),
        tuple(problem for name in sorted(same) for problem in _entrant_problems(known[name], here[name])),
    )


def _as_it_played(
    storage: Storage, entrant: FieldEntrant, contest: Contest, settings: ContestSettings, config: Config
) -> bytes | None:
    """A bot's artifact that is kept beside the records, None if none is. Somebody else may have written it, so a module
    is compiled on trial first. Raises RunError for a damaged one."""
    assert entrant.artifact
    content = kept_bot(storage, entrant.artifact)
    if content is None:
        return None
    place = f"{storage.location}/{place_of(entrant.artifact)}"
    try:
        if entrant.kind == "program":
            recipe_of(content)
        elif entrant.kind == "python":
            legs_may_share(content)
        else:
            module = Submission(entrant.name, "wasm", Path(place), content, entrant.artifact)
            built = build_entrant(module, adapted(contest.interface, settings), settings, config.sandbox)
            if built.problem:
                raise Unfit(built.problem)
    except (Unfit, ValueError, KeyError, TypeError, RecursionError, tarfile.TarError) as problem:
        why = " ".join(str(problem).split())
        raise RunError(f"{place} is not {entrant.name} as it played: {why}; bring its file back") from None
    return content


def _entrant_problems(known: FieldEntrant, here: Entrant) -> Iterator[Problem]:
    """What the field says of an entrant that its file, which is the same, doesn't give."""
    again = "tournament run mends it"
    if known.kind != here.kind:
        yield Problem(FIELD_NAME, f"says that {known.name} is {known.kind}, not {here.kind}", again)
    if (known.problem is None) != (here.problem is None):
        what = "plays, and it can't" if known.problem is None else "can't play, and it can"
        yield Problem(FIELD_NAME, f"says that {known.name} {what}", again)
    elif known.problem != (here.problem and replace(known, problem=here.problem).bounded().problem):
        yield Problem(FIELD_NAME, f"gives another reason why {known.name} can't play than there is here", again)


def replay_problems(
    contest: Contest, storage: Storage, players: Players, chosen: Chosen, recorded: Legs, executor: Executor
) -> Iterator[tuple[int, list[Problem]]]:
    """Play legs again; yield how many were compared, and what differs.

    Args:
        contest: The contest.
        storage: Where its records are.
        players: Its players.
        chosen: The legs to play.
        recorded: All legs of the records.
        executor: What plays them.

    Raises:
        RunError: This machine can't play them.
        InputError: This machine can't confine a bot.
    """
    share = -(-sum(len(places) for _, places in chosen) // (4 * executor.workers))
    some = [
        (batch, several)
        for batch, places in chosen
        for several in _cut(
            deals_of(batch.legs, players.schedule.legs_of_deals)[places], places, min(share, _MOST_LEGS)
        )
    ]
    with scratch_folder() as folder:
        there = FolderStorage(str(folder))
        there.prepare()
        out: dict[str, _Replayed] = {}

        def next_task() -> Task | None:
            while some:
                batch, places = some.pop(0)
                again = _Replayed.of(batch, batch.legs.chosen(places), recorded, players)
                if again.legs:
                    out[again.legs[0].digest] = again
                    return _task(contest, players, there, again.legs)
                alien.append((len(places), again.problems))
            return None

        alien: list[tuple[int, list[Problem]]] = []
        played = executor.play(next_task, players.artifacts)
        try:
            for receipts in played:
                for receipt in receipts:
                    if wrong := _not_played(receipt):
                        yield 0, wrong
                        continue
                    (batch,) = receipt.batches
                    yield out.pop(batch.legs.digests[0]).compared(contest, storage, there, batch)
        except OSError as error:
            raise RunError(explain_write_error(error, there.location)) from None
        finally:
            played.close()
        yield from alien


def _not_played(receipt: Receipt) -> list[Problem]:
    """Return why legs of a task were not played again; then none of its legs is compared."""
    failed = [
        Problem(f"match {one.match}", f"can't be played again: the rules failed in {one}", "mend the rules")
        for one in receipt.failed
    ]
    return failed + [
        Problem(", ".join(one.names), f"can't be played again: {one.reason}", "verify once more")
        for one in receipt.troubles
    ]


def _cut(deals: Whole, places: npt.NDArray[np.intp], count: int) -> list[npt.NDArray[np.intp]]:
    """Return places in pieces of this many, or of a few more, so that those with the same deals stay together."""
    ends = np.flatnonzero(np.diff(deals)) + 1
    cuts: list[int] = []
    for end in ends.tolist():
        if end - (cuts[-1] if cuts else 0) >= count:
            cuts.append(end)
    return np.split(places, cuts) if len(places) else []


def _task(contest: Contest, players: Players, there: FolderStorage, legs: Sequence[Leg]) -> Task:
    settings, sandbox = players.settings.for_workers(), players.sandbox.model_dump()
    return Task(
        contest.name,
        settings,
        sandbox,
        there.location,
        tuple(legs),
        players.origin.of_players(
            {seat.name for leg in legs for seat in leg.seats}, {leg.house.name for leg in legs if leg.house}
        ),
        contest.rules,
        contest.requires,
        source=contest.source,
    )


@dataclass(frozen=True)
class _Replayed:
    """Recorded legs of a batch that are played again, as the schedule has them; `problems` tells of others."""

    batch: Batch
    recorded: Legs
    legs: Sequence[Leg]
    problems: list[Problem]

    @classmethod
    def of(cls, batch: Batch, recorded: Legs, all_recorded: Legs, players: Players) -> _Replayed:
        fixtures = list(fixtures_of(recorded, players.schedule, all_recorded))
        problems = [
            Problem(batch.parts[1].place, f"has {_name_of(recorded[place])} {wrong}", plays_again(len(batch.legs)))
            for place, wrong in enumerate(fixtures)
            if isinstance(wrong, str)
        ]
        known = [place for place, fixture in enumerate(fixtures) if not isinstance(fixture, str)]
        legs = [players.schedule.leg(fixture) for fixture in fixtures if not isinstance(fixture, str)]
        return cls(batch, recorded.chosen(known), legs, problems)

    def compared(self, contest: Contest, storage: Storage, there: Storage, again: Batch) -> tuple[int, list[Problem]]:
        """How many legs were played, and what differs in them from what is recorded."""
        differing: list[list[str]] = [[] for _ in self.legs]
        for old, new in zip(_by_table(self.batch), _by_table(again)):
            columns = contest.columns(old.table)
            there.publish(new.staged, new.place)
            recorded, played = (
                _by_leg(rows_of(place, part, columns), columns, self.legs)
                for place, part in ((storage, old), (there, new))
            )
            there.remove(new.place)
            for wrong, one, other in zip(differing, recorded, played):
                wrong += [f"{old.table}.{name}" for name in one if one[name] != other[name]]
        for place, (leg, wrong) in enumerate(zip(self.legs, differing)):
            before, now = self.recorded[place], again.legs[place]
            if _faults(before, leg.has_processes) != _faults(now, leg.has_processes):
                wrong.append("faults")
            if replace(before, faults=()) != replace(now, faults=()):
                wrong.append("results")
        found = [
            self._problem(self.recorded[place], self.legs[place], wrong)
            for place, wrong in enumerate(differing)
            if wrong
        ]
        return len(self.legs), self.problems + found

    def _problem(self, recorded: LegResult, leg: Leg, differing: Sequence[str]) -> Problem:
        remedy = f"remove it, and {plays_again(len(self.batch.legs))}"
        if leg.has_processes:
            reason = began_again(recorded) or "a bot that is a process looks at a clock or is short of time"
            remedy = f"that may be where {reason}; if not, {remedy}"
        what = f"has {_name_of(recorded)} with other {', '.join(differing)}"
        return Problem(self.batch.parts[0].place, what, remedy)


def began_again(leg: LegResult) -> str:
    """Return how a leg that broke off may differ from the same leg without a break; "" for one that didn't."""
    return f"it broke off ({leg.tries} tries), and a bot answered differently when it began again" * (leg.tries > 1)


def _name_of(leg: LegResult) -> str:
    """A leg in words."""
    return f"match {leg.match}, leg {leg.number} ({leg.title})"


# What may come out otherwise in what a process is blamed for, and in what it printed.
_VARYING = re.compile(r"0x[0-9a-fA-F]+|[0-9]+(?:[.,][0-9]+)*")


def _faults(leg: LegResult, has_processes: bool) -> list[Fault]:
    """What is the same in faults whenever a leg is played: a process's may contain the time."""
    if not has_processes:
        return list(leg.faults)
    return [
        replace(one, message=_VARYING.sub("0", one.message), last_output=_VARYING.sub("0", one.last_output))
        for one in leg.faults
    ]


def _by_table(batch: Batch) -> list[Part]:
    return sorted(batch.parts, key=lambda part: part.table)


def _by_leg(
    chunks: Iterable[Mapping[str, npt.NDArray[Any]]], columns: Sequence[Column], legs: Sequence[Leg]
) -> list[dict[str, bytes]]:
    """The bytes of each column in these legs' rows, leg by leg."""
    found: list[dict[str, bytes]] = [{column.name: b"" for column in columns} for _ in legs]
    plans = np.array([(leg.plan.match, leg.plan.first_session) for leg in legs], np.int64)
    starts, length = pair_keys(plans[:, 0], plans[:, 1]), legs[0].plan.sessions
    for rows in chunks:
        keys = pair_keys(rows["match"].astype(np.int64), rows["session"].astype(np.int64))
        of = np.searchsorted(starts, keys, "right") - 1
        of[(of < 0) | (keys >= starts[of] + 1j * length)] = -1
        for leg in np.unique(of[of >= 0]).tolist():
            for name in found[leg]:
                values = rows[name][of == leg]
                is_name = values.dtype == object
                found[leg][name] += "\n".join(["", *values]).encode() if is_name else values.tobytes()
    return found
