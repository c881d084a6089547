"""Leaderboard and crosstable on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console, RenderableType
from rich.text import Text

from tournament.cli.fitting import LATE, Cell, FittingTable
from tournament.errors import and_more, main_error_line, printable
from tournament.standings.caveats import reader_notes, restart_notes
from tournament.standings.history import closest_to_beating

if TYPE_CHECKING:
    from tournament.contests.scoring import HouseScoring, Measure
    from tournament.records.history import Version
    from tournament.standings.authors import AuthorTotal
    from tournament.standings.matches import Match
    from tournament.standings.ratings import Rated, RatingKind
    from tournament.standings.standings import Standing, Standings

# Up to this many entrants have a column each in the crosstable; larger fields are a list of pairs.
MAX_COLUMNS = 24
# Below a final table lie where the games are, who came late, and the prompt; around it title, head and caption.
_LINES_BELOW, _LINES_AROUND = 4, 6
_MAX_REASONS = 3  # limit on a terminal


@dataclass(frozen=True)
class _Heading:
    """A column of the leaderboard.

    Attributes:
        title: The heading.
        cell: Called with a line; returns the cell's text, which is "" for an empty cell.
        drop: When a narrow table drops the column, as in `FittingTable.add_column`. None: never.
        style: Called with a line; returns the style of its cell. By default it is "" for none.
    """

    title: str
    cell: Callable[[Standing], str]
    drop: int | None = None
    style: Callable[[Standing], str] = lambda line: ""


def _by_sign(line: Standing) -> str:
    """Return the colour of a score: green from 0 on, otherwise red."""
    return "green" if line.score >= 0 else "red"


def _signed(value: float | None) -> str:
    """Return a number with its sign and three decimals, or "" for None."""
    return "" if value is None else f"{value:+.3f}"


def _per_session(line: Standing) -> str:
    """Return the points per session as text, or "" against house players and without matches."""
    return _signed(line.points_per_session)


_PER_MATCH = _Heading("per match", lambda line: f"{line.score / line.matches:+,.1f}" if line.matches else "", LATE)


def columns(standings: Standings, wide: bool) -> list[_Heading]:
    """Return the columns of a leaderboard from left to right, without those of number and name.

    Against house players the score is no sum, and the contest's measures follow its error. While some ranked bots have
    played more matches than others, the score per match precedes scores that are sums. The column `order` exists only
    in runs until the order is settled.

    Args:
        standings: The standings.
        wide: Whether to return all columns. Otherwise averages, matches and games are omitted, so that the rest usually
            fits 80 characters.
    """
    scoring = standings.scoring
    sign, digits = ("", scoring.decimals) if scoring else ("+", 3 if standings.has_means else 1)
    score = _Heading(
        "score", lambda line: f"{line.score:{sign},.{digits}f}" if line.matches else "", None, style=_by_sign
    )
    half_width = _Heading(
        "± 95%",
        lambda line: "" if line.ci_high is None else f"{line.ci_high - line.score:,.{digits}f}",
        LATE + 1,
        lambda _: "dim",
    )
    averages = [
        *([] if standings.has_means else [_Heading("per session", _per_session, 3)]),
        _Heading("per game", lambda line: _signed(line.points_per_game), 2),
    ]
    more = [
        *([] if scoring else averages),
        _Heading("matches", lambda line: f"{line.matches:,}", 1),
        _Heading("games", lambda line: f"{line.games:,}", 0),
    ]
    return [
        *([_PER_MATCH] if _is_uneven(standings) and not (scoring or standings.has_means) else []),
        score,
        half_width,
        *([_Heading(one.title, partial(_measured, one), 5) for one in scoring.measures] if scoring else []),
        _Heading("place", lambda line: line.rank_range, LATE + 2, lambda _: "cyan"),
        *([] if standings.until is None else [_Heading("order", _order_status, 6)]),
        *(more if wide else []),
        _Heading("faults", lambda line: f"{line.faults:,}" if line.faults else "", 7, lambda _: "red"),
    ]


def _is_uneven(standings: Standings) -> bool:
    """Return whether some ranked bots have played more matches than others."""
    return len({line.matches for line in standings.ranked}) > 1


def _order_status(line: Standing) -> str:
    """Return the status of the order with the next bot as text, or "" if no ranked bot with matches follows."""
    return (line.order_status or "").replace("_", " ")


def _measured(measure: Measure, line: Standing | Match) -> str:
    """Return a measure's value as text, or "" if the line or match lacks it."""
    value = line.measures.get(measure.name)
    return "" if value is None else measure.shown(value)


