"""Runs with replicas: more of them play only what is new, fewer lose nothing, and records are as ever."""

from __future__ import annotations

import itertools
from pathlib import Path

import pandas as pd
import pytest

from tests.built_in import VON_NEUMANN_POKER
from tests.contest_runs import CONTEST, ContestDir, Listener, assert_games_are_the_standings, bot_source, make_contest
from tournament.api import report, run, verify
from tournament.cli.tables import leaderboard_table
from tournament.config import load_config
from tournament.records.results import load
from tournament.runner.contest_run import run_contest
from tournament.standings.caveats import reader_notes

BOTS = ["bold", "calm", "dull"]


def with_replicas(place: ContestDir, replicas: int) -> int:
    """Run with this many replicas, and return the games played."""
    text = place.config.read_text()
    place.config.write_text(text[: text.index("replicas")] + f"replicas = {replicas}\n")
    listener = Listener()
    run(CONTEST, config=place.config, workers=1, executor="local", listener=listener)
    return listener.games


def records(place: ContestDir) -> pd.DataFrame:
    games = pd.read_parquet(place.results / "games")
    return games.sort_values(["match", "session", "game"], ignore_index=True)


@pytest.mark.parametrize("duplicate", ["false", "true"])
def test_more_replicas_play_only_what_is_new(tmp_path: Path, duplicate: str) -> None:
    settings = f"duplicate = {duplicate}\nreplicas = 1"
    grown = make_contest(tmp_path / "grown", BOTS, 30, settings)
    first = with_replicas(grown, 1)
    before = {path.name: path.read_bytes() for path in (grown.results / "games").iterdir()}
    one = records(grown)
    assert len(one) == first
    more = with_replicas(grown, 3)
    after = {path.name: path.read_bytes() for path in (grown.results / "games").iterdir()}
    assert before.items() <= after.items(), "a part was rewritten"
    at_once = make_contest(tmp_path / "at_once", BOTS, 30, settings)
    assert with_replicas(at_once, 3) == first + more
    pd.testing.assert_frame_equal(records(grown), records(at_once))
    ranked = load(str(grown.results)).ranking
    assert ranked == load(str(at_once.results)).ranking
    sessions = 30 * 3 * (2 if duplicate == "true" else 1)
    assert {match.sessions for match in ranked.matches} == {sessions}
    assert_games_are_the_standings(grown.results)
    # The first replica's rows are those of a run of one; all replicas have other cards.
    legs = records(grown).session // 30
    replica = legs // (2 if duplicate == "true" else 1)
    pd.testing.assert_frame_equal(records(grown)[replica == 0].reset_index(drop=True), one)
    cards = [set(records(grown).a_card[replica == number]) for number in range(3)]
    # A card has 24 bits, so two of thousands may be equal by chance.
    assert max(len(one & other) for one, other in itertools.combinations(cards, 2)) < min(map(len, cards)) / 100


def test_legs_of_a_deal_carry_equal_parts_of_the_variance_of_their_sum(tmp_path: Path) -> None:
    place = make_contest(tmp_path, BOTS, 30, "duplicate = true\nreplicas = 2")
    place.play()
    legs = load(str(place.results)).legs
    variances = legs.groupby(["match", "replica", "bot"], observed=True).variance.agg(["size", "nunique", "min"])
    assert (variances["size"] == 2).all() and (variances["nunique"] == 1).all() and (variances["min"] > 0).all()


def test_fewer_lose_nothing_and_an_edited_bot_plays_as_many_as_are_wanted(tmp_path: Path) -> None:
    place = make_contest(tmp_path, BOTS, 30, "replicas = 1")
    with_replicas(place, 3)
    all_of_them = records(place)
    assert with_replicas(place, 1) == 0
    pd.testing.assert_frame_equal(records(place), all_of_them)
    checked = verify(CONTEST, config=place.config, replay=9)
    assert checked.problems == ()
    place.write_bot("dull", bot_source(6, 3))
    with_replicas(place, 1)
    ranked = load(str(place.results)).ranking
    assert {(match.x, match.y): match.legs for match in ranked.matches} == {
        ("bold", "calm"): 3,
        ("bold", "dull"): 1,
        ("calm", "dull"): 1,
    }
    assert_games_are_the_standings(place.results)
    assert with_replicas(place, 2) > 0
    assert {match.legs for match in load(str(place.results)).ranking.matches} == {2, 3}
    assert verify(CONTEST, config=place.config).problems == ()


