# Gives itself more than it gets.
# Verdict: ok
import os
import resource

from attempts import a, b

WITHOUT_END = (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
LIMITS = [f"RLIMIT_{name}" for name in "CPU DATA AS NOFILE FSIZE STACK CORE MEMLOCK".split()]
ATTEMPTS = {
    **{name: lambda name=name: resource.setrlimit(getattr(resource, name), WITHOUT_END) for name in LIMITS},
    "prlimit": lambda: resource.prlimit(0, resource.RLIMIT_CPU, (1, 1)),
    "nice": lambda: os.nice(-5),
    "sched_setscheduler": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50)),
    "sched_setaffinity": lambda: os.sched_setaffinity(0, {0}),
    "setpriority": lambda: os.setpriority(os.PRIO_PROCESS, 0, -5),
}
