"""Forks confined processes from servers that are confined already and have imported what the processes need.

An interpreter in a sandbox of its own takes 40 ms of processor time to start, a fork takes 4. In each worker, processes
that can read the same files have one server (its loop: `engine.processes.forking`). The server never runs bots' code.
Each fork gets its own limits and its own filter of system calls before its bot starts.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import errno
import marshal
import os
import queue
import signal
import socket
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from engine.processes import forking
from tournament.sandbox.outside import confinement
from tournament.sandbox.outside.confined import Confined
from tournament.sandbox.outside.exit_status import Ending
from tournament.sandbox.outside.launch import (
    ForkServer,
    LaunchSpec,
    Mode,
    ModuleTrial,
    ProcessLimits,
    Program,
    PythonBot,
    What,
)
from tournament.sandbox.outside.process_time import MachineBusyError
from tournament.sandbox.outside.tier import version_here

# Maximum number of servers without forks, and how long they are kept.
_MAX_IDLE = 16
_IDLE_SECONDS = 30.0
# Limits of a server. Its forks lower them.
_MEGABYTES, _CPU_SECONDS = 1 << 24, 1 << 40
_ADDR_NO_RANDOMIZE, _ASK = 0x40000, 0xFFFFFFFF  # Linux, personality.h
# Attempts to start a process. An attempt fails if its server was ended from outside, or the system refused a fork.
_MAX_ATTEMPTS = 20
_PAUSE_SECONDS = 0.05  # pause after a refused fork


class _Ended(Exception):
    """Raised when the server has ended."""


class _Refused(Exception):
    """Raised when the system refused a fork. The server still runs."""


def start(launch: LaunchSpec, mode: Mode) -> Confined:
    """Start a process of any kind except a build, confined unless the mode is "off". The caller must call its `end`.

    The first such process of a kind takes longer, because its server starts. The first messages are written before this
    returns.

    Args:
        launch: Its description.
        mode: Whether it is confined.

    Raises:
        InputError: The machine can't confine it.
        MachineBusyError: Its servers are ended from outside again and again, or the system refuses to start a process.
            It is raised after twenty attempts.
        OSError: This process has too many open files, or a folder is missing. Or the system refuses to start a server
            or, with the mode "off", the process.
        ImportError: A module that it needs can't be imported here.
    """
    payload = b"".join(len(part).to_bytes(4, "little") + part for part in launch.given)
    if mode == "off":
        return _having_read(payload, confinement.start(launch, mode))
    orders = marshal.dumps(launch.to_orders(landlock=version_here()))
    why = "what starts bots' processes was ended again and again; is memory short?"
    for _ in range(_MAX_ATTEMPTS):
        try:
            server = _server_for(launch)
        except MachineBusyError:
            continue
        try:
            forked = server.fork()
        except _Refused as refused:  # other processes may have used up a limit
            server.release()
            why = f"a process can't be started here: {refused}; is a limit of processes or of memory too low?"
            time.sleep(_PAUSE_SECONDS)
            continue
        except BaseException as problem:  # Ctrl-C, too: an interrupted conversation can't continue
            _forget(server)
            if not isinstance(problem, _Ended):
                raise
            continue
        process = Confined(forked, launch.limits, *forked.ends)
        return _having_read(len(orders).to_bytes(4, "little") + orders + payload, process)
    raise MachineBusyError(why)


def _having_read(content: bytes, process: Confined) -> Confined:
    """Return a process after writing its first messages to it. Its end before that raises nothing."""
    with contextlib.suppress(BrokenPipeError):  # the process's end gives the reason
        process.write(content)
    return process


class _Server:
    """A server of forks. Any thread can call its methods.

    Attributes:
        process: The server's process.
        forks: Number of forks that run or are about to run. The module's lock guards it.
        used: Time of the last release, or of the start, in seconds of the monotonic clock.
    """

    def __init__(self, process: Confined) -> None:
        self.process = process
        self._orders = socket.socket(fileno=os.dup(process.to))
        # When memory is short, the system should end bots before the tournament.
        with contextlib.suppress(OSError):
            Path(f"/proc/{process.pid}/oom_score_adj").write_text("1000")
        self._talk = threading.Lock()
        self.forks = 0
        self.used = time.monotonic()

    def fork(self) -> _Forked:
        """Fork a process, which waits for its orders.

        Raises:
            _Ended: The server has ended.
            _Refused: The system refuses the fork.
            OSError: This process has too many open files.
        """
        with self._talk, contextlib.ExitStack() as kept, contextlib.ExitStack() as closed:
            ours, theirs = confinement.pipes(kept, closed)
            pid, _ = self._ask(forking.FORK, streams=theirs)
            if pid < 0:
                raise _Refused(os.strerror(-pid))
            forked = _Forked(self, pid, os.pidfd_open(pid), ours)
            kept.pop_all()
            return forked

    def reap(self, pid: int) -> Ending:
        """Return how a fork ended, after waiting for its end, and release it. If its server has ended, it was killed.

        Args:
            pid: The fork's process ID.

        Raises:
            OSError: The order can't be sent. Then the server is ended, with all its forks.
        """
        try:
            with self._talk:
                try:
                    status, peak_bytes = self._ask(forking.REAP, pid)
                    return Ending(os.waitstatus_to_exitcode(status), peak_bytes)
                except (_Ended, ValueError):
                    return Ending(-signal.SIGKILL)  # the fork ended with its server
                except BaseException:
                    _forget(self)
                    raise
        finally:  # any thread can end a server without forks
            self.release()

    def release(self) -> None:
        """Record that one fork fewer is running or about to run, and the time."""
        with _lock:
            self.forks -= 1
            self.used = time.monotonic()

    def end(self) -> None:
        """End the server, and all its forks with it. A fork's own pipes stay open until its `end`."""
        self._orders.close()
        self.process.end()

    def _ask(self, kind: int, pid: int = 0, streams: Sequence[int] = ()) -> tuple[int, int]:
        """Send an order, and return both numbers of the reply. The caller holds the lock of the conversation.

        For a new fork the first number is its process ID, or minus an error number. For a fork to be reaped they are
        its wait status and the peak of its memory in bytes.

        Args:
            kind: FORK or REAP.
            pid: Process ID of the fork to reap.
            streams: Descriptors of a new fork's input, output and standard error.

        Raises:
            _Ended: The server has ended.
            OSError: The order can't be sent for another reason.
        """
        try:
            socket.send_fds(self._orders, [forking.order(kind, pid)], streams)
        except OSError as problem:
            if isinstance(problem, ConnectionError) or problem.errno == errno.EBADF:
                raise _Ended from None
            raise
        if not (reply := self.process.read(forking.REPLY_BYTES)):
            raise _Ended
        return forking.read_reply(reply)


