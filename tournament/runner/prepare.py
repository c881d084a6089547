"""A contest made ready to run: its settings checked, its bots built. Nothing is played."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from math import inf

from tournament.artifacts.bot import Entrant
from tournament.config import Config
from tournament.contests.contest import Contest
from tournament.contests.scoring import HousePlayer
from tournament.contests.settings import ContestSettings
from tournament.entrants.build import Building, building, require_playable
from tournament.entrants.folder import other_files
from tournament.errors import InputError, RunError, join_names, main_error_line, pluralize, printable
from tournament.keys import guessable
from tournament.runner.archives import IncompatibleRecords, find_incompatible_records
from tournament.runner.executors import Executors, require_results_outside_job
from tournament.runner.listener import ProgressListener
from tournament.runner.seed import recorded_settings, settle_seed
from tournament.standings.authors import authors_by_bot
from tournament.store.field import FailedLeg, FieldEntrant
from tournament.store.reading import read_field
from tournament.store.storage import explain_write_error, join_location, open_storage
from tournament.worker.wasm.loading import keep_for

# Seconds after which the bots that are ready play without those that aren't. Each time this is twice as long.
PATIENCE_SECONDS = 20.0


@dataclass(frozen=True)
class Prepared:
    """A contest that can be run: its settings with a seed, its bots built, its house players made.

    Attributes:
        contest: The contest.
        config: Settings of the folder. The contest's have a seed.
        entrants: All bots, sorted by name, also those that can't play or aren't built yet.
        house: House players of the seed. Empty if bots play each other.
        location: Folder or URL of its records.
        drawn: Whether no seed was given.
        building: Knows the bots that are late.
        patience: Seconds after which bots are late. Infinite if the run waits for all.
        of: Name of the entrant whose matches alone are played, or None for all.
        set_aside: Reasons why built bots don't play in this run, by name. Empty by default.
        failed: Legs in which the rules failed in this run. Empty by default.
        paired: Whether another version of the entrant `of` meets the same deals.
        against_copies: Whether each entrant plays only its copy.
        executors: Has the executor that plays.
        last: Names of bots whose legs go out after all others. Empty by default.
    """

    contest: Contest
    config: Config
    entrants: Sequence[Entrant]
    house: Sequence[HousePlayer]
    location: str
    drawn: bool
    building: Building
    patience: float
    of: str | None = None
    set_aside: Mapping[str, str] = field(default_factory=dict)
    failed: tuple[FailedLeg, ...] = ()
    paired: bool = False
    against_copies: bool = False
    executors: Executors = field(default_factory=Executors)
    last: Set[str] = frozenset()

    @property
    def late(self) -> list[str]:
        """The names of bots that are still being built, in order of the entrants."""
        return [entrant.name for entrant in self.entrants if entrant.is_late]

    def with_more_bots(self, listener: ProgressListener) -> Prepared:
        """Return the contest after waiting twice as long as before for more bots.

        It returns earlier if all bots are built. Bots that were set aside stay so.

        Raises:
            InputError: This machine can't build or confine a bot.
            RunError: This machine fails, or too few bots are left.
        """
        patience = 2 * self.patience
        prepared = replace(self, entrants=self.building.entrants(listener.on_message, patience), patience=patience)
        return prepared.without({}) if self.set_aside else prepared

    def without(self, set_aside: Mapping[str, str]) -> Prepared:
        """Return the contest in which these bots, too, play nothing more.

        Args:
            set_aside: Reasons by the bots' names.

        Raises:
            RunError: Too few bots are left, or the entrant `of` is among them, so the machine is at fault.
        """
        aside = {**self.set_aside, **set_aside}
        entrants = [replace(one, set_aside=aside[one.name]) if one.name in aside else one for one in self.entrants]
        min_entrants = self.contest.fewest_entrants(self.config.contest.playing())
        playing = counted_entrants([one for one in entrants if not one.set_aside], self.config.contest)
        if sum(one.artifact is not None for one in playing) < min_entrants or self.of in aside:
            names_by_reason: dict[str, list[str]] = {}
            for name, reason in aside.items():
                names_by_reason.setdefault(reason, []).append(name)
            raise RunError("; ".join(f"{join_names(names)}: {reason}" for reason, names in names_by_reason.items()))
        return replace(self, entrants=entrants, set_aside=aside)

    @property
    def names(self) -> set[str]:
        """Names of all entrants, also of those that can't play."""
        return {entrant.name for entrant in self.entrants}

    @property
    def settings(self) -> dict[str, object]:
        """The settings as the records have them, with the seed's fingerprint."""
        assert self.config.contest.seed is not None
        return recorded_settings(self.config.contest, self.config.contest.seed)

    def incompatible_records(self) -> IncompatibleRecords | None:
        """Return the records that a run would archive, or None if they fit or there are none.

        Raises:
            RunError: The records can't be read.
            InputError: The location is an invalid URL.
        """
        return find_incompatible_records(
            self.contest, self.location, self.settings, self.names, self.house, drawn=self.drawn
        )


