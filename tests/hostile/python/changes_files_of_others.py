# As the owner of files it changes their modes, owners and times.
# Verdict: ok
import os

from attempts import a, b

ATTEMPTS = (
    lambda: os.chmod("@canary@", 0o777),
    lambda: os.chmod(os.__file__, 0o777),
    lambda: os.fchmod(os.open(os.__file__, os.O_RDONLY), 0o777),
    lambda: os.chown("@canary@", 65534, 65534),
    lambda: os.lchown("@canary@", 65534, 65534),
    lambda: os.utime("@canary@", (1, 1)),
    lambda: os.utime(os.__file__, (1, 1)),
    lambda: os.setxattr("@canary@", "user.mark", b"1"),
    lambda: os.removexattr("@canary@", "user.mark"),
)