@dataclass
class _Forked:
    """A forked process, and our ends of its pipes.

    Attributes:
        server: The server that forked it.
        pid: Its process ID.
        pidfd: Descriptor that names this process, also after its end. `end` closes it.
        ends: Descriptors of input, output and standard error, in this order.
    """

    server: _Server
    pid: int
    pidfd: int
    ends: list[int]

    def end(self) -> Ending:
        """Kill the process, wait for it, and return how it ended. Call it once.

        Raises:
            OSError: Its server can't be asked. Then the server is ended, with all its forks.
        """
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
        os.close(self.pidfd)
        return self.server.reap(self.pid)


_Key = tuple[object, ...]
_Starts = queue.SimpleQueue[tuple[LaunchSpec, Future[Confined]]]
_servers: dict[_Key, _Server] = {}  # least recently used first
_lock = threading.Lock()
_owner = 0  # process ID of the servers' owner; a fork of it needs its own servers
_starts: _Starts
_starter: threading.Thread


def _start_servers(starts: _Starts) -> None:
    """Start servers in a thread of their own, because confined processes end with the thread that started them.

    The thread also ends servers that have had no forks for 30 seconds. Only an error at such an end can end the thread.

    Args:
        starts: Descriptions of servers, each with the future that gets the process or the exception.
    """
    # Bots find the same addresses in each process that this thread starts.
    library = ctypes.CDLL(None)
    library.personality(ctypes.c_ulong(library.personality(ctypes.c_ulong(_ASK)) | _ADDR_NO_RANDOMIZE))
    while True:
        try:
            spec, future = starts.get(timeout=_IDLE_SECONDS)
        except queue.Empty:
            if _lock.acquire(blocking=False):  # the holder may be waiting for this thread
                try:
                    _end_idle(0, _IDLE_SECONDS)
                finally:
                    _lock.release()
            continue
        try:
            future.set_result(confinement.start_server(spec))
        except BaseException as problem:
            future.set_exception(problem)


