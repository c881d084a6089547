# Uses what it inherited: only pipes may be open, and no writing end of one that it reads.
# Verdict: ok
import fcntl
import os
import stat

from look_once import a, b


def look():
    for descriptor in range(4096):
        try:
            mode = os.fstat(descriptor).st_mode
        except OSError:
            continue
        if not stat.S_ISFIFO(mode) and os.fstat(descriptor).st_rdev != os.stat("/dev/null").st_rdev:
            raise AssertionError(f"descriptor {descriptor} is of mode {mode:o}")
        if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDWR:
            raise AssertionError(f"descriptor {descriptor} is both ends")
