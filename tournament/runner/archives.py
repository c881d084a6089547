"""Records that no longer fit are kept beside the current ones."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tournament.contests.contest import Contest
from tournament.contests.scoring import HousePlayer
from tournament.errors import RunError
from tournament.records.finals import is_final
from tournament.runner.pace import LANES_SHARE
from tournament.runner.resume import RULES_HAVE_CHANGED, differences
from tournament.store.reading import read_field, read_records
from tournament.store.storage import open_storage

# Games, or seconds of one core by the contest's estimates, from which a user has to confirm the archiving.
_MANY_GAMES, _LONG_SECONDS = 1_000_000, 60.0


def archive_other_records(
    contest: Contest,
    location: str,
    settings: dict[str, object],
    names: set[str],
    house: Sequence[HousePlayer],
    on_message: Callable[[str], None],
    *,
    drawn: bool,
) -> None:
    """Move records of other settings, or of completely different bots, to an archive next to them.

    Without records, or if they fit, nothing happens. A run never discards a tournament, with one exception. If rules
    were edited after less than a minute of play and a million games, with a drawn seed, new records replace the old
    ones. Otherwise each edit would leave an archive. Those of a final are always archived.

    Args:
        contest: Contest of the run.
        location: Folder or URL of the contest's records.
        settings: The run's settings as the records have them.
        names: Names of the entrants.
        house: House players of the run; empty if there are none.
        on_message: Called with a message if records are archived or replaced.
        drawn: Whether the run's seed is drawn.

    Raises:
        RunError: Another run is writing or wrote at the same time, or the records can't be read or moved.
        OSError: The records can't be moved, or the replaced ones can't be removed.
        InputError: The location is an invalid URL.
    """
    storage = open_storage(location)
    if (known := read_field(storage)) is None:
        return
    if not (why := differences(known, contest, settings, names, house)):
        return
    away = storage.new_archive()
    to_blame = _to_blame(why, drawn)
    is_replaced = to_blame == {"version": RULES_HAVE_CHANGED} and drawn and not is_final(location)
    if is_replaced:
        legs = [batch.legs for batch in read_records(storage).batches]
        games = sum(int(several.games.sum()) for several in legs)
        is_replaced = games < _MANY_GAMES and sum(float(several.seconds.sum()) for several in legs) < _LONG_SECONDS
    if is_replaced:
        on_message(f"{RULES_HAVE_CHANGED}: replacing the records of {games:,} games")
    else:
        differing = "; ".join(to_blame.values())
        on_message(f"these settings differ from the records' ({differing}); archiving the records in {away}")
    try:
        storage.acquire()
        if read_field(storage) != known:
            raise RunError(f"another run wrote to {storage.location} meanwhile; run again")
        storage.move(away)
    finally:
        storage.release()
    if is_replaced:
        shutil.rmtree(away)


@dataclass(frozen=True)
class IncompatibleRecords:
    """Records that a run would archive.

    Attributes:
        location: Folder or URL of the records.
        games: Number of their games.
        seconds: Estimated seconds of one core that it took to play them, by the contest's estimates.
        why: Reasons as clauses, by setting, of which there is at least one.
    """

    location: str
    games: int
    seconds: float
    why: Mapping[str, str]

    def __str__(self) -> str:
        return (
            f"{'; '.join(self.why.values())}: so these records of {self.games:,} games in {self.location} would move to"
            " an archive beside, and play would start again"
        )

    @property
    def needs_confirmation(self) -> bool:
        """True if a user has to confirm the archiving.

        That is so from a million games or a minute of play, or if the records are of another game.
        """
        return "game" in self.why or self.games >= _MANY_GAMES or self.seconds >= _LONG_SECONDS


def find_incompatible_records(
    contest: Contest,
    location: str,
    settings: dict[str, object],
    names: set[str],
    house: Sequence[HousePlayer],
    *,
    drawn: bool,
) -> IncompatibleRecords | None:
    """Return the records that a run with these settings would archive, or None if they fit or there are none.

    Args:
        contest: Contest of the run.
        location: Folder or URL of the contest's records.
        settings: The run's settings as the records have them.
        names: Names of the entrants.
        house: House players of the run; empty if there are none.
        drawn: Whether the run's seed is drawn.

    Raises:
        RunError: The records can't be read.
        InputError: The location is an invalid URL.
    """
    storage = open_storage(location)
    recorded = read_field(storage)
    why = differences(recorded, contest, settings, names, house) if recorded else {}
    if not why:
        return None
    inline = in_lanes = 0
    for batch in read_records(storage).batches:
        games = int(batch.legs.games.sum())
        inline, in_lanes = (inline, in_lanes + games) if batch.sandbox else (inline + games, in_lanes)
    seconds = inline / contest.estimates.rate + in_lanes / (LANES_SHARE * contest.estimates.rate)
    return IncompatibleRecords(location, inline + in_lanes, seconds, _to_blame(why, drawn))


def _to_blame(why: Mapping[str, str], drawn: bool) -> Mapping[str, str]:
    """Return the differences without a drawn seed, and without house players that follow from another seed.

    If nothing else differs, all differences are returned.
    """
    followed = ({"seed"} if drawn else set()) | ({"house"} if "seed" in why else set())
    return {key: what for key, what in why.items() if key not in followed} or why
