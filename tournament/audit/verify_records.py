"""Whether a results folder is as its ledger says: entries, parts, sums, summaries."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from tournament.audit.recount import NotTheLegs, Recount
from tournament.audit.report import Problem, plays_again
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.errors import RunFailed
from tournament.records.results import summaries
from tournament.runner.strays import in_tables, once_named, shown, strays
from tournament.standings.standings import Standings
from tournament.standings.without_luck import LuckOfLegs, by_digest, luck_of_legs, read_luck
from tournament.store.ledger import FOLDERS_OF_ENTRIES, Batch, Field, Part, State, entry_name, is_sealed
from tournament.store.ledger_reading import gather, sizes_of_entries, states, text_of
from tournament.store.parts import damage, origin_of_part, rows_of, summary_is
from tournament.store.storage import Storage

BRING_BACK = "tournament run brings it back from its copy"
# A flipped bit changes neither size nor time, by which a run knows the files that it has checked.
REMOVE_FIRST = f"remove it, and {BRING_BACK}"
WRITE = "tournament run writes it anew"
MOST_OF_HOUSE = 4 << 20  # bytes of a house player's file
FORMER = "a run needs none of these: remove it and those before"
BRING_ALL_BACK = "bring the records back from a copy"


def ledger_problems(storage: Storage, state: State) -> list[Problem]:
    """Entries of which one copy is damaged or missing, of a ledger that can be read: from the newest fold on, before
    which a run needs none."""
    problems = []
    for number in range(state.fold or 1, state.entries + 1):
        places = [f"{folder}/{entry_name(number)}" for folder in FOLDERS_OF_ENTRIES]
        texts = [text_of(storage, place) for place in places]
        if texts[0] == texts[1]:
            continue
        sound = [text is not None and is_sealed(text) for text in texts]
        for place, text in zip(places, texts):
            if text is None:
                problems.append(Problem(place, "is missing", BRING_BACK))
            elif not is_sealed(text):
                problems.append(Problem(place, "is damaged", REMOVE_FIRST))
        if all(sound):
            problems.append(Problem(places[1], "is another entry than the one in ledger/", REMOVE_FIRST))
    return problems


def fold_problems(storage: Storage) -> list[Problem]:
    """Entries that carry another state than those before them come to."""
    oldest = min(sizes_of_entries(storage), default=0)
    problems = []
    try:
        for state, entry in states(storage):
            if entry.fold > state.entries and state.field:
                gather(storage, state)
                carried = {batch.name: batch for batch in entry.batches}
                if (entry.field, carried, entry.former) != (state.field, state.newest(), state.former):
                    place = f"ledger/{entry_name(entry.fold)}"
                    problems.append(Problem(place, "is not what the entries before it come to", BRING_ALL_BACK))
    except RunFailed as problem:
        if min(sizes_of_entries(storage), default=0) == oldest:  # else a run has removed some meanwhile
            problems.append(
                Problem("ledger", f"has entries before its newest fold that can't be read: {problem}", FORMER)
            )
    return problems


@dataclass(frozen=True)
class Recounted:
    """What is wrong with a batch's parts and the sums of its legs, and what luck was worth in these."""

    problems: list[Problem]
    luck: LuckOfLegs = dataclasses.field(default_factory=dict)


