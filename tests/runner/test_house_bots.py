"""House bots: the host's own at tables of any size, which take seats, rotate as others do, and aren't ranked."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tournament
from tests.contest_runs import read_outcome
from tournament.errors import InputError

RULES = """\
from tournament.rules import Column, Decision, Int, Questions, Rules, Session

PICK = Decision("pick", "Pick a number", observation={"draw": Int(0, 9)}, answer=Int(0, 9))


class High(Rules):
    name = "high"
    seats = SEATS
    zero_sum = False
    decisions = (PICK,)
    columns = (Column("houses", "int64", "positions of the house, as bits"),)

    def play(self, session: Session) -> Questions:
        picks = yield [PICK(position, draw=session.rng.randrange(10)) for position in range(session.seats)]
        points = [0.0] * session.seats
        for one in range(session.seats):
            for other in range(session.seats):
                if picks[one] > picks[other]:
                    points[one] += 10 if other in session.house else 1
        session.record(points, houses=sum(1 << position for position in session.house))
"""
PICKS = {"a1": 1, "m3": 3, "q5": 5, "z7": 7}


def contest(
    folder: Path, seats: str = "3", house: dict[str, int] | None = None, entrants: dict[str, int] = PICKS, **more: Any
) -> Path:
    """Return the settings file of a contest in which each bot always picks the same number."""
    house = {"b4": 4, "n2": 2} if house is None else house
    for place, bots in (("bots", entrants), ("house/high", house)):
        (folder / place).mkdir(parents=True, exist_ok=True)
        for name, pick in bots.items():
            write_bot(folder / place, name, pick)
    (folder / "high.py").write_text(RULES.replace("SEATS", seats))
    keys = {"rules": "high.py", "entrants": "bots", "sessions": 12, "replicas": 2, "seed": 1, "house_seats": 1, **more}
    lines = [f"{key} = {json.dumps(value)}" for key, value in keys.items()]
    (folder / "tournament.toml").write_text("\n".join(["[high]", *lines, ""]))
    return folder / "tournament.toml"


def write_bot(folder: Path, name: str, pick: int) -> None:
    if pick % 2:
        (folder / f"{name}.c").write_text(f"int pick(const View *view) {{ return {pick}; }}\n")
    else:
        (folder / f"{name}.py").write_text(f"def pick(view):\n    return {pick}\n")


def bits_of(names: Any) -> int:
    return sum(1 << position for position, name in enumerate(names) if name in ("b4", "n2"))


@pytest.mark.parametrize(("seats", "taken", "tables"), [(2, 1, 8), (3, 1, 12), (4, 2, 6)])
def test_entrants_meet_every_combination_of_house_bots(seats: int, taken: int, tables: int, tmp_path: Path) -> None:
    config = contest(tmp_path, str(seats), house_seats=taken)
    found = tournament.run("high", config=config)
    games = found.games
    at = games[[f"bot_{position}" for position in range(seats)]].astype(str)
    assert games.match.nunique() == tables == math.comb(4, seats - taken) * math.comb(2, taken)
    assert (at.isin(["b4", "n2"]).sum(axis=1) == taken).all()
    assert games.houses.tolist() == [bits_of(row) for row in at.itertuples(index=False)]
    assert {len(set(row)) for row in at.itertuples(index=False)} == {seats}
    # Everybody has each position equally often.
    for _, match in at.groupby(games.match):
        counts = [sorted(Counter(column).values()) for _, column in match.items()]
        assert counts == [[24 // seats] * seats] * seats
    lines = {line.name: line for line in found.ranking.entrants}
    ranked = [line.name for line in found.ranking.ranked]  # q5 and z7 are equal where the house alone is met
    assert sorted(ranked[:2]) == ["q5", "z7"] and ranked[2:] == ["m3", "a1"]
    assert {name for name, line in lines.items() if line.status == "house"} == {"b4", "n2"}
    assert lines["b4"].rank is None and lines["b4"].rank_range == "—" and lines["b4"].matches > 0
    points = pd.concat([
        pd.DataFrame({"bot": at[f"bot_{position}"], "points": games[f"points_{position}"]}) for position in range(seats)
    ]).groupby("bot").points  # fmt: skip
    for name, line in lines.items():
        # A score of two seats is the sum over a replica.
        worth = points.mean() if seats > 2 else points.sum() / 2
        assert line.score == pytest.approx(worth[name])
    assert tournament.verify("high", config=config, replay="all").problems == ()


def test_unranked_baseline_plays_as_any_entrant(tmp_path: Path) -> None:
    """Bots of the host differ from entrants by their rank alone."""
    own = contest(tmp_path / "own", house={"b4": 4}, house_seats=0)
    plain = contest(tmp_path / "plain", house={}, entrants={**PICKS, "b4": 4}, house_seats=0)
    tournament.run("high", config=own)
    tournament.run("high", config=plain)
    outcomes = [read_outcome(tmp_path / name / "results" / "high") for name in ("own", "plain")]
    assert outcomes[0].games.equals(outcomes[1].games)
    ranked = [tournament.load(tmp_path / name / "results" / "high").ranking.ranked for name in ("own", "plain")]
    scores = [{line.name: line.score for line in lines} for lines in ranked]
    assert [line.rank for line in ranked[0]] == [1, 2, 3, 4] and len(ranked[1]) == 5
    assert scores[0] == {name: score for name, score in scores[1].items() if name != "b4"}


def test_missing_house_bots_and_taken_names_are_refused(tmp_path: Path) -> None:
    config = contest(tmp_path, house={"b4": 4}, house_seats=2)
    with pytest.raises(InputError, match=r"house_seats: 2 of each table, and there are 1 bots in .*house/high; put"):
        tournament.run("high", config=config)
    (tmp_path / "house" / "high" / "n2.c").write_text("int pick(\n")
    with pytest.raises(InputError, match=r"n2 can't play: .*error.*; repair or remove it"):
        tournament.run("high", config=config)
    write_bot(tmp_path / "house" / "high", "N2", 2)
    (tmp_path / "house" / "high" / "n2.c").unlink()
    write_bot(tmp_path / "bots", "n2", 9)
    ranking = tournament.run("high", config=config).ranking
    (line,) = [line for line in ranking.entrants if line.status == "broken"]
    assert (line.name, line.reason) == ("./n2.c", "the house has N2.py, a bot of this name; rename n2.c")
    with pytest.raises(InputError, match="high: house_seats: of 2 seats one is an entrant's; lower"):
        tournament.run("high", config=contest(tmp_path / "two", "2", house_seats=2))


def test_matches_of_disqualified_house_bot_count(tmp_path: Path) -> None:
    config = contest(tmp_path, house={"b4": 4}, max_faults=0)
    (tmp_path / "house" / "high" / "b4.py").write_text("def pick(view):\n    raise ValueError\n")
    ranking = tournament.run("high", config=config).ranking
    assert [line.name for line in ranking.ranked] == ["z7", "q5", "m3", "a1"]
    assert ranking.ranked[0].score == 11.0  # the house's default answer is the lowest
    assert [line.status for line in ranking.below] == ["disqualified"]


def test_match_seats_house_bots(tmp_path: Path) -> None:
    config = contest(tmp_path)
    report = tournament.match("high", "q5", "z7", config=config, sessions=3, replicas=2)
    # z7 wins 10 from the house and 1 from q5, which wins 10 from the house.
    assert {line.opponent: line.points.value for line in report.opponents} == {"b4": 10.0, "n2": 10.0, "z7": -1.0}
    assert report.points and report.points.value == 10.0
    one = tournament.match("high", "q5", "b4", config=config, sessions=3)
    assert {line.opponent for line in one.opponents} == {"a1", "m3", "z7", "b4"}
