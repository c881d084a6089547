"""News, which bots don't answer and need no function for."""

from __future__ import annotations

import pytest

from tests.python_rules import as_program, of_seat, play_field
from tournament.rules import Column, Decision, Int, News, Questions, Rules, Session
from tournament.rules.contests import get_contest

BEGIN = News("begin", "A game begins", observation={"fee": Int(0, 9)})
PICK = Decision("pick", "Pick a number", observation={}, answer=Int(0, 999))
OVER = News("over", "A game is over", observation={"other": Int(0, 999)})


class Announced(Rules):
    """Rules with news to both together, to one beside the other's decision, and to one alone."""

    name = "announced"
    seats = 2
    decisions = (BEGIN, PICK, OVER)
    columns = (Column("picked", "int32", "number", per_seat=True),)

    def play(self, session: Session) -> Questions:
        nothing = yield [BEGIN(seat, fee=session.number) for seat in range(2)]
        assert nothing == {0: None, 1: None}
        second = yield [OVER(0, other=7), PICK(1)]
        first = yield [PICK(0), OVER(1, other=9)]
        last = yield OVER(0, other=1)
        assert [second[0], first[1], last] == [None] * 3
        points = first[0] - second[1]
        session.record([points, -points], picked=[first[0], second[1]])


# Each picks the sum of all that it heard.
HEARS = {
    "python": (
        ".py",
        "n = 0\n\n\ndef begin(view):\n    global n\n    n += view.fee\n\n\ndef pick(view):\n    return n % 1000\n\n\n"
        "def over(view):\n    global n\n    n += view.other + 1\n",
    ),
    "c": (
        ".c",
        "static int n;\nvoid begin(const View *view) { n += view->fee; }\n"
        "int pick(const View *view) { return n % 1000; }\n"
        "static int over(const View *view) { n += view->other + 1; return -5; }\n",
    ),
}
HEARS["program"] = as_program(HEARS["python"][1])
# Names of news are those of something else here, and no function fits.
DEAF = {
    "python": (
        ".py",
        "def begin(one, two):\n    raise ValueError\n\n\ndef pick(view):\n    return 3\n",
    ),
    "c": (
        ".c",
        "static int over(int n) { return n + 2; }\nint pick(const View *view) { int begin = 1; return over(begin); }\n",
    ),
}
DEAF["program"] = as_program(DEAF["python"][1].replace("def begin", "def over_begin"))


def test_news_reach_only_bots_with_function() -> None:
    bots = {f"heard_{kind}": bot for kind, bot in HEARS.items()} | {f"deaf_{kind}": bot for kind, bot in DEAF.items()}
    played = play_field(get_contest(Announced), bots, sessions=6)
    for names, (result, rows) in played.items():
        assert not result.faults, (names, result.faults)
        for seat, name in enumerate(names):
            heard, wanted = 0, []
            for session, first in enumerate(rows["games"]["bot_0"].tolist()):
                heard += session + 8 * (first == seat)
                wanted.append(heard)
                heard += 2 if first == seat else 10
            picked = of_seat(rows["games"], "picked", seat).tolist()
            assert picked == (wanted if name.startswith("heard") else [3] * 6), (names, name)


def test_exception_in_a_function_for_news_is_a_fault() -> None:
    bad = "def pick(view):\n    return 1\n\n\ndef over(view):\n    raise ValueError('x')\n"
    good = "def pick(view):\n    return 1\n"
    ((result, _),) = play_field(
        get_contest(Announced), {"bad": (".py", bad), "good": (".py", good)}, sessions=1
    ).values()
    assert [(fault.seat, fault.decision) for fault in result.faults] == [(0, "over"), (0, "over")]


def test_rules_with_news_only_are_refused() -> None:
    only_news = type("Silent", (Announced,), {"name": "silent", "decisions": (OVER,)})
    with pytest.raises(ValueError, match="news only"):
        get_contest(only_news)
