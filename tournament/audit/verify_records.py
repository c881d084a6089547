"""Whether a results folder is as its ledger says: entries, parts, sums, summaries."""

from __future__ import annotations

import fcntl
from collections.abc import Sequence
from functools import partial
from hashlib import sha256

from tournament.audit.recount import NotTheLegs, Recount
from tournament.audit.report import Problem, plays_again
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.errors import RunFailed
from tournament.keys import KEY_BYTES
from tournament.probation import Probation
from tournament.runner.contest_run import competitors_of, schedule_of
from tournament.runner.replicas import recorded_replicas
from tournament.standings.results import summaries
from tournament.standings.standings import Standings
from tournament.store.folder_storage import FolderStorage
from tournament.store.ledger import FOLDERS_OF_ENTRIES, Batch, Field, Part, State, entry_name, is_sealed
from tournament.store.ledger_reading import read_state
from tournament.store.legs import Legs
from tournament.store.parts import digest_of, read_whole, rows_of
from tournament.store.storage import Storage

_BRING_BACK = "tournament run brings it back from its copy"
# A flipped bit changes neither size nor time, by which a run knows the files that it has checked.
_REMOVE_FIRST = f"remove it, and {_BRING_BACK}"
_WRITE = "tournament run writes it anew"
_TAKE_AWAY = "take it away"


def ledger_problems(storage: Storage, entries: int) -> list[Problem]:
    """Entries of which one copy is damaged or missing, of a ledger that can be read."""
    problems = []
    for number in range(1, entries + 1):
        places = [f"{folder}/{entry_name(number)}" for folder in FOLDERS_OF_ENTRIES]
        texts = [_text(storage, place) for place in places]
        if texts[0] == texts[1]:
            continue
        for place, text in zip(places, texts):
            if text is None or not is_sealed(text):
                missing = Problem(place, "is missing", _BRING_BACK)
                problems.append(missing if text is None else Problem(place, "is damaged", _REMOVE_FIRST))
        if all(text is not None and is_sealed(text) for text in texts):
            problems.append(Problem(places[1], "is another entry than the one in ledger/", _REMOVE_FIRST))
    return problems


def checkpoint_problems(storage: Storage, state: State) -> list[Problem]:
    """Whether the ledger read from its checkpoint on differs from `state`, read from its first entry on."""
    short = read_state(storage)
    if short.entries > state.entries:  # a run went on meanwhile
        return []
    if (short.field, short.newest()) == (state.field, state.newest()):
        return []
    return [Problem("ledger/checkpoint", "is not what the entries come to", "remove it: the entries are the record")]


def _text(storage: Storage, place: str) -> bytes | None:
    try:
        return storage.read(place)
    except FileNotFoundError:
        return None


def batch_problems(storage: Storage, batch: Batch, contest: Contest, settings: ContestSettings | None) -> list[Problem]:
    """What is wrong with a batch's parts, and with the sums of its legs.

    Without `settings` only bytes are compared: its games are of another version.
    """
    problems = [problem for part in batch.parts if (problem := _part_problem(storage, part, plays_again(batch)))]
    if problems or settings is None:
        return problems
    games, sessions = sorted(batch.parts, key=lambda part: part.table)
    recount = Recount(contest, settings, batch.legs)
    remove = f"remove it, and {plays_again(batch)}"
    part = games
    try:
        for rows in rows_of(storage, games, contest.games):
            recount.add_games(rows)
        part = sessions
        for rows in rows_of(storage, sessions, contest.sessions):
            recount.add_sessions(rows)
    except NotTheLegs as problem:
        return [Problem(games.place, str(problem), remove)]
    except RunFailed as problem:  # its hash is the ledger's, so it was written like this
        return [Problem(part.place, str(problem).partition(" ")[2], remove)]
    return [Problem(games.place, f"does not give the ledger's sums: {text}", remove) for text in recount.problems()]


def _part_problem(storage: Storage, part: Part, plays: str) -> Problem | None:
    size = storage.size(part.place)
    if size is None and storage.size(part.staged) == part.size:
        return Problem(part.place, "is committed and still in staging", "tournament run puts it in its place")
    if size is None:
        return Problem(part.place, "is missing", plays)
    if size != part.size:
        return Problem(part.place, f"has {size:,} bytes, of {part.size:,} that were written", plays)
    if digest_of(storage, part) != part.digest:
        return Problem(part.place, "has other bytes than were written", f"remove it, and {plays}")
    return None


def stray_problems(storage: Storage, batches: Sequence[Batch]) -> list[Problem]:
    """Files among the parts that belong to no batch: pandas would read them, too."""
    known = {part.place for batch in batches for part in batch.parts}
    found = [f"{table}/{name}" for table in ("games", "sessions") for name in storage.list(table)]
    return [Problem(place, "is none of the records", _TAKE_AWAY) for place in found if place not in known]


def probation_problems(
    contest: Contest, settings: ContestSettings, field: Field, batches: Sequence[Batch]
) -> list[Problem]:
    """Legs that don't count, since one of their bots was disqualified in its first. Digests would need the seed."""
    recorded: dict[tuple[int, int], int | None] = {}
    for legs in (Legs.of(batch.legs) for batch in batches):
        ends = [rest.ended_by for rest in legs.rest]
        recorded |= dict(zip(zip(legs.match.tolist(), legs.number.tolist()), ends))
    if all(end is None for end in recorded.values()):
        return []
    schedule_with = partial(schedule_of, contest, settings.playing(), bytes(KEY_BYTES), *competitors_of(field))
    schedule = schedule_with(recorded_replicas(batches, schedule_with().legs_per_replica))
    fixtures = {(fixture.match, fixture.number): fixture for fixture in schedule.fixtures()}
    known = {fixtures[place].digest: end for place, end in recorded.items() if place in fixtures}
    probation = Probation(known)
    counting = {fixture.digest for fixture in probation.legs(fixtures.values())}
    if not known.keys() - counting:
        return []
    what = f"has {len(known.keys() - counting):,} legs beyond the first of {', '.join(sorted(probation.out))}"
    return [Problem("ledger", f"{what}, disqualified in that one", "tournament run takes them out")]


def house_problems(storage: Storage, field: Field, suffix: str | None) -> list[Problem]:
    """House players whose file is not what they play by."""
    problems = []
    for player in field.house if suffix is not None else ():
        place = f"house/{player.name}{suffix}"
        text = _text(storage, place)
        if text is None or sha256(text).hexdigest() != player.sha256:
            problems.append(
                Problem(place, "is missing" if text is None else "has other bytes than it plays by", _WRITE)
            )
    return problems


def summary_problems(storage: Storage, ranking: Standings) -> tuple[list[Problem], list[Problem]]:
    """Summaries that are missing or damaged; and those that differ from the ledger."""
    problems, behind = [], []
    for name, (columns, values) in summaries(ranking).items():
        try:
            there = read_whole(storage, name, columns)
        except FileNotFoundError:
            problems.append(Problem(name, "is missing", _WRITE))
            continue
        if there is None:
            problems.append(Problem(name, "is damaged", _WRITE))
        elif there != values:
            behind.append(Problem(name, "is not what the ledger comes to", _WRITE))
    return problems, behind


def may_be_written_now(storage: Storage) -> bool:
    """Whether a run may be going on. In an object store nobody can tell."""
    if not isinstance(storage, FolderStorage):
        return True
    with open(f"{storage.location}/ledger/writer", "rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False
