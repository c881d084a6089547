"""Limits and faults of bots that are processes."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

import tournament
from tests.worker.support import SILENT_C, A, B, Source, ask, ask_each, build, pair, script, write_bot
from tournament.contests.settings import ProcessTime
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.sandbox.outside.process_time import ProcessUse
from tournament.worker.processes import bot_process, lanes, programs
from tournament.worker.processes.bot_process import Spent, TimeLimits

LOOP = "while True: pass"


@pytest.fixture(autouse=True)
def little_time_to_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_process, "START_SECONDS", 0.4)


def python(deed: str, at: int | str = 2) -> str:
    """Return a Python bot that does something at a certain decision."""
    return (
        "import os, sys, time\nn = 0\n"
        f"def a(bot):\n    global n\n    n += 1\n    if n == {at}:\n        {deed}\n    return 10 * n\n"
        "def b(bot, bet): return 1\n"
    )


def program(deed: str, at: int | str = 2) -> dict[str, str]:
    return script(f"""
import os, sys, time
sys.stdin.readline()
n = 0
for line in sys.stdin:
    n += 1
    if n == {at}:
        {deed}
    print("ACTION", 10 * n)
""")


DEEDS = {
    "loops": (LOOP, "took more than 0.2 s of processor time for a decision: it loops or is too slow"),
    "sleeps": ("time.sleep(9)", "did not answer for 2 s"),
    "ends": ("os._exit(0)", "ended"),
    "exits": ("os._exit(7)", "ended with status 7"),
    "killed": ("import ctypes; ctypes.string_at(0)", "was killed by SIGSEGV"),
    "aborts": ("os.abort()", "was killed by SIGABRT"),
    "signals": ("import signal; signal.signal(15, signal.SIG_DFL); os.kill(os.getpid(), 15)", "was killed by SIGTERM"),
    "deaf": ("os.kill(os.getpid(), 15); os._exit(3)", "ended with status 3"),
    "alarm": (
        "import signal; signal.signal(14, signal.SIG_DFL); signal.setitimer(0, 0.05); signal.pause()",
        "was killed by SIGALRM",
    ),
    "closes": ("os.close(1); time.sleep(9)", "closed its output"),
}
# Signals that a bot can't send itself, so that none asks for a second try.
ENDING = (signal.SIGKILL, signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGRTMIN)


@pytest.fixture
def usual_time_to_start(monkeypatch: pytest.MonkeyPatch, little_time_to_start: None) -> None:
    """Set the usual limit of starts, for bots that start slowly on purpose or on a busy machine."""
    monkeypatch.setattr(bot_process, "START_SECONDS", 5.0)


@pytest.mark.slow
def test_every_deed_is_one_fault_and_restarts_bot(usual_time_to_start: None, little_time_to_decide: None) -> None:
    bots: dict[str, Source] = {}
    for name, (deed, _) in DEEDS.items():
        bots |= {f"py_{name}.py": python(deed)} if name != "closes" else {}
        bots[f"told_{name}"] = program(deed)
    # On a busy machine a loop must pass its limit of processor time before the idle time ends.
    for name, each in ask_each(bots, [A] * 3, Settings(max_faults=1, idle_seconds=2)).items():
        assert each.what == [DEEDS[name.split("_")[1]][1]], name
        assert each.answers == [10, 0, 10]
        (fault,) = each.faults
        assert (fault.seat, fault.session, fault.game, fault.decision) == (0, 0, 1, "a")
        assert fault.question_text == "a: card 0.5, opponents_previous_card -1, money 100, opponents_money 100"
    refused = {f"n{int(number)}.py": python(f"os.kill(os.getpid(), {int(number)})") for number in ENDING}
    for each in ask_each(refused, [A] * 3).values():
        assert [what.split(":")[0] for what in each.what] == ["PermissionError"]


@pytest.mark.slow
def test_naps_over_all_decisions_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournament.contests.settings._IDLE_TIMES", 1)
    naps = "time.sleep(0.3)"
    bots: dict[str, Source] = {"naps.py": python(naps, at="n"), "told": program(naps, at="n")}
    for answered in ask_each(bots, [A] * 40, Settings(max_faults=1, idle_seconds=0.5)).values():
        assert set(answered.what) == {"slept or waited for more than 0.5 s in all"}


def test_disqualified_process_bot_is_listed_with_reason(tmp_path: Path) -> None:
    bots = tmp_path / "bots"
    bots.mkdir()
    write_bot(bots / "bad.py", "def a(bot): raise ValueError('no card like this')\ndef b(bot, bet): return 1\n")
    write_bot(bots / "mute", script("import time; time.sleep(99)"))
    write_bot(bots / "halfway", script("import time; input(); input(); print('ACTION 0', end=''); time.sleep(99)"))
    write_bot(bots / "silent.c", SILENT_C)
    write_bot(bots / "fine.py", "def a(bot): return 20\ndef b(bot, bet): return 1\n")
    config = tmp_path / "tournament.toml"
    config.write_text('[von_neumann_poker]\nentrants = "bots"\nsessions = 5\nmax_faults = 0\nidle_seconds = 0.2\n')
    results = tournament.run("von_neumann_poker", config=config, executor="local", workers=1)
    lines = {line.name: line for line in results.ranking.entrants}
    assert {name: line.status for name, line in lines.items()} == {
        "bad": "disqualified", "halfway": "disqualified", "mute": "disqualified", "silent": "ok", "fine": "ok",
    }  # fmt: skip
    assert lines["fine"].matches == lines["silent"].matches == 1
    for name, limit in (("mute", 0.4), ("halfway", 0.2)):
        expected = f"did not answer for {limit} s; it wrote no complete line at all: does it flush its output?"
        assert expected in (lines[name].reason or "")
    assert "ValueError: no card like this" in (lines["bad"].reason or "")


BURN = "end = time.process_time() + 0.06\n  while time.process_time() < end: pass"
BURNING = f"import time\ndef a(bot):\n  {BURN}\n  return 1\ndef b(bot, bet): return 1\n"


def test_bank_of_processor_time_lasts_for_the_leg() -> None:
    """Decisions that take time after the bank is empty are faults, also after a restart."""
    first, *_, last = faults = ask(BURNING, [A] * 60, Settings(seconds=0.1, increment_ms=0.0, max_faults=3)).faults
    assert len(faults) == 4 and all(
        fault.message.startswith("used up its processor time (0.1 s for ") for fault in faults
    )
    assert 3 <= first.game <= 12 and last.game - first.game <= 6
    assert not ask(BURNING, [A] * 12, Settings(seconds=0.1, increment_ms=70.0)).faults


class Asked:
    """A process while it has one message to answer."""

    def __init__(self, used: ProcessUse) -> None:
        self.used = used

    def use(self) -> ProcessUse:
        return self.used

    def cpu_seconds(self) -> float:
        return self.used.cpu

    def has_written(self) -> bool:
        return False


def verdict(ticks: Sequence[tuple[float, float, bool]]) -> str | None:
    """Return the failure of a process, or None.

    Args:
        ticks: The seconds, the processor time, and whether it sleeps at the end, by audit.
    """
    process = Asked(ProcessUse(0.0, sleeps=False))
    limits = TimeLimits(ProcessTime(bank=60, increment=0.001, for_decision=1.5, idle=1), process)
    for elapsed, cpu_seconds, sleeps in ticks:
        process.used = ProcessUse(process.used.cpu + cpu_seconds, sleeps)
        if failure := limits.exceeded(3, False, elapsed, Spent(legs=1)):
            return failure.what
    return None


def test_wait_for_processor_is_no_sleep() -> None:
    waits = [*[(0.05, 0.0, False)] * 300, (0.05, 0.01, False)]
    assert not verdict(waits * 2)
    # A worker that is seldom let to look takes little of such a time for sleep.
    assert not verdict([(5.0, 0.01, False), (5.0, 0.01, True)] * 9)
    assert verdict([(0.05, 0.0, True)] * 22) == "did not answer for 1 s"
    assert verdict([(0.05, 0.001, True)] * 23) == "did not answer for 1 s"
    assert verdict([(5.0, 0.0, True)] * 7) == "did not answer for 1 s"


def test_process_that_only_queues_is_never_late() -> None:
    """Wall-clock time alone makes no bot late, however long it waits for a processor."""
    queues = Asked(ProcessUse(0.0, sleeps=False, waited=0.0, runs=True))
    limits = TimeLimits(ProcessTime(bank=60, increment=0.0, for_decision=1.5, idle=1), queues)
    assert not any(limits.exceeded(number, False, 0.5, Spent(legs=1)) for number in range(10_000))


@pytest.mark.slow
def test_slow_start_is_no_fault(usual_time_to_start: None, little_time_to_decide: None) -> None:
    """Starts are allowed to take longer than a decision, also after a fault."""
    start = "import time\nend = time.process_time() + 0.4\nwhile time.process_time() < end: pass\nn = 0\n"
    source = start + "def a(bot):\n  global n\n  n += 1\n  assert n < 2\n  return n\ndef b(bot, bet): return 1\n"
    settings = Settings(max_faults=2)
    answered = ask(source, [A, A, B, A, A, B], settings)
    assert [fault.game for fault in answered.faults] == [1, 4]
    assert answered.answers == [1, 0, 1, 1, 0, 1]


def test_peak_memory_between_audits_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Peaks between two audits are found at the end of the leg."""
    monkeypatch.setattr(lanes, "_AUDIT_SECONDS", 1e6)
    folder = Path(__file__).parents[1] / "hostile" / "programs" / "forgets_its_memory_and_gives_it_back"
    bot = {path.name: path.read_text() for path in folder.iterdir() if path.is_file()}
    played = pair(bot, SILENT_C, Settings(sessions=1, max_faults=0), kinds=" c")
    assert [fault.message for fault in played.faults] == ["ran out of memory (64 MB; raise memory_megabytes)"]
    assert played.result.ended_by == 0


