# Kills, stops, traces and writes into the process that it plays for.
# Verdict: ok
import ctypes
import os
import signal

from attempts import a, b
from by_number import buffer, call

PARENT, ITSELF = os.getppid(), os.getpid()
ATTEMPTS = {
    "kill": lambda: os.kill(PARENT, signal.SIGKILL),
    "stop": lambda: os.kill(PARENT, signal.SIGSTOP),
    "signal 0": lambda: os.kill(PARENT, 0),
    "kill all": lambda: os.kill(-1, signal.SIGKILL),
    "kill the group": lambda: os.kill(0, signal.SIGUSR1),
    "kill its group": lambda: os.killpg(os.getpgid(PARENT), signal.SIGKILL),
    "tkill": lambda: call(200, PARENT, 9),
    "tgkill": lambda: call(234, PARENT, PARENT, 9),
    "rt_sigqueueinfo": lambda: call(129, PARENT, 9, ctypes.addressof(buffer)),
    "rt_tgsigqueueinfo": lambda: call(297, PARENT, PARENT, 9, ctypes.addressof(buffer)),
    "pidfd_open": lambda: call(434, PARENT, 0),
    "pidfd_send_signal": lambda: call(424, 0, 9, 0, 0),
    "pidfd_getfd": lambda: call(438, 0, 1, 0),
    "ptrace attach": lambda: call(101, 16, PARENT, 0, 0),
    "ptrace seize": lambda: call(101, 0x4206, PARENT, 0, 0),
    "ptrace me": lambda: call(101, 0, 0, 0, 0),
    "process_vm_readv": lambda: call(310, PARENT, ctypes.addressof(buffer), 1, ctypes.addressof(buffer), 1, 0),
    "process_vm_writev": lambda: call(311, PARENT, ctypes.addressof(buffer), 1, ctypes.addressof(buffer), 1, 0),
    "kcmp": lambda: call(312, ITSELF, PARENT, 0, 0, 0),
    "setpriority": lambda: os.setpriority(os.PRIO_PROCESS, PARENT, 19),
    "sched_setaffinity": lambda: os.sched_setaffinity(PARENT, {0}),
    "sched_setscheduler": lambda: os.sched_setscheduler(PARENT, os.SCHED_IDLE, os.sched_param(0)),
    "prlimit": lambda: call(302, PARENT, 7, ctypes.addressof(buffer), 0),
    "move_pages": lambda: call(279, PARENT, 0, 0, 0, 0, 0),
    "get_robust_list": lambda: call(274, PARENT, ctypes.addressof(buffer), ctypes.addressof(buffer)),
}
