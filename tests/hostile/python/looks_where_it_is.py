"""Looks for what would tell it one tournament, machine, worker or leg from another, or from a check.

Verdict: ok
"""

import locale
import os
import resource
import sys

from look_once import a, b

OF_THE_MACHINE = (
    "/etc/hostname",
    "/etc/hosts",
    "/etc/machine-id",
    "/etc/resolv.conf",
    "/etc/os-release",
    "/proc/cpuinfo",
    "/proc/loadavg",
    "/proc/mounts",
    "/proc/self/cgroup",
    "/proc/self/mountinfo",
    "/proc/stat",
    "/proc/uptime",
    "/proc/self/status",
    "/proc/self/cmdline",
    "/proc/self/comm",
    "/proc/sys/kernel/random/boot_id",
    "/proc/sys/kernel/hostname",
    "/sys/class/net",
    "/sys/devices/system/cpu/online",
)


def can_be_read(path):
    try:
        open(path).close()
    except OSError:
        return False
    return True


def look():
    for path in OF_THE_MACHINE:
        assert not can_be_read(path), path
    assert os.getcwd() == "/"
    assert sys.argv == ["looks_where_it_is"]
    assert sys.stdin.read() == ""
    names = {name for name in os.environ if not name.endswith("_NUM_THREADS")}
    same_arithmetic = {"GLIBC_TUNABLES", "NPY_DISABLE_CPU_FEATURES", "OPENBLAS_CORETYPE"}
    assert names <= {"PYTHONHASHSEED", "LC_CTYPE"} | same_arithmetic, names
    assert locale.setlocale(locale.LC_ALL) in (
        "C",
        "C.UTF-8",
        "LC_CTYPE=C.UTF-8;LC_NUMERIC=C;LC_TIME=C;LC_COLLATE=C;"
        "LC_MONETARY=C;LC_MESSAGES=C;LC_PAPER=C;LC_NAME=C;LC_ADDRESS=C;"
        "LC_TELEPHONE=C;LC_MEASUREMENT=C;LC_IDENTIFICATION=C",
    )
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (64, 64)
    assert not [name for name in sys.modules if name.split(".")[0] in ("tournament", "engine")]
