"""No leg tells another one a bit: two processes try each state of the system that their calls can reach.

`CALLS` sorts all the calls that the filter names, so that a new one can't be allowed before somebody thought of it.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sandbox import one_bit
from tournament.sandbox.inside import system_calls

_CLOSE = """
def close(number):
    try:
        os.close(number)
    except OSError:
        pass
def seen(look, *arguments):
    try:
        return look(*arguments)
    except OSError as error:
        return -error.errno
def opens(path, flags=os.O_RDONLY):
    number = seen(os.open, path, flags)
    if number >= 0:
        os.close(number)
        return 0
    return number
"""
_DESCRIPTOR = """
def tell(bit):
    close(40)
    if bit:
        os.dup2(0, 40)
"""
_MAPPED_FILE = """
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
file = os.open("/etc/ld.so.cache", os.O_RDONLY)
page = libc.mmap(None, ctypes.c_size_t(4096), 1, KIND, file, 0)
word = page + int(START * 1e6) % 1024 * 4  # of this pair's own, beside other runs of the tests
class Time(ctypes.Structure):
    _fields_ = [("s", ctypes.c_long), ("n", ctypes.c_long)]
def tell(bit):
    if bit:
        there, patience = ctypes.c_uint.from_address(word).value, Time(0, int(SLOT * 9e8))
        call(202, word, 0, there, ctypes.addressof(patience), 0, 0)
def hear():
    return call(202, word, 1, 1, 0, 0, 0)
"""
_PAGE = """
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
file = os.open("/etc/ld.so.cache", os.O_RDONLY)
page = libc.mmap(None, ctypes.c_size_t(4096), 1, 1, file, 0)
space = ctypes.create_string_buffer(4096)
place = (ctypes.c_size_t * 2)(ctypes.addressof(space), 1)
whole = (ctypes.c_size_t * 2)(0, 4096)
def hear():
    there = call(27, page, 4096, ctypes.addressof(space))  # mincore
    at_once = call(327, file, ctypes.addressof(place), 1, 0, 0, 8)  # preadv2 that doesn't wait
    counted = call(451, file, ctypes.addressof(whole), ctypes.addressof(space), 0)  # cachestat
    return there + 10 * at_once + 100 * counted + 1000 * space.raw[0]