@contextlib.contextmanager
def prepare_contest(
    contest: Contest,
    config: Config,
    listener: ProgressListener,
    patience: float = PATIENCE_SECONDS,
    only_entrant: str | None = None,
    executors: Executors | None = None,
) -> Iterator[Prepared]:
    """Check everything that can prevent a run, without playing. Late bots are built within the block.

    Args:
        contest: Contest to run.
        config: Settings of the folder.
        listener: Receives messages.
        patience: Seconds after which bots are late, by default 20. The run waits for all bots with `only_entrant`,
            until the order is settled, with drawn tables, or at more than two seats.
        only_entrant: Name of the entrant that is only tried, in its own matches. The run waits for it, and reports no
            guessable seed. None for all entrants.
        executors: Executors of the command. If None, it has its own, which end with the block.

    Yields:
        The contest, ready to run.

    Raises:
        TooFewBotsError: Too few bots can play.
        InputError: A setting, a bot of the house or a house player is wrong, a folder is missing, or a URL is invalid.
            The same is raised if `only_entrant` can't play, or this machine can't build or confine bots.
        RunError: The records can't be read or written, their seed is missing, or bots can't be prepared because this
            machine fails.
    """
    require_results_outside_job(config.results)
    location = join_location(config.results, contest.name)
    require_tables(contest, config.contest)
    seats = contest.seats_of(config.contest.playing())
    if (
        only_entrant is not None
        or config.contest.until_settled is not None
        or config.contest.tables
        or (seats or 3) > 2
    ):
        patience = inf  # the next replicas, or the tables, depend on all bots
    with contextlib.ExitStack() as stack:
        with os_errors_as_run_errors(location):
            storage = open_storage(location)
            storage.check_writable()
            if config.contest.seed is not None:  # otherwise `settle_seed` reads it
                read_field(storage)
        with _preparation_errors():
            bots = stack.enter_context(
                building(
                    contest,
                    config.contest,
                    config.sandbox,
                    config.entrants,
                    listener.on_message,
                    recorded=lambda: recorded_entrants(contest, config),
                    house=config.house,
                )
            )
            min_entrants = contest.fewest_entrants(config.contest.playing())
            entrants = bots.entrants(listener.on_message, patience, min_entrants + config.contest.house_seats)
            require_playable(counted_entrants(entrants, config.contest), min_entrants, config.entrants, only_entrant)
            _require_house(entrants, config)
            if others := other_files(config.entrants):
                listener.on_message(f"Not taken for bots in {config.entrants}: {join_names(others)}")
        with os_errors_as_run_errors(location):
            names = {entrant.name for entrant in entrants}
            drawn = config.contest.seed is None
            if only_entrant is None and config.contest.seed is not None and guessable(config.contest.seed):
                listener.on_message("The seed can be guessed, and with it all cards: give none, and one is drawn")
            config, house = settle_seed(contest, config, names, location, listener.on_message)
            if contest.render_problem and only_entrant is None and (problem := contest.render_problem(config.contest)):
                listener.on_message(
                    f"{contest.rules}: {printable(problem)}; replays and the report show this instead of a drawing, and"
                    " no game depends on it"
                )
            if config.contest.authors and config.contest.table_mates != "any" and not config.authors:
                config = replace(config, authors=authors_by_bot(config.contest.authors, sorted(names)))
            keep_for(location, (entrant.artifact for entrant in entrants if entrant.artifact))
        executors = executors or stack.enter_context(Executors())
        yield Prepared(
            contest, config, entrants, house, location, drawn, bots, patience, only_entrant, executors=executors
        )


