# Looks for what would tell it one tournament, machine, worker or leg from another, or from a check.
# Verdict: ok
import fcntl
import locale
import os
import resource
import stat
import sys

from look_once import a, b

OF_THE_MACHINE = [
    *(f"/etc/{name}" for name in "hostname hosts machine-id resolv.conf os-release".split()),
    *(f"/proc/{name}" for name in "cpuinfo loadavg mounts stat uptime".split()),
    *(f"/proc/self/{name}" for name in "cgroup mountinfo status cmdline comm".split()),
    *(f"/proc/sys/kernel/{name}" for name in "random/boot_id hostname".split()),
    *("/sys/class/net", "/sys/devices/system/cpu/online"),
]


def is_harmless(descriptor):
    """Return whether a descriptor is closed, /dev/null, or one end of a pipe."""
    try:
        found = os.fstat(descriptor)
    except OSError:
        return True
    is_known = stat.S_ISFIFO(found.st_mode) or found.st_rdev == os.stat("/dev/null").st_rdev
    return is_known and fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDWR


def look():
    for path in OF_THE_MACHINE:
        try:
            open(path).close()
        except OSError:
            continue
        raise AssertionError(path)
    assert os.getcwd() == "/"
    assert sys.argv == ["looks_where_it_is"]
    assert sys.stdin.read() == ""
    names = {name for name in os.environ if not name.endswith("_NUM_THREADS")}
    same_arithmetic = {"GLIBC_TUNABLES", "NPY_DISABLE_CPU_FEATURES", "OPENBLAS_CORETYPE"}
    assert names <= {"PYTHONHASHSEED", "LC_CTYPE"} | same_arithmetic, names
    languages = {part.partition("=")[2] or part for part in locale.setlocale(locale.LC_ALL).split(";")}
    assert languages <= {"C", "C.UTF-8"}, languages
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (64, 64)
    assert not [name for name in sys.modules if name.split(".")[0] in ("tournament", "engine")]
    assert all(map(is_harmless, range(4096)))
