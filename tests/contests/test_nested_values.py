"""Grids, records and values that might be missing: as bots of every kind get them, and as they answer them."""

from __future__ import annotations

import ctypes
import inspect
import json
import zlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.python_rules import play_field
from tournament.api import run
from tournament.conformance import ContestSuite, extremes
from tournament.decisions.struct_layout import build_view
from tournament.entrants.new import write_new_bot
from tournament.rules import (
    Bool,
    Choice,
    Decision,
    Float,
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
from tournament.rules.contests import contest_of
from tournament.runner.listener import NullListener
from tournament.store.columns import Column

FEW = settings(max_examples=60, deadline=None, derandomize=True)
POINT = Struct("a cell", x=Int(0, 9), y=Int(-(2**40), 2**40))
OBSERVED: dict[str, ValueType] = {
    "n": Int(0, 99),
    "ahead": Bool("whether you are ahead"),
    "flags": List(Bool(), 3),
    "board": List(List(Int(-1, 9), 4), 3, "row by row"),
    "wide": List(List(Float(), 2), 2),
    "target": Maybe(Int(0, 9), "a target"),
    "at": POINT,
    "path": List(POINT, 3),
    "marks": List(Maybe(Choice(["red", "blue"])), 3),
    "note": Struct(word=Text(), size=Int(0, 99)),
    "price": Float("a price", 0, 99, single=True),
    "last": Int(0, 99),
}
ANSWERS: dict[str, tuple[ValueType, Any]] = {
    "point": (POINT, {"x": 1, "y": 2}),
    "grid": (List(List(Int(-5, 99), 4), 3), [[1]]),
    "maybe": (Maybe(Int(0, 99)), 7),
    "yes": (Bool(), True),
    "cost": (
        Struct(a=Float(single=True), b=List(Float(single=True), 3), c=Float(low=0, high=20)),
        {"a": 0.0, "b": [], "c": 1.0},
    ),
    "moves": (List(Struct(to=POINT, name=Text(6), fast=Bool()), 2), []),
}


def shown(n: int) -> dict[str, Any]:
    point = {"x": n % 10, "y": (1 << 33) * n}
    return {
        "n": n,
        "ahead": n % 2 == 1,
        "flags": [n % 2 == 0] * (n % 4),
        "board": [[n % 9, -1, place][: 1 + place] for place in range(n % 4)],
        "wide": [[n / 4, 0.5], [n + 0.25]],
        "target": n % 10 if n % 3 else None,
        "at": point,
        "path": [point] * (n % 4),
        "marks": [None, "blue", "red"][: n % 4],
        "note": {"word": "é" * n, "size": n},
        "price": n + 0.25,
        "last": 98,
    }


def answer(name: str, told: dict[str, Any]) -> Any:
    """What all bots answer: worked out from all that C bots get, too."""
    n = told["n"] + told["ahead"] + sum(told["flags"]) + sum(map(sum, told["board"])) + len(told["board"])
    n += sum(int(4 * one) for row in told["wide"] for one in row) + (told["target"] or 0) + told["at"]["x"]
    n += (
        sum(one["x"] + one["y"] // 2**33 for one in told["path"])
        + told["note"]["size"]
        + told["last"]
        + int(4 * told["price"])
    )
    n += sum(2 + (mark == "blue") for mark in told["marks"] if mark is not None)
    n %= 97
    point = {"x": n % 10, "y": n * 2**33}
    moves = [{"to": point, "name": "né", "fast": n % 2 == 1}] * (n % 3)
    return {
        "point": point,
        "grid": [[n, -1], [], [n % 7]][: n % 4],
        "maybe": n if n % 2 else None,
        "yes": n % 3 == 0,
        "cost": {"a": n / 4, "b": [n + 0.125] * (n % 4), "c": n / 8},
        "moves": moves,
    }[name]


class Nested(Rules):
    name = "nested"
    seats = 2
    decisions = tuple(
        Decision(name, "Answer", observation=OBSERVED, answer=kind, default=default)
        for name, (kind, default) in ANSWERS.items()
    )
    columns = tuple(Column(name, "uint32", f"hash of {name}", per_seat=True) for name in ANSWERS)

    def play(self, session: Session) -> Questions:
        told, hashes = shown(session.number), {}
        for one in self.decisions:
            got = yield [one(seat, **told) for seat in range(2)]
            hashes[one.name] = {seat: hash_of(value) for seat, value in got.items()}
        session.record([0, 0], **hashes)


def hash_of(value: Any) -> int:
    return zlib.crc32(json.dumps(value, sort_keys=True).encode())


IN_C = """\
#include <string.h>
static int64_t sum(const View *v)
{
    int64_t n = v->n + v->ahead;
    for (int i = 0; i < v->flags_count; i++) n += v->flags[i];
    for (int i = 0; i < v->board_count; i++)
        for (int j = 0; j < v->board_lengths[i]; j++) n += v->board[i][j];
    for (int i = 0; i < v->wide_count; i++)
        for (int j = 0; j < v->wide_lengths[i]; j++) n += (int)(4 * v->wide[i][j]);
    n += v->board_count + (v->has_target ? v->target : 0) + v->at.x + v->note.size + v->last + (int)(4 * v->price);
    for (int i = 0; i < v->path_count; i++) n += v->path[i].x + v->path[i].y / (1LL << 33);
    for (int i = 0; i < v->marks_count; i++) if (v->marks[i].has_value) n += 2 + (v->marks[i].value == BLUE);
    return n % 97;
}
void point(const View *v, PointAnswer *answer) { answer->x = sum(v) % 10; answer->y = sum(v) << 33; }
void grid(const View *v, GridAnswer *answer)
{
    int64_t n = sum(v);
    answer->value_count = n % 4;
    answer->value[0][0] = n; answer->value[0][1] = -1; answer->value_lengths[0] = 2;
    answer->value_lengths[1] = 0;
    answer->value[2][0] = n % 7; answer->value_lengths[2] = 1;
}
void maybe(const View *v, MaybeAnswer *answer) { answer->has_value = sum(v) % 2; answer->value = sum(v); }
int yes(const View *v) { return sum(v) % 3 == 0; }
void cost(const View *v, CostAnswer *answer)
{
    answer->a = sum(v) / 4.0f; answer->c = sum(v) / 8.0; answer->b_count = sum(v) % 4;
    for (int i = 0; i < answer->b_count; i++) answer->b[i] = sum(v) + 0.125f;
}
void moves(const View *v, MovesAnswer *answer)
{
    answer->value_count = sum(v) % 3;
    for (int i = 0; i < answer->value_count; i++) {
        answer->value[i].to.x = sum(v) % 10;
        answer->value[i].to.y = sum(v) << 33;
        strcpy(answer->value[i].name, "n\\u00e9");
        answer->value[i].fast = sum(v) % 2;
    }
}
"""
# The bots work it out as the test does.
_SUM = inspect.getsource(answer).replace("(name: str, told: dict[str, Any]) -> Any", "(name, told)")
IN_PYTHON = _SUM + "".join(
    f"def {name}(view): return answer({name!r}, {{k: getattr(view, k) for k in {list(OBSERVED)}}})\n"
    for name in ANSWERS
)
PROGRAM = f"""\
import json, sys
{_SUM}
sys.stdin.readline()
for line in sys.stdin:
    told = json.loads(line)
    print("ACTION", json.dumps(answer(told["decision"], told)), flush=True)
"""
BOTS = {"c": (".c", IN_C), "cpp": (".cpp", IN_C), "program": ("", PROGRAM), "py": (".py", IN_PYTHON)}


def test_nested_values_reach_all_bots_and_return() -> None:
    for (x, y), (result, rows) in play_field(contest_of(Nested), BOTS, sessions=12).items():
        assert result.faults == (), (x, y)
        for name in ANSWERS:
            expected = [hash_of(answer(name, shown(n))) for n in range(12)]
            assert rows["games"][f"{name}_0"].tolist() == rows["games"][f"{name}_1"].tolist() == expected, (x, y, name)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("point", "{'x': 1}"),
        ("point", "{'x': 1, 'y': 2, 'z': 3}"),
        ("point", "{'x': 10, 'y': 2}"),
        ("point", "[1, 2]"),
        ("point", "None"),
        ("grid", "[[1], 2]"),
        ("grid", "[[1]] * 4"),
        ("grid", "[[100]]"),
        ("maybe", "100"),
        ("maybe", "[None]"),
        ("yes", "2"),
        ("cost", "{'a': 1, 'b': [], 'c': 21}"),
        ("yes", "None"),
        ("yes", "'yes'"),
        ("moves", "[{'to': {'x': 1, 'y': 2}, 'name': 'too long', 'fast': True}]"),
        ("moves", "[{'to': None, 'name': '', 'fast': True}]"),
    ],
)
def test_wrong_nested_answer_is_fault_with_default(name: str, body: str) -> None:
    wrong = f"{IN_PYTHON}\ndef {name}(view): return {body}\n"
    bots = {"a": (".py", wrong), "b": (".c", IN_C)}
    ((result, rows),) = play_field(contest_of(Nested), bots, sessions=1, max_faults=9).values()
    assert [(fault.seat, fault.decision) for fault in result.faults] == [(0, name)]
    assert rows["games"][f"{name}_0"].tolist() == [hash_of(ANSWERS[name][1])]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("answer->value_lengths[0] = 2", "answer->value_lengths[0] = 5"),
        ("answer->value_count = n % 4", "answer->value_count = -1"),
        ('strcpy(answer->value[i].name, "n\\u00e9")', "memset(answer->value[i].name, 65, 7)"),
        ("answer->x = sum(v) % 10", "answer->x = 11"),
    ],
)
def test_nested_answer_that_c_left_wrong_is_a_fault(old: str, new: str) -> None:
    assert old in IN_C
    bots = {"a": (".c", IN_C.replace(old, new)), "b": (".py", IN_PYTHON)}
    ((result, _),) = play_field(contest_of(Nested), bots, sessions=6, max_faults=99).values()
    assert result.faults
    assert all(fault.seat == 0 and "which is no answer to this" in fault.message for fault in result.faults)


