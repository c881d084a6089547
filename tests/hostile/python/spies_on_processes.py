# Asks what the system tells about other processes: their processor time, groups, niceness, processors and limits.
# Verdict: ok
import ctypes
import os
import struct

from by_number import buffer, call, see_refused
from look_once import a, b

SPACE = ctypes.addressof(buffer)
OWN = {
    "clock_gettime": (228, 2, SPACE),
    "getpgid": (121, 0),
    "getpgid by number": (121, os.getpid()),
    "getpriority": (140, 0, 0),
    "sched_getaffinity by number": (204, os.getpid(), 128, SPACE),
    "prlimit": (302, 0, 7, 0, SPACE),
}


def attempts(process):
    """Return what is tried on a process, by name."""
    clocks = [*((~process << 3) | kind for kind in (0, 1, 2, 4, 5, 6)), (~3 << 3) | 3, 12]
    found = {}
    for clock in clocks:
        with_more_bits = clock & 0xFFFFFFFF | 1 << 40
        found |= {f"clock_gettime {clock}": (228, clock, SPACE), f"in short {clock}": (228, with_more_bits, SPACE)}
        found |= {f"clock_getres {clock}": (229, clock, SPACE), f"nanosleep {clock}": (230, clock, 0, SPACE, 0)}
        found |= {f"timer_create {clock}": (222, clock, 0, SPACE), f"timerfd_create {clock}": (283, clock, 0)}
    header = struct.pack("Ii", 0x20080522, process)
    ctypes.memmove(SPACE + 2048, header, len(header))
    for name, number in {"getpgid": 121, "getsid": 124, "sched_getscheduler": 145, "pidfd_open": 434}.items():
        found[name] = (number, process, 0)
    for name, number in {"sched_getparam": 143, "sched_rr_get_interval": 148}.items():
        found[name] = (number, process, SPACE)
    return found | {
        "capget": (125, SPACE + 2048, SPACE),
        "getpriority": (140, 0, process),
        "getpriority of a group": (140, 1, 0),
        "getpriority of a user": (140, 2, 0),
        "sched_getaffinity": (204, process, 128, SPACE),
        "sched_getattr": (315, process, SPACE, 48, 0),
        "sched_setaffinity": (203, process, 128, SPACE),
        "setpriority": (141, 0, process, 5),
        "prlimit": (302, process, 7, 0, SPACE),
        "get_robust_list": (274, process, SPACE, SPACE),
        "ioprio_get": (252, 1, process),
        "kcmp": (312, process, os.getpid(), 0, 0, 0),
        "process_vm_readv": (310, process, SPACE, 0, SPACE, 0, 0),
        "ptrace": (101, 16, process, 0, 0),
        "statfs": (137, ctypes.addressof(ctypes.create_string_buffer(b"/")), SPACE),
        "fstatfs": (138, 2, SPACE),
        "membarrier of everybody": (324, 1, 0, 0),
    }


def look():
    for process in (os.getppid(), 1, 2):
        see_refused({f"{name} of {process}": one for name, one in attempts(process).items()}, (1, 38))
    for arguments in OWN.values():  # It may know about itself.
        call(*arguments)
