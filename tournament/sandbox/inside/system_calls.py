"""The system calls that a confined process may make, as a seccomp filter: what isn't named is refused.

Runs inside the sandbox, so it imports only the standard library. The filter
comes on top of the sandbox's own: the stricter of the two decides.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:  # takes long to import
    from collections.abc import Iterable
    from typing import Literal

    # What a process may do: play, or also start others and write files, as a compiler must.
    Purpose = Literal["play", "build"]


class Unsupported(Exception):
    """The filter can't be made or installed on this machine; the message says why."""


# Calls by name: their numbers on x86_64 and on aarch64 (Linux, asm/unistd_64.h and asm-generic/unistd.h).
_NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "read": (0, 63),
    "write": (1, 64),
    "readv": (19, 65),
    "writev": (20, 66),
    "pread64": (17, 67),
    "preadv": (295, 69),
    "open": (2, None),
    "openat": (257, 56),
    "close": (3, 57),
    "close_range": (436, 436),
    "stat": (4, None),
    "lstat": (6, None),
    "fstat": (5, 80),
    "newfstatat": (262, 79),
    "statx": (332, 291),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "getdents": (78, None),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    "chdir": (80, 49),
    "fchdir": (81, 50),
    "lseek": (8, 62),
    "dup": (32, 23),
    "dup2": (33, None),
    "dup3": (292, 24),
    "munmap": (11, 215),
    "mprotect": (10, 226),
    "mremap": (25, 216),
    "brk": (12, 214),
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigsuspend": (130, 133),
    "rt_sigtimedwait": (128, 137),
    "rt_sigpending": (127, 136),
    "sigaltstack": (131, 132),
    "pause": (34, None),
    "alarm": (37, None),
    "getitimer": (36, 102),
    "setitimer": (38, 103),
    "restart_syscall": (219, 128),
    "set_robust_list": (273, 99),
    "rseq": (334, 293),
    "set_tid_address": (218, 96),
    "sched_yield": (24, 124),
    "sched_get_priority_max": (146, 125),
    "sched_get_priority_min": (147, 126),
    "getcpu": (309, 168),
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    "epoll_create": (213, None),
    "epoll_create1": (291, 20),
    "epoll_ctl": (233, 21),
    "epoll_wait": (232, None),
    "epoll_pwait": (281, 22),
    "epoll_pwait2": (441, 441),
    "eventfd": (284, None),
    "eventfd2": (290, 19),
    "timerfd_settime": (286, 86),
    "timerfd_gettime": (287, 87),
    "nanosleep": (35, 101),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    "getpid": (39, 172),
    "gettid": (186, 178),
    "getppid": (110, 173),
    "getpgrp": (111, None),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getresuid": (118, 148),
    "getresgid": (120, 150),
    "getgroups": (115, 158),
    "getrusage": (98, 165),
    "getrlimit": (97, 163),
    "uname": (63, 160),
    "getrandom": (318, 278),
    "capget": (125, 90),
    "arch_prctl": (158, None),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "wait4": (61, 260),
    "waitid": (247, 95),
    "umask": (95, 166),
}
# A compiler also writes files and starts the programs that it consists of.
_BUILD_NUMBERS: dict[str, tuple[int | None, int | None]] = {
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    "fork": (57, None),
    "vfork": (58, None),
    "clone": (56, 220),
    "execve": (59, 221),
    "execveat": (322, 281),
    "pwrite64": (18, 68),
    "pwritev": (296, 70),
    "unlink": (87, None),
    "unlinkat": (263, 35),
    "mkdir": (83, None),
    "mkdirat": (258, 34),
    "rmdir": (84, None),
    "rename": (82, None),
    "renameat": (264, 38),
    "renameat2": (316, 276),
    "link": (86, None),
    "linkat": (265, 37),
    "symlink": (88, None),
    "symlinkat": (266, 36),
    "ftruncate": (77, 46),
    "truncate": (76, 45),
    "fallocate": (285, 47),
    "fsync": (74, 82),
    "fdatasync": (75, 83),
    "copy_file_range": (326, 285),
    "sendfile": (40, 71),
    "flock": (73, 32),
    "msync": (26, 227),
    "mmap": (9, 222),
    "fadvise64": (221, 223),
    "madvise": (28, 233),
    "futex": (202, 98),
    "futex_waitv": (449, 449),
}
# What a process without threads of its own can do without. Numbers of pipes count up over the machine, and free memory
# is everybody's: by either, processes could tell each other.
_NOT_ALONE: dict[str, tuple[int | None, int | None]] = {
    "pipe": (22, None),
    "pipe2": (293, 59),
    "sysinfo": (99, 179),
}
# Calls that do nothing and say that they did: nothing else keeps a compiler that runs as the owner of
# files elsewhere from changing their modes and times, and few compilers depend on what they do.
_WITHOUT_EFFECT: dict[str, tuple[int | None, int | None]] = {
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
}
# Calls that find no links: those in /proc name the folders and files that other processes have open.
_OF_LINKS: dict[str, tuple[int | None, int | None]] = {"readlink": (89, None), "readlinkat": (267, 78)}
# Calls about a process, which may ask about itself alone: what they tell of others is what those are thinking.
# Libraries that ask about a thread of theirs go on without an answer where the call seems not to be there.
_ABOUT_A_PROCESS: dict[str, tuple[int | None, int | None]] = {
    "getpgid": (121, 155),
    "getsid": (124, 156),
    "sched_getaffinity": (204, 123),
    "sched_getparam": (143, 121),
    "sched_getscheduler": (145, 120),
}
# Calls that name a clock. Those from 12 on are of other processes, threads and devices.
_OF_A_CLOCK: dict[str, tuple[int | None, int | None]] = {
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "timerfd_create": (283, 85),
}
_FIRST_CLOCK_OF_OTHERS = 12
# Calls that are allowed by their arguments.
_CLONE, _CLONE3, _EXECVE, _MMAP = (56, 220), (435, 435), (59, 221), (9, 222)
_PRLIMIT, _KILL, _TGKILL, _IOCTL, _PRCTL, _FCNTL = (302, 261), (62, 129), (234, 131), (16, 29), (157, 167), (72, 25)
_OPENAT2, _GETPRIORITY, _MEMBARRIER = (437, 437), (140, 141), (324, 283)
_FUTEX, _MADVISE, _FADVISE = (202, 98), (28, 233), (221, 223)

