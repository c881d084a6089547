"""What a ledger holds whatever ends its writer, and what readers and the next writer make of what is there."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Semaphore
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ledger_rows import content_of
from tournament.errors import RunError
from tournament.keys import master_key, seed_fingerprint
from tournament.leg import match_number
from tournament.store.folder_storage import FolderStorage
from tournament.store.ledger import (
    Batch,
    ContestSetup,
    FieldEntrant,
    Part,
    State,
    TableName,
    batch_name,
    unpack,
)
from tournament.store.ledger_reading import read_field, read_records, read_state
from tournament.store.leg_sums import LegSums
from tournament.store.legs import Fault, LegResult, Legs, kept_faults
from tournament.store.storage import Storage
from tournament.store.writer import Change, Writer, in_commits, open_for_writing

TABLES: tuple[TableName, ...] = ("games", "sessions")
SEED = "the seed of these records"
FIELD = ContestSetup(
    contest="von_neumann_poker",
    engine="1",
    settings={"sessions": 4, "seed": seed_fingerprint(master_key(SEED)), "duplicate": False},
    entrants=(
        FieldEntrant(0, "ann", "c", "a" * 64, "b" * 64, None),
        FieldEntrant(1, "bob", "cpp", "c" * 64, None, "broken\n'“”"),
    ),
    numbers={"ann": 0, "bob": 1, **{f"gone{number}": number for number in range(2, 9)}},
)
PLAYERS = {match_number(low, high): (low, high) for low, high in itertools.combinations(range(9), 2)}


def sums_of(points: float, squares: float = 1 / 3, luck: float = -1e-17) -> tuple[LegSums, ...]:
    own = LegSums(points, squares, luck, 0.5, 1 / 7, -0.5)
    return own, own.opposite()


def leg(match: int, number: int = 0) -> LegResult:
    digest = hashlib.sha256(f"{match} {number}".encode()).hexdigest()
    x, y = (list(FIELD.numbers)[player] for player in PLAYERS[match])
    return LegResult(digest, match, number, (x, y), 4, 40, sums_of(0.1 + match))


def stage_batch(storage: Storage, *legs: LegResult, content: bytes = b"rows") -> Batch:
    """A batch whose parts are written aside."""
    name = batch_name(legs[0].match, legs[0].number, (leg.digest for leg in legs))
    parts = []
    for table in TABLES:
        staged = f"staging/{name}-{uuid.uuid4().hex}-{table}"
        stream = storage.open_staged(staged)
        stream.write(content)
        storage.finish_staged(stream)
        rows = sum(leg.games if table == "games" else leg.sessions for leg in legs)
        parts.append(Part(table, f"{name}.parquet", len(content), rows, staged, blake3="0" * 64))
    return Batch(name, tuple(parts), Legs.of(legs))


class Crash(BaseException):
    """The process ends here."""


def commit_without_publishing(writer: Writer, *batches: Batch, without: Sequence[str] = ()) -> None:
    """As a crash right after the ledger's entry leaves it."""

    def crash(changes: object, storage: object) -> None:
        raise Crash

    with pytest.MonkeyPatch.context() as patch, contextlib.suppress(Crash):
        patch.setattr("tournament.store.writer._Changes.publish", crash)
        writer.commit(batches=batches, without=without)


@pytest.fixture
def storage(tmp_path: Path) -> FolderStorage:
    return FolderStorage(str(tmp_path))


def standing(storage: FolderStorage) -> list[Sequence[LegResult]]:
    return [tuple(batch.legs) for batch in read_records(storage).batches]


def reopened(storage: FolderStorage) -> list[Sequence[LegResult]]:
    """What stands after the next writer came and went. Nothing else may be left of the tables, or staged."""
    open_for_writing(storage).close()
    records = read_records(storage)
    there = {f"{table}/{name}" for table in ("games", "sessions", "legs", "faults") for name in storage.list(table)}
    assert there == {part.place for part in records.state.parts}
    assert storage.list("staging") == {}
    return [tuple(batch.legs) for batch in records.batches]


