"""The system calls that a confined process can make, as a seccomp filter. All others are refused.

It runs inside the sandbox, so it imports only the standard library.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

from tournament.sandbox.inside.libc import call, gain_no_privileges

TYPE_CHECKING = False
if TYPE_CHECKING:  # takes long to import
    from collections.abc import Iterable

    # A call's name, and the instructions that decide on it. The last one returns.
    _Rule = tuple[str, list[bytes]]


class Unsupported(Exception):
    """Raised when this machine can't confine a process. The message gives the reason.

    Causes are the filter, its questions, capabilities that can't be dropped, or a Landlock domain.
    """


def _split(text: str) -> list[str]:
    return text.split()


# Numbers of calls on x86_64 and aarch64, "-" for none (Linux, asm/unistd_64.h, asm-generic/unistd.h).
_TABLE = """
    access 21 -; alarm 37 -; arch_prctl 158 -; brk 12 214; chdir 80 49; chmod 90 -;
    clock_getres 229 114; clock_gettime 228 113; clock_nanosleep 230 115; clone 56 220; clone3 435 435; close 3 57;
    close_range 436 436; copy_file_range 326 285; dup 32 23; dup2 33 -; dup3 292 24; epoll_create 213 -;
    epoll_create1 291 20; epoll_ctl 233 21; epoll_pwait 281 22; epoll_pwait2 441 441; epoll_wait 232 -;
    eventfd 284 -; eventfd2 290 19; execve 59 221; execveat 322 281; exit 60 93; exit_group 231 94; faccessat 269 48;
    faccessat2 439 439; fadvise64 221 223; fallocate 285 47; fchdir 81 50; fchmod 91 52; fchmodat 268 53;
    fcntl 72 25; fdatasync 75 83; flock 73 32; fork 57 -; fstat 5 80; fstatfs 138 44; fsync 74 82; ftruncate 77 46;
    futex 202 98; futex_waitv 449 449; futimesat 261 -; getcpu 309 168; getcwd 79 17; getdents 78 -;
    getdents64 217 61; getegid 108 177; geteuid 107 175; getgid 104 176; getgroups 115 158; getitimer 36 102;
    getpgid 121 155; getpgrp 111 -; getpid 39 172; getppid 110 173; getpriority 140 141; getrandom 318 278;
    getresgid 120 150; getresuid 118 148; getrlimit 97 163; getrusage 98 165; getsid 124 156; gettid 186 178;
    gettimeofday 96 169; getuid 102 174; ioctl 16 29; kill 62 129; link 86 -; linkat 265 37; lseek 8 62; lstat 6 -;
    madvise 28 233; membarrier 324 283; mkdir 83 -; mkdirat 258 34; mmap 9 222; mprotect 10 226; mremap 25 216;
    msync 26 227; munmap 11 215; nanosleep 35 101; newfstatat 262 79; open 2 -; openat 257 56; openat2 437 437;
    pause 34 -; pipe 22 -; pipe2 293 59; poll 7 -; ppoll 271 73; prctl 157 167; pread64 17 67; preadv 295 69;
    prlimit64 302 261; pselect6 270 72; pwrite64 18 68; pwritev 296 70; read 0 63; readlink 89 -; readlinkat 267 78;
    readv 19 65; recvfrom 45 207; rename 82 -; renameat 264 38; renameat2 316 276; restart_syscall 219 128;
    rmdir 84 -; rseq 334 293; rt_sigaction 13 134; rt_sigpending 127 136; rt_sigprocmask 14 135; rt_sigreturn 15 139;
    rt_sigsuspend 130 133; rt_sigtimedwait 128 137; sched_get_priority_max 146 125; sched_get_priority_min 147 126;
    sched_getaffinity 204 123; sched_getparam 143 121; sched_getscheduler 145 120; sched_yield 24 124; select 23 -;
    sendfile 40 71; set_robust_list 273 99; set_tid_address 218 96; setitimer 38 103; setresgid 119 149;
    setresuid 117 147; sigaltstack 131 132; socketpair 53 199; stat 4 -; statfs 137 43; statx 332 291;
    symlink 88 -; symlinkat 266 36; sysinfo 99 179; tgkill 234 131; time 201 -;
    timerfd_create 283 85; timerfd_gettime 287 87; timerfd_settime 286 86; times 100 153; umask 95 166;
    uname 63 160; unlink 87 -; unlinkat 263 35; utime 132 -; utimensat 280 88; utimes 235 -;
    vfork 58 -; wait4 61 260; waitid 247 95; write 1 64; writev 20 66
