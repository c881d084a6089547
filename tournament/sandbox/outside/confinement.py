"""Starts confined processes.

There are four layers, each enough against most attacks. They are a Landlock domain (files, and what can be traced),
resource limits, no capabilities, and a filter of system calls (`inside.seccomp`). A process puts itself under all of
them before it runs a bot's first instruction.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import socket
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from tournament.errors import InputError
from tournament.sandbox.inside.bootstrap import NO_CONFINEMENT
from tournament.sandbox.outside import readable_paths
from tournament.sandbox.outside.confined import Confined
from tournament.sandbox.outside.exit_status import Ending, how_it_ended
from tournament.sandbox.outside.launch import MAX_THREADS, Build, LaunchSpec, Mode
from tournament.sandbox.outside.process_time import MachineBusyError
from tournament.sandbox.outside.tier import MEND, version_here

# The first program of a confined process. It can't list folders, so it receives the paths of its modules.
_BOOTSTRAP = """
import sys, importlib.machinery as machinery
files = FILES
class Finder:
    def find_spec(name, path=None, target=None):
        if name in files:
            kind = machinery.SourceFileLoader if files[name].endswith(".py") else machinery.ExtensionFileLoader
            spec = machinery.ModuleSpec(name, kind(name, files[name]), origin=files[name])
            spec.has_location = True
            return spec
        if any(known.startswith(name + ".") for known in files):
            return machinery.ModuleSpec(name, None, is_package=True)
sys.meta_path.insert(0, Finder)
from tournament.sandbox.inside.bootstrap import main
main(LAUNCH)
"""

# Sets of strings must have one order everywhere, and sines and powers one value. So the C library must not use fused
# multiply-add, which not all processors have.
_ENVIRONMENT = {"PYTHONHASHSEED": "0", "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-FMA4"}


def start(launch: LaunchSpec, mode: Mode) -> Confined:
    """Start a build under its limits, or any process with mode "off". Other processes are forked (`fork_server`).

    The caller must call the process's `end`. A process that can't be confined exits with NOT_CONFINED.

    Args:
        launch: Its description.
        mode: Whether it is confined.

    Raises:
        InputError: There is no Landlock.
        OSError: It can't be started, for example because this process has too many open files. Its folder is missing.
        ImportError: A module that it needs can't be imported here.
    """
    files = readable_paths.module_files(launch)
    orders = launch.to_orders(landlock=version_here() if mode == "on" else None) | {"starter": os.getpid()}
    if isinstance(launch.what, Build):
        orders["readable"] = readable_paths.paths(launch, files)
        orders["most_threads"] = MAX_THREADS + 1  # one more, so that BuildWatch sees the excess
    with contextlib.ExitStack() as kept, contextlib.ExitStack() as closed:
        ours, theirs = pipes(kept, closed)
        process = Confined(_start(launch, _arguments(files, orders), theirs), launch.limits, *ours)
        kept.pop_all()
        return process


def pipes(kept: contextlib.ExitStack, closed: contextlib.ExitStack) -> tuple[list[int], list[int]]:
    """Return our ends and a process's ends of pipes for input, output and standard error, in this order.

    Args:
        kept: Closes our ends.
        closed: Closes the process's ends.

    Raises:
        OSError: This process has too many open files. The stacks then close the pipes that were made.
    """
    ours: list[int] = []
    theirs: list[int] = []
    for stream in range(3):
        reading, writing = os.pipe()
        for end, ends, stack in zip((reading, writing)[:: 1 if stream else -1], (ours, theirs), (kept, closed)):
            ends.append(end)
            stack.callback(os.close, end)
    return ours, theirs


def start_server(launch: LaunchSpec) -> Confined:
    """Start a process that forks others, in a domain of its own, and wait until it is ready.

    Input and output are the same socket, which keeps messages apart. The process ends with the thread that started it.

    Args:
        launch: Its description, of a ForkServer.

    Raises:
        InputError: It can't be confined, or ended by itself before it was ready.
        MachineBusyError: A signal ended it.
        OSError: It can't be started.
        ImportError: A module that it needs can't be imported here.
    """
    files = readable_paths.module_files(launch)
    orders = launch.to_orders(landlock=version_here()) | {"starter": os.getpid()}
    orders |= {"readable": readable_paths.paths(launch, files), "listed": readable_paths.listed(launch)}
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    errors, their_errors = os.pipe()
    with ours, theirs:
        try:
            running = _start(launch, _arguments(files, orders), (theirs.fileno(), theirs.fileno(), their_errors))
        except BaseException:
            os.close(errors)
            raise
        finally:
            os.close(their_errors)
        process = Confined(running, launch.limits, os.dup(ours.fileno()), ours.detach(), errors)
    theirs.close()
    if process.read(1):
        return process
    complaint = os.read(process.errors, 4096).decode(errors="replace").strip().splitlines()
    status = process.ended_by_itself()
    process.end()
    if status is not None and status < 0:
        raise MachineBusyError(f"what starts bots' processes {how_it_ended(status)}")
    why = complaint[-1].removeprefix(NO_CONFINEMENT) if complaint else "it was ended"
    raise InputError(f"a process can't be confined here: {why}; {MEND}")


def _arguments(files: dict[str, str], options: dict[str, Any]) -> list[str]:
    """Return the command of an interpreter that imports from these files and follows these orders."""
    program = _BOOTSTRAP.replace("FILES", repr(files)).replace("LAUNCH", repr(options))
    return [readable_paths.interpreter(), "-s", "-S", "-P", "-B", "-X", "utf8", "-c", program]


def _start(launch: LaunchSpec, arguments: list[str], streams: Sequence[int]) -> _Running:
    """Start a command as the leader of a session of its own. Its working folder is "/" if the launch has none.

    It also raises this process's limit of open files.

    Args:
        launch: The process, of which only the folder counts.
        arguments: The command's words.
        streams: Descriptors of its input, output and standard error.

    Raises:
        OSError: It can't be started.
    """
    raise_descriptor_limit()
    stdin, stdout, stderr = streams
    cwd = launch.folder or "/"
    return _Running(
        subprocess.Popen(
            arguments, env=_ENVIRONMENT, cwd=cwd, stdin=stdin, stdout=stdout, stderr=stderr, start_new_session=True
        )
    )


@dataclass
class _Running:
    """A process that this one started, as the leader of its session."""

    process: subprocess.Popen[bytes]

    @property
    def pid(self) -> int:
        """Process ID."""
        return self.process.pid

    def end(self) -> Ending:
        """Kill the process with its session, wait for it, and return how it ended, without the peak of its memory."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        return Ending(self.process.wait())


def most_descriptors() -> int:
    """Return how many files this process can have open once it has raised its limit, at most 65,536.

    Where the system sets no limit, it is 65,536.
    """
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return 65536 if hard == resource.RLIM_INFINITY else min(hard, 65536)


@cache
def raise_descriptor_limit() -> None:
    """Raise the limit of open files, because each confined process takes about ten descriptors of this one.

    This happens once in a process. A higher limit stays. The new limit is that of `most_descriptors`.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = most_descriptors()
    if soft != resource.RLIM_INFINITY and soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
