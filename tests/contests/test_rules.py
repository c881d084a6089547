"""Rules in Python: their chance, their errors, and declarations that are refused."""

from __future__ import annotations

import collections
import math
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.chance import Rng, StreamRandom
from tests.python_rules import play_field
from tournament.decisions.struct_layout import build_view
from tournament.errors import RunError
from tournament.rules import (
    Bool,
    Choice,
    Column,
    Decision,
    Int,
    LegalAction,
    List,
    Maybe,
    Questions,
    Rules,
    Session,
    Struct,
    Text,
    ValueType,
)
from tournament.rules.contests import get_contest

KEY = bytes(range(32))


@settings(max_examples=60, derandomize=True)
@given(st.integers(1, 2**64 - 1), st.integers(0, 2**64 - 1))
def test_chance_stays_within_its_limits(end: int, number: int) -> None:
    chance = Rng(KEY, number)
    drawn = chance.sample(range(10**9), 9)
    assert drawn == Rng(KEY, number).sample(range(10**9), 9) != Rng(bytes(32), number).sample(range(10**9), 9)
    assert 0 <= chance.randrange(end) < end
    assert 0.0 <= chance.random() < 1.0
    assert all(1 <= die <= 6 for die in chance.roll(9))
    items = list(range(end % 30 + 1))
    shuffled = list(items)
    chance.shuffle(shuffled)
    assert sorted(shuffled) == items
    assert len(set(chance.sample(items, len(items) // 2))) == len(items) // 2
    assert chance.choice(items) in items
    assert chance.randint(-3, -3) == -3
    assert chance.randrange(100, 0, -7) in range(100, 0, -7)
    assert chance.randint(-(2**63), 2**63 - 1) in range(-(2**63), 2**63)
    assert chance.getrandbits(9) < 512


@pytest.mark.statistical
def test_chance_has_no_favourites() -> None:
    """Counts of n draws among k have a standard error of √(n (k − 1)) / k."""
    chance, draws = Rng(KEY), 30_000
    error = math.sqrt(draws * 5) / 6
    places = Counter(tuple(chance.sample("abc", 3)) for _ in range(draws))
    assert len(places) == 6
    assert all(abs(count - draws / 6) < 4.5 * error for count in places.values())
    weighted = Counter(chance.weighted_index([1, 0, 2.0, 3]) for _ in range(draws))
    assert set(weighted) == {0, 2, 3}
    assert abs(weighted[2] - draws / 3) < 4.5 * math.sqrt(draws * 2 / 9)
    # A third of all words is above this end. Without drawing again small numbers would come half as often more.
    large = [chance.randrange(3 << 62) for _ in range(draws)]
    assert abs(np.mean([number < (1 << 62) for number in large]) - 1 / 3) < 4.5 * math.sqrt(2 / 9 / draws)


def test_random_draws_from_the_stream_of_the_game() -> None:
    """Gauss keeps no number for the next game."""
    words = Rng(KEY)
    first, second = words.randrange(1 << 64), words.randrange(1 << 64)
    assert StreamRandom(Rng(KEY)).getrandbits(128) == first | second << 64
    items = collections.deque(range(5))
    StreamRandom(Rng(KEY)).shuffle(items)
    assert sorted(items) == list(range(5))
    stream, again = Rng(KEY), StreamRandom(Rng(KEY))
    assert [StreamRandom(stream).gauss(0, 1) for _ in range(2)] == [again.gauss(0, 1), again.gauss(0, 1)]


def test_rng_refuses_wrong_arguments() -> None:
    rng = Rng(KEY)
    for draw, message in (
        (lambda: rng.weighted_index([2, -1]), "-1.0 is no weight"),
        (lambda: rng.randrange(5, 5), r"no number in range\(5, 5, 1\)"),
        (lambda: rng.randint(0, 2**64), r"more than 2\*\*64 numbers"),
        (lambda: rng.sample(range(3), 4), "4 can't be drawn from 3"),
    ):
        with pytest.raises(ValueError, match=message):
            draw()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (lambda d, s: d(0, small=10), "small is 10, 0 to 9 were declared"),
        (lambda d, s: d(2, small=1), "asks position 2; expected 0 to 1"),
        (lambda d, s: d(0), "declared is small"),
        (lambda d, s: d(0, small=1, default=7), "default answer 7 is not legal"),
        (lambda d, s: 5, "yield 5, which is no question"),
        (lambda d, s: s.record([1, 1]), "worth 1.0, 1.0"),
        (lambda d, s: [d(0, small=1), d(0, small=2)], "ask a position twice together"),
        (lambda d, s: [d(0, small=1), 5], "yield a list with 5, which is no question"),
        (lambda d, s: s.record([1, -1], chosen=300), "chosen = 300, which its column can't hold"),
        (lambda d, s: s.record([math.nan, math.nan], chosen=1), "nan"),
        (lambda d, s: s.record([1, -1]), "record no chosen"),
        (lambda d, s: -d(0, small=1), "a question isn't an answer: did you forget yield?"),
        (lambda d, s: s.record([1, -1], chosen=1, other=2), "record other, which has no column"),
        (lambda d, s: 1 // 0, "ZeroDivisionError"),
        (lambda d, s: None if s.number == 0 else 0, "yield None"),
    ],
)
def test_error_of_rules_ends_run_and_names_place(asked: Any, message: str) -> None:
    class Wrong(Rules):
        name = "wrong"
        seats = 2
        decisions = (Decision("act", "m", observation={"small": Int(0, 9, "s")}, answer=Int(0, 3, "a")),)
        columns = (Column("chosen", "uint8", "m"),)

        def play(self, session: Session) -> Questions:
            yield asked(self.decisions[0], session)

    bots = dict.fromkeys("ab", (".c", "int act(const View *bot) { return 0; }\n"))
    with pytest.raises(RunError) as failure:
        play_field(get_contest(Wrong), bots, sessions=1)
    line = str(failure.value)
    assert message in line
    assert line.startswith("the rules of wrong failed in match 0 (a against b), session 0, game 0: ")
    assert "\n" not in line
    if "yield" not in message:
        assert f"({Path(__file__).name}, line " in line


PICK = Decision("pick", "Pick", observation={}, answer=Int(0, 1, "a"))


class Picking(Rules):
    seats = 2
    decisions: ClassVar[tuple[Decision, ...]] = (PICK,)

    def play(self, session: Session) -> Questions:
        yield PICK(0)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"decisions": ()}, "it has 0 decisions; expected 1 to 255"),
        ({"decisions": (PICK,) * 256}, "it has 256 decisions; expected 1 to 255"),
        ({"decisions": (PICK,) * 2}, "two decisions are called pick"),
        ({"seats": 0}, 'seats is 0; expected 1 to 64, a range of them, or "all"'),
        ({"play": Rules.play}, r"it has no method play\(self, session\)"),
        ({"decisions": PICK}, r"decisions are a tuple, as in decisions = \("),
        ({"columns": (Column("n", "int", "m"),)}, "unknown column type int; expected one of: bool, int8,"),
        ({"columns": (Column("points_0", "int8", "m"),)}, "no column can be called points_0: every contest has"),
        ({"settings_class": int}, "settings_class is <class 'int'>, which is no subclass of Settings"),
    ],
)
def test_wrong_declaration_is_refused_before_play(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        get_contest(type("Wrong", (Picking,), {"name": "wrong", **changed}))


@pytest.mark.parametrize("name", ["int", "lambda", "Dice", "decision", "di-ce", ""])
def test_names_unusable_in_bots_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="can't name"):
        Decision(name, "m", observation={}, answer=Int(0, 1, "a"))
    with pytest.raises(ValueError, match="can't name"):
        Decision("act", "m", observation={name: Int(0, 1, "v")}, answer=Int(0, 1, "a"))