def _server_for(launch: LaunchSpec) -> _Server:
    """Return the server for processes like this one, started if there is none, and count one more fork.

    The caller must call `release` if it doesn't fork. At most 15 servers without forks stay beside a new one.

    Raises:
        InputError: The server can't be confined.
        MachineBusyError: A signal ended it.
        OSError: It can't be started.
        ImportError: A module that it needs can't be imported here.
    """
    global _owner, _starts, _starter
    kind = _server_kind(launch.what)
    # A server can read the present folder, not one that was made again at the same path.
    files = [_file_identity(path) for path in [*launch.readable, *([str(launch.folder)] if launch.folder else [])]]
    key = (kind, launch.folder, tuple(files), tuple(launch.modules))
    with _lock:
        if _owner != os.getpid() or not _starter.is_alive():  # an error at the end of an idle server ends the thread
            starts: _Starts = queue.SimpleQueue()
            starter = threading.Thread(target=_start_servers, args=(starts,), name="fork servers", daemon=True)
            starter.start()
            _owner, _starts, _starter = os.getpid(), starts, starter  # last, so that callers try again after a failure
            _servers.clear()
        server = _servers.pop(key, None)
        if server is None:
            _end_idle(_MAX_IDLE - 1)
            started: Future[Confined] = Future()
            limits = ProcessLimits(_MEGABYTES, _CPU_SECONDS)
            spec = LaunchSpec(kind, limits, launch.folder, launch.readable, launch.modules)
            _starts.put((spec, started))
            server = _Server(started.result())
        _servers[key] = server
        server.forks += 1
        return server


def _server_kind(bot: What) -> ForkServer:
    """Return the kind of server that forks processes like this one. A program's has the real path of its command."""
    if isinstance(bot, PythonBot):
        orders = bot.orders
        if not orders["imported"]:
            return ForkServer("python", orders["sdk"])
        modules = tuple((name, file, tuple(folders)) for name, (file, folders) in sorted(orders["modules"].items()))
        environment = tuple(sorted(orders["environment"].items()))
        return ForkServer("python", orders["sdk"], tuple(orders["imported"]), modules, environment)
    if isinstance(bot, ModuleTrial):
        return ForkServer("module", bot.library)
    return ForkServer("program", os.path.realpath(bot.command[0]) if isinstance(bot, Program) else None)


def _file_identity(path: str) -> tuple[str, int, int]:
    """Return a path with the device and inode of its file, zeros if it is missing or can't be reached."""
    try:
        status = os.stat(path)
    except OSError:
        return path, 0, 0
    return path, status.st_dev, status.st_ino


def _forget(server: _Server) -> None:
    """End a server with all its forks, so that no further process is forked from it."""
    with _lock:
        for key, other in list(_servers.items()):
            if other is server:
                del _servers[key]
    server.end()


def _end_idle(max_servers: int, seconds: float = 0.0) -> None:
    """End servers that have no forks, the least recently used first. The caller holds the lock.

    Args:
        max_servers: Number of such servers that continue.
        seconds: Time without forks after which a server can be ended.
    """
    since = time.monotonic() - seconds
    idle = [key for key, server in _servers.items() if not server.forks and server.used <= since]
    for key in idle[: max(0, len(idle) - max_servers)]:
        _servers.pop(key).end()


@atexit.register
def end_idle() -> None:
    """End this process's servers that have no forks. New ones start when they are needed.

    In a fork of their owner, this does nothing.
    """
    with _lock:
        if _owner == os.getpid():
            _end_idle(0)
