"""The seed of a run: the given one, otherwise that of the records that it continues, otherwise a new one.

It is kept beside the records in the folder secret/, in a file named by the seed's fingerprint and in a copy of it.
Others on the machine can't read them, and the folder can be omitted when records are published. Ledger, digests and
workers know only the fingerprint, or keys that don't reveal the seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.contests.scoring import HousePlayer
from tournament.contests.settings import ContestSettings
from tournament.errors import RunError
from tournament.keys import drawn_seed, master_key, seed_fingerprint
from tournament.runner.resume import differences
from tournament.store.reading import read_field
from tournament.store.seed_files import SECRETS, find_seed, read_seed_files
from tournament.store.storage import Storage, open_storage


def settle_seed(
    contest: Contest, config: Config, names: set[str], location: str, on_message: Callable[[str], None]
) -> tuple[Config, Sequence[HousePlayer]]:
    """Return the settings with a seed, and the house players of that seed.

    The seed is the given one, otherwise that of records that fit, otherwise a new one.

    Args:
        contest: Contest of the run.
        config: Settings of the folder. The contest's seed is None if none is given.
        names: Names of the entrants.
        location: Folder or URL of the contest's records.
        on_message: Called with messages while house players are made.

    Returns:
        The settings, and the house players, which are () if bots play each other.

    Raises:
        RunError: Records fit but their seed is missing or damaged, or they can't be read.
        InputError: House players can't be made, or the location is an invalid URL.
        OSError: The seed's file can't be read.
    """

    def with_seed(seed: str) -> tuple[Config, Sequence[HousePlayer]]:
        """Return the settings with this seed, and its house players."""
        settled = replace(config, contest=config.contest.model_copy(update={"seed": seed}))
        return settled, contest.house.players(settled.contest, config.folder, on_message) if contest.house else ()

    if config.contest.seed is not None:
        return with_seed(config.contest.seed)
    storage = open_storage(location)
    if known := read_field(storage):
        settings = config.contest.recorded() | {"seed": known.settings.get("seed")}
        if not differences(known, contest, settings, names, None):
            settled, house = with_seed(read_seed(storage, settings["seed"]))
            if not differences(known, contest, settings, names, house):
                return settled, house
    return with_seed(drawn_seed())


def recorded_settings(settings: ContestSettings, seed: str) -> dict[str, object]:
    """Return the settings as the records have them: a fingerprint stands for the seed."""
    return settings.recorded() | {"seed": seed_fingerprint(master_key(seed))}


def store_seed(storage: Storage, seed: str) -> list[str]:
    """Store the seed beside the records, twice, readable by its owner only.

    Returns:
        Paths of those of the two files that were damaged or missing and are now restored. Empty if the seed wasn't
        stored before, or if both files were right.

    Raises:
        OSError: A file can't be read or written.
        RunError: A file can't be opened, or the object store's request fails.
    """
    unlike = unlike_seed(storage, seed)
    for path in unlike:
        storage.replace(path, seed.encode(), private=True)
    return list(unlike) if len(unlike) < 2 or any(unlike.values()) else []


def read_seed(storage: Storage, fingerprint: object) -> str:
    """Return the seed of this fingerprint, from the file beside the records or its copy.

    Raises:
        RunError: Both files are missing or have another content, or one can't be opened.
        OSError: A file can't be read.
    """
    if (seed := find_seed(storage, str(fingerprint))) is not None:
        return seed
    where = f"{storage.location}/{SECRETS}/{fingerprint}"
    if set(read_seed_files(storage, str(fingerprint)).values()) <= {None}:
        raise RunError(f"{where} is missing, the seed of these records; restore it, or give the seed")
    raise RunError(f"{where} is damaged, the seed of these records; restore it from a copy, or give the seed")


def resolve_seed(storage: Storage, candidate: str | None, fingerprint: object) -> str:
    """Return the seed of a recorded field: the candidate if it has the fingerprint, or the one from `read_seed`.

    Args:
        storage: Storage of the records.
        candidate: Seed to try first; None for none.
        fingerprint: Fingerprint of the recorded seed.

    Raises:
        RunError: The candidate doesn't fit, and the stored seed is missing or damaged, or can't be opened.
        OSError: A file can't be read.
    """
    fits = candidate is not None and seed_fingerprint(master_key(candidate)) == fingerprint
    return candidate if candidate is not None and fits else read_seed(storage, fingerprint)


def unlike_seed(storage: Storage, seed: str) -> dict[str, bool]:
    """Return the paths of this seed's files that don't contain it, each with whether it exists, the copy last.

    The result is empty if both files contain it.

    Raises:
        OSError: A file can't be read.
        RunError: A file can't be opened.
    """
    texts = read_seed_files(storage, seed_fingerprint(master_key(seed)))
    return {place: text is not None for place, text in texts.items() if text != seed}
