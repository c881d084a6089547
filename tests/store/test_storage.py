"""The verbs of a root, on a folder and on an object store: what the ledger's exactness rests on."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.object_store import new_location
from tournament.errors import BadInput, RunFailed
from tournament.store.storage import (
    FOLDERS,
    FolderRoot,
    ObjectRoot,
    Root,
    Taken,
    explain_write_error,
    inside,
    open_root,
)


@pytest.fixture(params=["folder", "object store"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where nothing is yet."""
    if request.param == "folder":
        return str(tmp_path / "results")
    return new_location(request.getfixturevalue("object_store"))


@pytest.fixture
def root(location: str) -> Iterator[Root]:
    root = open_root(location)
    root.prepare()
    yield root
    root.release()


def stage(root: Root, name: str, content: bytes) -> None:
    stream = root.open_staged(name)
    stream.write(content)
    root.finish_staged(stream)


def test_create_makes_a_whole_file(root: Root) -> None:
    root.create("ledger/one", b"abc")
    assert root.read("ledger/one") == b"abc"
    assert root.list("ledger") == {"one": 3}
    assert root.list("staging") == {}


def test_create_never_replaces(root: Root) -> None:
    root.create("ledger/one", b"first")
    with pytest.raises(Taken):
        root.create("ledger/one", b"second")
    assert root.read("ledger/one") == b"first"
    assert root.list("staging") == {}


def test_replace_replaces(root: Root) -> None:
    root.replace("summary", b"first")
    root.replace("summary", b"second")
    assert root.read("summary") == b"second"


def test_publish_moves_and_tells_when_there_is_nothing_to_move(root: Root) -> None:
    stage(root, "staging/part", b"12345")
    assert root.list("games") == {}
    root.publish("staging/part", "games/part")
    assert root.list("games") == {"part": 5}
    assert root.list("staging") == {}
    with pytest.raises(FileNotFoundError):  # a commit that is finished twice asks for this
        root.publish("staging/part", "games/part")
    assert root.read("games/part") == b"12345"


def test_list_of_a_folder_that_is_not_there_is_empty(location: str) -> None:
    assert open_root(location).list("games") == {}


def test_list_passes_over_folders(root: Root) -> None:
    root.replace("games/part", b"1")
    root.replace("games/deeper/part", b"22") if isinstance(root, ObjectRoot) else None
    assert root.list("games") == {"part": 1}


def test_remove_what_is_there_and_what_is_not(root: Root) -> None:
    root.replace("games/part", b"1")
    root.remove("games/part")
    root.remove("games/part")
    assert root.list("games") == {}
    stage(root, "staging/left", b"1")
    root.remove_folder("staging")
    root.remove_folder("staging")
    assert root.list("staging") == {}


def test_read_of_a_missing_file_says_so(root: Root) -> None:
    with pytest.raises(FileNotFoundError):
        root.read("ledger/none")


def test_data_path_leads_to_the_bytes(root: Root) -> None:
    root.replace("games/part", b"content")
    filesystem, path = root.data_path("games/part")
    with filesystem.open_input_stream(path) as stream:
        assert stream.read() == b"content"


def test_a_writer_whose_sign_was_replaced_no_longer_holds(root: Root) -> None:
    assert not root.still_held()
    root.hold()
    assert root.still_held()
    root.replace("ledger/writer", b"somebody else")
    assert not root.still_held()


def test_a_released_root_is_held_by_nobody(location: str, root: Root) -> None:
    root.hold()
    root.release()
    assert not root.still_held()
    other = open_root(location)
    other.hold()
    assert other.still_held()
    other.release()


def test_a_second_writer_of_a_folder_is_refused_with_the_name_of_the_first(tmp_path: Path) -> None:
    first, second = FolderRoot(str(tmp_path)), FolderRoot(str(tmp_path))
    first.prepare()
    first.hold()
    with pytest.raises(RunFailed, match=rf"is being written by process {os.getpid()} on .*; wait for it, or stop it"):
        second.hold()
    assert first.still_held()
    first.release()
    second.hold()
    second.release()


def test_a_writer_whose_sign_is_gone_no_longer_holds(tmp_path: Path) -> None:
    root = FolderRoot(str(tmp_path))
    root.prepare()
    root.hold()
    (tmp_path / "ledger" / "writer").unlink()
    assert not root.still_held()
    root.release()


def test_the_newest_writer_of_an_object_store_wins(object_store: str) -> None:
    location = new_location(object_store)
    first, second = open_root(location), open_root(location)
    first.hold()
    second.hold()
    assert second.still_held()
    assert not first.still_held()


def test_of_many_creators_one_wins_and_leaves_his_content_whole(tmp_path: Path) -> None:
    root = FolderRoot(str(tmp_path))
    root.prepare()
    winners: list[int] = []
    begin = threading.Barrier(8)

    def create(number: int) -> None:
        begin.wait()
        try:
            root.create("ledger/entry", bytes([number]) * 100_000)
            winners.append(number)
        except Taken:
            pass

    threads = [threading.Thread(target=create, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (winner,) = winners
    assert root.read("ledger/entry") == bytes([winner]) * 100_000
    assert root.list("staging") == {}


def test_a_create_that_fails_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = FolderRoot(str(tmp_path))
    root.prepare()

    def fail(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space"):
        root.create("ledger/entry", b"abc")
    assert root.list("ledger") == {}
    assert root.list("staging") == {}


def test_prepare_says_what_it_can_not_write(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunFailed, match=r"can't write to .*file/below: Not a directory"):
        FolderRoot(str(tmp_path / "file" / "below")).prepare()


def test_prepare_makes_the_folders(tmp_path: Path) -> None:
    FolderRoot(str(tmp_path / "new" / "place")).prepare()
    assert {path.name for path in (tmp_path / "new" / "place").iterdir()} == set(FOLDERS)


def test_an_unreachable_store_is_one_line(object_store: str) -> None:
    location = new_location(object_store).replace("bucket/", "no-such-bucket/")
    root = open_root(location)
    with pytest.raises(RunFailed, match=r"can't (reach|write to) s3://"):
        root.prepare()
        root.hold()


@pytest.mark.parametrize("location", ["gopher://x/y", "s3://"])
def test_bad_urls_are_bad_input(location: str) -> None:
    with pytest.raises(BadInput, match="is not a place for results"):
        open_root(location)


def test_names_go_before_the_options_of_a_url() -> None:
    assert inside("s3://bucket/p?scheme=http&region=x", "contest") == "s3://bucket/p/contest?scheme=http&region=x"
    assert inside("s3://bucket/p/", "contest") == "s3://bucket/p/contest"
    assert inside("what?/place", "contest") == "what?/place/contest"


def test_file_urls_are_folders(tmp_path: Path) -> None:
    root = open_root(f"file://{tmp_path}")
    assert isinstance(root, FolderRoot)
    assert root.location == str(tmp_path)


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (OSError(28, "No space left on device"), "the disk of here is full; free some space"),
        (OSError("[Errno 28] No space left on device"), "the disk of here is full; free some space"),
        (OSError(13, "Permission denied"), "can't write to here: Permission denied"),
        (OSError("odd"), "can't write to here: odd"),
    ],
)
def test_errors_of_writing_become_one_line(error: OSError, text: str) -> None:
    assert explain_write_error(error, "here").startswith(text)
