# Reads, writes and changes what others wrote, and looks at other processes.
# Verdict: ok
import os
import tempfile

from attempts import a, b


def listed(folder):
    """Return what lies in a folder beside the way to what bots may read."""
    if names := [name for name in os.listdir(folder) if not "@checkout@/".startswith(f"{folder}/{name}/")]:
        return names
    raise FileNotFoundError(folder)


LEFT, PARENT = "left_by_a_hostile_bot", f"/proc/{os.getppid()}"
OF_THE_PARENT = "mem maps environ cmdline status fd/0 root/etc/passwd cwd/tournament.toml task/1/mem".split()
OF_ALL = "1/environ self/mem self/environ self/maps thread-self/mem meminfo net/unix kcore kallsyms sysvipc/shm".split()
TO_READ = (
    *(f"{PARENT}/{name}" for name in OF_THE_PARENT),
    *(f"/proc/{name}" for name in OF_ALL),
    *"@canary@ @opponent@ /etc/passwd /etc/shadow /dev/mem /dev/kmsg /dev/vda /dev/tty /sys/kernel/notes".split(),
)
ATTEMPTS = {
    **{f"read {path}": lambda path=path: open(path, "rb").read(1) for path in TO_READ},
    **{f"list {path}": lambda path=path: os.listdir(path) for path in ("/proc", f"{PARENT}/fd", "/dev/fd", "/sys")},
    **{f"list {path}": lambda path=path: listed(path) for path in ("/tmp", "/home", os.path.expanduser("~"))},
    **{f"write to {path}": lambda path=path: open(path, "a") for path in ("@canary@", os.__file__)},
    **{
        f"leave it in {folder}": lambda folder=folder: open(f"{folder}/{LEFT}", "w")
        for folder in ("/tmp", "/var/tmp", "/dev/shm", "/run", ".", "/")
    },
    "open it to no end": lambda: os.open("@canary@", os.O_RDONLY | os.O_TRUNC),
    "truncate": lambda: os.truncate("@canary@", 0),
    "a file without a name": lambda: os.open("/tmp", os.O_TMPFILE | os.O_RDWR),
    "a temporary file": tempfile.TemporaryFile,
    "mkdir": lambda: os.mkdir(f"/tmp/{LEFT}"),
    "mkfifo": lambda: os.mkfifo(f"/tmp/{LEFT}"),
    "mknod": lambda: os.mknod(f"/tmp/{LEFT}"),
    "symlink": lambda: os.symlink("/etc/passwd", f"/tmp/{LEFT}"),
    "link": lambda: os.link("@canary@", f"/tmp/{LEFT}"),
    "rename": lambda: os.rename("@canary@", f"/tmp/{LEFT}"),
    "unlink": lambda: os.unlink("@canary@"),
    "chmod": lambda: os.chmod("@canary@", 0o777),
    "fchmod": lambda: os.fchmod(os.open(os.__file__, os.O_RDONLY), 0o777),
    "chown": lambda: os.chown("@canary@", 65534, 65534),
    "lchown": lambda: os.lchown("@canary@", 65534, 65534),
    "utime": lambda: os.utime("@canary@", (1, 1)),
    "setxattr": lambda: os.setxattr("@canary@", "user.mark", b"1"),
    "removexattr": lambda: os.removexattr("@canary@", "user.mark"),
    "listxattr": lambda: os.listxattr("@canary@"),
    "chroot": lambda: os.chroot("/tmp"),
}
