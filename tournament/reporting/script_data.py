"""What the page's script draws crosstable, courses and bots' pages from: lists of numbers, and texts as text."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from tournament.contests.presentation import BarChart, Chart, GridChart, LineChart, Subject
from tournament.errors import join_names
from tournament.reporting.crosstable import in_last_digit, packed
from tournament.reporting.figures import clean
from tournament.reporting.layout import Layout
from tournament.standings.standings import Standing
from tournament.store.legs import by_sort

_MOST_STRETCHES = 400_000  # numbers of the small charts by opponent
_MOST_FAULTS, _FAULTS_OF_A_SORT = 25, 3  # of a bot that are listed
_DIGITS = 4  # of what charts show


def numbers_of(page: Layout) -> dict[str, Any]:
    """The part that is the same in all pages of a tournament: results and courses."""
    return {"results": _results(page), "courses": _courses(page)}


def script_data(page: Layout, numbers: dict[str, Any]) -> dict[str, Any]:
    """All of it, with the `numbers`; script/data.js names each part where it reads it."""
    shapes: dict[str, int] = {}
    table = page.table
    return {
        "contest": page.contest.name,
        "options": page.options,
        "unit": page.unit,
        "over": page.over,
        "game": page.game,
        "digits": page.digits,
        "middle": table.middle,
        "scale": table.scale,
        "from": page.compared_with,
        "measures": [measure.title for measure in page.measures],
        "ranked": table.ranked,
        "house": None if table.is_square else list(table.opponents),
        "author": page.author,
        "bots": [_bot(page, line, shapes) for line in page.ranking.entrants],
        **numbers,
        "panels": [json.loads(shape) for shape in shapes],
    }


def _results(page: Layout) -> dict[str, Any]:
    """Columns of numbers by pair, in the order of `Crosstable.sides`; values in units of the last digit shown.

    `ci_half_width` is half a 95% interval, −1 where it isn't known. The second side is left out where the first has its
    numbers, negated.
    """
    table, digits = page.table, page.digits
    values = [in_last_digit(side, digits) for side in table.sides(table.value)]
    reaches = [np.where(np.isnan(side), -1, in_last_digit(side, digits)) for side in table.sides(table.ci_half_width)]
    clear = table.sides(table.clear)
    if len(values) > 1 and (values[0] == -values[1]).all() and (reaches[0] == reaches[1]).all():
        values, reaches, clear = values[:1], reaches[:1], clear[:1]
    measures: list[list[str]] = [[""] * table.value.size for _ in page.measures]
    rows, columns = ({name: place for place, name in enumerate(names)} for names in (table.bots, table.opponents))
    for match in page.ranking.matches if measures else ():
        for texts, measure in zip(measures, page.measures):
            texts[rows[match.x] * len(table.opponents) + columns[match.y]] = page.measured(measure, match.measures)
    return {
        "sessions": packed(table.sides(table.sessions)[0]),
        "games": packed(table.sides(table.games)[0]),
        "value": [packed(side) for side in values],
        "reach": [packed(side) for side in reaches],
        "clear": [packed(side) for side in clear],
        "measures": measures,
        "shapes": _shapes(page),
    }


def _shapes(page: Layout) -> dict[str, Any]:
    """How results go over a match, by pair as the results are: this many numbers each, parts of the largest."""
    courses, table = page.findings.courses, page.table
    parts = courses.shapes(_MOST_STRETCHES)
    if not parts.shape[2]:
        return {"count": 0, "parts": []}
    row = {name: place for place, name in enumerate(table.bots)}
    column = {name: place for place, name in enumerate(table.opponents)}
    laid = np.zeros((len(row), len(column), parts.shape[2]), np.int8)
    for place, (x, y) in enumerate(courses.pairs):
        laid[row[x], column[y]] = parts[0, place]
        if table.is_square:
            laid[row[y], column[x]] = parts[1, place]
    if not table.is_square:
        sides = [laid.ravel()]
    else:
        upper = np.triu_indices(len(row), 1)
        sides = [laid[upper].ravel(), laid.transpose(1, 0, 2)[upper].ravel()]
        if (sides[0] == -sides[1]).all():
            sides = sides[:1]
    return {"count": parts.shape[2], "parts": [packed(side) for side in sides]}


def _courses(page: Layout) -> dict[str, Any]:
    """By ranked bot: its number, mean points by stretch, and those of the first quarter and the last."""
    digits = page.course_digits
    listed = []
    for line, course in page.courses:
        quarters = course.quarters()
        told = quarters and [round(mean, digits) for mean in quarters]
        listed.append([page.number[line.name], [round(mean, digits) for mean in course.means()], told])
    return {"length": page.findings.courses.length, "digits": digits, "bots": listed}


def _bot(page: Layout, line: Standing, shapes: dict[str, int]) -> dict[str, Any]:
    """A bot's page. `shapes` gets the parts of its charts that others share."""
    told: dict[str, Any] = {
        "name": line.name,
        "id": page.anchor(line.name),
        "rank": line.rank,
        "score": page.score(line),
        "reach": page.ci_half_width(line),
        "kind": line.kind,
        "sha": line.sha256[:8],
        "games": line.games,
        "faults": line.faults,
        "measures": [page.measured(measure, line.measures) for measure in page.measures],
        "surely": [page.number[name] for name in line.significantly_ahead_of],
    }
    if line.rank is None:
        told |= {"status": line.status, "reason": page.reason(line)}
    if len(versions := page.findings.versions.get(line.name, ())) > 1:
        told["versions"] = [list(version) for version in versions]
    if not page.is_open(line.name):
        return told
    if line.games and (panels := _panels(page, line.name)):
        told["panels"] = [_chart(panel, shapes) for panel in panels]
    if faults := faults_of(page, line.name):
        told["faulty"] = faults
    if edit := page.findings.edits.get(line.name):
        shifts = [[shift.opponent, shift.before, shift.after] for shift in edit.shifts]
        told["edit"] = [edit.former_sha256[:8], edit.difference, edit.ci_half_width, shifts]
    return told


