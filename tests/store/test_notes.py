"""Notes beside the ledger: what was written is read, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tournament.store.folder_storage import FolderStorage
from tournament.store.notes import read_note, write_note


@pytest.mark.parametrize("body", [b"", b"a note", bytes(1 << 17)])
def test_a_note_is_read_unless_it_is_damaged(tmp_path: Path, body: bytes) -> None:
    storage = FolderStorage(str(tmp_path))
    storage.prepare()
    assert read_note(storage, "luck") is None
    write_note(storage, "luck", body)
    found = read_note(storage, "luck")
    assert found is not None and bytes(found) == body
    content = bytearray(storage.read("ledger/luck"))
    content[len(content) // 2] ^= 1
    storage.replace("ledger/luck", bytes(content))
    assert read_note(storage, "luck") is None