CODES: dict[str, Any] = {
    "i": ctypes.c_int32,
    "c": ctypes.c_int32,
    "b": ctypes.c_int32,
    "q": ctypes.c_int64,
    "d": ctypes.c_double,
    "f": ctypes.c_float,
}
SIMPLE = st.sampled_from([Int(0, 5), Int(0, 2**40), Float(), Float(single=True), Bool(), Choice(["a", "b"])])
KINDS = st.recursive(
    SIMPLE,
    lambda kinds: st.one_of(
        st.builds(List, kinds.filter(lambda kind: kind.depth < 3), st.integers(0, 3)),
        st.builds(Maybe, kinds.filter(lambda kind: not isinstance(kind, Maybe))),
        kinds.filter(lambda kind: kind.depth < 3).map(lambda kind: Struct(a=kind, b=Int(0, 1))),
    ),
    max_leaves=4,
)


def in_ctypes(name: str, kind: ValueType) -> list[tuple[str, Any]]:
    """The members of a value as a struct of ctypes has them."""
    if isinstance(kind, Maybe):
        return [(f"has_{name}", ctypes.c_int32), *in_ctypes(name, kind.of)]
    if isinstance(kind, Struct):
        return [(name, struct_of(kind.fields))]
    if not isinstance(kind, List):
        return [(name, CODES[kind.code])]
    count, room, item = [(f"{name}_count", ctypes.c_int32)], max(1, kind.most), kind.of
    if item.code in CODES:
        return [*count, (name, CODES[item.code] * room)]
    if isinstance(item, List) and item.of.code in CODES:
        rows: Any = CODES[item.of.code] * max(1, item.most) * room
        return [*count, (f"{name}_lengths", ctypes.c_int32 * room), (name, rows)]
    return [*count, (name, struct_of(item.fields if isinstance(item, Struct) else {"value": item}) * room)]


