"""The page: findings laid out for the template, and the template filled in.

Names, faults and complaints are strangers' texts. The template escapes whatever it is given. Only our script and
style may run, by their hashes, and nothing may be loaded from anywhere.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from tournament.contests.contest import Contest
from tournament.contests.portrait import BarChart, GridChart, Line, LineChart, Panel, Subject
from tournament.contests.scoring import HouseScoring
from tournament.names import valid_name
from tournament.reporting.charts import bar_rows, heat_rows, line_plot, spark_path
from tournament.reporting.figures import MINUS, clean, percent, plain, signed, size_text, sure
from tournament.reporting.findings import Findings
from tournament.reporting.games import games_for_viewer
from tournament.reporting.stretches import Course
from tournament.reporting.versions import Edit
from tournament.standings.matches import Match
from tournament.standings.standings import Standing
from tournament.standings.unforetold import unforetold

_TEMPLATES = Path(__file__).parent / "templates"
MOST_ACROSS = 60  # rows and columns of the crosstable
MOST_ROWS, FEWEST_MATCHES = 3_000, 20  # results that are listed: of all bots, and of each in a large field
_MOST_FAULTS, _FAULTS_OF_A_SORT = 25, 3  # of a bot that are listed
_MOST_CURVES = 8  # that have a colour of their own
_HEATS = 6  # shades of either colour in the crosstable
_CLEAR = 2.0  # standard errors from which a result is no luck, as in the crosstable on a terminal


@dataclass(frozen=True)
class Cell:
    """A bot's result against an opponent."""

    opponent: str
    value: float
    stderr: float | None
    sessions: int
    games: int
    score: float | None
    measures: Mapping[str, float | None]
    match: int


def cells_of(matches: Sequence[Match], against_house: bool, by_game: bool) -> dict[tuple[str, str], Cell]:
    """Every result from either side, in points a session or a game; against house players only the entrants'."""
    cells = {}
    for match in matches:
        count = max(1, match.games if by_game else match.sessions)
        for side in (match,) if against_house else (match, match.from_y()):
            value = side.x_points / count
            stderr = None if side.x_points_stderr is None else side.x_points_stderr / count
            cells[side.x, side.y] = Cell(
                side.y, value, stderr, match.sessions, match.games, match.score, match.measures, match.match
            )
    return cells


