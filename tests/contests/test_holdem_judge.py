"""The terminal form: the protocol word for word, and programs that keep to it or don't."""

from __future__ import annotations

import io
import re
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.games.holdem_training.bob import preflop_call_probability
from engine.games.holdem_training.core import HoldemTraining
from engine.games.holdem_training.rates import RateSampler
from engine.kernel.records import Table
from engine.processes.lanes import Violation
from tests.cli.test_cli import command
from tests.oracles import holdem_training as oracle
from tests.oracles.deals import key_of
from tournament.contests import find_contest
from tournament.contests.holdem_training.decks import read_decks
from tournament.contests.holdem_training.protocol import RATE_BUDGET, WholeMatch
from tournament.contests.holdem_training.records import GAMES, SESSIONS
from tournament.contests.holdem_training.scoring import points, tasks
from tournament.errors import InputError
from tournament.sandbox.outside.own_time import Use
from tournament.store.columns import buffer_fields
from tournament.trial import judging
from tournament.trial.judging import Verdict, judge
from tournament.trial.piped_program import PipedProgram, ProgramExited, ProgramTimedOut

GOLDEN = Path(__file__).parent.parent / "golden"
DECKS = GOLDEN / "holdem_decks.txt"


def run_command(folder: Path, *arguments: str, exit_code: int = 0) -> str:
    """What `tournament` writes."""
    process = command(folder, *arguments, columns=200)
    assert process.returncode == exit_code, process.stderr
    return process.stdout + process.stderr


def chance_of_call(hole: tuple[int, int], raised: int) -> float:
    return preflop_call_probability(*hole, raised)


def new_match(hands: int = 2, *, decks: Path | None = None, deals_key: int = 3) -> WholeMatch:
    """A match whose tables hold two hands, so that they are emptied now and then."""
    fixed = None if decks is None else read_decks(decks)
    hands = hands if fixed is None else len(fixed)
    games, sessions = Table(buffer_fields(GAMES), 2), Table(buffer_fields(SESSIONS), 1)

    def empty_records() -> None:
        games.rows = sessions.rows = 0

    core = HoldemTraining(games, sessions, deals_key=key_of(deals_key), sessions=1, hands=hands, decks=fixed)
    return WholeMatch(core, RateSampler(key_of(4)), empty_records)


