"""Bringing records and schedule together before a run plays: what still counts, what no longer does."""

from __future__ import annotations

import hashlib
import uuid
from bisect import bisect
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import cast

from tournament.contests.contest import Contest, ContestSettings, HousePlayer
from tournament.entrants.bot import Entrant
from tournament.errors import shortened
from tournament.runner.schedule import Schedule
from tournament.standings.results import counted
from tournament.store.ledger import (
    Batch,
    Field,
    FieldEntrant,
    FieldHousePlayer,
    LegResult,
    Setting,
    batch_name,
    standing_batches,
    without_legs,
)
from tournament.store.parts import rewrite_without, sha256_of
from tournament.store.writer import Writer

_LARGE = 1e9  # bytes that take a while to check


def differences(
    known: Field, contest: Contest, settings: dict[str, object], names: set[str], house: Sequence[HousePlayer] | None
) -> str:
    """Why records of a field are none of this tournament's, "" when they are. `house` None: whoever it may be."""
    differing = [
        "they have another seed"
        if key == "seed"
        else f"{key} was {shortened(str(known.settings.get(key)), 100)}, is {value}"
        for key, value in settings.items()
        if known.settings.get(key) != value
        and not (known.house and key == "sessions" and _grows(known.settings, value))
    ]
    if known.contest != contest.name:
        differing.append(f"games of {known.contest}")
    if known.engine != contest.engine_version:
        differing.append(f"games of version {known.engine} of {contest.name}, this is {contest.engine_version}")
    if names.isdisjoint(entrant.name for entrant in known.entrants):
        differing.append("none of its bots are here")
    if (
        house is not None
        and known.house
        and {player.sha256 for player in known.house}.isdisjoint(map(content_sha256, house))
    ):
        differing.append("none of its house players are here")
    return "; ".join(differing)


def _grows(known: Mapping[str, object], sessions: object) -> bool:
    """Whether there are to be more sessions. Against house players each is a leg of its own, so the old ones fit."""
    before = known.get("sessions")
    return isinstance(before, int) and isinstance(sessions, int) and before < sessions


def content_sha256(player: HousePlayer) -> str:
    """What stands for a house player in digests, in hex."""
    return hashlib.sha256(player.content).hexdigest()


def field_of(
    contest: Contest,
    settings: dict[str, object],
    entrants: Sequence[Entrant],
    house: Sequence[HousePlayer],
    known: Field | None,
) -> Field:
    """The field of a run; entrants and house players that the known field has keep their numbers."""
    numbers = dict(known.numbers) if known else {}
    for entrant in entrants:
        numbers.setdefault(entrant.name, len(numbers))
    house_numbers = dict(known.house_numbers) if known else {}
    for player in house:
        house_numbers.setdefault(player.name, len(house_numbers))
    return Field(
        contest=contest.name,
        engine=contest.engine_version,
        settings=cast(dict[str, Setting], settings),
        entrants=tuple(
            FieldEntrant(numbers[e.name], e.name, e.kind, e.sha256, e.artifact_sha256, e.problem).bounded()
            for e in entrants
        ),
        numbers=numbers,
        house=tuple(FieldHousePlayer(house_numbers[p.name], p.name, content_sha256(p), dict(p.facts)) for p in house),
        house_numbers=house_numbers,
    )


def write_house_files(
    contest: Contest, settings: ContestSettings, writer: Writer, house: Sequence[HousePlayer]
) -> None:
    """Write the house players' contents to house/, for contests that want it. Raises OSError.

    Those of former house players are removed, and nobody else's files.
    """
    if contest.house is None or contest.house.suffix is None:
        return
    storage, known = writer.storage, writer.state.field
    examples = contest.house.examples(settings) if contest.house.examples else ()
    wanted = {f"{player.name}{contest.house.suffix}": player.content for player in (*examples, *house)}
    former = {f"{name}{contest.house.suffix}" for name in known.house_numbers} if known else set()
    there = storage.list("house")
    for name in former & there.keys() - wanted.keys():
        storage.remove(f"house/{name}")
    for name, content in wanted.items():
        if there.get(name) != len(content) or storage.read(f"house/{name}") != content:
            storage.replace(f"house/{name}", content)


