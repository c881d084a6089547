"""The start of every confined process.

It sets limits, enters a Landlock domain, drops capabilities, installs the filter, and then takes on its task. It runs
inside the sandbox with the standard library alone, and imports little of it, because a program starts for each leg.
`outside.confinement` sends its orders. `outside.launch` lists the kinds of processes.
"""

from __future__ import annotations

import os
import resource
import sys

from tournament.sandbox.inside import landlock, seccomp
from tournament.sandbox.inside.libc import end_with, gain_no_privileges, prctl

# Typing, and signal with its enumerations, take longer to import than all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket
    import signal
    from typing import Any

    Orders = dict[str, Any]
else:
    import _signal as signal

# Exit status of a process that can't be confined, and the prefix of its reason on standard error.
NOT_CONFINED, NO_CONFINEMENT = 119, "can't be confined: "


def main(orders: Orders) -> None:
    """Confine this process, and run the task of the kind that is ordered.

    If it can't be confined, it exits with NOT_CONFINED and gives the reason on standard error. A program that can't be
    executed exits with 127. With the kind "server", each fork returns here to run its own orders.

    Args:
        orders: The result of `LaunchSpec.to_orders`, with additions of `outside.confinement`. Their "landlock" is None
            if the process isn't confined.

    Raises:
        OSError: The kernel refuses a step of the set-up, or a file of the task can't be read.
        Exception: The code of the contest's module for bots raises it.
    """
    if orders["kind"] != "build":
        _ignore_signals()
    kinds = {"program": _program, "build": _build, "python": _python, "module": _module, "probe": _probe}
    try:
        if orders["kind"] == "server":
            orders = _forked(orders)
        kinds[orders["kind"]](orders)
    except seccomp.Unsupported as problem:
        print(f"{NO_CONFINEMENT}{problem}", file=sys.stderr)
        sys.exit(NOT_CONFINED)


def _program(orders: Orders) -> None:
    """Become a program that plays."""
    _limit(orders)
    _confine(orders, threads=True, executes=True)
    _execute(orders["command"], {})


def _python(orders: Orders) -> None:
    """Host a Python bot."""
    from tournament.sandbox.inside import python_host

    _limit(orders)
    python_host.prepare(orders["orders"])
    _confine(orders)
    python_host.serve()


def _module(orders: Orders) -> None:
    """Compile a WebAssembly module on trial."""
    from tournament.sandbox.inside import module_compiler

    _limit(orders)
    module_compiler.main(orders["library"], orders["settings"], lambda: _confine(orders, threads=True))


def _probe(orders: Orders) -> None:
    """Print the forbidden actions that succeed in a bot's process."""
    from tournament.sandbox.inside import attempts

    _limit(orders)
    _confine(orders)
    print(", ".join(attempts.possible(orders["paths"], orders["tournament"], build=False)), flush=True)


def _build(orders: Orders) -> None:
    """Run the commands of a build under a supervisor, and become the last of them.

    Exit at the first that fails with its status, or 256 minus a signal's number.

    Raises:
        seccomp.Unsupported: The build can't be confined.
        OSError: The kernel refuses to fork, or to set the supervisor up.
    """
    from tournament.sandbox.inside import fork_limit

    supervisor = _fork_under_supervision(orders)
    _limit(orders)
    *earlier, last = orders["commands"]

    if orders["landlock"]:
        fork_limit.ask(supervisor)
        _confine_build(orders)
    supervisor.close()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for command in earlier:
        if status := os.spawnve(os.P_WAIT, command[0], command, orders["environment"]):
            os._exit(status & 0xFF)  # 256 minus a signal's number, as for the last command
    _execute(last, orders["environment"])


def _limit(orders: Orders) -> None:
    """Set the resource limits, or the present hard limits if they are lower. They can't be raised again."""
    for name, value in orders["limits"].items():
        number = getattr(resource, f"RLIMIT_{name}")
        hard = resource.getrlimit(number)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        # One second between the limits of processor time, so that the signal for the first one can arrive.
        resource.setrlimit(number, (value, value + 1 if name == "CPU" and hard != value else value))


def _confine(orders: Orders, *, threads: bool = False, executes: bool = False) -> None:
    """Put a bot's process into a domain and under a filter of its own. Its fork server has settled what it can read.

    Nothing happens if the orders name no version of Landlock.

    Args:
        orders: The process's orders.
        threads: Whether it can start threads.
        executes: Whether it can become another program.

    Raises:
        seccomp.Unsupported: The kernel refuses it.
    """
    if orders["landlock"]:
        _enter_domain(orders, None)
        seccomp.drop_capabilities()
        seccomp.install(seccomp.filter_of_bots(os.getpid(), threads=threads, executes=executes))


