"""Leaderboard and crosstable on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from tournament.errors import and_more, main_error_line, printable
from tournament.standings.caveats import note_of_second_tries, notes_of
from tournament.standings.history import closest_to_beating

if TYPE_CHECKING:
    from tournament.contests.scoring import HouseScoring, Measure
    from tournament.records.history import Version
    from tournament.standings.matches import Match
    from tournament.standings.ratings import Rated, RatingKind
    from tournament.standings.standings import Standing, Standings

# Up to this many entrants have a column each in the crosstable; larger fields are a list of pairs.
MOST_COLUMNS = 24
# Below a final table lie where the games are, who came late, and the prompt; around it title, head and caption.
_LINES_BELOW, _LINES_AROUND = 4, 6
_MOST_REASONS = 3  # on a terminal


@dataclass(frozen=True)
class _Heading:
    """A column of the leaderboard: its title, its cells' text and their style."""

    title: str
    cell: Callable[[Standing], str]
    style: Callable[[Standing], str] = lambda line: ""


def _by_sign(line: Standing) -> str:
    return "green" if line.score >= 0 else "red"


def _signed(value: float | None) -> str:
    return "" if value is None else f"{value:+.3f}"


def _per_session(line: Standing) -> str:
    return _signed(line.points_per_session)


_PER_MATCH = _Heading("per match", lambda line: f"{line.score / line.matches:+,.1f}" if line.matches else "")


def columns(standings: Standings, wide: bool) -> list[_Heading]:
    """The columns of a leaderboard: those that 80 characters hold, or all.

    Against house players the score is no sum, and the contest's measures follow it. While some have played more than
    others, the value that ranks them stands before their sums.
    """
    scoring = standings.scoring
    sign, digits = ("", scoring.decimals) if scoring else ("+", 3 if standings.has_means else 1)
    score = _Heading("score", lambda line: f"{line.score:{sign},.{digits}f}" if line.matches else "", _by_sign)
    reach = _Heading(
        "± 95%",
        lambda line: "" if line.ci_high is None else f"{line.ci_high - line.score:,.{digits}f}",
        lambda _: "dim",
    )
    averages = [
        *([] if standings.has_means else [_Heading("per session", _per_session)]),
        _Heading("per game", lambda line: _signed(line.points_per_game)),
    ]
    more = [
        *([] if scoring else averages),
        _Heading("matches", lambda line: f"{line.matches:,}"),
        _Heading("games", lambda line: f"{line.games:,}"),
    ]
    return [
        *([_PER_MATCH] if _is_uneven(standings) and not (scoring or standings.has_means) else []),
        score,
        reach,
        *([_Heading(one.title, partial(_measured, one)) for one in scoring.measures] if scoring else []),
        _Heading("place", lambda line: line.place, lambda _: "cyan"),
        *([] if standings.until is None else [_Heading("order", _order_of)]),
        *(more if wide else []),
        _Heading("faults", lambda line: f"{line.faults:,}" if line.faults else "", lambda _: "red"),
    ]


def _is_uneven(standings: Standings) -> bool:
    return len({line.matches for line in standings.ranked}) > 1


def _order_of(line: Standing) -> str:
    return (line.order_status or "").replace("_", " ")


def _measured(measure: Measure, line: Standing | Match) -> str:
    value = line.measures.get(measure.name)
    return "" if value is None else measure.shown(value)


