# Asks what the system tells about other processes: their processor time, groups, niceness, processors and limits.
# Verdict: ok
import ctypes
import os
import struct

from by_number import buffer, call, see_refused
from look_once import a, b

SPACE = ctypes.addressof(buffer)


def attempts(process):
    """Return what is tried on a process, by name."""
    clocks = {f"kind {kind}": (~process << 3) | kind for kind in (0, 1, 2, 4, 5, 6)}
    clocks["dynamic"] = (~3 << 3) | 3
    clocks["beyond the known"] = 12
    found = {}
    for name, clock in clocks.items():
        found[f"clock_gettime {name}"] = (228, clock, SPACE)
        found[f"clock_gettime {name} with more bits"] = (228, clock & 0xFFFFFFFF | 1 << 40, SPACE)
        found[f"clock_getres {name}"] = (229, clock, SPACE)
        found[f"clock_nanosleep {name}"] = (230, clock, 0, SPACE, 0)
        found[f"timer_create {name}"] = (222, clock, 0, SPACE)
        found[f"timerfd_create {name}"] = (283, clock, 0)
    header = struct.pack("Ii", 0x20080522, process)
    ctypes.memmove(SPACE + 2048, header, len(header))
    return found | {
        "capget": (125, SPACE + 2048, SPACE),
        "getpgid": (121, process),
        "getsid": (124, process),
        "getpriority": (140, 0, process),
        "getpriority of a group": (140, 1, 0),
        "getpriority of a user": (140, 2, 0),
        "sched_getaffinity": (204, process, 128, SPACE),
        "sched_getparam": (143, process, SPACE),
        "sched_getscheduler": (145, process),
        "sched_getattr": (315, process, SPACE, 48, 0),
        "sched_rr_get_interval": (148, process, SPACE),
        "sched_setaffinity": (203, process, 128, SPACE),
        "setpriority": (141, 0, process, 5),
        "prlimit": (302, process, 7, 0, SPACE),
        "get_robust_list": (274, process, SPACE, SPACE),
        "ioprio_get": (252, 1, process),
        "pidfd_open": (434, process, 0),
        "kcmp": (312, process, os.getpid(), 0, 0, 0),
        "process_vm_readv": (310, process, SPACE, 0, SPACE, 0, 0),
        "ptrace": (101, 16, process, 0, 0),
        "statfs": (137, ctypes.addressof(ctypes.create_string_buffer(b"/")), SPACE),
        "fstatfs": (138, 2, SPACE),
        "membarrier of everybody": (324, 1, 0, 0),
    }


def own():
    """Ask what it may know, which is about itself."""
    return {
        "clock_gettime": (228, 2, SPACE),
        "clock_getres": (229, 1, SPACE),
        "getpgid": (121, 0),
        "getpgid by number": (121, os.getpid()),
        "getsid": (124, 0),
        "getpriority": (140, 0, 0),
        "sched_getaffinity": (204, 0, 128, SPACE),
        "sched_getaffinity by number": (204, os.getpid(), 128, SPACE),
        "prlimit": (302, 0, 7, 0, SPACE),
    }


def look():
    for process in (os.getppid(), 1, 2):
        see_refused({f"{name} of {process}": one for name, one in attempts(process).items()}, (1, 38))
    for name, arguments in own().items():
        try:
            call(*arguments)
        except OSError as error:
            raise AssertionError(f"{name} of its own was refused: {error}") from None
