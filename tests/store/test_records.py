"""Records after any end of their writer, as readers and the next writer find them."""

from __future__ import annotations

import hashlib
import itertools
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Semaphore
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from tournament.contests.contest import Contest
from tournament.errors import RunError
from tournament.keys import master_key, seed_fingerprint
from tournament.leg import match_number
from tournament.runner.compaction import commit_played
from tournament.store.carried import DamagedPart, read_batch
from tournament.store.columns import Column
from tournament.store.field import Batch, ContestSetup, FieldEntrant, TableName, new_batch_name
from tournament.store.folder_storage import FolderStorage
from tournament.store.leg_result import Fault, LegResult, select_faults
from tournament.store.leg_sums import LegSums
from tournament.store.legs import Legs
from tournament.store.part_writer import PartWriter, finish_batch
from tournament.store.parts import read_rows
from tournament.store.reading import read_field, read_records
from tournament.store.storage import Storage, staged_name
from tournament.store.summary_parts import make_summary
from tournament.store.writer import Writer, open_for_writing

SEED = "the seed of these records"
NAMES = ("ann", "bob", "cat", "dan", "eve")
FIELD = ContestSetup(
    contest="von_neumann_poker",
    engine="1",
    settings={"sessions": 4, "seed": seed_fingerprint(master_key(SEED)), "duplicate": False},
    entrants=(
        *(FieldEntrant(number, name, "c", f"{number}" * 64, "b" * 64, None) for number, name in enumerate(NAMES)),
        FieldEntrant(5, "fay", "cpp", "c" * 64, None, "broken\n'“”"),
    ),
    numbers={name: number for number, name in enumerate((*NAMES, "fay"))},
)
PLAYERS = {match_number(low, high): (low, high) for low, high in itertools.combinations(range(5), 2)}
SESSIONS = 4  # per leg
COLUMNS = (Column("match", "int32", "the match"), Column("session", "int32", "the session"))


def sums_of(points: float, squares: float = 1 / 3, luck: float = -1e-17) -> tuple[LegSums, ...]:
    own = LegSums(points, squares, luck, 0.5, 1 / 7, -0.5)
    return own, own.opposite()


def leg(match: int, number: int = 0) -> LegResult:
    digest = hashlib.sha256(f"{match} {number}".encode()).hexdigest()
    x, y = (NAMES[player] for player in PLAYERS[match])
    return LegResult(digest, match, number, (x, y), SESSIONS, 40, sums_of(0.1 + match))