def until_settled(place: ContestDir, most: int) -> Listener:
    """Run until settled."""
    text = place.config.read_text()
    keys = f"replicas = 1\nuntil_settled = 0.9\nmax_replicas = {most}\n"
    place.config.write_text(text[: text.index("replicas")] + keys)
    listener = Listener()
    run(CONTEST, config=place.config, workers=1, executor="local", listener=listener)
    return listener


def place_of_neighbours(folder: Path) -> ContestDir:
    """Bots of which some are far off, and two are the same."""
    place = make_contest(folder, ["bold"], 20, "replicas = 1")
    for name in ("calm", "gift", "twin"):
        calls = "bot->card > 0.9" if name == "calm" else "1"
        place.write_bot(
            name,
            f"int a(const Bot *bot) {{ return 50; }} // {name}\n"
            f"int b(const Bot *bot, const int bet) {{ return {calls}; }}\n",
        )
    return place


def test_run_and_records_give_the_same_verdict(tmp_path: Path) -> None:
    """Wherever it is read: what the run said, what it returned, what is loaded, printed and shown."""
    place = place_of_neighbours(tmp_path)
    text = place.config.read_text().replace("replicas = 1", "until_settled = 0.9\nmax_replicas = 7")
    place.config.write_text(text)
    listener = Listener()
    returned = run_contest(VON_NEUMANN_POKER, load_config(CONTEST, place.config, workers=1, executor="local"), listener)
    said = next(text for text in reversed(listener.said) if "neighbours" in text)
    loaded = load(str(place.results))
    assert loaded.ranking == returned
    orders = [line.order_status for line in loaded.ranking.entrants]
    unsettled = len(orders) - 1 - orders.count("settled")
    assert orders[-1] is None and 0 < unsettled < 3
    assert said.startswith(f"{orders.count('settled')} of 3 neighbours are settled")
    assert any(note.startswith("settled pairs seem further apart") for note in reader_notes(loaded.ranking))
    assert loaded.standings["order_status"].tolist()[:-1] == orders[:-1]
    assert "order" in [column.title for column in leaderboard_table(loaded.ranking, "").columns]
    report(CONTEST, place.folder / "report.html", config=place.config)
    page = (place.folder / "report.html").read_text()
    assert page.count("not clearly ahead of the next") == unsettled
    assert all(f">{line.rank_range}</td>" in page for line in loaded.ranking.entrants)
    for line, behind in itertools.pairwise(loaded.ranking.entrants):
        assert line.rank_high is not None and behind.rank_low is not None
        assert (line.order_status == "settled") == (line.rank_high < behind.rank_low)
    place.config.write_text(text.replace("until_settled = 0.9\nmax_replicas = 7", "replicas = 1"))
    with_replicas(place, 1)  # All is played.
    assert load(str(place.results)).ranking.until is None


def test_rounds_go_on_until_the_order_is_settled_and_again_come_by_the_same(tmp_path: Path) -> None:
    place = place_of_neighbours(tmp_path / "at_once")
    said = until_settled(place, 10).said
    assert not any("nothing to play" in text for text in said)
    ranked = load(str(place.results)).ranking
    legs = {(match.x, match.y): match.legs for match in ranked.matches}
    assert len(set(legs.values())) == 1 and 4 <= min(legs.values()) <= 10
    rounds = [text for text in said if "neighbours" in text]
    assert len(rounds) >= 3 and rounds[-1].startswith(("0 of 3", "1 of 3", "2 of 3", "3 of 3"))
    again = until_settled(place, 10)
    assert again.games == 0 and any("nothing to play" in text for text in again.said)
    stepped = place_of_neighbours(tmp_path / "stepped")
    with_replicas(stepped, 5)  # a run of another kind comes first
    stepped.config.write_text(stepped.config.read_text().replace("replicas = 5", "replicas = 1"))
    until_settled(stepped, 10)
    assert records(stepped).merge(records(place), how="right", indicator=True)["_merge"].eq("both").all()
