"""Charts as SVG and as tables."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

from markupsafe import Markup, escape

from tournament.contests.presentation import BarChart, Chart, GridChart, Line, LineChart, Values
from tournament.reporting.figures import MINUS, plain

# Number of lines with their own colours.
_COLOURS = 8


def chart(panel: Chart) -> Markup:
    """Return a contest's chart of a bot as a figure."""
    if isinstance(panel, GridChart):
        kind, drawn = "grid", _grid(panel)
    elif isinstance(panel, LineChart):
        kind, drawn = "lines", _lines(panel) + _legend(panel.lines)
    else:
        kind, drawn = "bars", (_legend(panel.lines) if len(panel.lines) > 1 else Markup()) + _bars(panel)
    return Markup(
        '<figure class="panel {}"><figcaption><h4>{}</h4><p>{}</p></figcaption><div class="drawing">{}</div></figure>'
    ).format(kind, panel.title, panel.meaning, drawn)


def styles(lines: Sequence[Line]) -> list[str]:
    """Return the CSS class of each line. Only lines of the bot itself are coloured: after eight, colours recur."""
    own = itertools.count()
    return ["compared" if line.compared else f"line{next(own) % _COLOURS}" for line in lines]


def _lines(panel: LineChart, width: int = 360, height: int = 200) -> Markup:
    """Return lines over labels. Shares have an axis from 0 to 100%.

    Args:
        panel: The chart.
        width: Width in pixels, at the chart's natural size.
        height: Height in pixels.
    """
    left, right, top, bottom = 44, width - 10, 10, height - 40
    all_values = [value for line in panel.lines for value in line.values if value is not None]
    low, high = min(0, *all_values, 0), max(0, *all_values, 0)
    has_full_axis = panel.unit == "%" and low >= 0 and 0.5 < high <= 1
    ticks = [0, 0.25, 0.5, 0.75, 1] if has_full_axis else round_ticks(low, high)
    low, high = ticks[0], ticks[-1]
    digits = _decimals([100 * tick for tick in ticks] if panel.unit == "%" else ticks)
    count = max(1, len(panel.labels))

    def x(index: int) -> str:
        """Return the horizontal position of a label, in pixels."""
        return f"{left + (right - left) * (index + 0.5) / count:.0f}"

    def y(value: float, down: float = 0) -> str:
        """Return the vertical position of a value, moved down by a number of pixels."""
        return f"{bottom - (bottom - top) * (value - low) / (high - low) + down:.1f}"

    parts = []
    for tick in ticks:
        rule = "zero" if low < 0 and tick == 0 else "rule"
        parts.append(f'<line class="{rule}" x1="{left}" x2="{right}" y1="{y(tick)}" y2="{y(tick)}"/>')
        text = with_unit(tick, panel.unit, digits)
        parts.append(f'<text class="end" x="{left - 6}" y="{y(tick, 3.5)}">{escape(text)}</text>')
    longest = max(map(len, panel.labels), default=1)
    every = max(1, math.ceil(count / max(1, int((right - left) / (6.3 * longest + 9)))))
    for place in range(0, len(panel.labels), every):
        label = escape(panel.labels[place])
        parts.append(f'<text class="middle" x="{x(place)}" y="{bottom + 15}">{label}</text>')
    parts.append(f'<text class="middle" x="{(left + right) / 2:g}" y="{bottom + 33}">{escape(panel.axis)}</text>')
    for line, style in reversed(list(zip(panel.lines, styles(panel.lines)))):
        path, dots = "", ""
        values = [None, *line.values, None]
        for place, (before, value, after) in enumerate(zip(values, values[1:], values[2:])):
            if value is None:
                continue
            path += f"{'M' if before is None else 'L'}{x(place)} {y(value)}"
            if before is None and after is None:
                dots += f'<circle cx="{x(place)}" cy="{y(value)}" r="2.5"/>'
        name = escape(line.name)
        parts.append(f'<g class="curve {style}"><path d="{path}"/>{dots}<title>{name}</title></g>')
    label = escape(_values_as_text(panel) or panel.title)
    return Markup(
        f'<svg class="plot" viewBox="0 0 {width} {height}" role="img" aria-label="{label}">{"".join(parts)}</svg>'
    )


def round_ticks(low: float, high: float, max_ticks: int = 5) -> list[float]:
    """Return a few round numbers in ascending order, at least two, from `low` or below to `high` or above.

    Args:
        low: Lower end of the values.
        high: Upper end of the values.
        max_ticks: Maximum number of ticks, approximately.
    """
    step = nice_step((high - low or abs(high) or 1) / (max_ticks - 1))
    first = math.floor(low / step + 1e-9)
    last = max(math.ceil(high / step - 1e-9), first + 1)
    return [step * place for place in range(first, last + 1)]


def nice_step(minimum: float) -> float:
    """Return 1, 2, 2.5 or 5 times a power of ten that is at least, or nearly, this positive number."""
    size = 10.0 ** math.floor(math.log10(minimum))
    return next(factor * size for factor in (1, 2, 2.5, 5, 10) if factor * size >= minimum * 0.999)


def _decimals(ticks: Iterable[float]) -> int:
    return next((digits for digits in range(6) if all(abs(one - round(one, digits)) < 1e-9 for one in ticks)), 6)


