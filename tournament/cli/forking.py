"""A process that forks commands, because their imports take longer than most of them run.

The server of an open contest starts it, with a socket as standard input, and asks it for each trial. It ends with the
server, and its forks end with it.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import signal
import socket
import sys
from collections.abc import Mapping
from typing import Any

from tournament.cli import commands
from tournament.sandbox.inside.libc import end_with

_MAX_BYTES = 1 << 20  # size of a request
# Modules that the commands import, some of them only when they need them.
_LOADED = (
    "tournament.cli.trial", "tournament.cli.match", "tournament.cli.audit", "tournament.runner.prepare",
    "tournament.runner.executors.local", "tournament.worker.processes.lanes", "tournament.rules.contests",
)  # fmt: skip


def serve() -> None:
    """Fork a command for each request, until the other end of the socket is closed.

    A request is JSON of at most 1 MiB, with three descriptors: a pipe, and the files for output and errors. A fork
    writes its process number as a line into the pipe, and its exit status at its end. Standard input must be the
    socket. SIGINT is ignored.

    Raises:
        OSError: The socket fails, or no process can be started.
    """
    for name in _LOADED:
        importlib.import_module(name)
    gc.freeze()
    asks = socket.socket(fileno=os.dup(0))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # No one waits for forks.
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The server ends its trials.
    while True:
        request, ends, _, _ = socket.recv_fds(asks, _MAX_BYTES, 3, socket.MSG_CMSG_CLOEXEC)
        if not request:
            return
        own = os.getpid()
        if os.fork() == 0:
            end_with(own)
            asks.close()
            _run(json.loads(request), *ends)
        for end in ends:
            os.close(end)


def _run(request: Mapping[str, Any], pipe: int, output: int, complaint: int) -> None:
    """Run a command as `tournament` does, and end this process. It never returns.

    Args:
        request: The command's `words` after the program's name, its `environment` and current `folder`, and by how much
            to raise its `nice` value.
        pipe: Descriptor that receives the process number, then the exit status, a line each.
        output: Descriptor of standard output.
        complaint: Descriptor of standard error.
    """
    status = 1
    try:
        os.write(pipe, b"%d\n" % os.getpid())
        for number, end in enumerate((os.open(os.devnull, os.O_RDONLY), output, complaint)):
            os.dup2(end, number)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.setsid()
        os.nice(request["nice"])
        os.environ.clear()
        os.environ.update(request["environment"])
        os.chdir(request["folder"])
        sys.argv = ["tournament", *request["words"]]
        try:
            commands.main()
            status = 0
        except SystemExit as ending:
            status = ending.code if isinstance(ending.code, int) else 1
        atexit._run_exitfuncs()
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(pipe, b"%d\n" % status)
        os._exit(status)


if __name__ == "__main__":
    serve()
