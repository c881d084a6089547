"""A contest made ready to run: its settings checked, its bots built. Nothing is played."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tournament.artifacts.bot import Entrant
from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.contests.scoring import HousePlayer
from tournament.entrants.build import build_entrants, playable
from tournament.entrants.folder import other_files
from tournament.errors import RunFailed, and_more
from tournament.runner.archives import Unlike, unlike_records
from tournament.runner.seed import recorded_settings, settle_seed
from tournament.runner.watcher import Watcher
from tournament.store.ledger import FieldEntrant
from tournament.store.ledger_reading import read_field
from tournament.store.storage import explain_write_error, inside, open_storage


@dataclass(frozen=True)
class Prepared:
    """A contest that can be run: its settings with a seed, its bots built, its house players made.

    `location` is where its records are, or will be. `drawn`: no seed was given.
    """

    contest: Contest
    config: Config
    entrants: Sequence[Entrant]
    house: Sequence[HousePlayer]
    location: str
    drawn: bool

    @property
    def names(self) -> set[str]:
        """Of the entrants."""
        return {entrant.name for entrant in self.entrants}

    @property
    def settings(self) -> dict[str, object]:
        """As the ledger has them."""
        assert self.config.contest.seed is not None
        return recorded_settings(self.config.contest, self.config.contest.seed)

    def unlike(self) -> Unlike | None:
        """The records that a run would move to an archive, None where they fit."""
        return unlike_records(self.contest, self.location, self.settings, self.names, self.house, drawn=self.drawn)


def prepare_contest(contest: Contest, config: Config, watcher: Watcher) -> Prepared:
    """Check everything that can keep a contest from being run, and play nothing.

    Only a move that a crash interrupted is finished. Raises BadInput for what the
    user can mend, RunFailed for anything else that is in the way.
    """
    location = inside(config.results, contest.name)
    with trouble_explained(location):
        storage = open_storage(location)
        storage.check_writable()
        if config.contest.seed is not None:  # else `settle_seed` reads it
            read_field(storage)
        entrants = build_entrants(
            contest,
            config.contest,
            config.sandbox,
            config.entrants,
            watcher.say,
            recorded=lambda: recorded_entrants(contest, config),
        )
        playable(entrants, 1 if contest.house else 2, config.entrants)
        if others := other_files(config.entrants):
            watcher.say(f"Not taken for bots in {config.entrants}: {_listed(others)}")
        names = {entrant.name for entrant in entrants}
        drawn = config.contest.seed is None
        config, house = settle_seed(contest, config, names, location, watcher.say)
    return Prepared(contest, config, entrants, house, location, drawn)


def recorded_entrants(contest: Contest, config: Config) -> Sequence[FieldEntrant]:
    """The entrants of the last committed run. Raises RunFailed when the records can't be read."""
    location = inside(config.results, contest.name)
    with trouble_explained(location):
        field = read_field(open_storage(location))
    return field.entrants if field else ()


@contextlib.contextmanager
def trouble_explained(location: str) -> Iterator[None]:
    """Turn OSError into RunFailed: results can't be written or read."""
    try:
        yield
    except OSError as error:
        raise RunFailed(explain_write_error(error, location)) from None


def _listed(names: Sequence[str], most: int = 10) -> str:
    """The first names in a line, and how many more there are."""
    return ", ".join(names[:most]) + and_more(len(names) - most)
