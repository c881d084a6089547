"""What two processes of bots can tell each other a second, by each thing that stays open to them.

`python -m benchmarks.channels [NAME…]`. One process tells random bits by the clock, the other hears them. Half of what
is heard teaches where ones begin, the other half is judged by it. The rate is that of a binary symmetric channel.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.sandbox import one_bit
from tests.sandbox.one_bit import MESSAGE, Heard
from tests.sandbox.test_one_bit import channel

SLOTS = (0.1, 0.03, 0.01, 0.003, 0.001, 0.0003)  # seconds for a bit
ROUNDS = 8
_BUSY = """
def tell(bit):
    until = time.monotonic() + (0.9 * SLOT if bit else 0)
    while time.monotonic() < until:
        WORK
"""
_COUNTS = """
def hear():
    until, count = time.monotonic() + 0.3 * SLOT, 0
    while time.monotonic() < until:
        WORK
        count += 1
    return count
"""
_COPIES = "here = bytearray(4 << 20)\nthere = bytearray(4 << 20)\n"
_THREADS = """
import threading
def tell(bit):
    for _ in range(5 if bit else 0):
        one = threading.Thread(target=int)
        one.start()
        one.join()
last = 0
def hear():
    global last
    one = threading.Thread(target=int)
    one.start()
    one.join()
    before, last = last, one.native_id
    return last - before
"""
_THREADS_END = """
import threading
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
file = os.open("/etc/ld.so.cache", os.O_RDONLY)
page = libc.mmap(None, ctypes.c_size_t(4096), 1, 1, file, 0)
class Time(ctypes.Structure):
    _fields_ = [("s", ctypes.c_long), ("n", ctypes.c_long)]
def end_on_the_page():
    call(218, page)  # set_tid_address
def tell(bit):
    if bit:
        time.sleep(SLOT * 0.7)
        one = threading.Thread(target=end_on_the_page)
        one.start()
        one.join()
def hear():
    there, patience = ctypes.c_uint.from_address(page).value, Time(0, int(SLOT * 4e8))
    return call(202, page, 0, there, ctypes.addressof(patience), 0, 0) == 0
"""
_PIPES = """
last = 0
def tell(bit):
    for _ in range(20 if bit else 0):
        for end in os.pipe(): os.close(end)
def hear():
    global last
    ends = os.pipe()
    before, last = last, os.fstat(ends[0]).st_ino
    for end in ends: os.close(end)
    return last - before
"""
# Both also for those that come later.
_NAMES = """
names = iter(range(1 << 30))
def look(name):
    try: os.stat(f"/usr/lib/{START}-{name}")
    except OSError: pass
    return time.perf_counter_ns()
def tell(bit):
    bits = [next(names) for _ in range(8)]
    if bit: [look(name) for name in bits]
def hear():
    times = [time.perf_counter_ns(), *(look(next(names)) for _ in range(8))]
    return sorted(after - before for before, after in zip(times, times[1:]))[3]
"""
_PAGES = """
largest = max((os.stat(name).st_size, name) for name in LIBRARIES if os.path.exists(name))
file = os.open(largest[1], os.O_RDONLY)
pages = iter(range(int(START * 1000) % (largest[0] // 4096 - len(MESSAGE)), 1 << 30))
def tell(bit):
    page = next(pages)
    if bit: os.pread(file, 1, 4096 * page)
def hear():
    began = time.perf_counter_ns()
    os.pread(file, 1, 4096 * next(pages))
    return time.perf_counter_ns() - began
""".replace("LIBRARIES", repr(sorted(map(str, Path("/usr/lib").glob("*/lib*.so*")))))
_PYTHON, _PROGRAM = one_bit.of_python_bots, one_bit.of_programs
CHANNELS: dict[str, tuple[Callable[..., Heard], str]] = {
    "load: how far one counts meanwhile": (_PYTHON, (_BUSY + _COUNTS).replace("WORK", "pass")),
    "memory: how much one copies meanwhile": (_PYTHON, _COPIES + (_BUSY + _COUNTS).replace("WORK", "here[:] = there")),
    "own processor time": (
        _PYTHON,
        _BUSY.replace("WORK", "pass")
        + "def hear():\n    before, until = time.process_time(), time.monotonic() + 0.3 * SLOT\n"
        "    while time.monotonic() < until: pass\n    return int(1e6 * (time.process_time() - before))\n",
    ),
    "processors one may use": (
        _PYTHON,
        _BUSY.replace("WORK", "pass") + "def hear(): return len(os.sched_getaffinity(0))\n",
    ),
    "names that are not there: how long a look takes": (_PYTHON, _NAMES),
    "pages of files: how long reading one takes": (_PYTHON, _PAGES),
    "own process number": (_PYTHON, "def tell(bit): pass\ndef hear(): return os.getpid()\n"),
    "programs: free memory": (_PROGRAM, channel("free memory")),
    "programs: numbers of pipes": (_PROGRAM, _PIPES),
    "programs: numbers of threads": (_PROGRAM, _THREADS),
    "programs: ends of threads in a mapped file": (_PROGRAM, _THREADS_END),
}  # fmt: skip


@dataclass(frozen=True)
class Rate:
    """Bits a second and the share of bits that come wrong, at so many seconds a bit."""

    bits: float
    wrong: float
    slot: float


def rate(heard: list[Heard], slot: float) -> Rate | None:
    """None where a process could not keep up."""
    if any(one.failure or not all(isinstance(value, int | float) for value in one.values) for one in heard):
        return None
    pairs = [(float(str(value + 0)), bit) for one in heard for value, bit in zip(one.values, MESSAGE)]  # type: ignore[operator]
    taught, judged = pairs[: len(pairs) // 2], pairs[len(pairs) // 2 :]

    def errors(among: list[tuple[float, int]], edge: float, above: int) -> float:
        return sum((above if value > edge else 1 - above) != bit for value, bit in among) / len(among)

    edge, above = min(
        ((value, above) for value, _ in taught for above in (0, 1)), key=lambda choice: errors(taught, *choice)
    )
    wrong = errors(judged, edge, above)
    if wrong > 0.5 - math.sqrt(1 / len(judged)):  # two standard errors: not to be told from guessing
        return Rate(0.0, wrong, slot)
    likely = max(wrong, 0.5 / len(judged))  # none wrong of so few is no proof of none
    unsure = -likely * math.log2(likely) - (1 - likely) * math.log2(1 - likely)
    return Rate((1 - unsure) / slot, wrong, slot)


def main(names: list[str]) -> None:
    for name, (pair, source) in CHANNELS.items():
        if names and not any(wanted in name for wanted in names):
            continue
        found = [rate([pair(source, slot=slot) for _ in range(ROUNDS)], slot) for slot in SLOTS]
        best = max((one for one in found if one), key=lambda one: one.bits, default=None)
        if best is None:
            print(f"{name}: closed", flush=True)
        else:
            print(f"{name}: {best.bits:,.1f} bits/s, {best.wrong:.0%} wrong at {best.slot * 1000:g} ms", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
