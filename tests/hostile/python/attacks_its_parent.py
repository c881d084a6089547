# Kills, stops and writes into the process that it plays for, outlives it, and gives itself more than it gets.
# Verdict: ok
import contextlib
import ctypes
import fcntl
import os
import resource
import signal

from attempts import a, b
from by_number import buffer, call

PARENT, SPACE = os.getppid(), ctypes.addressof(buffer)
SET_PARENT_DEATH_SIGNAL, SET_DUMPABLE, SET_CHILD_SUBREAPER = 1, 4, 36
WITHOUT_END = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
LIMITS = [f"RLIMIT_{name}" for name in "CPU DATA AS NOFILE FSIZE STACK CORE MEMLOCK".split()]
for number in range(1, 64):
    with contextlib.suppress(OSError, ValueError):
        signal.signal(number, signal.SIG_IGN)

ATTEMPTS = {
    "kill": lambda: os.kill(PARENT, signal.SIGKILL),
    "stop": lambda: os.kill(PARENT, signal.SIGSTOP),
    "signal 0": lambda: os.kill(PARENT, 0),
    "kill all": lambda: os.kill(-1, signal.SIGKILL),
    "kill the group": lambda: os.kill(0, signal.SIGUSR1),
    "kill its group": lambda: os.killpg(os.getpgid(PARENT), signal.SIGKILL),
    "tkill": lambda: call(200, PARENT, 9),
    "tgkill": lambda: call(234, PARENT, PARENT, 9),
    "rt_sigqueueinfo": lambda: call(129, PARENT, 9, SPACE),
    "rt_tgsigqueueinfo": lambda: call(297, PARENT, PARENT, 9, SPACE),
    "pidfd_send_signal": lambda: call(424, 0, 9, 0, 0),
    "pidfd_getfd": lambda: call(438, 0, 1, 0),
    "ptrace me": lambda: call(101, 0, 0, 0, 0),
    "process_vm_writev": lambda: call(311, PARENT, SPACE, 1, SPACE, 1, 0),
    "move_pages": lambda: call(279, PARENT, 0, 0, 0, 0, 0),
    "signals when a pipe moves": lambda: fcntl.fcntl(0, fcntl.F_SETOWN, PARENT),
    "another signal": lambda: fcntl.fcntl(0, 10, signal.SIGKILL),
    "signals to an owner by a structure": lambda: fcntl.fcntl(0, 15, bytes(8)),
    "lease": lambda: fcntl.fcntl(0, fcntl.F_SETLEASE, fcntl.F_WRLCK),
    "notify": lambda: fcntl.fcntl(0, fcntl.F_NOTIFY, fcntl.DN_MULTISHOT),
    "grow a pipe": lambda: fcntl.fcntl(1, 1031, 1 << 20),
    "lock": lambda: fcntl.flock(os.open(os.__file__, os.O_RDONLY), fcntl.LOCK_SH),
    "write into a terminal": lambda: fcntl.ioctl(0, 0x5412, b"x"),
    "no signal when the parent ends": lambda: call(157, SET_PARENT_DEATH_SIGNAL, 0, 0, 0),
    "not dumpable": lambda: call(157, SET_DUMPABLE, 0, 0, 0),
    "subreaper": lambda: call(157, SET_CHILD_SUBREAPER, 1, 0, 0),
    **{name: lambda name=name: resource.setrlimit(getattr(resource, name), WITHOUT_END) for name in LIMITS},
    "prlimit": lambda: resource.prlimit(0, resource.RLIMIT_CPU, (1, 1)),
    "nice": lambda: os.nice(-5),
    "sched_setscheduler": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50)),
    "sched_setaffinity": lambda: os.sched_setaffinity(0, {0}),
    "setpriority": lambda: os.setpriority(os.PRIO_PROCESS, 0, -5),
}
