"""Tournaments of four seats, from bots to the report: every combination of bots, drawn tables, and one match of all."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import tournament
from tournament.records.results import Results

RULES = """\
from tournament.rules import Column, Decision, Int, Questions, Rules, Session

BID = Decision("bid", "Bid for a prize", observation={"prize": Int(1, 9, "the prize")}, answer=Int(0, 9, "your bid"))


class Auction(Rules):
    name = "auction"
    seats = SEATS
    decisions = (BID,)
    columns = (Column("bid", "uint8", "the bid", per_seat=True),)

    def play(self, session: Session) -> Questions:
        prize = session.rng.randint(1, 9)
        bids = [0] * session.seats
        for seat in range(session.seats):
            bids[seat] = yield BID(seat, prize=prize)
        best = bids.index(max(bids))
        points = [-1.0] * session.seats
        points[best] = session.seats - 1.0
        session.record(points, bid=bids)
"""


def contest(folder: Path, seats: str = "4", bots: int = 6, **settings: Any) -> Path:
    (folder / "bots").mkdir(parents=True)
    (folder / "auction.py").write_text(RULES.replace("SEATS", seats))
    for number in range(bots):
        write_bot(folder, number, number)
    keys = {"rules": "auction.py", "entrants": "bots", "sessions": 8, "seed": 1, **settings}
    lines = [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    (folder / "tournament.toml").write_text("\n".join(["[auction]", *lines]))
    return folder


def write_bot(folder: Path, number: int, bid: int) -> None:
    if number % 3 == 2:
        source = f"def bid(view):\n    return (view.prize + {bid}) % 10\n"
        (folder / "bots" / f"bot_{number}.py").write_text(source)
    else:
        source = f"int bid(const View *view) {{ return (view->prize + {bid}) % 10; }}\n"
        (folder / "bots" / f"bot_{number}.c").write_text(source)


def run(folder: Path, workers: int = 1) -> Results:
    return tournament.run("auction", config=folder / "tournament.toml", workers=workers, executor="local")


@pytest.mark.parametrize(("seats", "settings", "matches"), [("4", {"tables": 3}, None), ("'all'", {"replicas": 2}, 1)])
def test_tables_are_recorded_ranked_and_replayed(
    tmp_path: Path, seats: str, settings: dict[str, Any], matches: int | None
) -> None:
    folder = contest(tmp_path, seats, **settings)
    found = run(folder)
    rows, width = found.matches, {"'all'": 6}.get(seats) or int(seats)
    assert len(rows) == width * len(rows.groupby(["match", "replica"]))
    assert matches is None or rows.match.nunique() == matches
    means = rows.groupby("bot").points.sum() / rows.groupby("bot").sessions.sum()
    assert found.standings.set_index("name").score.sort_index().to_dict() == pytest.approx(means.to_dict())
    by_bot = found.games.by_bot()
    assert by_bot.groupby("bot", observed=True).points.sum().to_dict() == rows.groupby("bot").points.sum().to_dict()
    assert Counter(by_bot.seat) == dict.fromkeys(range(width), len(found.games))
    options: dict[str, Any] = {"config": folder / "tournament.toml"}
    assert not tournament.verify("auction", replay=3, **options).problems
    number = int(rows.match.iloc[0])
    assert tournament.replay("auction", match=number, session=0, **options).mismatch == ""
    assert "bot_0" in tournament.report("auction", folder / "page.html", **options).read_text()
    assert set(found.crosstable) >= {"bot", "opponent", "points_per_session"}


def test_disqualified_bots_give_default_answers_at_every_later_table(tmp_path: Path) -> None:
    """Nothing is dropped or redrawn: the others have as many tables as without faults."""
    folder = contest(tmp_path, replicas=2, max_faults=0, duplicate=True)
    (folder / "bots" / "bot_0.c").write_text("int bid(const View *view) { __builtin_trap(); }\n")
    late = "def bid(view):\n    return 5 if view.prize < 9 else 1 // 0\n"
    (folder / "bots" / "bot_2.py").write_text(late)
    found = run(folder)
    status = found.standings.set_index("name").status.to_dict()
    out = {"bot_0", "bot_2"}
    assert status == {f"bot_{number}": "ok" if f"bot_{number}" not in out else "disqualified" for number in range(6)}
    assert len(found.ranking.faults) == 2  # one each, in the first leg of theirs
    rows = found.games.by_bot()
    assert (rows[rows.bot == "bot_0"].bid == 0).all()  # the default answer, before and after the fault
    tables = found.sessions.by_bot().groupby("bot", observed=True).size()
    assert set(tables) == {10 * 2 * 8 * 4}
    assert not tournament.verify("auction", replay="all", config=folder / "tournament.toml").problems


def test_table_of_all_shrinks_to_two_bots_and_grows(tmp_path: Path) -> None:
    folder = contest(tmp_path, "'all'", bots=4, replicas=2)
    run(folder)
    for name in ("bot_0.c", "bot_2.py"):
        (folder / "bots" / name).unlink()
    assert run(folder).entrants.status.tolist() == ["ok"] * 2
    assert not tournament.verify("auction", config=folder / "tournament.toml").problems
    for number in (0, 2):
        write_bot(folder, number, number)
    assert len(run(folder).matches) == 4
