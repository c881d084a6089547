# Follows the links in /proc to the folders and files of other processes, whatever their numbers.
# Verdict: ok
import os

from look_once import a, b

LINKS = ("cwd", "exe", "root", "root/etc/passwd", "fd/0", "fd/1", "fd/5", "ns/pid", "task/1/exe")
WAYS = (os.readlink, os.stat, os.listdir, os.chdir, lambda path: os.open(path, os.O_PATH))


def follow(way, path, **more):
    try:
        found = way(path, **more)
    except OSError:
        return
    raise AssertionError(f"{path} is {found}")


def look():
    own = os.getpid()
    near = {os.getppid(), 1, *range(max(2, own - 20), own + 20)} - {own}
    for process in {os.getppid(), *range(max(1, own - 200), own + 50)}:
        for folder in ("/proc", "/proc/self/..", "/var/run/../proc", "/dev/fd/../.."):
            for link in LINKS:
                for way in WAYS if process in near else WAYS[:1]:
                    follow(way, f"{folder}/{process}/{link}")
    try:
        first = os.open("/proc/1", os.O_PATH)
    except OSError:
        return
    follow(os.readlink, "exe", dir_fd=first)
