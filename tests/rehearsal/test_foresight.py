"""The audit finds values that tell of draws, and takes for sound what bots are meant to see."""

from __future__ import annotations

from pathlib import Path

import pytest

from tournament.contests.rules_loader import load_rules
from tournament.rehearsal.auditing import audit

RULES = """\
import random
import sys
from tournament.keys import master_key
from tournament.rules import Decision, Int, List, News, Rules, Text

NUMBER = Int(0, 2**63 - 1)
BID = Decision(
    "bid", "Bid", observation={"prize": NUMBER, "turn": NUMBER, "note": Text(), "list": List(NUMBER, 9)},
    answer=Int(0, 9),
)
OVER = News("over", "Who won", observation={"won": NUMBER, "cards": List(NUMBER, 9)})


def stolen_key():
    frame = sys._getframe()
    while "plan" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["plan"].deals_key


class Prizes(Rules):
    name = "prizes"
    seats = 2
    decisions = (BID, OVER)
    hints = HINTS

    def play(self, session):
        rng, more = session.rng, []
        DRAW
        for turn in range(3):
            coming = drawn[turn + 1]
            shown = {"prize": drawn[turn], "turn": turn, "note": "", "list": []} | SHOWN
            bids = yield [BID(seat, **shown) for seat in range(2)]
            AFTER
        session.record([0, 0])
"""
ONE_BY_ONE = "drawn = [rng.randint(1, 9) for _ in range(4)]"
# How prizes are drawn, and what is shown of the next one; of a draw, of all draws, or of the seed.
LEAKS = {
    "the parity of the next": (ONE_BY_ONE, "{'turn': 2 * turn + coming % 2}", "bid.turn tells"),
    "whether the next is high": (
        "drawn = rng.roll(4, 20)", "{'note': 'hot' if coming > 10 else 'cold'}", "bid.note tells",
    ),
    "the half of a weighted draw": (
        "drawn = [rng.weighted_index([2, 1, 1, 1, 3]) for _ in range(4)]", "{'turn': turn + coming // 2}",
        "bid.turn tells",
    ),
    "draws by the session's number": (
        "own = random.Random(session.number); drawn = [own.randint(1, 9) for _ in range(4)]", "{}",
        "bid.prize changes from session to session but has the same values",
    ),
    "the seed in a text": (ONE_BY_ONE, "{'note': 'game ' + self.settings.seed}", "bid.note shows the seed"),
}  # fmt: skip
# What is sound: how prizes are drawn, what is shown, and what follows the bids.
SOUND = {
    "what was drawn before": (ONE_BY_ONE, "{'list': drawn[:turn], 'turn': sum(drawn[:turn])}", "pass"),
    "a result before its cards are shown": (
        "drawn = [1] * 4; cards = rng.roll(2)", "{'list': more}",
        "yield [OVER(seat, won=cards[0] > cards[1], cards=[]) for seat in range(2)];"
        " session.record([0, 0]); more, cards = cards, rng.roll(2)",
    ),
    "a generator of one's own that session.rng seeds": (
        "own = random.Random(rng.randrange(2**32)); drawn = [own.randint(1, 9) for _ in range(4)];"
        " more = [own.randrange(2**40)]", "{'list': more * (turn > 1)}", "pass",
    ),
    "suits of one's own cards, and cards that all see later": (
        "cards = rng.sample(range(52), 8); drawn = cards[:4]", "{'turn': cards[5] // 13, 'list': [cards[6] // 13]}",
        "pass",
    ),
    "draws until one is new": (
        "drawn = []\n        while len(drawn) < 4:\n            one = rng.randint(1, 6)"
        "\n            drawn += [one] if one not in drawn else []", "{}", "pass",
    ),
}  # fmt: skip


def told(folder: Path, draw: str, shown: str, after: str = "pass", hints: str = "()") -> list[str]:
    source = RULES
    for place, text in (("HINTS", hints), ("DRAW", draw), ("SHOWN", shown), ("AFTER", after)):
        source = source.replace(place, text)
    (folder / "prizes.py").write_text(source)
    contest = load_rules("prizes.py", folder)
    findings = audit(contest, contest.settings(), 0, lambda _: None, fewest=24)
    assert not [one for one in findings if one.is_fault and one.name != "foresight"], findings
    return [one.text for one in findings if one.name == "foresight" and one.is_fault]


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.replace(" ", "_"))
def test_value_that_reveals_draw_is_found(leak: str, tmp_path: Path) -> None:
    draw, shown, finding = LEAKS[leak]
    found = told(tmp_path, draw, shown)
    assert len(found) == 1 and finding in found[0], found


@pytest.mark.parametrize("case", SOUND, ids=lambda case: case.replace(" ", "_"))
def test_sound_value_is_no_foresight(case: str, tmp_path: Path) -> None:
    assert told(tmp_path, *SOUND[case]) == []


def test_declared_hint_is_no_foresight(tmp_path: Path) -> None:
    draw, shown, _ = LEAKS["the parity of the next"]
    assert told(tmp_path, draw, shown, hints='("bid.turn",)') == []