def with_unit(value: float, unit: str, digits: int | None = None) -> str:
    """Return a value as text with its unit.

    Args:
        value: The value.
        unit: The unit, which follows the number; "%" for a share of 1, "$" for dollars, "" for none.
        digits: Number of decimals. None for none with %, otherwise for about three digits in all, and four decimals at
            most.
    """
    if unit == "%":
        return f"{plain(100 * value, digits or 0)}%"
    if digits is None:
        size = abs(value)
        digits = 0 if size >= 100 or not size else max(0, min(4, 2 - math.floor(math.log10(size))))
    text = plain(value, digits)
    if unit == "$":
        return f"{MINUS}${text[1:]}" if text.startswith(MINUS) else f"${text}"
    return f"{text} {unit}".rstrip()


def _values_as_text(panel: LineChart) -> str:
    """Return the values of a bot's first eight lines as text, evenly spaced and at most ten per line.

    Missing values are omitted. The result is "" if there are none.
    """
    every = max(1, math.ceil(len(panel.labels) / 10))
    own = [line for line in panel.lines if not line.compared][:_COLOURS]
    texts = []
    for line in own:
        pairs = [
            f"{label}: {with_unit(value, panel.unit)}"
            for label, value in list(zip(panel.labels, line.values))[::every]
            if value is not None
        ]
        texts += [f"{line.name}: {', '.join(pairs)}" if len(own) > 1 else ", ".join(pairs)] if pairs else []
    return "; ".join(texts)


def _legend(lines: Sequence[Line]) -> Markup:
    items = Markup().join(
        Markup('<li class="{}">{}</li>').format(style, line.name) for line, style in zip(lines, styles(lines))
    )
    return Markup('<ul class="legend" aria-hidden="true">{}</ul>').format(items)


def _table(kind: str, caption: str, headings: Sequence[str], rows: Iterable[tuple[str, str]], hidden: str) -> Markup:
    """Return a table of HTML.

    Args:
        kind: CSS class of the table.
        caption: Caption for screen readers, as text.
        headings: Headings of the columns, as text.
        rows: Label of each row as text, and the HTML of its other cells.
        hidden: CSS class of the headings; "" if they are shown.
    """
    head = "".join(f'<th scope="col">{escape(heading)}</th>' for heading in headings)
    body = "".join(f'<tr><th scope="row">{escape(label)}</th>{cells}</tr>' for label, cells in rows)
    return Markup(
        f'<table class="{kind}"><caption class="vh">{escape(caption)}</caption>'
        f'<thead class="{hidden}"><tr>{head}</tr></thead><tbody>{body}</tbody></table>'
    )


def _bars(panel: BarChart) -> Markup:
    """Return horizontal bars, a row for each label: stacked as shares, or from a common zero."""
    all_values = [value for line in panel.lines for value in line.values if value is not None]
    low, high = min(0, *all_values, 0), max(1 if panel.unit == "%" else 0, *all_values, 0)
    if panel.stacked:
        low, high = 0, 1
    span = high - low or 1
    zero = -low / span * 100
    thick = 70 if panel.stacked else 70 / len(panel.lines)
    rows = []
    for place, label in enumerate(panel.labels):
        drawn, texts, start = "", [], 0.0
        for number, (line, style) in enumerate(zip(panel.lines, styles(panel.lines))):
            if (value := line.values[place]) is None:
                continue
            long = abs(value) / span * 100
            at = start if panel.stacked else zero if value >= 0 else zero - long
            start += long
            down = 15 + (0 if panel.stacked else number * thick)
            drawn += f'<rect class="{style}" x="{at:.1f}%" width="{long:.1f}%" y="{down:.0f}%" height="{thick:.0f}%"/>'
            texts.append(with_unit(value, panel.unit))
        if 0 < zero < 100:
            drawn += f'<line class="zero" x1="{zero:.1f}%" x2="{zero:.1f}%" y1="0" y2="100%"/>'
        values = escape(" · ".join(texts) or "too few")
        cells = (
            f'<td class="track"><svg class="track" aria-hidden="true">{drawn}</svg></td><td class="num">{values}</td>'
        )
        rows.append((label, cells))
    return _table("bars", panel.title, ("of", "bar", " · ".join(line.name for line in panel.lines)), rows, "vh")


def _grid(panel: GridChart) -> Markup:
    """Return shares as a heat map with their numbers in percent. A missing share has an empty cell."""
    small = " small" if len(panel.columns) > 6 else ""
    rows = [
        (label, "".join(map(_share, shares, counts)))
        for label, shares, counts in zip(panel.rows, panel.shares, panel.counts)
    ]
    table = _table(f"grid{small}", f"{panel.title}, in percent", ["", *panel.columns], rows, "")
    return Markup('<div class="scroll">{}</div>').format(table)


def _share(share: float | None, count: int) -> str:
    if share is None:
        return '<td class="s0" title="too few"></td>'
    return f'<td class="s{round(10 * share)}" title="of {count:,}">{plain(100 * share)}</td>'


def points_over_match(means: Values, field_means: Values, length: int, unit: str) -> LineChart:
    """Return the chart of a bot's points from the start of a match to its end, with the mean of all bots.

    Args:
        means: Mean points of the bot per session, or game, in equal parts of a match, at least one.
        field_means: Mean points of all bots in these parts. With another number of parts they aren't shown.
        length: Number of sessions, or games, of a match.
        unit: What a match consists of, such as "session".
    """
    labels = [f"{round(length * (place + 1) / len(means)):,}" for place in range(len(means))]
    lines = [Line("the field", field_means, compared=True)] if len(field_means) == len(means) else []
    return LineChart(
        f"Points over {unit}s", f"Points a {unit}, from the beginning of a match to its end.",
        f"{unit}s of a match, up to",
        labels, [*lines, Line("this bot", means)], "",
    )  # fmt: skip
