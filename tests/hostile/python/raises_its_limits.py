"""Gives itself more than it gets.

Verdict: ok
"""

import os
import resource

from attempts import a, b

ATTEMPTS = (
    lambda: resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)),
    lambda: resource.setrlimit(resource.RLIMIT_DATA, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)),
    lambda: resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)),
    lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)),
    lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)),
    lambda: resource.setrlimit(resource.RLIMIT_STACK, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)),
    lambda: resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)),
    lambda: resource.setrlimit(resource.RLIMIT_MEMLOCK, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)),
    lambda: resource.prlimit(0, resource.RLIMIT_CPU, (1, 1)),
    lambda: os.nice(-5),
    lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50)),
    lambda: os.sched_setaffinity(0, {0}),
    lambda: os.setpriority(os.PRIO_PROCESS, 0, -5),
)
