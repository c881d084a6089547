"""Common code of hostile bots that write into the pipes of their answers."""

import fcntl
import os
import stat


def pipes():
    """Return the descriptors that are pipes to write to, without the standard ones."""
    found = []
    for descriptor in range(3, 64):
        try:
            if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY:
                    found.append(descriptor)
        except OSError:
            pass
    return found
