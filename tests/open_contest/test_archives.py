"""Archives of programs: those that people make are unpacked, and odd ones write nowhere."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path

import pytest

from tests.open_contest.support import Ground
from tournament.open_contest.jobs import ENTERED, NOT_FIT, QUICK, Job


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    return Ground(tmp_path, monkeypatch)


def zipped(files: dict[str, bytes], mode: int = 0o100644) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, inner in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            archive.writestr(entry, inner)
    return content.getvalue()


def refused_in_trial(ground: Ground, archive: bytes) -> Job:
    job = ground.take("ann", "told.zip", archive)
    assert ground.do(QUICK)
    return ground.now_of(job)


RECIPE = b'command = ["sh", "bot.sh"]'


def test_archive_from_macos_or_windows_is_unpacked(ground: Ground) -> None:
    files = {"any\\bot.toml": RECIPE, "any\\bot.sh": b"exit", "any\\more\\data": b"1"}
    files |= dict.fromkeys(["__MACOSX/any/._bot.sh", "any/.DS_Store", "._any"], b"")
    assert ground.enter("ann", "told.zip", zipped(files, 0o100755)).state == ENTERED
    folder = ground.entrants / "told"
    assert (folder / "bot.toml").read_bytes() == RECIPE and os.access(folder / "bot.sh", os.X_OK)
    assert {path.name for path in folder.rglob("*")} == {"bot.toml", "bot.sh", "more", "data"}


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["deep/er/bot.toml"], "at the top or in a folder there; at the top it has deep"),
        (["one/bot.toml", "two/bot.toml"], "several programs, one and two"),
        (["bot.toml", "x" * 201], "an invalid path: x"),
    ],
)
def test_archive_without_program_says_why(ground: Ground, names: list[str], why: str) -> None:
    job = refused_in_trial(ground, zipped(dict.fromkeys(names, b"")))
    assert job.state == NOT_FIT and why in job.said, job.said


@pytest.mark.parametrize(
    "archive",
    [
        zipped({"../out": b"x"}), zipped({"/etc/out": b"x"}), zipped({"a\\..\\out": b"x"}),
        zipped({"link": b"/"}, 0o120777),
        zipped({str(n): b"" for n in range(501)}), zipped({"zeros": bytes(9_000_000)}), zipped({})[:-9],
        zipped({"bot.toml/inner": b"x", "bot.toml": RECIPE}), zipped({"./bot.toml": b"x", "bot.toml": RECIPE}),
    ],
    ids=["above", "absolute", "backslash", "link", "files", "bomb", "torn", "file and folder", "the same"],
)  # fmt: skip
def test_hostile_archive_writes_nowhere_and_fills_no_disk(ground: Ground, archive: bytes) -> None:
    assert refused_in_trial(ground, archive).state == NOT_FIT
    assert ground.files() == set()
    assert not [path for path in ground.folder.rglob("*") if "out" in path.name]