"""
CHANNELS = {
    "descriptors by stat": _DESCRIPTOR + "def hear(): return seen(os.stat, f'/proc/{PEER}/fd/40') == -2\n",
    "descriptors by lstat": _DESCRIPTOR + "def hear(): return seen(os.lstat, f'/proc/{PEER}/fd/40') == -2\n",
    "descriptors by what they are": (
        "other = os.open('/dev/urandom', os.O_RDONLY)\n"
        "def tell(bit): os.dup2(other if bit else 0, 40)\n"
        "def hear():\n"
        "    found = seen(os.stat, f'/proc/{PEER}/fd/40')\n"
        "    return found if isinstance(found, int) else found.st_ino\n"
    ),
    "number of descriptors": (
        _DESCRIPTOR + "def hear():\n"
        "    found = seen(os.stat, f'/proc/{PEER}/fd')\n"
        "    return found if isinstance(found, int) else found.st_size\n"
    ),
    "descriptors by access": _DESCRIPTOR + "def hear(): return os.access(f'/proc/{PEER}/fd/40', os.F_OK)\n",
    "descriptors by open": _DESCRIPTOR + "def hear(): return opens(f'/proc/{PEER}/fd/40')\n",
    "descriptors by open through a link": (
        _DESCRIPTOR + "def hear(): return opens(f'/var/run/../proc/{PEER}/fd/40')\n"
    ),
    "descriptors by open through /dev/fd": (
        _DESCRIPTOR + "def hear(): return opens(f'/dev/fd/../../{PEER}/fd/40', os.O_PATH)\n"
    ),
    "descriptors' own files": _DESCRIPTOR + "def hear(): return seen(os.stat, f'/proc/{PEER}/fdinfo/40') == -2\n",
    "working folder": (
        "def tell(bit): os.chdir('/usr/lib' if bit else '/')\n"
        "def hear():\n"
        "    if (failed := seen(os.chdir, f'/proc/{PEER}/cwd')):\n"
        "        return failed\n"
        "    return os.getcwd()\n"
    ),
    "working folder by what is in it": (
        "def tell(bit): os.chdir('/usr/lib' if bit else '/')\n"
        "def hear(): return opens(f'/proc/{PEER}/cwd/usr', os.O_PATH)\n"
    ),
    "mapped files": (
        "libc = ctypes.CDLL(None)\nlibc.mmap.restype = ctypes.c_void_p\nPLACE = 1 << 40\n"
        "file = os.open('/etc/ld.so.cache', os.O_RDONLY)\n"
        "def tell(bit):\n"
        "    call(11, PLACE, 4096)\n"
        "    if bit: libc.mmap(ctypes.c_void_p(PLACE), ctypes.c_size_t(4096), 1, 0x12, file, 0)\n"
        "def hear(): return opens(f'/proc/{PEER}/map_files/10000000000-10000001000', os.O_PATH)\n"
    ),
    "futex in a shared file": _MAPPED_FILE.replace("KIND", "1"),
    "futex in a private file": _MAPPED_FILE.replace("KIND", "2"),
    "numbers of pipes": (
        "last = 0\n"
        "def tell(bit):\n"
        "    for _ in range(3000 if bit else 0):\n"
        "        for end in os.pipe(): os.close(end)\n"
        "def hear():\n"
        "    global last\n"
        "    ends = os.pipe()\n"
        "    before, last = last, os.fstat(ends[0]).st_ino\n"
        "    for end in ends: os.close(end)\n"
        "    return last - before\n"
    ),
    "numbers of other descriptors": (
        "last = 0\n"
        "make = {'eventfd': lambda: call(290, 0, 0), 'epoll': lambda: call(291, 0), 'timer': lambda: call(283, 1, 0)}\n"
        "def tell(bit):\n"
        "    for kind in make.values():\n"
        "        for _ in range(1000 if bit else 0): close(kind())\n"
        "def hear():\n"
        "    found = []\n"
        "    for kind in make.values():\n"
        "        number = kind()\n"
        "        found.append(os.fstat(number).st_ino)\n"
        "        os.close(number)\n"
        "    return sum(found)\n"
    ),
    "free memory": (
        "import struct\nspace = ctypes.create_string_buffer(256)\n"
        "def tell(bit):\n    global kept\n    kept = b'x' * (100 << 20) if bit else b''\n"
        "def hear():\n"
        "    if (failed := call(99, ctypes.addressof(space))): return failed\n"
        "    return struct.unpack_from('Q', space, 40)[0]\n"
    ),
    "locks of a range": (
        "import fcntl\nfile = os.open('/etc/ld.so.cache', os.O_RDONLY)\n"
        "def tell(bit): seen(fcntl.lockf, file, fcntl.LOCK_SH if bit else fcntl.LOCK_UN)\n"
        "def hear(): return seen(fcntl.fcntl, file, fcntl.F_GETLK, bytes(32)) == bytes(32)\n"
    ),
    "locks of a file": (
        "import fcntl\nfile = os.open('/etc/ld.so.cache', os.O_RDONLY)\n"
        "def tell(bit): seen(fcntl.flock, file, fcntl.LOCK_EX if bit else fcntl.LOCK_UN)\n"
        "def hear():\n"
        "    found = seen(fcntl.flock, file, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
        "    if found is None: fcntl.flock(file, fcntl.LOCK_UN)\n"
        "    return found\n"
    ),
    "processor time": (
        "def tell(bit):\n    until = time.monotonic() + (0.4 * SLOT if bit else 0)\n"
        "    while time.monotonic() < until: pass\n"
        "last = 0\n"
        "def hear():\n"
        "    global last\n"
        "    before, last = last, seen(time.clock_gettime, (~PEER << 3) | 2)\n"
        "    return last - before\n"
    ),
    "processors": (
        "def tell(bit): seen(os.sched_setaffinity, 0, {0} if bit else {0, 1})\n"
        "def hear(): return len(found) if (found := seen(os.sched_getaffinity, PEER)) != -38 else 0\n"
    ),
    "niceness": (
        "def tell(bit): seen(os.setpriority, os.PRIO_PROCESS, 0, 5 if bit else 0)\n"
        "def hear(): return seen(os.getpriority, os.PRIO_PROCESS, PEER)\n"
    ),
    "groups": ("def tell(bit): seen(os.setpgid, 0, 0)\ndef hear(): return seen(os.getpgid, PEER)\n"),
    "whether it lives": (
        "def tell(bit): pass\n"
        "def hear(): return (seen(os.kill, PEER, 0), opens(f'/proc/{PEER}', os.O_PATH)) == (0, 0)\n"
    ),
    "shared memory": (
        "import mmap\n"
        "def tell(bit): close(40); opens('/dev/shm/x' if bit else '/dev/shm/y', os.O_CREAT | os.O_RDWR)\n"
        "def hear(): return seen(os.stat, '/dev/shm/x') == -2\n"
    ),
    "memory by name": ("def tell(bit): call(319, b'x', 0)\ndef hear(): return call(310, PEER, 0, 0, 0, 0, 0)\n"),
    "umask": (
        "def tell(bit): os.umask(0o77 if bit else 0)\n"
        "def hear():\n    mask = os.umask(0)\n    os.umask(mask)\n    return mask\n"
    ),
    "positions in shared files": (
        "def tell(bit): [seen(os.lseek, number, bit, os.SEEK_SET) for number in range(3, 8)]\n"
        "def hear(): return sum(max(0, seen(os.lseek, number, 0, os.SEEK_CUR)) for number in range(3, 8))\n"
    ),
    "flags of shared files": (
        "import fcntl\n"
        "def tell(bit): [seen(os.set_blocking, number, not bit) for number in range(3, 8)]\n"
        "def hear(): return sum(seen(fcntl.fcntl, number, fcntl.F_GETFL) & 0x800 for number in range(3, 8))\n"
    ),
    "times of a device": (
        "null = os.open('/dev/null', os.O_RDONLY)\n"
        "def tell(bit):\n    if bit: os.read(null, 1); os.utime('/dev/null') if os.access('/dev/null', 2) else 0\n"
        "last = 0\n"
        "def hear():\n    global last\n    before, last = last, os.fstat(null).st_atime_ns\n    return last - before\n"
    ),
    "whether a page is in memory": (
        _PAGE + "def tell(bit): call(28, page, 4096, 21 if bit else 3)\n"  # madvise: out of memory, or into it
    ),
    "whether a page is in memory, by the file": (
        _PAGE + "def tell(bit): call(221, file, 0, 0, 4 if bit else 3)\n"  # fadvise64, likewise
    ),
    "inotify": (
        "def tell(bit): opens('/etc/ld.so.cache') if bit else None\n"
        "number = call(294, 0x800)\n"
        "call(254, number, b'/etc/ld.so.cache', 0xfff)\n"
        "def hear(): return seen(os.read, number, 4096) if number >= 0 else number\n"
    ),
}
SAMPLE = ("descriptors by stat", "descriptors by open through a link", "working folder", "futex in a shared file")
# Programs have threads, for which they need these.
OPEN_TO_PROGRAMS = {"numbers of pipes", "free memory"}
SLOTS = {"free memory": 0.15}
ALL = [pytest.param(name, marks=() if name in SAMPLE else pytest.mark.thorough) for name in CHANNELS]


def channel(name: str) -> str:
    return _CLOSE + CHANNELS[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_a_python_bot_hears_nothing_from_another(name: str) -> None:
    heard = one_bit.of_python_bots(channel(name), slot=SLOTS.get(name, 0.02))
    assert not heard.tells_bits, heard.values


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_a_program_hears_nothing_from_another(name: str) -> None:
    if name in OPEN_TO_PROGRAMS:
        return
    heard = one_bit.of_programs(channel(name), slot=SLOTS.get(name, 0.02))
    assert not heard.tells_bits, heard.values


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLE)
def test_without_a_sandbox_all_of_it_would_be_heard(name: str) -> None:
    """So the attempts are worth something."""
    heard = one_bit.of_programs(channel(name), "off")
    assert heard.tells_bits, heard


# What each call that is let through can touch of what others see.
CALLS = {
    "descriptors of its own, told by what they are": {
        *("read", "write", "readv", "writev", "pread64", "preadv", "close", "close_range", "lseek", "dup", "dup2"),
        *("dup3", "poll", "ppoll", "select", "pselect6", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait"),
        *("epoll_pwait", "epoll_pwait2", "eventfd", "eventfd2", "timerfd_settime", "timerfd_gettime", "fstat"),
        *("getdents", "getdents64"),
    },
    "paths, below none of which there are processes or folders of a disk": {
        *("stat", "lstat", "newfstatat", "statx", "access", "faccessat", "faccessat2", "getcwd"),
        *("chdir", "fchdir"),
    },
    "memory of its own": {"munmap", "mprotect", "mremap", "brk", "arch_prctl"},
    "signals to itself": {
        *("rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigsuspend", "rt_sigtimedwait", "rt_sigpending"),
        *("sigaltstack", "pause", "alarm", "getitimer", "setitimer", "restart_syscall"),
    },
    "its own threads": {"set_robust_list", "rseq", "set_tid_address", "gettid", "exit"},
    "its own state": {
        *("getpid", "getppid", "getpgrp", "getuid", "geteuid", "getgid", "getegid", "getresuid", "getresgid"),
        *("getgroups", "getrlimit", "uname", "umask", "exit_group", "getrandom"),
        *("sched_get_priority_max", "sched_get_priority_min"),
    },
    "children that it has none of": {"wait4", "waitid"},
    "clocks and load": {"sched_yield", "getcpu", "nanosleep", "gettimeofday", "time", "times", "getrusage"},
}


def test_each_call_that_is_let_through_was_thought_of() -> None:
    known = [name for names in CALLS.values() for name in names]
    assert sorted(known) == sorted(system_calls._ALLOWED)


# Whether all folders that can be named or are open lie on one file system, that of the root.
_FOLDERS = """
import os
def refused(error): raise error
found, devices = 0, set()
for start in ("/", os.getcwd(), ".", "..", "/..", "/tmp", "/usr/lib", "/proc", "/dev/fd"):
    for folder, _, _ in os.walk(start, onerror=refused if start == "/" else None):
        found += 1
        devices.add(os.stat(folder).st_dev)
for number in range(64):
    try:
        os.fchdir(number)
    except OSError:
        continue
    devices.add(f"descriptor {number}")
raise ValueError(f"found {found} {devices == {os.stat('/').st_dev}} end")
"""


@pytest.mark.parametrize("begin", [one_bit.PythonBot, one_bit.Program])
def test_no_folder_remembers_which_names_were_looked_for(begin: type[one_bit.PythonBot | one_bit.Program]) -> None:
    """The kernel keeps names that aren't there for folders of a disk, none for those of tmpfs."""
    bot = begin(_FOLDERS, "on")
    root = next(line for line in Path(f"/proc/{bot.process.pid}/mountinfo").read_text().splitlines() if " / / " in line)
    said = bot.said(20)
    bot.process.end()
    assert " - tmpfs " in root and root.split()[5].startswith("ro")
    found, alike = said.rsplit("found ", 1)[1].split(" end")[0].split()
    assert int(found) > 50 and alike == "True", said
