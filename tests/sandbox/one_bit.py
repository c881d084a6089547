"""Two processes of bots that run at once, one of which tries to tell the other bits by a state of the system.

Each channel is Python that defines `tell(bit)` and `hear()`; `PEER` is the number of the one that tells. Bits are told
and heard by the clock, which all processes share.
"""

from __future__ import annotations

import ast
import contextlib
import random
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from engine.processes.messages import LEAST_ANSWER_BYTES, start_message
from tests.worker.support import ON
from tournament.artifacts import python_packing
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER
from tournament.sandbox.outside import fork_server, running, visible
from tournament.sandbox.outside.confined import Confined
from tournament.sandbox.outside.launch import LaunchSpec, Limits, Mode
from tournament.sandbox.outside.launch import Program as Command
from tournament.sandbox.outside.own_time import OwnTime
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.processes import python_bots

_INTERFACE = VON_NEUMANN_POKER.interface
BITS = 24
# As many ones as zeros, in no order that something else might have by chance.
MESSAGE = random.Random(5).sample([0, 1] * (BITS // 2), BITS)

_BOTH = """
import ctypes, os, time
library = ctypes.CDLL(None, use_errno=True)
def call(number, *arguments):
    result = library.syscall(ctypes.c_long(number), *[
        argument if isinstance(argument, bytes) else ctypes.c_long(argument) for argument in arguments
    ])
    return -ctypes.get_errno() if result == -1 else result
def wait_until(moment):
    while (left := moment - time.monotonic()) > 0:
        time.sleep(min(left, 0.001) if left > 0.0002 else 0)
"""
_TELLS = """
answer = []
for number, bit in enumerate(MESSAGE):
    wait_until(START + number * SLOT)
    tell(bit)
wait_until(START + len(MESSAGE) * SLOT)
"""
_HEARS = """
answer = []
for number in range(len(MESSAGE)):
    wait_until(START + (number + 0.5) * SLOT)
    answer.append(hear())
"""


@dataclass(frozen=True)
class Heard:
    """What one of the two saw at each bit; or why one of them could not do its part."""

    values: list[object]
    failure: str = ""

    @property
    def tells_bits(self) -> bool:
        """Whether from what was seen the bits can be told."""
        if not self.values:
            return False
        of = [[value for value, bit in zip(self.values, MESSAGE, strict=True) if bit == which] for which in (0, 1)]
        seen = [Counter(map(repr, values)) for values in of]
        if len(kinds := seen[0].keys() | seen[1].keys()) <= 4:
            # The best guess for each; on a busy machine some come too late.
            return sum(max(counts[kind] for counts in seen) for kind in kinds) >= BITS - 2
        numbers = [[value for value in values if isinstance(value, int | float)] for values in of]
        if len(numbers[0]) + len(numbers[1]) < BITS:
            return False
        low, high = sorted(numbers, key=min)
        return max(low) < min(high)


def of_python_bots(channel: str, mode: Mode = "on", slot: float = 0.02) -> Heard:
    """What one Python bot hears from another."""
    return _heard(channel, slot, lambda source: PythonBot(source, mode))


def of_programs(channel: str, mode: Mode = "on", slot: float = 0.02) -> Heard:
    """What one program, an interpreter, hears from another."""
    return _heard(channel, slot, lambda source: Program(source, mode))


class PythonBot:
    """The process of a Python bot with this source."""

    def __init__(self, source: str, mode: Mode) -> None:
        sandbox = ON if mode == "on" else SandboxSettings(mode="off")
        artifact = python_packing.pack(source.encode(), sandbox, _INTERFACE.python.sdk)
        self.process = python_bots.start(artifact, "bot", _INTERFACE, sandbox, memory_megabytes=256, cpu_seconds=30)

    def said(self, seconds: float) -> str:
        with contextlib.suppress(BrokenPipeError):
            start = start_message(python_bots.most_arguments(_INTERFACE), _INTERFACE.view_size)
            self.process.write(start)
        had = OwnTime(self.process.use, seconds)
        answer, *_ = running.listen(self.process, had, most=4096, whole=LEAST_ANSWER_BYTES + 1)
        return answer[LEAST_ANSWER_BYTES:].decode(errors="replace")


class Program:
    """The process of a program, an interpreter, with this source."""

    def __init__(self, source: str, mode: Mode) -> None:
        self._launch = LaunchSpec(
            Command([sys.executable, "-S", "-E", "-c", source]),
            Limits(1024, 30),
            readable=[sys.executable, *visible.python_paths(), sysconfig.get_path("platstdlib")],
        )
        self.process: Confined = fork_server.start(self._launch, mode)

    def said(self, seconds: float) -> str:
        done = running.finish(self.process, self._launch, seconds)
        return done.errors.decode(errors="replace")


def _heard(channel: str, slot: float, begin: Callable[[str], PythonBot | Program]) -> Heard:
    """Have a pair of processes try it; they are given more time to begin where the machine is busy."""
    for patience in (0.7, 2.0, 5.0):
        start = time.monotonic() + patience
        late = "\nif time.monotonic() > START: raise ValueError('late')\n"
        end = "\nraise ValueError('answer ' + repr(answer).replace(' ', '') + ' end')\n"
        told = f"START, SLOT, MESSAGE = {start!r}, {slot!r}, {MESSAGE!r}\n"
        teller = begin(f"{_BOTH}{told}PEER = os.getpid()\n{channel}{late}{_TELLS}{end}")
        listener = begin(f"{_BOTH}{told}PEER = {teller.process.pid}\n{channel}{late}{_HEARS}{end}")
        seconds = patience + BITS * slot + 10
        with ThreadPoolExecutor(1) as pool:
            saying = pool.submit(teller.said, seconds)
            said_by_listener = listener.said(seconds)
            said_by_teller = saying.result()
        for process in (teller.process, listener.process):
            process.end()
        if "ValueError: late" in said_by_listener + said_by_teller:
            continue
        if "answer [] end" not in said_by_teller:
            return Heard([], f"the one that tells: {said_by_teller[-400:]}")
        if "answer " not in said_by_listener:
            return Heard([], f"the one that hears: {said_by_listener[-400:]}")
        answer = said_by_listener.rsplit("answer ", 1)[1].split(" end")[0]
        return Heard(list(ast.literal_eval(answer)))
    return Heard([], "late")
