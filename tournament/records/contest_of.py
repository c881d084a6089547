"""The contest of records. If its rules aren't installed, the records themselves describe their columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from tournament.contests import find_contest
from tournament.contests.bots import CompiledBots
from tournament.contests.contest import Contest
from tournament.contests.interface import Interface
from tournament.contests.scoring import PointsSource
from tournament.contests.settings import ContestSettings
from tournament.errors import InputError
from tournament.store.columns import Column
from tournament.store.field import Batch, ContestSetup, TableName
from tournament.store.storage import open_storage

_NOT_INSTALLED = Interface(Path(), CompiledBots(""))


def is_installed(contest: Contest) -> bool:
    """Return whether the rules are installed, so that the contest can be played."""
    return contest.interface is not _NOT_INSTALLED


def contest_of(location: str, field: ContestSetup, batches: Sequence[Batch] = ()) -> Contest:
    """Return the contest of records.

    Args:
        location: Folder or URL of the records.
        field: Field of the records.
        batches: Batches whose columns the contest has if its rules aren't installed. Without any it has no columns.

    Returns:
        The contest, with tables of as many seats as the legs have. If its rules aren't installed, its core can't be
        made, and points are those of the columns points_0 and points_1 of sessions.

    Raises:
        InputError: The rules aren't installed, and the standings can't be computed without them, because bots play
            house players or the contest has its own rules.
        FileNotFoundError: The rules aren't installed, and a part is missing.
        RunError: The rules aren't installed, and a part is damaged. Or this machine can't load the rules, for example
            because its cache can't be used.
        OSError: The rules aren't installed, and a part can't be read.
    """
    try:
        contest = find_contest(field.contest, field.game)
        seats = batches[0].legs.seats if batches else contest.seats_of(field.settings)
        return contest.seated(seats or sum(entrant.artifact is not None for entrant in field.entrants))
    except InputError:
        if field.house_numbers or not field.game:
            raise
    _, version, edition = [*field.engine.split(".", 2), "", ""][:3]
    return Contest(
        name=field.contest,
        title=field.contest.replace("_", " ").capitalize(),
        version=int(version) if version.isdecimal() else 0,
        settings=ContestSettings,
        games=_columns(location, batches, "games"),
        sessions=_columns(location, batches, "sessions"),
        scored=PointsSource("sessions", ("points_0", "points_1"), by_position=True),
        interface=_NOT_INSTALLED,
        new_core=_refused,
        rules=field.game,
        edition=edition,
    )


def _columns(location: str, batches: Sequence[Batch], table: TableName) -> tuple[Column, ...]:
    """Return the columns of a table, as the first batch has them, or () without batches.

    Raises:
        FileNotFoundError: The part is missing.
        RunError: The part is damaged.
        OSError: The part can't be read.
    """
    # Imported here, because it loads pyarrow, which standings don't need.
    from tournament.store.parts import columns_in

    return columns_in(open_storage(location), batches[0].part(table)) if batches else ()


def _refused(*_: object, **__: object) -> NoReturn:
    """Refuse to play the contest.

    Raises:
        InputError: Always.
    """
    raise InputError("the rules of these records aren't installed")
