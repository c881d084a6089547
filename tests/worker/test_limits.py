"""Limits and faults of bots that are processes."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.worker.support import SILENT_C, A, Source, ask, ask_each, build, pair, script
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
    "exits": ("os._exit(7)", "ended with status 7"),
    "killed": ("import ctypes; ctypes.string_at(0)", "was killed by SIGSEGV"),
    "signals": ("import signal; signal.signal(15, signal.SIG_DFL); os.kill(os.getpid(), 15)", "was killed by SIGTERM"),
    "closes": ("os.close(1); time.sleep(9)", "closed its output"),
}
# Signals that a bot can't send itself, so that none asks for a second try.
ENDING = (signal.SIGKILL, signal.SIGSTOP, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGRTMIN)


@pytest.mark.slow
def test_every_deed_is_one_fault_and_restarts_bot(little_time_to_decide: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_process, "START_SECONDS", 5.0)
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


class Process:
    """A process while it has one message to answer."""

    used = ProcessUse(0.0, sleeps=False, waited=0.0, runs=True)

    def use(self) -> ProcessUse:
        return self.used

    def cpu_seconds(self) -> float:
        return self.used.cpu

    def has_written(self) -> bool:
        return False


def verdict(*ticks: tuple[float, float, bool]) -> str | None:
    """Return the failure of a process, or None.

    Args:
        ticks: The seconds, the processor time, and whether it sleeps at the end, by audit.
    """
    process = Process()
    limits = TimeLimits(ProcessTime(bank=60, increment=0.001, for_decision=1.5, idle=1), process)
    for elapsed, cpu_seconds, sleeps in ticks:
        process.used = ProcessUse(process.used.cpu + cpu_seconds, sleeps)
        if failure := limits.exceeded(3, False, elapsed, Spent(legs=1)):
            return failure.what
    return None


def test_wait_for_processor_is_no_sleep() -> None:
    """Workers that rarely run, as those of a stopped job, take little of such a time for sleep."""
    assert not verdict(*[*[(0.05, 0.0, False)] * 300, (0.05, 0.01, False)] * 2)
    assert not verdict(*[(5.0, 0.01, False), (5.0, 0.01, True)] * 9)
    assert not verdict(*[(60.0, 0.0, True)] * 3)
    for sleeping in ([(0.05, 0.0, True)] * 22, [(0.05, 0.001, True)] * 23, [(5.0, 0.0, True)] * 7):
        assert verdict(*sleeping) == "did not answer for 1 s"
    limits = TimeLimits(ProcessTime(bank=60, increment=0.0, for_decision=1.5, idle=1), Process())
    assert not any(limits.exceeded(number, False, 0.5, Spent(legs=1)) for number in range(10_000))


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
        "reserves": program(reserves),
    }
    answered = ask_each(bots, [A] * 2)
    assert answered["hoards"].what == answered["told"].what == ["ran out of memory (64 MB; raise memory_megabytes)"]
    assert answered["reserves"].what == []  # what is resident counts
    assert not ask(python("x = bytearray(100 << 20)"), [A] * 2, Settings(memory_megabytes=150)).faults


def test_bot_that_cannot_start_gets_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "_TRIAL_SECONDS", 10)  # a process ends late on a busy machine
    sources: dict[str, tuple[Source, str]] = {
        "syntax.py": ("def a(bot: return", "can't start: SyntaxError: "),
        "half.py": ("def a(bot): return 1", "can't start: lacks the function b, or a class"),
        "raises.py": ("\n\n1 / 0", "can't start: ZeroDivisionError: division by zero (line 3)"),
        "needs.py": (
            "class F:\n  def __init__(self, x): ...\n  a = lambda f, b: 1\n  b = lambda *_: 1",
            "can't start: F() can't be called without arguments",
        ),
        "hoards.py": ("x = bytearray(1 << 40)", "can't start: ran out of memory (64 MB; raise memory_megabytes)"),
        "latin.py": (b"x = '\xe9'", "can't start: SyntaxError: "),
        "ends": (script("import sys; sys.exit(6)"), "can't start: ended with status 6 before it was asked anything"),
    }
    problems = {entrant.name: entrant.problem for entrant in build({name: text for name, (text, _) in sources.items()})}
    for name, (_, words) in sources.items():
        assert (problems[name.split(".")[0]] or "fit").startswith(words)