"""
_NUMBERS = {
    name: tuple(None if number == "-" else int(number) for number in numbers)
    for name, *numbers in map(str.split, _TABLE.split(";"))
}
_ALLOWED = _split("""
    read write readv writev pread64 preadv close close_range stat lstat fstat newfstatat statx
    access faccessat faccessat2 getdents getdents64 getcwd chdir fchdir lseek dup dup2 dup3 munmap mprotect
    mremap brk rt_sigaction rt_sigprocmask rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_sigpending sigaltstack
    pause alarm getitimer setitimer restart_syscall set_robust_list rseq set_tid_address sched_yield
    sched_get_priority_max sched_get_priority_min getcpu poll ppoll select pselect6 epoll_create epoll_create1
    epoll_ctl epoll_wait epoll_pwait epoll_pwait2 eventfd eventfd2 timerfd_settime timerfd_gettime nanosleep
    gettimeofday time times getpid gettid getppid getpgrp getuid geteuid getgid getegid getresuid getresgid
    getgroups getrusage getrlimit uname getrandom arch_prctl exit exit_group wait4 waitid umask
""")
# A compiler also writes files and starts its own programs.
_ALLOWED_TO_BUILDS = _split("""
    readlink readlinkat statfs fstatfs fork vfork clone execve execveat pwrite64 pwritev unlink unlinkat mkdir
    mkdirat rmdir rename renameat renameat2 link linkat symlink symlinkat ftruncate fsync
    fdatasync copy_file_range sendfile flock msync mmap fadvise64 madvise futex futex_waitv recvfrom
