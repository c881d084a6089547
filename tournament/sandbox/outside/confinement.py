"""Starting confined processes.

Three layers, each enough against most of what a bot might try: sandlock's
(Landlock for files, sockets and signals, seccomp, a clean environment, closed
descriptors, death with the parent), resource limits, and a filter that allows
only the system calls that it names (`system_calls`). A process is put under
all of them before it runs a bot's first instruction.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import importlib.metadata
import os
import resource
import signal
import subprocess
import threading
from dataclasses import dataclass
from functools import cache
from typing import IO, Any

from tournament.errors import BadInput
from tournament.sandbox.outside import visible
from tournament.sandbox.outside.confined import Confined
from tournament.sandbox.outside.endings import Ending, Killed, how_it_ended
from tournament.sandbox.outside.launch import LaunchSpec, Mode

MEND = 'to run bots with your own rights all the same, set sandbox = "off" in tournament.toml'

# The program that a confined process starts with. It can't list folders, so it is told where its modules are.
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
from tournament.sandbox.inside.first_steps import main
main(LAUNCH)
"""

# Sets and dictionaries of strings must have one order everywhere; and sines and powers one value, so the C library
# does without the instructions that round once where others round twice: not all processors have them.
_ENVIRONMENT = {"PYTHONHASHSEED": "0", "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-FMA,-FMA4"}

_OF_A_PROCESS = 16  # descriptors of ours that starting one takes, at most
# With fewer not even one process can be tried out.
_FEWEST_DESCRIPTORS = 128
# Set once a process of this one was to have a root of its own and got none.
lacks_roots = threading.Event()


def start(launch: LaunchSpec, mode: Mode) -> Confined:
    """Start a process under its limits, confined unless `mode` is off.

    Raises BadInput when the machine can't confine it.
    """
    files = visible.module_files(launch)
    arguments = _arguments(files, launch.told() | {"filter": mode == "on"})
    if mode == "off":
        return _start_plainly(launch, arguments)
    return _start_in_sandlock(launch, arguments, visible.paths(launch, files))


def start_secluded(launch: LaunchSpec) -> Confined | None:
    """Start a process that forks others, where there is no /proc; None when the system gives it no root of its own.

    Raises BadInput when it can't be started, Killed when a signal ended it.
    """
    files = visible.module_files(launch)
    # Of one length, so that what the interpreter reads takes the same places in memory.
    seclusion = {
        "starter": f"{os.getpid():010}",
        "name": _machine_name(),
        # What forks programs has imported all before it enters its root.
        "readable": sorted(visible.paths(launch, files, imports=bool(launch.forks))),
        "left_out": visible.left_out(),
        # Our interpreter loads shared libraries; a program may have read more than these in their folders.
        "libraries": visible.library_folders() if launch.forks else (),
    }
    given = launch.told() | {"forks": {**(launch.forks or {}), "seclusion": seclusion}}
    _raise_descriptor_limit()
    try:
        process = _start_plainly(launch, _arguments(files, given))
    except OSError:
        check_descriptors()
        raise
    if (answer := process.read(1)) == b"+":
        return process
    complaint = os.read(process.errors, 4096).decode(errors="replace").strip().splitlines()
    status = process.ended_by_itself()
    process.end()
    if answer == b"-":
        lacks_roots.set()
        return None
    if status is not None and status < 0:
        raise Killed(f"what starts bots' processes {how_it_ended(status)}")
    raise BadInput(f"a process can't be confined here: {complaint[-1] if complaint else 'it was ended'}; {MEND}")


def _arguments(files: dict[str, str], given: dict[str, Any]) -> list[str]:
    """The command of an interpreter that imports from these files and follows what it is given."""
    program = _BOOTSTRAP.replace("FILES", repr(files)).replace("LAUNCH", repr(given))
    return [visible.interpreter(), "-s", "-S", "-P", "-B", "-X", "utf8", "-c", program]


def _machine_name() -> str:
    """What bots read as the machine's name: unique, and telling neither the worker nor a count."""
    return f"bot-{os.urandom(8).hex()}"


def _own_ends(*streams: IO[bytes] | None) -> list[int]:
    """Descriptors of ours for a process's pipes; they outlive the file objects, which would close them again."""
    ends = []
    for stream in streams:
        assert stream
        ends.append(fcntl.fcntl(stream.fileno(), fcntl.F_DUPFD_CLOEXEC, 0))
        stream.close()
    return ends