def leaderboard_table(
    standings: Standings, title: str, max_rows: int | None = None, unit: str = "", wide: bool = False
) -> FittingTable:
    """Return the ranking as a table: ranked bots by rank, then the host's own bots, then bots that don't play, by name.

    A "=" replaces the rank of a bot that only its name puts behind the one before. The status of a bot that doesn't
    play replaces its score.

    Args:
        standings: The standings.
        title: The line above the table.
        max_rows: Maximum number of ranked bots and bots that don't play, but at least one of each. A third is for the
            latter. Lines that count omitted bots, and the host's bots, are additional. None for all.
        unit: Unit of scores, which starts the caption. "" for none.
        wide: Whether the table has all columns, no matter how narrow the terminal is.
    """
    headings = columns(standings, wide)
    is_mean = standings.scoring or standings.has_means
    averaged = "a mean over the matches so far" if is_mean else "in order of the score per match"
    uneven = _is_uneven(standings) and not (standings.drawn or standings.is_provisional)
    notes = [
        f"{unit} per session" if unit and standings.has_means else unit,
        *(
            [f"{averaged}, until all have played as many", *restart_notes(standings)]
            if uneven
            else reader_notes(standings)
        ),
    ]
    table = FittingTable(title, "; ".join(note for note in notes if note), fits=not wide)
    _add_number_and_bot(table)
    for heading in headings:
        table.add_column(heading.title, drop=heading.drop)
    ranked, below = visible, visible_below = standings.ranked, standings.below
    house = standings.house_bots
    if max_rows is not None and len(ranked) + len(below) > max_rows:
        visible_below = below[: max(1, max_rows // 3)]
        visible = ranked[: max(1, max_rows - len(visible_below))]
    before: Standing | None = None
    for line in visible:
        number = "=" if before and _are_equal(before, line) else str(line.rank)
        before = line
        cells = [Text(heading.cell(line), style=heading.style(line)) for heading in headings]
        ends_section = bool(below or house) and line is ranked[-1]
        table.add_row(number, Text(line.name, style="bold"), *cells, ends_section=ends_section)
    if len(visible) < len(ranked):
        table.add_row("", f"…{and_more(len(ranked) - len(visible))}", ends_section=bool(below or house))
    for line in house:
        cells = [Text("house" if one.title == "place" else one.cell(line), style="dim") for one in headings]
        table.add_row("", Text(line.name, style="dim"), *cells, ends_section=bool(below) and line is house[-1])
    for line in visible_below:
        # The status replaces the score, a column that no table drops.
        counts = [
            Text(line.status, style="red") if heading.title == "score" else f"{line.faults or ''}" * (
                heading.title == "faults") for heading in headings
        ]  # fmt: skip
        table.add_row("", Text(line.name, style="dim"), *counts)
    if len(visible_below) < len(below):
        column = next(number for number, heading in enumerate(headings) if heading.title == "score")
        more = f"…{and_more(len(below) - len(visible_below))}"
        table.add_row("", more, *[""] * column, Text("can't play", style="red"))
    return table


def _are_equal(line: Standing, other: Standing) -> bool:
    """Return whether two lines have the same scores and matches, so that only their names order them."""
    values = ((one.score, one.adjusted_score, one.matches) for one in (line, other))
    return next(values) == next(values)


def rating_table(lines: Sequence[Rated], kind: RatingKind, title: str) -> FittingTable:
    """Return another rating by the same crosstable as a table, in the order of its lines.

    The column of errors is omitted if no line has one.

    Args:
        lines: The rated bots, the best first.
        kind: Kind of the rating, which formats the numbers.
        title: Title of the contest.
    """
    table = FittingTable(f"{title}: {kind.title}", kind.meaning)
    _add_number_and_bot(table)
    table.add_column("rating")
    with_errors = any(line.ci_half_width is not None for line in lines)
    if with_errors:
        table.add_column("± 95%", drop=LATE)
    for number, (_, column, _) in enumerate(kind.columns):
        table.add_column(column, drop=9 - min(9, number))
    for line in lines:
        half_width = "" if line.ci_half_width is None else kind.format_rating(line.ci_half_width).lstrip("+")
        more = [show(line.more[name]) for name, _, show in kind.columns]
        table.add_row(
            str(line.rank), line.name, kind.format_rating(line.rating), *([half_width] if with_errors else []), *more
        )
    return table


def authors_table(lines: Sequence[AuthorTotal], standings: Standings, title: str, caption: str) -> FittingTable:
    """Return the totals of authors as a table, in their order.

    Args:
        lines: The totals, the best first.
        standings: Standings from which the totals are. They determine the number of decimals.
        title: The line above the table.
        caption: Text below it, after a note on the sums. "" for nothing more.
    """
    digits = standings.scoring.decimals if standings.scoring else 3 if standings.has_means else 1
    table = FittingTable(title, "; ".join(filter(None, ["sums of the bots' scores", caption])))
    table.add_column("#", drop=8)
    table.add_column("author", is_left=True)
    table.add_column("total")
    table.add_column("± 95%", drop=LATE)
    table.add_column("place", drop=LATE + 1)
    table.add_column("bots", is_left=True, drop=0)
    for line in lines:
        half_width = "" if line.ci_half_width is None else f"{line.ci_half_width:,.{digits}f}"
        cells = (f"{line.total:+,.{digits}f}", half_width, line.rank_range, ", ".join(line.bots))
        table.add_row(str(line.rank), line.author, *cells)
    return table


def history_table(versions: Sequence[Version], title: str) -> FittingTable:
    """Return a bot's versions as a table, in their order.

    The status replaces a missing rank. The column of archives is omitted if no version is from an archive.

    Args:
        versions: The versions, the oldest first.
        title: The line above the table.
    """
    table = FittingTable(title)
    archived = any(version.archive for version in versions)
    table.add_column("version")
    for heading, drop in (
        ("rank", 2), ("place", LATE + 2), ("score", None), ("± 95%", LATE + 1), ("per session", 1), ("sessions", 0)
    ):  # fmt: skip
        table.add_column(heading, drop=drop)
    if archived:
        table.add_column("records", drop=3)
    for version in versions:
        line = version.line
        half_width = "" if line.ci_high is None else f"{line.ci_high - line.score:,.1f}"
        rank = line.status if line.rank is None else f"{line.rank} of {version.field_size}"
        score = f"{line.score:+,.1f}" if line.matches else ""
        where = [f"archive {version.archive}" if version.archive else ""] if archived else []
        table.add_row(
            line.sha256[:12], rank, line.rank_range, score, half_width, _per_session(line), f"{line.sessions:,}", *where
        )
    return table


def matches_table(matches: Sequence[Match], title: str, max_rows: int | None = None) -> FittingTable:
    """Return a bot's matches as a table, in their order.

    The caption names the opponent that the bot came closest to beating, or says that there is none.

    Args:
        matches: Matches with the bot as x, the best first.
        title: The line above the table.
        max_rows: Maximum number of matches. The caption is about all of them. None for all.
    """
    closest = closest_to_beating(matches)
    table = FittingTable(title, f"closest to beating: {closest.y}" if closest else "no one is ahead of it")
    table.add_column("against", is_left=True)
    table.add_column("points per session")
    table.add_column("± 95%", drop=LATE)
    table.add_column("theirs", drop=0)
    for match in matches[:max_rows]:
        table.add_row(match.y, *_points(match), f"{match.from_y().points_per_session:+.3f}")
    return table


def _points(match: Match) -> tuple[str, str]:
    """Return the points per session, and half the width of their interval, or "" if it is unknown."""
    half_width = match.ci_half_width_per_session
    return f"{match.points_per_session:+.3f}", "" if half_width is None else f"{half_width:.3f}"


def reasons(standings: Standings, commands: Mapping[str, str] | None = None, max_bots: int | None = None) -> Text:
    """Return the reasons why bots didn't play, or not all of their matches, as lines. Empty if all played.

    The first match in which the rules failed comes first. Bots that don't play follow by name, then ranked bots that
    were set aside. Only the most informative line of a reason is shown.

    Args:
        standings: The standings.
        commands: Command to see the reason, by name of the bot. Bots can lack one. None for no commands.
        max_bots: Maximum number of bots. The others are only counted. None for all.
    """
    lines = []
    if standings.failed_legs:
        first = standings.failed_legs[0]
        lines.append(Text(f"match {first.match} ({first.title}) isn't played, the rules failed: {first.reason}"))
    below = [*standings.below, *(line for line in standings.incomplete if line.rank is not None)]
    for line in below[:max_bots]:
        reason = printable(main_error_line(line.reason or ""))
        lines.append(Text.assemble((line.name, "bold"), f": {line.status}: {reason}"))
        if commands and line.name in commands:
            lines.append(Text(f"  see it: {commands[line.name]}"))
    if max_bots is not None and max_bots < len(below):
        lines.append(Text(f"…{and_more(len(below) - max_bots)}: tournament leaderboard has all"))
    return Text("\n").join(lines)


def final_tables(
    console: Console, standings: Standings, title: str, unit: str, commands: Mapping[str, str]
) -> Iterator[RenderableType]:
    """Yield the ranking, then the reasons of `reasons` if there are any.

    On a terminal both are shortened so that the top remains visible. The ranking then omits bots that don't play, and
    at most three bots have a reason.

    Args:
        console: Console that prints them. Its height limits the ranking, but not below three rows.
        standings: The standings.
        title: Title of the ranking.
        unit: Unit of scores, "" for none.
        commands: Command to see the reason, by name of the bot.
    """
    if not console.is_terminal:
        yield leaderboard_table(standings, title, unit=unit)
        if below := reasons(standings, commands):
            yield below
        return
    below = reasons(standings, commands, _MAX_REASONS)
    below.no_wrap, below.overflow = True, "ellipsis"
    # The bots below the line are listed there with the reason.
    ranked = replace(standings, entrants=(*standings.ranked, *standings.house_bots))
    rows = console.height - _LINES_BELOW - _LINES_AROUND - len(below.plain.splitlines())
    yield leaderboard_table(ranked, title, max(3, rows), unit)
    if below:
        yield below


def crosstable_tables(standings: Standings, title: str, width: int | None = 120) -> list[FittingTable]:
    """Return points per session of row against column, in the order of the leaderboard.

    Rows are ranked bots, then the host's own. Columns are the same bots, by number, or the house players that they
    meet. Opponents that don't fit into `width` characters are in further tables, with all rows. With more than
    MAX_COLUMNS opponents there is a single table, whose rows are pairs. Cells of pairs that haven't met are empty.

    Args:
        standings: The standings.
        title: The title of each table.
        width: The terminal's width in characters, None for any. A table has at least one opponent.

    Raises:
        InputError: The standings of self-play need rules that aren't installed.
        RunError: The records of self-play can't be read, or this machine can't load the rules.
    """
    names = [line.name for line in (*standings.ranked, *standings.house_bots)]
    scoring = standings.scoring
    less = " minus those of the column's, in their common matches" if standings.seats > 2 else ""
    caption = f"points per session of the row's bot{less}, ± 95%"
    if scoring and scoring.measures:
        caption += ", " + ", ".join(measure.title for measure in scoring.measures)
    across = list(standings.house) if scoring else names
    if len(across) > MAX_COLUMNS:
        return [_pairs_table(standings, title, caption)]
    pairs = {(match.x, match.y): match for match in standings.sides}
    pairs |= {(name, name): match for name, match in standings.self_play.items()}
    cells = {pair: _cell(match, scoring) for pair, match in pairs.items()}
    wide = max((len(line) for cell in cells.values() for line in cell.plain.split("\n")), default=1) + 3
    if scoring:
        wide = max(wide, *(len(name) + 3 for name in across))
    longest = max((len(name) for name in names), default=0)
    count = len(across)
    if width is not None:
        count = max(1, (width - min(max(10, width // 3), longest) - 5) // wide)
    tables = []
    for first in range(0, len(across), count):
        table = FittingTable(title, caption)
        _add_number_and_bot(table)
        opponents = range(first, min(first + count, len(across)))
        for number in opponents:
            table.add_column(across[number] if scoring else f"{number + 1}")
        for row, name in enumerate(names):
            itself = Text("·", style="dim")
            row_cells: list[Cell] = [
                cells.get((name, across[number]), itself if number == row and not scoring else "")
                for number in opponents
            ]
            table.add_row(f"{row + 1}", name, *row_cells)
        tables.append(table)
    return tables


def _pairs_table(standings: Standings, title: str, caption: str) -> FittingTable:
    """Return a table of pairs: a row for each match in order of their numbers, then self-play.

    If points aren't zero-sum and bots play each other, the row of the other side follows each match.

    Raises:
        InputError: The standings of self-play need rules that aren't installed.
        RunError: The records of self-play can't be read, or this machine can't load the rules.
    """
    table = FittingTable(title, caption)
    table.add_column("x", is_left=True)
    table.add_column("y", is_left=True)
    table.add_column("points per session")
    table.add_column("± 95%", drop=LATE)
    matches = standings.matches
    sessions = np.maximum(1, matches.integers[:, 2])
    names = np.array(matches.names, object)[matches.players].reshape(-1, 2)
    sides = [(names, matches.amounts[:, 0], matches.ci_half_width_per_session[0])]
    if not (standings.is_zero_sum or standings.scoring):
        sides.append((names[:, ::-1], matches.amounts[:, 2], matches.ci_half_width_per_session[1]))
    rows = [
        [
            (x, y, f"{value:+.3f}", "" if half_width != half_width else f"{half_width:.3f}")
            for (x, y), value, half_width in zip(named.tolist(), (points / sessions).tolist(), reaches.tolist())
        ]
        for named, points, reaches in sides
    ]
    # Both sides of a match follow each other.
    table.add_rows(row for of_match in zip(*rows) for row in of_match)
    for name, match in standings.self_play.items():
        half_width = match.ci_half_width_per_session
        table.add_row(name, name, f"{match.points_per_session:+.3f}", "" if half_width is None else f"{half_width:.3f}")
    return table


def _add_number_and_bot(table: FittingTable) -> None:
    """Add the columns of numbers and names, with which most tables start."""
    table.add_column("#", drop=8)
    table.add_column("bot", is_left=True)


def _cell(match: Match, scoring: HouseScoring | None) -> Text:
    """Return a cell of the crosstable: points per session, half the width of their interval, and measures, a line each.

    Points are green or red if they differ significantly from 0. If the interval is unknown, its line is omitted.
    """
    value = match.points_per_session
    half_width = match.ci_half_width_per_session
    digits = 2 if scoring is None else 0
    clear = half_width is not None and abs(value) > half_width
    style = "green" if clear and value > 0 else "red" if clear else ""
    text = Text(f"{value:+,.{digits}f}", style=style)
    if half_width is not None:
        text.append(f"\n±{half_width:,.{digits}f}", style="dim")
    for measure in scoring.measures if scoring else ():
        text.append(f"\n{_measured(measure, match)}")
    return text
