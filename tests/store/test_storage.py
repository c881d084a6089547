"""The verbs of a storage, on a folder and on an object store: what the records' exactness rests on."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.object_store import new_location
from tournament.errors import InputError, RunError
from tournament.records.results import load
from tournament.store.folder_storage import FolderStorage
from tournament.store.object_storage import ObjectStorage
from tournament.store.part_writer import StagedPart
from tournament.store.storage import Storage, has_records, open_storage


@pytest.fixture(params=["folder", "s3"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return an empty location."""
    return (
        str(tmp_path / "results")
        if request.param == "folder"
        else new_location(request.getfixturevalue("object_store"))
    )


@pytest.fixture
def storage(location: str) -> Iterator[Storage]:
    storage = open_storage(location)
    storage.prepare()
    yield storage
    storage.release()


def stage(storage: Storage, name: str, content: bytes) -> None:
    stream = storage.open_staged(name)
    stream.write(content)
    storage.finish_staged(stream)


def test_publish_moves_staged_part_once(storage: Storage) -> None:
    stage(storage, "staging/part", b"12345")
    assert storage.list("games") == {}
    storage.publish("staging/part", "games/part")
    assert storage.list("games") == {"part": 5}
    assert storage.list("staging") == {}
    with pytest.raises(FileNotFoundError):  # a commit that is finished twice asks for this
        storage.publish("staging/part", "games/part")
    assert storage.read("games/part") == b"12345"


def test_replaced_content_is_read_until_removed(storage: Storage) -> None:
    for content in (b"first", b"content"):
        storage.replace("games/part", content)
    assert (storage.size("games/part"), storage.size("games/none"), storage.size("none/none")) == (7, None, None)
    with storage.open_data("games/part") as stream:
        stream.seek(3)
        assert stream.read() == b"tent"
    for _ in range(2):
        storage.remove("games/part")
    assert storage.list("games") == storage.list("none") == {}
    for reads in (storage.read, storage.open_data):
        with pytest.raises(FileNotFoundError):
            reads("games/part")


def test_large_staged_file_is_complete(storage: Storage) -> None:
    content = bytes(range(256)) * (9 << 12)  # 9 MB, more than goes out at once
    stream = storage.open_staged("staging/part")
    stream.write(content[: 1 << 20])
    stream.write(content[1 << 20 :])
    storage.finish_staged(stream)
    storage.publish("staging/part", "games/part")
    assert storage.list("staging") == {}
    with storage.open_data("games/part") as data:
        assert data.size() == len(content)
        assert data.read() == content


def test_move_archives_all_files(storage: Storage) -> None:
    assert storage.archives() == ()
    there = {"games/part": b"1", "sessions/part": b"22", "secret/seed": b"333", "matches.parquet": b"4"}
    for name, content in there.items():
        storage.replace(name, content)
    if isinstance(storage, ObjectStorage):
        for move in (storage.new_archive, lambda: storage.move("away")):
            with pytest.raises(RunError, match="in an object store nothing can be moved; give the contest's table"):
                move()
        return
    for number in (10, 9, 1):
        place = f"{storage.location}-archive-{number}"
        shutil.copytree(storage.location, place)
    Path(f"{storage.location}-archive-old").mkdir()
    assert [place.rpartition("-")[2] for place in storage.archives()] == ["1", "9", "10"]
    place = storage.new_archive()
    assert place == f"{storage.location}-archive-11"
    storage.acquire()
    storage.move(place)
    storage.release()
    assert storage.list("games") == {}
    assert {name: open_storage(place).read(name) for name in there} == there


def test_lock_holds_until_released_or_replaced(location: str, storage: Storage) -> None:
    assert not storage.still_held()
    storage.acquire()
    assert storage.still_held()
    storage.release()
    assert not storage.still_held()
    other = open_storage(location)
    other.acquire()
    assert other.still_held()
    other.replace("writer", b"somebody else")
    assert not other.still_held()
    other.release()


# A folder from a stranger.

OUTSIDE = [
    *["", "/etc/passwd", "..", "games/../../x", "games//x", "-x", ".hidden"],
    *["games/\0", "games/\x1b[2J", "games/" + "x" * 300],
]


def test_names_that_lead_outside_are_refused(storage: Storage) -> None:
    stage(storage, "staging/part", b"1")
    verbs: list[Callable[[str], object]] = [
        storage.size,
        storage.read,
        lambda name: storage.replace(name, b""),
        lambda name: storage.publish(name, "games/x"),
        lambda name: storage.publish("staging/part", name),
        storage.remove,
        storage.open_staged,
        storage.open_data,
    ]
    for verb, name in itertools.product(verbs, OUTSIDE):
        with pytest.raises(RunError, match=r"^[^\n]*isn't a valid name inside the results[^\n]*$"):
            verb(name)
    assert storage.read("staging/part") == b"1"


@pytest.mark.parametrize("inner", ["games", "staging"])
def test_linked_folder_is_not_followed(tmp_path: Path, inner: str) -> None:
    folder = FolderStorage(str(tmp_path / "results"))
    folder.prepare()
    stage(folder, "staging/new", b"new")
    folder.replace("games/new", b"new")
    place, theirs = tmp_path / "results" / inner, tmp_path / "theirs"
    theirs.mkdir()
    (theirs / "part").write_bytes(b"precious")
    shutil.rmtree(place)
    place.symlink_to(theirs)
    there = "staging/new" if inner != "staging" else "games/new"
    verbs: list[Callable[[], object]] = [
        folder.prepare,
        lambda: folder.list(inner),
        lambda: folder.size(f"{inner}/part"),
        lambda: folder.read(f"{inner}/part"),
        lambda: folder.replace(f"{inner}/part", b""),
        lambda: folder.publish(there, f"{inner}/part"),
        lambda: folder.publish(f"{inner}/part", "games/stolen"),
        lambda: folder.remove(f"{inner}/part"),
        lambda: folder.open_staged(f"{inner}/more"),
        lambda: folder.open_data(f"{inner}/part"),
    ]
    for verb in verbs:
        with pytest.raises(RunError, match=rf"results/{inner}.* must be a folder"):
            verb()
    assert {path.name: path.read_bytes() for path in theirs.iterdir()} == {"part": b"precious"}


def test_abandoned_part_hides_no_earlier_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = FolderStorage(str(tmp_path))
    part = StagedPart(folder, "games", "part.parquet", "staging/part")

    def refuse(name: str) -> None:
        raise RunError(f"{name}: the store fails")

    monkeypatch.setattr(folder, "remove", refuse)
    part.abandon()


def test_file_as_location_has_no_records(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    storage = open_storage(str(tmp_path / "file"))
    assert not has_records(storage)
    assert (storage.size("contest.json"), storage.list("sessions"), storage.everything("secret")) == (None, {}, {})
    with pytest.raises(InputError, match="has no results yet"):
        load(tmp_path / "file")
