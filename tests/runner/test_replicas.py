"""Runs with replicas: more of them play only what is new, fewer lose nothing, and records are as ever."""

from __future__ import annotations

import itertools
from pathlib import Path

import pandas as pd

from tests.contest_runs import CONTEST, ContestDir, Listener, assert_games_are_the_standings, bot_source, make_contest
from tournament.api import run
from tournament.records.results import load

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


def test_more_replicas_play_only_new_legs(tmp_path: Path) -> None:
    settings = "duplicate = true\nreplicas = 1"
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
    assert {match.sessions for match in ranked.matches} == {30 * 3 * 2}
    assert_games_are_the_standings(grown.results)
    # The first replica's rows are those of a run of one; all replicas have other cards.
    replica = records(grown).session // 30 // 2
    pd.testing.assert_frame_equal(records(grown)[replica == 0].reset_index(drop=True), one)
    cards = [set(records(grown).a_card[replica == number]) for number in range(3)]
    # A card has 24 bits, so two of thousands may be equal by chance.
    assert max(len(one & other) for one, other in itertools.combinations(cards, 2)) < min(map(len, cards)) / 100
    # Legs of a deal carry equal parts of the variance of their sum.
    each = load(str(grown.results)).legs.groupby(["match", "replica", "bot"], observed=True).variance
    variances = each.agg(["size", "nunique", "min"])
    assert (variances["size"] == 2).all() and (variances["nunique"] == 1).all() and (variances["min"] > 0).all()


def test_fewer_replicas_keep_records_and_limit_edited_bots(tmp_path: Path) -> None:
    place = make_contest(tmp_path, BOTS, 30, "replicas = 1")
    with_replicas(place, 3)
    all_of_them = records(place)
    assert with_replicas(place, 1) == 0
    pd.testing.assert_frame_equal(records(place), all_of_them)
    place.write_bot("dull", bot_source(6, 3))
    with_replicas(place, 1)
    ranked = load(str(place.results)).ranking
    assert {(match.x, match.y): match.legs for match in ranked.matches} == {
        ("bold", "calm"): 3,
        ("bold", "dull"): 1,
        ("calm", "dull"): 1,
    }
    assert with_replicas(place, 2) > 0
    assert {match.legs for match in load(str(place.results)).ranking.matches} == {2, 3}


def until_settled(place: ContestDir, most: int) -> Listener:
    text = place.config.read_text()
    keys = f"replicas = 1\nuntil_settled = 0.9\nmax_replicas = {most}\n"
    place.config.write_text(text[: text.index("replicas")] + keys)
    listener = Listener()
    run(CONTEST, config=place.config, workers=1, executor="local", listener=listener)
    return listener


def test_rounds_continue_until_order_is_settled(tmp_path: Path) -> None:
    """Use one bot that is far off, and two that are the same."""
    place = make_contest(tmp_path, ["bold"], 20, "replicas = 1")
    for name in ("calm", "gift", "twin"):
        calls = "bot->card > 0.9" if name == "calm" else "1"
        place.write_bot(
            name,
            f"int a(const Bot *bot) {{ return 50; }} // {name}\n"
            f"int b(const Bot *bot, const int bet) {{ return {calls}; }}\n",
        )
    said = until_settled(place, 10).said
    assert not any("nothing to play" in text for text in said)
    ranked = load(str(place.results)).ranking
    legs = {(match.x, match.y): match.legs for match in ranked.matches}
    assert len(set(legs.values())) == 1 and 4 <= min(legs.values()) <= 10
    rounds = [text for text in said if "neighbours" in text]
    assert len(rounds) >= 3 and rounds[-1].startswith(("0 of 3", "1 of 3", "2 of 3", "3 of 3"))
    again = until_settled(place, 10)
    assert again.games == 0 and any("nothing to play" in text for text in again.said)
