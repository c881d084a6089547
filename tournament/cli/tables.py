"""Leaderboard and crosstable on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from tournament.errors import printable, telling_line
from tournament.standings.history import closest_to_beating
from tournament.standings.student import REACH

if TYPE_CHECKING:
    from tournament.contests.scoring import HouseScoring, Measure
    from tournament.standings.history import Version
    from tournament.standings.matches import Match
    from tournament.standings.ratings import Look, Rated
    from tournament.standings.standings import Standing, Standings

# Up to so many entrants have a column each in the crosstable; larger fields are a list of pairs.
MOST_COLUMNS = 24
# Measures that the leaderboard shows on wide terminals only don't go into the crosstable's cells.
_CELL_WIDTH = 60
# Between two columns of a table; the least width of bots' names, and the most for which columns are dropped.
_BETWEEN = " │ "
_NARROWEST_NAME = 12
_LONGEST_NAME = 24
# Lines kept free below the final tables, for where the games are, who came late, and the prompt.
_LINES_BELOW = 4


@dataclass(frozen=True)
class _Heading:
    """A column of the leaderboard: its title, the narrowest terminal that shows it, its cells' text and their style."""

    title: str
    from_width: int
    cell: Callable[[Standing], str]
    style: Callable[[Standing], str] = lambda line: ""


def _by_sign(line: Standing) -> str:
    return "green" if line.score >= 0 else "red"


def _per_session(line: Standing) -> str:
    return "" if line.points_per_session is None else f"{line.points_per_session:+.3f}"


_HEADINGS = (
    _Heading("score", 0, lambda line: f"{line.score:+,.1f}" if line.matches else "", _by_sign),
    _Heading(
        "± 95%", 0, lambda line: "" if line.ci_high is None else f"{line.ci_high - line.score:,.1f}", lambda line: "dim"
    ),
    _Heading("place", 66, lambda line: line.place, lambda line: "cyan"),
    _Heading("per session", 120, _per_session),
    _Heading("per game", 132, lambda line: "" if line.points_per_game is None else f"{line.points_per_game:+.3f}"),
    _Heading("ahead of next", 106, lambda line: _percent(line.order_probability) if line.matches else ""),
    _Heading("order", 0, lambda line: line.order or ""),
    _Heading("matches", 78, lambda line: f"{line.matches:,}"),
    _Heading("games", 84, lambda line: f"{line.games:,}"),
    _Heading("faults", 72, lambda line: f"{line.faults:,}" if line.faults else "", lambda line: "red"),
)


_PER_MATCH = _Heading("per match", 92, lambda line: f"{line.score / line.matches:+,.1f}" if line.matches else "")


def _headings(scoring: HouseScoring | None) -> list[_Heading]:
    """The columns of a leaderboard. Against house players the score is no sum, and the contest's measures follow it."""
    if scoring is None:
        return list(_HEADINGS)
    digits = scoring.decimals
    score = _Heading("score", 0, lambda line: f"{line.score:,.{digits}f}" if line.matches else "", _by_sign)
    reach = _Heading(
        "± 95%",
        0,
        lambda line: "" if line.ci_high is None else f"{line.ci_high - line.score:,.{digits}f}",
        lambda line: "dim",
    )
    own = [_Heading(measure.title, measure.from_width, partial(_measured, measure)) for measure in scoring.measures]
    return [score, reach, *own, *(heading for heading in _HEADINGS[2:] if not heading.title.startswith("per "))]


def _measured(measure: Measure, line: Standing | Match) -> str:
    value = line.measures.get(measure.name)
    return "" if value is None else measure.shown(value)


