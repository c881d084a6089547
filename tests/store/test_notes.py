"""Notes beside the ledger: what was written is read, up to a size that its entries allow."""

from __future__ import annotations

from pathlib import Path

from tests.oracles.deals import key_of
from tournament.store.folder_storage import FolderStorage
from tournament.store.notes import read_note, write_note


def test_a_note_is_read_up_to_what_the_entries_allow(tmp_path: Path) -> None:
    storage = FolderStorage(str(tmp_path))
    storage.prepare()
    body, small = bytes(1 << 17), b"a note"
    write_note(storage, "luck", body, key_of(1))
    assert read_note(storage, "luck", key_of(1)) is None
    storage.create("ledger/00000001.json", bytes(len(body)))
    assert read_note(storage, "luck", key_of(1)) == body
    assert read_note(storage, "luck", key_of(2)) is None
    write_note(storage, "luck", small, key_of(1))
    assert read_note(storage, "luck", key_of(1)) == small == read_note(storage, "luck", None)
