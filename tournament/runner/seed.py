"""The seed of a run: the given one, else that of the records that it continues, else a new one.

It is kept beside the records in the folder secret/, in a file named by the
seed's fingerprint. Others on the machine can't read it, and it can be left out
when records are published. Ledger, digests and workers know only the
fingerprint, or keys that don't reveal the seed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.contests.scoring import HousePlayer
from tournament.contests.settings import ContestSettings
from tournament.errors import RunFailed
from tournament.keys import drawn_seed, guessable, master_key, seed_fingerprint
from tournament.runner.archives import archives
from tournament.runner.early_key import SECRETS, seed_in
from tournament.runner.resume import differences
from tournament.store.ledger import Field
from tournament.store.ledger_reading import read_field
from tournament.store.storage import Storage, open_storage


def settle_seed(
    contest: Contest, config: Config, names: set[str], location: str, say: Callable[[str], None]
) -> tuple[Config, Sequence[HousePlayer]]:
    """The settings with a seed, and the house players of that seed. `names` are the entrants'.

    Raises RunFailed when records fit but their seed is missing, BadInput as the house players do.
    """

    def with_seed(seed: str) -> tuple[Config, Sequence[HousePlayer]]:
        settled = replace(config, contest=config.contest.model_copy(update={"seed": seed}))
        return settled, contest.house.players(settled.contest, config.folder, say) if contest.house else ()

    if config.contest.seed is not None:
        if guessable(config.contest.seed):
            say("The seed can be guessed, and with it all cards: for a contest that counts give none, one is drawn")
        return with_seed(config.contest.seed)
    for storage, known in _records(location):
        kept = known.settings.get("seed")
        if differences(known, contest, config.contest.playing() | {"seed": kept}, names, None):
            continue
        settled, house = with_seed(read_seed(storage, kept))
        if not differences(known, contest, config.contest.playing() | {"seed": kept}, names, house):
            return settled, house
    return with_seed(drawn_seed())


def recorded_settings(settings: ContestSettings, seed: str) -> dict[str, object]:
    """The settings as the ledger has them: a fingerprint stands for the seed."""
    return settings.playing() | {"seed": seed_fingerprint(master_key(seed))}


def keep_seed(storage: Storage, seed: str) -> None:
    """Keep the seed beside the records, readable by their owner only. Raises OSError."""
    name = seed_fingerprint(master_key(seed))
    if name not in storage.list(SECRETS):
        storage.replace(f"{SECRETS}/{name}", seed.encode(), private=True)


def _records(location: str) -> Iterator[tuple[Storage, Field]]:
    """The records here, then the archived ones, with most sessions first."""
    here = open_storage(location)
    if known := read_field(here):
        yield here, known
    yield from archives(here)


def read_seed(storage: Storage, fingerprint: object) -> str:
    """The seed of this fingerprint, from beside the records. Raises RunFailed when it isn't there, or another."""
    where = f"{storage.location}/{SECRETS}/{fingerprint}"
    name = str(fingerprint)
    size = storage.list(SECRETS).get(name) if re.fullmatch("[0-9a-f]{32}", name) else None
    if size is None:
        raise RunFailed(f"{where} is missing, the seed of these records; bring it back, or give the seed")
    seed = seed_in(storage, name, size)
    if seed_fingerprint(master_key(seed)) != name:
        raise RunFailed(f"{where} is damaged, the seed of these records; bring it back from a copy, or give the seed")
    return seed
