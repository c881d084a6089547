"""What a terminal shows: leaderboard, crosstable, progress. The only module that knows rich."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import TracebackType

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from tournament.contests.contest import HouseScoring, Measure
from tournament.runner.contest_run import Progress
from tournament.standings.standings import Match, Standing, Standings
from tournament.store.ledger import Fault
from tournament.trial.check import CheckReport, Meter, Replay

# As many entrants get a column each in the crosstable; more are a list of pairs.
MOST_COLUMNS = 24
# Measures that the leaderboard shows on wide terminals only don't go into the crosstable's cells.
_CELL_WIDTH = 60


@dataclass(frozen=True)
class _Heading:
    """A column of the leaderboard: from which width of terminal on it is shown, and what stands in it."""

    title: str
    from_width: int
    cell: Callable[[Standing], str]


_HEADINGS = (
    _Heading("score", 0, lambda line: f"{line.score:+,.1f}" if line.matches else ""),
    _Heading("± 95%", 0, lambda line: "" if line.ci_high is None else f"{line.ci_high - line.score:,.1f}"),
    _Heading("per session", 116, lambda line: f"{line.score / line.sessions:+.3f}" if line.sessions else ""),
    _Heading("ahead of next", 102, lambda line: _percent(line.order_probability) if line.matches else ""),
    _Heading("matches", 72, lambda line: f"{line.matches:,}"),
    _Heading("games", 84, lambda line: f"{line.games:,}"),
    _Heading("faults", 66, lambda line: f"{line.faults:,}" if line.faults else ""),
)


def _headings(scoring: HouseScoring | None) -> list[_Heading]:
    """The columns of a leaderboard; a scoring's own measures come after the score, which is no sum then."""
    if scoring is None:
        return list(_HEADINGS)
    digits = scoring.decimals
    score = _Heading("score", 0, lambda line: f"{line.score:,.{digits}f}" if line.matches else "")
    reach = _Heading(
        "± 95%", 0, lambda line: "" if line.ci_high is None else f"{line.ci_high - line.score:,.{digits}f}"
    )
    own = [_Heading(measure.title, measure.from_width, partial(_measured, measure)) for measure in scoring.measures]
    return [score, reach, *own, *(heading for heading in _HEADINGS[2:] if heading.title != "per session")]


def _measured(measure: Measure, line: Standing | Match) -> str:
    value = line.measures.get(measure.name)
    return "" if value is None else measure.shown(value)


def leaderboard_table(standings: Standings, title: str, width: int = 120, most_rows: int | None = None) -> Table:
    """The ranking as a table for a terminal `width` characters wide, at most `most_rows` lines of it.

    Below the line stand those who do not count.
    """
    headings = [heading for heading in _headings(standings.scoring) if width >= heading.from_width]
    uneven = len({line.matches for line in standings.entrants if line.rank is not None}) > 1
    averaged = "mean over the matches so far" if standings.scoring else "by score per match"
    table = _plain_table(title, f"{averaged}, until all have played as many" if uneven else None)
    table.add_column("#", justify="right", no_wrap=True)
    table.add_column("bot", overflow="fold", min_width=12)
    for heading in headings:
        table.add_column(heading.title, justify="right", no_wrap=True)
    ranked = [line for line in standings.entrants if line.rank is not None]
    below = [line for line in standings.entrants if line.rank is None]
    shown = ranked if most_rows is None else ranked[: max(1, most_rows - len(below))]
    for line in shown:
        cells = [heading.cell(line) for heading in headings]
        table.add_row(str(line.rank), Text(line.name), *cells, end_section=bool(below) and line is shown[-1])
    if len(shown) < len(ranked):
        table.add_row("", f"… and {len(ranked) - len(shown)} more", end_section=bool(below))
    for line in below:
        cells = [f"{line.faults or ''}" if heading.title == "faults" else "" for heading in headings[1:]]
        table.add_row("", Text(line.name, style="dim"), Text(line.status, style="red"), *cells)
    return table


def reasons(standings: Standings) -> Text:
    """One line for each entrant below the line: what is wrong with it."""
    lines = []
    for line in standings.entrants:
        if line.rank is None:
            lines.append(Text.assemble((line.name, "bold"), f": {line.status}: {first_line(line.reason or '')}"))
    return Text("\n").join(lines)


def first_line(reason: str) -> str:
    """The one line of a problem that says most: a compiler's first error."""
    lines = [line.strip() for line in reason.splitlines() if line.strip()]
    return next((line for line in lines if "error:" in line), lines[0] if lines else "")


