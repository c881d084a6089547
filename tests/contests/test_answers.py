"""Answers of every type: what the rules get of bots of every kind, and what is a fault."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import pytest

from tests.cli.in_process import run_cli
from tests.python_rules import of_seat, play_field, play_table
from tournament import conformance
from tournament.errors import RunError
from tournament.rules import (
    Choice,
    Column,
    Decision,
    Float,
    Illegal,
    Int,
    LegalAction,
    List,
    Questions,
    Rules,
    Session,
    Text,
)
from tournament.rules.contests import contest_of

SIGNS = ("rock", "paper", "scissors")
SHOWN = {"n": Int(0, 99, "a number"), "last": Choice(SIGNS, "a sign")}


def decision(name: str, answer: Any, **more: Any) -> Decision:
    return Decision(name, "Answer", observation=SHOWN, answer=answer, **more)


class Answers(Rules):
    """Both seats are asked for an answer of each type, together; the records have what came."""

    name = "answers"
    seats = 2
    decisions = (
        decision("share", Float("a number")),
        decision("word", Text(12), default="é"),
        decision("split", List(Int(0, 10), 5), default=[7]),
        decision("shares", List(Float(), 3), default=[0.5]),
        decision("large", List(Int(0, 2**40), 2), default=[]),
        decision("sign", Choice(SIGNS)),
        decision("signs", List(Choice(SIGNS), 4), default=["paper"]),
        decision("say", LegalAction(Text(), 3, "a phrase")),
    )
    columns = tuple(Column(one.name, "uint32", f"hash of {one.name}", per_seat=True) for one in decisions)

    def play(self, session: Session) -> Questions:
        n = session.number
        answers: dict[str, list[Any]] = {}
        for one in self.decisions:
            legal = {"legal_actions": ["yes", "no", "perhaps, né"]} if one.name == "say" else {}
            questions = [one(seat, n=n, last=SIGNS[n % 3], **legal) for seat in range(session.seats)]
            got = yield questions
            answers[one.name] = [got[seat] for seat in range(session.seats)]
        session.record([0, 0], **{name: list(map(hash_of, both)) for name, both in answers.items()})


def hash_of(answer: Any) -> int:
    return zlib.crc32(repr(answer).encode())


def expected(n: int) -> dict[str, Any]:
    """What all bots below answer in a session."""
    return {
        "share": n / 4,
        "word": f"né{n}",
        "split": [(n + i) % 11 for i in range(n % 6)],
        "shares": [n / 8] * (n % 4),
        "large": [n << 35],
        "sign": SIGNS[n % 3],
        "signs": [SIGNS[(n + i) % 3] for i in range(n % 5)],
        "say": ["yes", "no", "perhaps, né"][n % 3],
    }


DEFAULTS = {"share": 0.0, "word": "é", "split": [7], "shares": [0.5], "sign": "rock", "signs": ["paper"], "say": "yes"}
IN_C = """\
double share(const View *view) { return view->n / 4.0; }
void word(const View *view, char answer[13]) { sprintf(answer, "né%d", view->n); }
int split(const View *view, int32_t answer[5])
{
    for (int i = 0; i < view->n % 6; i++) answer[i] = (view->n + i) % 11;
    return view->n % 6;
}
int shares(const View *view, double answer[3])
{
    for (int i = 0; i < view->n % 4; i++) answer[i] = view->n / 8.0;
    return view->n % 4;
}
int large(const View *view, int64_t answer[2]) { answer[0] = (int64_t)view->n << 35; return 1; }
int sign(const View *view)
{
    static const int signs[] = {ROCK, PAPER, SCISSORS};
    return view->last == signs[view->n % 3] ? view->last : -1;
}
int signs(const View *view, int32_t answer[4])
{
    for (int i = 0; i < view->n % 5; i++) answer[i] = (view->n + i) % 3;
    return view->n % 5;
}
int say(const View *view) { return view->n % view->legal_actions_count; }
"""
IN_PYTHON = """\
def share(view): return view.n / 4
def word(view): return f"né{view.n}"
def split(view): return [(view.n + i) % 11 for i in range(view.n % 6)]
def shares(view): return (view.n / 8,) * (view.n % 4)
def large(view): return [view.n << 35]
def sign(view): return view.last
def signs(view): return [SIGNS[(view.n + i) % 3] for i in range(view.n % 5)]
def say(view): return view.legal_actions[view.n % 3]
SIGNS = ["rock", "paper", "scissors"]
"""
PROGRAM = """\
import json, sys, types
ANSWERS
sys.stdin.readline()
for line in sys.stdin:
    if not line.startswith("{"):
        break
    view = types.SimpleNamespace(**json.loads(line))
    print("ACTION", json.dumps(globals()[view.decision](view)), flush=True)
