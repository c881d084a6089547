"""Totals of authors: sums of scores, with the errors that follow from what their bots share."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import tournament
from tests.commands import run_cli
from tournament.errors import InputError
from tournament.standings.authors import authors_by_bot

RULES = """\
from tournament.rules import Decision, Int, Rules

PICK = Decision("pick", "Pick a number", observation={}, answer=Int(0, 99))


class High(Rules):
    name = "high"
    seats = SEATS
    zero_sum = False
    decisions = (PICK,)

    def play(self, session):
        picks = yield [PICK(seat) for seat in range(session.seats)]
        least, drawn = min(picks.values()), session.rng.randrange(session.seats)
        session.record([picks[seat] - least + (5 if seat == drawn else 0) for seat in range(session.seats)])
"""
BOT = "int pick(const View *view) {{ return {low} + rand() % 20; }}\n"
AUTHORS = {"ann": ["ann_*"], "bob": ["bob_1", "bob_2"], "cyd": ["c"]}


def contest(folder: Path, seats: int, lows: dict[str, int], bot: str = BOT, **more: object) -> Path:
    (folder / "bots").mkdir(parents=True)
    for name, low in lows.items():
        (folder / "bots" / f"{name}.c").write_text(bot.format(low=low))
    (folder / "high.py").write_text(RULES.replace("SEATS", str(seats)))
    keys = {"rules": "high.py", "entrants": "bots", "sessions": 4, "replicas": 8, "seed": 1, **more}
    lines = [f"{key} = {json.dumps(value)}".replace('": [', '" = [') for key, value in keys.items()]
    (folder / "tournament.toml").write_text("\n".join(["[high]", *lines, ""]))
    return folder / "tournament.toml"


@pytest.mark.parametrize("seats", [2, 3])
def test_total_of_author_has_error_of_shared_points(seats: int, tmp_path: Path) -> None:
    lows = {"ann_1": 0, "ann_2": 30, "bob_1": 20, "bob_2": 25, "c": 10, "left": 3}
    found = tournament.run("high", config=contest(tmp_path, seats, lows))
    table = found.by_author(AUTHORS).set_index("author")
    scores = {line.name: line.score for line in found.ranking.ranked}
    each = {line.name: line.matches for line in found.ranking.ranked}
    by_bot = pd.concat([
        found.sessions[["match", "replica"]].assign(
            bot=found.sessions[f"bot_{seat}"].astype(str), points=found.sessions[f"points_{seat}"]
        ) for seat in range(seats)
    ])  # fmt: skip
    for author, bots in {"ann": ["ann_1", "ann_2"], "bob": ["bob_1", "bob_2"], "cyd": ["c"]}.items():
        line = table.loc[author]
        assert line.total == pytest.approx(sum(scores[bot] for bot in bots))
        assert sorted(line.bots) == bots
        own = by_bot[by_bot.bot.isin(bots)]
        # A score of two seats is a sum over matches; of more it is a mean per session.
        worth = own.points / (1 if seats == 2 else 4 * own.bot.map(each))
        by_replica = worth.groupby([own.match, own.replica]).sum().unstack()
        assert line.stderr == pytest.approx(np.sqrt((by_replica.var(axis=1) / by_replica.shape[1]).sum()))
    assert table.total.is_monotonic_decreasing and table["rank"].tolist() == [1, 2, 3]


def test_authors_of_equal_bots_share_a_place(tmp_path: Path) -> None:
    lows = {"ann_1": 40, "ann_2": 10, "bob_1": 40, "bob_2": 10, "c": 90, "d": 2}
    config = contest(tmp_path, 2, lows, "int pick(const View *view) {{ return {low}; }}\n", authors=AUTHORS)
    found = tournament.run("high", config=config, replicas=30)
    table = found.by_author(AUTHORS).set_index("author")
    assert (table.rank_low["ann"], table.rank_high["ann"]) == (table.rank_low["bob"], table.rank_high["bob"])
    shown = run_cli("leaderboard", "high", "--config", str(config), "--by", "author")
    assert "1 bot without an author left out" in shown.out and "c" in shown.out
    rows = json.loads(run_cli("leaderboard", "high", "--config", str(config), "--by", "author", "--json").out)
    assert [row["author"] for row in rows] == table.index.tolist()
    plain = json.loads(run_cli("leaderboard", "high", "--config", str(config), "--json").out)
    assert {row["name"]: row["author"] for row in plain}["bob_2"] == "bob"
    # Whose a bot is changes no game.
    (tmp_path / "tournament.toml").write_text((tmp_path / "tournament.toml").read_text().replace("bob_2", "d"))
    assert tournament.run("high", config=config, replicas=30).ranking == found.ranking


def test_one_replica_gives_no_places_of_authors(tmp_path: Path) -> None:
    lows = {"ann_1": 0, "bob_1": 20, "c": 10}
    table = tournament.run("high", config=contest(tmp_path, 2, lows, replicas=1)).by_author(AUTHORS)
    assert table.rank_low.isna().all()
    shown = run_cli("leaderboard", "high", "--config", str(tmp_path / "tournament.toml"), "--by", "author")
    assert shown.code == 2 and "set authors = " in shown.err


def test_bot_of_two_authors_is_refused() -> None:
    with pytest.raises(InputError, match="authors: ann_1 is a bot of ann and of all; name it once"):
        authors_by_bot({"ann": ["ann_*"], "all": ["*"]}, ["ann_1"])
