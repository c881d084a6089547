"""Whether a results folder is as it was written: parts, sums, summaries."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from tournament.audit.report import Problem, plays_again
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.errors import RunError
from tournament.records.history import damaged_parts
from tournament.records.summaries import summaries
from tournament.runner.stray_files import in_tables, shown, strays
from tournament.standings.standings import Standings
from tournament.store.field import OF_BATCH, SUMMARY_FILE, Batch, ContestSetup, Part
from tournament.store.field_file import unpack_field
from tournament.store.kept_bots import damaged_bots
from tournament.store.legs import pair_keys
from tournament.store.parts import damage, rows_of
from tournament.store.reading import Records, text_of
from tournament.store.small_tables import is_as_written, summary_table
from tournament.store.storage import FIELD_NAME, Storage
from tournament.store.summary_parts import is_as_summarised, summary_parts

WRITE = "tournament run writes it again"
_MOST_OF_HOUSE = 4 << 20  # bytes of a house player's file
# A sum of rows in another order differs by its rounding.
_ROUNDING = 1e-9


def batch_problems(storage: Storage, batch: Batch, contest: Contest, settings: ContestSettings | None) -> list[Problem]:
    """Compare a batch's parts with their hashes, and the sums of their rows with the legs. Without `settings` only
    bytes are compared: its games are of another version."""
    plays = plays_again(len(batch.legs))
    remove = f"remove it, and {plays}"
    if problems := [problem for part in batch.parts if (problem := _place_problem(storage, part, plays))]:
        return problems
    damaged = [part for part in batch.parts if damage(storage, part)]
    if damaged or settings is None:
        return [Problem(part.place, "has other bytes than were written", remove) for part in damaged]
    try:
        wrong = _not_adding_up(storage, batch, contest, settings)
    except RunError as problem:  # its hash is right, so it was written like this
        place, _, what = str(problem).removeprefix(f"{storage.location}/").partition(" ")
        return [Problem(place, what, remove)]
    return [Problem(place, what, remove) for place, what in wrong.items()]


def _not_adding_up(storage: Storage, batch: Batch, contest: Contest, settings: ContestSettings) -> dict[str, str]:
    """What is wrong with the rows of a batch's parts, added up leg by leg, by place."""
    legs, per_leg, scored = batch.legs, contest.sessions_of_leg(settings), contest.scored
    keys, finished = pair_keys(legs.match, legs.number), legs.sessions
    sums = {name: np.zeros(len(legs)) for name in ("games", "sessions", "games in sessions", "games of sessions")}
    points, amount = np.zeros((legs.seats, len(legs))), np.ones(len(legs))

    def add(name: str, of: npt.NDArray[np.intp], amounts: npt.NDArray[np.float64] | None = None) -> None:
        sums[name] += np.bincount(of, amounts, len(legs))

    for table in OF_BATCH:
        part = batch.part(table)
        for rows in rows_of(storage, part, contest.columns(table)):
            session = rows["session"].astype(np.int64)
            wanted = pair_keys(rows["match"].astype(np.int64), session // per_leg)
            of = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
            if not np.array_equal(keys[of], wanted):
                return {part.place: "has rows of none of its legs"}
            add(table, of)
            counts = session % per_leg < finished[of]  # others are of a session that a disqualification ended
            if table == "games":
                add("games in sessions", of[counts])
            else:
                add("games of sessions", of, rows["games"].astype(np.float64))
            if table == scored.table:
                for seat, amounts in enumerate(scored.points(rows, legs, of)):
                    points[seat] += np.bincount(of[counts], amounts[counts], len(legs))
                    amount += np.bincount(of[counts], np.abs(amounts[counts]), len(legs))
    wrong: dict[str, list[str]] = {part.place: [] for part in batch.parts}
    for table, recorded in (("games", legs.games), ("sessions", legs.sessions)):
        if not np.array_equal(sums[table], recorded):
            wrong[f"{table}/{batch.name}.parquet"].append(table)
    if not np.array_equal(sums["games in sessions"], sums["games of sessions"]):
        wrong[batch.part("sessions").place].append("games in its sessions")
    unlike = [np.abs(points[seat] - legs.of_seat(seat).points) > _ROUNDING * amount for seat in range(legs.seats)]
    if np.any(unlike):
        wrong[batch.part(scored.table).place].append("points")
    return {place: f"adds up to other {' and '.join(names)} than its legs" for place, names in wrong.items() if names}


def batches_problems(records: Records) -> list[Problem]:
    """What is wrong with batches that don't count: damaged ones, and those that no run has taken in yet."""
    again = "tournament run plays its legs again"
    found = [Problem(f"sessions/{name}.parquet", what, again) for name, what in sorted(records.problems.items())]
    for batch in records.waiting:
        what = "has legs of other bots than the field's, or legs that another part has"
        found.append(Problem(batch.part("sessions").place, what, "tournament run keeps those that count"))
    return found


def field_problems(storage: Storage) -> list[Problem]:
    """What is wrong with the file of the field."""
    content = text_of(storage, FIELD_NAME)
    if content is None:
        return [Problem(FIELD_NAME, "is missing", WRITE)]
    try:
        unpack_field(content)
    except ValueError:
        return [Problem(FIELD_NAME, "has other bytes than were written", WRITE)]
    return []


def _place_problem(storage: Storage, part: Part, plays: str) -> Problem | None:
    size = storage.size(part.place)
    if size != part.size and storage.size(part.staged) == part.size:
        return Problem(part.place, "is committed and still in staging", "tournament run puts it in its place")
    if size is None:
        return Problem(part.place, "is missing", plays)
    if size != part.size:
        return Problem(part.place, f"has {size:,} bytes, of {part.size:,} that were written", plays)
    return None


def stray_problems(storage: Storage, before: Mapping[str, bool]) -> list[Problem]:
    """What lies among the parts and is none: it was there `before` these were read, and still is."""
    found = strays(before)
    still = in_tables(storage) if found else {}
    return [
        Problem(shown(place), "is none of the records", "move it away: tournament run stops for it")
        for place in found
        if place in still
    ]


def history_problems(storage: Storage) -> list[Problem]:
    """Parts of former standings that have other bytes than were written."""
    remedy = "bring it back from a copy, or remove it: it has no game"
    return [Problem(place, "has other bytes than were written", remedy) for place in damaged_parts(storage)]


def kept_bot_problems(storage: Storage) -> list[Problem]:
    """Bots kept beside the records that have other bytes than were written."""
    remedy = "remove it: the next run keeps the bot again if it plays"
    return [Problem(place, "has other bytes than were written", remedy) for place in damaged_bots(storage)]


def house_problems(storage: Storage, field: ContestSetup, suffix: str | None) -> list[Problem]:
    """House players whose file is not what they play by."""
    problems = []
    for player in field.house if suffix is not None else ():
        place = f"house/{player.name}{suffix}"
        text = text_of(storage, place, _MOST_OF_HOUSE)
        if text is None or sha256(text).hexdigest() != player.sha256:
            problems.append(Problem(place, "is missing" if text is None else "has other bytes than it plays by", WRITE))
    return problems


def summary_problems(storage: Storage, records: Records, ranking: Standings, per_replica: int) -> list[Problem]:
    """Return what is wrong with summaries: damage, and what differs from the legs, as while a run goes on."""
    found = []
    for place, (columns, values) in summaries(ranking).items():
        try:
            same = is_as_written(storage, place, summary_table(columns, values))
        except FileNotFoundError:
            found.append(Problem(place, "is missing", WRITE))
            continue
        if not same:
            found.append(Problem(place, "is damaged" if same is None else "is not what the legs come to", WRITE))
    for table, wanted in summary_parts(records.batches).items():
        for name, legs in wanted.items():
            place = f"{table}/{name}"
            content = text_of(storage, place)
            if content is None:
                found.append(Problem(place, "is missing", WRITE))
            elif not is_as_summarised(content, table, legs, per_replica):
                found.append(Problem(place, "has other bytes than were written", f"remove it: {WRITE}"))
        for name in sorted(filter(SUMMARY_FILE.fullmatch, storage.list(table).keys() - wanted.keys())):
            found.append(Problem(f"{table}/{name}", "is of legs that don't count", "tournament run removes it"))
    return found