class Script(PipedProgram):
    """A program that says these lines, one for each that it is asked for, and then ends."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = iter(lines)
        self.heard: list[str] = []

    def send(self, text: bytes) -> None:
        self.heard += text.decode("ascii").splitlines()

    def read_line(self, seconds: float, most_bytes: int) -> bytes:
        try:
            return next(self.lines).encode()
        except StopIteration:
            raise ProgramExited from None

    def has_taken_too_much(self) -> bool:
        return False

    def use(self) -> Use:
        return Use(0.0, sleeps=False)

    def end(self, seconds: float) -> int:
        return 0


def heard(match: WholeMatch, *lines: str) -> list[str]:
    """What a program hears that says these lines, the first ones left out."""
    match.start()
    return [answer for line in lines for answer in match.answer(line.encode())]


# Words.

# One line for each line that a program says in the golden match: hand by hand.
SCRIPT = [
    "RATE 1000", "ACTION RAISE 100",
    "ACTION RAISE 10", "ACTION FOLD",
    "ACTION RAISE 100", "ACTION CHECK", "RATE 500", "ACTION CHECK", "ACTION CHECK",
    "ACTION CHECK", "ACTION CHECK", "ACTION CHECK", "RATE 1", "ACTION RAISE 30",
    "ACTION RAISE 5", "ACTION RAISE 10", "ACTION RAISE 20", "ACTION RAISE 65",
]  # fmt: skip


def test_golden_transcript() -> None:
    """Every line of five fixed hands. To be rewritten on purpose only: the statement gives the words."""
    transcript = io.StringIO()
    verdict = judge(Script(SCRIPT), new_match(decks=DECKS), transcript=transcript)
    assert verdict.ending == "finished"
    assert transcript.getvalue() == (GOLDEN / "holdem_transcript.txt").read_text()


STATE = re.compile(r"STATE (\d+) ([1-4]) (\d+) (\d+) (\d+) ([0345])")


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**63), st.integers(1, 6), st.randoms(use_true_random=False))
def test_every_match_is_made_of_the_statements_lines(key: int, hands: int, chance) -> None:  # type: ignore[no-untyped-def]
    """A random program's match, read by a reader that knows the statement only, against the plain rules."""
    match = new_match(hands, deals_key=key)
    lines = iter(match.start())
    actions: list[int] = []
    results: list[int] = []
    assert int(next(lines)) == hands
    while True:
        line = next(lines)
        if line.startswith("SCORE"):
            break
        state = STATE.fullmatch(line)
        assert state
        hand, round_, stack, bobs_stack, pot, shown = map(int, state.groups())
        assert (hand, stack + bobs_stack + pot, shown) == (len(results) + 1, 210, (0, 3, 4, 5)[round_ - 1])
        alice = next(lines).split()
        board = next(lines).split()
        assert (alice[0], len(alice), board[0], len(board)) == ("ALICE", 5, "BOARD", 1 + 2 * shown)
        for _ in range(chance.randrange(3)):
            reply = match.answer(f"RATE {chance.randrange(1, 50)}".encode())
            assert len(reply) == 1 and re.fullmatch(r"RATES [01]\.\d{6} [01]\.\d{6}", reply[0])
        action = chance.choice([oracle.CHECK, oracle.CHECK, oracle.FOLD, chance.randint(0, stack), stack])
        actions.append(action)
        said = {oracle.CHECK: "CHECK", oracle.FOLD: "FOLD"}.get(action, f"RAISE {action}")
        replies = match.answer(f"ACTION {said}".encode())
        if action == oracle.CHECK:
            assert replies.pop(0) == "OPP CHECK"
        elif action != oracle.FOLD:
            assert replies[0] in ("OPP FOLD", f"OPP CALL {action}")
            if replies.pop(0) == "OPP FOLD":
                assert replies[0] == f"RESULT {pot - (100 - stack)}"
        if replies[0].startswith("RESULT"):
            results.append(int(replies.pop(0).split()[1]))
        lines = iter(replies)
    assert line == f"SCORE {sum(results) / hands:.6f}"
    assert next(lines, None) is None
    assert match.over
    said_actions = iter(actions)
    wanted = oracle.play(
        lambda _view: next(said_actions), key, sessions=1, hands=hands,
        preflop_chance=chance_of_call,
    )  # fmt: skip
    assert [hand.profit for hand in wanted.hands] == results


def test_rates_do_not_move_anything() -> None:
    """The same match with and without queries, but for the answers to them."""
    quiet, curious = new_match(20), new_match(20)
    with_queries = [line for _ in range(40) for line in ("RATE 7", "ACTION RAISE 2", "RATE 3", "ACTION CHECK")]
    one, other = Script(line for line in with_queries if line[0] == "A"), Script(with_queries)
    judge(one, quiet)
    judge(other, curious)
    assert one.heard == [line for line in other.heard if not line.startswith("RATES")]


def test_blanks_and_a_carriage_return_are_forgiven() -> None:
    said = [b"  ACTION   RAISE\t 3 \r", b"ACTION CHECK\r"]
    match = new_match()
    match.start()
    assert match.answer(said[0])[0] in ("OPP CALL 3", "OPP FOLD")
    assert match.answer(said[1])[0] == "OPP CHECK"