""".replace("ANSWERS", IN_PYTHON)
BOTS = {
    "c": (".c", IN_C),
    "cpp": (".cpp", IN_C),
    "program": ("", PROGRAM),
    "python": (".py", IN_PYTHON),
    "by_number": (".py", IN_PYTHON.replace("return view.last", "return view.n % 3")),
}


def answered(bots: dict[str, tuple[str, str]], sessions: int, **settings: Any) -> list[tuple[Any, Any]]:
    return list(play_field(contest_of(Answers), bots, sessions=sessions, **settings).values())


def test_bots_of_every_kind_answer_with_every_type() -> None:
    for result, rows in answered(BOTS, 30):
        assert (result.faults, result.games) == ((), 30)
        for session in range(30):
            for name, answer in expected(session).items():
                for seat in range(2):
                    assert rows["games"][f"{name}_{seat}"][session] == hash_of(answer), (name, session)


@pytest.mark.parametrize(
    ("name", "body", "refused"),
    [
        ("share", "double share(const View *view) { return NAN; }", "no finite number"),
        ("share", "double share(const View *view) { return HUGE_VAL; }", "no finite number"),
        (
            "word",
            "void word(const View *view, char answer[13]) { memset(answer, 'a', 13); }",
            "a text without a 0 byte",
        ),
        ("word", "void word(const View *view, char answer[13]) { answer[0] = '\\\\377'; }", "a text that isn't UTF-8"),
        ("split", "int split(const View *view, int32_t answer[5]) { return -1; }", "a length of -1"),
        ("split", "int split(const View *view, int32_t answer[5]) { return 6; }", "a length of 6"),
        (
            "split",
            "int split(const View *view, int32_t answer[5]) { answer[0] = 11; return 1; }",
            "11 is not from 0 to 10",
        ),
        ("shares", "int shares(const View *view, double answer[3]) { answer[0] = NAN; return 1; }", "no finite number"),
        ("sign", "int sign(const View *view) { return 3; }", "3"),
        (
            "signs",
            "int signs(const View *view, int32_t answer[4]) { answer[0] = -1; return 1; }",
            "none of the choices",
        ),
        ("say", "int say(const View *view) { return view->legal_actions_count; }", "3"),
    ],
)
def test_wrong_answer_of_c_bot_is_fault_with_default(name: str, body: str, refused: str) -> None:
    lines = IN_C.split("\n")
    start = next(i for i, line in enumerate(lines) if f" {name}(const View" in line)
    end = start if lines[start].endswith("}") else lines.index("}", start)
    wrong = "\n".join([*lines[:start], body.replace("\\\\", "\\"), *lines[end + 1 :]])
    ((result, rows),) = answered({"a": (".c", wrong), "b": (".c", IN_C)}, 2, max_faults=9)
    assert [(fault.seat, fault.decision) for fault in result.faults] == [(0, name)] * 2
    assert f"answered {refused}, which is no answer to this" in result.faults[0].message
    assert of_seat(rows["games"], name, 0).tolist() == [hash_of(DEFAULTS[name])] * 2
    assert of_seat(rows["games"], name, 1).tolist() == [hash_of(expected(n)[name]) for n in range(2)]


@pytest.mark.parametrize(
    ("name", "body", "refused"),
    [
        ("share", "float('nan')", "answered nan, which is no answer"),
        ("share", "'a half'", "answered a half, which"),
        ("word", "'x' * 13", "answered xxxxxxxxxxxxx, which is no answer to this; it takes a text of at most 12 bytes"),
        ("word", "'\\ud800'", "which is no answer to this"),
        ("word", "'a\\0b'", "which is no answer to this"),
        ("word", "7", "answered 7, which"),
        ("split", "[1] * 6", "answered [1, 1, 1, 1, 1, 1], which"),
        ("split", "[1.5]", "answered [1.5], which"),
        ("split", "3", "answered 3, which"),
        ("sign", "'stone'", "answered stone, which"),
        ("signs", "[3]", "answered [3], which"),
        ("say", "'maybe'", "answered maybe, which is no answer to this; it takes one of the legal actions"),
        ("split", "object()", "returned a object, expected a number, a text, a list or a dict"),
        ("split", "[[[[[[1]]]]]]", "returned lists within lists, more than 4 deep"),
        ("split", "[10**4999]", "returned a number of too many digits"),
        ("split", "[type('N', (), {'__index__': lambda self: int('its own')})()]", "invalid literal for int()"),
        ("word", "'x' * 600000", "returned an answer of 600002 bytes, at most "),
    ],
)
def test_wrong_answer_of_python_bot_is_fault_with_default(name: str, body: str, refused: str) -> None:
    wrong = f"{IN_PYTHON}\ndef {name}(view): return {body}\n"
    ((result, rows),) = answered({"a": (".py", wrong), "b": (".c", IN_C)}, 1, max_faults=9)
    assert [(fault.seat, fault.decision) for fault in result.faults] == [(0, name)]
    assert refused in result.faults[0].message
    assert rows["games"][f"{name}_0"][0] == hash_of(DEFAULTS[name])


def test_wrong_answer_of_program_is_fault_with_default() -> None:
    wrong = PROGRAM.replace("return [(view.n", "return [99] + [(view.n")
    ((result, rows),) = answered({"a": ("", wrong), "b": (".c", IN_C)}, 2, max_faults=9)
    assert [fault.decision for fault in result.faults] == ["split"] * 2
    assert (
        "answered [99], which is no answer to this; it takes at most 5 numbers from 0 to 10" in result.faults[0].message
    )
    assert of_seat(rows["games"], "split", 0).tolist() == [hash_of([7])] * 2


def test_question_clears_memory_after_view() -> None:
    """A list that isn't filled is zeros, whatever was answered before."""
    lazy = IN_C.replace("answer[i] = (view->n + i) % 11;", "if (view->n < 8) answer[i] = 9;")
    ((result, rows),) = answered({"a": (".c", lazy), "b": (".c", lazy)}, 11)
    assert result.faults == ()
    assert rows["games"]["split_0"][10] == hash_of([0] * 4)


