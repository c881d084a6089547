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
from tests.worker.support import Source, answering, script, write_bot
from tournament.cache import cache_folder
from tournament.contests.settings import BankedSettings
from tournament.contests.two_card_draw.rules import EXAMPLES, example
from tournament.contests.two_card_draw.rules import Settings as DrawSettings
from tournament.contests.two_card_draw.servers import practice_server
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


def test_bot_that_does_not_repeat_is_accepted(tmp_path: Path) -> None:
    report = check(tmp_path, "import time\ndef a(bot): return time.time_ns() // 7 % 50\ndef b(bot, bet): return 1\n")
    assert not report.repeats and report.fit


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


def test_check_of_process_needs_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def prepare(kinds: set[str], *_: object) -> None:
        assert not kinds

    monkeypatch.setattr("tournament.artifacts.libraries.prepare_libraries", prepare)
    assert check(tmp_path, CALM).fit
    assert check(tmp_path, answering("20", "bet < 30")).fit


def test_server_of_check_is_unknown() -> None:
    servers = {practice_server(bytes([n]) * 32).content for n in range(4)}
    assert len(servers) == 4
    assert not servers & {example(DrawSettings(seed="1"), name).content for name in EXAMPLES}


LEAK = """
from collections import Counter
def a(bot):
    Counter.seen = getattr(Counter, "seen", 0) + 1
    return Counter.seen % 50
def b(bot, bet): return 1
"""


def test_bot_whose_legs_could_leak_shares_no_process(tmp_path: Path) -> None:
    report = check(tmp_path, LEAK)
    assert report.repeats and not report.shares_process and report.fit
    assert report.isolation_violation == "line 2: imports Counter from collections"


LOOP = "(loop $l (br $l))"


def looping(folder: Path, settings: Settings, *, starts: str = "", decides: str = "") -> CheckReport:
    code = f"""(module (memory (export "memory") 1) (func (export "_initialize") {starts})
        (func (export "a") (param i32) (result i32) {decides} (i32.const 5))
        (func (export "b") (param i32) (result i32) (i32.const 1)))"""
    return check(folder, bytes(wasmtime.wat2wasm(code)), settings, name="loops.wasm")


class Banked(Settings, BankedSettings):
    """Settings of a contest that limits only the time of a leg."""


