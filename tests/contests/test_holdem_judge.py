"""The protocol of the terminal form, and programs that are judged by it."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

from engine.games.holdem_training.core import CHECK, HoldemTraining
from engine.games.holdem_training.rates import RateSampler
from engine.kernel.game_core import LEG_IS_OVER, RECORDS_ARE_FULL
from engine.kernel.records import Table
from engine.processes.lanes import Violation
from tests.commands import command
from tests.oracles.deals import key_of
from tournament.contests import find_contest
from tournament.contests.holdem_training.decks import read_decks
from tournament.contests.holdem_training.protocol import RATE_BUDGET
from tournament.contests.holdem_training.records import GAMES, SESSIONS
from tournament.contests.holdem_training.scoring import points, tasks
from tournament.errors import InputError
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import buffer_fields
from tournament.trial import judging
from tournament.trial.judging import TranscribedDialogue, Verdict, judge_program
from tournament.worker.processes import bot_process

GOLDEN = Path(__file__).parent.parent / "golden"
DECKS = GOLDEN / "holdem_decks.txt"
OFF = SandboxSettings(mode="off")


class Match:
    """A written dialogue over the golden hands, whose tables hold two, so that they are emptied in between."""

    def __init__(self) -> None:
        self.games, self.sessions = Table(buffer_fields(GAMES), 2), Table(buffer_fields(SESSIONS), 1)
        decks = read_decks(DECKS)
        self.core = HoldemTraining(
            self.games, self.sessions, deals_key=key_of(3), sessions=1, hands=len(decks), decks=decks
        )
        self.transcript = io.StringIO()
        self.dialogue = TranscribedDialogue(self.core, RateSampler(key_of(4)), self.transcript)
        self.over = False
        self.play(CHECK)

    def answer(self, line: bytes) -> list[str]:
        said = self.dialogue.read_line(line)
        return said if isinstance(said, list) else self.play(said)

    def play(self, action: int) -> list[str]:
        while (status := self.core.play(action)) == RECORDS_ARE_FULL:
            self.games.rows = self.sessions.rows = 0
        self.over = status == LEG_IS_OVER
        return self.dialogue.closing_lines() if self.over else self.dialogue.question_lines()


def judged(folder: Path, source: str, hands: int | None = 2, **options: Any) -> Verdict:
    """Judge a program in Python, without the sandbox."""
    (folder / "bot.py").write_text(source)
    given: dict[str, Any] = {"hands": hands, "seed": "1", "decks": None, "transcript": None} | options
    with contextlib.chdir(folder):
        return judge_program(find_contest("holdem_training"), ["python3", "bot.py"], OFF, **given)


# One line for each line that a program says in the golden match: hand by hand.
SCRIPT = [
    "RATE 1000", "ACTION RAISE 100",
    "ACTION RAISE 10", "ACTION FOLD",
    "ACTION RAISE 100", "ACTION CHECK", "RATE 500", "ACTION CHECK", "ACTION CHECK",
    "ACTION CHECK", "ACTION CHECK", "ACTION CHECK", "RATE 1", "ACTION RAISE 30",
    "ACTION RAISE 5", "ACTION RAISE 10", "ACTION RAISE 20", "ACTION RAISE 65",
]  # fmt: skip


def test_golden_transcript() -> None:
    """Lines of five fixed hands are the kept ones. The statement gives the words, so they stay."""
    match = Match()
    for line in SCRIPT:
        match.answer(line.encode())
    assert match.over
    assert match.transcript.getvalue() == (GOLDEN / "holdem_transcript.txt").read_text()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "the line is empty"),
        ("CHECK", "CHECK is no command: RATE or ACTION"),
        ("action check", "action is no command: RATE or ACTION"),
        ("ACTION CALL", "CALL is no action: CHECK, FOLD or RAISE"),
        ("ACTION RAISE", "ACTION RAISE takes one number"),
        ("ACTION RAISE 5.0", "5.0 is not an integer"),
        ("ACTION RAISE ٣", "the line is not plain ASCII"),
        ("\x1b[2J", "?[2J is no command: RATE or ACTION"),
        ("ACTION RAISE 0", "RAISE 0 is out of range: 1 to 100"),
        ("RATE 0", "RATE takes at least 1, not 0"),
        ("RATE 3000001", "RATE 3000001 is over the budget: 3,000,000 of 3,000,000 samples are left"),
        ("ACTION CHECK" + " " * 244, "the line is longer than 255 bytes"),
    ],
)
def test_violations_are_said_with_the_line(line: str, reason: str) -> None:
    match = Match()
    match.answer(b"ACTION CHECK")
    quoted = line[:20].replace("\x1b", "?")
    with pytest.raises(Violation, match=re.escape(f'{reason}: "{quoted}'.split("٣")[0])):
        match.answer(line.encode())
    assert match.transcript.getvalue().isascii()


def test_rate_budget_lasts_for_match() -> None:
    """Blanks and a carriage return are accepted on the way."""
    match = Match()
    assert match.answer(f"  RATE  {RATE_BUDGET - 10}".encode())
    assert match.answer(b"ACTION   RAISE\t 3 \r")[0] in ("OPP CALL 3", "OPP FOLD")
    assert match.answer(b"RATE 10")
    with pytest.raises(Violation, match="RATE 1 is over the budget: 0 of 3,000,000 samples are left"):
        match.answer(b"RATE 1")


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


def test_judge_returns_score_of_finished_program(tmp_path: Path) -> None:
    said = tmp_path / "said.txt"
    verdict = judged(tmp_path, CHECKER, None, decks=DECKS, transcript=said)
    hands = [int(profit) for profit in re.findall(r"< RESULT (\S+)\n", said.read_text())]
    assert (verdict.ending, verdict.hands, verdict.exit_code, len(hands)) == ("finished", 5, 0, 5)
    assert verdict.text.startswith(f"finished: W = {sum(hands) / 5:.6f} over 5 hands, ")
    assert said.read_text().endswith(f"\n< SCORE {sum(hands) / 5:.6f}\n")


@pytest.mark.parametrize(
    ("source", "ending", "reason"),
    [
        ("raise SystemExit(9)", "died", "ended with status 9, in hand 1"),
        (CHECKER.replace('"SCORE"', '"RESULT"'), "died", "died: ended, in hand 2"),
        (READER + "read(); say('READY')\nwhile True: read()", "violation", 'READY is no command: RATE or ACTION: "'),
    ],
)  # fmt: skip
def test_failing_program_ends_its_match(tmp_path: Path, source: str, ending: str, reason: str) -> None:
    said = tmp_path / "said.txt"
    verdict = judged(tmp_path, source, transcript=said)
    assert (verdict.ending, verdict.exit_code) == (ending, {"violation": 3, "died": 5}[ending])
    assert reason in verdict.text
    assert said.read_text().isascii()


def test_judge_stops_program_after_time_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_process, "START_SECONDS", 0.0)
    monkeypatch.setattr(judging, "SECONDS", 0.4)
    verdict = judged(tmp_path, CHECKER.replace('say("ACTION', 'exec("while True: pass"); say("ACTION'), 1)
    assert (verdict.ending, verdict.exit_code) == ("out of time", 4)
    assert "used up its processor time (0.4 s for 1 decisions), in hand 1" in verdict.text


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("0 1 " * 8 + "0\n", "line 1: has 17 words instead of 18 integers"),
        ("0 1 0 2 0 3 0 4 0 5 0 6 0 7 0 8 0 x", "line 1: x is neither a suit, 0 to 3, nor a value, 1 to 13"),
        ("0 1 0 2 0 3 0 4 0 5 0 6 0 7 0 8 4 9", "line 1: unknown card 4 9; suits are 0 to 3"),
        ("0 1 0 2 0 3 0 4 0 5 0 6 0 7 0 8 0 1", "line 1: the card 0 1 is there twice"),
    ],
)
def test_bad_decks_are_blamed_by_line(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "decks.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=re.escape(problem)) as caught:
        read_decks(path)
    assert str(path) in str(caught.value)


def test_points_and_tasks_follow_mean_profit() -> None:
    """Halves are rounded up, as in 1.5 · 13.3 = 19.95 and 0.25 · 14 = 3.5 and 0.5 · 3 = 1.5."""
    wanted = {
        -100: 0, 7.99: 0, 8: 0, 8.03: 0, 8.04: 1, 9.5: 20, 11: 40, 11.01: 40, 11.0358: 41,
        11.25: 44, 14: 82, 14.1: 82, 14.1667: 83, 14.5: 84, 16: 88, 17.2: 92, 50: 190,
    }  # fmt: skip
    assert {mean: points(mean) for mean in wanted} == wanted
    assert [tasks(w) for w in (10.999, 11.0)] == [(False, False), (True, False)]
    assert [tasks(w) for w in (15.999, 16.0)] == [(True, False), (True, True)]


@pytest.mark.parametrize(
    ("source", "code", "words"),
    [
        ("import sys; sys.stderr.write('x' * 1000000); " + CHECKER, 0, "finished: W = "),
        ("import sys; print('something is wrong', file=sys.stderr)", 5, "something is wrong"),
        ("open('secret').read(); open('../secret')", 5, "PermissionError"),
        ("import time; block = b'x' * (1 << 30); time.sleep(100)", 5, "died: ran out of memory (512 MB)"),
    ],
)
def test_judge_confines_program_and_shows_its_stderr(tmp_path: Path, source: str, code: int, words: str) -> None:
    folder = tmp_path / "inside"
    folder.mkdir()
    (folder / "bot.py").write_text(source)
    for place in (folder, tmp_path):
        (place / "secret").write_text("secret")
    judged = command(folder, "judge", "holdem_training", "--hands", "3", "--", "python3", "bot.py", columns=200)
    assert judged.code == code and words in judged.out + judged.err
