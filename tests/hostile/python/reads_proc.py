"""Looks at other processes.

Verdict: ok
"""

import os

from attempts import a, b

ATTEMPTS = (
    lambda: open(f"/proc/{os.getppid()}/mem", "rb").read(1),
    lambda: open(f"/proc/{os.getppid()}/maps", "rb").read(1),
    lambda: open(f"/proc/{os.getppid()}/environ", "rb").read(1),
    lambda: open(f"/proc/{os.getppid()}/cmdline", "rb").read(1),
    lambda: open(f"/proc/{os.getppid()}/stat", "rb").read(1),
    lambda: open(f"/proc/{os.getppid()}/status", "rb").read(1),
    lambda: open(f"/proc/{os.getppid()}/fd/0", "rb").read(1),
    lambda: open(f"/proc/{os.getppid()}/root/etc/passwd", "rb").read(1),
    lambda: open(f"/proc/{os.getppid()}/cwd/tournament.toml", "rb").read(1),
    lambda: open(f"/proc/{os.getppid()}/task/1/mem", "rb").read(1),
    lambda: open("/proc/1/environ", "rb").read(1),
    lambda: open("/proc/1/cmdline", "rb").read(1),
    lambda: open("/proc/self/mem", "rb").read(1),
    lambda: open("/proc/self/environ", "rb").read(1),
    lambda: open("/proc/self/maps", "rb").read(1),
    lambda: open("/proc/self/root/etc/passwd", "rb").read(1),
    lambda: open("/proc/thread-self/mem", "rb").read(1),
    lambda: open("/proc/meminfo", "rb").read(1),
    lambda: open("/proc/net/unix", "rb").read(1),
    lambda: open("/proc/kcore", "rb").read(1),
    lambda: open("/proc/kallsyms", "rb").read(1),
    lambda: open("/proc/sysvipc/shm", "rb").read(1),
    lambda: open("/proc/sys/kernel/core_pattern", "rb").read(1),
    lambda: open("/proc/version", "rb").read(1),
    lambda: os.listdir("/proc"),
    lambda: os.listdir(f"/proc/{os.getppid()}/fd"),
    lambda: os.listdir("/proc/self/fd"),
    lambda: os.listdir("/sys"),
    lambda: open("/sys/kernel/notes", "rb"),
)