@pytest.mark.parametrize(
    "odd",
    [
        {"sums": sums_of(float("nan"))},
        {"games": -1},
        {"seats": ("../ann", "bob")},
        {"faults": (Fault(0, 0, 0, "b", "\ud800"),)},
        {"sessions": 3},
    ],
    ids=str,
)
def test_what_could_not_be_read_is_not_written(storage: FolderStorage, odd: dict[str, Any]) -> None:
    writer = open_for_writing(storage)
    good = stage_batch(storage, leg(0))
    staged = storage.list("staging").keys()
    with pytest.raises(RunError, match="would not be readable"):
        writer.commit(batches=[replace(good, legs=Legs.of([replace(leg(0), **odd)]))])
    writer.close()
    assert storage.list("ledger").keys() == {"writer"} and not storage.list("staging").keys() - staged


def test_names_of_batches_sort_as_the_schedule_does() -> None:
    matches = (0, 1, 9, 10, 99_999_999, 100_000_000, 2**31 - 1)
    places = [(match, number) for match in matches for number in (0, 2, 9, 10, 10**9)]
    names = [batch_name(match, number, ["x"]) for match, number in places]
    assert names == sorted(names)
    assert batch_name(1, 0, ["x", "y"]) != batch_name(1, 0, ["x", "z"])


def test_the_texts_of_faults_count_where_commits_are_cut(storage: FolderStorage) -> None:
    open_for_writing(storage).close()
    faults = tuple(Fault(0, 0, game, "b", "x" * 500, "", "y" * 2000) for game in range(20))
    for some, commits in (((), 1), (faults, 3)):
        batches = [stage_batch(storage, replace(leg(0, n), faults=some)) for n in range(400)]
        assert len([*in_commits(Change((one,)) for one in batches)]) == commits


def test_the_bytes_of_staged_parts_count_where_commits_are_cut(storage: FolderStorage) -> None:
    """So an edit commits as it goes, and needs little space beside the records."""
    open_for_writing(storage).close()
    staged: list[Batch] = []

    def groups() -> Iterator[Change]:
        for number in range(100):
            batch = stage_batch(storage, leg(0, number))
            staged.append(replace(batch, parts=tuple(replace(part, size=4 << 20) for part in batch.parts)))
            yield Change((staged[-1],), (staged[-1].name,))

    first, *_ = in_commits(groups())
    assert len(first.batches) == len(first.without) == 4
    waiting = in_commits(groups())
    staged.clear()
    next(waiting)
    assert len(staged) == 5


# Legs that come and leave.