def _start_plainly(launch: LaunchSpec, arguments: list[str]) -> Confined:
    process = subprocess.Popen(
        arguments,
        env=_ENVIRONMENT,
        cwd=launch.folder or "/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        bufsize=0,
    )
    ends = _own_ends(process.stdin, process.stdout, process.stderr)
    return Confined(_Plain(process), launch.limits, *ends)


@dataclass
class _Plain:
    process: subprocess.Popen[bytes]

    @property
    def pid(self) -> int:
        return self.process.pid

    def end(self) -> Ending:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        return Ending(self.process.wait())


def _start_in_sandlock(launch: LaunchSpec, arguments: list[str], readable: set[str]) -> Confined:
    import sandlock

    box = sandlock.Sandbox(
        name=_machine_name(),
        fs_readable=sorted(path for path in readable if os.path.exists(path)),
        # Programs may use what is installed for their interpreter; Python bots only what they are allowed.
        # Files of sandlock's making in /proc tell process numbers.
        fs_denied=[
            *(["/proc"] if launch.purpose == "play" else []),
            *(visible.beside_the_library(readable) if launch.is_python else []),
        ],
        fs_writable=list(launch.writable),
        clean_env=True,
        env=_ENVIRONMENT,
        cwd=str(launch.folder) if launch.folder else "/",
        max_processes=launch.limits.processes,
        max_open_files=launch.limits.open_files,
        no_coredump=True,
    )
    _raise_descriptor_limit()
    piped = sandlock.StdioMode.PIPED
    try:
        process = box.popen(arguments, piped, piped, piped)
    except (RuntimeError, OSError, sandlock.SandlockError) as error:
        check_descriptors()
        landlock_here()
        hint = "a container must allow pidfd_getfd, as with SYS_PTRACE: docs/how_to/cluster.md"
        raise BadInput(f"a process can't be confined here: {error} ({hint}); {MEND}") from None
    ends = _own_ends(process.stdin, process.stdout, process.stderr)
    return Confined(_InSandlock(process, process.pid), launch.limits, *ends)


@dataclass
class _InSandlock:
    process: Any
    pid: int

    def end(self) -> Ending:
        self.process.kill()
        result = self.process.wait()
        if result.reason.name == "KILLED":
            return Ending(-signal.SIGKILL)
        return Ending(-result.signal if result.signal and result.signal > 0 else int(result.exit_code))


def landlock_here() -> str:
    """The versions of what confines, in words. Raises BadInput where the kernel has too little of it."""
    try:
        import sandlock

        version = importlib.metadata.version("sandlock")
        landlock = sandlock.landlock_abi_version()
        least = sandlock.min_landlock_abi()
    except (ImportError, OSError) as error:
        raise BadInput(f"bots can't be confined: sandlock doesn't load here ({error}); {MEND}") from None
    if landlock < least:
        has = f"Landlock version {landlock}" if landlock > 0 else "no Landlock"
        raise BadInput(f"bots can't be confined: the kernel has {has}, version {least} is needed; {MEND}")
    return f"sandlock {version}, Landlock {landlock}"


def check_descriptors() -> None:
    """Raise BadInput when too few are left to start another process."""
    taken = []
    try:
        for _ in range(_OF_A_PROCESS):
            taken.append(os.open("/dev/null", os.O_RDONLY))
    except OSError as error:
        if error.errno not in (errno.EMFILE, errno.ENFILE):
            raise
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        whose = (
            "the machine may have" if error.errno == errno.ENFILE else f"the tournament may have ({most:,}, ulimit -Hn)"
        )
        raise BadInput(f"a process can't be confined here: as many files are open as {whose}; allow more") from None
    finally:
        for descriptor in taken:
            os.close(descriptor)


@cache
def _raise_descriptor_limit() -> None:
    """Each confined process takes about ten descriptors of ours."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < _FEWEST_DESCRIPTORS:
        raise BadInput(
            f"a process can't be confined here: {hard} files may be open at once (ulimit -Hn),"
            f" at least {_FEWEST_DESCRIPTORS} must be; {1024:,} are enough for most runs"
        )
    wanted = 65536 if hard == resource.RLIM_INFINITY else min(hard, 65536)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