def _panels(page: Layout, name: str) -> list[Chart]:
    presentation, survey = page.contest.presentation, page.findings.survey
    if not presentation or not survey.sums:
        return []
    measures = {match.y: match.measures for match in page.ranking.matches if match.x == name} if page.house else {}
    return list(presentation.charts(survey.sums, Subject(page.findings.entrants.index(name), measures, page.of_field)))


def _chart(panel: Chart, shapes: dict[str, int]) -> list[Any]:
    """The number of the chart's shape, and its values: of each line that is not compared, or shares and counts."""
    shape: dict[str, Any] = {"title": panel.title, "meaning": panel.meaning}
    values: list[Any]
    if isinstance(panel, GridChart):
        shape |= {"kind": "grid", "rows": list(panel.rows), "columns": list(panel.columns)}
        values = [_rounded(row) for row in panel.shares], [list(map(int, row)) for row in panel.counts]  # type: ignore[assignment]
    else:
        lines = [[line.name, _rounded(line.values) if line.compared else None] for line in panel.lines]
        shape |= {"labels": list(panel.labels), "unit": panel.unit, "lines": lines}
        if isinstance(panel, LineChart):
            shape |= {"kind": "lines", "axis": panel.axis}
        else:
            assert isinstance(panel, BarChart)
            shape |= {"kind": "bars", "stacked": panel.stacked}
        values = [_rounded(line.values) for line in panel.lines if not line.compared]
    return [shapes.setdefault(json.dumps(shape), len(shapes)), values]


def _rounded(values: Any) -> list[float | None]:
    return [None if value is None else round(float(value), _DIGITS) for value in values]


def faults_of(page: Layout, name: str) -> list[dict[str, Any]]:
    """The recorded faults of a bot: the first few of each sort, with how many `more` there were."""
    found: list[dict[str, Any]] = []
    for alike in by_sort(page.faults_by_bot.get(name, ())):
        for leg, fault in alike[:_FAULTS_OF_A_SORT]:
            found.append(
                {
                    "opponent": join_names(leg.opponents(fault.seat)),
                    "match": leg.match,
                    "session": fault.session,
                    "game": fault.game,
                    "decision": fault.decision,
                    "message": clean(fault.message),
                    "question_text": clean(fault.question_text) if page.findings.with_games else "",
                    "last_output": clean(fault.last_output) if page.findings.with_games else "",
                    "more": 0,
                }
            )
        found[-1]["more"] = max(0, len(alike) - _FAULTS_OF_A_SORT)
    return found[:_MOST_FAULTS]
