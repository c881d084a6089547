"""News, which bots don't answer and need no function for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.python_rules import play_field
from tournament.rules import Column, Decision, Int, News, Questions, Rules, Session
from tournament.rules.contests import get_contest

BEGIN = News("begin", "A game begins", observation={"fee": Int(0, 9)})
PICK = Decision("pick", "Pick a number", observation={"turn": Int(0, 1)}, answer=Int(0, 999))
OVER = News("over", "A game is over", observation={"other": Int(0, 999)})


class Announced(Rules):
    """Rules with news to both together, to one beside the other's decision, and to one alone."""

    name = "announced"
    seats = 2
    decisions = (BEGIN, PICK, OVER)
    columns = (Column("picked", "int32", "number", per_seat=True),)

    def play(self, session: Session) -> Questions:
        nothing = yield [BEGIN(seat, fee=session.number % 10) for seat in range(2)]
        assert nothing == {0: None, 1: None}
        picks = yield [PICK(seat, turn=0) for seat in range(2)]
        again = yield [OVER(0, other=picks[1]), PICK(1, turn=1)]
        assert again[0] is None
        late = yield [PICK(0, turn=1), OVER(1, other=picks[0])]
        assert late[1] is None
        last = yield OVER(0, other=again[1])
        assert last is None
        yield OVER(1, other=late[0])
        points = late[0] - again[1]
        session.record([points, -points], picked=[late[0], again[1]])


# Each picks the sum of all that it heard.
HEARS = {
    "python": (
        "heard.py",
        "n = 0\n\n\ndef begin(view):\n    global n\n    n += view.fee\n\n\ndef pick(view):\n    return n % 1000\n\n\n"
        "def over(view):\n    global n\n    n += view.other + 1\n",
    ),
    "c": (
        "heard.c",
        "static int n;\nvoid begin(const View *view) { n += view->fee; }\n"
        "int pick(const View *view) { return n % 1000; }\n"
        "static int over(const View *view) { n += view->other + 1; return -5; }\n",
    ),
    "cpp": (
        "heard.cpp",
        "int n;\nvoid heard_begin(const View *view) { n += view->fee; }\n"
        "int heard_pick(const View *view) { return n % 1000; }\n"
        "void heard_over(const View *view) { n += view->other + 1; }\n",
    ),
    "program": (
        "heard.py",
        "import json, sys\n\nn = 0\nfor line in sys.stdin:\n"
        "    told = json.loads(line) if line.startswith('{') else {}\n"
        "    n += told.get('fee', 0) + (told['other'] + 1 if 'other' in told else 0)\n"
        "    if told.get('decision') == 'pick':\n        print('ACTION', n % 1000, flush=True)\n",
    ),
}
# Names of news are those of something else here, and no function fits.
DEAF = {
    "python": (
        "deaf.py",
        "def begin(one, two):\n    raise ValueError\n\n\ndef pick(view):\n    return 3 + view.turn\n",
    ),
    "c": (
        "deaf.c",
        "static int over(int n) { return n + 2; }\n"
        "int pick(const View *view) { int begin = 1; return over(begin) + view->turn; }\n",
    ),
    "program": (
        "deaf.py",
        "import json, sys\n\nfor line in sys.stdin:\n    if '\"pick\"' in line:\n"
        "        print('ACTION', 3 + json.loads(line)['turn'], flush=True)\n",
    ),
}


def suffix_of(kind: str, file: str) -> str:
    return "" if kind == "program" else Path(file).suffix


def bots_of(sources: dict[str, tuple[str, str]], word: str) -> dict[str, tuple[str, str]]:
    """Return the bots, each called after the word and its kind."""
    return {
        f"{word}_{kind}": (suffix_of(kind, file), source.replace(f"{word}_", f"{word}_{kind}_"))
        for kind, (file, source) in sources.items()
    }


def test_news_reach_only_bots_with_function() -> None:
    played = play_field(get_contest(Announced), bots_of(HEARS, "heard") | bots_of(DEAF, "deaf"), sessions=6)
    pairs: dict[tuple[str, str], list[Any]] = {}
    for (one, other), (result, rows) in played.items():
        assert not result.faults, (one, other, result.faults)
        words = one.split("_")[0], other.split("_")[0]
        games = rows["games"]
        pairs.setdefault(words, []).append([games[name].tolist() for name in ("bot_0", "picked_0", "picked_1")])
    for (one, other), found in pairs.items():
        if one == other:
            assert all(games == found[0] for games in found), (one, other)
    # By a count that shares nothing with the engine.
    for first, zero, one in pairs["deaf", "heard"]:
        heard = 0
        for session, (seat, *picked) in enumerate(zip(first, zero, one)):
            heard += session
            position, deaf = 1 - seat, 4
            assert picked[1 - position] == deaf
            if position == 0:
                heard += 3 + 1
                assert picked[0] == heard % 1000
                heard += deaf + 1
            else:
                assert picked[1] == heard % 1000
                heard += 3 + 1 + deaf + 1


def test_exception_in_a_function_for_news_is_a_fault() -> None:
    bad = "def pick(view):\n    return 1\n\n\ndef over(view):\n    raise ValueError('x')\n"
    good = "def pick(view):\n    return 1\n"
    ((result, _),) = play_field(
        get_contest(Announced), {"bad": (".py", bad), "good": (".py", good)}, sessions=1
    ).values()
    assert [(fault.seat, fault.decision) for fault in result.faults] == [(0, "over"), (0, "over")]


def test_news_alone_or_with_answer_is_refused() -> None:
    class Silent(Rules):
        name = "silent"
        seats = 2
        decisions = (News("over", "Over", observation={}),)

        def play(self, session: Session) -> Questions:
            yield self.ask.over(0)

    with pytest.raises(ValueError, match="news only"):
        get_contest(Silent)
    with pytest.raises(ValueError, match="has no answer"):
        News("over", "Over", observation={})(0, default=1)
    assert Decision("over", "Over", observation={"one": Int(0, 1)}, answer=None).is_news
