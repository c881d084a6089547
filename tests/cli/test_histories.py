"""Commands for authors show the history of a bot's versions and the opponents that it is closest to beating."""

from __future__ import annotations

import json
from pathlib import Path
from unittest.mock import Mock

import pandas as pd
import pytest

from tests.commands import command
from tests.contest_runs import CONTEST, ContestDir, bot_source, make_contest
from tournament.records.results import load


def test_versions_of_bot_have_their_standings(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm", "dull"], 30)
    place.play()
    before = {line.name: line for line in load(str(place.results)).ranking.entrants}
    place.write_bot("calm", bot_source(9, 9))
    place.play()
    place.write_bot("dull", bot_source(1, 2))  # another's edit is no version of this one
    place.play()
    now = {line.name: line for line in load(str(place.results)).ranking.entrants}
    rows = json.loads(command(tmp_path, "leaderboard", CONTEST, "--history", "calm", "--json").out)
    assert [row["sha256"] for row in rows] == [before["calm"].sha256, now["calm"].sha256]
    assert [row["score"] for row in rows] == [before["calm"].score, now["calm"].score]
    assert [row["field_size"] for row in rows] == [3, 3]
    assert [version.line.sha256 for version in load(str(place.results)).versions("bold")] == [now["bold"].sha256]

    place.config.write_text(place.config.read_text().replace("sessions = 30", "sessions = 40"))
    place.play()
    there = json.loads(command(tmp_path, "leaderboard", CONTEST, "--history", "calm", "--json").out)
    assert [row["archive"] for row in there] == [1, 1, None]
    assert [row["score"] for row in there[:2]] == [row["score"] for row in rows]
    assert "archive 1" in command(tmp_path, "leaderboard", CONTEST, "--history", "calm").out

    (first, second, third) = (line.name for line in load(str(place.results)).ranking.entrants)
    values = json.loads(command(tmp_path, "crosstable", CONTEST, "--bot", third, "--json").out)
    assert {row["opponent"] for row in values} == {first, second} and {row["bot"] for row in values} == {third}
    ahead = [row for row in values if row["points_per_session"] <= 0]
    closest = max(ahead, key=lambda row: row["points_per_session"])["opponent"]
    assert f"closest to beating: {closest}" in command(tmp_path, "crosstable", CONTEST, "--bot", third).out


def scores(place: ContestDir, name: str) -> list[tuple[str, float, int]]:
    """Return the versions of a bot."""
    versions = load(str(place.results)).versions(name)
    return [(version.line.sha256, version.line.score, version.field_size) for version in versions]


def test_history_has_the_ranks_after_each_run(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm", "dull"], 10)
    for step in range(4):
        place.write_bot("calm", bot_source(step, 9))
        place.play()
        assert len(load(str(place.results)).batches) <= 3  # Former versions leave nothing.
    place.play()  # Nothing is new.
    assert len(list((place.results / "history").iterdir())) == 4
    ranks = pd.read_parquet(place.results / "history")
    assert (ranks.groupby("run").size() == 3).all() and ranks.run.nunique() == 4
    assert ranks[ranks.name == "calm"].sha256.nunique() == len(scores(place, "calm")) == 4
    last = ranks[ranks.run == ranks.run.max()].set_index("name")
    now = load(str(place.results)).standings.set_index("name")
    assert last["rank"].astype("Int64").sort_index().equals(now["rank"].sort_index())


def test_next_run_keeps_history_of_killed_run(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm", "dull"], 30)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("tournament.runner.contest_run.store_history", Mock(side_effect=KeyboardInterrupt))
        place.play()
    expected = scores(place, "calm")
    place.write_bot("calm", bot_source(5, 5))
    place.play()
    assert scores(place, "calm")[:-1] == expected
