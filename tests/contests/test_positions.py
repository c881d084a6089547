"""Positions of rules in Python: they are drawn by the key of the deals, observed by bots, and recorded."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tournament
from engine.kernel.records import Table
from tests.contest_runs import CONTEST, make_contest
from tests.oracles.deals import key_of
from tests.python_rules import play_table
from tournament.contests.contest import CoreSetup
from tournament.leg import LegPlan
from tournament.rules import Column, Decision, Int, Questions, Rules, Session
from tournament.rules.contests import get_contest
from tournament.store.columns import buffer_fields

SHOW = Decision("show", "Say what you observe", observation={}, answer=Int(0, 2**31 - 1, "seat, seats and players"))


class Shown(Rules):
    """Each bot says its position, the number of positions and the number of the bot after it."""

    name = "shown"
    seats = range(2, 7)
    zero_sum = False
    decisions = (SHOW,)
    columns = (Column("said", "int32", "what the bot said", per_seat=True),)

    def play(self, session: Session) -> Questions:
        said = yield [SHOW(position) for position in range(session.seats)]
        session.record([0] * session.seats, said=said)


IN_C = """\
int show(const View *view)
{
    int after = (view->seat + 1) % view->seats;
    return view->seat + 10 * view->seats + 100 * view->players[view->seat] + 1000 * view->players[after];
}
"""
IN_PYTHON = """\
def show(view):
    after = (view.seat + 1) % view.seats
    assert len(view.players) == view.seats
    return view.seat + 10 * view.seats + 100 * view.players[view.seat] + 1000 * view.players[after]
"""
PROGRAM = """\
import json, sys, types

CODE

for line in sys.stdin:
    if line.startswith("{"):
        told = json.loads(line)
        assert told.pop("decision") == "show"
        print("ACTION", show(types.SimpleNamespace(**told)), flush=True)
""".replace("CODE", IN_PYTHON)
KINDS = {"c": (".c", IN_C), "python": (".py", IN_PYTHON), "program": ("", PROGRAM)}


def seats_at(seats: int, sessions: int, *, rotation: int = 0, deals: int = 1) -> list[tuple[int, ...]]:
    """Return the seat at each position, session by session."""
    contest = get_contest(Shown).seated(seats)
    games, table = (Table(buffer_fields(columns), sessions) for columns in (contest.games, contest.sessions))
    plan = LegPlan(0, 0, sessions, key_of(deals), seats=seats, rotation=rotation)
    core = contest.new_core(CoreSetup(plan, contest.settings.model_validate({"seats": seats}), games, table))
    while core.play(0):
        pass
    core.check()
    return list(zip(*(table.arrays[f"bot_{position}"].tolist() for position in range(seats))))


@pytest.mark.parametrize("seats", [3, 4, 6])
def test_session_block_has_every_rotation_of_cyclic_order(seats: int) -> None:
    at = seats_at(seats, 7 * seats + 2)
    orders = set()
    for first in range(0, 7 * seats, seats):
        block = at[first : first + seats]
        assert {row[position] for row in block for position in range(1)} == set(range(seats))
        assert {tuple(row[(row.index(0) + place) % seats] for place in range(seats)) for row in block} == {
            tuple(block[0][(block[0].index(0) + place) % seats] for place in range(seats))
        }
        orders.add(tuple(block[0][(block[0].index(0) + place) % seats] for place in range(seats)))
    assert len(orders) > 1
    assert len(set(at[-2:])) == 2  # an incomplete block has no rotation twice


@pytest.mark.parametrize("seats", [2, 3, 5])
def test_duplicate_legs_give_bots_every_position_per_session(seats: int) -> None:
    legs = [seats_at(seats, 2 * seats + 1, rotation=rotation) for rotation in range(seats)]
    for session in range(2 * seats + 1):
        for position in range(seats):
            assert {leg[session][position] for leg in legs} == set(range(seats))


@pytest.mark.statistical
@pytest.mark.parametrize("sessions", [1, 2])
def test_bots_of_a_short_leg_sit_anywhere_equally_often(sessions: int) -> None:
    """Seats are at each position a third of the time, over 600 keys and within 4 standard errors."""
    found = Counter(
        (place, seat) for deals in range(600) for place, seat in enumerate(seats_at(3, sessions, deals=deals)[-1])
    )
    error = (600 * 2 / 9) ** 0.5
    assert all(abs(found[place, seat] - 200) < 4 * error for place in range(3) for seat in range(3))


@pytest.mark.parametrize("kinds", [("c", "python", "program"), ("program", "c", "python"), ("python", "c")])
def test_bots_of_all_kinds_observe_seating(kinds: tuple[str, ...]) -> None:
    seats = len(kinds)
    bots = {f"bot_{place}": KINDS[kind] for place, kind in enumerate(kinds)}
    for result, rows in play_table(get_contest(Shown), bots, sessions=7, legs=2, seats=seats):
        games: dict[str, Any] = rows["games"]
        assert result.faults == ()
        at = np.array([games[f"bot_{position}"] for position in range(seats)])
        number = {int(seat): position for position, seat in enumerate(at[:, 0])}
        for game in range(7):
            for position in range(seats):
                own, after = (number[int(at[(position + ahead) % seats, game])] for ahead in (0, 1))
                assert games[f"said_{position}"][game] == position + 10 * seats + 100 * own + 1000 * after


RULES = """\
from tournament.rules import Decision, Int, Rules

