"""Seeds beside the records, each in a file named by its fingerprint and in a copy of that.

Where there is much to read, its master key lies there as well, in a file ending in -key: who may read the seed needn't
work the key out. It is believed if the fingerprint follows from it, as that of a seed is.
"""

from __future__ import annotations

import contextlib
import re

from tournament.errors import RunFailed
from tournament.keys import KEY_BYTES, master_key, seed_fingerprint
from tournament.store.ledger import Field
from tournament.store.storage import Storage, TooLarge

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
    """The seed of this fingerprint, None where neither file holds it. Raises OSError and RunFailed."""
    texts = {text for text in kept_texts(storage, fingerprint).values() if text is not None}
    return next((seed for seed in texts if seed_fingerprint(master_key(seed)) == fingerprint), None)


def kept_key(storage: Storage, field: Field | None) -> bytes | None:
    """The master key of a field's seed, None where neither is kept here, or not for us to read."""
    with contextlib.suppress(OSError, RunFailed):
        if field:
            fingerprint = str(field.settings.get("seed"))
            if key := _key_in(storage, fingerprint):
                return key
            seed = kept_seed(storage, fingerprint)
            return None if seed is None else master_key(seed)
    return None


def keep_key(storage: Storage, key: bytes) -> None:
    """Keep a master key beside its seed, readable by its owner only. Raises OSError."""
    fingerprint = seed_fingerprint(key)
    if _key_in(storage, fingerprint) is None:
        storage.replace(_place_of_key(fingerprint), key.hex().encode(), private=True)


def _place_of_key(fingerprint: str) -> str:
    return f"{SECRETS}/{fingerprint}-key"


def _key_in(storage: Storage, fingerprint: str) -> bytes | None:
    """The key of this fingerprint, None where its file is missing or holds another."""
    if not re.fullmatch("[0-9a-f]{32}", fingerprint):
        return None
    with contextlib.suppress(OSError, TooLarge, ValueError):
        key = bytes.fromhex(storage.read(_place_of_key(fingerprint), 2 * KEY_BYTES).decode())
        return key if len(key) == KEY_BYTES and seed_fingerprint(key) == fingerprint else None
    return None
