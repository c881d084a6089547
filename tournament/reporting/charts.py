"""The geometry of charts, in the coordinates of their view boxes. The template draws them as SVG."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tournament.contests.portrait import BarChart, GridChart, Line, LineChart
from tournament.reporting.figures import percent, with_unit

WIDTH, HEIGHT = 360, 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 10, 10, 40
_LETTER, _GAP = 6.3, 9  # widths of a letter of a label, and between two
_BAR = 20  # height of a bar with its gap
_BARS_HEIGHT = 70  # percent of a row
_HEATS = 10


@dataclass(frozen=True)
class Tick:
    at: float
    text: str


@dataclass(frozen=True)
class Curve:
    """A line of a plot as a path, with dots for values that have no neighbours."""

    name: str
    style: str
    path: str
    dots: Sequence[tuple[float, float]] = ()


@dataclass(frozen=True)
class Plot:
    """A chart of lines. `told` has its values in words, for those who can't see it."""

    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    curves: Sequence[Curve]
    zero: float | None
    axis: str
    told: str
    width: int = WIDTH
    height: int = HEIGHT

    @property
    def inside(self) -> tuple[float, float, float, float]:
        """Left, right, top and bottom of the area of the lines."""
        return _LEFT, self.width - _RIGHT, _TOP, self.height - _BOTTOM


@dataclass(frozen=True)
class Bar:
    """A bar that begins at `at` and is `long` wide, `top` below the row's upper edge and `thick` high, in percent.

    `style` is its line's place in the chart, `text` its value.
    """

    at: float
    long: float
    top: float
    thick: float
    style: int
    text: str


@dataclass(frozen=True)
class BarRow:
    label: str
    bars: Sequence[Bar]
    text: str


@dataclass(frozen=True)
class Bars:
    """Horizontal bars, a row for each label. `zero` is where they start, in percent of the width."""

    rows: Sequence[BarRow]
    names: Sequence[str]
    zero: float


@dataclass(frozen=True)
class Heat:
    """A cell of a grid: its text, its shade from 0 to 10, and its full description."""

    text: str
    level: int
    told: str


