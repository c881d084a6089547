"""Where a bot loses to one opponent: as which seat, in which kinds of game, when in a session; and how both play there.

All of it is of their match alone, read from its records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tournament.contests.contest import Contest
from tournament.contests.presentation import (
    BarChart,
    Chart,
    GridChart,
    Kinds,
    Presentation,
    Rows,
    Seats,
    Subject,
    Values,
    together,
)
from tournament.errors import InputError, pluralize
from tournament.records.results import Results
from tournament.reporting.trends import courses_of
from tournament.standings.matches import Match
from tournament.store.field import Batch
from tournament.store.parts import require_written, rows_of
from tournament.store.storage import Storage, open_storage

MOST_KINDS = 3
_STRETCHES = 8  # of the sessions of a match


@dataclass(frozen=True)
class AsSeat:
    """What the bot won on average in a seat, or role, in each of this many games."""

    seat: str
    mean: float
    count: int
    unit: str


@dataclass(frozen=True)
class LostIn:
    """A kind of game in which more was lost than won: what it brought, its `share` of all such losses, and where the
    most was lost, by session and game."""

    kind: str
    count: int
    won: float
    share: float
    session: int
    game: int

    @property
    def in_words(self) -> str:
        """How many of the kind there were, and what they brought in all."""
        return f"{pluralize(self.count, 'game')}, {self.won:+,.6g} in all"


@dataclass(frozen=True)
class Losses:
    """Where a bot loses to an opponent. `game_kinds` is None where rows don't tell what a game brought. `trend`
    is its points a session, or a game against house players, in equal stretches of the match. `charts` show both in the
    numbers of the contest's presentation."""

    bot: str
    opponent: str
    match: int
    points_per_session: float
    seats: tuple[AsSeat, ...]
    game_kinds: tuple[LostIn, ...] | None
    trend: tuple[float, ...]
    over: Literal["session", "game"]
    charts: tuple[Chart, ...] = field(repr=False)


def losses_to(contest: Contest, results: Results, bot: str, opponent: str | None = None) -> Losses:
    """Where a bot of these records loses to an opponent, by default to the one against whom it has the fewest points.

    The contest is that under the recorded settings. Raises InputError where they haven't met, FileNotFoundError when a
    run removes what is read, RunError for damage.
    """
    ranking = results.ranking
    met = [match for match in ranking.sides if match.x == bot and match.sessions]
    chosen = [match for match in met if opponent in (None, match.y)]
    if not chosen:
        raise InputError(f"{bot} has not met {opponent or 'anybody'} in these records")
    match = min(chosen, key=lambda one: one.points_per_session)
    seat = 0 if contest.house or any(one.match == match.match and one.x == bot for one in ranking.matches) else 1
    batches = [batch for batch in results.batches if (batch.legs.match == match.match).any()]
    storage, presentation = open_storage(results.location), contest.presentation
    tallied = _Counted(presentation)
    for rows in _rows(contest, storage, batches, match.match):
        if contest.scored.by_position:
            first = rows["bot_0"] == bot
            for position, some in enumerate((first, ~first)):
                tallied.add({name: values[some] for name, values in rows.items()}, position, by_position=True)
        else:
            tallied.add(rows, seat)
    courses = courses_of(contest, storage, batches, [bot] if contest.house else [bot, match.y], match.match)
    course = courses.whole[bot].means(_STRETCHES) if bot in courses.whole else []
    panels = _panels(presentation, tallied, match) if presentation else ()
    return Losses(
        bot,
        match.y,
        match.match,
        match.points_per_session,
        tuple(tallied.seats()),
        tuple(tallied.kinds()) if tallied.won else None,
        tuple(course),
        "game" if contest.house else "session",
        tuple(panels),
    )


