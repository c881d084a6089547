"""Working out a run's key in a thread while modules are loaded: alone it takes a tenth of a second."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from tournament.errors import RunFailed
from tournament.keys import begin_master_key
from tournament.store.secrets import SECRETS, seed_in
from tournament.store.storage import open_storage

if TYPE_CHECKING:
    from tournament.config import Config


def begin_key(config: Config, location: str) -> None:
    """Begin to work out the key of a seed that is given, or kept with the records."""
    if config.contest.seed is not None:
        begin_master_key(config.contest.seed)
        return
    with contextlib.suppress(OSError, RunFailed):  # the run itself will say what is wrong
        storage = open_storage(location)
        for name, size in list(storage.list(SECRETS).items())[:1]:
            begin_master_key(seed_in(storage, name, size))