_CLONE_THREAD = 0x10000
_MAP_SHARED_ANONYMOUS = 0x21
_MAP_GROWS_DOWN, _MAP_HUGE_PAGES = 0x100, 0x40000
_SIGKILL = 9
# From here on signals queue up, and all of a user's processes have one room for them.
_FIRST_QUEUED_SIGNAL = 32
# A futex that isn't the process's own can lie in a file that others have mapped, too. Threads wait so for each other's
# end, but none has to wake by it: the kernel does.
_FUTEX_PRIVATE, _FUTEX_WAITS = 128, (0, 9, 0x100, 0x109)  # FUTEX_WAIT and FUTEX_WAIT_BITSET, by either clock
# Advice about own memory. Other advice moves files into memory and out of it, for everybody.
_MADVICE = (0, 1, 2, 4, 8, 14, 15, 16, 17, 18, 19, 22, 23)
# To ask what there is, and what concerns this process alone: the others interrupt every processor.
_MEMBARRIERS = (0, 8, 16, 32, 64)
_IOCTLS = (0x541B, 0x5401, 0x5413, 0x5421, 0x5450, 0x5451)  # FIONREAD TCGETS TIOCGWINSZ FIONBIO FIONCLEX FIOCLEX
_FCNTLS = (0, 1, 2, 3, 4, 1030)  # dup, flags of descriptors and files
_FCNTL_LOCKS = (5, 6, 7, 36, 37, 38)
_PRCTLS = (15, 16, 0x53564D41)  # names of threads and of memory
_FIRST_NEW_NUMBER = 424  # callers of what is newer have a way without

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_X32_BIT = 0x40000000

_LOAD, _EQUAL, _SET, _NOT_BELOW, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_ALLOW, _KILL_PROCESS, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16


