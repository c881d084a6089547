"""Notes beside the ledger, of what its entries and parts come to. They save work and are no records."""

from __future__ import annotations

from tournament.errors import RunError
from tournament.store.ledger import SEAL, is_sealed, sealed
from tournament.store.storage import Storage


def write_note(storage: Storage, name: str, *body: bytes | memoryview) -> None:
    """Write or replace the note ledger/`name`, its body in pieces, sealed against damage. Raises OSError."""
    storage.replace(f"ledger/{name}", sealed(*body), durable=False)


def read_note(storage: Storage, name: str) -> memoryview | None:
    """The body of a note; None where it is missing, damaged or can't be read. Anybody may have written it."""
    try:
        content = storage.read(f"ledger/{name}")
    except (OSError, RunError):
        return None
    return memoryview(content)[:-SEAL] if is_sealed(content) else None