""")
# Calls that bots without threads don't need. All processes share the count of pipes and the free memory, by which they
# could exchange messages.
_THREADED_CALLS = ("pipe", "pipe2", "sysinfo")
# Calls that do nothing and report success. Otherwise a compiler could change modes and times of its user's files. Few
# compilers need these calls. Programs that make starts request the ids that they have.
_WITHOUT_EFFECT = _split("chmod fchmod fchmodat utime utimes futimesat utimensat setresuid setresgid")
# Python bots can't read links, because those of their descriptors in /proc reveal the numbers of pipes. Some programs'
# runtimes need a link to find themselves.
_LINK_CALLS = ("readlink", "readlinkat")
# Calls about a process, which can ask only about itself. Libraries that ask about one of their threads continue if the
# call seems not to exist.
_ABOUT_A_PROCESS = ("getpgid", "getsid", "sched_getaffinity", "sched_getparam", "sched_getscheduler")
# Calls that name a clock. Clocks from 12 on belong to other processes, threads and devices.
_CLOCK_CALLS = ("clock_gettime", "clock_getres", "clock_nanosleep", "timerfd_create")
_FIRST_PROCESS_CLOCK = 12

_UNIX_FAMILY = 1  # a family of sockets
_CLONE_THREAD = 0x10000
_MAP_SHARED_ANONYMOUS = 0x21
_MAP_GROWS_DOWN, _MAP_HUGE_PAGES = 0x100, 0x40000
_SIGKILL = 9
# First signal that queues up. All of a user's processes share one limit for queued signals.
_FIRST_QUEUED_SIGNAL = 32
# Signals that no process can send itself, so whatever they kill or stop was hit from outside.
_FROM_OUTSIDE = (_SIGKILL, 19, 20, 21, 22, 24)  # SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGXCPU
# A futex that isn't private can be in a file that others have mapped, too. Threads wait on one for each other's end,
# but only the kernel has to wake it.
_FUTEX_PRIVATE, _FUTEX_WAITS = 128, (0, 9, 0x100, 0x109)  # FUTEX_WAIT and FUTEX_WAIT_BITSET, by either clock
# Advice about own memory. Other advice moves files into memory and out of it for all processes.
_MADVICE = (0, 1, 2, 4, 8, 14, 15, 16, 17, 18, 19)
# The query, and barriers for this process alone. Others interrupt every processor.
_MEMBARRIERS = (0, 8, 16, 32, 64)
# Index of the argument with the flags that open a file.
_OPEN_FLAGS = (("open", 1), ("openat", 2))
# Bits of these flags. Landlock doesn't check files that are opened neither to read nor to write, and before version 3
# it doesn't check truncation.
_WRITES, _NEITHER, _CREATES, _EMPTIES = 3, 3, 0x40, 0x200
_IOCTLS = (0x541B, 0x5401, 0x5413, 0x5421, 0x5450, 0x5451)  # FIONREAD TCGETS TIOCGWINSZ FIONBIO FIONCLEX FIOCLEX
_FCNTLS = (0, 1, 2, 3, 1030)  # dup, flags of descriptors and files
_SET_FLAGS = 4
_FCNTL_LOCKS = (5, 6, 7, 36, 37, 38)
_PRCTLS = (15, 16, 0x53564D41)  # names of threads and of memory
_FIRST_NEW_NUMBER = 424  # newer calls seem not to exist, so callers use older ones

_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}
_X32_BIT = 0x40000000

_LOAD, _EQUAL, _SET, _NOT_BELOW, _RETURN = 0x20, 0x15, 0x45, 0x35, 0x06
_ALLOW, _KILL_PROCESS, _ERRNO, _ASK = 0x7FFF0000, 0x80000000, 0x00050000, 0x7FC00000
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16


def filter_of_bots(own_pid: int, *, threads: bool, executes: bool) -> bytes:
    """Return the filter of a process that plays, as the kernel takes it: 8 bytes per instruction.

    Args:
        own_pid: ID of the process, to which alone it can send signals.
        threads: Whether it can start threads.
        executes: Whether it can become another program. Filter, domain and limits then stay.

    Raises:
        Unsupported: The machine is neither x86_64 nor aarch64.
    """
    rules = _bot_rules(own_pid, threads)
    rules += [("execve", [_return(_ALLOW)])] if executes else []
    return _filter([*rules, *_common_rules(own_pid, _FCNTLS)])


def filter_of_builds(own_pid: int, supervisor_pid: int, signals: bool) -> bytes:
    """Return the filter of a compiler or a build, which also starts processes and writes files.

    It has 8 bytes per instruction.

    Args:
        own_pid: ID of the process, about which it can ask. Its children can't ask about themselves by number.
        supervisor_pid: ID of the process that ends what the build leaves behind.
        signals: Whether it can send signals, because Landlock keeps them within the build.

    Raises:
        Unsupported: The machine is neither x86_64 nor aarch64.
    """
    return _filter([*_build_rules(supervisor_pid, signals), *_common_rules(own_pid, (*_FCNTLS, *_FCNTL_LOCKS))])


def _filter(rules: list[_Rule]) -> bytes:
    """Return the filter with these rules and the calls that all processes can make.

    Raises:
        Unsupported: The machine is neither x86_64 nor aarch64.
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
    for name, verdict in [*[(name, [_return(_ALLOW)]) for name in _ALLOWED], *rules]:
        number = _NUMBERS[name][column]
        if number is not None:
            code += [_jump(_EQUAL, number, 0, len(verdict)), *verdict]
    code += [_jump(_NOT_BELOW, _FIRST_NEW_NUMBER, 0, 1), _refuse(errno.ENOSYS), _REFUSAL]
    return b"".join(code)


def _build_rules(supervisor_pid: int, signals: bool) -> list[_Rule]:
    """Return the rules for calls that only a compiler or a build can make."""
    rules = [(name, [_return(_ALLOW)]) for name in (*_ALLOWED_TO_BUILDS, *_THREADED_CALLS)]
    rules += [(name, [_refuse(0)]) for name in _WITHOUT_EFFECT]
    # fallocate takes gigabytes in a moment. Linkers continue without it.
    rules.append(("fallocate", [_refuse(errno.EOPNOTSUPP)]))
    unchecked = [code for flags in (_EMPTIES, _NEITHER, _EMPTIES | _NEITHER) for code in _if_equal(flags, _REFUSAL)]
    rules += [
        (name, [_low(flags), *_UNLESS_DIRECT, _and(_WRITES | _EMPTIES), *unchecked, _return(_ALLOW)])
        for name, flags in _OPEN_FLAGS
    ]
    # Single processes, except the supervisor.
    single = [
        _low(0),
        _jump(_SET, 0x80000000, 3, 0),
        _jump(_EQUAL, 0, 2, 0),
        _jump(_EQUAL, supervisor_pid, 1, 0),
        _return(_ALLOW),
        _REFUSAL,
    ]
    if signals:
        rules += [("kill", single), ("tgkill", single)]
    # Java's compiler needs a pair before it opens files. cargo reads one by recvfrom.
    return [*rules, ("socketpair", [_low(0), *_among((_UNIX_FAMILY,)), _REFUSAL])]