# Illegal answers that lose


class Losing(Rules):
    """Both are asked together; whoever answers illegally gives a point to each of the others. `STRICT`: who doesn't."""

    name = "losing"
    seats = range(2, 4)
    STRICT = True
    decisions = (
        decision("take", Int(1, 3, "a number"), illegal="loses"),
        decision("show", Choice(SIGNS), illegal="loses"),
        decision("pick", LegalAction(Int(0, 9), 3), illegal="loses"),
        decision("split", List(Int(0, 10), 5), default=[7], illegal="loses"),
        decision("plain", Int(0, 3)),
    )
    columns = tuple(Column(one.name, "uint32", f"hash of {one.name}", per_seat=True) for one in decisions)

    def play(self, session: Session) -> Questions:
        got: dict[str, dict[int, Any]] = {}
        for one in self.decisions:
            legal = {"legal_actions": [2, 4, 6]} if one.name == "pick" else {}
            got[one.name] = yield [one(seat, n=1, last="rock", **legal) for seat in range(session.seats)]
        illegal = [any(isinstance(each[seat], Illegal) for each in got.values()) for seat in range(session.seats)]
        points = [sum(illegal) - (session.seats if lost else 0) for lost in illegal]
        said = {name: [hash_of(getattr(one, "answer", one)) for one in each.values()] for name, each in got.items()}
        session.record(points if self.STRICT else [0.0] * session.seats, **said)


LEGAL = {"take": 2, "show": "paper", "pick": 4, "split": [1], "plain": 3}
WRONG = {"take": 9, "show": "stone", "pick": 5, "split": [11], "plain": 3}
LEGAL_IN_C = """\
int take(const View *view) { return 2; }
int show(const View *view) { return PAPER; }
int pick(const View *view) { return 4; }
int split(const View *view, int32_t answer[5]) { answer[0] = 1; return 1; }
int plain(const View *view) { return 3; }
"""
WRONG_IN_C = (
    LEGAL_IN_C.replace("return 2", "return 9").replace("PAPER", "7").replace("4", "5", 1).replace("= 1", "= 11")
)


def in_python(answers: dict[str, Any]) -> str:
    return "".join(f"def {name}(view): return {answer!r}\n" for name, answer in answers.items())


LOSERS = {
    "c": (".c", WRONG_IN_C, {"show": 7, "split": "11 is not from 0 to 10"}),
    "program": ("", PROGRAM.replace(IN_PYTHON, in_python(WRONG)), {}),
    "python": (".py", in_python(WRONG), {}),
}


