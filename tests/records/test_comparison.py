"""Two runs beside each other: what differs, whether luck explains it, and what identifies a run."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tournament
from tests.commands import run_cli
from tests.contest_runs import SEEDS, ContestDir, bot_source, make_contest
from tournament.records.citation import results_digest
from tournament.records.comparison import Comparison, _shared_legs
from tournament.store.legs import Legs

BOTS = ["bold", "calm", "dull", "even"]


def played(folder: Path, bots: list[str] = BOTS, seed: str | None = None, sessions: int = 300) -> ContestDir:
    place = make_contest(folder, bots, sessions)
    if seed is not None:
        place.config.write_text(place.config.read_text().replace(SEEDS[7], seed))
    place.play()
    return place


def compared(one: ContestDir, other: ContestDir) -> Comparison:
    return tournament.compare(one.results, other.results)


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> ContestDir:
    return played(tmp_path_factory.mktemp("first"))


def test_same_games_in_another_order_are_same_results(first: ContestDir, tmp_path: Path) -> None:
    grown = make_contest(tmp_path, ["even", "dull"], 300)  # Bots and matches get other numbers.
    grown.play()
    for name in ("calm", "bold"):
        grown.write_bot(name, (first.entrants / f"{name}.c").read_text())
    grown.play(workers=2)
    found = compared(first, grown)
    assert found.is_same and not found.settings
    assert found.shared_legs == 6 and not found.unlike_legs
    assert len(found.pairs) == 6 and (found.pairs.bot < found.pairs.opponent).all()
    cited = [tournament.cite(place.results) for place in (first, grown)]
    assert cited[0] == cited[1]
    ended = run_cli("compare", str(first.results), str(grown.results), "--assert-same")
    assert (ended.code, ended.out) == (0, f"same results: 4 bots, {found.shared_legs} legs\n")


def test_changed_bot_differs_beyond_luck(first: ContestDir, tmp_path: Path) -> None:
    other = make_contest(tmp_path, BOTS, 300)
    other.write_bot("bold", bot_source(0, 9))
    other.play()
    found = compared(first, other)
    scores = found.scores.set_index("bot")
    assert scores.version.to_dict() == {"bold": "changed", "calm": "same", "dull": "same", "even": "same"}
    assert scores.differs["bold"]
    without = found.pairs[(found.pairs.bot != "bold") & (found.pairs.opponent != "bold")]
    assert len(without) == 3 and (without.difference == 0).all() and not without.differs.any()
    shown = run_cli("compare", str(first.results), str(other.results), "--assert-same")
    assert shown.code == 1
    assert shown.out.startswith("changed: bold\n") and "scores are of unlike fields" in shown.out
    values = json.loads(run_cli("compare", str(first.results), str(other.results), "--json").out)
    assert [row["bot"] for row in values["scores"] if row["version"] == "changed"] == ["bold"]


def test_other_settings_and_bots_are_named(first: ContestDir, tmp_path: Path) -> None:
    other = played(tmp_path, ["bold", "calm", "fair"], SEEDS[8], 40)
    found = compared(first, other)
    assert [name for name, *_ in found.settings] == ["seed", "sessions"]
    assert found.settings[1] == ("sessions", 300, 40)
    versions = found.scores.set_index("bot").version
    assert (versions["dull"], versions["fair"]) == ("first only", "second only")
    assert found.scores.set_index("bot").difference.isna().sum() == 3
    assert found.shared_legs == 0
    text = run_cli("compare", str(first.results), str(other.results)).out
    assert "setting seed: another one\nsetting sessions: 300 → 40\n" in text
    assert SEEDS[8] not in text


def test_error_of_difference_is_that_of_independent_runs(
    first: ContestDir, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = played(tmp_path, seed=SEEDS[8])
    monkeypatch.setattr("tournament.records.comparison._ranks", lambda ranking: set())
    assert not compared(first, other).is_same  # whatever the places, the points differ
    sides = [{(one.x, one.y): one for one in tournament.load(place.results).ranking.sides} for place in (first, other)]
    row: Any
    for row in compared(first, other).pairs.itertuples():
        one, two = (of_run[row.bot, row.opponent] for of_run in sides)
        assert row.difference == two.points_per_session - one.points_per_session
        errors = (one.stderr_per_session, two.stderr_per_session)
        assert row.stderr == pytest.approx(math.hypot(*(error or 0.0 for error in errors)), rel=1e-12)
        assert 1.95 < row.ci_half_width / row.stderr < 2.05  # Student's t of about 600 degrees


def test_citation_shows_the_seed_only_when_asked(first: ContestDir) -> None:
    words = ("cite", "--results", str(first.results))
    text, entry, with_seed = (run_cli(*words, *more).out for more in ((), ("--bibtex",), ("--show-seed",)))
    assert SEEDS[7] not in text + entry and SEEDS[7] in with_seed
    values = json.loads(run_cli(*words, "--json").out)
    assert values["seed"] is None and set(values["bots"]) == set(BOTS)
    assert values["records_sha256"] in text
    assert entry.startswith(f"@misc{{von_neumann_poker_{values['records_sha256'][:8]},\n")
    assert entry.count("{") == entry.count("}") and "_" not in entry.split("\n", 1)[1].replace("\\_", "")


def test_changed_sums_change_digest_and_are_counted(first: ContestDir) -> None:
    legs = Legs.joined(batch.legs for batch in tournament.load(first.results).batches)
    sums = legs.sums.copy(order="F")
    sums[-1, -1, -1] += 1
    assert _shared_legs(legs, replace(legs, sums=sums)) == (len(legs), 1)
    counts = legs.counts.copy(order="F")
    counts[0, 3] += 1
    digests = {results_digest(one) for one in (legs, replace(legs, sums=sums), replace(legs, counts=counts))}
    assert len(digests) == 3
    assert results_digest(legs.take(range(len(legs))[::-1])) == results_digest(legs)
