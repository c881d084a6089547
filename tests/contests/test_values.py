"""Values of every type, as bots observe and answer them, and which answers are faults."""

from __future__ import annotations

import inspect
import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.commands import run_cli
from tests.python_rules import of_seat, play_field, play_table
from tournament.api import run
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

SIGNS = ("rock", "paper", "scissors")
PHRASES = ["yes", "no", "perhaps, né"]
WORDS = ["", "naïve → ∞", "𝔘🂡", 'quo"te\\ and\nline']
POINT = Struct("a cell", x=Int(0, 9), y=Int(-(2**63), 2**63 - 1))
OBSERVED: dict[str, ValueType] = {
    "n": Int(0, 99),
    "ahead": Bool("whether you are ahead"),
    "shares": List(Float(), 3),
    "board": List(List(Int(-1, 9), 4), 3, "row by row"),
    "target": Maybe(Int(0, 9), "a target"),
    "at": POINT,
    "path": List(POINT, 3),
    "marks": List(Maybe(Choice(["red", "blue"])), 3),
    "note": Struct(word=Text(), size=Int(0, 99)),
    "words": List(Text()),
    "price": Float("a price", 0, 99, single=True),
    # Both begin in the middle of eight bytes, so that their alignment shows.
    "rows": Struct(odd=Bool(), each=List(List(Float(), 2), 3)),
    "last": Choice(SIGNS, "a sign"),
    "ends": Struct(odd=Bool(), each=List(Struct(far=Float(), near=Int(0, 9)), 2)),
}
# Types and defaults.
ANSWERS: dict[str, tuple[ValueType, Any]] = {
    "share": (Float("a number"), 0.0),
    "word": (Text(12), "é"),
    "split": (List(Int(0, 10), 5), [7]),
    "sign": (Choice(SIGNS), "rock"),
    "say": (LegalAction(Text(), 3, "a phrase"), "yes"),
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
    point = {"x": n % 10, "y": (n << 56) + 1}
    return {
        "n": n,
        "ahead": n % 2 == 1,
        "shares": [n / 8, 0.5][: n % 3],
        "board": [[n % 9, -1, place][: 1 + place] for place in range(n % 4)],
        "target": n % 10 if n % 3 else None,
        "at": point,
        "path": [point] * (n % 4),
        "marks": [None, "blue", "red"][: n % 4],
        "note": {"word": "é" * n, "size": n},
        "words": WORDS[: n % 5],
        "price": n + 0.25,
        "last": SIGNS[n % 3],
        "rows": {"odd": n % 2 == 1, "each": [[n / 2, 3.0, 0.0][: n % 3]] * (n % 4)},
        "ends": {"odd": n % 2 == 1, "each": [{"far": 0.5, "near": n % 10}] * (n % 3)},
    }


def answer(name: str, told: dict[str, Any]) -> Any:
    """Return what all bots answer, which follows from all that bots in C observe."""
    n = told["n"] + told["ahead"] + sum(map(sum, told["board"]))
    n += sum(int(8 * one) for one in told["shares"]) + len(told["board"]) + (told["target"] or 0) + told["at"]["x"]
    n += told["note"]["size"] + int(4 * told["price"])
    n += sum(one["x"] + (one["y"] >> 56) for one in told["path"]) + ["rock", "paper", "scissors"].index(told["last"])
    n += sum(2 + (mark == "blue") for mark in told["marks"] if mark is not None)
    n += told["rows"]["odd"] + int(2 * sum(map(sum, told["rows"]["each"])))
    n += told["ends"]["odd"] + sum(one["near"] + int(2 * one["far"]) for one in told["ends"]["each"])
    n %= 97
    point = {"x": n % 10, "y": (n << 56) + 1}
    return {
        "share": n / 4,
        "word": f"né{n}",
        "split": [(n + i) % 11 for i in range(n % 6)],
        "sign": told["last"],
        "say": ["yes", "no", "perhaps, né"][n % 3],
        "point": point,
        "grid": [[n, -1], [], [n % 7]][: n % 4],
        "maybe": n if n % 2 else None,
        "yes": n % 3 == 0,
        "cost": {"a": n / 4, "b": [n + 0.125] * (n % 4), "c": n / 8},
        "moves": [{"to": point, "name": "né", "fast": n % 2 == 1}] * (n % 3),
    }[name]


class Values(Rules):
    """Rules that ask both seats together for an answer of each type, and record what came."""

    name = "values"
    seats = 2
    decisions = tuple(
        Decision(name, "Answer", observation=OBSERVED, answer=kind, default=None if name == "say" else default)
        for name, (kind, default) in ANSWERS.items()
    )
    columns = tuple(Column(name, "uint32", f"hash of {name}", per_seat=True) for name in ANSWERS)

    def play(self, session: Session) -> Questions:
        told, hashes = shown(session.number), {}
        for one in self.decisions:
            legal = {"legal_actions": PHRASES} if one.name == "say" else {}
            got = yield [one(seat, **told, **legal) for seat in range(2)]
            hashes[one.name] = {seat: hash_of(value) for seat, value in got.items()}
        session.record([0, 0], **hashes)


def hash_of(value: Any) -> int:
    return zlib.crc32(json.dumps(value, sort_keys=True).encode())


IN_C = """\
#include <string.h>
static int64_t sum(const View *v)
{
    int64_t n = v->n + v->ahead + v->last;
    for (int i = 0; i < v->shares_count; i++) n += (int)(8 * v->shares[i]);
    for (int i = 0; i < v->board_count; i++)
        for (int j = 0; j < v->board_lengths[i]; j++) n += v->board[i][j];
    n += v->board_count + (v->has_target ? v->target : 0) + v->at.x + v->note.size + (int)(4 * v->price);
    for (int i = 0; i < v->path_count; i++) n += v->path[i].x + (v->path[i].y >> 56);
    for (int i = 0; i < v->marks_count; i++) if (v->marks[i].has_value) n += 2 + (v->marks[i].value == BLUE);
    for (int i = 0; i < v->rows.each_count; i++)
        for (int j = 0; j < v->rows.each_lengths[i]; j++) n += (int)(2 * v->rows.each[i][j]);
    for (int i = 0; i < v->ends.each_count; i++) n += v->ends.each[i].near + (int)(2 * v->ends.each[i].far);
    return (n + v->rows.odd + v->ends.odd) % 97;
}
double share(const View *v) { return sum(v) / 4.0; }
void word(const View *v, char answer[13]) { sprintf(answer, "né%d", (int)sum(v)); }
int split(const View *v, int32_t answer[5])
{
    for (int i = 0; i < sum(v) % 6; i++) answer[i] = (sum(v) + i) % 11;
    return sum(v) % 6;
}
int sign(const View *v)
{
    static const int signs[] = {ROCK, PAPER, SCISSORS};
    return v->last == signs[v->n % 3] ? v->last : -1;
}
int say(const View *v) { return sum(v) % v->legal_actions_count; }
void point(const View *v, PointAnswer *answer) { answer->x = sum(v) % 10; answer->y = (sum(v) << 56) + 1; }
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
        answer->value[i].to.y = (sum(v) << 56) + 1;
        strcpy(answer->value[i].name, "n\\u00e9");
        answer->value[i].fast = sum(v) % 2;
    }
}
"""
# The bots work it out as the test does. They see texts as they were, too.
_SUM = inspect.getsource(answer).replace("(name: str, told: dict[str, Any]) -> Any", "(name, told)")
_SUM += (
    f"def checked(name, told):\n    assert told['words'] == {WORDS}[: told['n'] % 5]\n    return answer(name, told)\n"
)
IN_PYTHON = _SUM + "".join(
    f"def {name}(view): return checked({name!r}, {{k: getattr(view, k) for k in {list(OBSERVED)}}})\n"
    for name in ANSWERS
)
IN_CLASS = _SUM + "class Player:\n" + "".join(
    f"    def {name}(self, view): return checked({name!r}, {{k: getattr(view, k) for k in {list(OBSERVED)}}})\n"
    for name in ANSWERS
)  # fmt: skip
PROGRAM = f"""\
import json, sys
{_SUM}
sys.stdin.readline()
for line in sys.stdin:
    told = json.loads(line)
    print("ACTION", json.dumps(checked(told["decision"], told)), flush=True)
"""
BOTS = {
    "c": (".c", IN_C),
    "cpp": (".cpp", IN_C),
    "object": (".py", IN_CLASS),
    "program": ("", PROGRAM),
    "by_number": (".py", f"{IN_PYTHON}\ndef sign(view): return view.n % 3\n"),
}


def test_bots_of_every_kind_observe_and_answer_every_type() -> None:
    for (x, y), (result, rows) in play_field(get_contest(Values), BOTS, sessions=30).items():
        assert (result.faults, result.games) == ((), 30), (x, y)
        for name in ANSWERS:
            expected = [hash_of(answer(name, shown(n))) for n in range(30)]
            assert rows["games"][f"{name}_0"].tolist() == rows["games"][f"{name}_1"].tolist() == expected, (x, y, name)


WRONG_IN_C = [
    ("share", "return NAN;", "no finite number"),
    ("word", "memset(answer, 'a', 13); return;", "a text without a 0 byte"),
    ("word", "answer[0] = '\\377'; return;", "a text that isn't UTF-8"),
    ("split", "return 6;", "a length of 6"),
    ("split", "answer[0] = 11; return 1;", "11 is not from 0 to 10"),
    ("sign", "return 3;", "3"),
    ("say", "return v->legal_actions_count;", "3"),
    ("point", "answer->x = 11; return;", "11 is not from 0 to 9"),
    ("grid", "answer->value_count = 1; answer->value_lengths[0] = 5; return;", "a length of 5"),
]
WRONG_IN_PYTHON = [
    ("share", "float('nan')", "answered nan, which is no answer"),
    ("word", "'x' * 13", "answered xxxxxxxxxxxxx, which is no answer to this; it takes a text of at most 12 bytes"),
    ("word", "'\\ud800'", "which is no answer to this"),
    ("split", "[1] * 6", "answered [1, 1, 1, 1, 1, 1], which"),
    ("sign", "'stone'", "answered stone, which"),
    ("say", "'maybe'", "answered maybe, which is no answer to this; it takes one of the legal actions"),
    ("split", "object()", "returned a object, expected a number, a text, a list or a dict"),
    ("split", "[[[[[[1]]]]]]", "returned lists within lists, more than 4 deep"),
    ("split", "[10**4999]", "returned a number of too many digits"),
    ("word", "'x' * 600000", "returned an answer of 600002 bytes, at most "),
]
WRONG_INSIDE = [
    ("point", "{'x': 1}"),
    ("point", "{'x': 1, 'y': 2, 'z': 3}"),
    ("point", "{'x': 10, 'y': 2}"),
    ("point", "[1, 2]"),
    ("grid", "[[1]] * 4"),
    ("grid", "[[100]]"),
    ("yes", "2"),
    ("cost", "{'a': 1, 'b': [], 'c': 21}"),
    ("moves", "[{'to': None, 'name': '', 'fast': True}]"),
]
WRONG_IN_PYTHON += [(name, body, "which is no answer to this") for name, body in WRONG_INSIDE]
WRONG_IN_PYTHON.append(("yes", "None", "returned None"))


def wrong_bot_in_c() -> str:
    """Return a bot that answers wrongly in each session as a row of WRONG_IN_C has it."""
    source = IN_C
    for number, (name, wrong, _) in enumerate(WRONG_IN_C):
        start = source.index("{", source.index(f" {name}(const View")) + 1
        source = f"{source[:start]} if (v->n == {number}) {{ {wrong} }}{source[start:]}"
    return source


def wrong_bot_in_python() -> str:
    return IN_PYTHON + "".join(
        f"right_{number} = {name}\ndef {name}(view): return {wrong} if view.n == {number} else right_{number}(view)\n"
        for number, (name, wrong, _) in enumerate(WRONG_IN_PYTHON)
    )


WRONG_PROGRAM = PROGRAM.replace("checked(told", "[99] if told['decision'] == 'split' else checked(told")
MANY = "answered [99], which is no answer to this; it takes at most 5 numbers from 0 to 10"
WRONG = {
    "c": (".c", wrong_bot_in_c(), WRONG_IN_C),
    "python": (".py", wrong_bot_in_python(), WRONG_IN_PYTHON),
    "program": ("", WRONG_PROGRAM, [("split", "", MANY)]),
}


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_answer_is_fault_with_default(kind: str) -> None:
    """Sessions have one wrong answer each, which the message quotes."""
    suffix, source, wrong = WRONG[kind]
    bots = {"a": (suffix, source), "b": (".c", IN_C)}
    ((result, rows),) = play_field(get_contest(Values), bots, sessions=len(wrong), max_faults=99).values()
    faults = [(fault.seat, fault.session, fault.decision) for fault in result.faults]
    assert faults == [(0, number, name) for number, (name, _, _) in enumerate(wrong)]
    for fault, (name, _, refused) in zip(result.faults, wrong):
        assert refused in fault.message, fault
        answers = [of_seat(rows["games"], name, seat)[fault.session] for seat in range(2)]
        assert answers == [hash_of(ANSWERS[name][1]), hash_of(answer(name, shown(fault.session)))], fault


def test_question_clears_memory_after_view() -> None:
    """Lists that aren't filled are zeros, whatever was answered before."""
    lazy = IN_C.replace("answer[i] = (sum(v) + i) % 11;", "if (v->n < 8) answer[i] = 9;")
    ((result, rows),) = play_field(
        get_contest(Values), {"a": (".c", lazy), "b": (".c", lazy)}, sessions=12, max_faults=0
    ).values()
    assert result.faults == ()
    wanted = [hash_of([9 * (n < 8)] * len(answer("split", shown(n)))) for n in range(12)]
    assert rows["games"]["split_0"].tolist() == wanted


class Losing(Rules):
    """Rules by which a position that answers illegally gives a point to each of the others, if `STRICT`."""

    name = "losing"
    seats = range(2, 4)
    STRICT = True
    decisions = (
        Decision("take", "Answer", observation={}, answer=Int(1, 3), illegal="loses"),
        Decision("show", "Answer", observation={}, answer=Choice(SIGNS), illegal="loses"),
        Decision("pick", "Answer", observation={}, answer=LegalAction(Int(0, 9), 3), illegal="loses"),
        Decision("split", "Answer", observation={}, answer=List(Int(0, 10), 5), default=[7], illegal="loses"),
        Decision("plain", "Answer", observation={}, answer=Int(0, 3)),
    )
    columns = tuple(Column(one.name, "uint32", f"hash of {one.name}", per_seat=True) for one in decisions)

    def play(self, session: Session) -> Questions:
        got: dict[str, dict[int, Any]] = {}
        for one in self.decisions:
            legal = {"legal_actions": [2, 4, 6]} if one.name == "pick" else {}
            got[one.name] = yield [one(seat, **legal) for seat in range(session.seats)]
        illegal = [any(isinstance(each[seat], Illegal) for each in got.values()) for seat in range(session.seats)]
        points = [sum(illegal) - (session.seats if lost else 0) for lost in illegal]
        said = {name: [hash_of(getattr(one, "answer", one)) for one in each.values()] for name, each in got.items()}
        session.record(points if self.STRICT else [0.0] * session.seats, **said)


LEGAL = {"take": 2, "show": "paper", "pick": 4, "split": [1], "plain": 3}
ILLEGAL = {"take": 9, "show": "stone", "pick": 5, "split": [11], "plain": 3}
LEGAL_IN_C = """\
int take(const View *view) { return 2; }
int show(const View *view) { return PAPER; }
int pick(const View *view) { return 4; }
int split(const View *view, int32_t answer[5]) { answer[0] = 1; return 1; }
int plain(const View *view) { return 3; }
"""
ILLEGAL_IN_C = (
    LEGAL_IN_C.replace("return 2", "return 9").replace("PAPER", "7").replace("4", "5", 1).replace("= 1", "= 11")
)


def in_python(answers: dict[str, Any]) -> str:
    return "".join(f"def {name}(view): return {answer!r}\n" for name, answer in answers.items())


LOSERS = {
    "c": (".c", ILLEGAL_IN_C, {"show": 7, "split": "11 is not from 0 to 10"}),
    "program": ("", PROGRAM.replace(_SUM, f"def checked(name, told): return {ILLEGAL}[name]\n"), {}),
    "python": (".py", in_python(ILLEGAL), {}),
}


@pytest.mark.parametrize("kind", LOSERS)
def test_losing_illegal_answer_reaches_rules_without_fault(kind: str) -> None:
    suffix, source, otherwise = LOSERS[kind]
    bots = {"a": (suffix, source), "b": (".c", LEGAL_IN_C)}
    ((result, rows),) = play_field(get_contest(Losing), bots, sessions=3, max_faults=0).values()
    assert (result.faults, result.games) == ((), 3)
    assert of_seat(rows["games"], "points", 0).tolist() == [-1.0] * 3
    for name in LEGAL:
        told = [hash_of({**ILLEGAL, **otherwise}[name]), hash_of(LEGAL[name])]
        assert [rows["games"][f"{name}_{seat}"][0] for seat in range(2)] == told, name


def test_missing_answer_is_fault_where_illegal_ones_lose() -> None:
    bots = {"a": (".py", in_python(LEGAL) + "def take(view): return 'two'\n"), "b": (".c", LEGAL_IN_C)}
    ((result, rows),) = play_field(get_contest(Losing), bots, sessions=1, max_faults=1).values()
    assert [(fault.decision, "returned" in fault.message) for fault in result.faults] == [("take", True)]
    assert (rows["games"]["points_0"].tolist(), rows["games"]["take_0"][0]) == ([0.0], hash_of(1))


@pytest.mark.parametrize(("seats", "losers"), [(2, 1), (3, 2)])
def test_rules_that_ignore_illegal_answer_end_run(seats: int, losers: int) -> None:
    lenient = type("Lenient", (Losing,), {"name": "lenient", "STRICT": False})
    bots = {f"b{seat}": (".py", in_python(ILLEGAL if seat < losers else LEGAL)) for seat in range(seats)}
    with pytest.raises(RunError, match=r"position 0 answered split illegally, which loses the game.*record 0\.0, 0\.0"):
        play_table(get_contest(lenient), bots, sessions=1)


PICK_ONE = """\
from tournament.rules import Decision, Int, Rules

PICK = Decision("pick", "Pick", observation={"turn": Int(0, 9)}, answer=Int(0, 3), illegal="loses")


class PickOne(Rules):
    name, seats, decisions = "pick_one", 2, (PICK,)

    def play(self, session):
        picks = yield [PICK(seat, turn=5) for seat in range(2)]
        lost = [not isinstance(pick, int) for pick in picks.values()]
        session.record([lost[1] - lost[0], lost[0] - lost[1]])
"""


def test_check_and_replay_show_illegal_answers(tmp_path: Path) -> None:
    (tmp_path / "pick_one.py").write_text(PICK_ONE)
    (tmp_path / "tournament.toml").write_text('[pick_one]\nrules = "pick_one.py"\nsessions = 4\nseed = "a"\n')
    bots = tmp_path / "entrants" / "pick_one"
    bots.mkdir(parents=True)
    for name, pick in (("a", 9), ("b", 1)):
        (bots / f"{name}.py").write_text(in_python({"pick": pick}))
    config = ("--config", str(tmp_path / "tournament.toml"))
    told = run_cli("check", str(bots / "a.py"), *config)
    remark = "pick: 4 of 4 answers illegal; the first: pick: turn 5: 9, which is illegal and loses the game"
    assert told.code == 0 and remark in " ".join(told.out.split()), told.out
    assert run_cli("run", "pick_one", *config).code == 0
    place = ("--match", "0", "--session", "3", "--results", str(tmp_path / "results"))
    assert "→ 9, which is illegal and loses the game" in run_cli("replay", "pick_one", *place, *config).out


BET = Decision("bet", "Bet", observation={"stack": Int(0, 100)}, answer=Int(0, 100))
WAY = Decision("way", "Go", observation={"n": Int(0, 9)}, answer=Choice(["up", "down", "left"]), default="left")


class Betting(Rules):
    """Rules by which a bet is no more than the stack, and only some ways are open."""

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
    field = play_field(get_contest(Betting), {"a": over, "b": (".c", most)}, sessions=3, max_faults=99)
    ((result, rows),) = field.values()
    assert [fault.seat for fault in result.faults] == [0] * 6
    limits = {fault.message.partition("; ")[2] for fault in result.faults if fault.decision == "bet"}
    assert limits == {"it takes 2 to 5", "it takes 2 to 6", "it takes 2 to 7"}
    bets = sorted(rows["games"]["bet_0"].tolist() + rows["games"]["bet_1"].tolist())
    assert bets == [2, 2, 2, 5, 6, 7], "the lowest that is legal counts at a fault, not 0"
    assert rows["games"]["way_0"].tolist() == rows["games"]["way_1"].tolist() == [4] * 3


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
    """Limits of the defaults would make the answer too long for the worker, and the struct too small."""
    (tmp_path / "long.py").write_text(LONG)
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "py.py").write_text("def say(view): return [7] * 900\n")
    loop = "for (int i = 0; i < 800; i++) answer[i] = 5; return 800;"
    (tmp_path / "bots" / "c.c").write_text(f"int say(const View *view, int32_t answer[900]) {{ {loop} }}\n")
    table = '[long]\nrules = "long.py"\nentrants = "bots"\nsessions = 2\nmost = 900\nseed = "a seed of long"\n'
    (tmp_path / "tournament.toml").write_text(table)
    results = run("long", config=tmp_path / "tournament.toml", workers=1, executor="local")
    assert results.faults.empty
    assert sorted(results.sessions[["points_0", "points_1"]].iloc[0]) == [-100, 100]