def struct_of(fields: Any) -> type[ctypes.Structure]:
    members = [member for name, kind in fields.items() for member in in_ctypes(name, kind)]
    return type("Laid", (ctypes.Structure,), {"_fields_": members})


@FEW
@given(st.lists(KINDS, max_size=5))
def test_nested_values_lie_where_c_looks_for_them(kinds: list[ValueType]) -> None:
    observed = {f"v{i}": kind for i, kind in enumerate(kinds)}
    decision = Decision("act", "m", observation=observed, answer=Int(0, 1))
    seating = [("seats", ctypes.c_int32 * 2), ("players", ctypes.c_int32 * 5)]
    members = [member for name, kind in observed.items() for member in in_ctypes(name, kind)]
    expected = type("Expected", (ctypes.Structure,), {"_fields_": seating + members})
    view = build_view([decision], 5)
    assert view.size >= ctypes.sizeof(expected)
    for name, slot in view.slots.items():
        assert slot.value == getattr(expected, name).offset, name
        assert not isinstance(observed[name], List) or slot.count == getattr(expected, f"{name}_count").offset, name


# Narrowed answers


BET = Decision("bet", "Bet", observation={"stack": Int(0, 100)}, answer=Int(0, 100))
WAY = Decision("way", "Go", observation={"n": Int(0, 9)}, answer=Choice(["up", "down", "left"]), default="left")


