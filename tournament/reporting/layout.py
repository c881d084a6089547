"""A contest's findings as the page words and orders them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from tournament.contests.contest import Contest
from tournament.contests.presentation import Sums, together
from tournament.contests.scoring import HouseScoring
from tournament.errors import pluralize
from tournament.names import valid_name
from tournament.reporting.figures import MINUS, clean, plain, signed
from tournament.reporting.findings import Findings
from tournament.reporting.games import PlayedAgain
from tournament.standings.caveats import notes_of
from tournament.standings.matches import Match
from tournament.standings.standings import Standing
from tournament.store.leg_result import Fault, LegResult


class Layout:
    """What the template shows of a contest's findings. The page of an `author` has secrets of no other bot."""

    def __init__(
        self, contest: Contest, findings: Findings, live: bool, author: str | None = None, options: str = ""
    ) -> None:
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
        self.number = {name: place for place, name in enumerate(self.table.bots)}
        self.by_game = self.scoring is not None and self.scoring.of_match
        self.digits = 2 if self.scoring is None else self.scoring.decimals if self.by_game else 0
        self.score_digits = 1 if self.scoring is None else self.scoring.decimals
        self._ids = {line.name: anchor_of(line.name, place) for place, line in enumerate(self.ranking.entrants)}

    @property
    def notes(self) -> list[str]:
        return notes_of(self.ranking)

    def is_open(self, name: str) -> bool:
        """Whether the page tells how a bot plays, its faults and what it wrote."""
        return self.author in (None, name)

    # standings

    @property
    def measures(self) -> list[Any]:
        """The contest's own columns of the standings, as many as a page has room for."""
        return list(self.scoring.measures) if self.scoring else []

    @property
    def score_meaning(self) -> str:
        """What the score is, in a sentence."""
        unit = self.contest.points_unit
        if unit.startswith("a score is "):  # the contest says all of it
            return f"A{unit[1:]}."
        of = "is what it won, added up over all matches"
        if self.ranking.has_means:
            of = f"is what it won a {self.unit}, the mean over all of its matches"
        if self.scoring:
            of = "is the mean over the house players"
        if len(self.house) == 1:
            of = f"is of its {self.game}s with {self.house[0]}"
        return f"A bot’s score {of}{f'; {unit}' if unit else ''}."

    @property
    def columns(self) -> dict[str, str]:
        """What each column of the standings means, by its heading."""
        others = "other deals" if self.ranking.measured.replicas > 1 else "other sessions of the same matches"
        return {
            "#": "the order of the scores",
            "Bot": "its name leads to a page about it",
            "Score": self.score_meaning,
            "± 95%": f"the score’s interval: of a hundred tournaments with {others}, 95 hold the true value",
            "Score and 95% interval": "the same as a dot with whiskers; the dotted line is 0",
            "Place": "the ranks that may be the true one",
            **{measure.title.capitalize(): measure.meaning for measure in self.measures},
            "Matches": "matches it has played" if self.ranking.has_means else "opponents it has met",
            "Games": f"{self.game}s it has played",
            "Faults": "decisions that failed: it broke a rule, crashed or took too long; a default was played instead",
        }

    def anchor(self, name: str) -> str:
        return self._ids[name]

    def score(self, line: Standing) -> str:
        show = signed if self.scoring is None else plain
        return show(line.score, self.score_digits) if line.matches else ""

    def ci_half_width(self, line: Standing) -> str:
        return "" if line.ci_high is None else plain(line.ci_high - line.score, self.score_digits)

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

    @cached_property
    def _span(self) -> tuple[float, float]:
        ends = [end for line in self.ranked for end in (line.score, line.ci_low, line.ci_high) if end is not None]
        low, high = min(ends, default=0.0), max(ends, default=1.0)
        return (low, high) if low < high else (low - 1, high + 1)

    @property
    def played(self) -> str:
        """How many matches of all are recorded."""
        if self.ranking.has_means:
            return pluralize(self.findings.matches, "match", "matches")
        able = len(self.ranked)
        every = able * len(self.house) if self.scoring else able * (able - 1) // 2
        within = dict.fromkeys(self.names, 0)
        others = dict.fromkeys(self.house, 0) or within
        matches = self.ranking.matches
        there = int(((matches.numbered(within)[:, 0] == 0) & (matches.numbered(others)[:, 1] == 0)).sum())
        noun = "match" if there == every == 1 else "matches"
        return f"{there:,} {noun}" if there >= every else f"{there:,} of {every:,} {noun}"

    @property
    def replicas(self) -> str:
        """How many replicas of a match were played, and how long one is."""
        sessions = int(str(self.findings.settings.get("sessions", 0)))
        return f"{max(1, self.ranking.measured.replicas):,} of each match, {pluralize(sessions, 'session')} each"

    # crosstable

    @property
    def compared_with(self) -> str:
        """What results are compared with, in words."""
        middle = self.table.middle
        return f"the mean of all, {signed(middle, self.digits)}" if middle else "a draw"

    def measured(self, measure: Any, measures: Mapping[str, float | None]) -> str:
        value = measures.get(measure.name)
        return "" if value is None else measure.shown(value).replace("-", MINUS)

    # over sessions

    @property
    def over(self) -> str:
        """What a match is a sequence of."""
        return self.game if self.house else "session"

    @property
    def game(self) -> str:
        return self.contest.presentation.game if self.contest.presentation else "game"

    @property
    def unit(self) -> str:
        """What results are the mean points of: a session, or a game where the score is of the whole match."""
        return self.game if self.by_game else "session"

    # games and faults

    @property
    def watched(self) -> str:
        """What the viewer shows one of."""
        presentation = self.contest.presentation
        return self.game if presentation and not presentation.whole_sessions else "session"

    @property
    def shown_of_a_match(self) -> str:
        """Which games of a match the viewer has."""
        presentation, told = self.contest.presentation, self.findings.told
        again = "a session, played again" if told else ""
        if self.ranking.has_means:
            return again
        if presentation is None:
            return f"{again}{', ' * bool(again)}its first and its last games"
        if presentation.whole_sessions:
            return "its first and its last session"
        return f"its first and its last {self.game}s, the best and the worst of the bot whose name comes first"

    @property
    def all_watched(self) -> bool:
        if self.ranking.has_means:
            return len(self.findings.told) == self.findings.matches
        matches, own = self.ranking.matches, self.author
        among = (matches.whole[:, 3] > 0) & (own is None or (matches.numbered({own: 0}) == 0).any(axis=1))
        return bool(np.isin(matches.whole[among, 0], self._watched).all())

    @property
    def example(self) -> str:
        """A match that can be replayed, as an option's value."""
        several = [match.x + "," + match.y for match in self.watchable] or [",".join(one.bots) for one in self.tables]
        return several[0] if several else "0"

    @cached_property
    def watchable(self) -> list[Match]:
        """The matches of which the page shows games, first those with a session that was played again."""
        if self.ranking.has_means:
            return []
        matches, again = self.ranking.matches, list(self.findings.told)
        places = np.flatnonzero(np.isin(matches.whole[:, 0], self._watched)).tolist()
        found = [match for match in map(matches.__getitem__, places) if self.author in (None, match.x, match.y)]
        return sorted(found, key=lambda match: again.index(match.match) if match.match in again else len(again))

    @property
    def tables(self) -> list[PlayedAgain]:
        """The tables of any number of bots of which the page shows a session."""
        told = self.findings.told.values() if self.ranking.has_means else ()
        return [table for table in told if self.author in (None, *table.bots)]

    @cached_property
    def _watched(self) -> list[int]:
        return list({*self.findings.survey.chosen, *self.findings.told})

    @cached_property
    def of_field(self) -> Sums:
        """The survey's sums of all entrants together: once, not for each bot."""
        return together(self.findings.survey.sums)

    @cached_property
    def faults_by_bot(self) -> Mapping[str, list[tuple[LegResult, Fault]]]:
        found: dict[str, list[tuple[LegResult, Fault]]] = {}
        for leg, fault in self.ranking.faults:
            found.setdefault(leg.seats[fault.seat], []).append((leg, fault))
        return found

    def reason(self, line: Standing) -> str:
        return clean(line.reason or "") if self.is_open(line.name) else ""


def breakable(name: str) -> Markup:
    """A name with possible line breaks after its separators."""
    return Markup("").join(
        escape(part) + (Markup("<wbr>") if part in ("_", "-", ".", "+") else "") for part in re.split(r"([_.+-])", name)
    )


def anchor_of(name: str, place: int) -> str:
    """What a bot's page is called, and its file: by its name, or by its place where that can't name a file."""
    return f"bot-{name}" if valid_name(name) else f"entrant-{place + 1}"