# Violations.


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "the line is empty"),
        ("CHECK", "CHECK is no command: RATE or ACTION"),
        ("action check", "action is no command: RATE or ACTION"),
        ("ACTION", "ACTION takes CHECK, FOLD or RAISE"),
        ("ACTION CALL", "CALL is no action: CHECK, FOLD or RAISE"),
        ("ACTION CHECK 0", "ACTION CHECK takes nothing more"),
        ("ACTION RAISE", "ACTION RAISE takes one number"),
        ("ACTION RAISE 1 2", "ACTION RAISE takes one number"),
        ("ACTION RAISE x", "x is not an integer"),
        ("ACTION RAISE 5.0", "5.0 is not an integer"),
        ("ACTION RAISE ٣", "the line is not plain ASCII"),
        ("ACTION RAISE 99999999999999999999999", "99999999999999999999999 is not an integer"),
        ("\x1b[2J", "?[2J is no command: RATE or ACTION"),
        ("ACTION RAISE 0", "RAISE 0 is out of range: 1 to 100"),
        ("ACTION RAISE -5", "RAISE -5 is out of range: 1 to 100"),
        ("ACTION RAISE 101", "RAISE 101 is out of range: 1 to 100"),
        ("RATE", "RATE takes one number"),
        ("RATE many", "many is not an integer"),
        ("RATE 0", "RATE takes at least 1, not 0"),
        ("RATE 3000001", "RATE 3000001 is over the budget: 3,000,000 of 3,000,000 samples are left"),
        ("ACTION CHECK" + " " * 244, "the line is longer than 255 bytes"),
    ],
)
def test_violations_end_the_match(line: str, reason: str) -> None:
    program = Script(["ACTION CHECK", line, "ACTION CHECK"])
    transcript = io.StringIO()
    verdict = judge(program, new_match(), transcript=transcript)
    assert (verdict.ending, verdict.exit_code) == ("violation", 3)
    quoted = line[:20].replace("\x1b", "?")
    assert verdict.reason.startswith(f'{reason}: "{quoted}'.split("٣")[0])
    assert verdict.reason.endswith(", in hand 1")
    assert program.heard[-1] == "-1"
    assert transcript.getvalue().endswith("< -1\n")
    assert transcript.getvalue().isascii()


def test_the_rate_budget_is_of_the_whole_match() -> None:
    match = new_match()
    match.start()
    assert match.answer(f"RATE {RATE_BUDGET - 10}".encode())
    match.answer(b"ACTION CHECK")
    assert match.answer(b"RATE 10")
    with pytest.raises(Violation, match="RATE 1 is over the budget: 0 of 3,000,000 samples are left"):
        match.answer(b"RATE 1")


# Programs.


def program(source: str) -> PipedProgram:
    return judging.start([sys.executable, "-c", source], sandboxed=False)


READER = """
import sys
def read():
    line = sys.stdin.readline()
    if not line or line == "-1\\n":
        sys.exit(7)
    return line.split()
def say(line):
    print(line, flush=True)
"""
CHECKER = (
    READER
    + """
read()
while (words := read())[0] != "SCORE":
    if words[0] == "BOARD":
        say("ACTION CHECK")
"""
)


def test_a_well_behaved_program() -> None:
    verdict = judge(program(CHECKER), new_match(300))
    assert (verdict.ending, verdict.hands, verdict.exit_code) == ("finished", 300, 0)
    assert verdict.mean_profit == sum(h.profit for h in oracle_hands(300)) / 300
    assert verdict.text.startswith(f"finished: W = {verdict.mean_profit:.6f} over 300 hands, ")


def oracle_hands(hands: int) -> list[oracle.Hand]:
    record = oracle.play(lambda _view: 0, 3, sessions=1, hands=hands, preflop_chance=chance_of_call)
    return record.hands


def test_a_program_that_writes_ahead() -> None:
    """All its lines at once, before it reads any: each is taken when it is its turn."""
    ahead = READER + "say('ACTION CHECK\\n' * 2000)\n" + CHECKER.replace(READER, "").replace("say", "str")
    verdict = judge(program(ahead), new_match(500))
    assert (verdict.ending, verdict.hands) == ("finished", 500)


@pytest.mark.parametrize(
    ("source", "ending", "reason"),
    [
        ("", "died", "ended before the match did, in hand 1"),
        ("raise SystemExit(9)", "died", "ended with status 9 before the match did, in hand 1"),
        ("import ctypes; ctypes.string_at(0)", "died", "was killed by SIGSEGV before the match did"),
        ("import os; os.close(1); input()", "died", "ended before the match did, in hand 1"),
        ("import os, time; os.close(1); time.sleep(60)", "died", "closed its output before the match ended"),
        (CHECKER.replace('"SCORE"', '"RESULT"'), "died", "ended before the match did, in hand 2"),
        (READER + "read(); say('READY')\nwhile True: read()", "violation", 'READY is no command: RATE or ACTION: "'),
        ("print('x' * 100000, flush=True); input()", "violation", "the line is longer than 255 bytes"),
        ("import sys; sys.stdout.write('x' * 100000); sys.stdout.flush(); input()", "violation", "the line is longer"),
        ("print('ACTION CHECK', end='', flush=True)", "died", "ended before the match did"),
    ],
)  # fmt: skip
def test_programs_that_end_or_talk_nonsense(source: str, ending: str, reason: str) -> None:
    verdict = judge(program(source), new_match())
    assert verdict.ending == ending
    assert reason in verdict.reason


