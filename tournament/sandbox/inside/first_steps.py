"""What a confined process does first: limits, capabilities, system calls; then it becomes the bot.

Runs inside the sandbox with the standard library alone, and imports little of
it: programs start once a leg. `confinement.start` gives it its orders.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import sys

from tournament.sandbox.inside import landlock, system_calls
from tournament.sandbox.inside.c_library import call

# Typing, and signal with its enumerations, take longer to import than all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable
    from typing import Any
else:
    import _signal as signal

# How a process that can't be confined ends, its reason on standard error.
NOT_CONFINED = 119


def main(launch: dict[str, Any]) -> None:
    """Confine this process as it is told, then turn into the command or the Python bot."""
    if launch["purpose"] != "build":
        _ignore_signals()
    if "forks" in launch:
        launch = _forked(launch["forks"])
    if launch["purpose"] == "build":
        _fork_under_supervision(launch["limits"]["CPU"])
    for name, value in launch["limits"].items():
        number = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(number)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        # A second more of processor time, so that the signal for the first limit can arrive.
        resource.setrlimit(number, (value, value + 1 if name == "CPU" and hard != value else value))
    if "probe" in launch:
        _confine(launch, 0)
        print(" ".join(_possible(launch["probe"])), flush=True)
        return
    if "module" in launch:
        from tournament.sandbox.inside import module_compiler

        module_compiler.main(launch["module"], lambda: _confine(launch, 0))
        return
    if "python" in launch:
        from tournament.sandbox.inside import python_host

        python_host.prepare(launch["python"])
        _confine(launch, 0)
        python_host.serve()
        return
    command = launch["command"]
    path, address = _hidden(command[0])
    arguments = (ctypes.c_char_p * (len(command) + 1))(*[os.fsencode(word) for word in command], None)
    environment = [os.fsencode(f"{name}={value}") for name, value in launch["environment"].items()]
    variables = (ctypes.c_char_p * (len(environment) + 1))(*environment, None)
    _confine(launch, address)
    if launch["purpose"] == "build":
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for earlier in launch["before"]:
        if status := os.spawnve(os.P_WAIT, earlier[0], earlier, launch["environment"]):
            os._exit(status & 0xFF)  # a signal's number counts down from 256, as for the command itself
    library = ctypes.CDLL(None, use_errno=True)
    library.execve(path, arguments, variables)
    print(f"{command[0]}: {os.strerror(ctypes.get_errno())}", file=sys.stderr)
    sys.exit(127)


def _ignore_signals() -> None:
    """Ignore signals that others send, here and in all that this process becomes or forks.

    Linux ends a process all the same for what it executes itself, such as an access to memory that isn't there, and
    `abort` sees to its own signal. The limit of processor time must be heard.
    """
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD, signal.SIGXCPU}:
        signal.signal(number, signal.SIG_IGN)


def _forked(kind: dict[str, Any]) -> dict[str, Any]:
    """Become a server of forks for processes of a kind; returns in each fork, with the launch that it is told.

    All that the kind needs is imported before, so that each fork finds the same.
    """
    import marshal

    from engine.processes.forking import serve_forks

    if "seclusion" in kind:
        _seclude(**kind["seclusion"])
    if "python" in kind:
        from tournament.sandbox.inside import python_host

        python_host.prepare_sdk(kind["python"])
    if "module" in kind:
        from tournament.sandbox.inside import module_compiler

        module_compiler.load(kind["module"])
    serve_forks()
    return dict(marshal.loads(_read(int.from_bytes(_read(4), "little"))))


def _seclude(starter: str, **place: Any) -> None:
    """Enter namespaces with a root of their own, and write whether that could be done."""
    from tournament.sandbox.inside import seclusion

    set_parent_death_signal = 1
    call("prctl", set_parent_death_signal, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != int(starter):
        os._exit(1)
    try:
        seclusion.enter(**place)
    except OSError:
        os.write(1, b"-")
        os._exit(NOT_CONFINED)
    os.write(1, b"+")


def _read(size: int) -> bytes:
    """Read so many bytes of standard input, none beyond."""
    content = b""
    while len(content) < size:
        chunk = os.read(0, size - len(content))
        if not chunk:
            os._exit(1)
        content += chunk
    return content


def _confine(launch: dict[str, object], command_address: int) -> None:
    if not launch["filter"]:
        return
    purpose: system_calls.Purpose = "build" if launch["purpose"] == "build" else "play"
    try:
        if purpose == "play":
            _enter_own_domain()
        system_calls.drop_capabilities()
        system_calls.install(
            system_calls.filter_program(
                purpose,
                os.getpid(),
                bool(launch["threads"]),
                command_address,
                os.getppid(),
                bool(launch["reads_links"]),
            )
        )
    except system_calls.Unsupported as problem:
        print(f"can't be confined: {problem}", file=sys.stderr)
        sys.exit(NOT_CONFINED)


def _enter_own_domain() -> None:
    try:
        landlock.enter_domain()
    except OSError as problem:
        raise system_calls.Unsupported(f"the kernel makes no Landlock domain: {problem.strerror}") from None


def _hidden(text: str) -> tuple[ctypes.c_void_p, int]:
    """Put a string at a random place of the address space; its pointer and its address."""
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    content = os.fsencode(text) + b"\0"
    size = len(content) + 4096
    read_write, private_anonymous_and_exactly_there = 3, 0x100022
    for _ in range(100):
        wanted = int.from_bytes(os.urandom(8), "little") % (1 << 46) & ~0xFFF
        if library.mmap(wanted, size, read_write, private_anonymous_and_exactly_there, -1, 0) == wanted:
            address = wanted + int.from_bytes(os.urandom(2), "little") % 4096
            ctypes.memmove(address, content, len(content))
            return ctypes.c_void_p(address), address
    print("can't be confined: no room in the address space", file=sys.stderr)
    sys.exit(NOT_CONFINED)


def _fork_under_supervision(cpu_seconds: int) -> None:
    """Go on in a child. When the child or the tournament ends, the parent ends all that the child started.

    A command that outlives the signal for the end of its time, and so is killed, is told from one that others killed.
    """
    set_parent_death_signal, set_subreaper = 1, 36
    call("prctl", set_subreaper, 1, 0, 0, 0)
    signal.signal(signal.SIGTERM, lambda number, frame: os.killpg(0, signal.SIGKILL))
    call("prctl", set_parent_death_signal, signal.SIGTERM, 0, 0, 0)
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        return
    _, status, used = os.wait4(child, 0)
    ended = os.waitstatus_to_exitcode(status) & 0xFF
    if ended == 256 - signal.SIGKILL and used.ru_utime + used.ru_stime >= cpu_seconds:
        ended = 256 - signal.SIGXCPU
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        os.killpg(0, signal.SIGKILL)  # something still runs
    except ChildProcessError:
        os._exit(ended)


def _possible(attempts: dict[str, str]) -> list[str]:
    """Which of the things that a bot must not do can be done here. `attempts` has the paths to try them on."""
    import socket

    things: dict[str, Callable[[], object]] = {
        "read": lambda: open(attempts["read"]).close(),
        "write": lambda: open(attempts["write"], "w").close(),
        "connect": lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM).close(),
        "pair": lambda: list(map(socket.socket.close, socket.socketpair())),
        "fork": lambda: os.fork() or os._exit(0),
        "execute": _execute_nothing,
        "signal_parent": lambda: os.kill(os.getppid(), 0),
        "raise_limit": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, resource.getrlimit(resource.RLIMIT_NOFILE)),
    }
    done = []
    for name, attempt in things.items():
        try:
            attempt()
        except (OSError, ValueError):
            continue
        done.append(name)
    return done


def _execute_nothing() -> None:
    """Raises OSError where executing is refused, not for want of the file."""
    try:
        call("execve", b"/nonexistent", None, None)
    except OSError as problem:
        if problem.errno == errno.EPERM:
            raise
