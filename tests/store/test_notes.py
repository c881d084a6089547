"""Notes beyond the size of a file that is read as a whole are cut, and none of their pieces is believed by itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contest_runs import new_place
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER
from tournament.standings.results import load
from tournament.standings.without_luck import read_luck
from tournament.store import checkpoint, notes
from tournament.store.folder_storage import FolderStorage
from tournament.store.ledger_reading import read_state


@pytest.mark.parametrize("size", [0, 1, 9, 10, 11, 19, 20, 35])
def test_what_was_written_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(notes, "PIECE", 10)
    storage, content = FolderStorage(str(tmp_path)), bytes(range(size))
    notes.replace_pieces(storage, "note", bytes(50))  # an older one, which was longer
    notes.replace_pieces(storage, "note", content)
    assert notes.read_pieces(storage, "note") == content
    assert max(path.stat().st_size for path in (tmp_path / "ledger").iterdir()) <= 10


def test_a_piece_that_is_gone_is_a_note_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "PIECE", 10)
    storage = FolderStorage(str(tmp_path))
    notes.replace_pieces(storage, "note", bytes(25))
    (tmp_path / "ledger" / "note-2").unlink()
    assert notes.read_pieces(storage, "note") is None


def test_luck_and_checkpoint_of_large_fields_are_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notes, "PIECE", 500)
    monkeypatch.setattr(checkpoint, "_FEWEST_BYTES", 0)
    place = new_place(tmp_path, ["bold", "calm", "dull"])
    place.play()
    storage = FolderStorage(str(place.results))
    pieces = ("luck", "checkpoint", "checkpoint-legs")
    assert {f"{note}-2" for note in pieces} <= storage.list("ledger").keys()
    assert read_state(storage).noted == read_state(storage, from_checkpoint=False).entries
    assert len(read_luck(storage, VON_NEUMANN_POKER)) == 3
    board = load(str(place.results)).ranking
    for note in pieces:  # of pieces that don't belong together nothing is believed
        path = place.results / "ledger" / f"{note}-2"
        path.write_bytes(bytes(500))
    assert read_state(storage).noted == 0
    assert load(str(place.results)).ranking.matches == board.matches
    assert read_luck(storage, VON_NEUMANN_POKER) == {}
