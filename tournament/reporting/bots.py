"""The page's crosstable, and its results of each bot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from markupsafe import Markup, escape

from tournament.contests.presentation import Chart, Subject
from tournament.errors import join_names, pluralize
from tournament.records.losses import describe_loss, worst_losses
from tournament.reporting.charts import points_over_match
from tournament.reporting.distributions import charts
from tournament.reporting.figures import clean, plain, signed
from tournament.reporting.layout import Layout, breakable
from tournament.standings.standings import Standing
from tournament.store.leg_result import Fault, LegResult, by_sort

# Maximum rows and columns of the crosstable.
MAX_ACROSS = 60
# Maximum number of bots with a page in the file.
MAX_PAGES = 100
# Maximum faults of a bot that are listed, and maximum faults of one kind.
_MAX_FAULTS, _MAX_PER_KIND = 25, 3


@dataclass(frozen=True)
class ListedFault:
    """A fault of a bot.

    Attributes:
        leg: Leg of the fault.
        fault: The fault.
        opponent: Names of the bot's opponents in the leg, as text.
        more: Number of further faults of the same kind that aren't shown, in the last fault of its kind; 0 in others.
    """

    leg: LegResult
    fault: Fault
    opponent: str
    more: int


class Bots:
    """Results of a layout as cells and rows of HTML, and the bots that have pages.

    Attributes:
        page: The layout.
        table: Results of all pairs.
        lines: Lines of the bots that have pages: the first 100 of the standings, and the author's own bot.
    """

    def __init__(self, page: Layout) -> None:
        self.page = page
        self.table = page.table
        entrants = page.ranking.entrants
        own = [line for line in entrants[MAX_PAGES:] if line.name == page.author]
        self.lines: Sequence[Standing] = [*entrants[:MAX_PAGES], *own]
        self._paged = {line.name for line in self.lines}
        self._measures = {(match.x, match.y): match.measures for match in page.ranking.matches} if page.measures else {}

    def link(self, name: str) -> Markup:
        """Return a bot's name, with a link to its page if it has one."""
        if name not in self._paged:
            return breakable(name)
        return Markup('<a href="#{}">{}</a>').format(self.page.anchor(name).replace("%", "%25"), breakable(name))

    @cached_property
    def _links(self) -> dict[str, str]:
        return {name: str(self.link(name)) for name in (*self.table.bots, *self.table.opponents)}

    def _kind(self, row: int, column: int) -> str:
        """Return the CSS class of a result: its distance from the middle, and whether it is significant.

        Args:
            row: Index of the bot.
            column: Index of the opponent.
        """
        table = self.table
        distance = float(table.value[row, column]) - table.middle
        level = min(6, round(6 * abs(distance) / table.scale))
        heat = f"{'p' if distance > 0 else 'n'}{level}" if level else "z"
        return heat if self.table.clear[row, column] else f"{heat} unclear"

    @property
    def across(self) -> list[str]:
        """Names of the columns of the crosstable: the best ranked bots or the first house players, at most 60."""
        table = self.table
        return list(table.opponents[: min(MAX_ACROSS, table.ranked) if table.is_square else MAX_ACROSS])

    def cross_rows(self) -> Iterator[tuple[Standing, Markup]]:
        """Yield the bots of the crosstable, with the cells of each as HTML: ranked ones, the best first, at most 60.

        Raises:
            InputError: The standings of self-play need rules that aren't installed.
            RunError: The records of self-play can't be read, or this machine can't load the rules.
            OSError: A folder of self-play can't be searched, or its field can't be read.
        """
        for row, line in enumerate(self.page.ranked[:MAX_ACROSS]):
            yield line, Markup("".join(self._cross_cell(row, column) for column in range(len(self.across))))

    def _cross_cell(self, row: int, column: int) -> str:
        """Return a cell of the crosstable as HTML. It is empty if the pair hasn't met.

        Args:
            row: Index of the bot.
            column: Index of the opponent. A bot's own column has its result against a copy of itself.

        Raises:
            InputError: The standings of self-play need rules that aren't installed.
            RunError: The records of self-play can't be read, or this machine can't load the rules.
            OSError: A folder of self-play can't be searched, or its field can't be read.
        """
        table, page = self.table, self.page
        if table.is_square and row == column:
            return self._own_cell(table.bots[row])
        if not table.sessions[row, column]:
            return '<td class="none"></td>'
        half_width = float(table.ci_half_width[row, column])
        clear = "more" if self.table.clear[row, column] else "less"
        lines = [
            f"no ± known a {page.unit}"
            if np.isnan(half_width)
            else f"± {plain(half_width, page.digits)} a {page.unit}: {clear} than its ± from {page.compared_with}",
            self._played(int(table.sessions[row, column]), int(table.games[row, column])),
        ]
        measures = self._measures.get((table.bots[row], table.opponents[column]), {})
        lines += [f"{one.title} {text}" for one in page.measures if (text := page.measured(one, measures))]
        text = signed(float(table.value[row, column]), page.digits)
        return f'<td class="{self._kind(row, column)}" title="{escape("; ".join(lines))}">{text}</td>'

    def _own_cell(self, name: str) -> str:
        """Return the cell of a bot against a copy of itself as HTML, with a dot if it hasn't played one.

        Raises:
            InputError: The standings of self-play need rules that aren't installed.
            RunError: The records of self-play can't be read, or this machine can't load the rules.
            OSError: A folder of self-play can't be searched, or its field can't be read.
        """
        page, match = self.page, self.page.ranking.self_play.get(name)
        if match is None:
            return '<td class="none">·</td>'
        half_width = match.ci_half_width_per_session
        interval = (
            f"no ± known a {page.unit}" if half_width is None else f"± {plain(half_width, page.digits)} a {page.unit}"
        )
        cell_text = "; ".join(["against a copy of itself", interval, self._played(match.sessions, match.games)])
        text = signed(match.points_per_session, page.digits)
        return f'<td class="z unclear" data-t="{escape(cell_text)}">{text}</td>'

    def _played(self, sessions: int, games: int) -> str:
        """Return how much was played, as text."""
        return f"{pluralize(sessions, 'session')}, {pluralize(games, self.page.game)}"

    def results(self, name: str) -> Markup:
        """Return a row of HTML for each opponent that a bot has met, the best first, or each house player.

        Opponents without a page are omitted.
        """
        page, table, row = self.page, self.table, self.page.number[name]
        rows = []
        for column in [column for column in self._columns if table.sessions[row, column]]:
            opponent = table.opponents[column]
            value, half_width = float(table.value[row, column]), float(table.ci_half_width[row, column])
            measures = self._measures.get((name, opponent), {})
            cells = "".join(f'<td class="num mid">{page.measured(one, measures)}</td>' for one in page.measures)
            if self._watched:
                cells += f"<td>{self.watch(name, opponent)}</td>"
            rows.append(
                f'<tr><th scope="row">{self._links[opponent]}</th>'
                f'<td class="num {self._kind(row, column)}">{signed(value, page.digits)}</td>'
                f'<td class="num dim">{"" if np.isnan(half_width) else plain(half_width, page.digits)}</td>{cells}</tr>'
            )
        return Markup("".join(rows))

    @cached_property
    def _columns(self) -> list[int]:
        """Indices, among the opponents, of the house players or of the bots that have pages."""
        names, is_square = self.table.opponents, self.table.is_square
        return [column for column, name in enumerate(names) if not is_square or name in self._paged]

    @cached_property
    def _watched(self) -> set[tuple[str, str]]:
        """Pairs of bots of which the page shows games, in both orders. Empty if it shows no games."""
        pairs = [(match.x, match.y) for match in self.page.watchable]
        pairs += [(x, y) for table in self.page.tables for x in table.bots for y in table.bots if x != y]
        return {*pairs, *((y, x) for x, y in pairs)} if self.page.findings.with_games else set()

    @property
    def has_games(self) -> bool:
        """True if the page shows any game."""
        return bool(self._watched)

    def watch(self, bot: str, opponent: str) -> Markup:
        """Return a link to the games of two bots, or "" if the page shows none of them."""
        if (bot, opponent) not in self._watched:
            return Markup()
        return Markup('<a class="watch" href="#games" data-x="{}" data-y="{}">watch</a>').format(bot, opponent)

    def extremes(self, name: str) -> list[tuple[str, list[tuple[Markup, str]]]]:
        """Return a bot's three best and three worst significant results, each group with its title.

        Returns:
            Title, and the opponents' names with links and results as text, for each group that isn't empty. The best
            result is the first of its group, and the worst that of the other group.
        """
        table, row = self.table, self.page.number[name]
        clear = np.flatnonzero((table.sessions[row] > 0) & self.table.clear[row])
        distance = table.value[row, clear] - table.middle
        order = clear[np.argsort(-distance, kind="stable")].tolist()

        def as_text(columns: Sequence[int]) -> list[tuple[Markup, str]]:
            """Return the opponents in these columns, as links, and the results against them as text."""
            values = [signed(float(table.value[row, column]), self.page.digits) for column in columns]
            return [(Markup(self._links[table.opponents[column]]), text) for column, text in zip(columns, values)]

        best = [column for column in order[:3] if table.value[row, column] > table.middle]
        worst = [column for column in order[::-1][:3] if table.value[row, column] < table.middle]
        return [(title, as_text(columns)) for title, columns in (("Best", best), ("Worst", worst)) if columns]

    def ahead(self, line: Standing) -> list[Markup]:
        """Return the names, with links, of the nearest bots that are significantly behind a bot."""
        return [Markup(self._links[name]) for name in line.significantly_ahead_of]

    def charts(self, name: str) -> list[Chart]:
        """Return the charts of a bot: its points over a match, and those of the contest.

        Returns:
            The charts; [] if this page is another author's, or nothing is known about the bot's games. A match with
            points of a single part has no chart of them.
        """
        page, all_charts = self.page, list[Chart]()
        if not page.is_open(name):
            return all_charts
        courses = page.findings.courses
        if (course := courses.by_name.get(name)) and len(means := course.means()) > 1:
            all_charts.append(points_over_match(means, self._field_course, courses.length, page.over))
        presentation, survey = page.contest.presentation, page.findings.survey
        if survey.sums and page.ranking.entrants[page.number[name]].games:
            number = page.findings.entrants.index(name)
            if presentation:
                all_charts += presentation.charts(survey.sums, Subject(number, page.field_sums))
            all_charts += charts(page.contest, survey.scales, survey.sums, number, page.field_sums)
        return all_charts

    @cached_property
    def _field_course(self) -> list[float]:
        """Mean points of all bots that have the most parts, by part, or [] without any."""
        means = [course.means() for course in self.page.findings.courses.by_name.values()]
        longest = max(map(len, means), default=0)
        complete = [one for one in means if len(one) == longest]
        return [sum(column) / len(complete) for column in zip(*complete)]

    def losses(self, name: str) -> list[str]:
        """Return at most three decisions in which a bot loses significantly, as text, the largest loss first.

        Returns:
            A line for each decision; [] if there are none, this page is another author's, columns don't show decisions,
            or the bot is one of the last of a large field.
        """
        sums = self.page.findings.survey.losses
        if sums is None or name not in sums.bots or not self.page.is_open(name):
            return []
        return list(map(describe_loss, worst_losses(sums.list_losses(name))))

    def faults(self, name: str) -> list[ListedFault]:
        """Return the first three faults of each kind that a bot had, the most frequent kind first, at most 25 in all.

        Returns:
            The faults; [] if there are none, or this page is another author's.
        """
        faults: list[ListedFault] = []
        for alike in by_sort(self.page.faults_by_bot.get(name, ())) if self.page.is_open(name) else ():
            listed = alike[:_MAX_PER_KIND]
            for number, (leg, fault) in enumerate(listed, 1):
                more = len(alike) - number if number == len(listed) else 0
                faults.append(ListedFault(leg, fault, clean(join_names(leg.opponents(fault.seat))), more))
        return faults[:_MAX_FAULTS]
