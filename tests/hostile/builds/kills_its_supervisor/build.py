import os
import signal
import sys
import time

supervisor = os.getppid()
if os.fork() == 0:
    time.sleep(1000)
done = []
for target in (supervisor, 0, -1, -supervisor, -os.getpgid(0)):
    for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM):
        try:
            os.kill(target, number)
            done.append((target, number))
        except OSError:
            pass
sys.exit(f"killed {done}" if done else 5)
