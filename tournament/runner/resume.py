"""Bringing records and schedule together before a run plays: what still counts, what no longer does."""

from __future__ import annotations

import hashlib
import itertools
import uuid
from bisect import bisect
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from tournament.contests.contest import Contest, ContestSettings, HousePlayer
from tournament.entrants.bot import Entrant
from tournament.errors import RunFailed
from tournament.runner.schedule import ENGINE_VERSION, Schedule
from tournament.standings.results import counted
from tournament.store.ledger import (
    Batch,
    Field,
    FieldEntrant,
    FieldHousePlayer,
    LegResult,
    Writer,
    batch_name,
    read_state,
    standing_batches,
    without_legs,
)
from tournament.store.parts import rewrite_without, sha256_of
from tournament.store.storage import FolderStorage, Storage, open_storage

_WORTH_MENTIONING = 1e9  # bytes


def archive_other_records(
    location: str,
    settings: dict[str, object],
    names: set[str],
    house: Sequence[HousePlayer],
    say: Callable[[str], None],
) -> None:
    """Keep records of other settings, or of other bots altogether, in a folder beside; bring fitting ones back.

    A run never throws a whole tournament away. Raises RunFailed in an object
    store, where nothing can be renamed.
    """
    storage = open_storage(location)
    known = read_state(storage).field
    if known is None:
        return
    why = differences(known, settings, names, house)
    if not why:
        return
    if not isinstance(storage, FolderStorage):
        raise RunFailed(f"{location} holds other records ({why}); name another place")
    place = Path(location)
    beside = sorted(place.parent.glob(f"{place.name}-archive-*"))
    # Of those that fit, the one with most played: with as many sessions, or else with the most.
    fitting = max((path for path in beside if _fits(path, settings, names, house)), key=_sessions_of, default=None)
    storage.hold()
    try:
        taken = {path.name for path in beside}
        number = next(n for n in itertools.count(1) if f"{place.name}-archive-{n}" not in taken)
        aside = place.with_name(f"{place.name}-archive-{number}")
        place.rename(aside)
        if fitting:
            fitting.rename(place)
    finally:
        storage.release()
    say(f"Not what was played before ({why}): those records are now in {aside}")
    if fitting:
        say(f"{fitting} has records of these settings: they are back in {place}")


def _fits(place: Path, settings: dict[str, object], names: set[str], house: Sequence[HousePlayer]) -> bool:
    try:
        known = read_state(open_storage(str(place))).field
    except RunFailed:
        return False
    return known is not None and not differences(known, settings, names, house)


def _sessions_of(place: Path) -> int:
    known = read_state(open_storage(str(place))).field
    sessions = known.settings.get("sessions") if known else None
    return sessions if isinstance(sessions, int) else 0


def differences(known: Field, settings: dict[str, object], names: set[str], house: Sequence[HousePlayer] | None) -> str:
    """Why records of a field are none of this tournament's, "" when they are. `house` None: whoever it may be."""
    differing = [
        "they have another seed" if key == "seed" else f"{key} was {known.settings.get(key)}, is {value}"
        for key, value in settings.items()
        if known.settings.get(key) != value
        and not (known.house and key == "sessions" and _grows(known.settings, value))
    ]
    if known.engine != ENGINE_VERSION:
        differing.append(f"games of engine version {known.engine}, this is {ENGINE_VERSION}")
    if names.isdisjoint(entrant.name for entrant in known.entrants):
        differing.append("none of its bots are here")
    if (
        house is not None
        and known.house
        and {player.sha256 for player in known.house}.isdisjoint(map(content_sha256, house))
    ):
        differing.append("none of its house players are here")
    return "; ".join(differing)


def _grows(known: dict[str, object], sessions: object) -> bool:
    """Whether there are to be more sessions. Against house players each is a leg of its own, so the old ones fit."""
    before = known.get("sessions")
    return isinstance(before, int) and isinstance(sessions, int) and before < sessions


def content_sha256(player: HousePlayer) -> str:
    """What stands for a house player in digests, in hex."""
    return hashlib.sha256(player.content).hexdigest()


def field_of(
    contest: Contest,
    settings: dict[str, object],
    entrants: list[Entrant],
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
        engine=ENGINE_VERSION,
        settings=settings,
        entrants=tuple(
            FieldEntrant(numbers[e.name], e.name, e.kind, e.sha256, e.artifact_sha256, e.problem) for e in entrants
        ),
        numbers=numbers,
        house=tuple(FieldHousePlayer(house_numbers[p.name], p.name, content_sha256(p), dict(p.facts)) for p in house),
        house_numbers=house_numbers,
    )


def keep_house(contest: Contest, settings: ContestSettings, storage: Storage, house: Sequence[HousePlayer]) -> None:
    """Have the house players' contents lie beside the records, for contests that want it. Raises OSError."""
    if contest.house is None or contest.house.suffix is None:
        return
    examples = contest.house.examples(settings) if contest.house.examples else ()
    wanted = {f"{player.name}{contest.house.suffix}": player.content for player in (*examples, *house)}
    there = storage.list("house")
    for name in there.keys() - wanted.keys():
        storage.remove(f"house/{name}")
    for name, content in wanted.items():
        if there.get(name) != len(content) or storage.read(f"house/{name}") != content:
            storage.replace(f"house/{name}", content)


def verify_batches(writer: Writer, say: Callable[[str], None]) -> list[Batch]:
    """The standing batches whose parts are what was committed, byte for byte."""
    standing = standing_batches(writer.storage, writer.state)
    size = sum(part.size for batch in standing for part in batch.parts)
    if size > _WORTH_MENTIONING:
        say(f"Checking {size / 1e9:.1f} GB of records…")

    def is_sound(batch: Batch) -> bool:
        return all(sha256_of(writer.storage, part) == part.sha256 for part in batch.parts)

    with ThreadPoolExecutor() as pool:
        verdicts = list(pool.map(is_sound, standing))
    for batch, verdict in zip(standing, verdicts):
        if not verdict:
            say(f"Part {batch.name} is damaged; its {len(batch.legs)} legs are played again")
    return [batch for batch, verdict in zip(standing, verdicts) if verdict]


def lost_batches(writer: Writer, sound: list[Batch]) -> list[Batch]:
    """The batches that were committed but are no longer whole, as having no legs."""
    whole = {batch.name for batch in sound}
    return [
        without_legs(versions[-1])
        for name, versions in writer.state.batches.items()
        if versions[-1].legs and name not in whole
    ]


def trim_batches(
    contest: Contest, writer: Writer, sound: list[Batch], schedule: Schedule, say: Callable[[str], None]
) -> list[Batch]:
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
    """A batch of some of a batch's legs, `per_leg` sessions each, staged."""
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
