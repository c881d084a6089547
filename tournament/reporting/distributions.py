"""Charts of any contest: how often each value of a column occurs in a bot's games, and its points by position."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tournament.contests.contest import Contest
from tournament.contests.presentation import (
    BarChart,
    Chart,
    LineChart,
    Rows,
    Seats,
    Sums,
    Values,
    against_field,
    counted,
    shares,
)
from tournament.reporting.charts import nice_step
from tournament.reporting.figures import MINUS
from tournament.store.columns import NAME, STANDARD

# Maximum number of distinct values of a column in a chart.
_MAX_VALUES = 12
# Maximum number of columns with a chart.
_MAX_COLUMNS = 12
# Maximum number of bars: more values are drawn as a line.
_MAX_BARS = 8


@dataclass(frozen=True)
class Declared:
    """A column that a contest declares for its games.

    Attributes:
        name: Name of the column, without a position.
        meaning: Description of the column, without the position; "" if it has none.
        columns: Columns in the records: one, or one for each position in order.
        labels: Names of the values, from 0; empty for numbers.
    """

    name: str
    meaning: str
    columns: tuple[str, ...]
    labels: Sequence[str] = ()


@dataclass(frozen=True)
class Scale:
    """Equal parts of a column's values, with one part below and one part above all of them.

    Attributes:
        column: The column.
        low: Lower end of the first part.
        step: Size of a part.
        names: Name or first value of each part in ascending order, without the parts below and above all values.
    """

    column: Declared
    low: float
    step: float
    names: Sequence[str]

    @property
    def key(self) -> str:
        """Name of the sums."""
        return f"values of {self.column.name}"

    def part_indices(self, values: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """Return the index of the part of each value: 0 below all parts, and 1 for the first part.

        A value above all parts has the index len(names) + 1. Values must not be NaN.
        """
        # A long column of small values is faster by a lookup table.
        if values.dtype.itemsize == 1:
            kind = np.dtype(np.uint8) if values.dtype == bool else values.dtype
            all_values = np.arange(256, dtype=np.uint8).view(kind).astype(np.int16)
            looked_up: npt.NDArray[np.int32] = self.part_indices(all_values)[values.view(np.uint8)]
            return looked_up
        parts = np.floor((values.astype(float) - self.low) / self.step)
        return (np.clip(parts, -1, len(self.names)) + 1).astype(np.int32)


def declared(contest: Contest) -> list[Declared]:
    """Return the columns of games that have charts: all of a contest's own, or those that its presentation names.

    They are in the order of the contest's columns, and at most 12.
    """
    own = [column for column in contest.games if column.name not in STANDARD and column.dtype != NAME]
    by_name: dict[str, Declared] = {}
    named = contest.presentation.columns if contest.presentation else None
    for column in own:
        base, _, number = column.name.rpartition("_")
        is_seat = column.seat >= 0 or (named is not None and base in named and number.isdigit())
        name = base if is_seat else column.name
        if named is None or name in named:
            before = by_name.get(name, Declared(name, column.description.partition(" of position")[0].rstrip(","), ()))
            labels = () if named is None else named[name]
            by_name[name] = Declared(name, before.meaning, (*before.columns, column.name), labels)
    return list(by_name.values())[:_MAX_COLUMNS]


def make_scales(columns: Sequence[Declared], samples: Sequence[Rows]) -> list[Scale]:
    """Return parts of each column that fit some rows, in the order of the columns.

    Columns with a single value are omitted, and so are those without a finite one.
    """
    scales = []
    for column in columns:
        arrays = [rows[name] for rows in samples for name in column.columns if name in rows]
        values = np.concatenate([np.zeros(0), *arrays]).astype(float)
        values = values[np.isfinite(values)]
        if not len(values) or (low := float(values.min())) == (high := float(values.max())):
            continue
        step = nice_step((high - low) / _MAX_VALUES)
        if (values == np.floor(values)).all():
            step = max(1.0, math.ceil(step))
        names = column.labels or (("no", "yes") if arrays[0].dtype == bool else ())
        if names:
            low, step = 0.0, 1.0
        low = math.floor(low / step) * step
        first = (low + part * step for part in range(int((high - low) / step) + 1))
        scales.append(Scale(column, low, step, names or [f"{one:,.6g}".replace("-", MINUS) for one in first]))
    return scales


def tally(contest: Contest, scales: Sequence[Scale], rows: Rows, seats: Seats) -> Sums:
    """Return the number of values in each part by entrant, and games and points by entrant and position.

    Sums of a column have the key of its scale. The others are "games by position" and "points by position", unless the
    contest has no positions. The first axis has an index for each entrant, and one for all others. NaN isn't counted.

    Args:
        contest: Contest of the games.
        scales: Parts of the columns.
        rows: Rows of games.
        seats: Players of the rows.
    """
    everybody = seats.entrants + 1
    bots = seats.players[:1] if contest.house else seats.players
    sums: dict[str, npt.NDArray[Any]] = {}
    for scale in scales:
        columns = scale.column.columns
        counts = np.zeros((everybody, len(scale.names) + 2), np.int64)
        for seat, player in enumerate(bots[: len(columns)] if len(columns) > 1 else bots):
            values = rows[columns[seat if len(columns) > 1 else 0]]
            is_number = ~np.isnan(values) if values.dtype.kind == "f" else slice(None)
            counts += counted(
                [(player[is_number], everybody), (scale.part_indices(values[is_number]), len(scale.names) + 2)]
            )
        sums[scale.key] = counts
    if positions := _by_position(contest, rows, seats):
        played = [np.bincount(player, minlength=everybody) for player, _ in positions]
        points = [np.bincount(player, won.astype(float), everybody) for player, won in positions]
        sums |= {"games by position": np.stack(played, 1), "points by position": np.stack(points, 1)}
    return sums


def _by_position(contest: Contest, rows: Rows, seats: Seats) -> list[tuple[npt.NDArray[Any], npt.NDArray[Any]]]:
    """Return players and points at each position, by row, in the order of positions. [] without positions."""
    presentation = contest.presentation
    if contest.scored.by_position and "points_1" in rows:
        return [(player, rows[f"points_{position}"]) for position, player in enumerate(seats.players)]
    if not (presentation and presentation.points and presentation.seat_0_is):
        return []
    seat_points = list(zip(seats.players, presentation.points(rows)))
    is_first = rows[presentation.seat_0_is]
    players, won = ([np.where(is_first, *pair), np.where(is_first, *pair[::-1])] for pair in zip(*seat_points))
    return list(zip(players, won))


def charts(contest: Contest, scales: Sequence[Scale], sums: Sums, number: int, field: Sums) -> Iterator[Chart]:
    """Yield the charts of an entrant, compared with all entrants together: points by position, then each scale's.

    Values of fewer than 20 games are None.

    Args:
        contest: Contest of the games.
        scales: Parts of the columns.
        sums: Sums by entrant.
        number: Index of the entrant.
        field: Sums of all entrants together.
    """
    if "games by position" in sums:
        played, points = "games by position", "points by position"
        lines = [shares(one[points], one[played]) for one in (field, {name: sums[name][number] for name in field})]
        presentation = contest.presentation
        labels: Sequence[str] = [f"position {position}" for position in range(len(lines[0]))]
        labels, unit = (
            (presentation.positions, presentation.money) if presentation and presentation.seat_0_is else (labels, "")
        )
        meaning = f"The mean of a {presentation.game if presentation else 'game'} at each position."
        yield _chart("Points by position", meaning, "position", labels, lines, unit)
    for scale in scales:
        own, field_counts = sums[scale.key][number], field[scale.key]
        used = np.flatnonzero(field_counts)
        parts = range(used[0], used[-1] + 1) if len(used) else range(0)
        lines = [shares(counts[list(parts)], np.full(len(parts), counts.sum())) for counts in (field_counts, own)]
        name = scale.column.name.replace("_", " ")
        meaning = f"{scale.column.meaning}, by" if scale.column.meaning and not scale.column.labels else "by"
        axis = name if scale.step == 1 else f"{name}, from"
        labels = [("less", *scale.names, "more")[part] for part in parts]
        yield _chart(name.capitalize(), f"{meaning[:1].upper()}{meaning[1:]} share of games.", axis, labels, lines, "%")


def _chart(title: str, meaning: str, axis: str, labels: Sequence[str], lines: Sequence[Values], unit: str) -> Chart:
    """Return a chart with bars for up to eight labels, otherwise with lines.

    Args:
        title: Title of the chart.
        meaning: Meaning of the values, as a sentence.
        axis: Title of the axis of labels, which bars don't show.
        labels: Labels of the values.
        lines: Values of all entrants, then those of the bot, by label.
        unit: Unit of the values; "%" for a share of 1, "" for none.
    """
    if len(labels) <= _MAX_BARS:
        return BarChart(title, meaning, labels, against_field(*lines), unit)
    return LineChart(title, meaning, axis, labels, against_field(*lines), unit)
