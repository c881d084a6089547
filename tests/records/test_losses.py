"""Losses: what others win in the same decision with the same hand, less what a bot wins with its answer."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tournament
from tests.commands import run_cli
from tests.contest_runs import ContestDir, make_contest, make_shipped_contest
from tournament.open_contest.author_page import AuthorPage, _Records
from tournament.records.losses import LOSSES, describe_loss, loss_rows
from tournament.records.results import Results
from tournament.reporting.findings import contest_of

# All bet alike; two answer bets as they should.
BETS = "int a(const Bot *bot) { return bot->card > 0.5 ? 50 : 0; }\n"
BOTS = {
    "calls": f"{BETS}int b(const Bot *bot, int bet) {{ return 1; }}\n",
    "never": f"{BETS}int b(const Bot *bot, int bet) {{ return 0; }}\n",
    "right": f"{BETS}int b(const Bot *bot, int bet) {{ return bot->card > 0.7; }}\n",
    "twin": f"{BETS}int b(const Bot *bot, int bet) {{ return bot->card > 0.7; }} // the same\n",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> ContestDir:
    place = make_contest(tmp_path_factory.mktemp("losses"), [], 200)
    for name, source in BOTS.items():
        place.write_bot(name, source)
    place.play()
    return place


@pytest.fixture(scope="module")
def results(place: ContestDir) -> Results:
    return tournament.load(place.results)


EDGES = (1, 6, 11, 16, 21, 31, 41, 50)
LABELS = ("1–5", "6–10", "11–15", "16–20", "21–30", "31–40", "41–49", "50")


def taken(results: Results, absent: str = "") -> list[tuple[str, str, str, str, str, float]]:
    """Return every decision of the games without a bot: decision, hand, answer, bot, opponent, and what it won."""
    found = []
    for game in pd.DataFrame(results.games).to_dict("records"):
        a, b = (0, 1) if game["seat_0_is_a"] else (1, 0)
        bots = game["bot_0"], game["bot_1"]
        if absent in bots:
            continue
        label = LABELS[sum(edge <= game["bet"] for edge in EDGES) - 1]
        steps = [("a", a, game["a_card"], f"bet ${label}" if game["bet"] else "pass", game["a_gain"])]
        if game["bet"]:
            steps.append((f"b, to ${label}", b, game["b_card"], ("call", "fold")[game["folded"]], -game["a_gain"]))
        for decision, seat, card, answer, gain in steps:
            tenth = min(9, int(np.float32(card) * 10))
            hand = f"{tenth / 10:g} to {(tenth + 1) / 10:g}"
            found.append((decision, hand, answer, bots[seat], bots[1 - seat], gain))
    return found


def in_a_loop(several: list[Results], bot: str, *, by_opponent: bool = False) -> pd.DataFrame:
    """Work out the losses in the first of several records, one game after the other."""
    own: dict[tuple[str, str, str], dict[str, list[float]]] = {}
    others: dict[tuple[str, str], dict[str, list[float]]] = {}
    every_one = [one for results in several for one in taken(results, "" if results is several[0] else bot)]
    for decision, hand, answer, who, against, gain in every_one:
        if who == bot:
            own.setdefault((decision, hand, answer), {}).setdefault(against, []).append(gain)
        elif against != bot:
            others.setdefault((decision, hand), {}).setdefault(against, []).append(gain)
    rows = []
    for (decision, hand, answer), mine in own.items():
        theirs = others.get((decision, hand), {})
        met = [name for name in mine if name in theirs]
        if not met:
            continue
        spread, field = (pd.Series([*itertools.chain(*side.values())]).var() for side in (mine, theirs))
        for group in [[name] for name in met] if by_opponent else [met]:
            games = sum(len(mine[name]) for name in group)
            if games < 10 or sum(len(theirs[name]) for name in group) < 10:
                continue
            won = sum(sum(mine[name]) for name in group)
            lost = sum(len(mine[name]) * np.mean(theirs[name]) - sum(mine[name]) for name in group)
            error = sum(len(mine[name]) * spread + len(mine[name]) ** 2 / len(theirs[name]) * field for name in group)
            opponent = group[0] if by_opponent else None
            row = decision, hand, answer, opponent, games, won / games, (won + lost) / games, lost, error**0.5
            rows.append(row)
    return pd.DataFrame(rows, columns=[*LOSSES])


def assert_same(found: pd.DataFrame, expected: pd.DataFrame) -> None:
    place = ["decision", "hand", "answer", "opponent"]
    one, other = (frame.sort_values(place, ignore_index=True) for frame in (found, expected))
    pd.testing.assert_frame_equal(one, other, check_dtype=False)


@pytest.mark.parametrize(("bot", "by_opponent"), [("right", False), ("calls", True)])
def test_losses_are_those_of_plain_loop(results: Results, bot: str, by_opponent: bool) -> None:
    found = results.losses(bot, by_opponent=by_opponent)
    assert found.lost.is_monotonic_decreasing and len(found) > 20
    assert_same(found, in_a_loop([results], bot, by_opponent=by_opponent))


def test_match_compares_with_recorded_bots(place: ContestDir, tmp_path: Path) -> None:
    """Don't count the records' own games of a bot of this name."""
    kept = str(tmp_path / "match")
    report = tournament.match(
        "von_neumann_poker", place.entrants / "calls.c", config=place.config, sessions=100, seed=3, results=kept
    )
    match, recorded = tournament.load(kept), tournament.load(place.results)
    expected = in_a_loop([match, recorded], "calls")
    assert_same(pd.DataFrame(loss_rows(match, "calls", field=recorded)), expected)
    sure = expected[expected.lost > 2 * expected.stderr].sort_values("lost", ascending=False)
    assert [loss["lost"] for loss in report.losses] == pytest.approx([*sure.lost[:3]]) and len(sure) > 3


def test_authors_see_no_decisions_while_they_are_hidden(results: Results) -> None:
    page, records = AuthorPage.__new__(AuthorPage), _Records(results=results, contest=contest_of(results))
    seen, hidden = (page._played(records, "calls", hidden=hidden)["decisions"] for hidden in (False, True))
    assert seen[0] == describe_loss(loss_rows(results, "calls")[0]) and hidden == []


@pytest.mark.statistical
def test_equal_bots_lose_nothing_to_each_other(tmp_path: Path) -> None:
    """Add up by decision and hand, because answers also follow from a bot's stack."""
    place = make_contest(tmp_path, [], 100)
    for name in ("one", "other", "third", "last"):
        place.write_bot(name, f"{BOTS['right']}// {name}\n")
    place.play()
    found = tournament.load(place.results).losses("one")
    totals = found.assign(squared=found.stderr**2).groupby(["decision", "hand"])[["lost", "squared"]].sum()
    assert len(totals) > 15 and (totals.lost.abs() <= 4 * np.sqrt(totals.squared)).all(), totals


def test_command_shows_losses(place: ContestDir, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place.folder)
    played = run_cli("match", "calls", "right", "--sessions", "100", "--seed", "3").out
    assert "loses most  b, to $50 with" in played and ", call: -" in played
    shown = run_cli("losses", "calls")
    assert shown.code == 0 and "b, to $50" in shown.out and "more: --most" in shown.out
    printed = json.loads(run_cli("losses", "von_neumann_poker", "calls", "--json").out)
    assert printed[0]["answer"] == "call" and printed[0]["opponent"] is None


@pytest.mark.parametrize(
    ("contest", "bots", "settings"),
    [("two_card_draw", "check_caller.c random_legal.c", "servers = 1"), ("holdem_training", "always_*.cpp", "")],
)
def test_house_contests_have_losses(contest: str, bots: str, settings: str, tmp_path: Path) -> None:
    config = make_shipped_contest(tmp_path, contest, bots, f"sessions = 1\nhands = 2000\nseed = 1\n{settings}")
    played = tournament.run(contest, config=config)
    found = played.losses(played.entrants.name[0])
    assert 1 < found.decision.nunique() <= 4
    mine = found.groupby("decision").games.sum()
    assert mine.max() <= len(played.games) / 2
