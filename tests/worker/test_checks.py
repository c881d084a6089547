"""`tournament check` for bots that are processes: what it finds, its verdict, its exit code."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import wasmtime

from tests.cli.in_process import shown
from tests.worker.support import Source, build, script, write_bot
from tournament.cache import cache_folder
from tournament.contests import two_card_draw
from tournament.contests.two_card_draw import EXAMPLES, example
from tournament.contests.two_card_draw.servers import practice_server
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER, Settings
from tournament.runner.watcher import NobodyWatching
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.trial import playing
from tournament.trial.check import CheckReport, check_bot, habits, replay_check
from tournament.trial.pace import measure_pace
from tournament.worker.observation import ObservedLeg, Window
from tournament.worker.processes import python_bots

SMALL = Settings(sessions=20, cpu_seconds_per_decision=0.2, wall_seconds_per_decision=0.2, faults_allowed=1)
CALM = "def a(bot): return 20 if bot.card > 0.5 else 0\ndef b(bot, bet): return bot.card > 0.25\n"


def check(folder: Path, source: Source, settings: Settings = SMALL, name: str = "bot.py") -> CheckReport:
    path = folder / (name if not isinstance(source, dict) else "bot")
    write_bot(path, source)
    return check_bot(VON_NEUMANN_POKER, settings, SandboxSettings(), path, NobodyWatching())


def test_a_fit_python_bot(tmp_path: Path) -> None:
    report = check(tmp_path, CALM)
    assert report.fit and report.repeats and report.legs_share
    assert report.leg is not None and report.leg.sessions == 20
    assert report.meter is not None and report.meter.use is not None
    assert report.meter.decisions == report.meter.use.decisions > 100
    assert report.meter.use.cpu_seconds > 0 and report.meter.use.memory_bytes > 1 << 20
    assert report.boundary_questions == 2 * 3 * 3 * 3 + 2 * 2 * 3 * 3 * 3
    assert report.confined_by.startswith("Landlock ")


def test_a_bot_that_does_not_repeat_may_enter(tmp_path: Path) -> None:
    report = check(tmp_path, "import time\ndef a(bot): return time.time_ns() // 7 % 50\ndef b(bot, bet): return 1\n")
    assert not report.repeats
    assert report.fit


def test_a_bot_cannot_tell_a_check_from_a_tournament(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told of a tournament's sessions, and without a seed its chance is another each time."""
    monkeypatch.setattr("tournament.trial.playing.SESSIONS", 3)
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
        return report.seed, report.faults[0].what

    (drawn, said), other = told(None), told(None)
    assert drawn != other[0] and said != other[1]
    assert told(drawn) == (None, said)


def test_no_server_of_a_check_is_known() -> None:
    servers = {practice_server(bytes([n]) * 32).content for n in range(4)}
    assert len(servers) == 4
    assert not servers & {example(two_card_draw.Settings(seed="1"), name).content for name in EXAMPLES}


LEAK = """
from collections import Counter

def a(bot):
    Counter.seen = getattr(Counter, "seen", 0) + 1
    return Counter.seen % 50

def b(bot, bet):
    return 1
"""


def test_a_bot_whose_legs_could_leak_has_a_process_for_each(tmp_path: Path) -> None:
    report = check(tmp_path, LEAK)
    assert report.repeats and not report.legs_share and report.fit
    assert report.why_apart == "line 2: imports Counter from collections"


def test_a_check_says_what_leaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Should the source have been misjudged: alone it repeats, beside others not. The verdict stays the source's."""
    leak = f"{LEAK}# {secrets.token_hex(8)}\n"  # misjudged here only
    monkeypatch.setattr(python_bots, "why_apart", lambda *_: "")
    (before,) = build({"bot.py": leak})
    report = check(tmp_path, leak)
    assert report.repeats and report.leaks and report.fit
    (after,) = build({"bot.py": leak})
    assert before.artifact == after.artifact


LOOP = "(loop $l (br $l))"


def looping(folder: Path, *, starts: str = "", decides: str = "", fuel: int = 2_000_000_000) -> CheckReport:
    """The check of a module that does this when it starts and when it decides."""
    (folder / "loops.wasm").write_bytes(
        wasmtime.wat2wasm(f"""(module (memory (export "memory") 1) (func (export "_initialize") {starts})
            (func (export "a") (param i32) (result i32) {decides} (i32.const 5))
            (func (export "b") (param i32 i32) (result i32) (i32.const 1)))""")
    )
    settings = Settings(sessions=20, faults_allowed=1, fuel_per_decision=fuel)
    return check_bot(VON_NEUMANN_POKER, settings, SandboxSettings(), folder / "loops.wasm", NobodyWatching())