def stage_batch(storage: Storage, *legs: LegResult, name: str = "") -> Batch:
    """Return a batch whose parts are written aside: of a new name, or of legs that stay in one of this name."""
    name = name or new_batch_name(legs[0].match, legs[0].number)
    staged = staged_name(name)
    writers: list[PartWriter] = []
    tables: list[tuple[TableName, list[int]]] = [
        ("games", [one.games for one in legs]),
        ("sessions", [one.sessions for one in legs]),
    ]
    for table, rows in tables:
        writer = PartWriter(storage, table, COLUMNS, "", f"{staged}-{table}")
        session = [SESSIONS * one.number + np.arange(count) * SESSIONS // count for one, count in zip(legs, rows)]
        columns = {"match": np.repeat([one.match for one in legs], rows), "session": np.concatenate(session)}
        for first, end in itertools.pairwise((0, sum(rows) // 3, sum(rows))):  # Row groups begin inside of legs.
            writer.append({name: values[first:end].astype(np.int32) for name, values in columns.items()}, end - first)
        writers.append(writer)
    games, sessions = writers
    return finish_batch(games, sessions, Legs.from_results(legs), FIELD.origin, "", name)


@pytest.fixture
def storage(tmp_path: Path) -> FolderStorage:
    return FolderStorage(str(tmp_path / "records"))


@pytest.fixture
def writer(storage: FolderStorage) -> Writer:
    writer = open_for_writing(storage)
    writer.set_field(FIELD)
    return writer


def commit_few(writer: Writer, *legs: LegResult) -> None:
    """Commit legs as those of an edit, which join the smallest batch."""
    contest = cast(Contest, SimpleNamespace(columns=lambda table: COLUMNS))
    commit_played(contest, writer, [stage_batch(writer.storage, *legs)], SESSIONS, are_few=True)


def counting(storage: Storage) -> list[list[LegResult]]:
    return [list(batch.legs) for batch in read_records(storage).batches]


def reopened(storage: Storage) -> list[list[LegResult]]:
    """Return what counts after the next writer came and went. Nothing else may be left of the tables, or staged."""
    open_for_writing(storage).close()
    records = read_records(storage)
    there = {f"{table}/{name}" for table in ("games", "sessions") for name in storage.list(table)}
    assert there == {part.path for part in records.parts} and not records.problems
    assert storage.list("staging") == {}
    return [list(batch.legs) for batch in records.batches]


def test_committed_legs_are_read_exactly(storage: FolderStorage, writer: Writer) -> None:
    fault = Fault(1, 2, 3, "b", "what ✓", "asked", "last words")
    odd = replace(leg(1), faults=(fault,), further_faults=(0, 5), disqualified_seats=(1,), seconds=0.25)
    batch = stage_batch(storage, leg(0), odd, leg(1, 1))
    writer.commit([batch])
    (found,) = read_records(storage).batches
    assert found.legs == batch.legs and list(map(repr, found.legs)) == list(map(repr, batch.legs))
    assert found.legs.seconds.tolist() == [0.0, 0.25, 0.0]
    assert (found.parts[0], found.seal) == (batch.parts[0], batch.seal)
    assert found.origin == FIELD.origin.for_players(("ann", "bob", "cat"), ())
    assert read_field(storage) == FIELD


# Kills.


class Crash(BaseException):
    """The process ends here."""


def steps_of_a_change(storage: FolderStorage, change: Any) -> list[list[list[LegResult]]]:
    """Return what counts after a crash at each step of a change, and after the next writer."""
    before = f"{storage.location}-before"
    shutil.copytree(storage.location, before)
    found, step, done = [], 0, False
    while not done:
        step += 1
        shutil.rmtree(storage.location)
        shutil.copytree(before, storage.location)
        steps = itertools.count(1)
        with pytest.MonkeyPatch.context() as patch:
            for name in ("publish", "remove", "_sync_folder"):
                original = getattr(FolderStorage, name)

                def stopping(self: FolderStorage, *what: Any, original: Any = original) -> Any:
                    if next(steps) == step:  # noqa: B023
                        raise Crash
                    return original(self, *what)

                patch.setattr(FolderStorage, name, stopping)
            crashed = FolderStorage(storage.location)
            try:
                change(crashed)
                done = True
            except Crash:
                crashed.release()
        found += [counting(storage), reopened(storage)]
    return found


CHANGES: dict[str, tuple[Callable[[Writer, Batch], None], list[list[list[int]]]]] = {
    "a batch": (lambda writer, known: writer.commit([stage_batch(writer.storage, leg(1), leg(2))]), [[[0, 3], [1, 2]]]),
    "a cut": (lambda writer, known: writer.commit([stage_batch(writer.storage, leg(3), name=known.name)]), [[[3]]]),
    "a removal": (lambda writer, known: writer.commit(without=[known.name]), [[]]),
    "an edit": (lambda writer, known: commit_few(writer, leg(1), leg(2)), [[[0, 3], [1, 2]], [[0, 1, 2, 3]]]),
}


@pytest.mark.parametrize("what", CHANGES)
def test_kill_at_any_step_leaves_all_or_nothing(storage: FolderStorage, writer: Writer, what: str) -> None:
    """Complete batches of an edit that hadn't joined another one are published by the next writer."""
    change, after = CHANGES[what]
    writer.commit([known := stage_batch(storage, leg(0), leg(3))])
    writer.close()

    def change_there(there: FolderStorage) -> None:
        open_writer = open_for_writing(there)
        change(open_writer, known)
        open_writer.close()

    found = [[[one.match for one in legs] for legs in state] for state in steps_of_a_change(storage, change_there)]
    assert [[0, 3]] in found and found[-1] == after[-1]
    assert all(state in ([[0, 3]], *after) for state in found)


def test_legs_that_join_batch_keep_rows_in_order(storage: FolderStorage, writer: Writer) -> None:
    legs = [leg(0), leg(2, 1), leg(4), leg(5), leg(2), leg(3)]
    writer.commit([known := stage_batch(storage, *legs[:3]), stage_batch(storage, *legs[3:4], *map(leg, range(6, 9)))])
    commit_few(writer, *legs[4:])
    (joined, _) = read_records(storage).batches
    expected = sorted([*legs[:3], *legs[4:]], key=lambda one: (one.match, one.number))
    assert joined.name == known.name and list(joined.legs) == expected and joined.seal != known.seal
    for part in joined.parts:
        groups = list(read_rows(storage, part, COLUMNS))
        rows = {name: np.concatenate([group[name] for group in groups]) for name in ("match", "session")}
        each = 40 if part.table == "games" else SESSIONS
        assert rows["match"].tolist() == [one.match for one in expected for _ in range(each)]
        assert rows["session"].tolist() == [
            SESSIONS * one.number + row * SESSIONS // each for one in expected for row in range(each)
        ]
    assert storage.list("staging") == {}


def test_legs_join_no_damaged_or_overlapping_batch(storage: FolderStorage, writer: Writer) -> None:
    """Damaged parts aren't copied, and their legs stay for the next run."""
    commit_few(writer, leg(1))
    commit_few(writer, leg(1))  # another version of it, at tables
    assert len(writer.batches()) == 2
    for batch in writer.batches():
        (Path(storage.location) / batch.part("games").path).write_bytes(b"damaged")
    commit_few(writer, leg(2))
    assert len(writer.batches()) == 3


def test_complete_staged_batch_is_published(storage: FolderStorage, writer: Writer) -> None:
    writer.commit([stage_batch(storage, leg(0))])
    storage.release()
    stage_batch(storage, leg(1), leg(2))
    known = stage_batch(storage, leg(0), leg(3))  # Leg 0 is known.
    part = stage_batch(storage, leg(4))
    storage.remove(part.parts[0].staged)
    assert reopened(storage) == [[leg(0)], [leg(1), leg(2)]]
    assert known.name not in {name.partition(".")[0] for name in storage.list("sessions")}


# Copies.


def test_leg_in_two_batches_counts_once(storage: FolderStorage, writer: Writer) -> None:
    batches = [stage_batch(storage, leg(0), leg(1)), stage_batch(storage, leg(1), leg(2))]
    writer.commit(batches)
    records = read_records(storage)
    assert [batch.name for batch in records.batches] == [batches[0].name]
    assert [batch.name for batch in records.waiting] == [batches[1].name]


def test_batch_of_edited_bots_waits(storage: FolderStorage, writer: Writer) -> None:
    writer.commit([stage_batch(storage, leg(0)), stage_batch(storage, leg(5))])
    edited = replace(FIELD.entrants[0], artifact="e" * 64)
    writer.set_field(replace(FIELD, entrants=(edited, *FIELD.entrants[1:])))
    records = read_records(storage)
    assert [list(batch.legs) for batch in records.batches] == [[leg(5)]]
    assert [list(batch.legs) for batch in records.waiting] == [[leg(0)]]


# Damage.


def flips(path: Path) -> Iterator[int]:
    """Flip a bit in every third byte of a file, one at a time."""
    content = path.read_bytes()
    for place in range(0, len(content), 3):
        damaged = bytearray(content)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(damaged)
        yield place


def test_flipped_bits_of_sessions_and_field_are_found(storage: FolderStorage, writer: Writer) -> None:
    writer.commit([batch := stage_batch(storage, leg(0), leg(1))])
    for _ in flips(Path(storage.location) / batch.parts[1].path):
        with pytest.raises(DamagedPart):
            read_batch(storage, batch.name, with_rows=True)
    for place in flips(Path(storage.location) / "contest.json"):
        assert read_field(storage) is None, place


def test_damaged_part_is_named_and_others_count(storage: FolderStorage, writer: Writer) -> None:
    batches = [stage_batch(storage, leg(number)) for number in range(4)]
    writer.commit(batches)
    writer.close()
    sessions, games = (Path(storage.location) / table for table in ("sessions", "games"))
    (sessions / f"{batches[0].name}.parquet").write_bytes(b"")
    (games / f"{batches[1].name}.parquet").unlink()
    (games / f"{batches[2].name}.parquet").write_bytes(b"short")
    records = read_records(storage)
    assert [list(batch.legs) for batch in records.batches] == [[leg(3)]]
    assert {name: problem.partition(":")[0] for name, problem in records.problems.items()} == {
        batches[0].name: "is damaged",
        batches[1].name: "has no games part",
        batches[2].name: "is damaged",
    }
    again = open_for_writing(storage)
    assert again.lost == records.problems
    again.commit(without=dict(again.lost))
    again.close()
    assert reopened(storage) == [[leg(3)]]


@pytest.mark.parametrize("content", [None, b"{}", b"\xff" * 100])
def test_lost_field_is_made_from_batches(storage: FolderStorage, writer: Writer, content: bytes | None) -> None:
    writer.commit([stage_batch(storage, leg(0)), stage_batch(storage, leg(9))])  # ann, bob; dan, eve
    path = Path(storage.location) / "contest.json"
    path.unlink()
    if content is not None:
        path.write_bytes(content)
    records = read_records(storage)
    assert [list(batch.legs) for batch in records.batches] == [[leg(0)], [leg(9)]]
    assert records.field and {name: records.field.numbers[name] for name in ("ann", "bob", "dan", "eve")} == {
        "ann": 0, "bob": 1, "dan": 3, "eve": 4,
    }  # fmt: skip
    assert records.field.settings == FIELD.settings


# Writers and readers.


def test_readers_beside_a_writer_find_whole_batches(storage: FolderStorage, writer: Writer) -> None:
    """Read repeatedly while batches of two legs come, and every third in another's place."""

    def write() -> None:
        before = ""
        for number in range(90):
            if number % 3 == 2:
                writer.commit([stage_batch(writer.storage, leg(0, number), leg(1, number), name=before)])
            else:
                writer.commit([batch := stage_batch(writer.storage, leg(0, number), leg(1, number))])
                before = batch.name
            if number % 15 == 14:
                assert read.acquire(timeout=60)  # Readings come in between, however slow they are.

    readings, read = 0, Semaphore(0)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(write)
        while not running.done():
            records = read_records(FolderStorage(storage.location))
            legs = [[leg.number for leg in batch.legs] for batch in records.batches]
            assert not records.waiting and all(number == other for number, other in legs)
            readings += 1
            read.release()
    running.result()
    writer.close()
    assert readings > 5 and len(reopened(storage)) == 60


def test_stale_writer_changes_nothing(storage: FolderStorage, writer: Writer) -> None:
    writer.commit([known := stage_batch(storage, leg(0))])
    batch = stage_batch(storage, leg(1))
    (Path(storage.location) / "writer").unlink()
    other = open_for_writing(FolderStorage(storage.location))
    changes: list[Callable[[], None]] = [
        lambda: writer.commit([batch]),
        lambda: writer.commit(without=[known.name]),
        lambda: writer.set_field(replace(FIELD, engine="2")),
    ]
    for change in changes:
        with pytest.raises(RunError, match="another process now writes to"):
            change()
    assert read_field(storage) == FIELD and [leg(0)] in counting(storage)
    other.close()


def test_missing_staged_part_fails_commit(storage: FolderStorage, writer: Writer) -> None:
    """Workers with another results folder cause this."""
    batch = stage_batch(storage, leg(0))
    storage.remove(batch.parts[1].staged)
    with pytest.raises(
        RunError, match=r"staging/.*-sessions is missing, of [\d,]+ bytes that were written; all workers"
    ):
        writer.commit([batch])
    assert not storage.list("games") and not storage.list("sessions")


def test_many_huge_faults_are_counted_and_stay_small(storage: FolderStorage, writer: Writer) -> None:
    """Store a thousand faults, each with megabytes of text that isn't even UTF-8: the first 20 and the last one."""
    megabytes = "\ud800\0\U0001f600" * 1_000_000
    kept, further = select_faults([Fault(1, 0, 0, "a", megabytes, megabytes, megabytes)] * 1000, (1,), 2)
    batch = stage_batch(storage, replace(leg(0), faults=kept, further_faults=further, disqualified_seats=(1,)))
    writer.commit([batch])
    assert batch.parts[1].size < 700_000 and len(make_summary("faults", batch.legs, 1)) < 500_000
    ((played,),) = counting(storage)
    assert played.fault_count(1) == 1000 and len(played.faults) == 21