@pytest.mark.parametrize("kind", LOSERS)
def test_losing_illegal_answer_reaches_rules_without_fault(kind: str) -> None:
    suffix, source, otherwise = LOSERS[kind]
    bots = {"a": (suffix, source), "b": (".c", LEGAL_IN_C)}
    ((result, rows),) = play_field(contest_of(Losing), bots, sessions=3, max_faults=0).values()
    assert (result.faults, result.games) == ((), 3)
    assert of_seat(rows["games"], "points", 0).tolist() == [-1.0] * 3
    for name in LEGAL:
        told = [hash_of({**WRONG, **otherwise}[name]), hash_of(LEGAL[name])]
        assert [rows["games"][f"{name}_{seat}"][0] for seat in range(2)] == told, name


@pytest.mark.parametrize(
    ("answer", "message"), [("'two'", "returned"), ("1 // 0", "ZeroDivisionError")], ids=["no number", "error"]
)
def test_missing_answer_is_fault_where_illegal_ones_lose(answer: str, message: str) -> None:
    bots = {"a": (".py", in_python(LEGAL) + f"def take(view): return {answer}\n"), "b": (".c", LEGAL_IN_C)}
    ((result, rows),) = play_field(contest_of(Losing), bots, sessions=1, max_faults=1).values()
    assert [(fault.decision, message in fault.message) for fault in result.faults] == [("take", True)]
    assert rows["games"]["points_0"].tolist() == [0.0]
    assert rows["games"]["take_0"][0] == hash_of(1)


@pytest.mark.parametrize(("seats", "losers"), [(2, 1), (3, 1), (3, 2)])
def test_rules_that_ignore_illegal_answer_end_run(seats: int, losers: int) -> None:
    class Lenient(Losing):
        name = "lenient"
        STRICT = False

    bots = {f"b{seat}": (".py", in_python(WRONG if seat < losers else LEGAL)) for seat in range(seats)}
    with pytest.raises(RunError, match=r"position 0 answered split illegally, which loses the game.*record 0\.0, 0\.0"):
        play_table(contest_of(Lenient), bots, sessions=1)


GUESSING = """
from tournament.rules import Decision, Illegal, Int, Rules

GUESS = Decision("guess", "Guess", observation={"n": Int(0, 9, "n")}, answer=Int(1, 3), illegal="loses")


class Guessing(Rules):
    name = "guessing"
    seats = 2
    decisions = (GUESS,)

    def play(self, session):
        for seat in range(session.seats):
            answer = yield GUESS(seat, n=session.number % 10)
            if isinstance(answer, Illegal):
                session.record([-1 if one == seat else 1 for one in range(2)])
                return
        session.record([0, 0])
"""


@pytest.fixture
def guessing(tmp_path: Path) -> Path:
    (tmp_path / "guessing.py").write_text(GUESSING)
    table = '[guessing]\nrules = "guessing.py"\nsessions = 4\nentrants = "bots"\nseed = "a"\n'
    (tmp_path / "tournament.toml").write_text(table)
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "a.py").write_text("def guess(view): return 9 if view.n == 3 else 1\n")
    (tmp_path / "bots" / "b.c").write_text("int guess(const View *view) { return 1; }\n")
    return tmp_path


def test_check_and_replay_show_illegal_answers(guessing: Path) -> None:
    config = ("--config", str(guessing / "tournament.toml"))
    told = run_cli("check", str(guessing / "bots" / "a.py"), *config)
    assert told.code == 0
    remark = "guess: 1 of 4 answers illegal; the first: guess: n 3: 9, which is illegal and loses the game"
    assert remark in " ".join(told.out.split())
    assert run_cli("run", "guessing", *config).code == 0
    replay = run_cli(
        "replay", "guessing", "--match", "0", "--session", "3", *config, "--results", str(guessing / "results")
    )
    assert "→ 9, which is illegal and loses the game" in replay.out


def test_conformance_finds_unpunished_illegal_answer(guessing: Path, tmp_path_factory: Any) -> None:
    for name, rules in (("kept", GUESSING), ("broken", GUESSING.replace("-1 if one == seat else 1", "0"))):
        path = guessing / f"{name}.py"
        path.write_text(rules)
        trial = conformance.ContestSuite("guessing", tmp_path_factory.mktemp(name), rules=str(path), sessions=2)
        if name == "kept":
            conformance.illegal(trial)
            continue
        with pytest.raises(RunError, match="answered guess illegally, which loses the game"):
            conformance.illegal(trial)
