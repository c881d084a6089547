# Leaves something for its next leg, its author, or everybody.
# Verdict: ok
import os
import tempfile

from attempts import a, b

ATTEMPTS = (
    lambda: open("/tmp/left_by_a_hostile_bot", "w"),
    lambda: open("/var/tmp/left_by_a_hostile_bot", "w"),
    lambda: open("/dev/shm/left_by_a_hostile_bot", "w"),
    lambda: open("/run/left_by_a_hostile_bot", "w"),
    lambda: open("./left_by_a_hostile_bot", "w"),
    lambda: open("//left_by_a_hostile_bot", "w"),
    lambda: open("@canary@", "a"),
    lambda: os.open("@canary@", os.O_RDONLY | os.O_TRUNC),
    lambda: os.truncate("@canary@", 0),
    lambda: os.open("/tmp", os.O_TMPFILE | os.O_RDWR),
    lambda: tempfile.TemporaryFile(),
    lambda: os.mkdir("/tmp/left_by_a_hostile_bot"),
    lambda: os.mkfifo("/tmp/left_by_a_hostile_bot"),
    lambda: os.mknod("/tmp/left_by_a_hostile_bot"),
    lambda: os.symlink("/etc/passwd", "/tmp/left_by_a_hostile_bot"),
    lambda: os.link("@canary@", "/tmp/left_by_a_hostile_bot"),
    lambda: os.rename("@canary@", "/tmp/left_by_a_hostile_bot"),
    lambda: os.unlink("@canary@"),
    lambda: os.remove(os.__file__),
    lambda: open(os.__file__, "a"),
    lambda: os.memfd_create("left_by_a_hostile_bot"),
)
