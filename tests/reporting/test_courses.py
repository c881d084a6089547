"""Points over sessions against the sessions table, and what an edit changed against two tournaments."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.built_in import VON_NEUMANN_POKER
from tests.contest_runs import bot_source, make_contest
from tests.oracles import strata
from tests.reporting.conftest import SHIPPED, Played
from tournament.records.results import load
from tournament.reporting.findings import find
from tournament.reporting.trends import courses_of
from tournament.standings.student_t import quantile
from tournament.store.field import Batch
from tournament.store.legs import Legs
from tournament.store.storage import open_storage


def test_courses_are_the_sessions(pages: Mapping[str, Played]) -> None:
    one = pages["von_neumann_poker"]
    sessions = one.results.sessions
    ranked = {line.name for line in one.results.ranking.entrants if line.rank is not None}
    assert set(one.findings.courses.whole) == ranked
    for name, course in one.findings.courses.whole.items():
        rows = sessions[
            ((sessions.bot_0 == name) & sessions.bot_1.isin(ranked))
            | ((sessions.bot_1 == name) & sessions.bot_0.isin(ranked))
        ]
        points = np.where(rows.bot_0 == name, rows.points_0, -rows.points_0)
        block = rows.session.to_numpy() * 32 // 60
        assert course.points == pytest.approx(np.bincount(block, points, 32))
        assert course.sizes.tolist() == np.bincount(block, minlength=32).tolist()
        quarter = block >= 24
        assert course.quarters() == pytest.approx((points[block < 8].mean(), points[quarter].mean()))
        assert course.means(2) == pytest.approx([points[block < 16].mean(), points[block >= 16].mean()])


def test_matches_with_a_bot_below_the_line_are_in_no_course(pages: Mapping[str, Played]) -> None:
    results = pages["von_neumann_poker"].results
    found = courses_of(VON_NEUMANN_POKER, open_storage(results.location), results.batches, ["bold", "calm"])
    rows = results.sessions[(results.sessions.bot_0 == "bold") & (results.sessions.bot_1 == "calm")]
    assert found.whole["bold"].points.sum() == pytest.approx(rows.points_0.sum())
    assert found.whole["calm"].sizes.sum() == len(rows)


@pytest.mark.parametrize("contest", SHIPPED)
def test_courses_against_house_players_are_of_games(contest: str, pages: Mapping[str, Played]) -> None:
    one = pages[contest]
    for line in one.results.ranking.entrants:
        course = one.findings.courses.whole[line.name]
        assert course.sizes.sum() == line.games
        won = sum(match.points_0 for match in one.results.ranking.matches if match.x == line.name)
        assert course.points.sum() == pytest.approx(won)


def test_what_an_edit_changed(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ("bold", "calm", "dull"), settings="replicas = 3")
    place.play()
    before = load(str(place.results))
    assert not find(str(place.results))[1].edits
    place.write_bot("calm", bot_source(8, 3, "another"))
    place.play()
    after = load(str(place.results))
    edits = find(str(place.results))[1].edits
    assert set(edits) == {"calm"}
    edit = edits["calm"]
    assert edit.former_sha256 == next(e.sha256 for e in before.setup.entrants if e.name == "calm")

    def points(results: object, opponent: str) -> float:
        for match in load(str(results)).ranking.matches if isinstance(results, Path) else results.ranking.matches:  # type: ignore[attr-defined]
            if {match.x, match.y} == {"calm", opponent}:
                return match.points_per_session if match.x == "calm" else -match.points_per_session
        raise AssertionError(opponent)

    def each(batches: Sequence[Batch], opponent: str) -> list[float]:
        """What calm won in each replica against an opponent, in points a session."""
        legs = [leg for leg in Legs.joined(batch.legs for batch in batches) if {*leg.seats} == {"calm", opponent}]
        return [
            leg.sums[leg.seats.index("calm")].points / leg.sessions for leg in sorted(legs, key=lambda leg: leg.number)
        ]

    assert [shift.opponent for shift in edit.shifts] == ["bold", "dull"]
    for shift in edit.shifts:
        assert shift.before == pytest.approx(points(before, shift.opponent))
        assert shift.after == pytest.approx(points(after, shift.opponent))
        assert shift.before != shift.after
    assert edit.difference == pytest.approx(np.mean([shift.difference for shift in edit.shifts]))
    # Either version has deals of its own: four matches, two of each.
    told = strata.summed(
        [strata.of_mean(each(one.batches, opponent)) for one in (before, after) for opponent in ("bold", "dull")]
    )
    assert edit.ci_half_width == pytest.approx(quantile(0.975, told[1]) * math.sqrt(told[0]) / 2)