class Betting(Rules):
    """Each may bet no more than its stack, and go only some ways."""

    name = "betting"
    seats = 2
    decisions = (BET, WAY)
    columns = (Column("bet", "int32", "bet", per_seat=True), Column("way", "uint32", "way", per_seat=True))

    def play(self, session: Session) -> Questions:
        stack = 5 + session.number
        bets = yield [self.ask.bet(seat, stack=stack, answer=Int(2, stack)) for seat in range(2)]
        ways = yield [self.ask.way(seat, n=0, answer=Choice(["up", "left"])) for seat in range(2)]
        session.record([0, 0], bet=bets, way={seat: len(way) for seat, way in ways.items()})


@pytest.mark.parametrize(
    "over",
    [
        (".c", "int bet(const View *view) { return view->stack + 1; }\nint way(const View *view) { return DOWN; }\n"),
        (".py", "def bet(view): return view.stack + 1\ndef way(view): return 'down'\n"),
    ],
)
def test_answer_beyond_what_the_question_narrows_is_a_fault(over: tuple[str, str]) -> None:
    most = "int bet(const View *view) { return view->stack; }\nint way(const View *view) { return LEFT; }\n"
    field = play_field(contest_of(Betting), {"a": over, "b": (".c", most)}, sessions=3, max_faults=99)
    ((result, rows),) = field.values()
    assert [fault.seat for fault in result.faults] == [0] * 6
    assert {fault.message.partition("; ")[2] for fault in result.faults if fault.decision == "bet"} == {
        "it takes 2 to 5", "it takes 2 to 6", "it takes 2 to 7"
    }  # fmt: skip
    bets = sorted(rows["games"]["bet_0"].tolist() + rows["games"]["bet_1"].tolist())
    assert bets == [2, 2, 2, 5, 6, 7]  # the lowest that is legal counts at a fault, not 0
    assert rows["games"]["way_0"].tolist() == rows["games"]["way_1"].tolist() == [4] * 3


@pytest.mark.parametrize(
    ("decision", "answer"),
    [
        (BET, Int(0, 101)),
        (BET, Int(-1, 5)),
        (BET, Bool()),
        (BET, 5),
        (WAY, Choice(["up", "right"])),
        (Decision("pick", "m", observation={}, answer=LegalAction(Int(0, 9), 3)), Int(0, 3)),
    ],
)
def test_wider_answer_type_is_error_of_rules(decision: Decision, answer: Any) -> None:
    told = {name: 0 for name in decision.observation if name != "legal_actions"}
    with pytest.raises(ValueError, match="is not narrower than the declared"):
        decision(0, **told, answer=answer)


def test_narrowed_default_that_is_illegal_is_refused() -> None:
    with pytest.raises(ValueError, match="the default answer 9 is not legal"):
        BET(0, stack=3, answer=Int(0, 3), default=9)


# Decisions that follow settings


LONG = """\
from pydantic import Field

from tournament.rules import Decision, Int, List, Rules, Settings


class LongSettings(Settings):
    most: int = Field(1, ge=1, le=5000, description="numbers of an answer")


class Long(Rules):
    name, seats, settings_class = "long", 2, LongSettings

    @staticmethod
    def decisions(settings):
        return [Decision("say", "Say", observation={}, answer=List(Int(0, 9), settings.most), default=[])]

    def play(self, session):
        said = yield [self.ask.say(seat) for seat in range(2)]
        session.record([len(said[0]) - len(said[1]), len(said[1]) - len(said[0])])
"""


