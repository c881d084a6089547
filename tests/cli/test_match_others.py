"""`tournament match`: one bot against all others, as a run has it, and its baseline on the same deals."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tournament
from tests.contest_runs import CONTEST, SEEDS, THRESHOLDS, bot_source, make_contest
from tournament.api import match, run
from tournament.errors import InputError
from tournament.records.results import Results
from tournament.runner.prepare import Prepared, prepare_contest

OTHERS = ("calm", "dull", "even", "fair", "glad")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = make_contest(tmp_path_factory.mktemp("match"), ["bold", *OTHERS], sessions=30)
    (place.folder / "old").mkdir()
    (place.folder / "old" / "bold.c").write_text(bot_source(*THRESHOLDS["glad"]))
    return place.folder


def points_by_replica(found: Results, bot: str, sessions: int) -> Mapping[str, np.ndarray]:
    """Return the points of a bot in each replica of its matches, by opponent, from the rows of sessions."""
    rows = found.sessions
    points: dict[str, np.ndarray] = {}
    for _, own in rows[(rows.bot_0 == bot) | (rows.bot_1 == bot)].sort_values("session").groupby("match"):
        seat = int(own.bot_0.iloc[0] != bot)
        won = own[f"points_{seat}"].to_numpy().reshape(-1, sessions).sum(axis=1)
        points[str(own[f"bot_{1 - seat}"].iloc[0])] = won
    return points


def test_match_has_run_games_and_paired_errors(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run both versions with the same seed against all, and pair their results by hand."""
    replicas = 4
    bots = (folder / "bots" / "bold.c", folder / "old" / "bold.c")
    more: dict[str, Any] = {"replicas": replicas, "seed": SEEDS[8]}
    report = match(CONTEST, bots[0], baseline=bots[1], config=folder / "tournament.toml", **more)
    played = []

    @contextlib.contextmanager
    def paired(*words: Any) -> Iterator[Prepared]:
        with prepare_contest(*words) as prepared:
            yield replace(prepared, of="bold", paired=True)

    monkeypatch.setattr("tournament.api.prepare_contest", paired)
    for number, source in enumerate((THRESHOLDS["bold"], THRESHOLDS["glad"])):
        place = make_contest(tmp_path / f"{number}", OTHERS, sessions=30, settings=f"replicas = {replicas}")
        place.config.write_text(place.config.read_text().replace(SEEDS[7], SEEDS[8]))
        place.write_bot("bold", bot_source(*source))
        played.append(run(CONTEST, config=place.config, workers=1))
    new, old = (points_by_replica(found, "bold", 30) for found in played)
    assert report.sessions == 5 * replicas * 30 and report.difference
    certain = abs(report.difference.value) > (report.difference.ci_half_width or np.inf)
    assert report.verdict == (("worse", "better")[report.difference.value > 0] if certain else "open")
    for line in report.opponents:
        one, other = new[line.opponent], old[line.opponent]
        assert line.points.value == pytest.approx(one.mean() / 30)
        assert line.baseline and line.baseline.value == pytest.approx(other.mean() / 30)
        assert line.difference and line.difference.value == pytest.approx((one - other).mean() / 30)
        assert line.difference.stderr == pytest.approx((one - other).std(ddof=1) / np.sqrt(replicas) / 30)
    assert {line.opponent for line in report.opponents} == set(OTHERS)
    by_opponent = np.array([new[name] - old[name] for name in OTHERS]) / 30
    apart = by_opponent.mean(axis=0)
    v = by_opponent.var(ddof=1, axis=1) / replicas / 25
    error = np.sqrt(v.sum())
    assert report.difference.value == pytest.approx(apart.mean())
    assert report.difference.stderr == pytest.approx(error)
    assert report.difference.ci_half_width and 1.96 < report.difference.ci_half_width / error < 2.3
    frame = report.to_frame()
    assert frame.difference.to_numpy() == pytest.approx((frame.points - frame.baseline).to_numpy(), rel=1e-9)


def test_match_projects_rank_among_recorded_bots(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Recorded bots of the same settings give a place for its score, and the places that it surely lies between."""
    place = make_contest(tmp_path, ["bold", *OTHERS], settings="replicas = 10")
    place.play()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fool.c").write_text(bot_source(0, 0))
    weak = match(CONTEST, "fool.c", config=place.config, seed=SEEDS[8]).projected_rank
    assert weak and (weak.bots, weak.rank, weak.rank_high) == (6, 7, 7) and weak.rank_low in (6, 7)
    mine = match(CONTEST, "bold", config=place.config, seed=SEEDS[8]).projected_rank
    ranking = tournament.load(str(place.results)).ranking
    (line,) = [line for line in ranking.ranked if line.name == "bold"]
    assert mine and mine.bots == 5 and mine.rank_low and mine.rank_high and line.rank
    assert mine.rank_low <= mine.rank <= mine.rank_high and abs(mine.rank - line.rank) <= 2
    with pytest.raises(InputError, match="the seed of the contest's records"):
        match(CONTEST, "bold", config=place.config, seed=SEEDS[7])
    assert match(CONTEST, "bold", config=place.config, seed=SEEDS[8], sessions=20).projected_rank is None
    few = match(CONTEST, "bold", "calm", config=place.config, seed=SEEDS[8])
    assert few.projected_rank is None and [one.opponent for one in few.opponents] == ["calm"]