SLEEPS = "kept the judge waiting for 1.2 seconds (is its output flushed?), in hand "
WORKS = "took more than 0.4 seconds of processor time, in hand "


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import time; time.sleep(60)", SLEEPS),
        ("while True: pass", WORKS),
        (CHECKER.replace('say("ACTION CHECK")', 'import time; time.sleep(0.04); say("ACTION CHECK")'), SLEEPS),
        (CHECKER.replace('say("ACTION CHECK")', 'sum(range(10**6)); say("ACTION CHECK")'), WORKS),
        ("print('ACTION CHECK', end='', flush=True)\nwhile True: pass", WORKS),
        ("import signal, time; [signal.signal(n, signal.SIG_IGN) for n in (1, 15)]; time.sleep(60)", SLEEPS),
        ("import os, time\nif os.fork(): time.sleep(60)\nelse: time.sleep(60)", SLEEPS),
    ],
)  # fmt: skip
def test_programs_that_take_too_long(source: str, reason: str) -> None:
    """Their own processor time counts, and how long they sleep; they are killed with their children."""
    started = time.monotonic()
    verdict = judge(program(source), new_match(1000), seconds=0.4)
    assert (verdict.ending, verdict.exit_code) == ("out of time", 4)
    assert verdict.reason.startswith(reason)
    assert time.monotonic() - started < 50  # nor for the minute that some sleep


class Paced(Script):
    """A program that takes so long for each line, by a clock that it moves, and meanwhile works, sleeps or waits."""

    def __init__(self, seconds: float, works: float = 0.0, *, sleeps: bool = False) -> None:
        super().__init__(["ACTION CHECK"] * 1000)
        self.each, self.works, self.asleep = seconds, works, sleeps
        self.now = self.left = 0.0

    def read_line(self, seconds: float, most_bytes: int) -> bytes:
        self.left = self.left or self.each
        passed = min(seconds, self.left)
        self.now += passed
        self.left -= passed
        if self.left > 0:
            raise ProgramTimedOut
        return super().read_line(seconds, most_bytes)

    def use(self) -> Use:
        return Use(self.now / self.each * self.works, self.asleep)


