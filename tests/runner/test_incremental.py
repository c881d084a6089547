"""Drop in, edit, take out, break or mend one bot: only its matches are played, and the rest stays byte for byte."""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest

from tests.built_in import VON_NEUMANN_POKER
from tests.contest_runs import (
    CONTEST,
    ContestDir,
    Listener,
    assert_games_are_the_standings,
    assert_parts_are_in_order,
    bot_source,
    make_contest,
)
from tournament.contests.contest import ENGINE_VERSION
from tournament.contests.scoring import HouseScoring
from tournament.records import results as results_module
from tournament.records.results import load
from tournament.standings.standings import Standings, compute_standings
from tournament.store.field import Batch, ContestSetup

BOTS = ["bold", "calm", "dull", "even"]
Pair = tuple[str, str]


def files(place: ContestDir) -> dict[str, int]:
    """Return the times of the last change of all that a run commits."""
    several = [place.results / "contest.json", *place.results.glob("*/*.parquet")]
    return {str(path): path.stat().st_mtime_ns for path in several}


def digests_in(place: ContestDir) -> dict[str, Pair]:
    batches = load(str(place.results)).batches if (place.results / "contest.json").exists() else ()
    return {leg.digest: (leg.seats[0], leg.seats[1]) for batch in batches for leg in batch.legs}


def play(place: ContestDir) -> set[Pair]:
    """Run, and tell which pairs played: those of legs that the records had not, and no others."""
    known = digests_in(place)
    counter = Listener()
    place.play(listener=counter)
    assert_games_are_the_standings(place.results)
    assert_parts_are_in_order(place.results)
    played = {pair for digest, pair in digests_in(place).items() if digest not in known}
    matches = load(str(place.results)).ranking.matches
    assert counter.games == sum(match.games for match in matches if (match.x, match.y) in played)
    return played


@pytest.fixture
def place(tmp_path: Path) -> ContestDir:
    """Played in two batches, of four matches and of two, so that edits fall inside of parts."""
    place = make_contest(tmp_path, BOTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tournament.runner.tasks.TaskSize.is_full", lambda pace, inline, *legs: inline == 4)
        assert play(place) == set(combinations(BOTS, 2))
    assert len(list((place.results / "games").iterdir())) == 2
    return place


@pytest.mark.parametrize("file", ["CALM.c", "calm.cpp", "calm"])
def test_a_newcomer_of_a_recorded_name_is_broken_and_the_older_bot_stays(place: ContestDir, file: str) -> None:
    """Names of their files come in any order."""
    before = load(str(place.results)).games
    if file == "calm":
        (place.entrants / file).mkdir()
        (place.entrants / file / "bot.toml").write_text('command = ["true"]\n')
    else:
        (place.entrants / file).write_text(
            "int a(const Bot *bot) { return 1; } int b(const Bot *bot, int x) { return 1; }"
        )
    assert play(place) == set()
    pd.testing.assert_frame_equal(load(str(place.results)).games, before)
    (line,) = (line for line in load(str(place.results)).ranking.entrants if line.status == "broken")
    assert line.name.removeprefix("./") == file
    assert line.reason == f"{file} has the name of calm.c, which is in the records; rename one of them"


def test_a_part_that_rotted_without_a_trace_is_found_before_it_is_cut(place: ContestDir) -> None:
    victim = sorted((place.results / "games").iterdir())[0]
    before = victim.stat()
    content = bytearray(victim.read_bytes())
    content[len(content) // 2] ^= 4
    victim.write_bytes(content)
    os.utime(victim, ns=(before.st_atime_ns, before.st_mtime_ns))
    listener = Listener()
    place.write_bot("calm", bot_source(2, 1))
    place.play(listener=listener)
    assert f"Part {victim.stem} is damaged; its legs are played again" in listener.said
    assert_games_are_the_standings(place.results)
    assert_parts_are_in_order(place.results)
    assert len(load(str(place.results)).games["match"].unique()) == 6


def test_edits_leave_as_many_parts_as_there_were(place: ContestDir) -> None:
    """Legs of an edit join the smallest part, in the same step in which that is replaced."""
    for step, name in enumerate(("bold", "dull", "dull", "even"), 1):
        place.write_bot(name, bot_source(step, step))
        assert len(play(place)) == 3  # The edited bot has three legs.
        assert len(list((place.results / "games").iterdir())) <= 2


def test_another_version_of_this_contest_archives_its_records(
    place: ContestDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = pd.read_parquet(place.results / "games")
    object.__setattr__(VON_NEUMANN_POKER, "version", VON_NEUMANN_POKER.version + 1)
    try:
        listener = Listener()
        place.play(listener=listener)
    finally:
        object.__setattr__(VON_NEUMANN_POKER, "version", VON_NEUMANN_POKER.version - 1)
    now = f"{ENGINE_VERSION}.{VON_NEUMANN_POKER.version + 1}"
    assert any(
        f"games of version {VON_NEUMANN_POKER.engine_version} of {CONTEST}, this is {now}" in text
        for text in listener.said
    )
    (part, *_) = (place.results / "games").iterdir()
    metadata = pq.read_schema(part).metadata
    assert metadata == {
        b"tournament": importlib.metadata.version("tournament").encode(),
        b"contest": CONTEST.encode(),
        b"engine_version": now.encode(),
    }
    pd.testing.assert_frame_equal(pd.read_parquet(place.results.with_name(f"{CONTEST}-archive-1") / "games"), before)


def test_a_run_ranks_no_records_twice(place: ContestDir, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs rank at commits, and once at the end. Results are ranked on request."""
    ranked: list[int] = []
    rank = compute_standings

    def counted(field: ContestSetup, batches: Sequence[Batch], scoring: HouseScoring | None = None) -> Standings:
        ranked.append(sum(len(batch.legs) for batch in batches))
        return rank(field, batches, scoring)

    monkeypatch.setattr(results_module, "compute_standings", counted)
    place.write_bot("bold", bot_source(2, 1))
    place.play()
    legs = len(list(combinations(BOTS, 2)))
    assert ranked[-1] == legs and ranked.count(legs) == 1
    del ranked[:]
    place.play()
    assert ranked == [legs]
    found = load(str(place.results))
    assert ranked == [legs]
    assert found.ranking is found.ranking
    assert ranked == [legs, legs]