def leaderboard_table(
    standings: Standings, title: str, most_rows: int | None = None, unit: str = "", wide: bool = False
) -> Table:
    """The ranking, at most `most_rows` lines of it; `wide`: all its columns.

    Below the line stand the broken and the disqualified. `unit` says what scores are counted in.
    """
    headings = columns(standings, wide)
    is_mean = standings.scoring or standings.has_means
    averaged = "a mean over the matches so far" if is_mean else "in order of the score per match"
    uneven = _is_uneven(standings) and not (standings.drawn or standings.is_provisional)
    notes = [
        f"{unit} per session" if unit and standings.has_means else unit,
        *(
            [f"{averaged}, until all have played as many", *note_of_second_tries(standings)]
            if uneven
            else notes_of(standings)
        ),
    ]
    table = plain_table(title, "; ".join(note for note in notes if note) or None)
    table.add_column("#", justify="right", no_wrap=True)
    _add_names(table)
    for heading in headings:
        table.add_column(heading.title, justify="right", no_wrap=True)
    ranked, below = shown, shown_below = standings.ranked, standings.below
    if most_rows is not None and len(ranked) + len(below) > most_rows:
        shown_below = below[: max(1, most_rows // 3)]
        shown = ranked[: max(1, most_rows - len(shown_below))]
    before: Standing | None = None
    lines = []
    for line in shown:
        number = "=" if before and _are_equal(before, line) else str(line.rank)
        before = line
        cells = [Text(heading.cell(line), style=heading.style(line)) for heading in headings]
        lines.append((Text(number), Text(line.name, style="bold"), *cells))
    _add_lines(table, lines, end_section=bool(below) and len(shown) == len(ranked))
    if len(shown) < len(ranked):
        table.add_row("", f"…{and_more(len(ranked) - len(shown))}", end_section=bool(below))
    for line in shown_below:
        counts = [f"{line.faults or ''}" if heading.title == "faults" else "" for heading in headings[1:]]
        table.add_row("", Text(line.name, style="dim"), Text(line.status, style="red"), *counts)
    if len(shown_below) < len(below):
        table.add_row("", f"…{and_more(len(below) - len(shown_below))}", Text("can't play", style="red"))
    return table


def _are_equal(line: Standing, other: Standing) -> bool:
    """Whether only the names say which of two lines stands first."""
    values = ((one.score, one.adjusted_score, one.matches) for one in (line, other))
    return next(values) == next(values)


def rating_table(lines: Sequence[Rated], look: RatingKind, title: str) -> Table:
    """Another rating by the same crosstable, best first."""
    table = plain_table(f"{title}: {look.title}", look.meaning)
    table.add_column("#", justify="right", no_wrap=True)
    _add_names(table)
    with_errors = any(line.ci_half_width is not None for line in lines)
    for heading in ("rating", *(["± 95%"] if with_errors else []), *(column for _, column, _ in look.columns)):
        table.add_column(heading, justify="right", no_wrap=True)
    for line in lines:
        reach = "" if line.ci_half_width is None else look.shown(line.ci_half_width).lstrip("+")
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
        rank = line.status if line.rank is None else f"{line.rank} of {version.field_size}"
        score = f"{line.score:+,.1f}" if line.matches else ""
        where = [f"archive {version.archive}" if version.archive else ""] if archived else []
        table.add_row(
            line.sha256[:12], rank, line.place, score, reach, _per_session(line), f"{line.sessions:,}", *where
        )
    return table


def matches_table(matches: Sequence[Match], title: str, most: int | None = None) -> Table:
    """A bot's matches from its side, the best first, this many at most."""
    closest = closest_to_beating(matches)
    table = plain_table(title, f"closest to beating: {closest.y}" if closest else "no one is ahead of it")
    for heading in ("against", "points per session", "± 95%", "theirs"):
        table.add_column(heading, justify="left" if heading == "against" else "right")
    for match in matches[:most]:
        table.add_row(Text(match.y), *_points(match), f"{match.from_y().points_per_session:+.3f}")
    return table


def _points(match: Match) -> tuple[str, str]:
    """Points a session, and half the width of their interval."""
    reach = match.ci_half_width_per_session
    return f"{match.points_per_session:+.3f}", "" if reach is None else f"{reach:.3f}"


def reasons(standings: Standings, again: Mapping[str, str] | None = None, most: int | None = None) -> Text:
    """One line for each entrant below the line, or set aside: what is wrong with it, and the command to see it `again`,
    if any; and one for the first match in which the rules failed.

    Those beyond `most` are only counted.
    """
    lines = []
    if standings.failed_legs:
        first = standings.failed_legs[0]
        lines.append(Text(f"match {first.match} ({first.title}) isn't played, the rules failed: {first.reason}"))
    below = [*standings.below, *(line for line in standings.incomplete if line.rank is not None)]
    for line in below[:most]:
        reason = printable(main_error_line(line.reason or ""))
        lines.append(Text.assemble((line.name, "bold"), f": {line.status}: {reason}"))
        if again and line.name in again:
            lines.append(Text(f"  see it: {again[line.name]}"))
    if most is not None and most < len(below):
        lines.append(Text(f"…{and_more(len(below) - most)}: tournament leaderboard has all"))
    return Text("\n").join(lines)


def final_tables(
    console: Console, standings: Standings, title: str, unit: str, again: Mapping[str, str]
) -> Iterator[RenderableType]:
    """The ranking and the problems of bots; on a terminal this many that the top stays in sight."""
    if not console.is_terminal:
        yield leaderboard_table(standings, title, unit=unit)
        if below := reasons(standings, again):
            yield below
        return
    below = reasons(standings, again, _MOST_REASONS)
    below.no_wrap, below.overflow = True, "ellipsis"
    ranked = replace(standings, entrants=tuple(standings.ranked))  # who is below the line stands there with the reason
    rows = console.height - _LINES_BELOW - _LINES_AROUND - len(below.plain.splitlines())
    yield leaderboard_table(ranked, title, max(3, rows), unit)
    if below:
        yield below


def crosstable_tables(standings: Standings, title: str, width: int = 120) -> list[Table]:
    """Points per session of row against column, in the order of the leaderboard.

    Columns are the entrants themselves, or the house players whom they meet.
    Opponents that don't fit into `width` characters are in further tables; a
    field of more than MOST_COLUMNS is a list of pairs.
    """
    names = [line.name for line in standings.ranked]
    scoring = standings.scoring
    less = " less those of the column's, where both played" if standings.seats > 2 else ""
    caption = f"points per session of the row's bot{less}, ± 95%"
    if scoring and scoring.measures:
        caption += ", " + ", ".join(measure.title for measure in scoring.measures)
    across = list(standings.house) if scoring else names
    if len(across) > MOST_COLUMNS:
        table = plain_table(title, caption)
        for name in ("x", "y", "points per session", "± 95%"):
            table.add_column(name, justify="left" if name in "xy" else "right")
        shown = standings.matches if standings.is_zero_sum else standings.sides
        _add_lines(table, ((Text(match.x), Text(match.y), *map(Text, _points(match))) for match in shown))
        return [table]
    pairs = {(match.x, match.y): match for match in standings.sides}
    longest = min(width // 3, max((len(name) for name in names), default=0))
    count = max(1, (width - longest - 8) // (max(9, *[len(name) + 3 for name in across]) if scoring else 9))
    tables = []
    for first in range(0, len(across), count):
        table = plain_table(title, caption)
        table.add_column("#", justify="right", no_wrap=True)
        _add_names(table)
        opponents = range(first, min(first + count, len(across)))
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


def _add_names(table: Table) -> None:
    """A column of bots' names. Long ones are cut where a terminal is too narrow, and no figures."""
    table.add_column("bot", overflow="ellipsis")


def _add_lines(table: Table, lines: Iterable[Sequence[Text]], *, end_section: bool = False) -> None:
    """Add lines whose cells have no spaces, or don't wrap, as one row: drawing a row each takes three times as long."""
    if cells := [Text("\n").join(column) for column in zip(*lines)]:
        table.add_row(*cells, end_section=end_section)


def plain_table(title: str, caption: str | None = None) -> Table:
    return Table(title=title, caption=caption, title_style="bold", header_style="bold", show_edge=False, pad_edge=False)


def facts_table() -> Table:
    """A table of two columns: labels and values."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    return table


def _cell(match: Match, scoring: HouseScoring | None) -> Text:
    value = match.points_per_session
    reach = match.ci_half_width_per_session
    digits = 2 if scoring is None else 0
    clear = reach is not None and abs(value) > reach
    style = "green" if clear and value > 0 else "red" if clear else ""
    text = Text(f"{value:+,.{digits}f}", style=style)
    if reach is not None:
        text.append(f"\n±{reach:,.{digits}f}", style="dim")
    for measure in scoring.measures if scoring else ():
        text.append(f"\n{_measured(measure, match)}")
    return text
