"""Checks of a results folder: parts, sums and summaries."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from tournament.audit.report import Problem, describe_replay
from tournament.contests.contest import Contest
from tournament.contests.settings import ContestSettings
from tournament.errors import RunError
from tournament.records.history import damaged_parts
from tournament.records.summaries import summaries
from tournament.runner.stray_files import escape_path, find_strays, in_tables
from tournament.standings.standings import Standings
from tournament.store.field import BATCH_TABLES, SUMMARY_FILE, Batch, ContestSetup, Part
from tournament.store.field_file import unpack_field
from tournament.store.kept_bots import damaged_bots
from tournament.store.legs import pair_keys
from tournament.store.parts import damage, read_rows
from tournament.store.reading import Records, read_if_present
from tournament.store.small_tables import is_as_written, summary_table
from tournament.store.storage import FIELD_NAME, Storage
from tournament.store.summary_parts import is_as_summarised, summary_parts

WRITE = "tournament run writes it again"
# Maximum bytes of a house player's file.
_MAX_HOUSE_BYTES = 4 << 20
# Relative rounding error of a sum in another order.
_ROUNDING = 1e-9


def batch_problems(storage: Storage, batch: Batch, contest: Contest, settings: ContestSettings | None) -> list[Problem]:
    """Return the problems of a batch, by the hashes of its parts and the sums of their rows, by part.

    Sums are checked only if all parts exist and have the right hashes. The list is empty if there is no problem.

    Args:
        storage: Storage of the records.
        batch: The batch.
        contest: Contest of the records.
        settings: Settings of the contest; None if the games have another version, so that sums can't be checked.

    Raises:
        FileNotFoundError: A part is removed while it is read.
        OSError: A part can't be read.
        RunError: A part can't be opened.
    """
    plays = describe_replay(len(batch.legs))
    remove = f"remove it, and {plays}"
    if problems := [problem for part in batch.parts if (problem := _file_problem(storage, part, plays))]:
        return problems
    damaged = [part for part in batch.parts if damage(storage, part)]
    if damaged or settings is None:
        return [Problem(part.path, "has other bytes than were written", remove) for part in damaged]
    try:
        wrong = _not_adding_up(storage, batch, contest, settings)
    # The hash is right, so the part was written like this.
    except RunError as problem:
        place, _, what = str(problem).removeprefix(f"{storage.location}/").partition(" ")
        return [Problem(place, what, remove)]
    return [Problem(place, what, remove) for place, what in wrong.items()]


def _not_adding_up(storage: Storage, batch: Batch, contest: Contest, settings: ContestSettings) -> dict[str, str]:
    """Return what is wrong with the sums of rows over legs, by the path of the part. Right parts are omitted.

    If a part has rows of other legs, only the first such part is returned, and no sums are compared. Points can differ
    by a rounding error.

    Raises:
        FileNotFoundError: A part is missing.
        RunError: A part has other columns or rows, or can't be read.
    """
    legs, per_leg, scored = batch.legs, contest.sessions_per_leg(settings), contest.scored
    keys, finished = pair_keys(legs.match, legs.number), legs.sessions
    sums = {name: np.zeros(len(legs)) for name in ("games", "sessions", "games in sessions", "games of sessions")}
    points, amount = np.zeros((legs.seats, len(legs))), np.ones(len(legs))

    def add(name: str, indices: npt.NDArray[np.intp], amounts: npt.NDArray[np.float64] | None = None) -> None:
        """Add amounts, or 1 for each row, to a sum by leg."""
        sums[name] += np.bincount(indices, amounts, len(legs))

    for table in BATCH_TABLES:
        part = batch.part(table)
        for rows in read_rows(storage, part, contest.columns(table)):
            session = rows["session"].astype(np.int64)
            row_keys = pair_keys(rows["match"].astype(np.int64), session // per_leg)
            leg_indices = np.searchsorted(keys, row_keys).clip(max=len(keys) - 1)
            if not np.array_equal(keys[leg_indices], row_keys):
                return {part.path: "has rows of other legs"}
            add(table, leg_indices)
            # Other rows belong to a session that a disqualification ended.
            counts = session % per_leg < finished[leg_indices]
            if table == "games":
                add("games in sessions", leg_indices[counts])
            else:
                add("games of sessions", leg_indices, rows["games"].astype(np.float64))
            if table == scored.table:
                for seat, amounts in enumerate(scored.points(rows, legs, leg_indices)):
                    points[seat] += np.bincount(leg_indices[counts], amounts[counts], len(legs))
                    amount += np.bincount(leg_indices[counts], np.abs(amounts[counts]), len(legs))
    wrong: dict[str, list[str]] = {part.path: [] for part in batch.parts}
    for table, recorded in (("games", legs.games), ("sessions", legs.sessions)):
        if not np.array_equal(sums[table], recorded):
            wrong[f"{table}/{batch.name}.parquet"].append(table)
    if not np.array_equal(sums["games in sessions"], sums["games of sessions"]):
        wrong[batch.part("sessions").path].append("games in its sessions")
    differs = [np.abs(points[seat] - legs.seat_columns(seat).points) > _ROUNDING * amount for seat in range(legs.seats)]
    if np.any(differs):
        wrong[batch.part(scored.table).path].append("points")
    return {place: f"adds up to other {' and '.join(names)} than its legs" for place, names in wrong.items() if names}


def batches_problems(records: Records) -> list[Problem]:
    """Return the problems of batches that don't count: damaged ones by name, then those that no run has accepted."""
    fix = "tournament run plays its legs again"
    problems = [Problem(f"sessions/{name}.parquet", text, fix) for name, text in sorted(records.problems.items())]
    for batch in records.waiting:
        message = "has legs of other bots than the field's, or legs that another part has"
        problems.append(Problem(batch.part("sessions").path, message, "tournament run keeps those that count"))
    return problems