@pytest.mark.parametrize(("does", "says"), [("starts", "a start took"), ("decides", "session 0, game 0, a: it took")])
def test_check_of_loop_within_a_long_bank_ends_early(
    does: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check reports that the bot is slow, and accepts it, because the contest allows that time."""
    monkeypatch.setattr("tournament.trial.check._DECISION_SECONDS", 0.01)
    report = looping(tmp_path, Banked(sessions=20, max_faults=1, seconds=9.0), **{does: LOOP})
    assert report.fit and not report.faults and report.problem is None
    assert report.slow == f"{says} more than 0.01 s: it loops or is too slow to be tried; the contest allows 9 s a leg"
    assert looping(tmp_path, Banked(sessions=20, seconds=9.0)).slow == ""


BUSY = "n = 0\ndef a(bot):\n  global n\n  n += 1\n  while n > {}: pass\n  return 5\ndef b(bot, bet): return 1\n"
BUSY_PROGRAM = "import sys\ninput()\nfor n, line in enumerate(sys.stdin):\n  while n >= {}: pass\n  print('ACTION 1')\n"


@pytest.mark.parametrize("kind", ["python", "program"])
@pytest.mark.parametrize("after", [0, 6])
def test_trial_of_looping_bot_ends_at_first_fault(
    kind: str, after: int, tmp_path: Path, little_time_to_decide: None
) -> None:
    source: Source = BUSY.format(after) if kind == "python" else script(BUSY_PROGRAM.format(after))
    report = check(tmp_path, source, Settings(max_faults=20))
    (fault,) = report.faults
    assert fault.decision in "ab" and ((fault.session, fault.game) > (0, 0)) is (after > 0)
    assert fault.message == "took more than 0.2 s of processor time for a decision: it loops or is too slow"
    assert not report.fit and report.slow == "" and report.at_fault[-1].game == fault.game
    assert report.meter and report.meter.use and report.meter.use.cpu_seconds < 2.0


def test_slow_start_after_number_of_sessions_is_no_fault(tmp_path: Path, little_time_to_decide: None) -> None:
    gets_ready = "end = time.process_time() + 0.5\nwhile time.process_time() < end: pass"
    source = f"import sys, time\ninput()\n{gets_ready}\nfor line in sys.stdin: print('ACTION 1')\n"
    assert check(tmp_path, script(source)).fit


@pytest.mark.parametrize("kind", ["python", "program"])
def test_check_of_process_within_a_long_bank_ends_early(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournament.trial.check._DECISION_SECONDS", 0.3)
    source: Source = BUSY.format(2) if kind == "python" else script(BUSY_PROGRAM.format(2))
    report = check(tmp_path, source, Banked(sessions=20, seconds=9.0))
    assert report.fit and report.slow.endswith(
        "it took more than 0.3 s: it loops or is too slow to be tried; the contest allows 9 s a leg"
    )
    assert report.meter and report.meter.use and report.meter.use.cpu_seconds < 3.0


def test_loop_beyond_fuel_of_a_decision_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournament.contests.settings.DECISION_FUEL", 1_000_000)
    report = looping(tmp_path, Settings(sessions=20, max_faults=1), decides=LOOP)
    assert not report.fit and report.slow == ""
    assert {fault.message for fault in report.faults} == {"ran out of fuel: it loops or is too slow"}


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


@pytest.mark.parametrize("start", [0.1, 30.0])
@pytest.mark.parametrize(("each", "slow"), [(0.05, True), (0.00001, False)])
def test_check_judges_decisions_without_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, start: float, each: float, slow: bool
) -> None:
    write_bot(tmp_path / "calm.py", CALM)
    settings = Settings(sessions=5000, max_faults=0, seconds=10.0, increment_ms=0.0, seed="3")
    report = timed_check(tmp_path, monkeypatch, settings, each, start)
    assert report.too_slow == slow and report.fit == (not slow)
    assert ("it has 10 s" in report.slow) == slow
    assert report.leg is not None and report.leg.sessions < (100 if slow else 501)


def timed_check(
    folder: Path, monkeypatch: pytest.MonkeyPatch, settings: Settings, each: float, start: float = 0.0
) -> CheckReport:
    """Check a bot as if each decision and its start took these seconds."""
    tried = trial_legs.build(VON_NEUMANN_POKER, settings, SandboxSettings(), folder / "calm.py", lambda _text: None)
    timed = TimedPairing(**vars(tried), each=each, start=start)
    monkeypatch.setattr("tournament.trial.check.build", lambda *_: timed)
    monkeypatch.setattr("tournament.trial.check.time", SimpleNamespace(monotonic=lambda: timed.clock[0]))
    return check(folder, CALM, settings)


def test_check_of_bot_somewhat_too_slow_names_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_bot(tmp_path / "calm.py", CALM)
    settings = Settings(sessions=5000, max_faults=0, seconds=10.0, increment_ms=0.0, seed="3")
    needs = float(
        timed_check(tmp_path, monkeypatch, settings, 0.05).slow.split(", ")[1].split(" s")[0].replace(",", "")
    )
    settings = settings.model_copy(update={"seconds": needs / 2})
    report = timed_check(tmp_path, monkeypatch, settings, 0.05)
    assert report.fit and report.slow.endswith(f"it has {needs / 2:,.0f} s, so it may be disqualified")


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


@pytest.mark.parametrize("said", ("thinking", "ACTION 0\nthinking"))
def test_program_that_writes_more_than_answers_gets_advice(said: str, tmp_path: Path, config: str) -> None:
    write_bot(tmp_path / "talks", script(f"import sys\nfor _ in sys.stdin: print({said!r}, flush=True)"))
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
    write_bot(tmp_path / "wrong", {"bot.toml": "command = 1"})
    write_bot(tmp_path / "plain", script("")["bot.py"])
    (tmp_path / "folder").mkdir()
    for name, expected, words in (
        ("broken.py", 1, "verdict not fit to enter error "),
        ("broken.py", 1, "SyntaxError"),
        ("wrong", 1, "bot.toml, line 1: command must be a list of words"),
        ("plain", 2, "bots are files ending in .c"),
        ("folder", 2, "and folders with a bot.toml"),
        ("nowhere.py", 2, "not found"),
    ):
        code, text = run_check(str(tmp_path / name), "--config", config)
        assert (code, words in text) == (expected, True), text


@pytest.mark.parametrize(
    ("place", "says"),
    [
        *((f"trial.{one}", "verdict not fit") for one in ("check._play_on", "trial_legs.play_in_lanes")),
        ("cli.trial.check_table", "tournament: calm.py: can't be shown: an error of the tournament's own"),
    ],
)
def test_internal_error_in_check_is_reported_as_bots_problem(
    place: str, says: str, tmp_path: Path, config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("in\nours")

    monkeypatch.setattr(f"tournament.{place}", fail)
    write_bot(tmp_path / "calm.py", CALM)
    code, text = run_check(str(tmp_path / "calm.py"), "--config", config, "--submission-limits")
    assert code == 1 and says in text, text
    found = re.search(r"ZeroDivisionError: in ours; please report it, with (\S+/errors/\w+\.txt)", text)
    assert found and ("…/" in found[1] and str(cache_folder()) not in text) is place.startswith("trial."), text
    assert "in fail" in Path(found[1].replace("…", str(cache_folder()))).read_text()