def test_declarations_that_contradict_each_other_are_refused() -> None:
    def one(name: str, **shown: ValueType) -> Decision:
        return Decision(name, "m", observation=shown, answer=Int(0, 1, "a"))

    with pytest.raises(ValueError, match="different things called v"):
        build_view([one("a", v=Int(0, 1, "v")), one("b", v=Int(0, 2, "v"))], 2)
    said_twice = build_view([one("a", v=Int(0, 1, "a number")), one("b", v=Int(0, 1, "the same, said otherwise"))], 2)
    assert "/* a number; 0 to 1 */" in said_twice.lines
    wide = build_view([answered(LegalAction(Int(0, 9), 2)), answered(LegalAction(Int(-5, 2**40), 3))], 2)
    assert "int64_t legal_actions[3];" in wide.lines
    with pytest.raises(ValueError, match="are observed with answer=LegalAction"):
        one("a", legal_actions=Int(0, 1, "v"))
    for name in ("seat", "seats", "players"):
        with pytest.raises(ValueError, match=f"a: every bot already observes {name}; remove it"):
            one("a", **{name: Int(0, 1, "v")})


@pytest.mark.parametrize(
    ("declare", "message"),
    [
        (lambda: Int(2, 1, "v"), r"lowest number, 2, is above the highest, 1: Int\(low, high, description\)"),
        (lambda: List(Int(0, 1)), "a list has a greatest length"),
        (lambda: Choice(["a b", "a-b"]), "a choice is among 1 to"),
        (lambda: Choice(["2nd"]), "'2nd' can't name a choice"),
        (lambda: answered(Int(0, 1), default=5), "a: the default answer 5 is wrong: 5 is not from 0 to 1"),
        (lambda: answered(Text(2), default="é!"), "is wrong: a text of 3 bytes"),
        (lambda: answered(Text(), default=""), r"a greatest length: Text\(max_length\)"),
        (lambda: answered(Text(1 << 16), default=""), "takes up to 65537 bytes, at most 65536 are possible"),
        (lambda: List(List(List(List(List(Int(0, 1), 2), 2), 2), 2), 2), "5 deep; at most 4"),
        (lambda: Struct(**{"class": Int(0, 1)}), "can't name a field"),
        (lambda: PICK(0, answer=Int(0, 2)), "is not narrower than the declared"),
        (
            lambda: build_view([answered(Bool(), observation={"has_x": Bool(), "x": Maybe(Bool())})], 2),
            "C bots have the name has_x for a part of x",
        ),
        (lambda: answered(Int(0, 9))(0, answer=Int(0, 3), default=9), "the default answer 9 is not legal"),
    ],
)
def test_impossible_type_is_refused_at_declaration(declare: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        declare()


def answered(answer: ValueType, **more: Any) -> Decision:
    return Decision("a", "m", **{"observation": {}, "answer": answer, **more})


def test_rules_that_define_ask_themselves_keep_their_own() -> None:
    own = type("OwnAsking", (Picking,), {"ask": lambda self, position: PICK(position + 1)})
    assert Picking(None).ask.pick(0).position == 0
    assert own(None).ask(0).position == 1
