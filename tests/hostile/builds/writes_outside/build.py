import os
import sys

ATTEMPTS = (
    lambda: open("/tmp/left_by_a_hostile_bot", "w"),
    lambda: open("/var/tmp/left_by_a_hostile_bot", "w"),
    lambda: open("/dev/shm/left_by_a_hostile_bot", "w"),
    lambda: open("../left_by_a_hostile_bot", "w"),
    lambda: open("@canary@", "a"),
    lambda: os.truncate("@canary@", 0),
    lambda: os.unlink("@canary@"),
    lambda: os.rename("@canary@", "mine"),
    lambda: os.link("@canary@", "mine"),
    lambda: os.chown("@canary@", 65534, 65534),
    lambda: os.setxattr("@canary@", "user.mark", b"1"),
    lambda: os.mknod("/tmp/left_by_a_hostile_bot"),
    lambda: os.memfd_create("left_by_a_hostile_bot"),
)
for number, attempt in enumerate(ATTEMPTS):
    try:
        attempt()
    except OSError:
        continue
    sys.exit(f"attempt {number} succeeded")
# These say that they did it.
os.chmod("@canary@", 0o777)
os.utime("@canary@", (1, 1))
sys.exit(6)