@pytest.mark.parametrize("does", ["starts", "decides"])
def test_a_check_doesnt_wait_for_what_the_contest_may(
    does: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who takes longer is told so, and isn't refused: only the tournament knows whether that ever ends."""
    monkeypatch.setattr("tournament.trial.check._MOST_FUEL", 10_000_000)
    report = looping(tmp_path, starts=LOOP) if does == "starts" else looping(tmp_path, decides=LOOP)
    assert report.fit and not report.faults and report.problem is None
    assert report.slow == (
        f"{'a start' if does == 'starts' else 'a'} took more than 10,000,000 fuel (0.0025 s), for which a check doesn't"
        " wait: an endless loop? The contest allows 2,000,000,000 (0.5 s)"
    )
    assert looping(tmp_path).slow == ""


def test_what_the_contest_does_not_wait_for_is_a_fault(tmp_path: Path) -> None:
    report = looping(tmp_path, decides=LOOP, fuel=1_000_000)
    assert not report.fit and report.slow == ""
    assert {fault.what for fault in report.faults} == {"ran out of fuel (an endless loop?)"}


def test_faults_at_the_limits(tmp_path: Path) -> None:
    report = check(tmp_path, "def a(bot): return 10 if bot.card else [][0]\ndef b(bot, bet): return 1\n")
    assert report.faults == () and not report.fit
    assert len(report.boundary_faults) == 5  # of 27 with card 0; then it stops
    assert not report.asked_all
    assert {fault.what for fault in report.boundary_faults} == {"IndexError: list index out of range (line 1 in a)"}
    assert report.boundary_faults[0].asked.startswith("a: card 0, ")


@pytest.mark.parametrize("source", ["(x for x in iter(int, 1) if x).__next__()", "__import__('time').sleep(99)"])
def test_a_disqualified_bot_is_not_examined_for_long(
    tmp_path: Path, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tournament.worker.processes.bot_process.START_SECONDS", 0.2)
    report = check(tmp_path, f"def a(bot): return {source}\ndef b(bot, bet): return 1\n")
    assert len(report.faults) == 2
    assert not report.fit
    assert report.boundary_questions == 0


def test_it_says_how_a_bot_answers_and_what_it_prints(tmp_path: Path) -> None:
    report = check(tmp_path, "def a(bot): return 5\ndef b(bot, bet):\n  print('faced', bet)\n  return 0\n")
    assert [habit.split(" (")[0] for habit in report.habits] == [
        "a: always the same answer, 5",
        "b: always the same answer, fold",
    ]
    assert report.fit and re.fullmatch(r"(faced \d+\n?){10}", report.printed)
    nothing = ObservedLeg(report.leg, ())  # type: ignore[arg-type]
    assert habits(VON_NEUMANN_POKER, nothing) == ("a was never asked", "b was never asked")


@dataclass(frozen=True)
class TimedPairing(playing.Pairing):
    """A pairing whose bot takes known times: for its starts, the first of which are told, and for each decision."""

    each: float = 0.0
    starts: list[float] = field(default_factory=list)
    windows: list[Window] = field(default_factory=list)

    def observe(self, window: Window, artifact: bytes | None = None) -> ObservedLeg:
        seen = super().observe(window, artifact)
        own = sum(step.seat == 0 for game in seen.games for step in game.steps)
        start = self.starts[min(len(self.windows), len(self.starts) - 1)]
        self.windows.append(window)
        return replace(seen, cpu_seconds=(start + own * self.each, None))


IMPATIENT = Settings(sessions=5000, faults_allowed=0, cpu_seconds_per_leg=10.0, cpu_milliseconds_more=0.0, seed="3")


def timed_pairing(folder: Path, each: float, starts: list[float], source: str = CALM) -> TimedPairing:
    write_bot(folder / "bot.py", source)
    tried = playing.build(VON_NEUMANN_POKER, IMPATIENT, SandboxSettings(), folder / "bot.py", NobodyWatching().say)
    return TimedPairing(**vars(tried), each=each, starts=starts)


# As on a machine that must read a bot's libraries from its disk at first; and where each start takes long.
@pytest.mark.parametrize("starts", [[0.1], [3.0, 0.1], [0.1, 3.0], [3.0]])
@pytest.mark.parametrize(("each", "slow"), [(0.05, True), (0.00001, False)])
def test_a_bot_is_too_slow_for_its_decisions_and_not_for_its_start(
    tmp_path: Path, starts: list[float], each: float, slow: bool
) -> None:
    timed = timed_pairing(tmp_path, each, starts)
    _, pace = measure_pace(timed)
    assert pace.too_slow == slow
    assert ("it has 10 s" in pace.in_words) == slow
    assert len(timed.windows) <= 3 and sum(window.decisions for window in timed.windows) < 1000


def test_a_bot_that_fails_after_a_long_start_is_not_called_slow(tmp_path: Path) -> None:
    fails = "n = 0\ndef a(bot):\n  global n\n  n += 1\n  assert n < 6\n  return 0\ndef b(bot, bet): return 1\n"
    _, pace = measure_pace(timed_pairing(tmp_path, 0.00001, [30.0], fails))
    assert not pace.too_slow


def test_a_bot_that_is_plainly_too_slow_is_not_played_for_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    timed = timed_pairing(tmp_path, 0.05, [0.1])
    monkeypatch.setattr("tournament.trial.check.build", lambda *_: timed)
    report = check(tmp_path, CALM, IMPATIENT)
    assert report.too_slow and not report.fit and "it has 10 s" in report.slow
    assert report.leg is not None and report.leg.sessions < 1000


def test_a_fault_of_a_c_bot_has_its_line_and_of_a_python_bot_two_frames(tmp_path: Path) -> None:
    source = "static int half(int x) {\n  volatile int zero = 0;\n  return x / zero;\n}\n"
    source += "int a(const Bot *b) { return b->card > 0.5f ? half(3) : 0; }\nint b(const Bot *b, int x) { return 1; }\n"
    settings = SMALL.model_copy(update={"seed": "3"})
    report = check(tmp_path, source, settings, name="bot.c")
    assert {fault.what for fault in report.faults} == {"divided by zero (line 3)"}
    path, session = tmp_path / "bot.c", report.faults[0].session
    again = replay_check(VON_NEUMANN_POKER, settings, SandboxSettings(), path, session, None, NobodyWatching())
    assert {step.fault for game in again for step in game.steps if step.fault} == {"divided by zero (line 3)"}
    python = "def half(x):\n  return x // 0\ndef a(bot):\n  return half(3)\ndef b(bot, bet): return 1\n"
    (what,) = {fault.what for fault in check(tmp_path, python).faults}
    assert what.endswith("by zero (line 2 in half, called on line 4 in a)")


def run_check(*words: str) -> tuple[int, str]:
    """The command's exit code and what it printed, blanks made one."""
    done = shown("check", *words)
    return done.code, re.sub(r"\s+", " ", done.out + done.err)


@pytest.mark.parametrize(("where", "options"), [
    ("tournament.cli.trial.replay_check", ["--session", "0", "--seed", "3"]),
    ("tournament.cli.trial.print_game", ["--session", "0", "--seed", "3"]),
    ("tournament.cli.trial.check_table", []),
])  # fmt: skip
def test_an_error_of_our_own_around_a_check_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, options: list[str]
) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError("no")

    bot = tmp_path / "von_neumann_poker" / "bot.c"
    bot.parent.mkdir()
    bot.write_text("int a(const Bot *b) { return 0; }\nint b(const Bot *b, int x) { return 1; }\n")
    monkeypatch.setattr(where, fails)
    done = shown("check", str(bot), *options)
    assert done.code == 1
    said = done.err.splitlines()[-1]
    assert said.startswith("tournament: bot.c: ") and "ZeroDivisionError: no; please report it, with " in said


@pytest.fixture
def config(tmp_path: Path) -> str:
    path = tmp_path / "tournament.toml"
    path.write_text("[von_neumann_poker]\nsessions = 10\nfaults_allowed = 1\nseed = 2\n")
    return str(path)


def test_the_command_prints_a_verdict(tmp_path: Path, config: str) -> None:
    write_bot(tmp_path / "calm.py", CALM)
    code, text = run_check(str(tmp_path / "calm.py"), "--config", config)
    assert code == 0
    for words in (
        "calm (python)", "of Python", "Landlock", "10 sessions against the house bot", "repeats yes", "legs share a",
        "162 questions with extreme values: all answered", "faults none", "verdict fit to enter",
    ):  # fmt: skip
        assert words in text, text


@pytest.mark.parametrize("said", ("thinking", "ACTION 0\nthinking"))
def test_who_writes_more_than_answers_is_told_where_to(said: str, tmp_path: Path, config: str) -> None:
    write_bot(tmp_path / "talks", script(f"import sys\nfor _ in sys.stdin: print({said!r}, flush=True)"))
    code, text = run_check(str(tmp_path / "talks"), "--config", config)
    assert code == 1 and "standard output is for answers alone" in text, text


@pytest.mark.usefixtures("config")
def test_a_fault_comes_with_the_line_that_replays_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = (
        "n = 0\ndef a(bot):\n  global n\n  n += 1\n  assert n != 30, 'thirty'\n  return 5\ndef b(bot, bet): return 1\n"
    )
    write_bot(tmp_path / "thirty.py", source)
    monkeypatch.chdir(tmp_path)  # with its tournament.toml
    code, text = run_check("thirty.py")
    assert code == 1
    assert "AssertionError: thirty (line 5 in a)" in text
    assert "verdict not fit to enter" in text
    found = re.search(r"tournament check thirty.py --session (\d+) --game (\d+)", text)
    assert found is not None, text
    code, replayed = run_check(*found.group().split()[2:])
    assert code == 0
    assert "AssertionError: thirty (line 5 in a)" in replayed
    code, text = run_check("thirty.py", "--session", "99")
    assert code == 2
    found = re.search(r"--session 99: the check plays sessions 0 to (\d+)", text)
    assert found is not None, text
    last = int(found.group(1))
    assert run_check("thirty.py", "--session", str(last))[0] == 0
    assert run_check("thirty.py", "--session", str(last + 1))[0] == 2


def test_bots_that_cannot_be_built_and_files_that_are_none(tmp_path: Path, config: str) -> None:
    write_bot(tmp_path / "broken.py", "def a(bot) return 1")
    write_bot(tmp_path / "wrong", {"bot.toml": "command = 1"})
    write_bot(tmp_path / "plain", script("")["bot.py"])
    (tmp_path / "folder").mkdir()
    for name, expected, words in (
        ("broken.py", 1, "SyntaxError"),
        ("wrong", 1, "bot.toml, line 1: command must be a list of words"),
        ("plain", 2, "bots are files ending in .c"),
        ("folder", 2, "and folders with a bot.toml"),
        ("nowhere.py", 2, "there is no such file"),
    ):
        code, text = run_check(str(tmp_path / name), "--config", config)
        assert (code, words in text) == (expected, True), text


# Who may start threads sees by their numbers how many others begin meanwhile.
COUNTS_OTHERS = script("""
import sys, threading, time
ids = [threading.get_native_id()]
sys.stdin.readline()
for line in sys.stdin:
    while len(ids) < 10:
        time.sleep(0.1)
        thread = threading.Thread(target=lambda: ids.append(threading.get_native_id()))
        thread.start()
        thread.join()
        assert ids[-1] - ids[-2] <= 3
    print("ACTION 0" if '"a"' in line else "ACTION 1")
""")


@pytest.mark.slow
def test_a_bot_that_fails_only_in_company_is_not_fit(tmp_path: Path) -> None:
    write_bot(tmp_path / "sociable", COUNTS_OTHERS)
    report = check_bot(VON_NEUMANN_POKER, Settings(), SandboxSettings(), tmp_path / "sociable", NobodyWatching())
    assert not report.fit
    assert "AssertionError" in report.faults[-1].complaints


@pytest.mark.parametrize("place", ["check.measure_pace", "check.search", "playing.play_in_lanes"])
def test_an_error_of_ours_after_the_build_is_the_bots_problem(
    place: str, tmp_path: Path, config: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("in\nours")

    monkeypatch.setattr(f"tournament.trial.{place}", fail)
    write_bot(tmp_path / "calm.py", CALM)
    code, text = run_check(str(tmp_path / "calm.py"), "--config", config, "--as-submitted")
    assert code == 1 and "verdict not fit to enter" in text, text
    found = re.search(r"ZeroDivisionError: in ours; please report it, with …(/errors/\w+\.txt)", text)
    assert found and str(cache_folder()) not in text, text
    assert "in fail" in Path(f"{cache_folder()}{found[1]}").read_text()