def crosstable_tables(standings: Standings, title: str, width: int = 120) -> list[Table]:
    """Points per session of row against column, in the order of the leaderboard.

    Columns are the entrants themselves, or the house players whom they meet.
    Opponents that don't fit into `width` characters go on in further tables; a
    field of more than MOST_COLUMNS is a list of pairs.
    """
    names = [line.name for line in standings.entrants if line.rank is not None]
    scoring = standings.scoring
    caption = "points per session of the row's bot, ± standard error"
    if scoring and (in_cells := _in_cells(scoring)):
        caption += ", " + ", ".join(measure.title for measure in in_cells)
    across = list(standings.house) if scoring else names
    if len(across) > MOST_COLUMNS:
        table = _plain_table(title, caption)
        table.add_column("x")
        table.add_column("y")
        table.add_column("points per session", justify="right")
        table.add_column("±", justify="right")
        for match in standings.matches:
            error = match.stderr_per_session
            table.add_row(match.x, match.y, f"{match.points_per_session:+.3f}", "" if error is None else f"{error:.3f}")
        return [table]
    pairs: dict[tuple[str, str], tuple[Match, int]] = {}
    for match in standings.matches:
        pairs[match.x, match.y] = (match, 1)
        if not scoring:
            pairs[match.y, match.x] = (match, -1)
    longest = max((len(name) for name in names), default=0)
    columns = max(1, (width - longest - 8) // (max(9, *[len(name) + 3 for name in across]) if scoring else 9))
    tables = []
    for first in range(0, len(across), columns):
        table = _plain_table(title, caption)
        table.add_column("#", justify="right", no_wrap=True)
        table.add_column("bot", no_wrap=True)
        opponents = range(first, min(first + columns, len(across)))
        for number in opponents:
            table.add_column(across[number] if scoring else f"{number + 1}", justify="right", no_wrap=True)
        for row, name in enumerate(names):
            cells: list[RenderableType] = []
            for number in opponents:
                found = pairs.get((name, across[number]))
                itself = number == row and not scoring
                cells.append(Text("·", style="dim") if itself else "" if found is None else _cell(*found, scoring))
            table.add_row(f"{row + 1}", Text(name), *cells)
        tables.append(table)
    return tables


def _plain_table(title: str, caption: str | None = None) -> Table:
    return Table(title=title, caption=caption, title_style="bold", header_style="bold", show_edge=False, pad_edge=False)


def _in_cells(scoring: HouseScoring) -> list[Measure]:
    return [measure for measure in scoring.measures if measure.from_width <= _CELL_WIDTH]


def _cell(match: Match, sign: int, scoring: HouseScoring | None) -> Text:
    value = sign * match.points_per_session
    error = match.stderr_per_session
    digits = 2 if scoring is None else 0
    clear = error is not None and abs(value) > 2 * error
    style = "green" if clear and value > 0 else "red" if clear else ""
    text = Text(f"{value:+,.{digits}f}", style=style)
    if error is not None:
        text.append(f"\n±{error:,.{digits}f}", style="dim")
    for measure in _in_cells(scoring) if scoring else ():
        text.append(f"\n{_measured(measure, match)}")
    return text


def check_table(report: CheckReport) -> Table:
    """What `tournament check` found."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    table.add_row("bot", Text(f"{report.name} ({report.kind})"))
    if report.problem is not None:
        table.add_row("builds", Text(report.problem))
    if report.leg and report.meter:
        leg = report.leg
        what = {"python": "of Python", "program": "of its folder"}.get(report.kind, "of WebAssembly")
        table.add_row("builds", f"yes: {_short(report.size)} bytes {what}")
        if report.confined_by:
            table.add_row("sandbox", report.confined_by)
        table.add_row(
            "plays",
            f"{leg.games:,} games in {leg.sessions:,} session{'s' * (leg.sessions != 1)} against a house bot,"
            f" {report.points_per_session:+.2f} points a session",
        )
        for name, text in _costs(report.meter, report.fuel_allowed):
            table.add_row(name, text)
        if report.boundary_questions:  # not asked of a bot that was disqualified
            table.add_row(
                "repeats",
                "yes: the same seed gives the same games"
                if report.repeats
                else "no: the same seed gave other games (clocks, addresses, os-level chance?);"
                " it may enter all the same",
            )
            if report.kind == "python":
                table.add_row(
                    "legs",
                    "apart: it plays the same beside other legs as alone"
                    if report.legs_apart
                    else Text(
                        "not apart: beside other legs it plays otherwise than alone; what it changes in shared modules"
                        " reaches them",
                        style="red",
                    ),
                )
            table.add_row("limits", _at_limits(report))
        table.add_row("faults", _fault_lines(report.faults))
    verdict = Text("fit to enter", style="green") if report.fit else Text("not fit to enter", style="red")
    table.add_row("verdict", verdict)
    return table


# Columns of a replay that its caller has named, and how many others fit on a terminal.
_KNOWN = ("match", "session")
_MOST_COLUMNS = 16


def replay_table(replay: Replay) -> Group:
    """Games as they were played, and the bot's faults in them with what it was asked."""
    faults = _fault_lines(replay.faults) if replay.faults else Text("no faults")
    games = [{name: f"{value:g}" for name, value in game.items() if name not in _KNOWN} for game in replay.games]
    if games and len(games[0]) > _MOST_COLUMNS:
        lines = [", ".join(f"{name} {value}" for name, value in game.items()) for game in games]
        return Group(Text("games; the bot is x", style="bold"), *map(Text, lines), faults)
    table = _plain_table("games; the bot is x", None)
    for name in games[0] if games else ():
        table.add_column(name, justify="right")
    for game in games:
        table.add_row(*game.values())
    return Group(table, faults)


def _costs(meter: Meter, fuel_allowed: int) -> list[tuple[str, str]]:
    """What decisions took, as rows."""
    if meter.use is None:
        mean = meter.fuel / max(1, meter.decisions)
        most = f"at most {meter.most_fuel:,} of {fuel_allowed:,} allowed"
        return [("fuel", f"{mean:,.0f} instructions a decision, {most}")]
    mean = meter.use.cpu_seconds / max(1, meter.decisions)
    rows = [("time", f"{mean * 1e6:,.1f} µs of processor time a decision, with its start")]
    if meter.use.memory_bytes:
        rows.append(("memory", f"{meter.use.memory_bytes / 1e6:,.0f} MB at most, with its interpreter"))
    return rows


def _at_limits(report: CheckReport) -> Text:
    """What came of the questions at extreme values."""
    if not report.boundary_faults:
        return Text(f"{report.boundary_questions} questions with extreme values: all answered")
    first = report.boundary_faults[0]
    count = f"{'' if report.asked_all else 'at least '}{len(report.boundary_faults)} of {report.boundary_questions}"
    return Text(
        f"{count} questions with extreme values are faults; the first: {first.asked}: {first.what}",
        style="red",
    )


def _fault_lines(faults: Sequence[Fault]) -> Text:
    if not faults:
        return Text("none")
    lines = []
    for fault, count in alike(faults):
        lines.append(f"session {fault.session}, game {fault.game}, {fault.question}: {fault.what}")
        lines.append(f"  asked {fault.asked}")
        lines += [f"  | {line}" for line in fault.complaints.splitlines()]
        if count > 1:
            lines.append(f"  and the same {count - 1} more time{'s' * (count > 2)}")
    return Text("\n".join(lines))


def alike(faults: Sequence[Fault]) -> list[tuple[Fault, int]]:
    """The first fault of each sort, and how many there are of it: the same words over the same question."""
    sorts: dict[tuple[str, str, str], list[Fault]] = {}
    for fault in faults:
        sorts.setdefault((fault.question, fault.what, fault.complaints), []).append(fault)
    return [(sort[0], len(sort)) for sort in sorts.values()]


class Screen:
    """Watches a run: a live leaderboard on a terminal, almost nothing elsewhere."""

    def __init__(self, console: Console, title: str) -> None:
        self.console = console
        self.title = title
        self._live: Live | None = None
        self._last = 0.0

    def __enter__(self) -> Screen:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()
            self._live = None

    def say(self, text: str) -> None:
        """A line about what is going on."""
        self.console.print(text, style="dim", highlight=False, markup=False, soft_wrap=True)

    def done(self, progress: Progress) -> None:
        """Show the leaderboard as it now stands."""
        if not self.console.is_terminal:
            return
        now = time.monotonic()
        if self._live is None:
            self._live = Live(console=self.console, auto_refresh=False, transient=True)
            self._live.start()
        elif now - self._last < 0.1:
            return
        self._last = now
        rows = max(3, self.console.height - 7)
        self._live.update(
            Group(
                leaderboard_table(progress.standings, self.title, self.console.width, rows),
                progress_line(progress, self.console.width),
            )
        )
        self._live.refresh()


def progress_line(progress: Progress, width: int = 120) -> RenderableType:
    """A bar, if there is room, and how much was played, how fast, how long to go."""
    share = progress.legs / progress.total_legs if progress.total_legs else 1.0
    line = Table.grid(padding=(0, 1))
    rate = progress.games / progress.seconds if progress.seconds else 0.0
    left = "" if progress.seconds_left is None else f"· {_clock(progress.seconds_left)} left"
    text = (
        f"{progress.legs:,}/{progress.total_legs:,} legs"
        f" · {_short(progress.games)} games · {_short(rate)} games/s {left}"
    )
    room = min(30, width - len(text) - 4)
    line.add_row(ProgressBar(total=1.0, completed=share, width=room) if room >= 5 else "", Text(text, no_wrap=True))
    return line


def _clock(seconds: float) -> str:
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


def _short(number: float) -> str:
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if number >= size:
            return f"{number / size:.1f}{unit}"
    return f"{number:.0f}"


def _percent(share: float | None) -> str:
    if share is None:
        return ""
    return ">99.9%" if share > 0.999 else f"{100 * share:.1f}%"