def parts_of_legs(storage: Storage) -> dict[str, int]:
    """The parts of legs/ by name, with the legs in each."""
    return {name: file.parts[0].rows // 2 for name, file in read_state(storage).files.items()}


def test_legs_that_stay_are_written_anew_with_those_that_come(storage: FolderStorage) -> None:
    writer = open_for_writing(storage)
    batches = [stage_batch(storage, leg(match), leg(match, 1)) for match in range(3)]
    writer.commit(field=FIELD, batches=batches)
    assert parts_of_legs(storage) == {"00000001-0": 6}
    writer.commit(batches=[stage_batch(storage, leg(3))])
    assert parts_of_legs(storage) == {"00000001-0": 6, "00000002-0": 1}
    writer.commit(batches=[stage_batch(storage, leg(0))], without=[batches[0].name])
    assert parts_of_legs(storage) == {"00000002-0": 1, "00000003-0": 5}
    writer.commit(without=[batch.name for batch in read_state(storage).batches.values()])
    assert parts_of_legs(storage) == {}
    writer.close()
    assert reopened(storage) == []


def test_few_parts_of_legs_are_read_however_many_commits_there_are(storage: FolderStorage) -> None:
    """And each leg is written a few times at most."""
    writer = open_for_writing(storage)
    writer.commit(field=FIELD)
    written = 0
    for number in range(300):
        writer.commit(batches=[stage_batch(storage, leg(0, number))])
        written += sum(
            file.parts[0].rows // 2 for file in writer.state.files.values() if file.name[:8] == entry_of(writer)
        )
        assert len(writer.state.files) <= 20
    writer.close()
    assert written <= 4 * 300
    assert len(standing(storage)) == 300 and sum(parts_of_legs(storage).values()) == 300
    assert list(storage.list("ledger")) == ["writer", "00000302.json"] or len(storage.list("ledger")) == 303


def entry_of(writer: Writer) -> str:
    """The number of the newest entry, as names of parts of legs/ begin."""
    return f"{writer.state.entries:08}"


def test_a_file_has_no_more_legs_than_a_reader_takes(storage: FolderStorage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournament.store.writer._LEGS_OF_FILE", 5)
    writer = open_for_writing(storage)
    batches = [
        stage_batch(storage, *(leg(match, number) for number in range(count)))
        for match, count in enumerate([2, 2, 2, 7, 1])
    ]
    writer.commit(field=FIELD, batches=batches)
    assert parts_of_legs(storage) == {"00000001-0": 4, "00000001-1": 2, "00000001-2": 7, "00000001-3": 1}
    writer.close()
    assert reopened(storage) == [tuple(batch.legs) for batch in batches]


@pytest.mark.parametrize("damage", ["missing", "damaged"])
def test_a_lost_part_of_legs_takes_its_batches_out_and_no_others(
    storage: FolderStorage, tmp_path: Path, damage: str
) -> None:
    writer = open_for_writing(storage)
    first, second, other = (stage_batch(storage, leg(match)) for match in range(3))
    writer.commit(field=FIELD, batches=[first, second])
    writer.commit(batches=[other])
    writer.close()
    place = tmp_path / "legs" / "00000001-0.parquet"
    place.unlink() if damage == "missing" else place.write_bytes(place.read_bytes()[:-1] + b"x")
    with pytest.raises(RunError, match=rf"legs/00000001-0.parquet is {damage}.*; run again to play its legs again"):
        read_records(storage)
    writer = open_for_writing(storage)
    assert writer.lost == {first.name: damage, second.name: damage}
    assert [tuple(batch.legs) for batch in writer.standing()] == [(leg(2),)]
    with pytest.raises(RunError, match=rf"legs/00000001-0.parquet is {damage}; run again"):
        writer.commit(without=[first.name])  # of the others of its part nothing is known
    writer.commit(without=writer.lost)
    assert writer.lost == {}
    writer.close()
    assert reopened(storage) == [(leg(2),)]


def test_a_reader_finds_a_part_in_staging_and_reads_again_where_it_is_gone(
    storage: FolderStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it reads, the one that it wants is rewritten, twice."""
    writer = open_for_writing(storage)
    batches = [stage_batch(storage, leg(match)) for match in range(4)]
    writer.commit(field=FIELD, batches=batches)
    original, going = FolderStorage.read, [batch.name for batch in batches[:2]]

    def read(self: FolderStorage, name: str, *most: int) -> bytes:
        if name.startswith("legs/") and going:
            gone = going.pop()
            writer.commit(without=[gone]) if going else commit_without_publishing(writer, without=[gone])
            storage.remove(name)
        return original(self, name, *most)

    monkeypatch.setattr(FolderStorage, "read", read)
    assert [tuple(batch.legs) for batch in read_records(FolderStorage(storage.location)).batches] == [
        (leg(2),),
        (leg(3),),
    ]
    assert not going and "legs/00000003-0.parquet" not in {f"legs/{name}" for name in storage.list("legs")}


def test_what_goes_goes_first_also_when_the_ledger_names_it_later(storage: FolderStorage) -> None:
    """A batch that was there before the one that holds its leg now, and comes back, must wait for that one to go."""
    writer = open_for_writing(storage)
    small = stage_batch(storage, leg(0))
    writer.commit(batches=[small])
    writer.commit(without=[small.name])
    large = stage_batch(storage, leg(0), leg(1), content=b"many rows")
    writer.commit(batches=[large])
    commit_without_publishing(writer, stage_batch(storage, leg(0)), without=[large.name])
    writer.storage.release()
    order: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FolderStorage, "remove", lambda self, name: order.append(name))
        patch.setattr(FolderStorage, "publish", lambda self, staged, name: order.append(name))
        open_for_writing(storage).storage.release()
    went, came = ([part.place for part in batch.parts] for batch in (large, small))
    assert order[:3] == [*went, "legs/00000003-0.parquet"]
    assert order[3:6] == ["legs/00000004-0.parquet", *reversed(came)]


def test_a_leg_in_two_batches_is_refused(storage: FolderStorage) -> None:
    writer = open_for_writing(storage)
    writer.commit(batches=[stage_batch(storage, leg(0))])
    writer.commit(batches=[stage_batch(storage, leg(0), leg(1))])
    with pytest.raises(RunError, match="has a leg twice"):
        standing(storage)
    writer.close()


def read_beside_a_writer(writer: Writer, storage: Storage) -> int:
    """Read again and again while commits add a batch of two legs each, every third in another's place. Each reading has
    whole commits, those up to one of them. Returns how many there were."""

    def write() -> None:
        before = ""
        for number in range(90):
            batch = stage_batch(writer.storage, leg(0, number), leg(1, number))
            writer.commit(batches=[batch], without=[before] if number % 3 == 2 else [])
            before = batch.name
            if number % 15 == 14:
                assert read.acquire(timeout=60)  # so that readings come in between, however slow they are

    readings, read = 0, Semaphore(0)
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(write)
        while not (ended := running.done()) or not readings:
            legs = [[leg.number for leg in batch.legs] for batch in read_records(storage).batches]
            numbers = sorted(number for number, other in legs if number == other)
            assert len(numbers) == len(legs)
            newest = max(numbers, default=-1)
            assert numbers == [number for number in range(newest + 1) if number % 3 != 1 or number == newest]
            readings += 1
            read.release()
            if ended:
                break
    running.result()
    return readings


def test_readers_beside_a_writer_find_whole_commits(storage: FolderStorage) -> None:
    writer = open_for_writing(storage)
    writer.commit(field=FIELD)
    assert read_beside_a_writer(writer, FolderStorage(storage.location)) > 3
    writer.close()
    assert len(reopened(storage)) == 60


# Folds: entries that carry the whole state.


@pytest.fixture
def folded(storage: FolderStorage, monkeypatch: pytest.MonkeyPatch) -> FolderStorage:
    """A ledger of four entries, of which the third carries what the first two come to."""
    monkeypatch.setattr("tournament.store.ledger._FEWEST_BYTES", -(1 << 20))
    writer = open_for_writing(storage)
    faulty = replace(leg(1), faults=(Fault(1, 3, 2, "b", "oh"),), out=(1,), sums=sums_of(-0.0))
    gone = stage_batch(storage, leg(3))
    writer.commit(field=FIELD, batches=[stage_batch(storage, leg(0), faulty), stage_batch(storage, leg(2)), gone])
    writer.commit(batches=[stage_batch(storage, leg(4))], without=[gone.name])
    writer.close()
    monkeypatch.undo()
    writer = open_for_writing(storage)
    writer.commit(batches=[stage_batch(storage, leg(5))])
    writer.close()
    assert read_state(storage).fold == 3
    return storage


def read_entries(storage: FolderStorage, read: Callable[[Storage], object]) -> list[str]:
    """The entries that a reading of the ledger looks into, each as often as it does."""
    names: list[str] = []
    original = FolderStorage.read

    def noting(self: FolderStorage, name: str, *most: int) -> bytes:
        names.append(name)
        return original(self, name, *most)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FolderStorage, "read", noting)
        read(storage)
    return sorted(name for name in names if name.endswith(".json"))


def test_readers_begin_at_the_newest_fold(folded: FolderStorage) -> None:
    ends = ["ledger/00000003.json", "ledger/00000004.json"]
    assert read_entries(folded, read_state) == read_entries(folded, read_field) == ends
    state = read_state(folded)
    assert (state.entries, state.field) == (4, FIELD)
    assert [len(legs) for legs in standing(folded)] == [2, 1, 1, 1]
    assert standing(folded)[0][1].faults[0].message == "oh"


def with_fold_after_fold(storage: FolderStorage, monkeypatch: pytest.MonkeyPatch) -> Writer:
    """The writer of a ledger with two folds, the entries 2 and 4, about to write a third."""
    monkeypatch.setattr("tournament.store.ledger._FEWEST_BYTES", -(1 << 20))
    for match in range(2):
        writer = open_for_writing(storage)
        writer.commit(field=FIELD, batches=[stage_batch(storage, leg(match))])
        writer.close()
    writer = open_for_writing(storage)
    writer.commit(batches=[stage_batch(storage, leg(2))])
    return writer


def test_entries_before_the_last_fold_but_one_go(storage: FolderStorage, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = with_fold_after_fold(storage, monkeypatch)
    before = standing(storage)
    writer.close()
    names = [f"{number:08d}.json" for number in (4, 5, 6)]
    assert storage.list("ledger").keys() - {"writer"} == set(names)
    assert standing(storage) == before
    # Who looked before the newest fold came finds all that it goes on to read.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tournament.store.ledger_reading.sizes_of_entries", lambda storage: dict.fromkeys((4, 5), 0))
        assert standing(storage) == before
    assert reopened(storage) == [(leg(0),), (leg(1),), (leg(2),)]


def test_a_stale_writer_whose_number_is_free_again_publishes_nothing(
    storage: FolderStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It slept between a look at who writes and its entry; two folds later there is no entry of that number."""
    stale = open_for_writing(storage)
    stale.commit(field=FIELD, batches=[])
    batch = stage_batch(storage, leg(3))
    sign, writing = storage.still_held, [storage.still_held()]
    storage.release()
    with_fold_after_fold(FolderStorage(storage.location), monkeypatch).close()
    monkeypatch.setattr(storage, "still_held", lambda: writing.pop() if writing else sign())
    monkeypatch.setattr(Writer, "_require", lambda self, places: None)
    assert storage.list("ledger").keys().isdisjoint(["00000002.json"])
    with pytest.raises(RunError, match="another process writes to"):
        stale.commit(batches=[batch])
    assert len(storage.list("games")) == 3


def test_a_fold_is_written_once_there_are_many_entries_or_most_of_what_is_read_is_history(
    storage: FolderStorage,
) -> None:
    folds = []
    for commits in (11, 0, 12, 0, 3, 8, 1):
        writer = open_for_writing(storage)
        for number in range(commits):
            writer.commit(field=FIELD if number == 0 else None)
        writer.close()
        folds.append(read_state(storage).fold)
    assert folds == [0, 0, 24, 24, 24, 24, 37]
    assert len(read_entries(storage, read_state)) == 1
    state = State()
    state.add(state.next_entry(FIELD), 300_000)
    assert not state.needs_snapshot
    state.add(state.folded(), 275_000)
    state.add(state.next_entry(), 500_000)
    assert not state.needs_snapshot
    state.add(state.next_entry(), 700_000)
    assert state.needs_snapshot


def test_idle_runs_beside_hundreds_of_batches_of_one_leg_write_nothing(storage: FolderStorage) -> None:
    """However much larger than their legs the ledger's words for batches are."""
    writer = open_for_writing(storage)
    batches = [stage_batch(storage, leg(match, number)) for number in range(6) for match in PLAYERS]
    for change in (batches[:100], batches[100:]):
        writer.commit(field=FIELD, batches=change)
    writer.close()
    before = storage.list("ledger")
    for _ in range(3):
        open_for_writing(storage).close()
        assert storage.list("ledger") == before
    assert len(read_state(storage).batches) == 216


# Who may write.


def test_a_stale_writer_commits_nothing_and_sweeps_nothing(storage: FolderStorage, tmp_path: Path) -> None:
    stale = open_for_writing(storage)
    (tmp_path / "ledger" / "writer").unlink()
    newer = open_for_writing(FolderStorage(storage.location))
    batch = stage_batch(storage, leg(0))
    with pytest.raises(RunError, match=r"another process writes to .* now; this one stops"):
        stale.commit(batches=[batch])
    stale.close()
    assert standing(storage) == []
    newer.commit(batches=[batch])
    assert standing(storage) == [(leg(0),)]
    newer.close()


def test_two_writers_that_both_think_they_hold_it_do_not_replace_entries(
    storage: FolderStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = open_for_writing(storage)
    other = Writer(FolderStorage(storage.location), State())
    monkeypatch.setattr(FolderStorage, "still_held", lambda self: True)
    one.commit(batches=[stage_batch(storage, leg(0))])
    with pytest.raises(RunError, match="another process writes to"):
        other.commit(batches=[stage_batch(storage, leg(1))])
    assert standing(storage) == [(leg(0),)]


def test_a_ledger_that_can_not_be_read_is_let_go(storage: FolderStorage, tmp_path: Path) -> None:
    open_for_writing(storage).close()
    (tmp_path / "ledger" / "00000001.json").write_bytes(b"broken")
    with pytest.raises(RunError):
        open_for_writing(storage)
    FolderStorage(storage.location).acquire()


# Broken entries.


def two_entries(storage: FolderStorage) -> Path:
    """The folder of a ledger with two commits."""
    writer = open_for_writing(storage)
    writer.commit(field=FIELD, batches=[stage_batch(storage, leg(0))])
    writer.commit(batches=[stage_batch(storage, leg(1))])
    writer.close()
    return Path(storage.location) / "ledger"


@pytest.mark.parametrize(
    "content",
    [
        *[
            b"",
            b"{",
            b"{}\n",
            b"\xff\xfe\x00",
            b'{"sha256":"","entry":{}}',
            content_of({})[:-1],
            content_of({}) + b"\n",
        ],
        *map(content_of, [[], None, "", {"batches": 3}, {"batches": [{}]}, {"field": {}}, {"fold": 7}, {"told": 7}]),
        content_of(0)
        .replace(hashlib.sha256(b"0").hexdigest().encode(), hashlib.sha256(b"[" * 100_000).hexdigest().encode())
        .replace(b":0}", b":" + b"[" * 100_000 + b"}"),
        content_of({"batches": [{"name": "x", "parts": [{"odd": 1}], "legs": 0}]}),
    ],
)
def test_a_broken_entry_is_named(storage: FolderStorage, content: bytes) -> None:
    entry_place(storage, 2).write_bytes(content)
    with pytest.raises(
        RunError, match=r"ledger/00000002\.json is (damaged|of another ledger); bring it back from a copy, or move"
    ):
        read_state(storage)


def entry_place(storage: FolderStorage, number: int) -> Path:
    """The place of an entry of `two_entries`."""
    if not storage.list("ledger"):
        two_entries(storage)
    return Path(storage.location, "ledger", f"{number:08}.json")


def test_every_flipped_bit_of_an_entry_is_found(storage: FolderStorage) -> None:
    content = entry_place(storage, 2).read_bytes()
    unpack(content)
    for bit in range(8 * len(content)):
        flipped = bytearray(content)
        flipped[bit // 8] ^= 1 << bit % 8
        with pytest.raises(ValueError, match="not what was written"):
            unpack(bytes(flipped))


def test_a_missing_entry_is_named(storage: FolderStorage) -> None:
    entry_place(storage, 1).unlink()
    with pytest.raises(RunError, match=r"ledger/00000001\.json is missing"):
        read_state(storage)


def test_records_of_an_earlier_version_are_refused_in_one_line(storage: FolderStorage) -> None:
    (two_entries(storage) / "00000001.entry").write_bytes(b'{"told":1}')
    for read in (read_state, read_field):
        with pytest.raises(
            RunError, match=r"has records of an earlier version of tournament; move .* away and run again"
        ):
            read(storage)


# Faults by the thousand.

fault = st.builds(
    Fault, st.integers(0, 1), st.just(0), st.integers(0, 9), st.just("a"), st.text(), st.text(), st.text()
)
faults = st.lists(fault, max_size=3) | st.lists(fault, min_size=18, max_size=24)  # at most 20 are kept, and the last


@given(faults, st.booleans())
def test_the_first_faults_and_the_last_are_kept_and_all_are_counted(faults: list[Fault], ended: bool) -> None:
    kept, left_out = kept_faults(faults, {faults[-1].seat} if ended and faults else (), 2)
    assert list(kept[:20]) == [fault.bounded() for fault in faults[:20]]
    if ended and len(faults) > 20:
        assert kept[20:] == (faults[-1].bounded(),)
    else:
        assert len(kept) == min(20, len(faults))
    played = replace(leg(0), faults=kept, faults_left_out=left_out)
    for seat in (0, 1):
        assert played.fault_count(seat) == sum(fault.seat == seat for fault in faults)


def test_a_part_of_faults_stays_small_whatever_bots_say(storage: FolderStorage) -> None:
    """A thousand faults of a leg, each with megabytes of text that can't even be written as UTF-8."""
    megabytes = "\ud800\0\U0001f600" * 1_000_000
    kept, left_out = kept_faults([Fault(1, 0, 0, "a", megabytes, megabytes, megabytes)] * 1000, (1,), 2)
    writer = open_for_writing(storage)
    writer.commit(batches=[stage_batch(storage, replace(leg(0), faults=kept, faults_left_out=left_out, out=(1,)))])
    writer.close()
    assert storage.list("faults")["00000001-0.parquet"] < 500_000
    ((played,),) = standing(storage)
    assert played.fault_count(1) == 1000
    assert len(played.faults) == 21


# A polite end, or a failing disk, in the middle of a commit.


def test_a_part_that_is_not_there_fails_the_commit_and_leaves_no_entry(storage: FolderStorage) -> None:
    """As of a worker whose results folder is another one than this process's."""
    writer = open_for_writing(storage)
    batch = stage_batch(storage, leg(0))
    storage.remove(batch.parts[1].staged)
    with pytest.raises(RunError, match=r"staging/.*-sessions is missing, of 4 bytes that were written: whoever plays"):
        writer.commit(batches=[batch])
    short = stage_batch(storage, leg(1))
    with pytest.raises(RunError, match=r"-games has 4 bytes, of 5 bytes that were written"):
        writer.commit(batches=[replace(short, parts=(replace(short.parts[0], size=5), short.parts[1]))])
    assert storage.list("ledger").keys() == {"writer"}
    writer.close()


def test_what_is_lost_by_the_end_of_a_run_is_named(storage: FolderStorage, tmp_path: Path) -> None:
    writer = open_for_writing(storage)
    batches = [stage_batch(storage, leg(0)), stage_batch(storage, leg(1))]
    writer.commit(batches=batches)
    writer.require_all_there()
    for batch in batches:
        (tmp_path / "games" / f"{batch.name}.parquet").unlink()
    with pytest.raises(RunError, match=rf"games/{batches[0].name}.parquet and 1 more can't be found as committed"):
        writer.require_all_there()
    (tmp_path / "ledger" / "00000001.json").unlink()
    with pytest.raises(RunError, match=r"ledger/00000001\.json is missing since this run"):
        writer.require_all_there()
    writer.close()
