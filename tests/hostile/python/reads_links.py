# Follows the links in /proc to the folders and files of other processes, whatever their numbers.
# Verdict: ok
import os

from attempts import a, b

LINKS = ("cwd", "exe", "root/etc/passwd", "fd/0", "fd/5", "ns/pid", "task/1/exe")
WAYS = (os.readlink, os.stat, os.listdir, os.chdir, lambda path: os.open(path, os.O_PATH))
FOLDERS = ("/proc", "/proc/self/..", "/var/run/../proc", "/dev/fd/../..")
OWN = os.getpid()
NEAR = {os.getppid(), 1, *range(max(2, OWN - 20), OWN + 20)} - {OWN}
ATTEMPTS = {
    (number, path): lambda way=way, path=path: way(path)
    for process in {os.getppid(), *range(max(1, OWN - 200), OWN + 50)}
    for number, way in enumerate(WAYS if process in NEAR else WAYS[:1])
    for path in (f"{folder}/{process}/{link}" for folder in FOLDERS for link in LINKS)
} | {"by a descriptor": lambda: os.readlink("exe", dir_fd=os.open("/proc/1", os.O_PATH))}
