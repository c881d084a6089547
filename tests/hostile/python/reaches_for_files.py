# Reads what others wrote.
# Verdict: ok
import os

from attempts import a, b


def listed(folder):
    """Return what lies in a folder beside the way to what bots may read."""
    if names := [name for name in os.listdir(folder) if not "@checkout@/".startswith(f"{folder}/{name}/")]:
        return names
    raise FileNotFoundError(folder)


ATTEMPTS = (
    lambda: open("@canary@").read(),
    lambda: open("@opponent@").read(),
    lambda: open("/etc/passwd").read(),
    lambda: open("/etc/shadow").read(),
    lambda: listed("/tmp"),
    lambda: os.listdir("/proc"),
    lambda: os.listdir(os.path.expanduser("~")),
    lambda: listed("/home"),
    lambda: os.open("@canary@", os.O_RDONLY | os.O_NOFOLLOW),
    lambda: os.open("/var", os.O_RDONLY | os.O_DIRECTORY),
    lambda: open("/dev/mem", "rb"),
    lambda: open("/dev/kmsg"),
    lambda: open("/dev/vda", "rb"),
    lambda: open("/dev/tty"),
    lambda: os.getxattr("@canary@", "user.mark"),
    lambda: os.listxattr("@canary@"),
    lambda: os.chroot("/tmp"),
)
