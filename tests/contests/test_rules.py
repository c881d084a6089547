"""Rules in Python: their chance, their errors, and declarations that are refused."""

from __future__ import annotations

import collections
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.chance import Rng, StreamRandom
from engine.rules.decisions import Question
from tests.python_rules import play_field
from tournament.decisions.struct_layout import build_view
from tournament.errors import RunError
from tournament.rules import (
    Bool,
    Choice,
    Column,
    Decision,
    Float,
    Illegal,
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


# Chance


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
    rng = StreamRandom(Rng(KEY))
    items = collections.deque(range(5))
    rng.shuffle(items)
    assert sorted(items) == list(range(5))
    with pytest.raises(NotImplementedError):
        rng.getstate()
    stream = Rng(KEY)
    drawn = [StreamRandom(stream).gauss(0, 1) for _ in range(2)]
    again = StreamRandom(Rng(KEY))
    assert drawn == [again.gauss(0, 1), again.gauss(0, 1)]


@pytest.mark.parametrize(
    ("draw", "values"),
    [
        (lambda rng: rng.randint(-(2**63), 2**63 - 1), range(-(2**63), 2**63)),
        (lambda rng: rng.randrange(0, 100, 10), range(0, 100, 10)),
        (lambda rng: rng.randrange(100, 0, -7), range(100, 0, -7)),
        (lambda rng: rng.sample(range(10**12), 1)[0], range(10**12)),
        (lambda rng: rng.choice("abc"), "abc"),
        (lambda rng: rng.getrandbits(9), range(512)),
    ],
)
def test_rng_draws_from_every_range_and_sequence(draw: Callable[[Rng], Any], values: Any) -> None:
    rng = Rng(KEY)
    drawn = [draw(rng) for _ in range(200)]
    assert all(one in values for one in drawn)
    if len(values[:600]) < 20:
        assert set(drawn) == set(values)


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda rng: rng.weighted_index([2, -1]), "-1.0 is no weight"),
        (lambda rng: rng.weighted_index([math.nan]), "nan is no weight"),
        (lambda rng: rng.weighted_index([0, 0]), "nothing to draw from"),
        (lambda rng: rng.randrange(5, 5), r"no number in range\(5, 5, 1\)"),
        (lambda rng: rng.randrange(0, 5, 0), "step is 0"),
        (lambda rng: rng.randint(0, 2**64), r"more than 2\*\*64 numbers"),
        (lambda rng: rng.roll(1, 0), "of 0 faces"),
        (lambda rng: rng.sample(range(3), 4), "4 can't be drawn from 3"),
    ],
)
def test_rng_refuses_wrong_arguments(draw: Callable[[Rng], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        draw(Rng(KEY))


# What is refused


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (lambda d, s: d(0, small=10), "small is 10, 0 to 9 were declared"),
        (lambda d, s: d(0, small=1.0), "small is 1.0, 0 to 9 were declared"),
        (lambda d, s: d(0, small=2**80), "no whole number of 64 bits"),
        (lambda d, s: d(2, small=1), "asks position 2; expected 0 to 1"),
        (lambda d, s: d(0), "declared is small"),
        (lambda d, s: d(0, small=1, large=2), "shows small, large"),
        (lambda d, s: d(0, small=1, default=7), "default answer 7 is not legal"),
        (lambda d, s: 5, "yield 5, which is no question"),
        (lambda d, s: s.record([1, 1]), "worth 1.0, 1.0"),
        (lambda d, s: s.record([1, 0, -1], chosen=1), "record points of 3 positions; expected 2"),
        (lambda d, s: [d(0, small=1), d(0, small=2)], "ask a position twice together"),
        (lambda d, s: [], "yield a list without a question"),
        (lambda d, s: [d(0, small=1), 5], "yield a list with 5, which is no question"),
        (lambda d, s: s.record([1, -1], chosen=300), "chosen = 300, which its column can't hold"),
        (lambda d, s: s.record([1, -1], chosen=1.5), "chosen = 1.5"),
        (lambda d, s: s.record([math.nan, math.nan], chosen=1), "nan"),
        (lambda d, s: s.record([1, -1]), "record no chosen"),
        (lambda d, s: s.record([1, -1], chosen=1, share=1e39), "share = 1e+39, which its column can't hold"),
        (lambda d, s: -d(0, small=1), "a question isn't an answer: did you forget yield?"),
        (lambda d, s: d(0, small=1).upper(), "a question isn't an answer: did you forget yield?"),
        (lambda d, s: s.record([Illegal(1), 0], chosen=1), "Illegal"),
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
        columns = (Column("chosen", "uint8", "m"),) + (Column("share", "float32", "m"),) * ("share" in message)

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


def test_shared_decision_has_placement_in_each_contest() -> None:
    split = Decision("split", "m", observation={"n": Int(0, 99)}, answer=List(Int(0, 9), 3), default=[0, 0, 0])
    more = Decision("more", "m", observation={"m": List(Int(0, 99), 40)}, answer=Int(0, 9))

    class Small(Rules):
        name = "small"
        seats = 2
        decisions: ClassVar[tuple[Decision, ...]] = (split,)
        columns = (Column("sum", "uint8", "m", per_seat=True),)

        def play(self, session: Session) -> Questions:
            sums = [sum(answer) for answer in (yield [split(seat, n=7 + seat) for seat in range(2)]).values()]
            session.record([sums[0] - sums[1], sums[1] - sums[0]], sum=sums)

    class Large(Small):
        name = "large"
        decisions = (more, split)

    answers = "int split(const View *view, int32_t *answer) { answer[0] = %d; answer[1] = view->n; return 2; }\n"
    unasked = "int more(const View *view) { return 0; }\n"
    bots = {name: (".c", answers % number + unasked) for name, number in {"one": 1, "two": 2}.items()}
    contests = [get_contest(Small), get_contest(Large)]
    for contest in contests:  # both are made before either is played
        _, rows = play_field(contest, bots, sessions=1)["one", "two"]
        assert rows["games"]["sum_0"][0] == 1 + 7
        assert rows["games"]["sum_1"][0] == 2 + 8


def test_contest_of_255_decisions_asks_bots_of_every_kind() -> None:
    asks = tuple(Decision(f"ask_{i}", "m", observation={"n": Int(0, 999)}, answer=Int(0, 999)) for i in range(255))

    class Many(Rules):
        name = "many"
        seats = 2
        decisions = asks
        columns = (Column("sum", "int32", "m", per_seat=True),)

        def play(self, session: Session) -> Questions:
            sums = [0, 0]
            for number, ask in enumerate(asks):
                answers = yield [ask(seat, n=number) for seat in range(2)]
                sums = [total + answers[seat] for seat, total in enumerate(sums)]
            session.record([0, 0], sum=sums)

    in_c = "".join(f"int ask_{i}(const View *view) {{ return (view->n + {i}) / 2; }}\n" for i in range(255))
    program = """import json, sys
sys.stdin.readline()
for line in sys.stdin:
    question = json.loads(line)
    n = question["n"]
    print("ACTION", (n + int(question["decision"][4:])) // 2, flush=True)
"""
    bots = {"in_c": (".c", in_c), "program": ("", program)}
    for result, rows in play_field(get_contest(Many), bots, sessions=1).values():
        assert not result.faults
        assert rows["games"]["sum_0"][0] == rows["games"]["sum_1"][0] == sum(range(255))


def test_program_answers_keep_all_64_bits() -> None:
    numbers = [-(2**63), -(2**63) + 1, 2**63 - 1, 2**63 - 9, -(10**18)]

    class Wide(Rules):
        name = "wide"
        seats = 2
        zero_sum = False
        decisions = (Decision("name", "m", observation={"i": Int(0, 9)}, answer=Int(-(2**63), 2**63 - 1)),)
        columns = (Column("named", "int64", "m", per_seat=True),)

        def play(self, session: Session) -> Questions:
            for i in range(len(numbers)):
                answers = yield [self.decisions[0](seat, i=i) for seat in range(2)]
                session.record([0, 0], named=answers)

    program = f"""import json, sys
sys.stdin.readline()
for line in sys.stdin:
    print("ACTION", {numbers}[json.loads(line)["i"]], flush=True)
"""
    in_python = f"def name(view):\n    return {numbers}[view.i]\n"
    _, rows = play_field(get_contest(Wide), {"a": ("", program), "b": (".py", in_python)}, sessions=1)["a", "b"]
    assert rows["games"]["named_0"].tolist() == rows["games"]["named_1"].tolist() == numbers


def test_game_without_end_is_a_mistake_of_the_rules() -> None:
    class Endless(Rules):
        name = "endless"
        seats = 2
        decisions = (Decision("act", "m", observation={}, answer=Int(0, 1)),)

        def play(self, session: Session) -> Questions:
            for game in range(3):
                for _ in range(30 if game == 2 else 20):
                    yield self.decisions[0](0)
                session.record([0, 0])

    bots = dict.fromkeys("ab", (".c", "int act(const View *view) { return 0; }\n"))
    contest = get_contest(Endless)
    ((result, _),) = play_field(contest, bots, sessions=1, max_questions=30).values()
    assert result.sums[0].points == 0
    with pytest.raises(RunError, match="game 2: ValueError: a game has more than 29 questions; raise max_questions"):
        play_field(contest, bots, sessions=1, max_questions=29)


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
        ({"columns": (Column("bot_0", "int8", "m"),)}, "no column can be called bot_0"),
        ({"seats": 0}, 'seats is 0; expected 1 to 64, a range of them, or "all"'),
        ({"seats": range(2, 70)}, "expected 1 to 64"),
        ({"play": Rules.play}, r"it has no method play\(self, session\)"),
        ({"decisions": PICK}, r"decisions are a tuple, as in decisions = \("),
        ({"columns": (Column("n", "int", "m"),)}, "unknown column type int; expected one of: bool, int8,"),
        ({"columns": (Column("n", "int8", "m"),) * 2}, "no column can be called n: two of columns are called so"),
        ({"columns": (Column("points_0", "int8", "m"),)}, "no column can be called points_0: every contest has"),
        ({"settings_class": int}, "settings_class is <class 'int'>, which is no subclass of Settings"),
        ({"settings_class": "x"}, "settings_class is 'x', which is no subclass of Settings"),
    ],
)
def test_wrong_declaration_is_refused_before_play(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        get_contest(type("Wrong", (Picking,), {"name": "wrong", **changed}))


@pytest.mark.parametrize("name", ["int", "class", "Dice", "2dice", "decision", "f", "di-ce", "", "lambda"])
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
    with pytest.raises(ValueError, match="v_count"):
        build_view([one("a", v=List(Int(0, 1), 3, "v"), v_count=Int(0, 1, "n"))], 2)
    with pytest.raises(ValueError, match="numbers, those of another texts"):
        build_view([answered(LegalAction(Int(0, 1), 3)), answered(LegalAction(Text(), 3))], 2)
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
        (lambda: Float("v", 2, 1), r"lowest number, 2, is not below the highest, 1: Float\(description, low, high\)"),
        (lambda: List(Float(), -1, "v"), "at most -1 items"),
        (lambda: List(Int(0, 1)), "a list has a greatest length"),
        (lambda: LegalAction(Float(), 3), "legal actions are numbers or texts"),  # type: ignore[arg-type]
        (lambda: Choice([]), "a choice is among 1 to"),
        (lambda: Choice(["a b", "a-b"]), "a choice is among 1 to"),
        (lambda: Choice(["2nd"]), "'2nd' can't name a choice"),
        (lambda: answered(Int(0, 1), default=5), "a: the default answer 5 is wrong: 5 is not from 0 to 1"),
        (lambda: answered(List(Int(0, 1), 2)), "needs default="),
        (lambda: answered(List(Int(0, 1), 2), default=[0] * 3), "is wrong: 3 items"),
        (lambda: answered(Text(2), default="é!"), "is wrong: a text of 3 bytes"),
        (lambda: answered(Text(), default=""), r"a greatest length: Text\(max_length\)"),
        (lambda: answered(List(Text(3), 2), default=[]), "can't be a list of texts"),
        (lambda: answered(Text(1 << 16), default=""), "takes up to 65537 bytes, at most 65536 are possible"),
        (lambda: answered(List(Float(), 8193), default=[]), "takes up to 65544 bytes"),
        (lambda: List(List(List(List(List(Int(0, 1), 2), 2), 2), 2), 2), "5 deep; at most 4"),
        (lambda: Struct(**{"class": Int(0, 1)}), "can't name a field"),
        (lambda: Struct(x=3), "expected a type"),  # type: ignore[arg-type]
        (
            lambda: build_view([answered(Bool(), observation={"has_x": Bool(), "x": Maybe(Bool())})], 2),
            "C bots have the name has_x for a part of x",
        ),
        (lambda: answered(Bool(), observation={"answer": Bool()}), "can be called answer"),
        (lambda: answered(Struct(x=List(Int(0, 1), 2))), "needs default="),
        (lambda: answered(Int(0, 9))(0, answer=Int(0, 3), default=9), "the default answer 9 is not legal"),
    ],
)
def test_impossible_type_is_refused_at_declaration(declare: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        declare()


def answered(answer: ValueType, **more: Any) -> Decision:
    return Decision("a", "m", **{"observation": {}, "answer": answer, **more})


def test_rules_that_define_ask_themselves_keep_their_own() -> None:
    class OwnAsking(Picking):
        def ask(self, position: int) -> Question:
            return PICK(position + 1)

    assert Picking(None).ask.pick(0).position == 0
    assert OwnAsking(None).ask(0).position == 1
