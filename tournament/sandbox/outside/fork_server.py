"""Confined processes, forked from one that is confined already and has imported what they need.

An interpreter in a sandbox of its own takes 40 ms of processor time to start, a fork of one 4. Processes that may
read the same files have one server of forks in each worker (its loop: `engine.processes.forking`). The server never
runs bots' code; each fork gets its own limits and its own filter of system calls before its bot starts.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import marshal
import os
import queue
import signal
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from engine.processes import forking
from tournament.errors import BadInput
from tournament.sandbox.outside import confinement
from tournament.sandbox.outside.confined import Confined
from tournament.sandbox.outside.endings import Ending, Killed
from tournament.sandbox.outside.launch import LaunchSpec, Limits, Mode

# Servers without forks that this process keeps: how many, and how long.
_MOST_IDLE = 16
_IDLE_SECONDS = 30.0
# How often a server may fork. sandlock doesn't see all forks end.
_MOST_FORKS = 1 << 20
# Limits of a server; its forks lower them.
_MEGABYTES, _CPU_SECONDS = 1 << 24, 1 << 40
_PIDFD_GETFD = 438  # on every machine
_ADDR_NO_RANDOMIZE, _ASK = 0x40000, 0xFFFFFFFF  # Linux, personality.h
_MOST_TRIES = 20  # to start a server: each before was ended from outside


class _Ended(Exception):
    """The server has ended."""


def start(launch: LaunchSpec, mode: Mode) -> Confined:
    """As `confinement.start`: a process to play, or for a trial of a module.

    Raises BadInput when the machine can't confine it, Killed when its servers are ended from outside all the time.
    """
    if mode == "off":
        return confinement.start(launch, mode)
    orders = marshal.dumps(launch.told())
    for _ in range(_MOST_TRIES):
        try:
            server = _server_for(launch)
        except Killed:
            continue
        try:
            forked = server.fork()
        except BaseException as problem:  # also Ctrl-C: a conversation that broke off can't be taken up again
            _forget(server)
            if not isinstance(problem, _Ended):
                raise
            continue
        process = Confined(forked, launch.limits, *forked.ends)
        with contextlib.suppress(BrokenPipeError):  # its answers will tell why
            process.write(len(orders).to_bytes(4, "little") + orders)
        return process
    raise Killed("what starts bots' processes was ended again and again; is memory short?")


class _Server:
    """A server of forks. Its methods may be called by any thread."""

    def __init__(self, process: Confined) -> None:
        self.process = process
        self._pidfd = os.pidfd_open(process.pid)
        with contextlib.suppress(OSError):  # when memory is short, rather bots than the tournament
            Path(f"/proc/{process.pid}/oom_score_adj").write_text("1000")
        self._talk = threading.Lock()
        self.forks = 0  # that run, or are about to
        self.used = time.monotonic()

    def fork(self) -> _Forked:
        """Fork a process, which waits for what it is told. Raises _Ended, and BadInput where the system refuses."""
        with self._talk:
            pid, ends, _ = self._ask(forking.FORK)
            if pid < 0:
                raise BadInput(f"a process can't be started here: {os.strerror(-pid)}")
            with contextlib.ExitStack() as opened:  # closed again unless all of them are
                try:
                    pidfd = os.pidfd_open(pid)
                except OSError:
                    confinement.check_descriptors()
                    raise
                opened.callback(os.close, pidfd)
                own = []
                for end in ends:
                    own.append(_taken(self._pidfd, end))
                    opened.callback(os.close, own[-1])
                self._order(forking.ENDS_TAKEN)
                opened.pop_all()
        return _Forked(self, pid, pidfd, own)

    def reap(self, pid: int) -> Ending:
        """How a fork that ends has ended."""
        with _lock:
            self.forks -= 1
            self.used = time.monotonic()
        with self._talk:
            try:
                status, _, peak_bytes = self._ask(forking.REAP, pid)
                return Ending(os.waitstatus_to_exitcode(status), peak_bytes)
            except (_Ended, ValueError):
                return Ending(-signal.SIGKILL)  # it died with its server
            except BaseException:
                _forget(self)
                raise

    def end(self) -> None:
        """End it, and all its forks with it."""
        with contextlib.suppress(OSError):  # another call ended it first
            os.close(self._pidfd)
        self.process.end()

    def _ask(self, kind: int, pid: int = 0) -> tuple[int, list[int], int]:
        self._order(kind, pid)
        answer = b""
        while len(answer) < forking.REPLY_BYTES:
            chunk = self.process.read(forking.REPLY_BYTES - len(answer))
            if not chunk:
                raise _Ended
            answer += chunk
        return forking.read_reply(answer)

    def _order(self, kind: int, pid: int = 0) -> None:
        try:
            os.write(self.process.to, forking.order(kind, pid))
        except OSError:
            raise _Ended from None


@dataclass
class _Forked:
    """A fork, and our ends of its pipes. `pidfd` names it and nothing else, also when it has ended."""

    server: _Server
    pid: int
    pidfd: int
    ends: list[int]

    def end(self) -> Ending:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
        os.close(self.pidfd)
        return self.server.reap(self.pid)


def _taken(pidfd: int, descriptor: int) -> int:
    """A descriptor of another process as one of ours."""
    own = ctypes.CDLL(None, use_errno=True).syscall(_PIDFD_GETFD, pidfd, descriptor, 0)
    if own < 0:
        number = ctypes.get_errno()
        confinement.check_descriptors()
        raise BadInput(
            f"a process can't be confined here: {os.strerror(number)}"
            " (a container must allow pidfd_getfd, as with SYS_PTRACE: docs/how_to/cluster.md)"
        )
    return int(own)


_Key = tuple[object, ...]
_servers: dict[_Key, _Server] = {}  # the least recently used first
_lock = threading.Lock()
_owner = 0  # the process whose servers these are: a fork of it must have its own
_starts: queue.SimpleQueue[tuple[LaunchSpec, Future[Confined]]]


def _start_servers(starts: queue.SimpleQueue[tuple[LaunchSpec, Future[Confined]]]) -> None:
    """Start servers in a thread that never ends: confined processes die with the thread that started them.

    Meanwhile, end servers that were idle for long.
    """
    # Of this thread and of what it starts: a bot that looks at addresses finds the same ones in each process.
    library = ctypes.CDLL(None)
    library.personality(ctypes.c_ulong(library.personality(ctypes.c_ulong(_ASK)) | _ADDR_NO_RANDOMIZE))
    while True:
        try:
            spec, future = starts.get(timeout=_IDLE_SECONDS)
        except queue.Empty:
            if _lock.acquire(blocking=False):  # the thread that has it may be waiting for us
                try:
                    _end_idle(0, _IDLE_SECONDS)
                finally:
                    _lock.release()
            continue
        try:
            # Interpreters that must find themselves by a link in /proc need it.
            secluded = None if spec.reads_links else confinement.start_secluded(spec)
            future.set_result(secluded or confinement.start(spec, "on"))
        except BaseException as problem:
            future.set_exception(problem)


def _server_for(launch: LaunchSpec) -> _Server:
    """The server for processes like this one, counted as one that forks. Raises BadInput when it can't be confined."""
    global _owner, _starts
    kind: dict[str, object] = {}
    if launch.python is not None:
        kind["python"] = launch.python["sdk"]
    elif launch.module is not None:
        kind["module"] = launch.module["library"]
    # A server may read the folder that lies there now, not one that was made anew at the same path.
    places = [_place(path) for path in [*launch.readable, *([str(launch.folder)] if launch.folder else [])]]
    key = (*kind.items(), launch.folder, tuple(places), tuple(launch.modules), launch.reads_links)
    with _lock:
        if _owner != os.getpid():
            _owner, _starts = os.getpid(), queue.SimpleQueue()
            _servers.clear()
            threading.Thread(target=_start_servers, args=(_starts,), name="fork servers", daemon=True).start()
        server = _servers.pop(key, None)
        if server is None:
            _end_idle(_MOST_IDLE - 1)
            started: Future[Confined] = Future()
            spec = LaunchSpec(
                Limits(_MEGABYTES, _CPU_SECONDS, processes=_MOST_FORKS),
                forks=kind,
                folder=launch.folder,
                readable=launch.readable,
                modules=launch.modules,
                reads_links=launch.reads_links,
            )
            _starts.put((spec, started))
            server = _Server(started.result())
        _servers[key] = server
        server.forks += 1
        return server


def _place(path: str) -> tuple[str, int, int]:
    """A path, and the numbers of its file or folder."""
    try:
        there = os.stat(path)
    except OSError:
        return path, 0, 0
    return path, there.st_dev, there.st_ino


def _forget(server: _Server) -> None:
    with _lock:
        for key, other in list(_servers.items()):
            if other is server:
                del _servers[key]
    server.end()


def _end_idle(kept: int, seconds: float = 0.0) -> None:
    """End servers that had no forks for so many seconds, least recently used first, until so many are `kept`."""
    since = time.monotonic() - seconds
    idle = [key for key, server in _servers.items() if not server.forks and server.used <= since]
    for key in idle[: max(0, len(idle) - kept)]:
        _servers.pop(key).end()


@atexit.register
def end_idle() -> None:
    """End the servers that have no forks. Others start when they are needed."""
    with _lock:
        if _owner == os.getpid():
            _end_idle(0)
