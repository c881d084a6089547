# Looks at other processes.
# Verdict: ok
import os

from attempts import a, b

PARENT = f"/proc/{os.getppid()}"
OF_THE_PARENT = "mem maps environ cmdline stat status fd/0 root/etc/passwd cwd/tournament.toml task/1/mem".split()
OF_ALL = (
    "1/environ 1/cmdline self/mem self/environ self/maps self/root/etc/passwd thread-self/mem meminfo net/unix kcore"
    " kallsyms sysvipc/shm sys/kernel/core_pattern version"
)
FILES = [*(f"{PARENT}/{name}" for name in OF_THE_PARENT), *(f"/proc/{name}" for name in OF_ALL.split())]
ATTEMPTS = {
    **{path: lambda path=path: open(path, "rb").read(1) for path in [*FILES, "/sys/kernel/notes"]},
    **{path: lambda path=path: os.listdir(path) for path in ("/proc", f"{PARENT}/fd", "/proc/self/fd", "/sys")},
}
