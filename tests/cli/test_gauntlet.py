"""`tournament gauntlet`: one bot against all others, as a run has it, and its former version on the same deals."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.table import Table

import tournament
from tests.cli.in_process import shown
from tests.contest_runs import CONTEST, SEEDS, THRESHOLDS, bot_source, new_place
from tournament.api import gauntlet, run
from tournament.cli.screen import Screen
from tournament.records.results import Results
from tournament.runner.preparing import Prepared, prepare_contest
from tournament.standings.standings import Standings
from tournament.standings.student import quantile

OTHERS = ("calm", "dull", "even", "fair", "glad")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = new_place(tmp_path_factory.mktemp("gauntlet"), ["bold", *OTHERS], sessions=30)
    (place.folder / "old").mkdir()
    (place.folder / "old" / "bold.c").write_text(bot_source(*THRESHOLDS["glad"]))
    return place.folder


def settings(folder: Path) -> str:
    return str(folder / "tournament.toml")


def points_by_replica(found: Results, bot: str, sessions: int) -> Mapping[str, np.ndarray]:
    """What a bot won in each replica of its matches, by opponent, from the rows of sessions."""
    rows = found.sessions
    points: dict[str, np.ndarray] = {}
    for match in found.matches.itertuples():
        if bot in (match.x, match.y):
            own = rows[rows.match == match.match].sort_values("session")
            won = own.x_points if match.x == bot else own.y_points
            points[str(match.y if match.x == bot else match.x)] = won.to_numpy().reshape(-1, sessions).sum(axis=1)
    return points


@pytest.mark.parametrize("replicas", [12, 4])
def test_it_has_the_games_of_a_run_and_the_error_of_paired_differences(
    replicas: int, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both versions are run with the same seed against all, on a gauntlet's deals, and paired by hand: replica by
    replica. Of few replicas opponents may tell more, each way at half of the error rate."""
    report = gauntlet(
        CONTEST,
        folder / "bots" / "bold.c",
        instead_of=folder / "old" / "bold.c",
        config=settings(folder),
        replicas=replicas,
        seed=SEEDS[8],
    )
    played = []

    @contextlib.contextmanager
    def paired(*words: Any) -> Iterator[Prepared]:
        with prepare_contest(*words) as prepared:
            yield replace(prepared, of="bold", paired=True)

    monkeypatch.setattr("tournament.api.prepare_contest", paired)
    for number, source in enumerate((THRESHOLDS["bold"], THRESHOLDS["glad"])):
        place = new_place(tmp_path / f"{number}", OTHERS, sessions=30, settings=f"replicas = {replicas}")
        place.config.write_text(place.config.read_text().replace(SEEDS[7], SEEDS[8]))
        place.write_bot("bold", bot_source(*source))
        played.append(run(CONTEST, config=place.config, workers=1))
    new, old = (points_by_replica(found, "bold", 30) for found in played)
    assert (report.sessions == 5 * replicas * 30 and report.verdict == "open") or report.better
    for line in report.against:
        one, other = new[line.opponent], old[line.opponent]
        assert line.points.value == pytest.approx(one.mean() / 30)
        assert line.former and line.former.value == pytest.approx(other.mean() / 30)
        assert line.better and line.better.value == pytest.approx((one - other).mean() / 30)
        assert line.better.stderr == pytest.approx((one - other).std(ddof=1) / np.sqrt(replicas) / 30)
    assert {line.opponent for line in report.against} == set(OTHERS)
    by_opponent = np.array([new[name] - old[name] for name in OTHERS]) / 30
    apart = by_opponent.mean(axis=0)
    v = by_opponent.var(ddof=1, axis=1) / replicas / 25
    error = np.sqrt(v.sum())
    freedom = v.sum() ** 2 / (v * v / (replicas + 1)).sum() - 2
    assert report.better and report.better.value == pytest.approx(apart.mean())
    assert report.better.stderr == pytest.approx(error)
    assert report.better.reach == pytest.approx(quantile(0.975, freedom) * error)
    assert report.cost and report.former_cost and report.cost.most_fuel > 0 and report.cost != report.former_cost
    frame = report.frame()
    assert frame.better.to_numpy() == pytest.approx((frame.points - frame.former).to_numpy(), rel=1e-12)
    assert list(frame.index) == [line.opponent for line in report.against]