def _bot_rules(own_pid: int, threads: bool) -> list[_Rule]:
    """Return the rules for calls that only a bot can make."""
    rules: list[_Rule] = []
    if threads:
        rules.append(("clone", [_low(0), *_if_set(_CLONE_THREAD, _return(_ALLOW)), _REFUSAL]))
        rules += [(name, [_return(_ALLOW)]) for name in (*_THREADED_CALLS, *_LINK_CALLS)]
    else:
        rules += [(name, [_refuse(errno.EINVAL)]) for name in _LINK_CALLS]
    changes = _if_set(_WRITES | _CREATES | _EMPTIES, _refuse(errno.EACCES))
    rules += [(name, [_low(flags), *changes, *_UNLESS_DIRECT, _return(_ALLOW)]) for name, flags in _OPEN_FLAGS]
    thread_waits = _among(_FUTEX_WAITS) if threads else []
    rules += [
        ("futex", [_low(1), *_if_set(_FUTEX_PRIVATE, _return(_ALLOW)), *thread_waits, _REFUSAL]),
        ("madvise", [_low(2), *_among(_MADVICE), _refuse(errno.EINVAL)]),
        ("fadvise64", [_refuse(0)]),
    ]
    # Refuse memory that limits don't count: shared without a file, huge pages, and stacks that grow.
    seen_memory = [
        _low(3),
        *_if_set(_MAP_GROWS_DOWN | _MAP_HUGE_PAGES, _REFUSAL),
        _and(_MAP_SHARED_ANONYMOUS),
        *_if_equal(_MAP_SHARED_ANONYMOUS, _REFUSAL),
        _return(_ALLOW),
    ]
    rules.append(("mmap", seen_memory))
    to_itself = [*_unless_simple_signal(_REFUSAL), _low(0), *_among((own_pid,)), _REFUSAL]
    return [*rules, ("kill", [_low(1), *to_itself]), ("tgkill", [_low(2), *to_itself])]


def _common_rules(own_pid: int, of_files: Iterable[int]) -> list[_Rule]:
    """Return the rules for calls that every process can make with some arguments only.

    Args:
        of_files: Commands of fcntl that it can use.
    """
    itself = (0, own_pid)
    set_flags = [_jump(_EQUAL, _SET_FLAGS, 0, 4), _low(2), *_UNLESS_DIRECT, _return(_ALLOW)]
    clock_check = [_low(0), _jump(_NOT_BELOW, _FIRST_PROCESS_CLOCK, 0, 1), _REFUSAL, _return(_ALLOW)]
    return [
        *((name, [_low(0), *_among(itself), _refuse(errno.ENOSYS)]) for name in _ABOUT_A_PROCESS),
        *((name, clock_check) for name in _CLOCK_CALLS),
        ("getpriority", [_low(0), _jump(_EQUAL, 0, 1, 0), _REFUSAL, _low(1), *_among(itself), _REFUSAL]),
        ("membarrier", [_low(0), *_among(_MEMBARRIERS), _refuse(errno.ENOSYS)]),
        # A process can read its own limits, not set them.
        ("prlimit64", [*_unless_equals(2, 0), _low(0), *_among(itself), _REFUSAL]),
        ("ioctl", [_low(1), *_among(_IOCTLS), _refuse(errno.ENOTTY)]),
        ("prctl", [_low(0), *_among(_PRCTLS), _REFUSAL]),
        ("fcntl", [_low(1), *_among(of_files), *set_flags, _REFUSAL]),
        # Libraries then use the older calls.
        ("clone3", [_refuse(errno.ENOSYS)]),
        ("openat2", [_refuse(errno.ENOSYS)]),
    ]


def numbers_here(names: str) -> list[int]:
    """Return the numbers of calls on this machine, in the order of the names. Calls that it doesn't have are left out.

    Args:
        names: Names of calls in the table of this module, separated by blanks.

    Returns:
        The numbers, none on machines that are neither x86_64 nor aarch64.
    """
    machine = os.uname().machine
    if machine not in _MACHINES:
        return []
    return [number for name in names.split() if (number := _NUMBERS[name][_MACHINES[machine][0]]) is not None]


def install(program: bytes) -> None:
    """Put this thread under a filter. This can't be undone. Children inherit it.

    It also calls `libc.gain_no_privileges`.

    Args:
        program: The result of `filter_of_bots` or `filter_of_builds`.

    Raises:
        Unsupported: The kernel refuses the filter.
    """
    try:
        _set_filter(program, 0)
    except OSError as problem:
        raise Unsupported(f"the kernel takes no filter of system calls: {problem.strerror}") from None