def leaderboard_table(
    standings: Standings, title: str, width: int = 120, most_rows: int | None = None, unit: str = ""
) -> Table:
    """The ranking as a table for a terminal `width` characters wide, at most `most_rows` lines of it.

    Below the line stand the broken and the disqualified. `unit` says what scores are counted in. While some have
    played more than others, the value that ranks them stands before their sums.
    """
    headings = [heading for heading in _headings(standings.scoring) if width >= heading.from_width]
    if standings.until is None:  # elsewhere the place says it
        headings = [heading for heading in headings if heading.title != "order"]
    uneven = len({line.matches for line in standings.ranked}) > 1
    if uneven and not standings.scoring:
        headings[:2] = [_PER_MATCH, *headings[:2]] if width >= _PER_MATCH.from_width else [_PER_MATCH]
    averaged = "a mean over the matches so far" if standings.scoring else "in order of the score per match"
    headings = _fitting(headings, standings, width)
    notes = [unit, *([f"{averaged}, until all have played as many"] if uneven else [])]
    table = plain_table(title, "; ".join(note for note in notes if note) or None)
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("bot", overflow="fold", min_width=_NARROWEST_NAME)
    for heading in headings:
        table.add_column(heading.title, justify="right", no_wrap=True)
    ranked, below = shown, shown_below = standings.ranked, standings.below
    if most_rows is not None and len(ranked) + len(below) > most_rows:
        shown_below = below[: max(1, most_rows // 3)]
        shown = ranked[: max(1, most_rows - len(shown_below))]
    for line in shown:
        cells = [Text(heading.cell(line), style=heading.style(line)) for heading in headings]
        last = line is shown[-1] and len(shown) == len(ranked)
        table.add_row(str(line.rank), Text(line.name, style="bold"), *cells, end_section=bool(below) and last)
    if len(shown) < len(ranked):
        table.add_row("", f"… and {len(ranked) - len(shown):,} more", end_section=bool(below))
    for line in shown_below:
        counts = [f"{line.faults or ''}" if heading.title == "faults" else "" for heading in headings[1:]]
        table.add_row("", Text(line.name, style="dim"), Text(line.status, style="red"), *counts)
    if len(shown_below) < len(below):
        table.add_row("", f"… and {len(below) - len(shown_below):,} more", Text("can't play", style="red"))
    return table


def _fitting(headings: list[_Heading], standings: Standings, width: int) -> list[_Heading]:
    """The columns that leave room for the bots' names; those for the widest terminals are dropped first."""
    names = min(_LONGEST_NAME, max((len(line.name) for line in standings.entrants), default=0))
    fixed = len(str(len(standings.ranked))) + len(_BETWEEN) + max(_NARROWEST_NAME, names)
    widths = {
        heading.title: len(_BETWEEN)
        + max(len(heading.title), *(len(heading.cell(line)) for line in standings.ranked), 0)
        for heading in headings
    }
    while fixed + sum(widths[heading.title] for heading in headings) > width:
        widest = max(heading.from_width for heading in headings)
        if widest == 0:
            break
        headings = [heading for heading in headings if heading.from_width != widest]
    return headings


def rating_table(lines: Sequence[Rated], look: Look, title: str) -> Table:
    """Another rating by the same crosstable, best first."""
    table = plain_table(f"{title}: {look.title}", look.meaning)
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("bot", overflow="fold", min_width=_NARROWEST_NAME)
    with_errors = any(line.stderr is not None for line in lines)
    for heading in ("rating", *(["± 95%"] if with_errors else []), *(column for _, column, _ in look.columns)):
        table.add_column(heading, justify="right", no_wrap=True)
    for line in lines:
        reach = "" if line.stderr is None else look.shown(REACH * line.stderr).lstrip("+")
        more = [show(line.more[name]) for name, _, show in look.columns]
        table.add_row(
            str(line.rank), Text(line.name), look.shown(line.rating), *([reach] if with_errors else []), *more
        )
    return table


def history_table(versions: Sequence[Version], title: str) -> Table:
    """A bot's versions, the newest last; where archives have some, which."""
    table = plain_table(title)
    archived = any(version.archive for version in versions)
    for heading in ("version", "rank", "place", "score", "± 95%", "per session", "sessions"):
        table.add_column(heading, justify="left" if heading == "version" else "right", no_wrap=True)
    if archived:
        table.add_column("records", no_wrap=True)
    for version in versions:
        line = version.line
        reach = "" if line.ci_high is None else f"{line.ci_high - line.score:,.1f}"
        rank = line.status if line.rank is None else f"{line.rank} of {version.ranked}"
        score = f"{line.score:+,.1f}" if line.matches else ""
        where = [f"archive {version.archive}" if version.archive else ""] if archived else []
        table.add_row(
            line.sha256[:12], rank, line.place, score, reach, _per_session(line), f"{line.sessions:,}", *where
        )
    return table


def matches_table(matches: Sequence[Match], title: str) -> Table:
    """A bot's matches from its side, the best first."""
    closest = closest_to_beating(matches)
    table = plain_table(title, f"closest to beating: {closest.y}" if closest else "nobody is ahead of it")
    for heading in ("against", "points per session", "± 95%", "theirs"):
        table.add_column(heading, justify="left" if heading == "against" else "right")
    for match in matches:
        table.add_row(Text(match.y), *_points(match), f"{match.from_y().points_per_session:+.3f}")
    return table


def _points(match: Match) -> tuple[str, str]:
    """Points a session, and half the width of their interval."""
    error = match.stderr_per_session
    return f"{match.points_per_session:+.3f}", "" if error is None else f"{REACH * error:.3f}"


def fitted(console: Console, room: int, draw: Callable[[int], RenderableType]) -> RenderableType:
    """`draw` of the most rows with which it isn't higher than `room`, three at least."""
    rows = max(3, room)
    while True:
        drawn = draw(rows)
        over = len(console.render_lines(drawn, pad=False)) - room
        if over <= 0 or rows <= 3:
            return drawn
        rows = max(3, rows - over)


def reasons(standings: Standings, again: Mapping[str, str] | None = None, most: int | None = None) -> Text:
    """One line for each entrant below the line: what is wrong with it, and the command to see it `again`, if any.

    Those beyond `most` are only counted.
    """
    lines = []
    below = standings.below
    for line in below[:most]:
        reason = printable(telling_line(line.reason or ""))
        lines.append(Text.assemble((line.name, "bold"), f": {line.status}: {reason}"))
        if again and line.name in again:
            lines.append(Text(f"  see it: {again[line.name]}"))
    if most is not None and most < len(below):
        lines.append(Text(f"… and {len(below) - most:,} more: tournament leaderboard has all"))
    return Text("\n").join(lines)


def final_tables(
    console: Console, standings: Standings, title: str, unit: str, again: Mapping[str, str]
) -> Iterator[RenderableType]:
    """The ranking and the problems of bots, together no higher than the console: the top stays in sight."""
    below = reasons(standings, again)
    room = console.height - _LINES_BELOW
    if console.is_terminal:
        ranked = replace(standings, entrants=tuple(standings.ranked))
        count = len(standings.entrants) - len(ranked.entrants)
        most = next((n for n in range(count, 0, -1) if _height(console, reasons(standings, again, n)) <= room // 4), 1)
        below = wrapped(console, reasons(standings, again, most))

        def draw(rows: int) -> RenderableType:  # who is below the line stands there with the reason
            return leaderboard_table(ranked, title, console.width, rows, unit)

        yield fitted(console, room - _height(console, below), draw)
    else:
        yield leaderboard_table(standings, title, console.width, unit=unit)
    if below:
        yield below


def wrapped(console: Console, text: Text) -> Text:
    """A text broken between words; what is to be copied, behind two blanks, stays whole."""
    lines = [
        piece
        for line in text.split("\n")
        for piece in ([line] if line.plain.startswith("  ") else line.wrap(console, console.width))
    ]
    return Text("\n").join(lines) if text else text


def _height(console: Console, text: Text) -> int:
    """How many lines a text has on the terminal."""
    lines = wrapped(console, text).split("\n")
    return sum(max(1, -(-line.cell_len // console.width)) for line in lines) if text else 0


def crosstable_tables(standings: Standings, title: str, width: int = 120) -> list[Table]:
    """Points per session of row against column, in the order of the leaderboard.

    Columns are the entrants themselves, or the house players whom they meet.
    Opponents that don't fit into `width` characters are in further tables; a
    field of more than MOST_COLUMNS is a list of pairs.
    """
    names = [line.name for line in standings.ranked]
    scoring = standings.scoring
    caption = "points per session of the row's bot, ± 95%"
    if scoring and (in_cells := _in_cells(scoring)):
        caption += ", " + ", ".join(measure.title for measure in in_cells)
    across = list(standings.house) if scoring else names
    if len(across) > MOST_COLUMNS:
        table = plain_table(title, caption)
        for name in ("x", "y", "points per session", "± 95%"):
            table.add_column(name, justify="left" if name in "xy" else "right")
        for match in standings.matches if standings.is_zero_sum else standings.sides:
            table.add_row(Text(match.x), Text(match.y), *_points(match))
        return [table]
    pairs = {(match.x, match.y): match for match in standings.sides}
    longest = max((len(name) for name in names), default=0)
    columns = max(1, (width - longest - 8) // (max(9, *[len(name) + 3 for name in across]) if scoring else 9))
    tables = []
    for first in range(0, len(across), columns):
        table = plain_table(title, caption)
        table.add_column("#", justify="right", no_wrap=True)
        table.add_column("bot", no_wrap=True)
        opponents = range(first, min(first + columns, len(across)))
        for number in opponents:
            heading = Text(across[number] if scoring else f"{number + 1}")
            table.add_column(heading, justify="right", no_wrap=True)
        for row, name in enumerate(names):
            cells: list[RenderableType] = []
            for number in opponents:
                found = pairs.get((name, across[number]))
                itself = number == row and not scoring
                cells.append(Text("·", style="dim") if itself else "" if found is None else _cell(found, scoring))
            table.add_row(f"{row + 1}", Text(name), *cells)
        tables.append(table)
    return tables


def plain_table(title: str, caption: str | None = None) -> Table:
    return Table(title=title, caption=caption, title_style="bold", header_style="bold", show_edge=False, pad_edge=False)


def facts_table() -> Table:
    """A table of two columns: labels and values."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    return table


def _in_cells(scoring: HouseScoring) -> list[Measure]:
    return [measure for measure in scoring.measures if measure.from_width <= _CELL_WIDTH]


def _cell(match: Match, scoring: HouseScoring | None) -> Text:
    value = match.points_per_session
    error = match.stderr_per_session
    digits = 2 if scoring is None else 0
    clear = error is not None and abs(value) > 2 * error
    style = "green" if clear and value > 0 else "red" if clear else ""
    text = Text(f"{value:+,.{digits}f}", style=style)
    if error is not None:
        text.append(f"\n±{REACH * error:,.{digits}f}", style="dim")
    for measure in _in_cells(scoring) if scoring else ():
        text.append(f"\n{_measured(measure, match)}")
    return text


def _percent(share: float | None) -> str:
    if share is None:
        return ""
    return ">99.9%" if share > 0.999 else f"{100 * share:.1f}%"