def round_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """A few round numbers, from `low` or below to `high` or above."""
    span = high - low or abs(high) or 1.0
    raw = span / (most - 1)
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(size * factor for factor in (1, 2, 2.5, 5, 10) if size * factor >= raw * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [step * place for place in range(first, max(last, first + 1) + 1)]


def decimals_of(ticks: Sequence[float]) -> int:
    """How many decimals it takes to write all of them."""
    return next((digits for digits in range(6) if all(abs(tick - round(tick, digits)) < 1e-9 for tick in ticks)), 6)


def line_plot(chart: LineChart, width: int = WIDTH, height: int = HEIGHT) -> Plot:
    """A chart of lines with its axes. For shares the axis goes from 0 to 100%."""
    values = [value for line in chart.lines for value in line.values if value is not None]
    low, high = min([0.0, *values]), max([0.0, *values])
    ticks = [0.0, 0.25, 0.5, 0.75, 1.0] if chart.unit == "%" and low >= 0 and high <= 1 else round_ticks(low, high)
    low, high = ticks[0], ticks[-1]
    right, bottom = width - _RIGHT, height - _BOTTOM
    count = len(chart.labels)

    def x(place: int) -> float:
        return _LEFT + (right - _LEFT) * (place + 0.5) / count

    def y(value: float) -> float:
        return bottom - (bottom - _TOP) * (value - low) / (high - low)

    room = int((right - _LEFT) / (_LETTER * max(map(len, chart.labels), default=1) + _GAP))
    every = max(1, -(-count // max(1, room)))
    digits = 0 if chart.unit == "%" else decimals_of(ticks)
    curves: list[Curve] = []
    own = 0
    for line in chart.lines:
        points = [None if value is None else (x(at), y(value)) for at, value in enumerate(line.values)]
        style = "compared" if line.compared else f"line{own % 8}"
        own += not line.compared
        curves.append(Curve(line.name, style, path_of(points), _alone(points)))
    return Plot(
        [Tick(x(place), chart.labels[place]) for place in range(0, count, every)],
        [Tick(y(tick), with_unit(tick, chart.unit, digits)) for tick in ticks],
        curves,
        y(0.0) if low < 0 else None,
        chart.axis,
        _told(chart.labels, [line for line in chart.lines if not line.compared], chart.unit),
        width,
        height,
    )


def path_of(points: Sequence[tuple[float, float] | None]) -> str:
    """An SVG path through the points, interrupted at None."""
    parts, pen_is_down = [], False
    for point in points:
        if point:
            parts.append(f"{'L' if pen_is_down else 'M'}{_short(point[0])} {_short(point[1])}")
        pen_is_down = point is not None
    return "".join(parts)


def _alone(points: Sequence[tuple[float, float] | None]) -> list[tuple[float, float]]:
    """The points without neighbours, which a path doesn't show."""
    padded = [None, *points, None]
    return [
        (round(point[0], 1), round(point[1], 1))
        for before, point, after in zip(padded, padded[1:], padded[2:])
        if point and not before and not after
    ]


def _short(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")


def _told(labels: Sequence[str], lines: Sequence[Line], unit: str) -> str:
    """The values of the lines as text, at ten labels or fewer."""
    every = max(1, -(-len(labels) // 10))
    told = []
    for line in lines:
        pairs = [
            f"{labels[place]}: {with_unit(value, unit)}"
            for place in range(0, len(labels), every)
            if (value := line.values[place]) is not None
        ]
        told.append(f"{line.name}: {', '.join(pairs)}" if len(lines) > 1 else ", ".join(pairs))
    return "; ".join(told)


def spark_path(values: Sequence[float], reach: float, width: int = 72, height: int = 20) -> str:
    """A small line of values between −reach and +reach."""
    if len(values) < 2 or not reach:
        return ""
    step = width / (len(values) - 1)
    points = [
        (place * step, height / 2 - (height / 2 - 1) * max(-1.0, min(1.0, value / reach)))
        for place, value in enumerate(values)
    ]
    return path_of(points)


def bar_rows(chart: BarChart) -> Bars:
    """A chart of bars: stacked, as shares of a whole, or side by side from a common zero."""
    known = [value for line in chart.lines for value in line.values if value is not None]
    low, high = (0.0, 1.0) if chart.stacked else (min([0.0, *known]), max([0.0, *known]))
    span = high - low or 1.0
    zero = -low / span * 100
    rows = []
    for place, label in enumerate(chart.labels):
        values = [line.values[place] for line in chart.lines]
        bars, start = [], 0.0
        thick = _BARS_HEIGHT / (1 if chart.stacked else len(values))
        for style, value in enumerate(values):
            if value is None:
                continue
            long = abs(value) / span * 100
            at = start if chart.stacked else zero if value >= 0 else zero - long
            top = (100 - _BARS_HEIGHT) / 2 + (0 if chart.stacked else style * thick)
            bars.append(Bar(round(at, 2), round(long, 2), round(top, 2), thick, style, with_unit(value, chart.unit)))
            start += long
        shown = [bar.text for bar in bars]
        rows.append(BarRow(label, bars, " · ".join(shown) if shown else "too few"))
    return Bars(rows, [line.name for line in chart.lines] if len(chart.lines) > 1 else [], round(zero, 2))


def heat_rows(chart: GridChart) -> list[list[Heat]]:
    """The cells of a grid, row by row."""
    return [
        [
            Heat("", 0, f"{row}, {column}: too few")
            if share is None
            else Heat(
                f"{100 * share:.0f}", round(_HEATS * share), f"{row}, {column}: {percent(share)} of {count:,}"
            )
            for column, share, count in zip(chart.columns, shares, counts)
        ]
        for row, shares, counts in zip(chart.rows, chart.shares, chart.counts)
    ]  # fmt: skip
