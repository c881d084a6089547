"""Comparing records with the schedule before a run plays: what still counts, and what no longer does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import cast

import numpy as np
import numpy.typing as npt

from tournament.artifacts.bot import Entrant
from tournament.contests.contest import Contest
from tournament.contests.scoring import HousePlayer
from tournament.contests.settings import ContestSettings
from tournament.errors import pluralize, truncate
from tournament.records.history import has_standings, store_history
from tournament.records.results import rank_records
from tournament.runner.schedule.counting import Reconciliation
from tournament.runner.schedule.legs import Schedule
from tournament.store.field import Batch, ContestSetup, FieldEntrant, FieldHousePlayer, Setting, Until
from tournament.store.legs import Legs
from tournament.store.reading import split_counting
from tournament.store.writer import Writer

# The first version of the engine in which legs share no deals. Before it, a setting decided this.
_OWN_DEALS_FROM = 9
RULES_HAVE_CHANGED = "the rules have changed"


def differences(
    previous: ContestSetup,
    contest: Contest,
    settings: dict[str, object],
    names: set[str],
    house: Sequence[HousePlayer] | None,
) -> dict[str, str]:
    """Return the reasons why records of a field aren't this tournament's, by setting. If they fit, there are none.

    Reasons are clauses for messages. More drawn tables, and more sessions against house players, are no reason.

    Args:
        previous: Field of the records.
        contest: Contest of the tournament.
        settings: The tournament's settings as the records have them.
        names: Names of the entrants.
        house: House players of the tournament, or None for any.

    Returns:
        Reasons by setting, or by "game", "version", "entrants" or "house". Settings that the tournament no longer has
        don't count.
    """
    differing = {
        key: "they have another seed"
        if key == "seed"
        else f"{key} is new"
        if key not in previous.settings
        else f"{key} was {truncate(str(previous.settings[key]), 100)}, is {value}"
        for key, value in settings.items()
        if previous.settings.get(key) != value
        and key != "tables"  # another number of them changes none of the others
        and not (previous.house and key == "sessions" and _grows(previous.settings, value))
    }
    if previous.house == () and ("tables" in previous.settings) != ("tables" in settings):
        drawn = "tables were drawn" if "tables" in previous.settings else "all combinations of bots were played"
        differing["tables"] = drawn
    if previous.rules != contest.rules:
        differing["game"] = f"games of {previous.rules}"
    if previous.engine != contest.engine_version:
        why = ", where each leg has deals of its own" if int(previous.engine.split(".")[0]) < _OWN_DEALS_FROM else ""
        versions = f"version {previous.engine} of {contest.name}, this is {contest.engine_version}"
        is_edited = contest.edition and previous.engine.rpartition(".")[0] == contest.engine_version.rpartition(".")[0]
        differing["version"] = RULES_HAVE_CHANGED if is_edited else f"games of {versions}{why}"
    if names.isdisjoint(entrant.name for entrant in previous.entrants):
        differing["entrants"] = "none of its bots are here"
    if (
        house is not None
        and previous.house
        and {player.sha256 for player in previous.house}.isdisjoint(player.sha256 for player in house)
    ):
        differing["house"] = "none of its house players are here"
    return differing


def _grows(previous: Mapping[str, object], sessions: object) -> bool:
    """Return whether sessions were added. Against house players each is its own leg, so the old ones fit.

    Args:
        previous: Settings of the records.
        sessions: Number of sessions of the tournament.
    """
    before = previous.get("sessions")
    return isinstance(before, int) and isinstance(sessions, int) and before < sessions


def make_field(
    contest: Contest,
    settings: dict[str, object],
    entrants: Sequence[Entrant],
    house: Sequence[HousePlayer],
    previous: ContestSetup | None,
    until: Until | None = None,
    authors: Mapping[str, str] = MappingProxyType({}),
) -> ContestSetup:
    """Return the field of a run. Entrants and house players of the known field keep their numbers.

    Numbers of bots that left remain reserved. New players have the next ones, in their order.

    Args:
        contest: Contest of the run.
        settings: The run's settings as the records have them.
        entrants: All entrants, in the order of the field.
        house: House players of the run.
        previous: Field of the records, or None before the first run.
        until: When a run until the order is settled stops; None for a fixed number of replicas.
        authors: Author of each bot, by the bot's name. Others have the author "".
    """
    numbers = dict(previous.numbers) if previous else {}
    for entrant in entrants:
        numbers.setdefault(entrant.name, len(numbers))
    recorded = {(one.name, one.sha256): one.artifact for one in previous.entrants} if previous else {}
    house_numbers = dict(previous.house_numbers) if previous else {}
    for player in house:
        house_numbers.setdefault(player.name, len(house_numbers))
    return ContestSetup(
        contest=contest.name,
        engine=contest.engine_version,
        settings=cast(dict[str, Setting], settings),
        entrants=tuple(_field_entrant(one, numbers[one.name], recorded, authors.get(one.name, "")) for one in entrants),
        numbers=numbers,
        house=tuple(FieldHousePlayer(house_numbers[p.name], p.name, p.sha256, dict(p.facts)) for p in house),
        house_numbers=house_numbers,
        game="" if contest.rules == contest.name else contest.rules,
        until=until,
    )


def _field_entrant(
    entrant: Entrant, number: int, recorded: Mapping[tuple[str, str], str | None], author: str
) -> FieldEntrant:
    """Return an entrant as the field has it, with long reasons cut.

    One that is set aside before it was built keeps the artifact of its recorded games, if its file hasn't changed.

    Args:
        entrant: The entrant.
        number: Its number.
        recorded: Artifact of each entrant of the records, by name and sha256; None for one that can't play.
        author: Its author; "" if unknown.
    """
    artifact, problem = entrant.artifact_sha256, entrant.problem
    if artifact is None and entrant.set_aside and (artifact := recorded.get((entrant.name, entrant.sha256))):
        problem = None
    identity = (number, entrant.name, entrant.kind, entrant.sha256)
    return FieldEntrant(*identity, artifact, problem, entrant.set_aside, author, entrant.is_house).bounded()


def house_files(contest: Contest, settings: ContestSettings, house: Sequence[HousePlayer]) -> dict[str, bytes]:
    """Return the contents of the files of house/, by name, with examples for entrants first.

    There are none if bots play each other, or if the contest keeps no files of its house players.
    """
    if contest.house is None or contest.house.suffix is None:
        return {}
    make = contest.house.example
    examples = [make(settings, name) for name in contest.house.examples] if make else []
    return {f"{player.name}{contest.house.suffix}": player.content for player in (*examples, *house)}


def write_house_files(
    contest: Contest, settings: ContestSettings, writer: Writer, house: Sequence[HousePlayer]
) -> None:
    """Write the house players' contents to house/, for contests that have them.

    Files of former house players are removed, and no others. Files that are already right aren't written.

    Raises:
        OSError: A file can't be read or written.
        RunError: The folder can't be read, or the object store's request fails.
    """
    if contest.house is None or contest.house.suffix is None:
        return
    storage, known = writer.storage, writer.field
    expected = house_files(contest, settings, house)
    old_files = {f"{name}{contest.house.suffix}" for name in known.house_numbers} if known else set()
    stored = storage.list("house")
    for name in old_files & stored.keys() - expected.keys():
        storage.remove(f"house/{name}")
    for name, content in expected.items():
        if stored.get(name) != len(content) or storage.read(f"house/{name}") != content:
            storage.replace(f"house/{name}", content)


def withdraw(writer: Writer, problems: Mapping[str, str], on_message: Callable[[str], None]) -> None:
    """Remove batches from the records, and report what is wrong with them, sorted by name.

    Args:
        writer: Writer of the records.
        problems: What is wrong, by the batches' names, as text that follows "Part" and the name. If it is empty,
            nothing happens.
        on_message: Called with a message for each batch.

    Raises:
        RunError: Another process has become the writer.
        OSError: The records can't be written.
    """
    for name, problem in sorted(problems.items()):
        on_message(f"Part {name} {problem}; its legs are played again")
    if problems:
        writer.commit(without=problems)


def store_removed_standings(writer: Writer, field: ContestSetup) -> None:
    """Store the standings before legs of changed or removed bots leave, unless a run has stored these versions.

    Nothing happens before the first run, or if no recorded bot changed or was removed.

    Args:
        writer: Writer of the records, with the recorded field.
        field: Field of the run.

    Raises:
        InputError: Bots play house players, and the rules of the records aren't available.
        OSError: The standings can't be read or written.
        RunError: The recorded field lacks facts of house players, or the standings can't be stored.
    """
    contents = {entrant.name: entrant.sha256 for entrant in field.entrants}
    recorded = writer.field.entrants if writer.field else ()
    changed = {entrant.name for entrant in recorded if contents.get(entrant.name) != entrant.sha256}
    if not (writer.field and changed):
        return
    batches, _ = split_counting(writer.field, writer.batches())
    legs = Legs.joined(batch.legs for batch in batches)
    sessions = {
        name: sum(int(legs.sessions[legs.numbered(seat, {name: 0}) == 0].sum()) for seat in range(legs.seats))
        for name in changed
    }
    versions = {one.name: (one.sha256, sessions[one.name]) for one in recorded if one.name in changed}
    if not has_standings(writer.storage, versions):
        store_history(writer.storage, rank_records(writer.storage, writer.field, batches))


@dataclass(frozen=True)
class Cut:
    """A batch, and whether each of its legs still counts.

    Attributes:
        batch: The batch.
        counts: Flag for each leg, in the batch's order.
    """

    batch: Batch
    counts: npt.NDArray[np.bool_]


def batches_to_cut(standing: Sequence[Batch], schedule: Schedule) -> tuple[list[Cut], Reconciliation]:
    """Return the batches that contain outdated legs, in their order, and all batches compared with the schedule."""
    found, legs = Reconciliation(schedule), Legs.joined(batch.legs for batch in standing)
    found.note(legs)
    ends = np.cumsum([len(batch.legs) for batch in standing], dtype=np.int64)
    cuts = [Cut(batch, counts) for batch, counts in zip(standing, np.split(found.counts(legs), ends[:-1]))]
    return [cut for cut in cuts if not cut.counts.all()], found


def report_removed_matches(
    writer: Writer, cuts: list[Cut], schedule: Schedule, disqualified: set[str], on_message: Callable[[str], None]
) -> None:
    """Report whose matches are removed from the records, if any: first of disqualified bots by name, then of others.

    Args:
        writer: Writer of the records, with the recorded field.
        cuts: Batches that contain outdated legs.
        schedule: Schedule of the run.
        disqualified: Names of disqualified bots.
        on_message: Called with the messages.
    """
    removed_matches: set[int] = set()
    removed_legs: Counter[str] = Counter()
    for cut in cuts:
        for leg in cut.batch.legs.take(np.flatnonzero(~cut.counts)):
            if of_one := disqualified.intersection(leg.seats):
                removed_legs.update(of_one)
            else:
                removed_matches.add(leg.match)
    for name, count in sorted(removed_legs.items()):
        removal = f"out of the records: {pluralize(count, 'leg')}"
        on_message(f"{name} was disqualified, so it plays no further leg; {removal}")
    if removed_matches:
        current = {(player.name, player.artifact) for player in (*schedule.competitors, *schedule.house)}
        previous = writer.field
        before = [(e.name, e.artifact) for e in previous.entrants if e.artifact] if previous else []
        before += [(player.name, player.sha256) for player in previous.house] if previous else []
        changed = sorted({name for name, artifact in before if (name, artifact) not in current})
        why = f"{', '.join(changed)} changed or left" if changed else "several parts had the same legs"
        on_message(f"{why}; out of the records: {pluralize(len(removed_matches), 'match', 'matches')}")
