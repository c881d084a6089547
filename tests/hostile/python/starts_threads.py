# Plays with more hands than one.
# Verdict: ok
import _thread
import concurrent.futures
import multiprocessing
import threading
import time

from attempts import a, b

ATTEMPTS = (
    lambda: _thread.start_new_thread(time.sleep, (1000,)),
    lambda: threading.Thread(target=time.sleep, args=(1000,)).start(),
    lambda: concurrent.futures.ThreadPoolExecutor(2).submit(time.sleep, 1000),
    lambda: multiprocessing.Process(target=time.sleep, args=(1000,)).start(),
    lambda: multiprocessing.get_context("spawn").Process(target=time.sleep, args=(1000,)).start(),
)
