"""A contest's findings in the words and the order of the page."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from tournament.contests.contest import Contest
from tournament.contests.presentation import Sums, sum_over_entrants
from tournament.contests.scoring import HouseScoring
from tournament.errors import pluralize
from tournament.names import valid_name
from tournament.reporting.figures import MINUS, clean, plain, signed
from tournament.reporting.findings import Findings
from tournament.reporting.games import ReplayedSession
from tournament.standings.caveats import reader_notes
from tournament.standings.matches import Match
from tournament.standings.standings import Standing
from tournament.store.leg_result import Fault, LegResult


class Layout:
    """A contest's findings for the template. The page of an author has only that author's secrets.

    Attributes:
        contest: Contest of the records.
        options: Options of the commands that the page prints.
        author: The bot whose author the page is for; None for everybody.
        findings: What the records have.
        live: Whether the page is served.
        ranking: The standings.
        scoring: Scoring of play against house players; None if bots play each other.
        ranked: Lines of the ranked bots, the best first.
        below: Lines of the host's own bots, then of those that don't play.
        names: Names of the ranked bots, the best first.
        house: Names of the house players.
        table: Results of all pairs.
        number: Index of each entrant in the rows of `table`, by name.
        by_game: Whether mean points are per game instead of per session.
        digits: Decimals of mean points.
        score_digits: Decimals of scores.
    """

    def __init__(
        self, contest: Contest, findings: Findings, live: bool, author: str | None = None, options: str = ""
    ) -> None:
        """Prepare the findings.

        Args:
            contest: Contest of the records.
            findings: What the records have.
            live: Whether the page is served, and asks its server for news.
            author: The bot whose author the page is for; None for everybody.
            options: Options of the commands that the page prints.
        """
        self.contest, self.options = contest, options
        self.author = author
        self.findings = findings
        self.live = live
        self.ranking = findings.ranking
        self.scoring: HouseScoring | None = self.ranking.scoring
        self.ranked = self.ranking.ranked
        self.below = [*self.ranking.house_bots, *self.ranking.below]
        self.names = [line.name for line in self.ranked]
        self.house = list(self.ranking.house)
        self.table = findings.crosstable
        self.number = {name: index for index, name in enumerate(self.table.bots)}
        self.by_game = self.scoring is not None and self.scoring.of_match
        self.digits = 2 if self.scoring is None else self.scoring.decimals if self.by_game else 0
        self.score_digits = 1 if self.scoring is None else self.scoring.decimals
        self._ids = {line.name: make_anchor(line.name, index) for index, line in enumerate(self.ranking.entrants)}

    @property
    def notes(self) -> list[str]:
        """Notes for the reader of the ranking."""
        return reader_notes(self.ranking)

    def is_open(self, name: str) -> bool:
        """Return whether the page shows how a bot plays, its faults and its output: all bots', or only the author's."""
        return self.author in (None, name)

    # standings

    @property
    def measures(self) -> list[Any]:
        """The contest's own columns of the standings, of type Measure. [] unless bots play house players."""
        return list(self.scoring.measures) if self.scoring else []

    @property
    def score_meaning(self) -> str:
        """Meaning of the score, as a sentence."""
        unit = self.contest.points_unit
        # The contest has the whole sentence.
        if unit.startswith("a score is "):
            return f"A{unit[1:]}."
        predicate = "is what it won, added up over all matches"
        if self.ranking.has_means:
            predicate = f"is what it won a {self.unit}, the mean over all of its matches"
        if self.scoring:
            predicate = "is the mean over the house players"
        if len(self.house) == 1:
            predicate = f"is of its {self.game}s with {self.house[0]}"
        return f"A bot’s score {predicate}{f'; {unit}' if unit else ''}."

    @property
    def columns(self) -> dict[str, str]:
        """Meanings of the columns of the standings as plain text, by heading from left to right."""
        alternative = "other deals" if self.ranking.measured.replicas > 1 else "other sessions of the same matches"
        return {
            "#": "order of the scores",
            "Bot": "name of the bot, with a link to its page",
            "Score": self.score_meaning,
            "± 95%": f"the score’s interval: of a hundred tournaments with {alternative}, 95 hold the true value",
            "Score and 95% interval": "score as a dot, interval as whiskers; the dotted line is 0",
            "Place": "bounds of the true rank",
            **{measure.title.capitalize(): measure.meaning for measure in self.measures},
            "Matches": "matches that it played" if self.ranking.has_means else "opponents that it met",
            "Games": f"{self.game}s that it played",
            "Faults": "decisions that failed: it broke a rule, crashed or took too long; a default was played instead",
        }

    def anchor(self, name: str) -> str:
        """Return the name of an entrant's page inside the file, without #. The bot might have no page there."""
        return self._ids[name]

    def score(self, line: Standing) -> str:
        """Return a bot's score as text, or "" if it hasn't played."""
        format_score = signed if self.scoring is None else plain
        return format_score(line.score, self.score_digits) if line.matches else ""

    def ci_half_width(self, line: Standing) -> str:
        """Return the half-width of a score's 95% interval as text, or "" if it is unknown."""
        return "" if line.ci_high is None else plain(line.ci_high - line.score, self.score_digits)

    def whisker(self, line: Standing) -> dict[str, float] | None:
        """Return the positions of a score's dot and of its interval's ends, in percent of the width.

        Returns:
            Positions named at, low and high, from 2 to 98. An unknown end is at the score. None if the bot hasn't
            played.
        """
        if not line.matches:
            return None
        low, high = self._span
        values = {"at": line.score, "low": line.ci_low, "high": line.ci_high}
        return {
            key: round(2 + 96 * (min(high, max(low, line.score if value is None else value)) - low) / (high - low), 2)
            for key, value in values.items()
        }

    @property
    def zero(self) -> float | None:
        """Position of zero, in percent of the width, or None if all scores and intervals are on one side of it."""
        low, high = self._span
        return round(2 + 96 * (0 - low) / (high - low), 2) if low < 0 < high else None

    @cached_property
    def _span(self) -> tuple[float, float]:
        """Lower and upper end of the ranked bots' scores and intervals. The upper one is always larger."""
        ends = [end for line in self.ranked for end in (line.score, line.ci_low, line.ci_high) if end is not None]
        low, high = min(ends, default=0.0), max(ends, default=1.0)
        return (low, high) if low < high else (low - 1, high + 1)

    @property
    def played(self) -> str:
        """Number of recorded matches of ranked bots as text, and of all matches if some are missing.

        If scores are means per session, it is the number of all recorded matches.
        """
        if self.ranking.has_means:
            return pluralize(self.findings.matches, "match", "matches")
        able = len(self.ranked)
        every = able * len(self.house) if self.scoring else able * (able - 1) // 2
        within = dict.fromkeys(self.names, 0)
        opponents = dict.fromkeys(self.house, 0) or within
        matches = self.ranking.matches
        count = int(((matches.numbered(within)[:, 0] == 0) & (matches.numbered(opponents)[:, 1] == 0)).sum())
        noun = "match" if count == every == 1 else "matches"
        return f"{count:,} {noun}" if count >= every else f"{count:,} of {every:,} {noun}"

    @property
    def replicas(self) -> str:
        """Number of replicas of a match, and the length of each, as text."""
        sessions = int(str(self.findings.settings.get("sessions", 0)))
        return f"{max(1, self.ranking.measured.replicas):,} of each match, {pluralize(sessions, 'session')} each"

    # crosstable

    @property
    def compared_with(self) -> str:
        """Result with which results are compared, as text."""
        middle = self.table.middle
        return f"the mean of all, {signed(middle, self.digits)}" if middle else "a draw"

    def measured(self, measure: Any, measures: Mapping[str, float | None]) -> str:
        """Return a measure as text, or "" if it is unknown.

        Args:
            measure: The Measure.
            measures: Values of measures by name; None if unknown.
        """
        value = measures.get(measure.name)
        return "" if value is None else measure.shown(value).replace("-", MINUS)

    # over sessions

    @property
    def over(self) -> str:
        """Unit of which a match is a sequence."""
        return self.game if self.house else "session"

    @property
    def game(self) -> str:
        """Word for a game."""
        return self.contest.presentation.game if self.contest.presentation else "game"

    @property
    def unit(self) -> str:
        """Unit for mean points: a session, or a game if whole matches are scored."""
        return self.game if self.by_game else "session"

    # games and faults

    @property
    def watched(self) -> str:
        """Unit that the viewer shows."""
        presentation = self.contest.presentation
        return self.game if presentation and not presentation.whole_sessions else "session"

    @property
    def sampled_games(self) -> str:
        """Games of a match that the viewer has, as text, or "" if it has none."""
        presentation, has_replays = self.contest.presentation, self.findings.replayed
        replayed = "a replayed session" if has_replays else ""
        if self.ranking.has_means:
            return replayed
        if presentation is None:
            return f"{replayed}{', ' * bool(replayed)}its first and its last games"
        if presentation.whole_sessions:
            return "its first and its last session"
        return f"its first and its last {self.game}s, the best and the worst of the bot whose name comes first"

    @property
    def all_watched(self) -> bool:
        """True if the viewer has games of all matches that were played, or of all matches of the page's author."""
        if self.ranking.has_means:
            return len(self.findings.replayed) == self.findings.matches
        matches, own = self.ranking.matches, self.author
        among = (matches.integers[:, 3] > 0) & (own is None or (matches.numbered({own: 0}) == 0).any(axis=1))
        return bool(np.isin(matches.integers[among, 0], self._watched).all())

    @property
    def example(self) -> str:
        """Bots of a match that can be replayed, as the value of an option, or "0", which is a match's number."""
        options = [match.x + "," + match.y for match in self.watchable] or [",".join(one.bots) for one in self.tables]
        return options[0] if options else "0"

    @cached_property
    def watchable(self) -> list[Match]:
        """Matches of which the page shows games: those with a replayed session first, in the order of replays.

        The others follow by number. An author's page has only the matches of that bot. [] if scores are means per
        session.
        """
        if self.ranking.has_means:
            return []
        matches, replayed = self.ranking.matches, list(self.findings.replayed)
        indices = np.flatnonzero(np.isin(matches.integers[:, 0], self._watched)).tolist()
        matches_shown = [
            match for match in map(matches.__getitem__, indices) if self.author in (None, match.x, match.y)
        ]
        return sorted(
            matches_shown, key=lambda match: replayed.index(match.match) if match.match in replayed else len(replayed)
        )

    @property
    def tables(self) -> list[ReplayedSession]:
        """Replayed sessions of tables of any size, in the order of replays.

        An author's page has only those of that bot. [] unless scores are means per session.
        """
        replayed = self.findings.replayed.values() if self.ranking.has_means else ()
        return [table for table in replayed if self.author in (None, *table.bots)]

    @cached_property
    def _watched(self) -> list[int]:
        """Numbers of the matches that have sampled games or a replayed session, in no particular order."""
        return list({*self.findings.survey.sample, *self.findings.replayed})

    @cached_property
    def field_sums(self) -> Sums:
        """The survey's sums of all entrants together, by name. They are computed once, and must not be changed."""
        return sum_over_entrants(self.findings.survey.sums)

    @cached_property
    def faults_by_bot(self) -> Mapping[str, list[tuple[LegResult, Fault]]]:
        """Recorded faults of each bot that has some, with their legs, by name, in the order of legs."""
        by_bot: dict[str, list[tuple[LegResult, Fault]]] = {}
        for leg, fault in self.ranking.faults:
            by_bot.setdefault(leg.seats[fault.seat], []).append((leg, fault))
        return by_bot

    def reason(self, line: Standing) -> str:
        """Return the reason for a bot's status, or "" if there is none or the page mustn't show it.

        After 2,500 characters it is cut.
        """
        return clean(line.reason or "") if self.is_open(line.name) else ""


def breakable(name: str) -> Markup:
    """Return a name with possible line breaks after its separators."""
    return Markup("").join(
        escape(part) + (Markup("<wbr>") if part in ("_", "-", ".", "+") else "") for part in re.split(r"([_.+-])", name)
    )


def make_anchor(name: str, index: int) -> str:
    """Return the name of a bot's page and file: from its name, or from its index if the name can't be a file's."""
    return f"bot-{name}" if valid_name(name) else f"entrant-{index + 1}"