def _confine_build(orders: Orders) -> None:
    """Put a build into a domain, with the files that it can read and write, and under its filter.

    Raises:
        seccomp.Unsupported: The kernel refuses it.
        OSError: The kernel refuses to keep it from gaining rights.
    """
    gain_no_privileges()
    changed = [(path, landlock.WRITE) for path in (*orders["writable"], "/dev/null")]
    _enter_domain(orders, [*[(path, landlock.READ) for path in orders["readable"]], *changed])
    seccomp.drop_capabilities()
    signals = orders["landlock"] >= landlock.SIGNALS_SINCE
    seccomp.install(seccomp.filter_of_builds(os.getpid(), os.getppid(), signals))


def _enter_domain(orders: Orders, allowed: list[tuple[str, int]] | None) -> None:
    """Enter a Landlock domain with these paths and accesses.

    Args:
        orders: The process's orders, with the version of Landlock.
        allowed: Paths and accesses. None allows all files.

    Raises:
        seccomp.Unsupported: The kernel refuses it, or a path can't be opened.
    """
    try:
        landlock.enter_domain(orders["landlock"], allowed)
    except OSError as problem:
        raise seccomp.Unsupported(f"the kernel makes no Landlock domain: {problem.strerror}") from None


def _execute(command: list[str], environment: dict[str, str]) -> None:
    """Become a command, or exit with 127 and the reason on standard error if it can't be executed.

    Args:
        command: The words. The first is the program's path.
        environment: All of its environment variables.
    """
    try:
        os.execve(command[0], command, environment)
    except OSError as problem:
        print(f"{command[0]}: {problem.strerror}", file=sys.stderr)
        sys.exit(127)


def _ignore_signals() -> None:
    """Ignore signals from others, in this process and in everything that it forks or becomes.

    Linux still ends a process for its own errors, such as an access to unmapped memory, and `abort` restores its own
    signal. The signal for the limit of processor time isn't ignored.
    """
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD, signal.SIGXCPU}:
        signal.signal(number, signal.SIG_IGN)


def _forked(orders: Orders) -> Orders:
    """Serve forks of one kind of process. Return the orders in each fork, never in the server.

    The server first imports everything that this kind needs, so that each fork finds the same modules. It writes "+" to
    its socket once it is confined.

    Raises:
        seccomp.Unsupported: The kernel makes no Landlock domain.
        OSError: The kernel refuses a step of the set-up, or a file to load can't be read.
        ImportError: A module of the core can't be imported.
        Exception: The code of the contest's module for bots raises it.
    """
    import marshal

    from engine.processes.forking import serve_forks

    end_with(orders["starter"])
    if orders["of"] == "python":
        # Fills the finder's cache, because the library's folder can't be listed once the process is confined.
        sys.modules["importlib.machinery"].PathFinder.find_spec("of which there is none")
    gain_no_privileges()
    listed = [(path, landlock.LIST) for path in orders["listed"]]
    _enter_domain(orders, [*[(path, landlock.READ) for path in orders["readable"]], *listed])
    os.write(1, b"+")
    if orders["of"] == "python":
        from tournament.sandbox.inside import python_host

        python_host.prepare_sdk(orders["file"])
        if orders["imported"]:
            modules = {name: (file, list(folders)) for name, file, folders in orders["modules"]}
            python_host.import_packages(orders["imported"], modules, dict(orders["environment"]))
    if orders["of"] == "module":
        from tournament.sandbox.inside import module_compiler

        module_compiler.load(orders["file"])
    serve_forks()
    return dict(marshal.loads(_read(int.from_bytes(_read(4), "little"))))


def _read(size: int) -> bytes:
    """Return exactly this many bytes of standard input. Exit with the status 1 if it ends before."""
    content = b""
    while len(content) < size:
        chunk = os.read(0, size - len(content))
        if not chunk:
            os._exit(1)
        content += chunk
    return content


def _fork_under_supervision(orders: Orders) -> _socket.socket:
    """Continue in a child, and return its socket to the parent, the supervisor.

    The supervisor answers whether the build may start another process (`fork_limit`). When the child or the tournament
    ends, it ends everything that the child started. A command that ignores SIGXCPU is killed for its processor time.
    The supervisor reports SIGXCPU then, so that this differs from a kill from outside. It exits with the child's
    status, or 256 minus a signal's number.

    Raises:
        OSError: The kernel refuses to fork or to set the supervisor up.
    """
    import _socket

    from tournament.sandbox.inside import fork_limit

    set_subreaper = 36
    prctl(set_subreaper, 1)
    signal.signal(signal.SIGTERM, lambda number, frame: os.killpg(0, signal.SIGKILL))
    end_with(orders["starter"], signal.SIGTERM)
    supervisor = os.getpid()
    ours, theirs = _socket.socketpair()
    child = os.fork()
    if child == 0:
        end_with(supervisor)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        ours.close()
        return theirs
    theirs.close()
    fork_limit.answer(ours, child, orders["most_threads"])
    _, status, used = os.wait4(child, 0)
    ended = os.waitstatus_to_exitcode(status) & 0xFF
    if ended == 256 - signal.SIGKILL and used.ru_utime + used.ru_stime >= orders["limits"]["CPU"]:
        ended = 256 - signal.SIGXCPU
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
        os.killpg(0, signal.SIGKILL)  # something still runs
    except ChildProcessError:
        pass
    os._exit(ended)