def verify_batches(writer: Writer, say: Callable[[str], None]) -> list[Batch]:
    """The committed batches whose parts are there with the sha256 of their entry; says which are not."""
    standing = standing_batches(writer.storage, writer.state)
    size = sum(part.size for batch in standing for part in batch.parts)
    if size > _LARGE:
        say(f"Checking {size / 1e9:.1f} GB of records…")

    def what_is_wrong(batch: Batch) -> str:
        found = [(part, sha256_of(writer.storage, part)) for part in batch.parts]
        if any(sha256 is None for _, sha256 in found):
            return "missing"
        return "damaged" if any(sha256 != part.sha256 for part, sha256 in found) else ""

    with ThreadPoolExecutor() as pool:
        problems = dict(zip((batch.name for batch in standing), pool.map(what_is_wrong, standing)))
    for name, versions in writer.state.batches.items():
        if versions[-1].legs and (problem := problems.get(name, "missing")):
            say(f"Part {name} is {problem}; its {len(versions[-1].legs)} legs are played again")
    return [batch for batch in standing if not problems[batch.name]]


def lost_batches(writer: Writer, sound: list[Batch]) -> list[Batch]:
    """What to commit for batches that are not sound: they have no legs any more."""
    names = {batch.name for batch in sound}
    return [
        without_legs(versions[-1])
        for name, versions in writer.state.batches.items()
        if versions[-1].legs and name not in names
    ]


def trim_batches(
    contest: Contest, writer: Writer, sound: list[Batch], schedule: Schedule, say: Callable[[str], None]
) -> list[Batch]:
    """What to commit for batches that don't fit the schedule: they go, and new ones have their legs that still count.

    A batch with legs on both sides of one that is still to play is cut there,
    so that parts stay in the order of the schedule.
    """
    counting = counted(sound)
    wanted: set[str] = set()
    missing: list[tuple[int, int]] = []
    for leg in schedule.legs():
        wanted.add(leg.digest)
        if leg.digest not in counting:
            missing.append((leg.plan.match, leg.plan.number))
    stale = [leg for batch in sound for leg in batch.legs if leg.digest not in wanted]
    if stale:
        here = {(player.name, player.artifact) for player in (*schedule.competitors, *schedule.house)}
        known = writer.state.field
        before = [(e.name, e.artifact) for e in known.entrants if e.artifact] if known else []
        before += [(player.name, player.sha256) for player in known.house] if known else []
        changed = sorted({name for name, artifact in before if (name, artifact) not in here})
        matches = len({leg.match for leg in stale})
        say(f"{', '.join(changed)} changed or left: {matches} matches leave the records")
    replacements = []
    for batch in sound:
        runs: dict[int, list[LegResult]] = {}
        for result in batch.legs:
            if result.digest in wanted:
                runs.setdefault(bisect(missing, (result.match, result.number)), []).append(result)
        if len(runs) == 1 and sum(map(len, runs.values())) == len(batch.legs):
            continue
        replacements.append(without_legs(batch))
        per_leg = schedule.sessions_per_leg
        replacements += [_cut_out(contest, writer, batch, tuple(legs), per_leg) for legs in runs.values()]
    return replacements


def _cut_out(contest: Contest, writer: Writer, batch: Batch, kept: tuple[LegResult, ...], per_leg: int) -> Batch:
    """A new batch, staged, of the legs of another that are `kept`; each has `per_leg` sessions."""
    columns = {"games": contest.games, "sessions": contest.sessions}
    name = batch_name(kept[0].match, kept[0].number, (leg.digest for leg in kept))
    dropped = [(leg.match, leg.number * per_leg, (leg.number + 1) * per_leg) for leg in batch.legs if leg not in kept]
    parts = tuple(
        replace(
            rewrite_without(
                writer.storage, part, columns[part.table], dropped, f"staging/{name}-{uuid.uuid4().hex}-{part.table}"
            ),
            name=f"{name}.parquet",
        )
        for part in batch.parts
    )
    return Batch(name, parts, kept, batch.sandbox)
