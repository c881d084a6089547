"""The contest of records, also where its rules aren't: then the records themselves say which columns they have."""

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

_NOT_HERE = Interface(Path(), CompiledBots(""))


def is_here(contest: Contest) -> bool:
    """Whether the rules are here, so that it can be played."""
    return contest.interface is not _NOT_HERE


def contest_of(location: str, field: ContestSetup, batches: Sequence[Batch] = ()) -> Contest:
    """The contest of records; without its rules, which somebody's file may have, it has the columns of these batches.
    Raises InputError where these rules say more than records do: against house players, what points are worth."""
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
        interface=_NOT_HERE,
        new_core=_refused,
        rules=field.game,
        edition=edition,
    )


def _columns(location: str, batches: Sequence[Batch], table: TableName) -> tuple[Column, ...]:
    from tournament.store.parts import columns_in  # pyarrow, which reading standings doesn't need

    return columns_in(open_storage(location), batches[0].part(table)) if batches else ()


def _refused(*_: object, **__: object) -> NoReturn:
    raise InputError("these rules are not here")
