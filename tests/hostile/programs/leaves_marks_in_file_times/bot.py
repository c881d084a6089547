import os
import sys

MARKS = [f"mark{number}" for number in range(4)]


def read_lately():
    """Which of its files were read since they were written."""
    return [name for name in MARKS if os.stat(name).st_atime != os.stat("bot.toml").st_atime]


sys.stdin.readline()
for line in sys.stdin:
    if read_lately():
        sys.exit(f"the last leg read {read_lately()}")
    for name in MARKS[::2]:
        open(name).read()
    if read_lately():
        sys.exit(f"this leg read {read_lately()}")
    print("ACTION 5" if '"a"' in line else "ACTION 0", flush=True)