BID = Decision("bid", "Bid", observation={}, answer=Int(0, 9))


class Prize(Rules):
    name = "prize"
    seats = 3
    decisions = (BID,)

    def play(self, session):
        bids = yield [BID(position) for position in range(3)]
        session.record([bids[0] - bids[1], bids[1] - bids[2], bids[2] - bids[0]])
"""


def test_drawn_tables_rows_name_their_bots(tmp_path: Path) -> None:
    """Bots bid their own numbers, so that points tell where each of them sat."""
    (tmp_path / "prize.py").write_text(RULES)
    (tmp_path / "bots").mkdir()
    for number in range(6):
        (tmp_path / "bots" / f"bot{number}.c").write_text(f"int bid(const View *view) {{ return {number}; }}\n")
    config = tmp_path / "tournament.toml"
    table = 'rules = "prize.py"\nentrants = "bots"\nsessions = 4\ntables = 3\nreplicas = 2\nseed = "a seed of tables"\n'
    config.write_text(f"[prize]\n{table}")
    played = tournament.run("prize", config=config, executor="local", workers=1)
    folder = tmp_path / "results" / "prize"
    for name in ("games", "sessions"):
        rows = pd.read_parquet(folder / name)
        bids = [rows[f"bot_{position}"].astype(str).str[3:].astype(int) for position in range(3)]
        for position in range(3):
            assert (rows[f"points_{position}"] == bids[position] - bids[(position + 1) % 3]).all()
        assert set(rows.replica) == {0, 1} and (rows.session // 4 == rows.replica).all()
        matches = pd.read_parquet(folder / "matches.parquet")
        joined = rows.merge(matches.rename(columns={"bot": "bot_0"}), on=["match", "replica", "bot_0"])
        assert len(joined) == len(rows)
    by_bot = played.games.by_bot()
    sums = by_bot.groupby("bot", observed=True).points.sum()
    lines = {line.name: (line.points_per_session or 0.0) * line.sessions for line in played.ranking.entrants}
    assert sums.to_dict() == pytest.approx(lines)


def test_poker_rows_name_bots_and_replicas_exchange_roles(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm", "even"], sessions=5, settings="replicas = 2")
    tournament.run(CONTEST, config=place.config, workers=1, executor="local")
    matches = pd.read_parquet(place.results / "matches.parquet")
    for name in ("games", "sessions"):
        rows = pd.read_parquet(place.results / name)
        for seat in (0, 1):
            bots = matches[matches.seat == seat].set_index("match").bot
            assert (rows[f"bot_{seat}"].astype(str) == rows.match.map(bots)).all()
        assert (rows.session // 5 == rows.replica).all()
    games = pd.read_parquet(place.results / "games")
    opening = games[(games.session % 5 == 0) & (games.game == 0)]
    assert (opening.seat_0_is_a == (opening.replica == 0)).all()