def recount(
    storage: Storage,
    batch: Batch,
    contest: Contest,
    field: Field,
    settings: ContestSettings | None,
) -> Recounted:
    """Compare a batch with its parts. Without `settings` only bytes are compared: its games are of another version."""
    remove = f"remove it, and {plays_again(batch)}"
    games, sessions = sorted(batch.parts, key=lambda part: part.table)
    if problems := [problem for part in batch.parts if (problem := _place_problem(storage, part, plays_again(batch)))]:
        return Recounted(problems)
    problems = [
        Problem(part.place, "has other bytes than were written", remove)
        for part in batch.parts
        if damage(storage, part)
    ]
    problems = problems or _origin_problems(storage, batch, contest, field)
    if problems or settings is None:
        return Recounted(problems)
    counted = Recount(contest, settings, batch.legs)
    luck = luck_of_legs(contest, settings, batch.legs) if contest.luck else None
    part, impossible = games, ""
    try:
        for rows in rows_of(storage, games, contest.games):
            counted.add_games(rows)
            try:
                if luck and not impossible:
                    luck.add(rows, len(rows["match"]))
            except ValueError as problem:
                impossible = f"has games that can't be: {problem}"
        part = sessions
        for rows in rows_of(storage, sessions, contest.sessions):
            counted.add_sessions(rows)
    except NotTheLegs as problem:
        return Recounted([Problem(part.place, str(problem), remove)])
    except RunFailed as problem:  # its hash is the ledger's, so it was written like this
        return Recounted([Problem(part.place, str(problem).partition(" ")[2], remove)])
    wrong = [f"does not give the ledger's sums: {text}" for text in counted.problems()] or [impossible] * bool(
        impossible
    )
    found = [Problem(games.place, text, remove) for text in wrong]
    return Recounted(found, by_digest(batch.legs, luck.points()) if luck and not found else {})


def _origin_problems(storage: Storage, batch: Batch, contest: Contest, field: Field) -> list[Problem]:
    """Parts that say that they are of another version than the ledger does. A contest may have got another name."""
    problems = []
    for part in batch.parts:
        with contextlib.suppress(RunFailed):  # other columns: told by who reads them
            origin = origin_of_part(storage, part, contest.columns(part.table))
            if origin.get("engine_version", field.engine) != field.engine:
                remedy = f"remove it, and {plays_again(batch)}"
                problems.append(Problem(part.place, "says that it is of another version", remedy))
    return problems


def luck_problems(storage: Storage, contest: Contest, luck: LuckOfLegs) -> list[Problem]:
    """Whether the note of luck is what the games give, for legs of which `luck` is known from these."""
    noted = read_luck(storage, contest) if contest.luck else {}
    if all(noted[digest].tobytes() == points.tobytes() for digest, points in luck.items() if digest in noted):
        return []
    return [Problem("ledger/luck", "is not what the games give", "remove it: tournament run works it out again")]


def _place_problem(storage: Storage, part: Part, plays: str) -> Problem | None:
    size = storage.size(part.place)
    if size is None and storage.size(part.staged) == part.size:
        return Problem(part.place, "is committed and still in staging", "tournament run puts it in its place")
    if size is None:
        return Problem(part.place, "is missing", plays)
    if size != part.size:
        return Problem(part.place, f"has {size:,} bytes, of {part.size:,} that were written", plays)
    return None


def stray_problems(storage: Storage, state: State, before: Mapping[str, bool]) -> list[Problem]:
    """What lies among the parts and is none that counts: it was there `before` the ledger was read, and still is."""
    found = strays(before, state, writing=storage.may_be_held())
    still = in_tables(storage) if found else {}
    once = once_named(storage) if found else set()
    return [
        Problem(
            shown(place), "is none of the records", f"tournament run {'removes' if place in once else 'stops for'} it"
        )
        for place in found
        if place in still
    ]


def house_problems(storage: Storage, field: Field, suffix: str | None) -> list[Problem]:
    """House players whose file is not what they play by."""
    problems = []
    for player in field.house if suffix is not None else ():
        place = f"house/{player.name}{suffix}"
        text = text_of(storage, place, MOST_OF_HOUSE)
        if text is None or sha256(text).hexdigest() != player.sha256:
            problems.append(Problem(place, "is missing" if text is None else "has other bytes than it plays by", WRITE))
    return problems


def summary_problems(storage: Storage, ranking: Standings) -> tuple[list[Problem], list[Problem]]:
    """Summaries that are damaged; and those that are missing or differ from the ledger, as while a run goes on."""
    problems, behind = [], []
    for name, (columns, values) in summaries(ranking).items():
        try:
            same = summary_is(storage, name, columns, values)
        except FileNotFoundError:
            behind.append(Problem(name, "is missing", WRITE))
            continue
        if same is None:
            problems.append(Problem(name, "is damaged", WRITE))
        elif not same:
            behind.append(Problem(name, "is not what the ledger comes to", WRITE))
    return problems, behind
