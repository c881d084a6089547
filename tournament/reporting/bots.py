"""The page's crosstable, and what it shows of each bot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from markupsafe import Markup, escape

from tournament.contests.presentation import Chart, Subject
from tournament.errors import join_names, pluralize
from tournament.reporting.charts import over_a_match
from tournament.reporting.distributions import charts
from tournament.reporting.figures import clean, plain, signed
from tournament.reporting.layout import Layout, breakable
from tournament.standings.standings import Standing
from tournament.store.leg_result import Fault, LegResult, by_sort

MOST_ACROSS = 60  # rows and columns of the crosstable
MOST_PAGES = 100  # bots that have a page in one file
_MOST_FAULTS, _FAULTS_OF_A_SORT = 25, 3  # of a bot that are listed


@dataclass(frozen=True)
class ShownFault:
    """A fault of a bot, whom it played, and how many `more` faults are like it."""

    leg: LegResult
    fault: Fault
    opponent: str
    more: int


class Bots:
    """The results of a layout as cells and rows of HTML, and the bots that have pages."""

    def __init__(self, page: Layout) -> None:
        self.page = page
        self.table = page.table
        lines = page.ranking.entrants
        own = [line for line in lines[MOST_PAGES:] if line.name == page.author]
        self.lines: Sequence[Standing] = [*lines[:MOST_PAGES], *own]
        self._paged = {line.name for line in self.lines}
        self._measures = {(match.x, match.y): match.measures for match in page.ranking.matches} if page.measures else {}

    def link(self, name: str) -> Markup:
        """Return a bot's name, which leads to its page if it has one."""
        if name not in self._paged:
            return breakable(name)
        return Markup('<a href="#{}">{}</a>').format(self.page.anchor(name).replace("%", "%25"), breakable(name))

    @cached_property
    def _links(self) -> dict[str, str]:
        return {name: str(self.link(name)) for name in (*self.table.bots, *self.table.opponents)}

    def _kind(self, row: int, column: int) -> str:
        """Return the class of a result: how far it is from the middle, and whether it is more than luck."""
        table = self.table
        off = float(table.value[row, column]) - table.middle
        level = min(6, round(6 * abs(off) / table.scale))
        heat = f"{'p' if off > 0 else 'n'}{level}" if level else "z"
        return heat if self.table.clear[row, column] else f"{heat} unclear"

    @property
    def across(self) -> list[str]:
        """The columns of the crosstable: the best bots, or the house players."""
        table = self.table
        return list(table.opponents[: min(MOST_ACROSS, table.ranked) if table.is_square else MOST_ACROSS])

    def cross_rows(self) -> Iterator[tuple[Standing, Markup]]:
        """Yield the bots of the crosstable, with the cells of each."""
        for row, line in enumerate(self.page.ranked[:MOST_ACROSS]):
            yield line, Markup("".join(self._cross_cell(row, column) for column in range(len(self.across))))

    def _cross_cell(self, row: int, column: int) -> str:
        table, page = self.table, self.page
        if table.is_square and row == column:
            return self._own_cell(table.bots[row])
        if not table.sessions[row, column]:
            return '<td class="none"></td>'
        reach = float(table.ci_half_width[row, column])
        clear = "more" if self.table.clear[row, column] else "less"
        lines = [
            f"no ± known a {page.unit}"
            if np.isnan(reach)
            else f"± {plain(reach, page.digits)} a {page.unit}: {clear} than its ± from {page.compared_with}",
            self._played(int(table.sessions[row, column]), int(table.games[row, column])),
        ]
        measures = self._measures.get((table.bots[row], table.opponents[column]), {})
        lines += [f"{one.title} {text}" for one in page.measures if (text := page.measured(one, measures))]
        text = signed(float(table.value[row, column]), page.digits)
        return f'<td class="{self._kind(row, column)}" title="{escape("; ".join(lines))}">{text}</td>'

    def _own_cell(self, name: str) -> str:
        """Return the cell of a bot against a copy of itself."""
        page, match = self.page, self.page.ranking.self_play.get(name)
        if match is None:
            return '<td class="none">·</td>'
        reach = match.ci_half_width_per_session
        known = f"no ± known a {page.unit}" if reach is None else f"± {plain(reach, page.digits)} a {page.unit}"
        told = "; ".join(["against a copy of itself", known, self._played(match.sessions, match.games)])
        text = signed(match.points_per_session, page.digits)
        return f'<td class="z unclear" data-t="{escape(told)}">{text}</td>'

    def _played(self, sessions: int, games: int) -> str:
        """Return how much was played, as text."""
        return f"{pluralize(sessions, 'session')}, {pluralize(games, self.page.game)}"

    def results(self, name: str) -> Markup:
        """Return a row for each opponent of a bot that has a page, or is a house player."""
        page, table, row = self.page, self.table, self.page.number[name]
        rows = []
        for column in [column for column in self._columns if table.sessions[row, column]]:
            opponent = table.opponents[column]
            value, reach = float(table.value[row, column]), float(table.ci_half_width[row, column])
            measures = self._measures.get((name, opponent), {})
            more = "".join(f'<td class="num mid">{page.measured(one, measures)}</td>' for one in page.measures)
            if self._watched:
                more += f"<td>{self.watch(name, opponent)}</td>"
            rows.append(
                f'<tr><th scope="row">{self._links[opponent]}</th>'
                f'<td class="num {self._kind(row, column)}">{signed(value, page.digits)}</td>'
                f'<td class="num dim">{"" if np.isnan(reach) else plain(reach, page.digits)}</td>{more}</tr>'
            )
        return Markup("".join(rows))

    @cached_property
    def _columns(self) -> list[int]:
        """The columns of the house players, or of the bots that have pages."""
        names, is_square = self.table.opponents, self.table.is_square
        return [column for column, name in enumerate(names) if not is_square or name in self._paged]

    @cached_property
    def _watched(self) -> set[tuple[str, str]]:
        pairs = [(match.x, match.y) for match in self.page.watchable]
        pairs += [(x, y) for table in self.page.tables for x in table.bots for y in table.bots if x != y]
        return {*pairs, *((y, x) for x, y in pairs)} if self.page.findings.with_games else set()

    @property
    def has_games(self) -> bool:
        """Whether the page shows a game at all."""
        return bool(self._watched)

    def watch(self, bot: str, opponent: str) -> Markup:
        """Return a link to the games of two bots; "" without any."""
        if (bot, opponent) not in self._watched:
            return Markup()
        return Markup('<a class="watch" href="#games" data-x="{}" data-y="{}">watch</a>').format(bot, opponent)

    def extremes(self, name: str) -> list[tuple[str, list[tuple[Markup, str]]]]:
        """Return a bot's best and worst results among those that are more than luck."""
        table, row = self.table, self.page.number[name]
        clear = np.flatnonzero((table.sessions[row] > 0) & self.table.clear[row])
        off = table.value[row, clear] - table.middle
        order = clear[np.argsort(-off, kind="stable")].tolist()

        def told(columns: Sequence[int]) -> list[tuple[Markup, str]]:
            values = [signed(float(table.value[row, column]), self.page.digits) for column in columns]
            return [(Markup(self._links[table.opponents[column]]), text) for column, text in zip(columns, values)]

        best = [column for column in order[:3] if table.value[row, column] > table.middle]
        worst = [column for column in order[::-1][:3] if table.value[row, column] < table.middle]
        return [(title, told(columns)) for title, columns in (("Best", best), ("Worst", worst)) if columns]

    def ahead(self, line: Standing) -> list[Markup]:
        """Return the bots that a bot is significantly ahead of."""
        return [Markup(self._links[name]) for name in line.significantly_ahead_of]

    def charts(self, name: str) -> list[Chart]:
        """Return the charts of a bot: its points over a match, and those of the contest."""
        page, found = self.page, list[Chart]()
        if not page.is_open(name):
            return found
        courses = page.findings.courses
        if (course := courses.whole.get(name)) and len(means := course.means()) > 1:
            found.append(over_a_match(means, self._field_course, courses.length, page.over))
        presentation, survey = page.contest.presentation, page.findings.survey
        if survey.sums and page.ranking.entrants[page.number[name]].games:
            number = page.findings.entrants.index(name)
            if presentation:
                found += presentation.charts(survey.sums, Subject(number, page.of_field))
            found += charts(page.contest, survey.scales, survey.sums, number, page.of_field)
        return found

    @cached_property
    def _field_course(self) -> list[float]:
        means = [course.means() for course in self.page.findings.courses.whole.values()]
        longest = max(map(len, means), default=0)
        whole = [one for one in means if len(one) == longest]
        return [sum(column) / len(whole) for column in zip(*whole)]

    def faults(self, name: str) -> list[ShownFault]:
        """Return the first few faults of each kind that a bot had."""
        found: list[ShownFault] = []
        for alike in by_sort(self.page.faults_by_bot.get(name, ())) if self.page.is_open(name) else ():
            shown = alike[:_FAULTS_OF_A_SORT]
            for number, (leg, fault) in enumerate(shown, 1):
                more = len(alike) - number if number == len(shown) else 0
                found.append(ShownFault(leg, fault, clean(join_names(leg.opponents(fault.seat))), more))
        return found[:_MOST_FAULTS]
