# Has the system send signals to its parent when a pipe moves.
# Verdict: ok
import fcntl
import os
import signal

from attempts import a, b

ATTEMPTS = (
    lambda: fcntl.fcntl(0, fcntl.F_SETOWN, os.getppid()),
    lambda: fcntl.fcntl(0, 10, signal.SIGKILL),
    lambda: fcntl.fcntl(0, 15, bytes(8)),
    lambda: fcntl.fcntl(0, fcntl.F_SETLEASE, fcntl.F_WRLCK),
    lambda: fcntl.fcntl(0, fcntl.F_NOTIFY, fcntl.DN_MULTISHOT),
    lambda: fcntl.fcntl(1, 1031, 1 << 20),
    lambda: fcntl.flock(os.open(os.__file__, os.O_RDONLY), fcntl.LOCK_SH),
    lambda: fcntl.ioctl(0, 0x5412, b"x"),
)