def test_a_seed_of_zero_is_a_seed(folder: Path) -> None:
    first, again = (
        gauntlet(CONTEST, "bold", config=settings(folder), against=["calm"], sessions=5, seed=0) for _ in range(2)
    )
    assert first.points == again.points and first.against == again.against


def test_a_terminal_shows_either_version_while_it_plays(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its best matches, and of all its matches who is the closest."""
    drawn: list[Callable[[Standings, int], Table]] = []

    class Kept(Screen):
        def __init__(self, *words: Any, draw: Any, **more: Any) -> None:
            drawn.append(draw)
            super().__init__(*words, **more)

    monkeypatch.chdir(folder)
    monkeypatch.setattr("tournament.cli.gauntlet.Screen", Kept)
    told = shown("gauntlet", CONTEST, "even", "--instead-of", "calm", "--sessions", "3")
    assert re.search("better by .* ± .*; --replicas 10 tells more", told.out)
    for version in ("even", "calm"):
        place = new_place(tmp_path / version, [version, "bold", "dull", "fair", "glad"], sessions=30)
        ranking = run(CONTEST, config=place.config, workers=1).ranking
        table = drawn[0](ranking, 3)
        assert (table.title, table.row_count) == (f"{version} against each", 3)
        lost = [side for side in ranking.sides if side.x == version and side.points_per_session < 0]
        closest = max(lost, key=lambda side: side.points_per_session)
        assert table.caption == f"closest to beating: {closest.y}"


@pytest.mark.parametrize(("first", "second", "code"), [("bold", "fool", 0), ("fool", "bold", 4)])
def test_scripts_learn_which_is_better(
    first: str, second: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = new_place(tmp_path, OTHERS[:3])
    monkeypatch.chdir(tmp_path)
    for name, source in (("bold", bot_source(*THRESHOLDS["bold"])), ("fool", bot_source(0, 0))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.c").write_text(source)
    words = ["gauntlet", CONTEST, f"{first}/mine.c", "--instead-of", f"{second}/mine.c", "--replicas", "10"]
    told = shown(*words, "--json", "--seed", SEEDS[8], "--config", str(place.config))
    report = json.loads(told.out)
    assert (told.code, report["verdict"]) == (code, "better" if code == 0 else "worse")
    assert (report["better"]["value"] > 0) == (code == 0)


def test_where_it_would_stand(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Among recorded bots of the same settings: by its score, and between which places for sure."""
    place = new_place(tmp_path, ["bold", *OTHERS], settings="replicas = 10")
    place.play()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fool.c").write_text(bot_source(0, 0))
    weak = gauntlet(CONTEST, "fool.c", config=place.config, seed=SEEDS[8]).would_stand
    assert weak and (weak.bots, weak.by_score, weak.last) == (6, 7, 7) and weak.first in (6, 7)
    mine = gauntlet(CONTEST, "bold", config=place.config, seed=SEEDS[8]).would_stand
    ranking = tournament.load(str(place.results)).ranking
    (line,) = [line for line in ranking.ranked if line.name == "bold"]
    assert mine and mine.bots == 5 and mine.first is not None and mine.last is not None and line.rank is not None
    assert mine.first <= mine.by_score <= mine.last and abs(mine.by_score - line.rank) <= 2
    assert gauntlet(CONTEST, "bold", config=place.config, seed=SEEDS[8], sessions=20).would_stand is None
    few = gauntlet(CONTEST, "bold", config=place.config, seed=SEEDS[8], against=["calm"])
    assert few.would_stand is None and [one.opponent for one in few.against] == ["calm"]


def test_bad_input_is_told_in_a_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    (folder / "broken.c").write_text("int a(")
    (folder / "crashes.c").write_text(
        "int a(const Bot *bot) { __builtin_trap(); }\nint b(const Bot *bot, int bet) { __builtin_trap(); }\n"
    )
    for words, what in (
        (["nobody"], "there is no such file, entrant or shipped bot"),
        (["broken.c"], "broken can't play"),
        (["bold", "--against", "nobody"], "there is no such file, entrant or shipped bot"),
        (["bold", "--against", "bold"], "no other bot to play against"),
        (["bold", "--instead-of", "gone.c"], "there is no such file, entrant or shipped bot"),
    ):
        told = shown("gauntlet", CONTEST, *words)
        assert told.code == 2 and what in told.err and "Traceback" not in told.err, words
    told = shown("gauntlet", CONTEST, "crashes.c", "--instead-of", "bots/bold.c")
    assert told.code == 1 and "crashes was disqualified: no figures" in told.out
