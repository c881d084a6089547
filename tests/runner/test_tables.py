"""Tournaments of four seats, from bots to the report: every combination of bots, drawn tables, and one match of all."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, Literal

import pytest

import tournament
from tests.contest_runs import assert_same, in_order, read_outcome
from tournament.errors import InputError
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


def run(
    folder: Path, results: str = "results", workers: int = 1, executor: Literal["local", "ray"] = "local"
) -> Results:
    return tournament.run(
        "auction", config=folder / "tournament.toml", results=folder / results, workers=workers, executor=executor
    )


@pytest.mark.parametrize(
    ("seats", "settings", "matches"),
    [
        ("4", {"replicas": 2}, 15),
        ("4", {"tables": 3}, None),
        ("'all'", {"replicas": 2}, 1),
        ("3", {"duplicate": True}, 20),
    ],
)
def test_tables_are_recorded_ranked_and_played_again(
    tmp_path: Path, seats: str, settings: dict[str, Any], matches: int | None
) -> None:
    folder = contest(tmp_path, seats, **settings)
    found = run(folder)
    run(folder, "again", workers=2)
    assert_same(*(in_order(read_outcome(folder / results / "auction")) for results in ("results", "again")))
    rows, width = found.matches, {"'all'": 6}.get(seats) or int(seats)
    assert len(rows) == width * len(rows.groupby(["match", "replica"]))
    assert matches is None or rows.match.nunique() == matches
    means = rows.groupby("bot").points.sum() / rows.groupby("bot").sessions.sum()
    assert found.standings.set_index("name").score.sort_index().to_dict() == pytest.approx(means.to_dict())
    by_bot = found.games.by_bot()
    assert by_bot.groupby("bot", observed=True).points.sum().to_dict() == rows.groupby("bot").points.sum().to_dict()
    assert Counter(by_bot.seat) == dict.fromkeys(range(width), len(found.games))
    options: dict[str, Any] = {"config": folder / "tournament.toml", "results": folder / "results"}
    assert not tournament.verify("auction", replay=3, **options).problems
    number = int(rows.match.iloc[0])
    assert tournament.replay("auction", match=number, session=0, **options).mismatch == ""
    assert "bot_0" in tournament.report("auction", folder / "page.html", **options).read_text()
    assert set(found.crosstable) >= {"bot", "opponent", "points_per_session"}


@pytest.mark.parametrize("settings", [{"tables": 3}, {"duplicate": True}], ids=str)
def test_default_answers_of_disqualified_bots_count_at_every_later_table(
    tmp_path: Path, settings: dict[str, Any]
) -> None:
    """Nothing is dropped or redrawn, whatever plays it: the others have as many tables as without faults."""
    folder = contest(tmp_path, replicas=2, max_faults=0, **settings)
    (folder / "bots" / "bot_0.c").write_text("int bid(const View *view) { __builtin_trap(); }\n")
    late = "def bid(view):\n    return 5 if view.prize < 9 else 1 // 0\n"
    (folder / "bots" / "bot_2.py").write_text(late)
    found = run(folder)
    status = found.standings.set_index("name").status.to_dict()
    out = {"bot_0", "bot_2"}
    assert status == {f"bot_{number}": "ok" if f"bot_{number}" not in out else "disqualified" for number in range(6)}
    both = run(folder, "by two workers", workers=2)
    one, other = (in_order(read_outcome(folder / name / "auction")) for name in ("results", "by two workers"))
    assert_same(one, other)
    for name in out:  # one fault each, in the first leg of theirs; 0 is the default answer, before and after it
        assert (
            sum(fault.seat in leg.disqualified_seats for leg, fault in found.ranking.faults if name in leg.seats) >= 1
        )
    assert len(found.ranking.faults) == len(both.ranking.faults) == 2
    rows = found.games.by_bot()
    assert (rows[rows.bot == "bot_0"].bid == 0).all()
    tables = found.sessions.by_bot().groupby("bot", observed=True).size()
    if "tables" not in settings:
        assert set(tables) == {10 * 2 * 8 * (4 if "duplicate" in settings else 1)}
    options: dict[str, Any] = {"config": folder / "tournament.toml", "results": folder / "results"}
    assert not tournament.verify("auction", replay="all", **options).problems


@pytest.mark.parametrize("bots", [3, 4])
def test_one_table_of_everybody_goes_on_after_disqualifications(tmp_path: Path, bots: int) -> None:
    folder = contest(tmp_path, "'all'", bots=bots, replicas=3, max_faults=0)
    for number in range(bots - 1):  # all but one
        path = folder / "bots" / f"bot_{number}.{'py' if number % 3 == 2 else 'c'}"
        fault = (
            "def bid(view):\n    return 1 // 0\n"
            if path.suffix == ".py"
            else "int bid(const View *view) { abort(); }\n"
        )
        path.write_text(fault)
    found = run(folder, workers=2)
    assert len(found.games) == 3 * 8
    assert found.standings.set_index("name").status.value_counts().to_dict() == {"disqualified": bots - 1, "ok": 1}


def test_match_of_fewer_bots_than_seats_is_one_line(tmp_path: Path) -> None:
    folder = contest(tmp_path)
    few = [folder / "bots" / "bot_0.c", folder / "bots" / "bot_2.py"]
    with pytest.raises(InputError, match=r"^a match needs 4 bots, one for each seat, that can play; there are 2$"):
        tournament.match("auction", few[0], few[1], config=folder / "tournament.toml")


@pytest.mark.parametrize("gone", [(0, 1), (0, 2), (1, 3)])
def test_one_table_of_the_last_two_bots_is_played_and_read_again(tmp_path: Path, gone: tuple[int, ...]) -> None:
    folder = contest(tmp_path, "'all'", bots=4, replicas=2)
    run(folder)
    for number in gone:
        (folder / "bots" / f"bot_{number}.{'py' if number % 3 == 2 else 'c'}").unlink()
    assert run(folder).entrants.status.tolist() == ["ok"] * 2
    place = folder / "results" / "auction"
    assert not tournament.verify("auction", config=folder / "tournament.toml", results=folder / "results").problems
    for number in gone:
        write_bot(folder, number, number)
    run(folder)
    assert len(tournament.load(place).matches) == 4
