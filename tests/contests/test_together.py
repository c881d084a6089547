"""Questions that are asked together, at tables of several seats: records depend on no bot's kind or pace."""

from __future__ import annotations

import pytest

from tests.python_rules import of_seat, play_table
from tournament.rules import Column, Decision, Int, List, Questions, Rules, Session
from tournament.rules.contests import get_contest

BID = Decision(
    "bid",
    "Bid for the prize",
    observation={"prize": Int(1, 20, "the prize"), "bids": List(Int(0, 99), 6, "the bids of the last round")},
    answer=Int(0, 99, "your bid"),
    default=1,
)
MATCH = Decision("match", "Match a number", observation={"number": Int(0, 99, "n")}, answer=Int(0, 99, "the same"))


class Auction(Rules):
    """Rules by which all bid together, twice, and each then matches a number alone."""

    name = "auction"
    seats = range(1, 7)
    decisions = (BID, MATCH)
    columns = (Column("bid", "uint8", "bid", per_seat=True), Column("matched", "uint8", "number", per_seat=True))

    def play(self, session: Session) -> Questions:
        bids: list[int] = []
        for _ in range(2):
            prize = session.rng.randint(1, 20)
            asked = [BID(seat, prize=prize, bids=bids) for seat in range(session.seats)]
            answers = yield asked
            bids = [answers[seat] for seat in range(session.seats)]
        matched = [0] * session.seats
        for seat in range(session.seats):
            matched[seat] = yield MATCH(seat, number=sum(bids) % 100)
        mean = sum(bids) / session.seats
        session.record([bid - mean for bid in bids], bid=bids, matched=matched)


IN_C = """\
int bid(const View *view)
{
    int sum = view->prize;
    for (int i = 0; i < view->bids_count; i++) sum += view->bids[i];
    return (sum * OWN + OWN) % 100;
}
int match(const View *view) { return view->number; }
"""
IN_PYTHON = """\
import time

def bid(view):
    time.sleep(PACE)
    return ((view.prize + sum(view.bids)) * OWN + OWN) % 100

def match(view):
    return view.number
"""
PROGRAM = """\
import json, sys, time
sys.stdin.readline()
for line in sys.stdin:
    if not line.startswith("{"):
        break
    told = json.loads(line)
    time.sleep(PACE)
    answer = told["number"] if "number" in told else ((told["prize"] + sum(told["bids"])) * OWN + OWN) % 100
    print("ACTION", answer, flush=True)
"""
KINDS = {"c": (".c", IN_C), "python": (".py", IN_PYTHON), "program": ("", PROGRAM)}


def bots(kinds: list[str], slowest: int = 0) -> dict[str, tuple[str, str]]:
    """Return a bot for each seat, one of them slow. Bots of all kinds answer in the same way."""
    made = {}
    for seat, kind in enumerate(kinds):
        suffix, source = KINDS[kind]
        pace = "0.002" if seat == slowest else "0"
        made[f"bot_{seat}"] = (suffix, source.replace("OWN", str(3 + 2 * seat)).replace("PACE", pace))
    return made


FAULTY = {
    "c": "int bid(const View *view) { return view->prize > 9 ? __builtin_trap(), 0 : 5; }\n"
    "int match(const View *view) { return view->number; }\n",
    "python": "def bid(view):\n    return 5 if view.prize <= 9 else 1 // 0\n\n"
    "def match(view):\n    return view.number\n",
    "program": PROGRAM.replace('((told["prize"] + sum(told["bids"])) * OWN + OWN) % 100', "5").replace(
        "    time.sleep(PACE)\n", "    if told.get('prize', 0) > 9:\n        sys.exit(1)\n"
    ),
}


@pytest.mark.parametrize(("kind", "allowed"), [("c", 99), ("python", 99), ("program", 99), ("program", 1)])
def test_fault_replaces_only_own_simultaneous_answer(kind: str, allowed: int) -> None:
    field = bots(["python", "c", "program", "c"], slowest=0)
    field["bot_2"] = (KINDS[kind][0], FAULTY[kind])
    result, rows = play_table(get_contest(Auction), field, sessions=9, seats=4, max_faults=allowed)[0]
    field["bot_2"] = (".c", FAULTY["c"])
    by_c, same = play_table(get_contest(Auction), field, sessions=9, seats=4, max_faults=allowed)[0]
    assert [(f.seat, f.session, f.decision) for f in result.faults] == [
        (f.seat, f.session, f.decision) for f in by_c.faults
    ]
    assert {fault.seat for fault in result.faults} == {2} and result.games == 9 and result.ended_by is None
    assert (len(result.faults) == 2) == (allowed == 1)
    for name, column in same["games"].items():
        assert rows["games"][name].tolist() == column.tolist(), name
    if allowed == 1:  # the defaults count to the end
        last = result.faults[-1].session
        assert of_seat(rows["games"], "bid", 2)[last + 1 :].tolist() == [1] * (8 - last)
        assert of_seat(rows["games"], "matched", 2)[last + 1 :].tolist() == [0] * (8 - last)