@pytest.mark.parametrize(
    ("seconds", "works", "sleeps", "ending"),
    [
        (100.0, 0.001, False, "finished"),
        (0.3, 0.001, False, "finished"),
        (0.3, 0.2, False, "out of time"),
        (100.0, 0.0, True, "out of time"),
        (0.04, 0.0, True, "out of time"),
    ],
)
def test_a_program_that_was_kept_from_the_processor_has_its_time(
    seconds: float, works: float, sleeps: bool, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long it waits for one: only its work counts, and its sleep."""
    paced = Paced(seconds, works, sleeps=sleeps)
    monkeypatch.setattr(judging, "time", SimpleNamespace(monotonic=lambda: paced.now))
    assert judge(paced, new_match(16), seconds=0.4).ending == ending


def test_a_program_hears_minus_one_before_it_ends() -> None:
    """It exits with 7 when it does."""
    process = program(READER + "say('CHECK')\nwhile True: read()")
    assert judge(process, new_match()).ending == "violation"
    assert process.end(0) == 7


def test_a_match_that_is_broken_off_leaves_no_program_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken_off(*_: object, **__: object) -> Verdict:
        raise InputError("no space left")

    process = judging.start(["sleep", "60"], sandboxed=False)
    monkeypatch.setattr(judging, "start", lambda *_, **__: process)
    monkeypatch.setattr(judging, "judge", broken_off)
    with pytest.raises(InputError, match="no space left"):
        judging.judge_program(
            find_contest("holdem_training"), ["sleep"], hands=2, seed="1", decks=None, transcript=None, sandboxed=False
        )
    assert process.end(0) is None  # it had to be killed


# Files of hands.


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "has no hands"),
        ("0 1 " * 8 + "0\n", "line 1: has 17 words instead of 18 integers"),
        ("\n\n" + "0 1 " * 10, "line 3: has 20 words instead of 18 integers"),
        ("0 1 0 2 0 3 0 4 0 5 0 6 0 7 0 8 0 x", "line 1: x is neither a suit, 0 to 3, nor a value, 1 to 13"),
        ("0 1 0 2 0 3 0 4 0 5 0 6 0 7 0 8 4 9", "line 1: there is no card 4 9; suits are 0 to 3"),
        ("0 1 0 2 0 3 0 4 0 5 0 6 0 7 0 8 0 14", "line 1: there is no card 0 14; suits are 0 to 3"),
        ("0 1 0 2 0 3 0 4 0 5 0 6 0 7 0 8 0 1", "line 1: the card 0 1 is there twice"),
    ],
)
def test_bad_decks_are_blamed_by_line(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "decks.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(problem)) as caught:
        read_decks(path)
    assert str(path) in str(caught.value)


# Points.


@pytest.mark.parametrize(
    ("mean_profit", "wanted"),
    [
        (-100, 0), (7.99, 0), (8, 0), (8.03, 0), (8.04, 1), (9.5, 20), (11, 40), (11.01, 40), (11.0358, 41),
        (11.25, 44), (14, 82), (14.1, 82), (14.1667, 83), (14.5, 84), (16, 88), (17.2, 92), (50, 190),
    ],
)  # fmt: skip
def test_points(mean_profit: float, wanted: int) -> None:
    """8.0376 · 13.3 is half a point: rounded up, as 1.5 · 13.3 = 19.95 and 0.25 · 14 = 3.5 and 0.5 · 3 = 1.5 are."""
    assert points(mean_profit) == wanted


def test_tasks_go_by_the_profit_itself() -> None:
    assert [tasks(w) for w in (10.999, 11.0, 15.999, 16.0)] == [
        (False, False), (True, False), (True, False), (True, True)
    ]  # fmt: skip


# The command.


# Says first what it shouldn't have reached.
REACHES_OUT = """
import os, socket
open("secret").read()
for reach in (
    lambda: open("../secret"),
    lambda: open("written", "w"),
    lambda: socket.socket(),
    lambda: os.fork(),
    lambda: bytearray(3 << 30),
):
    try:
        print(reach())
    except (OSError, MemoryError):
        pass
print("CHECK")
"""


@pytest.mark.parametrize(
    ("source", "code", "words"),
    [
        (CHECKER, 0, "finished: W = "),
        ("import sys; print('something is wrong', file=sys.stderr)", 5, "something is wrong"),
        (REACHES_OUT, 3, 'CHECK is no command: RATE or ACTION: "CHECK"'),
        ("block = b'x' * (1 << 30)", 5, "died: ran out of memory (512 MB), in hand 1"),
        ("import time; block = b'x' * (1 << 30); time.sleep(100)", 5, "died: ran out of memory (512 MB)"),
        ("import sys; sys.stderr.write('x' * 1000000); " + CHECKER, 0, "finished: W = "),
    ],
)
def test_the_command_in_the_sandbox(tmp_path: Path, source: str, code: int, words: str) -> None:
    """The program may read its folder; all else is closed to it. What it writes to stderr is shown."""
    folder = tmp_path / "inside"
    folder.mkdir()
    (folder / "bot.py").write_text(source)
    (folder / "secret").write_text("not so secret")
    (tmp_path / "secret").write_text("secret")
    output = run_command(folder, "judge", "holdem_training", "--hands", "3", "--", "python3", "bot.py", exit_code=code)
    assert words in output
    assert not (folder / "written").exists()


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ("von_neumann_poker -- true", "von_neumann_poker has no judge for programs"),
        ("holdem_training --hands 5 --decks x -- true", "leave one of"),
        ("holdem_training --decks x -- true", "x can't be read"),
        ("holdem_training --transcript a/b -- true", "can't be written"),
        (
            "holdem_training --transcript /dev/full -- yes RATE",
            "--transcript /dev/full: can't be written: No space left",
        ),
        ("holdem_training -- no_such_program", "no_such_program: there is no such command"),
    ],
)
def test_the_command_with_bad_input(tmp_path: Path, arguments: str, problem: str) -> None:
    output = run_command(tmp_path, "judge", "--no-sandbox", *arguments.split(), exit_code=2)
    assert problem in output
    assert len(output.splitlines()) == 1