def test_memory_of_processes_is_limited() -> None:
    reserves = "import mmap; x = mmap.mmap(-1, 500 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)"
    bots: dict[str, Source] = {
        "hoards.py": python("x = bytearray(1 << 29)"),
        "told": program("x = bytearray(1 << 29)"),
        "greedy": program("x = bytearray(1 << 31)"),
        "reserves": program(reserves),
    }
    answered = ask_each(bots, [A] * 2)
    assert answered["hoards"].what == answered["told"].what == ["ran out of memory (64 MB; raise memory_megabytes)"]
    assert answered["greedy"].what == ["ended with status 1"]
    assert "MemoryError" in answered["greedy"].faults[0].last_output
    assert answered["reserves"].what == []  # what is resident counts
    assert not ask(python("x = bytearray(100 << 20)"), [A] * 2, Settings(memory_megabytes=150)).faults


@pytest.mark.slow
def test_threads_during_opponents_turn_are_a_fault() -> None:
    """Threads that it starts when it has answered, and has ended when it is asked again."""
    starts = """
import sys, threading, time
threading.stack_size(64 << 10)
sys.stdin.readline()
for line in iter(sys.stdin.readline, ""):
    print("ACTION 5" if '"a"' in line else "ACTION 1", flush=True)
    for _ in range(150 if '"a"' in line else 0):  # else it is asked again at once
        threading.Thread(target=time.sleep, args=(0.4,)).start()
"""
    thinks = "import time\ndef a(bot): time.sleep(0.9); return 5\ndef b(bot, bet): time.sleep(0.9); return 1\n"
    played = pair(script(starts), thinks, Settings(sessions=1, max_faults=0), kinds=" py")
    assert [fault.message for fault in played.faults] == ["started more than 128 threads"]


