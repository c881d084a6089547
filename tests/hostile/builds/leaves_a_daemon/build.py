import os
import signal
import time

os.closerange(0, 3)
if os.fork() == 0:
    for attempt in (os.setsid, lambda: os.setpgid(0, 0)):
        try:
            attempt()
        except OSError:
            pass
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    if os.fork() == 0:
        while True:
            time.sleep(0.01)
            with open("left_by_a_hostile_bot", "w") as file:
                file.write("still here")
os._exit(0)