class Layout:
    """What the template shows of a contest's findings."""

    def __init__(self, contest: Contest, findings: Findings, live: bool) -> None:
        self.contest = contest
        self.findings = findings
        self.live = live
        self.ranking = findings.ranking
        self.scoring: HouseScoring | None = self.ranking.scoring
        self.ranked = [line for line in self.ranking.entrants if line.rank is not None]
        self.below = [line for line in self.ranking.entrants if line.rank is None]
        self.names = [line.name for line in self.ranked]
        self.house = list(self.ranking.house)
        self.by_game = self.scoring is not None and self.scoring.of_match
        self.cells = cells_of(self.ranking.matches, self.scoring is not None, self.by_game)
        self.digits = 2 if self.scoring is None else self.scoring.decimals if self.by_game else 0
        self.score_digits = 1 if self.scoring is None else self.scoring.decimals
        self._ids = {line.name: _anchor(line.name, place) for place, line in enumerate(self.ranking.entrants)}
        shown = [cell.value for (name, _), cell in self.cells.items() if name in set(self.names)]
        # In a zero-sum game 0 is even; elsewhere the mean result is.
        zero_sum = self.scoring is not None or all(m.x_points + m.y_points == 0 for m in self.ranking.matches)
        self.middle = 0.0 if zero_sum or not shown else sum(shown) / len(shown)
        self.scale = _quantile([abs(value - self.middle) for value in shown], 0.95) or 1.0
        self.unforetold = unforetold(self.ranking)
        self._stretches = {name: course.means() for name, course in findings.courses.whole.items()}

    # standings

    @property
    def title(self) -> str:
        return self.contest.title

    @property
    def measures(self) -> list[Any]:
        """The contest's own columns of the standings, as many as a page has room for."""
        return [measure for measure in self.scoring.measures if measure.from_width <= 100] if self.scoring else []

    def anchor(self, name: str) -> str:
        return self._ids[name]

    def link(self, name: str) -> str:
        return quote(self._ids[name])

    def score(self, line: Standing) -> str:
        show = signed if self.scoring is None else plain
        return show(line.score, self.score_digits) if line.matches else ""

    def reach(self, line: Standing) -> str:
        return "" if line.ci_high is None else plain(line.ci_high - line.score, self.score_digits)

    def tied_with_next(self, line: Standing) -> bool:
        """Whether the bot isn't clearly ahead of the next one."""
        return line.order_probability is not None and line.order_probability < 0.975

    @property
    def tied(self) -> list[list[Standing]]:
        """Groups of neighbours in the standings, none of whom is clearly ahead of the next."""
        groups: list[list[Standing]] = []
        for before, line in zip([None, *self.ranked], self.ranked):
            if before and self.tied_with_next(before):
                groups[-1].append(line)
            else:
                groups.append([line])
        return [group for group in groups if len(group) > 1]

    def whisker(self, line: Standing) -> dict[str, float] | None:
        """Where a score's dot and the ends of its interval are, in percent of the width."""
        if not line.matches:
            return None
        low, high = self._span
        place = {"at": line.score, "low": line.ci_low, "high": line.ci_high}
        return {
            key: round(2 + 96 * (min(high, max(low, line.score if value is None else value)) - low) / (high - low), 2)
            for key, value in place.items()
        }

    @property
    def zero(self) -> float | None:
        low, high = self._span
        return round(2 + 96 * (0 - low) / (high - low), 2) if low < 0 < high else None

    @property
    def _span(self) -> tuple[float, float]:
        ends = [end for line in self.ranked for end in (line.score, line.ci_low, line.ci_high) if end is not None]
        low, high = min(ends, default=0.0), max(ends, default=1.0)
        return (low, high) if low < high else (low - 1, high + 1)

    @property
    def uneven(self) -> bool:
        return len({line.matches for line in self.ranked}) > 1

    @property
    def played(self) -> str:
        """How many matches of all are recorded."""
        able = len(self.ranked)
        every = able * len(self.house) if self.scoring else able * (able - 1) // 2
        within = set(self.names)
        others = set(self.house) or within
        there = sum(match.x in within and match.y in others for match in self.ranking.matches)
        return f"{there:,}" if there >= every else f"{there:,} of {every:,}"

    # crosstable

    @property
    def across(self) -> list[str]:
        return (self.house or self.names)[:MOST_ACROSS]

    @property
    def down(self) -> list[Standing]:
        return self.ranked[:MOST_ACROSS]

    @property
    def left_out(self) -> bool:
        return max(len(self.house or self.names), len(self.ranked)) > MOST_ACROSS

    @property
    def compared_with(self) -> str:
        """What results are compared with, in words."""
        return f"the mean of all, {self.value(self.middle)}" if self.middle else "a draw"

    def heat(self, cell: Cell) -> str:
        off = cell.value - self.middle
        level = min(_HEATS, round(_HEATS * abs(off) / self.scale))
        return f"{'p' if off > 0 else 'n'}{level}" if level else "z"

    def clear(self, cell: Cell) -> bool:
        """Whether a result is more than luck. It is where the error is 0: nothing was left to chance."""
        return cell.stderr is not None and abs(cell.value - self.middle) > _CLEAR * cell.stderr

    def value(self, value: float) -> str:
        return signed(value, self.digits)

    def error(self, stderr: float | None) -> str:
        return "" if stderr is None else plain(stderr, self.digits)

    def measured(self, measure: Any, measures: Mapping[str, float | None]) -> str:
        value = measures.get(measure.name)
        return "" if value is None else measure.shown(value).replace("-", MINUS)

    def told(self, cell: Cell) -> str:
        """What the crosstable shows of a cell besides its value, |-separated for the page's script."""
        parts = [self.error(cell.stderr), f"{cell.sessions:,}", f"{cell.games:,}", "1" if self.clear(cell) else "0"]
        parts += [
            f"{measure.title} {text}" for measure in self.measures if (text := self.measured(measure, cell.measures))
        ]
        return "|".join(parts)

    # over sessions

    @property
    def over(self) -> str:
        """What a match is a sequence of."""
        return self.game if self.house else "session"

    @property
    def game(self) -> str:
        return self.contest.display.portrait.game if self.contest.display.portrait else "game"

    @property
    def unit(self) -> str:
        """What results are the mean points of: a session, or a game where the score is of the whole match."""
        return self.game if self.by_game else "session"

    @property
    def course_digits(self) -> int:
        values = [abs(value) for means in self._stretches.values() for value in means]
        return 3 if max(values, default=0.0) < 10 else 1

    def course_value(self, value: float) -> str:
        return signed(value, self.course_digits)

    @property
    def courses(self) -> list[tuple[Standing, Course]]:
        whole = self.findings.courses.whole
        return [(line, whole[line.name]) for line in self.ranked if line.name in whole]

    @property
    def courses_plot(self) -> Any:
        """All bots' points by stretch of the match, the first few in colour."""
        known = [(line, means) for line, _ in self.courses if len(means := self._stretches[line.name]) > 1]
        if not known:
            return None
        count = max(len(means) for _, means in known)
        length = self.findings.courses.length
        labels = [f"{round(length * (place + 1) / count):,}" for place in range(count)]
        lines = [
            Line(line.name, [*means, *[None] * (count - len(means))], compared=place >= _MOST_CURVES)
            for place, (line, means) in enumerate(known)
        ]
        chart = LineChart("", "", f"{self.over}s of a match, up to", labels, lines, "")
        return line_plot(chart, 720, 300)

    def spark(self, course: Course | None) -> str:
        means = course.means() if course else []
        return spark_path(means, max([abs(value) for value in means], default=0.0))

    # a bot's page

    def results(self, name: str) -> list[Cell]:
        opponents = self.house or self.names
        cells = [self.cells[name, opponent] for opponent in opponents if (name, opponent) in self.cells]
        half = max(FEWEST_MATCHES, MOST_ROWS // max(1, len(self.names))) // 2
        if len(cells) <= 2 * half:
            return cells
        by_value = sorted(cells, key=lambda cell: -cell.value)
        kept = {id(cell) for cell in (*by_value[:half], *by_value[-half:])}
        return [cell for cell in cells if id(cell) in kept]

    def all_results(self, name: str) -> int:
        return sum((name, opponent) in self.cells for opponent in self.house or self.names)

    def best_and_worst(self, name: str) -> list[tuple[str, list[Cell]]]:
        """The three best matches and the three worst."""
        cells = sorted(self.results(name), key=lambda cell: -cell.value)
        if name not in self.names or len(cells) < 2:
            return []
        count = min(3, len(cells) // 2)
        return [("Best", cells[:count]), ("Worst", list(reversed(cells[-count:])))]

    def course_against(self, name: str, opponent: str) -> Course | None:
        return self.findings.courses.against.get((name, opponent))

    def bar(self, cell: Cell) -> tuple[float, float]:
        """Where the bar of a result begins, and how long it is, in percent; an even result is in the middle."""
        off = cell.value - self.middle
        long = 50 * min(1.0, abs(off) / self.scale)
        return round(50 - long if off < 0 else 50, 1), round(long, 1)

    def panels(self, name: str) -> list[dict[str, Any]]:
        """The contest's charts of how a bot plays."""
        portrait, survey = self.contest.display.portrait, self.findings.survey
        if not portrait or not survey.sums:
            return []
        measures = {match.y: match.measures for match in self.ranking.matches if match.x == name} if self.house else {}
        subject = Subject(self.findings.entrants.index(name), measures)
        return [_drawn(panel) for panel in portrait.panels(survey.sums, subject)]

    def faults(self, name: str) -> list[dict[str, Any]]:
        """The recorded faults of a bot: the first few of each sort, with how many `more` there were."""
        found: list[dict[str, Any]] = []
        sorts: dict[tuple[str, str], list[int]] = {}  # how many, and where the last of those listed is
        for leg, fault in self.ranking.faults:
            if (leg.x, leg.y)[fault.seat] == name:
                sort = sorts.setdefault(fault.sort, [0, 0])
                sort[0] += 1
                if sort[0] > _FAULTS_OF_A_SORT:
                    continue
                sort[1] = len(found)
                found.append(
                    {
                        "opponent": (leg.y, leg.x)[fault.seat],
                        "match": leg.match,
                        "x": leg.x,
                        "y": leg.y,
                        "session": fault.session,
                        "game": fault.game,
                        "question": fault.question,
                        "what": clean(fault.what),
                        "asked": clean(fault.asked) if self.findings.with_games else "",
                        "complaints": clean(fault.complaints) if self.findings.with_games else "",
                        "more": 0,
                    }
                )
        for count, last in sorts.values():
            found[last]["more"] = max(0, count - _FAULTS_OF_A_SORT)
        return found[:_MOST_FAULTS]

    def edit(self, name: str) -> Edit | None:
        return self.findings.edits.get(name)

    def has_games(self, match: int) -> bool:
        return bool(self.findings.survey.chosen.get(match))

    @property
    def viewer(self) -> Markup:
        return games_for_viewer(self.contest, self.ranking.matches, self.findings.survey.chosen)

    def reason(self, line: Standing) -> str:
        return clean(line.reason or "")


def _drawn(panel: Panel) -> dict[str, Any]:
    if isinstance(panel, LineChart):
        return {"kind": "lines", "panel": panel, "plot": line_plot(panel)}
    if isinstance(panel, BarChart):
        return {"kind": "bars", "panel": panel, "bars": bar_rows(panel)}
    assert isinstance(panel, GridChart)
    return {"kind": "grid", "panel": panel, "rows": heat_rows(panel)}


def breakable(name: str) -> Markup:
    """A name with possible line breaks after its separators."""
    return Markup("").join(
        escape(part) + (Markup("<wbr>") if part in ("_", "-", ".", "+") else "") for part in re.split(r"([_.+-])", name)
    )


def _anchor(name: str, place: int) -> str:
    return f"bot-{name}" if valid_name(name) else f"entrant-{place + 1}"


def _quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "signed": signed, "plain": plain, "percent": percent, "sure": sure, "clean": clean, "size": size_text,
        "breakable": breakable,
    }  # fmt: skip
    return environment


@cache
def _inlined(name: str) -> str:
    """A style sheet or script of ours, without indentation and comments that have a line of their own."""
    lines = map(str.strip, _environment().get_template(name).render().splitlines())
    return "\n".join(
        line for line in lines if line and not line.startswith("//") and not re.fullmatch(r"/\*.*\*/", line)
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def content_policy(live: bool) -> str:
    """What the page may do: use our script and style. A served one may also ask its server for news."""
    rules = [
        "default-src 'none'",
        f"style-src {_hash(_inlined('report.css'))}", f"script-src {_hash(_inlined('report.js'))}",
        "img-src data:", *(["connect-src 'self'"] if live else []), "base-uri 'none'", "form-action 'none'",
    ]  # fmt: skip
    return "; ".join(rules)


def render(contest: Contest, findings: Findings, live: bool = False) -> str:
    """The page as text."""
    template = _environment().get_template("report.html")
    return template.render(
        page=Layout(contest, findings, live),
        findings=findings,
        policy=content_policy(live),
        style=Markup(_inlined("report.css")),
        script=Markup(_inlined("report.js")),
    )
