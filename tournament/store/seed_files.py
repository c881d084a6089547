"""Seeds stored with the records. Each is in a file named by its fingerprint, and in a copy of that file."""

from __future__ import annotations

import re

from tournament.keys import master_key, seed_fingerprint
from tournament.store.storage import Storage

# Folder of secrets.
SECRETS = "secret"
_MAX_BYTES = 5000


def seed_in(storage: Storage, name: str, size: int) -> str:
    """Return the seed in a file of the folder of secrets, or "" if the file has more than 5,000 bytes.

    Args:
        storage: Storage of the records.
        name: Name of the file in that folder.
        size: Size of the file in bytes.

    Raises:
        FileNotFoundError: There is no such file.
        RunError: The file can't be opened.
        OSError: The file can't be read.
    """
    return storage.read(f"{SECRETS}/{name}").decode("utf-8", "replace") if size <= _MAX_BYTES else ""


def read_seed_files(storage: Storage, fingerprint: str) -> dict[str, str | None]:
    """Return the contents of a seed's file and its copy, by name, or None for a missing file.

    A content is "" if the file has more than 5,000 bytes. The result is {} if the fingerprint isn't 32 hexadecimal
    digits.

    Raises:
        FileNotFoundError: A file was removed after it was listed.
        RunError: The folder can't be read, or a file can't be opened.
        OSError: A file can't be read.
    """
    sizes = storage.list(SECRETS)
    names = (fingerprint, f"{fingerprint}-copy") if re.fullmatch("[0-9a-f]{32}", fingerprint) else ()
    return {f"{SECRETS}/{name}": seed_in(storage, name, sizes[name]) if name in sizes else None for name in names}


def find_seed(storage: Storage, fingerprint: str) -> str | None:
    """Return the seed with this fingerprint, or None if neither file has it or it isn't a fingerprint.

    Raises:
        FileNotFoundError: A file was removed after it was listed.
        RunError: The folder can't be read, or a file can't be opened.
        OSError: A file can't be read.
    """
    texts = {text for text in read_seed_files(storage, fingerprint).values() if text is not None}
    return next((seed for seed in texts if seed_fingerprint(master_key(seed)) == fingerprint), None)
