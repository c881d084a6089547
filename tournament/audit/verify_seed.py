"""Whether the seed is as its fingerprint says."""

from __future__ import annotations

from tournament.audit.report import Problem
from tournament.errors import RunError
from tournament.runner.seed import seed_of, unlike_seed
from tournament.store.field import ContestSetup
from tournament.store.seed_files import SECRETS
from tournament.store.storage import Storage

_BRING_BACK = "tournament run brings it back from its copy"


def find_seed(storage: Storage, given: str | None, field: ContestSetup) -> tuple[str | None, list[Problem], list[str]]:
    """The seed of a field, if it is here; what is wrong with its two files; and a note where it can't be compared."""
    fingerprint = str(field.settings.get("seed"))
    try:
        seed = seed_of(storage, given, fingerprint)
    except RunError as problem:
        if storage.everything(SECRETS).keys() & {fingerprint, f"{fingerprint}-copy"}:
            place = f"{SECRETS}/{fingerprint}"
            return None, [Problem(place, "is damaged", "bring it back from a copy, or give the seed")], []
        return None, [], [f"without its seed nothing can be played again: {problem}"]
    unlike = unlike_seed(storage, seed)
    if len(unlike) == 2 and not any(unlike.values()):  # given, and not kept here
        return seed, [], []
    return (
        seed,
        [
            Problem(place, "is damaged", _BRING_BACK) if there else Problem(place, "is missing", _BRING_BACK)
            for place, there in unlike.items()
        ],
        [],
    )
