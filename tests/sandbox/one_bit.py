"""Two processes of bots that run at once, one of which tries to tell the other bits by a state of the system.

Each channel is Python that defines `tell(bit)` and `hear()`; `PEER` is the number of the one that tells. Bits are told
and heard by the clock, which all processes share; one that a busy machine kept from its time counts for nothing.
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
# The answers: whether each bit was told in its time; and what was heard, or that it was too late.
_TELLS = """
answer = []
for number, bit in enumerate(MESSAGE):
    wait_until(START + number * SLOT)
    in_time = time.monotonic() < START + (number + 0.4) * SLOT
    tell(bit)
    answer.append(int(in_time and time.monotonic() < START + (number + 1) * SLOT))
wait_until(START + len(MESSAGE) * SLOT)
"""
_HEARS = """
answer = []
for number in range(len(MESSAGE)):
    wait_until(START + (number + 0.5) * SLOT)
    value = hear()
    answer.append(value if time.monotonic() < START + (number + 1) * SLOT else 'late')
"""
# A pair begins after so many seconds, and a bit takes so many times longer, until most come in time.
_TRIES = ((0.7, 1), (2.0, 5), (5.0, 15), (20.0, 50))
_ENOUGH = BITS * 3 // 4


@dataclass(frozen=True)
class Heard:
    """Bits that were told in time, each with what the other saw; or why one of the two could not do its part."""

    values: list[tuple[int, object]]
    failure: str = ""

    @property
    def tells_bits(self) -> bool:
        """Whether from what was seen the bits can be told."""
        if not self.values:
            return False
        of = [[value for bit, value in self.values if bit == which] for which in (0, 1)]
        seen = [Counter(map(repr, values)) for values in of]
        if len(kinds := seen[0].keys() | seen[1].keys()) <= 4:
            # The best guess for each; some may come between a look at the clock and the deed.
            return sum(max(counts[kind] for counts in seen) for kind in kinds) >= len(self.values) - 2
        numbers = [[value for value in values if isinstance(value, int | float)] for values in of]
        if len(numbers[0]) + len(numbers[1]) < len(self.values):
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
    """Have pairs of processes try it, until most bits were told and heard in their time."""
    for patience, longer in _TRIES:
        heard = _heard_once(channel, patience, slot * longer, begin)
        if heard is not None:
            return heard
    raise AssertionError("this machine kept two processes from telling each other bits in time")


def _heard_once(
    channel: str, patience: float, slot: float, begin: Callable[[str], PythonBot | Program]
) -> Heard | None:
    """None if they began too late, or too many bits came too late."""
    start = time.monotonic() + patience
    late = "\nif time.monotonic() > START: raise ValueError('late')\n"
    end = "\nraise ValueError('answer ' + repr(answer).replace(' ', '') + ' end')\n"
    told = f"START, SLOT, MESSAGE = {start!r}, {slot!r}, {MESSAGE!r}\n"
    teller = begin(f"{_BOTH}{told}PEER = os.getpid()\n{channel}{late}{_TELLS}{end}")
    listener = begin(f"{_BOTH}{told}PEER = {teller.process.pid}\n{channel}{late}{_HEARS}{end}")
    seconds = patience + BITS * slot + 60
    with ThreadPoolExecutor(1) as pool:
        saying = pool.submit(teller.said, seconds)
        said = {"hears": listener.said(seconds), "tells": saying.result()}
    for process in (teller.process, listener.process):
        process.end()
    if any("ValueError: late" in words for words in said.values()):
        return None
    for who in ("tells", "hears"):
        if "answer " not in said[who]:
            return Heard([], f"the one that {who}: {said[who][-400:]}")
    told_in_time, heard = (
        ast.literal_eval(said[who].rsplit("answer ", 1)[1].split(" end")[0]) for who in ("tells", "hears")
    )
    values = [
        (bit, value)
        for bit, was_told, value in zip(MESSAGE, told_in_time, heard, strict=True)
        if was_told and value != "late"
    ]
    return Heard(values) if len(values) >= _ENOUGH else None
