"""Entrants' folders from strangers: read without waiting, and nothing that lies outside."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from tournament.entrants import folder as entrants_folder
from tournament.entrants.folder import check_entry, find_submissions, other_files, read_submission
from tournament.errors import InputError
from tournament.store.field import FieldEntrant

SECRET = "what lies outside"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "outside.py").write_text(SECRET)
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "good.py").write_text("x = 1\n")
    return tmp_path / "bots"


def swap_for_a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def swap_for_a_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("../outside.py")


@pytest.mark.parametrize("change", [Path.unlink, swap_for_a_pipe, swap_for_a_link])
def test_file_changed_before_reading_is_refused(
    folder: Path, change: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the opened file counts."""
    check_link = entrants_folder._check_link

    def check_then_change(path: Path, within: Path) -> None:
        check_link(path, within)
        if path.name == "shifty.py":
            change(path)

    (folder / "shifty.py").write_text("x = 2\n")
    monkeypatch.setattr(entrants_folder, "_check_link", check_then_change)
    submissions, refused = find_submissions(folder)
    assert [submission.name for submission in submissions] == ["good"]
    assert [entrant.name for entrant in refused] == ["shifty.py"]
    assert all(SECRET.encode() not in submission.source for submission in submissions)


def test_folder_without_recipe_is_explained(folder: Path) -> None:
    (folder / "alice").mkdir()
    (folder / "alice" / "my_bot.py").touch()
    words = "a program needs one; a single file, such as my_bot.py, needs no folder"
    assert other_files(folder) == [f"alice (a folder without bot.toml: {words})"]
    with pytest.raises(InputError, match=words):
        read_submission(folder / "alice")


def test_link_within_folder_is_followed_unless_to_itself(folder: Path) -> None:
    (folder / "other.py").symlink_to("good.py")
    (folder / "snake.py").symlink_to("tail.py")
    (folder / "tail.py").symlink_to("snake.py")
    found, refused = find_submissions(folder)
    assert [submission.name for submission in found] == ["good", "other"]
    assert [(one.name, "a link to itself" in str(one.problem)) for one in refused] == [
        ("snake.py", True),
        ("tail.py", True),
    ]


def test_new_bots_of_one_name_do_not_play(folder: Path) -> None:
    files = {"other.cc", "OTHER.py", "other.cpp"}
    for name in files:
        (folder / name).write_text("x")
    submissions, refused = find_submissions(folder, lambda: [RECORDED])
    assert [submission.path.name for submission in submissions] == ["good.py"]
    assert {entrant.name for entrant in refused} == files and all(entrant.is_nameless for entrant in refused)
    for problem in (entrant.problem or "" for entrant in refused):
        assert all(name in problem for name in files) and "rename one of them" in problem


RECORDED = FieldEntrant(0, "clash", "cpp", hashlib.sha256(b"old").hexdigest(), "0" * 64, None)


@pytest.mark.parametrize(
    ("files", "plays"),
    [
        ({"CLASH.cpp": b"old", "clash.py": b"new"}, "clash.py"),  # The spelling decides first.
        ({"clash.cc": b"new", "clash.cpp": b"old"}, "clash.cpp"),  # then what is in it
    ],
)
def test_recorded_bot_keeps_its_name(files: dict[str, bytes], plays: str, folder: Path) -> None:
    for name, source in files.items():
        (folder / name).write_bytes(source)
    submissions, refused = find_submissions(folder, lambda: [RECORDED])
    assert {submission.path.name for submission in submissions} == {"good.py", plays}
    assert {entrant.name for entrant in refused} == files.keys() - {plays}
    for name in files:
        with nullcontext() if name == plays else pytest.raises(InputError, match=f"has the name of {plays}"):
            check_entry(folder / name, folder, lambda: [RECORDED])


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_unreadable_bot_is_listed_with_reason(folder: Path) -> None:
    (folder / "closed.py").write_text("x")
    (folder / "closed.py").chmod(0)
    (folder / "closed").mkdir(mode=0)
    problems = {entrant.name: entrant.problem or "" for entrant in find_submissions(folder)[1]}
    assert all("Permission denied" in problems[name] for name in ("closed.py", "closed"))
