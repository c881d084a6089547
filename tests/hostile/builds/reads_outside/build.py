import os
import sys

PATHS = ("@canary@", "@opponent@", "/etc/passwd", "/etc/shadow", "/proc/1/environ", f"/proc/{os.getppid()}/environ")
for path in PATHS:
    try:
        content = open(path).read()
    except OSError:
        continue
    sys.exit(f"{path}: {content}")
sys.exit(6)
