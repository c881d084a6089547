"""`tournament check` for bots that are processes: what it finds, its verdict, its exit code."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import wasmtime

from tests.built_in import VON_NEUMANN_POKER
from tests.commands import run_cli
from tests.worker.support import Source, script, write_bot
from tournament.contests.settings import BankedSettings
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.runner.listener import NullListener
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.leg_result import Used
from tournament.trial import trial_legs
from tournament.trial.check import CheckReport, check_bot, habits

SMALL = Settings(sessions=20, idle_seconds=0.2, max_faults=1)
CALM = "def a(bot): return 20 if bot.card > 0.5 else 0\ndef b(bot, bet): return bot.card > 0.25\n"


def check(folder: Path, source: Source, settings: Settings = SMALL, name: str = "bot.py") -> CheckReport:
    path = folder / (name if not isinstance(source, dict) else "bot")
    write_bot(path, source)
    return check_bot(VON_NEUMANN_POKER, settings, SandboxSettings(), path, NullListener())


def test_check_looks_like_a_tournament_to_a_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots receive a tournament's number of sessions, and another random seed each time."""
    monkeypatch.setattr("tournament.trial.trial_legs.SESSIONS", 3)
    listens = script("""
        import sys
        sessions = sys.stdin.readline().strip()
        for line in sys.stdin:
            print("ACTION 0") if sessions == "700" else sys.exit(7)
        """)
    report = check(tmp_path, listens, Settings(sessions=700))
    assert report.fit and report.leg is not None and report.leg.sessions == 3
    tells = "import random\nn = random.getrandbits(60)\ndef a(bot): raise ValueError(n)\ndef b(bot, bet): return 1\n"

    def told(seed: str | None) -> tuple[str | None, str]:
        report = check(tmp_path, tells, SMALL.model_copy(update={"seed": seed}))
        return report.seed, report.faults[0].message

    (drawn, said), other = told(None), told(None)
    assert drawn != other[0] and said != other[1]
    assert told(drawn) == (None, said)


LEAK = """
import time
from collections import Counter
def a(bot):
    Counter.seen = getattr(Counter, "seen", 0) + 1
    return (Counter.seen + {}) % 50
def b(bot, bet): return 1
"""


@pytest.mark.parametrize(("more", "repeats"), [("0", True), ("time.time_ns() // 7", False)])
def test_bot_whose_legs_could_leak_shares_no_process(more: str, repeats: bool, tmp_path: Path) -> None:
    """Check accepts a bot that doesn't repeat itself, too."""
    report = check(tmp_path, LEAK.format(more))
    assert report.repeats is repeats and not report.shares_process and report.fit
    assert report.isolation_violation == "line 2: imports time"


class Banked(Settings, BankedSettings):
    """Settings of a contest that limits only the time of a leg."""


WASM = """(module (memory (export "memory") 1)
    (func (export "a") (param i32) (result i32) (loop $l (br $l)) (i32.const 5))
    (func (export "b") (param i32) (result i32) (i32.const 1)))"""
# A start may take longer than a decision.
START = "import time\nwhile time.process_time() < 0.3: pass\n"
LOOPS: dict[str, Source] = {
    "loops.wasm": bytes(wasmtime.wat2wasm(WASM)),
    "loops.py": f"{START}n = []\ndef a(bot):\n  n.append(1)\n  while len(n) > 6: pass\n  return 5\n"
    "def b(bot, bet): return 1\n",
    "loops": script("""
        import sys
        input()
        import time
        while time.process_time() < 0.3: pass
        for n, line in enumerate(sys.stdin):
            while n >= 6: pass
            print("ACTION 1")
        """),
}


