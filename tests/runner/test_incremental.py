"""Runs after one bot was dropped in or edited, and after the contest's version changed."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from tests.built_in import VON_NEUMANN_POKER
from tests.contest_runs import CONTEST, ContestDir, Listener, bot_source, make_contest
from tournament.contests.contest import ENGINE_VERSION
from tournament.records.results import load


@pytest.fixture
def place(tmp_path: Path) -> ContestDir:
    """Played in two batches, of four matches and of two, so that edits fall inside of parts."""
    place = make_contest(tmp_path, ["bold", "calm", "dull", "even"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tournament.runner.tasks.TaskSize.is_full", lambda pace, inline, *legs: inline == 4)
        place.play()
    assert len(list((place.results / "games").iterdir())) == 2
    return place


@pytest.mark.parametrize("file", ["CALM.c", "calm.cpp"])
def test_new_bot_of_recorded_name_is_broken(place: ContestDir, file: str) -> None:
    """Names of their files come in any order."""
    before, listener = load(str(place.results)).games, Listener()
    (place.entrants / file).write_text(bot_source(1, 1))
    place.play(listener=listener)
    assert listener.games == 0
    pd.testing.assert_frame_equal(load(str(place.results)).games, before)
    (line,) = (line for line in load(str(place.results)).ranking.entrants if line.status == "broken")
    assert line.reason == f"{file} has the name of calm.c, which is in the records; rename one of them"


def test_edits_keep_number_of_parts(place: ContestDir) -> None:
    """Legs of an edit join the smallest part, in the same step in which that is replaced."""
    for step, name in enumerate(("bold", "dull", "dull", "even"), 1):
        place.write_bot(name, bot_source(step, step))
        place.play()
        assert len(list((place.results / "games").iterdir())) <= 2


def test_new_version_of_contest_archives_its_records(place: ContestDir) -> None:
    before, listener = pd.read_parquet(place.results / "games"), Listener()
    object.__setattr__(VON_NEUMANN_POKER, "version", VON_NEUMANN_POKER.version + 1)
    try:
        place.play(listener=listener)
    finally:
        object.__setattr__(VON_NEUMANN_POKER, "version", VON_NEUMANN_POKER.version - 1)
    now = f"{ENGINE_VERSION}.{VON_NEUMANN_POKER.version + 1}"
    told = f"games of version {VON_NEUMANN_POKER.engine_version} of {CONTEST}, this is {now}"
    assert any(told in text for text in listener.said)
    metadata = pq.read_schema(next((place.results / "games").iterdir())).metadata
    assert metadata and (metadata[b"contest"], metadata[b"engine_version"]) == (CONTEST.encode(), now.encode())
    pd.testing.assert_frame_equal(pd.read_parquet(place.results.with_name(f"{CONTEST}-archive-1") / "games"), before)