def as_numbers(panel: Chart, most_labels: int, most_cells: int) -> tuple[list[str], list[tuple[str, list[str]]]] | None:
    """A chart as a table, its headings and its rows, of at most this many labels, evenly spaced; None for one by row
    and column that has more cells."""
    lines: Sequence[tuple[str, Values]]
    if isinstance(panel, GridChart):
        if len(panel.rows) * len(panel.columns) > most_cells:
            return None
        headings, lines, unit = list(panel.columns), list(zip(panel.rows, panel.shares)), "%"
    else:
        step = -(-len(panel.labels) // most_labels)
        headings, unit = list(panel.labels[::step]), panel.unit
        lines = [(line.name, line.values[::step]) for line in panel.lines]
    rows = [
        (name, ["" if v is None else f"{v:.0%}" if unit == "%" else f"{v:,.1f}" for v in values])
        for name, values in lines
        if any(v is not None for v in values)
    ]
    return (headings, rows) if rows else None


def _rows(contest: Contest, storage: Storage, batches: Sequence[Batch], match: int) -> Iterator[Rows]:
    """The games of a match, a piece at a time."""
    for batch in batches:
        part = batch.part("games")
        require_written(storage, part)
        for rows in rows_of(storage, part, contest.games):
            inside = rows["match"] == match
            if inside.any():
                yield {name: values[inside] for name, values in rows.items()}


def _plain_kinds(rows: Rows, position: int) -> Kinds:
    """Return the rows of a contest without a presentation as one kind, the bot's position, with the bot's points."""
    kind = ("coming second" if position else "coming first", "")
    return Kinds(np.zeros(len(rows["match"]), int), (kind,), rows[f"points_{position}"].astype(float))


class _Counted:
    """What the rows of a match add up to: the presentation's sums, of the opponent at 0 and of the bot as all others,
    and by kind of game how many there were, what they brought, and the worst one."""

    def __init__(self, presentation: Presentation | None) -> None:
        self._presentation = presentation
        self.sums: dict[str, npt.NDArray[Any]] = {}
        self.won: dict[tuple[str, str], tuple[int, float, tuple[float, int, int]]] = {}

    def add(self, rows: Rows, seat: int, *, by_position: bool = False) -> None:
        """Add rows in which the bot has this seat, or this position."""
        count = len(rows["match"])
        found = None
        if self._presentation is None:
            found = _plain_kinds(rows, seat) if by_position else None
        else:
            bot, other = np.ones(count, np.int32), np.zeros(count, np.int32)
            seats = Seats((other, bot) if seat else (bot, other), 1)
            for name, sums in self._presentation.tally(rows, seats).items():
                self.sums[name] = self.sums[name] + sums if name in self.sums else sums
            if self._presentation.classify:
                found = self._presentation.classify(rows, seat)
        if found is None:
            return
        for code, kind in enumerate(found.names):
            at = np.flatnonzero(found.codes == code)
            if not len(at):
                continue
            won = found.won[at]
            worst = at[int(won.argmin())]
            lowest = (float(won.min()), int(rows["session"][worst]), int(rows["game"][worst]))
            before = self.won.get(kind, (0, 0.0, lowest))
            self.won[kind] = (before[0] + len(at), before[1] + float(won.sum()), min(before[2], lowest))

    def seats(self) -> list[AsSeat]:
        unit, found = self._presentation.game if self._presentation else "game", []
        for role in dict.fromkeys(role for role, _ in self.won if role):
            several = [sums for (its_role, _), sums in self.won.items() if its_role == role]
            games = sum(count for count, _, _ in several)
            found.append(AsSeat(role, sum(won for _, won, _ in several) / games, games, unit))
        return found

    def kinds(self) -> list[LostIn]:
        lost = sorted((sums[1], name) for name, sums in self.won.items() if sums[1] < 0)
        of_all = sum(won for won, _ in lost)
        found = []
        for won, name in lost[:MOST_KINDS]:
            count, _, (_, session, game) = self.won[name]
            found.append(LostIn(", ".join(filter(None, name)), count, won, won / of_all, session, game))
        return found


def _panels(presentation: Presentation, tallied: _Counted, match: Match) -> list[Chart]:
    """The presentation's charts of the bot, with the opponent in the place of the field; where charts compare nothing,
    one of either."""
    if not tallied.sums:
        return []
    name_of = {"the field": match.y, "this bot": match.x}

    def named(panel: Chart, whose: str = "") -> Chart:
        if isinstance(panel, GridChart):
            return replace(panel, title=f"{panel.title}: {whose}") if whose else panel
        return replace(panel, lines=[replace(line, name=name_of.get(line.name, line.name)) for line in panel.lines])

    found: list[Chart] = []
    both = together(tallied.sums)
    own = presentation.charts(tallied.sums, Subject(1, {match.y: match.measures}, both))
    others = presentation.charts(tallied.sums, Subject(0, {}, both))
    has_other = any(sums[0].any() for sums in tallied.sums.values())
    for mine, theirs in zip(own, others):
        if isinstance(mine, GridChart) and has_other:
            found += [named(mine, match.x), named(theirs, match.y)]
        else:
            found.append(named(mine))
    return [one for one in found if not isinstance(one, BarChart) or one.labels]
