"""What hostile bots that write into the pipes of their answers have in common."""

import fcntl
import os
import stat


def pipes():
    """The descriptors that are pipes to write to, the standard ones aside."""
    found = []
    for descriptor in range(3, 64):
        try:
            if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_WRONLY:
                    found.append(descriptor)
        except OSError:
            pass
    return found