def install_questions(calls: str) -> int:
    """Have each of these calls wait for an answer, in this thread and its children. All other calls stay allowed.

    This can't be undone. It also calls `libc.gain_no_privileges`.

    Args:
        calls: Names of the calls, separated by blanks. Those that this machine lacks are left out.

    Returns:
        The descriptor on which answers are given. The caller closes it.

    Raises:
        OSError: The kernel refuses it, with EBUSY if another filter already has such a descriptor.
    """
    checks = [code for number in numbers_here(calls) for code in _if_equal(number, _return(_ASK))]
    program = b"".join([_load(_NUMBER), *checks, _return(_ALLOW)])
    new_listener, no_signal_while_asked = 8, 32
    try:
        return _set_filter(program, new_listener | no_signal_while_asked)
    except OSError as problem:
        if problem.errno != errno.EINVAL:
            raise
        return _set_filter(program, new_listener)  # before Linux 5.19; after a signal the caller asks again


def _set_filter(program: bytes, flags: int) -> int:
    """Put this thread under a filter. Return the kernel's result for these flags: 0, or a descriptor.

    Args:
        program: The filter, 8 bytes per instruction.
        flags: Flags of the system call, 0 for none.

    Raises:
        OSError: The kernel refuses it.
    """
    set_filter = 1
    gain_no_privileges()
    number = 317 if os.uname().machine == "x86_64" else 277
    # A ctypes structure would import more, which is no longer possible here.
    instructions = ctypes.create_string_buffer(program, len(program))
    described = struct.pack("@HP", len(program) // 8, ctypes.addressof(instructions))
    return call("syscall", number, set_filter, flags, described)


def drop_capabilities() -> None:
    """Give up root's additional rights. This can't be undone.

    Raises:
        Unsupported: The kernel refuses it.
    """
    header = struct.pack("=Ii", 0x20080522, 0)  # version 3, this process
    try:
        call("syscall", 126 if os.uname().machine == "x86_64" else 91, header, bytes(24))
    except OSError as problem:
        raise Unsupported(f"capabilities can't be dropped: {problem.strerror}") from None


def _instruction(code: int, jump_true: int, jump_false: int, value: int) -> bytes:
    return struct.pack("=HBBI", code, jump_true, jump_false, value)


def _load(offset: int) -> bytes:
    return _instruction(_LOAD, 0, 0, offset)


def _low(argument: int) -> bytes:
    """Return the instruction that loads the low half of an argument. Both machines are little-endian."""
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
    """Return the instructions that end with the verdict if the loaded value equals this one."""
    return [_jump(_EQUAL, value, 0, 1), verdict]


def _unless_simple_signal(verdict: bytes) -> list[bytes]:
    """Return the instructions that end with the verdict if the loaded value isn't a simple signal.

    Simple signals don't count as sent from outside, and don't queue up.
    """
    return [
        *[code for number in _FROM_OUTSIDE for code in _if_equal(number, verdict)],
        _jump(_NOT_BELOW, _FIRST_QUEUED_SIGNAL, 0, 1),
        verdict,
    ]


def _if_set(bits: int, verdict: bytes) -> list[bytes]:
    """Return the instructions that end with the verdict if one of these bits is set in the loaded value."""
    return [_jump(_SET, bits, 0, 1), verdict]


def _among(values: Iterable[int]) -> list[bytes]:
    """Return the instructions that allow the call if the loaded value is one of these."""
    return [code for value in values for code in (_jump(_EQUAL, value, 0, 1), _return(_ALLOW))]


def _unless_equals(argument: int, value: int) -> list[bytes]:
    """Return the instructions that refuse the call unless the complete argument equals this value."""
    low, high = value & 0xFFFFFFFF, value >> 32
    return [
        _low(argument),
        _jump(_EQUAL, low, 1, 0),
        _REFUSAL,
        _load(_ARGUMENTS + 8 * argument + 4),
        _jump(_EQUAL, high, 1, 0),
        _REFUSAL,
    ]


_REFUSAL = _refuse(errno.EPERM)
# Direct reads wait in a state that counts neither as processor time nor as sleep.
_UNLESS_DIRECT = _if_set(os.O_DIRECT, _refuse(errno.EINVAL))
