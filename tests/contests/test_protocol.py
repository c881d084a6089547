"""Programs of another protocol, which a contest describes."""

from __future__ import annotations

import pytest

from tests.python_rules import play_field
from tournament.errors import InputError
from tournament.rules import Choice, Column, Decision, Int, News, Protocol, Questions, Rules, Session, Talk
from tournament.rules.contests import get_contest

COUNT = Decision("count", "Count", observation={"start": Int(0, 99)}, answer=Int(0, 999))
SIGN = Decision("sign", "Choose a sign", observation={}, answer=Choice(["rock", "paper"]), illegal="loses")
OVER = News("over", "A game is over", observation={"sum": Int(0, 1998)})


class Lines(Protocol):
    """Greets once, answers requests within a decision, skips remarks, and tells the sums of games."""

    def __init__(self) -> None:
        self.greeted = False

    def ask(self, question: object) -> Talk:
        name, start = question.decision, getattr(question, "start", 0)  # type: ignore[attr-defined]
        if not self.greeted:
            self.greeted = True
            line = yield ["HELLO", f"seat {question.seat}"]  # type: ignore[attr-defined]
            assert line == "HI"
        line = yield f"{name} {start}"
        while line.startswith(("#", "double ")):
            line = yield [] if line.startswith("#") else str(2 * int(line.split()[1]))
        return line if name == "sign" else int(line)

    def tell(self, question: object) -> list[str]:
        return [f"over {question.sum}"]  # type: ignore[attr-defined]

    def end(self) -> list[str]:
        return ["BYE"]


class Counting(Rules):
    name = "counting"
    seats = 2
    decisions = (COUNT, SIGN, OVER)
    protocol = Lines
    columns = (Column("count", "int32", "number", per_seat=True), Column("paper", "bool", "is paper", per_seat=True))

    def play(self, session: Session) -> Questions:
        counts = yield [COUNT(seat, start=session.number) for seat in range(2)]
        signs = yield [SIGN(seat) for seat in range(2)]
        yield [OVER(seat, sum=sum(counts.values())) for seat in range(2)]
        paper = {seat: sign == "paper" for seat, sign in signs.items()}
        lost = [not isinstance(sign, str) for sign in signs.values()]
        points = lost[1] - lost[0]
        session.record([points, -points], count=counts, paper=paper)


# Counts a start to twice its value, plus the last game's sum; the sign is by parity.
FOREIGN = """\
import sys

last = 0
for line in sys.stdin:
    words = line.split()
    if words[0] == "HELLO":
        assert sys.stdin.readline().startswith("seat ")
        print("HI", flush=True)
    elif words[0] == "count":
        print(f"# a remark\\ndouble {words[1]}", flush=True)
        print((int(sys.stdin.readline()) + last) % 1000, flush=True)
    elif words[0] == "sign":
        print("paper" if last % 2 else SIGN, flush=True)
    elif words[0] == "over":
        last = int(words[1])
    else:
        break
"""
PYTHON = """\
last = 0

def count(view):
    return (2 * view.start + last) % 1000

def sign(view):
    return "paper" if last % 2 else "rock"

def over(view):
    global last
    last = view.sum
"""


def test_programs_of_another_protocol_play_as_python_bots_do() -> None:
    program = ("", FOREIGN.replace("SIGN", "'rock'"))
    bots = {"a": program, "b": program, "c": (".py", PYTHON)}
    played = list(play_field(get_contest(Counting), bots, sessions=6).values())
    assert len(played) == 3
    rows = [{name: rows["games"][name].tolist() for name in ("count_0", "count_1", "paper_0")} for _, rows in played]
    assert all(one == rows[0] for one in rows)
    assert rows[0]["count_0"] == [0, 2, 8, 22, 52, 114]  # twice the session, and twice the count before
    assert not any(result.faults for result, _ in played)


@pytest.mark.parametrize(
    ("source", "message", "faults"),
    [
        (FOREIGN.replace("SIGN", "'scissors'"), "", 0),  # an answer that isn't legal loses
        (FOREIGN.replace('"HI"', '"HO"'), "wrote 'HO': AssertionError", 1),
        (FOREIGN.replace("double {words[1]}", "double x"), "wrote 'double x': ValueError", 1),
    ],
    ids=["illegal", "greeting", "request"],
)
def test_lines_refused_by_protocol_are_faults(source: str, message: str, faults: int) -> None:
    bots = {"a": ("", source.replace("SIGN", "'rock'")), "b": (".py", PYTHON)}
    ((result, rows),) = play_field(get_contest(Counting), bots, sessions=1).values()
    assert [fault.seat for fault in result.faults] == [0] * faults
    assert all(fault.message.startswith(message) for fault in result.faults)
    if not faults:
        assert sorted(rows["games"]["points_0"].tolist() + rows["games"]["points_1"].tolist()) == [-1, 1]


def fails(*_: object) -> None:
    raise KeyError("no such field")


def writes_two_lines_as_one(*_: object) -> Talk:
    yield "count 1\ncount 2"


@pytest.mark.parametrize(
    ("method", "does", "message"),
    [
        ("ask", fails, "KeyError"),
        ("ask", writes_two_lines_as_one, "ValueError: .* is no line"),
        ("tell", fails, "KeyError"),
        ("end", fails, "KeyError"),
        ("__init__", fails, "KeyError"),
    ],
)
def test_protocol_that_fails_ends_the_run_in_one_line(method: str, does: object, message: str) -> None:
    broken = type("Broken", (Lines,), {method: does})
    failing = type("Failing", (Counting,), {"name": "failing", "protocol": broken})
    with pytest.raises(InputError, match=f"^the protocol Broken fails: {message}"):
        play_field(
            get_contest(failing), {"a": ("", FOREIGN.replace("SIGN", "'rock'")), "b": (".py", PYTHON)}, sessions=2
        )