def test_run_plays_with_the_limits_of_its_settings(tmp_path: Path) -> None:
    """With those of the defaults the answer would be too long for the worker, and the struct too small."""
    (tmp_path / "long.py").write_text(LONG)
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "py.py").write_text("def say(view): return [7] * 900\n")
    loop = "for (int i = 0; i < 800; i++) answer[i] = 5; return 800;"
    (tmp_path / "bots" / "c.c").write_text(f"int say(const View *view, int32_t answer[900]) {{ {loop} }}\n")
    table = '[long]\nrules = "long.py"\nentrants = "bots"\nsessions = 2\nmost = 900\nseed = "a seed of long"\n'
    (tmp_path / "tournament.toml").write_text(table)
    results = run("long", config=tmp_path / "tournament.toml", workers=1, executor="local", listener=NullListener())
    assert results.faults.empty
    assert sorted(results.sessions[["points_0", "points_1"]].iloc[0]) == [-100, 100]


def test_template_of_nested_answers_can_enter(tmp_path: Path) -> None:
    (tmp_path / "grid.py").write_text(
        "from pydantic import Field\n"
        "from tournament.rules import *\n\n\n"
        "class GridSettings(Settings):\n"
        '    side: int = Field(3, ge=1, le=50, description="side")\n\n\n'
        "class Grid(Rules):\n"
        '    name, seats, settings_class = "grid", 2, GridSettings\n\n'
        "    @staticmethod\n"
        "    def decisions(settings):\n"
        "        cell = Int(0, settings.side - 1)\n"
        "        moves = List(Struct(to=Struct(x=cell, y=cell), name=Text(3)), 2)\n"
        '        first = [{"to": {"x": 0, "y": 0}, "name": "a"}]\n'
        '        maybe = Decision("skip", "Skip", observation={"on": Bool()}, answer=Maybe(Bool()))\n'
        '        return [Decision("go", "Go", observation={"at": cell}, answer=moves, default=first), maybe]\n\n'
        "    def play(self, session):\n"
        "        for seat in range(2):\n"
        "            yield self.ask.go(seat, at=self.settings.side - 1)\n"
        "            yield self.ask.skip(seat, on=True)\n"
        "        session.record([0, 0])\n"
    )
    suite = ContestSuite("grid", tmp_path / "suite", rules=str(tmp_path / "grid.py"), sessions=2, side=7)
    extremes(suite)


def test_impossible_types_are_refused() -> None:
    deep: ValueType = Int(0, 1)
    with pytest.raises(ValueError, match="5 deep; at most 4"):
        for _ in range(5):
            deep = List(deep, 2)
    with pytest.raises(ValueError, match="can't name a field"):
        Struct(**{"class": Int(0, 1)})
    with pytest.raises(ValueError, match="expected a type"):
        Struct(x=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="C bots have the name has_x for a part of x"):
        build_view([Decision("a", "m", observation={"has_x": Bool(), "x": Maybe(Int(0, 1))}, answer=Bool())], 2)
    with pytest.raises(ValueError, match="can be called answer"):
        Decision("a", "m", observation={"answer": Bool()}, answer=Bool())
    with pytest.raises(ValueError, match="needs default="):
        Decision("a", "m", observation={}, answer=Struct(x=List(Int(0, 1), 2)))


class Leaving(Rules):
    """An answer that may be nothing, and is nothing by default."""

    name = "leaving"
    seats = 2
    decisions = (Decision("leave", "Leave", observation={"n": Int(0, 9)}, answer=Maybe(Struct(x=Int(0, 3)))),)
    columns = (Column("left", "bool", "left", per_seat=True),)

    def play(self, session: Session) -> Questions:
        left = yield [self.ask.leave(seat, n=1) for seat in range(2)]
        session.record([0, 0], left={seat: one is None for seat, one in left.items()})


def test_templates_whose_answer_is_nothing_write_it(tmp_path: Path) -> None:
    contest = contest_of(Leaving)
    program = write_new_bot(contest, tmp_path, "program", "program-python")
    bots = {"c": (".c", write_new_bot(contest, tmp_path, "in_c", "c").read_text())}
    bots |= {"program": ("", (program / "bot.py").read_text())}
    ((result, rows),) = play_field(contest, bots, sessions=2, program_seconds=20).values()
    assert result.faults == ()
    assert rows["games"]["left_0"].all() and rows["games"]["left_1"].all()
