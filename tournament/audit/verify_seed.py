"""Checks of the seed against its fingerprint."""

from __future__ import annotations

from tournament.audit.report import Problem
from tournament.errors import RunError
from tournament.runner.seed import resolve_seed, unlike_seed
from tournament.store.field import ContestSetup
from tournament.store.seed_files import SECRETS
from tournament.store.storage import Storage

_RESTORE = "tournament run restores it from its copy"


def find_seed(
    storage: Storage, configured: str | None, field: ContestSetup
) -> tuple[str | None, list[Problem], list[str]]:
    """Return the seed of a field, and the problems of its files.

    Args:
        storage: Storage of the records.
        configured: Seed in the settings; None if there is none. It is used only if it has the recorded fingerprint.
        field: Field of the records.

    Returns:
        The seed, or None if it is unknown. Problems of its two files, the copy last. If the seed is unknown and a file
        is there, only one problem is reported. One note if the seed is unknown and both files are missing. A seed from
        the settings that isn't stored is no problem.

    Raises:
        RunError: The folder of secrets can't be read, or a file of a known seed can't be opened.
        OSError: A file can't be read.
    """
    fingerprint = str(field.settings.get("seed"))
    try:
        seed = resolve_seed(storage, configured, fingerprint)
    except RunError as problem:
        if storage.everything(SECRETS).keys() & {fingerprint, f"{fingerprint}-copy"}:
            path = f"{SECRETS}/{fingerprint}"
            return None, [Problem(path, "is damaged", "restore it from a copy, or give the seed")], []
        return None, [], [f"nothing can be replayed without the seed: {problem}"]
    damaged = unlike_seed(storage, seed)
    # The seed comes from the settings, and isn't stored here.
    if len(damaged) == 2 and not any(damaged.values()):
        return seed, [], []
    return (
        seed,
        [Problem(path, "is damaged" if exists else "is missing", _RESTORE) for path, exists in damaged.items()],
        [],
    )
