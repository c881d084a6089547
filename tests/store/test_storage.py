"""The verbs of a storage, on a folder and on an object store: what the records' exactness rests on."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import azurite
from tests.object_store import BUCKET, ServedStore, new_location
from tournament.errors import InputError, RunError
from tournament.records.results import load
from tournament.store.folder_storage import FolderStorage
from tournament.store.object_storage import ObjectStorage
from tournament.store.storage import FOLDERS, Storage, has_records, open_storage


@pytest.fixture(scope="module")
def blob_store() -> Iterator[str]:
    """Yield the options of URLs into Microsoft's emulator while it runs."""
    with azurite.serve() as options:
        yield options


@pytest.fixture(params=["folder", "s3", *(pytest.param(scheme, marks=pytest.mark.thorough) for scheme in ("gs", "az"))])
def location(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return an empty location."""
    if request.param == "folder":
        return str(tmp_path / "results")
    if request.param == "az":
        return f"az://{azurite.CONTAINER}/{uuid.uuid4().hex}?{request.getfixturevalue('blob_store')}"
    served: ServedStore = request.getfixturevalue("served_store")
    if request.param == "s3":
        return new_location(served.options)
    monkeypatch.setenv("STORAGE_EMULATOR_HOST", f"http://{served.address}")
    return f"gs://{BUCKET}/{uuid.uuid4().hex}"


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


def test_publish_moves_and_tells_when_there_is_nothing_to_move(storage: Storage) -> None:
    stage(storage, "staging/part", b"12345")
    assert storage.list("games") == {}
    storage.publish("staging/part", "games/part")
    assert storage.list("games") == {"part": 5}
    assert storage.list("staging") == {}
    with pytest.raises(FileNotFoundError):  # a commit that is finished twice asks for this
        storage.publish("staging/part", "games/part")
    assert storage.read("games/part") == b"12345"


def test_what_was_replaced_is_read_until_it_is_removed(storage: Storage) -> None:
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


def test_a_large_file_is_whole_once_it_is_finished(storage: Storage) -> None:
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


def test_all_goes_to_an_archive(storage: Storage) -> None:
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


def test_a_root_is_held_until_it_is_released_or_its_sign_replaced(location: str, storage: Storage) -> None:
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
    *["", "/etc/passwd", "..", "../x", "games/../../x", "games//x", "./x", "games/.", "x/", "-x", ".hidden"],
    *["games/\0", "games/a b", "games/\x1b[2J", "games/" + "x" * 300, "game\ns/x"],
]


@pytest.mark.parametrize("name", OUTSIDE, ids=ascii)
def test_names_that_lead_outside_are_refused_by_every_verb(storage: Storage, name: str) -> None:
    stage(storage, "staging/part", b"1")
    verbs: list[Callable[[], object]] = [
        lambda: storage.size(name),
        lambda: storage.read(name),
        lambda: storage.replace(name, b""),
        lambda: storage.publish(name, "games/x"),
        lambda: storage.publish("staging/part", name),
        lambda: storage.remove(name),
        lambda: storage.open_staged(name),
        lambda: storage.open_data(name),
    ]
    for verb in verbs:
        with pytest.raises(RunError, match="isn't a valid name inside the results") as refused:
            verb()
        assert len(str(refused.value).splitlines()) == 1
    assert storage.read("staging/part") == b"1"


@pytest.fixture
def folder(tmp_path: Path) -> FolderStorage:
    """Return a prepared folder beside one with somebody's files."""
    storage = FolderStorage(str(tmp_path / "results"))
    storage.prepare()
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "part").write_bytes(b"precious")
    return storage


@pytest.mark.parametrize("inner", FOLDERS)
def test_a_folder_that_is_a_link_is_not_followed(folder: FolderStorage, tmp_path: Path, inner: str) -> None:
    stage(folder, "staging/new", b"new")
    folder.replace("games/new", b"new")
    place = tmp_path / "results" / inner
    shutil.rmtree(place)
    place.symlink_to(tmp_path / "theirs")
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
    assert {path.name: path.read_bytes() for path in (tmp_path / "theirs").iterdir()} == {"part": b"precious"}


def test_file_as_location_has_no_records(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    storage = open_storage(str(tmp_path / "file"))
    assert not has_records(storage)
    assert (storage.size("contest.json"), storage.list("sessions"), storage.everything("secret")) == (None, {}, {})
    with pytest.raises(InputError, match="has no results yet"):
        load(tmp_path / "file")