def field_problems(storage: Storage) -> list[Problem]:
    """Return the problems of the field's file: one if it is missing or damaged, otherwise none.

    Raises:
        RunError: The file can't be opened.
    """
    content = read_if_present(storage, FIELD_NAME)
    if content is None:
        return [Problem(FIELD_NAME, "is missing", WRITE)]
    try:
        unpack_field(content)
    except ValueError:
        return [Problem(FIELD_NAME, "has other bytes than were written", WRITE)]
    return []


def _file_problem(storage: Storage, part: Part, plays: str) -> Problem | None:
    """Return the problem of a part's place or size, or None if there is none. The content isn't read.

    Args:
        storage: Storage of the records.
        part: The part.
        plays: How a run repairs the part.

    Raises:
        OSError: The part's folder can't be searched.
        RunError: The part's folder is a link or a file, or a request to the object store fails.
    """
    size = storage.size(part.path)
    if size != part.size and storage.size(part.staged) == part.size:
        return Problem(part.path, "is committed but still in staging", "tournament run publishes it")
    if size is None:
        return Problem(part.path, "is missing", plays)
    if size != part.size:
        return Problem(part.path, f"has {size:,} bytes, of {part.size:,} that were written", plays)
    return None


def unexpected_files(storage: Storage, before: Mapping[str, bool]) -> list[Problem]:
    """Return the problems of entries in the tables' folders that aren't parts, sorted by path.

    Args:
        storage: Storage of the records.
        before: Whether each entry is a file, by path, before the parts were read. Entries that no longer exist, or that
            are new, aren't problems.

    Raises:
        RunError: A folder can't be read.
    """
    candidates = find_strays(before)
    current = in_tables(storage) if candidates else {}
    return [
        Problem(escape_path(place), "isn't part of the records", "move it away, because tournament run stops at it")
        for place in candidates
        if place in current
    ]


def history_problems(storage: Storage) -> list[Problem]:
    """Return the parts of previous standings that have other bytes than were written, as problems, in order.

    Raises:
        RunError: The folder can't be read, or a part can't be opened.
    """
    fix = "restore it from a copy, or remove it, because it has no games"
    return [Problem(place, "has other bytes than were written", fix) for place in damaged_parts(storage)]


def stored_bot_problems(storage: Storage) -> list[Problem]:
    """Return the bots stored with the records that have other bytes than were written, or can't be opened, as problems.

    Raises:
        RunError: The folder of artifacts can't be read.
    """
    fix = "remove it; the next run stores the bot again if it plays"
    return [Problem(place, "has other bytes than were written", fix) for place in damaged_bots(storage)]


def house_problems(storage: Storage, field: ContestSetup, suffix: str | None) -> list[Problem]:
    """Return the problems of house players' files, in order of the field's house players.

    A file of more than 4 MiB has other bytes than were played.

    Args:
        storage: Storage of the records.
        field: Field of the records.
        suffix: Suffix of the files; None if the contest keeps no such files, so that there are no problems.

    Raises:
        RunError: A file can't be opened.
    """
    problems = []
    for player in field.house if suffix is not None else ():
        path = f"house/{player.name}{suffix}"
        text = read_if_present(storage, path, _MAX_HOUSE_BYTES)
        if text is None or sha256(text).hexdigest() != player.sha256:
            problems.append(Problem(path, "is missing" if text is None else "has other bytes than were played", WRITE))
    return problems


def summary_problems(storage: Storage, records: Records, ranking: Standings, per_replica: int) -> list[Problem]:
    """Return the problems of summaries: damage, and differences from the legs, which also occur during a run.

    Small tables come first, then the parts of legs and faults.

    Args:
        storage: Storage of the records.
        records: The records.
        ranking: Standings of the records.
        per_replica: Number of legs of a replica.

    Raises:
        RunError: A folder can't be read, or a file can't be opened.
    """
    problems = []
    for path, (columns, values) in summaries(ranking).items():
        try:
            same = is_as_written(storage, path, summary_table(columns, values))
        except FileNotFoundError:
            problems.append(Problem(path, "is missing", WRITE))
            continue
        if not same:
            problems.append(Problem(path, "is damaged" if same is None else "doesn't match the legs", WRITE))
    for table, parts in summary_parts(records.batches).items():
        for name, legs in parts.items():
            path = f"{table}/{name}"
            content = read_if_present(storage, path)
            if content is None:
                problems.append(Problem(path, "is missing", WRITE))
            elif not is_as_summarised(content, table, legs, per_replica):
                problems.append(Problem(path, "has other bytes than were written", f"remove it: {WRITE}"))
        for name in sorted(filter(SUMMARY_FILE.fullmatch, storage.list(table).keys() - parts.keys())):
            problems.append(Problem(f"{table}/{name}", "is of legs that don't count", "tournament run removes it"))
    return problems
