"""A bot that nobody changed never loses its matches, whatever becomes of the others, the compiler or the machine."""

from __future__ import annotations

import errno
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest
import wasmtime

from tests.contest_runs import Listener, Place, bot_source, new_place
from tournament.artifacts import c_bots, compiler_run
from tournament.artifacts.libraries import prepare_libraries
from tournament.cache import cache_folder
from tournament.errors import RunFailed
from tournament.sandbox.outside import running
from tournament.sandbox.outside.running import Finished
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.wasm import calls

EDITED = bot_source(9, 8)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of this test alone, but for the compiler's libraries."""
    prepare_libraries({"c"}, SandboxSettings(), lambda _text: None)
    libraries = cache_folder() / "libraries"
    folder = tmp_path / "cache"
    folder.mkdir()
    (folder / "libraries").symlink_to(libraries)
    monkeypatch.setenv("TOURNAMENT_CACHE", str(folder))
    yield folder


@pytest.fixture
def place(cache: Path, tmp_path: Path) -> Place:
    place = new_place(tmp_path / "contest", ["bold", "calm", "dull"])
    place.play()
    return place


def games_of_others(place: Place) -> pd.DataFrame:
    """The games of the match in which no bot is changed."""
    return pd.read_parquet(place.results / "games").query("match == 1").reset_index(drop=True)


def test_the_edit_of_another_or_its_removal(place: Place) -> None:
    before = games_of_others(place)
    assert len(before)
    for source in (EDITED, "int a(", "#error", None):
        if source is None:
            (place.entrants / "calm.c").unlink()
        else:
            place.write_bot("calm", source)
        place.play()
        pd.testing.assert_frame_equal(games_of_others(place), before)


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def refuse(*_: object) -> None:
    raise wasmtime.WasmtimeError("mmap failed\n\nCaused by:\n    Cannot allocate memory (os error 12)\n")


TROUBLES: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "compiler": lambda patch: patch.setattr(
        compiler_run, "_run_once", lambda *_: Finished(256 - signal.SIGKILL, b"", b"", False)
    ),
    "disk": lambda patch: patch.setattr(c_bots, "_write_unit", full),
    "cache's disk": lambda patch: patch.setattr(os, "fsync", full),
    "trial": lambda patch: patch.setattr(running, "run", lambda *_, **__: Finished(-9, b"", b"", False)),
    "memory": lambda patch: patch.setattr(calls, "new_instance", refuse),
}


def test_trouble_of_the_machine(place: Place, cache: Path) -> None:
    """Such a run fails, and records are as before; the next has nothing to play but the edited bot's matches."""
    before = pd.read_parquet(place.results / "games")

    def fails(trouble: str) -> None:
        with pytest.MonkeyPatch.context() as patch:
            TROUBLES[trouble](patch)
            with pytest.raises(RunFailed):
                place.play()
        pd.testing.assert_frame_equal(pd.read_parquet(place.results / "games"), before)

    def games() -> int:
        counter = Listener()
        place.play(watcher=counter)
        after = games_of_others(place)
        pd.testing.assert_frame_equal(after, before.query("match == 1").reset_index(drop=True))
        return counter.games

    for path in (cache / "bots").iterdir():
        path.write_bytes(path.read_bytes()[:-1] + b"x")
    fails("trial")
    fails("memory")
    shutil.rmtree(cache / "bots")
    fails("compiler")
    fails("disk")
    assert games() == 0
    place.write_bot("calm", EDITED)
    fails("compiler")
    fails("cache's disk")
    assert games() > 0
