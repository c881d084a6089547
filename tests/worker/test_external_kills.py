"""Signals from outside and lack of memory are no bot's fault, and change no game."""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.processes import descendants
from tests.worker.support import Source, answering, build, play
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.sandbox.outside import fork_server
from tournament.sandbox.outside.confined import Confined
from tournament.sandbox.outside.exit_status import Ending
from tournament.sandbox.outside.launch import LaunchSpec, Mode, ProcessLimits
from tournament.sandbox.outside.process_time import MachineBusyError
from tournament.worker.processes import admission
from tournament.worker.processes.admission import MemoryBudget

# Of every kind: legs that share a process, a process for each leg, a program.
FIELD: dict[str, Source] = {
    "shares.py": "def a(bot): return 7 if bot.card > 0.5 else 0\ndef b(bot, bet): return bot.card > 0.6\n",
    "apart.py": "import time\ndef a(bot): return int(20 * bot.card)\ndef b(bot, bet): return bet < 9\n",
    "told": answering("5", "card > 0.5"),
}


def processes_of_bots() -> list[int]:
    """Return this process's programs, and the processes that fork and hold the other bots."""
    return [pid for pid, line in descendants(os.getpid()).items() if "bootstrap" in line or "-u bot.py" in line]


def is_ignored(pid: int, number: int) -> bool:
    (mask,) = re.findall(r"SigIgn:\s*(\w+)", Path(f"/proc/{pid}/status").read_text())
    return bool(int(mask, 16) >> (number - 1) & 1)


@contextlib.contextmanager
def disturbed(seed: int) -> Iterator[list[int]]:
    """Send signals to bots' processes during the block, and yield a list of those that were sent."""
    chance, done, sent = random.Random(seed), threading.Event(), list[int]()
    others = [number for number in range(1, 65) if number not in (signal.SIGKILL, signal.SIGCHLD, 32, 33)]

    def disturb() -> None:
        while not done.wait(chance.uniform(0.0, 0.03)):
            number = chance.choice(others)
            if signal.SIGKILL not in sent and chance.random() < 0.3:
                number = signal.SIGKILL
            with contextlib.suppress(ProcessLookupError, FileNotFoundError, IndexError):
                pid = chance.choice(processes_of_bots())
                # A process that doesn't ignore the others is just starting.
                if number in (signal.SIGKILL, signal.SIGSTOP) or is_ignored(pid, number):
                    os.kill(pid, number)
                    sent.append(number)

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        yield sent
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize("seed", [0, *[pytest.param(seed, marks=pytest.mark.thorough) for seed in range(1, 8)]])
def test_signals_from_outside_change_no_record(seed: int) -> None:
    entrants = build(FIELD)
    settings = Settings(sessions=60, max_faults=0, seed="1")
    first = play(entrants, settings)
    assert not any(leg.faults for leg in first)
    expected = [leg.what_counts for leg in first]
    ends = {signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGSEGV}
    with disturbed(seed) as sent:
        for _ in range(20):  # a quick machine plays on between two signals
            assert [leg.what_counts for leg in play(entrants, settings)] == expected
            if not ends.isdisjoint(sent):
                return
    raise AssertionError(sent)


def test_legs_wait_while_system_refuses_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once others have ended, there is room again."""
    settings = Settings(sessions=10, seed="1")
    entrants = build({f"told{number}": FIELD["told"] for number in range(3)})
    expected = [leg.what_counts for leg in play(entrants, settings)]
    start, running = fork_server.start, list[Confined]()

    def start_few(launch: LaunchSpec, mode: Mode) -> Confined:
        running[:] = [process for process in running if not process.has_ended()]
        if len(running) == 3:
            raise MachineBusyError("a process can't be started here")
        running.append(start(launch, mode))
        return running[-1]

    monkeypatch.setattr(fork_server, "start", start_few)
    assert [leg.what_counts for leg in play(entrants, settings)] == expected
    assert admission.room._taken == 0


@pytest.mark.parametrize("room_for", [1, 5])
def test_processes_beyond_available_memory_wait(room_for: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Legs take two processes each. With less memory, one plays when no other does."""
    size = 164 << 20  # 64 MB of it are for the program itself.
    room = MemoryBudget(lambda: room_for * size * 8 // 7 + 8)
    monkeypatch.setattr(admission, "room", room)
    most, reserve = 0, MemoryBudget.reserve

    def reserving(room: MemoryBudget, asked: int, *, anyway: bool = False) -> bool:
        nonlocal most
        taken = reserve(room, asked, anyway=anyway)
        most = max(most, room._taken // size)
        return taken

    monkeypatch.setattr(MemoryBudget, "reserve", reserving)
    entrants = build({f"told{number}": FIELD["told"] for number in range(5)})
    assert not any(leg.faults for leg in play(entrants, Settings(sessions=5, memory_megabytes=100)))
    assert max(2, room_for // 2 * 2) <= most <= max(2, room_for) and room._taken == 0


@pytest.mark.parametrize(
    ("status", "peak_megabytes", "seconds", "from_outside"),
    [
        (-9, 100, 9.9, True),
        (-9, 100, 10.0, False),
        (-9, 1000, 1.0, False),
        (-24, 100, 1.0, True),
        (-11, 100, 1.0, False),
    ],
)
def test_end_by_limits_is_not_from_outside(
    status: int, peak_megabytes: int, seconds: float, from_outside: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bots could exceed their memory or time to be killed by the system and play again."""
    ends = [os.open("/dev/null", os.O_RDWR) for _ in range(3)]
    ended: Any = SimpleNamespace(pid=1 << 22, end=lambda: Ending(status, peak_megabytes << 20))  # no process has it
    process = Confined(ended, ProcessLimits(128, 10), *ends)
    monkeypatch.setattr(process, "cpu_seconds", lambda: seconds)
    assert process.end() == status
    assert process.was_killed_from_outside() is from_outside