def test_bot_that_cannot_start_gets_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "_TRIAL_SECONDS", 10)  # a process ends late on a busy machine
    sources: dict[str, tuple[Source, str]] = {
        "syntax.py": ("def a(bot: return", "can't start: SyntaxError: "),
        "nothing.py": ("", "can't start: lacks the functions a and b, or a class with the methods a and b"),
        "half.py": ("def a(bot): return 1", "can't start: lacks the function b, or a class"),
        "raises.py": ("\n\n1 / 0", "can't start: ZeroDivisionError: division by zero (line 3)"),
        "needs.py": (
            "class F:\n  def __init__(self, x): ...\n  a = lambda f, b: 1\n  b = lambda *_: 1",
            "can't start: F() can't be called without arguments",
        ),
        "quits.py": ("import os; os._exit(4)", "can't start: ended with status 4"),
        "hoards.py": ("x = bytearray(1 << 40)", "can't start: ran out of memory (64 MB; raise memory_megabytes)"),
        "nul.py": ("x = '\0'", "can't start: "),
        "latin.py": (b"x = '\xe9'", "can't start: SyntaxError: "),
        "ends": (script("import sys; sys.exit(6)"), "can't start: ended with status 6 before it was asked anything"),
    }
    problems = {entrant.name: entrant.problem for entrant in build({name: text for name, (text, _) in sources.items()})}
    for name, (_, words) in sources.items():
        assert (problems[name.split(".")[0]] or "fit").startswith(words)
