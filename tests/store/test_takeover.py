"""A writer that was taken over stops with words that say so, whatever it stumbles on first."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contest_runs import Place, bot_source, new_place
from tournament.errors import RunFailed
from tournament.store.folder_storage import FolderStorage


def test_files_that_the_other_swept_up_while_they_were_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place: Place = new_place(tmp_path, ["bold", "calm"], sessions=10)
    place.play()
    place.write_bot("calm", bot_source(9, 8))
    create = FolderStorage.create

    def taken_over(storage: FolderStorage, name: str, content: bytes) -> None:
        (place.results / "ledger" / "writer").unlink()
        (place.results / "staging").rename(tmp_path / "swept")
        (place.results / "staging").mkdir()
        create(storage, name, content)
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr(FolderStorage, "create", taken_over)
    with pytest.raises(RunFailed, match=r"another process writes to .* now; this one stops"):
        place.play()