def counted_entrants(entrants: Sequence[Entrant], settings: ContestSettings) -> Sequence[Entrant]:
    """Return the entrants without the house's own bots if these have seats of their own, otherwise all entrants."""
    return [one for one in entrants if not one.is_house] if settings.house_seats else entrants


def _require_house(entrants: Sequence[Entrant], config: Config) -> None:
    """Check that the house's bots can play. Bots that are late or set aside pass.

    Raises:
        InputError: A bot of the house can't play, or there are fewer than their seats.
    """
    own = [one for one in entrants if one.is_house]
    for one in own:
        if one.artifact is None and not (one.is_late or one.set_aside):
            raise InputError(
                f"{config.house}: {one.name} can't play: {main_error_line(one.problem or '')}; repair or remove it"
            )
    if len(own) < (seats := config.contest.house_seats):
        raise InputError(
            f"house_seats: {seats} of each table, and there are {len(own)} bots in {config.house}; put as many there"
        )


def require_tables(contest: Contest, settings: ContestSettings) -> None:
    """Check the settings that depend on the number of seats.

    Raises:
        InputError: A setting of house seats, self-play, table mates or drawn tables doesn't fit the contest or the run.
            Drawn tables, for example, don't go with `until_settled`.
    """
    seats = contest.seats_of(settings.playing())
    if settings.house_seats and (contest.house or (seats is not None and settings.house_seats >= seats)):
        reason = "it has house players" if contest.house else f"of {pluralize(seats or 0, 'seat')} one is an entrant's"
        raise InputError(f"{contest.name}: house_seats: {reason}; lower or remove the setting")
    if settings.self_play and (contest.house or settings.house_seats or seats != 2):
        raise InputError(f"{contest.name}: self_play: requires a contest for two entrants; remove the setting")
    if settings.table_mates != "any" and (settings.tables is None or seats is None or seats < 3):
        raise InputError(
            f"{contest.name}: table_mates: only drawn tables of three or more seats have any; set tables, or remove it"
        )
    if settings.tables is None:
        return
    if contest.house or seats is None or seats < 2:
        obstacle = "house players" if contest.house else "one match of all bots" if seats is None else "one seat"
        raise InputError(f"{contest.name}: tables: it has {obstacle}, and draws nothing; remove the setting")
    if settings.until_settled is not None:
        raise InputError(
            f"{contest.name}: until_settled: with drawn tables no run ends by itself; set replicas, or remove tables"
        )


def recorded_entrants(contest: Contest, config: Config) -> Sequence[FieldEntrant]:
    """Return the entrants of the last committed run, also those that couldn't play. It is () before the first one.

    Raises:
        RunError: The records can't be read.
        InputError: The location is an invalid URL.
    """
    location = join_location(config.results, contest.name)
    with os_errors_as_run_errors(location):
        field = read_field(open_storage(location))
    return field.entrants if field else ()


@contextlib.contextmanager
def _preparation_errors() -> Iterator[None]:
    """Turn OSError into RunError: this machine can't prepare bots.

    Raises:
        RunError: The block raised OSError.
    """
    try:
        yield
    except OSError as error:
        prefix = f"{printable(str(error.filename))}: " if error.filename else ""
        raise RunError(f"bots can't be prepared: {prefix}{error.strerror or error}") from None


@contextlib.contextmanager
def os_errors_as_run_errors(location: str) -> Iterator[None]:
    """Turn OSError into RunError: results at a location can't be written or read.

    Raises:
        RunError: The block raised OSError.
    """
    try:
        yield
    except OSError as error:
        raise RunError(explain_write_error(error, location)) from None