def filter_program(
    purpose: Purpose,
    own_pid: int,
    threads: bool,
    command_address: int = 0,
    supervisor_pid: int = 0,
    reads_links: bool = False,
) -> bytes:
    """The filter as the kernel takes it: 8 bytes an instruction.

    `command_address`: the one place in memory whose string may be executed, 0
    for none. After that execution nothing lies there and nobody knows it, so
    the command can't execute another. `threads`: whether it may start some.
    `supervisor_pid`: of the process that ends what a build leaves behind.
    `reads_links`: whether it may, for an interpreter that must find itself.
    Raises Unsupported on other machines than x86_64 and aarch64.
    """
    machine = os.uname().machine
    if machine not in _MACHINES:
        raise Unsupported(f"there is no table of system calls for {machine} machines")
    column, architecture = _MACHINES[machine]
    code = [
        _load(_ARCHITECTURE),
        _jump(_EQUAL, architecture, 1, 0),
        _return(_KILL_PROCESS),
        _load(_NUMBER),
        _jump(_NOT_BELOW, _X32_BIT, 0, 1),
        _return(_KILL_PROCESS),
    ]

    refusal = _refuse(errno.EPERM)

    def allow(number: int | None) -> None:
        if number is not None:
            code.extend([_jump(_EQUAL, number, 0, 1), _return(_ALLOW)])

    def decide(number: int | None, verdict: list[bytes]) -> None:
        """For this call let the verdict decide; it must end with a return."""
        if number is not None:
            code.extend([_jump(_EQUAL, number, 0, len(verdict)), *verdict])

    for numbers in _NUMBERS.values():
        allow(numbers[column])
    if purpose == "build":
        for numbers in _BUILD_NUMBERS.values():
            allow(numbers[column])
        for numbers in _NOT_ALONE.values():
            allow(numbers[column])
        for numbers in _WITHOUT_EFFECT.values():
            decide(numbers[column], [_refuse(0)])
        # Single processes, but not the one that will end all others.
        decide(
            _KILL[column],
            [
                _low(0),
                _jump(_SET, 0x80000000, 3, 0),
                _jump(_EQUAL, 0, 2, 0),
                _jump(_EQUAL, supervisor_pid, 1, 0),
                _return(_ALLOW),
                refusal,
            ],
        )
    else:
        if threads:
            decide(_CLONE[column], [_low(0), *_if_set(_CLONE_THREAD, _return(_ALLOW)), refusal])
            for numbers in _NOT_ALONE.values():
                allow(numbers[column])
        decide(
            _FUTEX[column],
            [
                _low(1),
                *_if_set(_FUTEX_PRIVATE, _return(_ALLOW)),
                *(_among(_FUTEX_WAITS) if threads else []),
                refusal,
            ],
        )
        decide(_MADVISE[column], [_low(2), *_among(_MADVICE), _refuse(errno.EINVAL)])
        decide(_FADVISE[column], [_refuse(0)])
        if command_address:
            decide(_EXECVE[column], [*_unless_equals(0, command_address), _return(_ALLOW)])
        # Memory that limits don't see is refused: shared without a file, huge pages, and stacks that grow.
        decide(
            _MMAP[column],
            [
                _low(3),
                *_if_set(_MAP_GROWS_DOWN | _MAP_HUGE_PAGES, refusal),
                _and(_MAP_SHARED_ANONYMOUS),
                *_if_equal(_MAP_SHARED_ANONYMOUS, refusal),
                _return(_ALLOW),
            ],
        )
        for numbers in _OF_LINKS.values():
            decide(numbers[column], [_return(_ALLOW) if reads_links else _refuse(errno.EINVAL)])
        # Who is killed by SIGKILL was killed by somebody else: that must mean something.
        decide(_KILL[column], [_low(1), *_unless_simple_signal(refusal), _low(0), *_among((own_pid,)), refusal])
    decide(
        _TGKILL[column],
        [_low(2), *_unless_simple_signal(refusal), _low(0), *_among((own_pid,)), refusal]
        if purpose == "play"
        else [_low(0), _jump(_EQUAL, supervisor_pid, 0, 1), refusal, _return(_ALLOW)],
    )
    for numbers in _ABOUT_A_PROCESS.values():
        decide(numbers[column], [_low(0), *_among((0, own_pid)), _refuse(errno.ENOSYS)])
    for numbers in _OF_A_CLOCK.values():
        decide(numbers[column], [_low(0), _jump(_NOT_BELOW, _FIRST_CLOCK_OF_OTHERS, 0, 1), refusal, _return(_ALLOW)])
    decide(
        _GETPRIORITY[column],
        [_low(0), _jump(_EQUAL, 0, 1, 0), refusal, _low(1), *_among((0, own_pid)), refusal],
    )
    decide(_MEMBARRIER[column], [_low(0), *_among(_MEMBARRIERS), _refuse(errno.ENOSYS)])
    # To read its own limits, not to set them.
    decide(_PRLIMIT[column], [*_unless_equals(2, 0), _low(0), *_among((0, own_pid)), refusal])
    decide(_IOCTL[column], [_low(1), *_among(_IOCTLS), _refuse(errno.ENOTTY)])
    decide(_PRCTL[column], [_low(0), *_among(_PRCTLS), refusal])
    decide(
        _FCNTL[column],
        [_low(1), *_among((*_FCNTLS, *_FCNTL_LOCKS) if purpose == "build" else _FCNTLS), refusal],
    )
    for number in (_CLONE3[column], _OPENAT2[column]):  # libraries then take the older call
        decide(number, [_refuse(errno.ENOSYS)])
    code += [_jump(_NOT_BELOW, _FIRST_NEW_NUMBER, 0, 1), _refuse(errno.ENOSYS), refusal]
    return b"".join(code)


