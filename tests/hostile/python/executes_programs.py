# Becomes another program.
# Verdict: ok
import os
import sys

from attempts import a, b

ATTEMPTS = (
    lambda: os.execv("/bin/sh", ["sh", "-c", "exit 0"]),
    lambda: os.execv(sys.executable, [sys.executable, "-c", "pass"]),
    lambda: os.execve(os.open(os.__file__, os.O_RDONLY), ["x"], {}),
    lambda: os.execv("/lib64/ld-linux-x86-64.so.2", ["ld", "/bin/sh"]),
)