@pytest.mark.parametrize("name", LOOPS)
def test_check_of_loop_within_a_long_bank_ends_early(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check reports that the bot is slow, and accepts it, because the contest allows that time."""
    monkeypatch.setattr("tournament.trial.check._DECISION_SECONDS", 0.2)
    report = check(tmp_path, LOOPS[name], Banked(sessions=20, max_faults=1, seconds=9.0), name)
    assert report.fit and not report.faults and report.problem is None
    assert report.slow.endswith("it loops or is too slow to be tried; the contest allows 9 s a leg")
    assert name != "loops.wasm" or report.slow.startswith("session 0, game 0, a: it took more than 0.2 s: ")
    assert not (report.meter and report.meter.use) or report.meter.use.cpu_seconds < 3.0


def test_faults_at_extreme_values_are_reported(tmp_path: Path) -> None:
    report = check(
        tmp_path, "def a(bot): return 10 if bot.card else [][0]\ndef b(bot, bet): return 1 if bot.card else [][0]\n"
    )
    assert report.faults == () and not report.fit
    assert len(report.boundary_faults) == 5 and not report.answered_all  # The trial stops after five of 12.
    messages = [f"IndexError: list index out of range ({place})" for place in ("line 1 in a", "line 2 in b")]
    assert list(dict.fromkeys(fault.message for fault in report.boundary_faults)) == messages
    assert report.boundary_faults[0].question_text.startswith("a: card 0, ")


def test_check_reports_habits_and_output_of_bot(tmp_path: Path) -> None:
    report = check(tmp_path, "def a(bot): return 5\ndef b(bot, bet):\n  print('faced', bet)\n  return 0\n")
    habits_found = [habit.split(" (")[0] for habit in report.habits]
    assert habits_found == [f"{name}: always the same answer, {answer}" for name, answer in (("a", 5), ("b", "fold"))]
    assert report.fit and re.fullmatch(r"(faced \d+\n?){10}", report.printed)
    assert habits(VON_NEUMANN_POKER, ()) == ("a was never asked", "b was never asked")


@dataclass(frozen=True)
class TimedPairing(trial_legs.Pairing):
    """A pairing whose bot takes known times for its start and each decision, and advances a clock."""

    each: float = 0.0
    start: float = 0.0
    clock: list[float] = field(default_factory=lambda: [0.0])

    def play(self, legs: int = 1) -> list[trial_legs.Trial]:
        (trial,) = super().play(legs)
        decisions = trial.meter.decisions
        taken = self.start + decisions * self.each
        self.clock[0] += taken
        return [replace(trial, meter=trial_legs.Meter(decisions, use=Used(0.0, taken, 1)))]


@pytest.mark.parametrize(
    ("seconds", "each", "says"), [(10.0, 0.05, "it has 10 s"), (10.0, 0.00001, ""), (2000.0, 0.05, "so it may be disq")]
)
def test_check_judges_decisions_without_the_start(
    seconds: float, each: float, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_bot(tmp_path / "calm.py", CALM)
    settings = Settings(sessions=5000, max_faults=0, seconds=seconds, increment_ms=0.0, seed="3")
    tried = trial_legs.build(VON_NEUMANN_POKER, settings, SandboxSettings(), tmp_path / "calm.py", lambda _text: None)
    timed = TimedPairing(**vars(tried), each=each, start=30.0)
    monkeypatch.setattr("tournament.trial.check.build", lambda *_: timed)
    monkeypatch.setattr("tournament.trial.check.time", SimpleNamespace(monotonic=lambda: timed.clock[0]))
    report = check(tmp_path, CALM, settings)
    assert says in report.slow and ("it has" in report.slow) is bool(says)
    assert report.too_slow is (says == "it has 10 s") and report.fit is not report.too_slow


def test_fault_names_line_in_c_and_frames_in_python(tmp_path: Path) -> None:
    source = "static int half(int x) {\n  volatile int zero = 0;\n  return x / zero;\n}\n"
    source += "int a(const Bot *b) { return b->card > 0.5f ? half(3) : 0; }\nint b(const Bot *b, int x) { return 1; }\n"
    settings = SMALL.model_copy(update={"seed": "3"})
    report = check(tmp_path, source, settings, name="bot.c")
    assert {fault.message for fault in report.faults} == {"divided by zero (line 3)"}
    (game,) = report.at_fault
    assert [step.fault for step in game.steps if step.fault] == ["divided by zero (line 3)"]
    python = "def half(x):\n  return x // 0\ndef a(bot):\n  return half(3)\ndef b(bot, bet): return 1\n"
    (what,) = {fault.message for fault in check(tmp_path, python).faults}
    assert what.endswith("by zero (line 2 in half, called on line 4 in a)")


def run_check(*words: str) -> tuple[int, str]:
    """Return the command's exit code and its output with single blanks."""
    done = run_cli("check", *words)
    return done.code, re.sub(r"\s+", " ", done.out + done.err)


@pytest.fixture
def config(tmp_path: Path) -> str:
    path = tmp_path / "tournament.toml"
    path.write_text("[von_neumann_poker]\nsessions = 10\nmax_faults = 1\nseed = 2\n")
    return str(path)


def test_check_command_prints_a_verdict(tmp_path: Path, config: str) -> None:
    write_bot(tmp_path / "calm.py", CALM)
    code, text = run_check(str(tmp_path / "calm.py"), "--config", config)
    assert code == 0
    assert re.search(
        r"^verdict fit to enter bot calm \(python\) .* of Python sandbox Landlock .*"
        r" in 10 sessions against the house bot, .*"
        r" time [1-9][\d.]* µs of processor time a decision, .* memory [1-9]\d* MB at most, .*"
        r" repeats yes: .* legs share a process limits 24 questions with extreme values: all answered faults none",
        text,
    ), text


def test_program_that_writes_more_than_answers_gets_advice(tmp_path: Path, config: str) -> None:
    write_bot(tmp_path / "talks", script("import sys\nfor _ in sys.stdin: print('ACTION 0\\nthinking', flush=True)"))
    code, text = run_check(str(tmp_path / "talks"), "--config", config)
    assert code == 1 and "standard output is for answers alone" in text, text


@pytest.mark.usefixtures("config")
def test_check_of_bot_at_fault_shows_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deeds = "n = 0\ndef a(bot):\n  global n\n  n += 1\n  assert n != 30, 'thirty'\n  return 5\n"
    write_bot(tmp_path / "thirty.py", f"{deeds}def b(bot, bet): return 1\n")
    monkeypatch.chdir(tmp_path)
    code, text = run_check("thirty.py")
    assert code == 1
    assert re.match(r"verdict not fit to enter faults session \d+, game \d+, a: AssertionError: thirty", text), text
    assert re.search(r"game \d+: .*thirty a: card .* fault: AssertionError: thirty \(line 5 in a\)", text), text


def test_check_of_unfit_bots_and_other_files_explains_why(tmp_path: Path, config: str) -> None:
    write_bot(tmp_path / "broken.py", "def a(bot) return 1")
    write_bot(tmp_path / "plain", "")
    for name, expected, words in (
        ("broken.py", 1, "verdict not fit to enter error can't start: SyntaxError"),
        ("plain", 2, "bots are files ending in .c"),
        ("nowhere.py", 2, "not found"),
    ):
        code, text = run_check(str(tmp_path / name), "--config", config)
        assert (code, words in text) == (expected, True), text
