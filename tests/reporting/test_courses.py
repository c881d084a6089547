"""Points over sessions against the sessions table."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from tests.reporting.conftest import SHIPPED, Played


def test_courses_are_the_sessions(pages: Mapping[str, Played]) -> None:
    one = pages["von_neumann_poker"]
    sessions = one.results.sessions
    ranked = {line.name for line in one.results.ranking.entrants if line.rank is not None}
    assert set(one.findings.courses.by_name) == ranked
    for name, course in one.findings.courses.by_name.items():
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


@pytest.mark.parametrize("contest", SHIPPED)
def test_courses_against_house_players_are_of_games(contest: str, pages: Mapping[str, Played]) -> None:
    one = pages[contest]
    for line in one.results.ranking.entrants:
        course = one.findings.courses.by_name[line.name]
        assert course.sizes.sum() == line.games
        won = sum(match.points_0 for match in one.results.ranking.matches if match.x == line.name)
        assert course.points.sum() == pytest.approx(won)
