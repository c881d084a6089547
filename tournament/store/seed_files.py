"""Seeds beside the records, each in a file named by its fingerprint and in a copy of that."""

from __future__ import annotations

import re

from tournament.keys import master_key, seed_fingerprint
from tournament.store.storage import Storage

SECRETS = "secret"  # the folder
_MOST_BYTES = 5000


def seed_in(storage: Storage, name: str, size: int) -> str:
    """The seed in a file of that folder; "" where it is too large for one."""
    return storage.read(f"{SECRETS}/{name}").decode("utf-8", "replace") if size <= _MOST_BYTES else ""


def kept_texts(storage: Storage, fingerprint: str) -> dict[str, str | None]:
    """What the file of a seed and its copy hold, by place; None for one that is missing."""
    sizes = storage.list(SECRETS)
    names = (fingerprint, f"{fingerprint}-copy") if re.fullmatch("[0-9a-f]{32}", fingerprint) else ()
    return {f"{SECRETS}/{name}": seed_in(storage, name, sizes[name]) if name in sizes else None for name in names}


def kept_seed(storage: Storage, fingerprint: str) -> str | None:
    """The seed of this fingerprint, None where neither file holds it. Raises OSError and RunError."""
    texts = {text for text in kept_texts(storage, fingerprint).values() if text is not None}
    return next((seed for seed in texts if seed_fingerprint(master_key(seed)) == fingerprint), None)