def install(program: bytes) -> None:
    """Put this process under a filter, for good. Raises Unsupported."""

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_char_p))

    library = ctypes.CDLL(None, use_errno=True)
    argument = Program(len(program) // 8, program)
    no_new_privileges, set_filter, filter_mode = 38, 22, 2
    if library.prctl(no_new_privileges, 1, 0, 0, 0) or library.prctl(
        set_filter, filter_mode, ctypes.byref(argument), 0, 0
    ):
        raise Unsupported(f"the kernel takes no filter of system calls: {os.strerror(ctypes.get_errno())}")


def drop_capabilities() -> None:
    """Give up what root may do beyond others, for good. Raises Unsupported."""
    library = ctypes.CDLL(None, use_errno=True)
    header = struct.pack("=Ii", 0x20080522, 0)  # version 3, this process
    if library.syscall(126 if os.uname().machine == "x86_64" else 91, header, bytes(24)):
        raise Unsupported(f"capabilities can't be dropped: {os.strerror(ctypes.get_errno())}")


def _instruction(code: int, jump_true: int, jump_false: int, value: int) -> bytes:
    return struct.pack("=HBBI", code, jump_true, jump_false, value)


def _load(offset: int) -> bytes:
    return _instruction(_LOAD, 0, 0, offset)


def _low(argument: int) -> bytes:
    """Load the low half of an argument (both machines are little-endian)."""
    return _load(_ARGUMENTS + 8 * argument)


def _and(mask: int) -> bytes:
    return _instruction(0x54, 0, 0, mask)


def _jump(test: int, value: int, jump_true: int, jump_false: int) -> bytes:
    return _instruction(test, jump_true, jump_false, value)


def _return(verdict: int) -> bytes:
    return _instruction(_RETURN, 0, 0, verdict)


def _refuse(number: int) -> bytes:
    return _return(_ERRNO | number)


def _if_equal(value: int, verdict: bytes) -> list[bytes]:
    """The verdict if what was loaded is this value."""
    return [_jump(_EQUAL, value, 0, 1), verdict]


def _unless_simple_signal(verdict: bytes) -> list[bytes]:
    """The verdict if what was loaded is SIGKILL or a signal that queues up."""
    return [
        *_if_equal(_SIGKILL, verdict),
        _jump(_NOT_BELOW, _FIRST_QUEUED_SIGNAL, 0, 1),
        verdict,
    ]


def _if_set(bits: int, verdict: bytes) -> list[bytes]:
    """The verdict if one of these bits is set in what was loaded."""
    return [_jump(_SET, bits, 0, 1), verdict]


def _among(values: Iterable[int]) -> list[bytes]:
    """Allow if what was loaded is one of these."""
    return [code for value in values for code in (_jump(_EQUAL, value, 0, 1), _return(_ALLOW))]


def _unless_equals(argument: int, value: int) -> list[bytes]:
    """Refuse unless the whole argument is this value."""
    low, high = value & 0xFFFFFFFF, value >> 32
    return [
        _low(argument),
        _jump(_EQUAL, low, 1, 0),
        _refuse(errno.EPERM),
        _load(_ARGUMENTS + 8 * argument + 4),
        _jump(_EQUAL, high, 1, 0),
        _refuse(errno.EPERM),
    ]
