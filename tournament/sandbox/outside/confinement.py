"""Confined processes: the only module that knows sandlock.

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
import importlib
import importlib.machinery
import importlib.metadata
import importlib.util
import os
import resource
import select
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from tournament.errors import BadInput
from tournament.sandbox import inside
from tournament.sandbox.inside.first_steps import NOT_CONFINED
from tournament.sandbox.outside import scratch
from tournament.sandbox.outside.own_time import Disturbed, GroupUse, OwnTime, Use, members, run_delays

if TYPE_CHECKING:
    from tournament.sandbox.inside.system_calls import Purpose

Mode = Literal["on", "off"]
_T = TypeVar("_T")

# Programs may map the files of their folders, which have at most this many bytes.
_ROOM_FOR_FILES = 64 << 20
_LONGEST_END = 10.0  # seconds
OFF = "off: bots run with the rights of the tournament"
_MEND = 'to run bots with your own rights all the same, set sandbox = "off" in tournament.toml'

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


@dataclass(frozen=True)
class Limits:
    """What a process may use. Bytes of memory count where they can be written to.

    `reserved_megabytes`: of addresses beyond those, for files and for what is only reserved, which some runtimes
    do by the gigabyte.
    """

    memory_megabytes: int
    cpu_seconds: int
    reserved_megabytes: int = 64 << 10
    open_files: int = 64
    file_megabytes: int = 0
    stack_megabytes: int = 64
    processes: int = 1
    threads: bool = True

    def as_resource_limits(self) -> dict[str, int]:
        """By the names of Linux's resource limits."""
        memory = self.memory_megabytes << 20
        return {
            "CORE": 0,
            "CPU": self.cpu_seconds,
            "DATA": memory,
            "AS": memory + (self.reserved_megabytes << 20),
            "STACK": self.stack_megabytes << 20,
            "NOFILE": self.open_files,
            "FSIZE": self.file_megabytes << 20,
            "MEMLOCK": 0,
            "MSGQUEUE": 0,
        }

    @property
    def resident_bytes(self) -> int:
        """The most that can be resident of memory that is no file's."""
        return (self.memory_megabytes + self.stack_megabytes) << 20


@dataclass(frozen=True)
class LaunchSpec:
    """What to run, confined. Either `command`, or what a part of ours is told: the Python host, or a trial of a module.

    `before`: commands of a build that are run first; when one fails, that is how it ends.
    `forks`: instead of all these, what the processes have in common that this one will fork (`fork_server`).
    `readable` and `writable` are paths, beside what every program needs, `modules` more of our own that it may import.
    `reads_links`: a bot may read where links lead, also those of /proc (builds may always).
    `watched`: what the processes of a build take together is looked at.
    """

    limits: Limits
    command: Sequence[str] = ()
    before: Sequence[Sequence[str]] = ()
    python: Mapping[str, Any] | None = None
    module: Mapping[str, Any] | None = None
    probe: Mapping[str, str] | None = None
    forks: Mapping[str, Any] | None = None
    folder: Path | None = None
    readable: Sequence[str] = ()
    writable: Sequence[str] = ()
    modules: Sequence[str] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    purpose: Purpose = "play"
    reads_links: bool = False
    watched: bool = True

    @property
    def is_python(self) -> bool:
        """Whether it is a Python bot, or forks some."""
        return self.python is not None or "python" in (self.forks or {})


class _Running(Protocol):
    """A started process, however it was started."""

    @property
    def pid(self) -> int: ...
    def end(self) -> int: ...


class Confined:
    """A running confined process and its pipes: file descriptors, all ours to close by `end`."""

    def __init__(self, running: _Running, limits: Limits, to: int, answers: int, errors: int) -> None:
        self._running: _Running | None = running
        self._limits = limits
        self.pid = running.pid
        self.to = to
        self.answers = answers
        self.errors = errors
        self.status = 0

    def cpu_seconds(self) -> float:
        """The processor time that it has taken, over all its threads."""
        return cpu_seconds(self.pid)

    def memory_bytes(self) -> int:
        """The most memory that it has had at once."""
        return self._sizes().get("VmHWM", 0)

    def has_taken_too_much(self) -> bool:
        """Whether it has, or has had, more memory than its limits allow.

        The system's own limit forgets memory that was written to and then made
        read-only. What is resident now is known exactly; of the peak only the
        sum with pages of files is, so those get room: the program's, and as
        much as a folder may have.
        """
        # Between fork and exec it has our own memory; only what is read after an exec was seen is its own.
        return self._exceeds() and _addresses(str(self.pid)) != _addresses("self") and self._exceeds()

    def _exceeds(self) -> bool:
        """Whether the memory that the system now counts as its own, or once did, is more than its limits allow."""
        sizes, most = self._sizes(), self._limits.resident_bytes
        files = sizes.get("VmExe", 0) + sizes.get("VmLib", 0) + _ROOM_FOR_FILES
        now = sum(sizes.get(name, 0) for name in ("RssAnon", "RssShmem", "VmSwap"))
        return now > most or sizes.get("VmHWM", 0) > most + files

    def _sizes(self) -> dict[str, int]:
        """Bytes by the names of /proc/<pid>/status, nothing when it is no more."""
        try:
            text = Path(f"/proc/{self.pid}/status").read_text()
        except OSError:
            return {}
        words = (line.split() for line in text.splitlines() if line.startswith(("Vm", "Rss")))
        return {name.rstrip(":"): int(size) << 10 for name, size, *_ in words}

    def waits_for_processor(self) -> bool:
        """Whether a thread of it could run, and does or would if the machine were not busy."""
        return any(_state(folder) in ("R", "D") for folder in self._threads())

    def run_delay(self) -> float:
        """Seconds that its threads were ready to run but had to wait for a processor."""
        return sum(run_delays(Path(f"/proc/{self.pid}")).values())

    def use(self) -> Use:
        """What it has had of the machine."""
        return Use(self.cpu_seconds(), self.run_delay(), self.waits_for_processor())

    def has_ended(self) -> bool:
        """Whether it runs no more."""
        return self._running is None or _state(Path(f"/proc/{self.pid}")) in ("Z", "X", "")

    def _threads(self) -> list[Path]:
        try:
            return list(Path(f"/proc/{self.pid}/task").iterdir())
        except OSError:
            return []

    def threads(self) -> int:
        """How many threads it has."""
        try:
            text = Path(f"/proc/{self.pid}/stat").read_text()
        except OSError:
            return 0
        return int(text.rsplit(")", 1)[1].split()[17])

    def has_written(self) -> bool:
        """Whether there is something of its answers to read."""
        waiting = select.poll()
        waiting.register(self.answers, select.POLLIN)
        return bool(waiting.poll(0))

    def close_input(self) -> None:
        """Let it read the end of its input."""
        if self.to >= 0:
            os.close(self.to)
            self.to = -1

    def end(self) -> int:
        """Kill it, with all that it started, and close the pipes; its exit status, or minus the signal's number."""
        if self._running is None:
            return self.status
        running, self._running = self._running, None
        # Before its pipes are closed, or it might see that and go on for a moment.
        self.status = running.end()
        self.close_input()
        os.close(self.answers)
        os.close(self.errors)
        return self.status

    def ended_by_itself(self, patience: float = 0.5) -> int | None:
        """Its status as `end` gives it if it has ended or ends soon; None while it goes on."""
        started = time.monotonic()
        while not self.has_ended():
            passed = time.monotonic() - started
            # One without memory is ending, and on a busy machine may take long to.
            if passed >= patience and (self._sizes() or passed >= patience + _LONGEST_END):
                return None
            time.sleep(0.001)
        return self.end()


def cpu_seconds(process: int) -> float:
    """The processor time that a process has taken, over all its threads; 0 when it is no more."""
    clock = (~process << 3) | 2  # Linux's number for the CPU clock of a process
    try:
        return time.clock_gettime(clock)
    except OSError:
        return 0.0


def _addresses(process: str) -> list[str]:
    """Where the stack, arguments and environment of a process lie: elsewhere after each execution of a program."""
    try:
        fields = Path("/proc", process, "stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return []
    return [fields[25], *fields[45:49]]


def _state(folder: Path) -> str:
    """The letter of a process's or thread's state, by its folder in /proc; "" when there is none."""
    try:
        return (folder / "stat").read_text().rsplit(")", 1)[1].split()[0]
    except (OSError, IndexError):
        return ""


def start(launch: LaunchSpec, mode: Mode) -> Confined:
    """Start a process under its limits, confined unless `mode` is off.

    Raises BadInput when the machine can't confine it.
    """
    given = told(launch) | {"filter": mode == "on"}
    # Compilers, and the probe before them, may run before there is a core.
    plays = launch.python is not None or launch.module is not None or launch.forks is not None
    core = _core_files(tuple(launch.modules), launch.forks is not None) if plays else {}
    files = _module_files() | core
    arguments = _arguments(files, given)
    if mode == "off":
        return _start_plainly(launch, arguments, _ENVIRONMENT)
    return _start_in_sandlock(launch, arguments, _ENVIRONMENT, list(files.values()))


# A fixed hash seed: sets and dictionaries of strings must have one order everywhere.
_ENVIRONMENT = {"PYTHONHASHSEED": "0"}


def _arguments(files: dict[str, str], given: dict[str, Any]) -> list[str]:
    """The command of an interpreter that imports from these files, and is told what to be."""
    program = _BOOTSTRAP.replace("FILES", repr(files)).replace("LAUNCH", repr(given))
    return [_interpreter(), "-s", "-S", "-P", "-B", "-X", "utf8", "-c", program]


def start_secluded(launch: LaunchSpec) -> Confined | None:
    """Start a process that forks others, where there is no /proc; None when the system gives no place for that.

    Raises BadInput when it can't be started.
    """
    core = _core_files(tuple(launch.modules), True)
    files = _module_files() | core
    everything = {*python_paths(), *system_libraries(), *files.values(), *_compiled_modules(), *launch.readable}
    library = sysconfig.get_path("stdlib")
    beside = [folder for name in _BESIDE if (folder := Path(library, name)).is_dir()]
    readable = sorted(everything - {library})
    readable += [entry.path for entry in os.scandir(library) if entry.name not in _BESIDE]
    seclusion = {
        "starter": os.getpid(),
        # Bots read it as the machine's name. It must be nobody else's, and tell neither the worker nor a count.
        "name": f"bot-{os.urandom(8).hex()}",
        "readable": [*readable, "/etc/hostname", "/etc/hosts"],
        "listed": [library],
        "emptied": {str(folder): _kept(folder, everything) for folder in beside},
    }
    given = told(launch) | {"forks": {**(launch.forks or {}), "seclusion": seclusion}}
    _raise_descriptor_limit()
    try:
        process = _start_plainly(launch, _arguments(files, given), _ENVIRONMENT)
    except OSError:
        check_descriptors()
        raise
    if (answer := os.read(process.answers, 1)) == b"+":
        return process
    complaint = os.read(process.errors, 4096).decode(errors="replace").strip().splitlines()
    process.end()
    if answer == b"-":
        return None
    raise BadInput(f"a process can't be confined here: {complaint[-1] if complaint else 'it was ended'}; {_MEND}")


def told(launch: LaunchSpec) -> dict[str, Any]:
    """What a process is told of its launch, in plain values."""
    given: dict[str, Any] = {
        "purpose": launch.purpose,
        "limits": launch.limits.as_resource_limits(),
        "threads": launch.limits.threads,
        "reads_links": launch.reads_links,
        "filter": True,
        "environment": dict(launch.environment),
        "before": [list(command) for command in launch.before],
    }
    if launch.command:
        given["command"] = list(launch.command)
    for name in ("python", "module", "probe", "forks"):
        if (orders := getattr(launch, name)) is not None:
            given[name] = dict(orders)
    return given


def _start_plainly(launch: LaunchSpec, arguments: list[str], environment: dict[str, str]) -> Confined:
    process = subprocess.Popen(
        arguments,
        env=environment,
        cwd=launch.folder or "/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        bufsize=0,
    )
    assert process.stdin and process.stdout and process.stderr
    # The descriptors outlive the file objects, which would close them a second time.
    ends = [os.dup(stream.fileno()) for stream in (process.stdin, process.stdout, process.stderr)]
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()
    return Confined(_Plain(process), launch.limits, *ends)


@dataclass
class _Plain:
    process: subprocess.Popen[bytes]

    @property
    def pid(self) -> int:
        return self.process.pid

    def end(self) -> int:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        return self.process.wait()


def _start_in_sandlock(
    launch: LaunchSpec, arguments: list[str], environment: dict[str, str], module_files: list[str]
) -> Confined:
    import sandlock

    readable = {*python_paths(), *system_libraries(), *module_files, *_compiled_modules(), *launch.readable}
    box = sandlock.Sandbox(
        # Bots read it as the machine's name. It must be nobody else's, and tell neither the worker nor a count.
        name=f"bot-{os.urandom(8).hex()}",
        fs_readable=sorted(path for path in readable if os.path.exists(path)),
        # Programs may use what is installed for their interpreter; Python bots only what they are allowed.
        # Files of sandlock's making in /proc tell process numbers.
        fs_denied=[
            *(["/proc"] if launch.purpose == "play" else []),
            *(_beside_the_library(readable) if launch.is_python else []),
        ],
        fs_writable=list(launch.writable),
        clean_env=True,
        env=environment,
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
        hint = "a container must allow pidfd_getfd, as with SYS_PTRACE: docs/cluster.md"
        raise BadInput(f"a process can't be confined here: {error} ({hint}); {_MEND}") from None
    ends = [os.dup(stream.fileno()) for stream in (process.stdin, process.stdout, process.stderr)]
    for end in ends:
        fcntl.fcntl(end, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
    for stream in (process.stdin, process.stdout, process.stderr):
        stream.close()
    return Confined(_InSandlock(process, process.pid), launch.limits, *ends)


def check_descriptors() -> None:
    """Raise BadInput where there are none left for another process, which is why it could not be started."""
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


@dataclass
class _InSandlock:
    process: Any
    pid: int

    def end(self) -> int:
        self.process.kill()
        result = self.process.wait()
        if result.reason.name == "KILLED":
            return -signal.SIGKILL
        return -result.signal if result.signal and result.signal > 0 else int(result.exit_code)


_OF_A_PROCESS = 16  # what starting one takes of ours, at most
# With fewer not even one process can be tried out.
_FEWEST_DESCRIPTORS = 128


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


@cache
def _interpreter() -> str:
    return os.path.realpath(sys.executable)


@cache
def _module_files() -> dict[str, str]:
    """The modules that run inside, by name."""
    files = sorted(Path(inside.__file__).parent.glob("*.py"))
    return {f"{inside.__name__}.{path.stem}": str(path) for path in files if path.stem != "__init__"}


@cache
def _compiled_modules() -> list[str]:
    """The bytecode of those modules. Without it a process would compile them at each start, which takes longer than
    all the rest."""
    for name, source in _module_files().items():
        importlib.machinery.SourceFileLoader(name, source).get_code(name)  # and so it is written, if it may be
    return [importlib.util.cache_from_source(source) for source in _module_files().values()]


@cache
def _core_files(modules: tuple[str, ...], forks: bool) -> dict[str, str]:
    """The compiled modules in which Python bots run, by name, and more of our own."""
    names = ["engine.processes.python_bots", *(["engine.processes.forking"] if forks else []), *modules]
    files = {name: str(importlib.import_module(name).__file__) for name in names}
    # What Cython shares among compiled modules is one of them, which most import.
    shared = sys.modules.get("engine._cython")
    return files | ({"engine._cython": str(shared.__file__)} if modules and shared else {})


# By SIGKILL: the process itself, or one that it was started by, which tells so by its status.
KILLED = (-signal.SIGKILL, 256 - signal.SIGKILL, 128 + signal.SIGKILL)


def kills_for_memory() -> int:
    """How many processes the system has killed because memory was short."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/vmstat").read_text().splitlines():
            if line.startswith("oom_kill "):
                return int(line.split()[1])
    return 0


LOOK_SECONDS = 0.1


class Watch:
    """Looks now and then after what the processes of a build take together, which no limit of the system sums up."""

    def __init__(self, group: int, launch: LaunchSpec) -> None:
        self._group = group
        self._folders = launch.writable
        self._megabytes = 2 * launch.limits.memory_megabytes
        self._disk_megabytes = 4 * launch.limits.file_megabytes
        self._next = 0.0
        self.excess = ""

    def look(self) -> bool:
        """Whether they took too much; `excess` says of what."""
        if (now := time.monotonic()) >= self._next:
            if self._memory_bytes() > self._megabytes << 20:
                self.excess = f"more than {self._megabytes:,} MB of memory"
            elif not all(scratch.is_within(folder, self._disk_megabytes << 20) for folder in self._folders):
                self.excess = f"more than {self._disk_megabytes:,} MB or {scratch.MOST_FILES:,} files of disk"
            self._next = now + max(LOOK_SECONDS, 5 * (time.monotonic() - now))
        return bool(self.excess)

    def _memory_bytes(self) -> int:
        return sum(int(fields[21]) for _, fields in members(self._group)) * resource.getpagesize()


@cache
def python_paths() -> tuple[str, ...]:
    """What the interpreter reads: itself and the standard library."""
    libraries = [str(path) for path in Path(sys.base_prefix, "lib").glob("libpython*")]
    return (_interpreter(), sysconfig.get_path("stdlib"), *libraries)


# Folders of packages within the standard library's.
_BESIDE = ("site-packages", "dist-packages")


def _kept(folder: Path, readable: Collection[str]) -> list[str]:
    """The names in a folder that hold what is to be read."""
    within = [Path(path).relative_to(folder) for path in readable if Path(path).is_relative_to(folder)]
    return sorted({path.parts[0] for path in within if path.parts and (folder / path.parts[0]).exists()})


def _beside_the_library(readable: Collection[str]) -> list[str]:
    """What is installed within the standard library's folder and holds nothing that is to be read."""
    found = []
    for folder in (Path(sysconfig.get_path("stdlib"), name) for name in _BESIDE):
        if not any(Path(path).is_relative_to(folder) for path in readable):
            found += [folder] if folder.exists() else []
            continue
        for entry in folder.iterdir():
            if not any(Path(path).is_relative_to(entry) for path in readable):
                found.append(entry)
    return [str(path) for path in found]


@cache
def system_libraries() -> tuple[str, ...]:
    """Where programs find their shared libraries, and nothing else of the system."""
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    folders = [f"{root}/{multiarch}" for root in ("/lib", "/usr/lib") if multiarch]
    folders += ["/lib64", "/usr/lib64", "/usr/local/lib/" + multiarch if multiarch else "/usr/local/lib"]
    # Not /dev/zero: a shared mapping of it is memory that no limit counts.
    devices = ["/dev/null", "/dev/urandom", "/dev/random"]
    return tuple(path for path in [*folders, "/etc/ld.so.cache", *devices] if os.path.exists(path))


@cache
def probe_sandbox(mode: Mode) -> str:
    """In words, what confines processes on this machine: tried out, not assumed.

    Raises BadInput when something that bots must not do can be done.
    """
    if mode == "off":
        return OFF
    try:
        import sandlock

        version = importlib.metadata.version("sandlock")
        landlock = sandlock.landlock_abi_version()
        least = sandlock.min_landlock_abi()
    except (ImportError, OSError) as error:
        raise BadInput(f"bots can't be confined: sandlock doesn't load here ({error}); {_MEND}") from None
    if landlock < least:
        has = f"Landlock version {landlock}" if landlock > 0 else "no Landlock"
        raise BadInput(f"bots can't be confined: the kernel has {has}, version {least} is needed; {_MEND}")
    with scratch.scratch_folder() as folder:
        secret = Path(folder, "secret")
        secret.write_text("not for bots")
        attempts = {"read": str(secret), "write": str(Path(folder, "written"))}
        probe = run(LaunchSpec(Limits(512, 10, threads=False), probe=attempts), mode, 30)
    if probe.status != 0:
        lines = probe.errors.decode(errors="replace").strip().splitlines()
        why = lines[-1] if lines else f"the probe {probe.in_words}"
        if probe.status == NOT_CONFINED:
            why = why.removeprefix("can't be confined: ")
        raise BadInput(f"bots can't be confined: {why}; {_MEND}")
    if possible := probe.output.decode().split():
        raise BadInput(f"bots can't be confined: a probe in the sandbox could {', '.join(possible)}; {_MEND}")
    return f"sandlock {version}, Landlock {landlock}, system call filter"


@cache
def seclusion_in_words(mode: Mode) -> str:
    """Whether bots' processes find no /proc on this machine: tried out, as what `probe_sandbox` says goes on."""
    if mode == "off":
        return ""
    process = start_secluded(LaunchSpec(Limits(512, 10), forks={}))
    if process is None:
        return "; no namespaces, so a bot's legs see each other in /proc"
    process.end()
    return ", namespaces"


@dataclass(frozen=True)
class Finished:
    """How a confined command ended: exit status (minus a signal's number), what it wrote, whether it was cut off.

    `excess`: what it took too much of, for which it was ended.
    """

    status: int
    output: bytes
    errors: bytes
    cut_off: bool
    excess: str = ""

    @property
    def in_words(self) -> str:
        if self.excess:
            return f"took {self.excess}"
        return "took too long" if self.cut_off else how_it_ended(self.status)


def how_it_ended(status: int) -> str:
    """An exit status in words."""
    if status == 0:
        return "ended"
    if status > 0:
        return f"ended with status {status}"
    if -status == signal.SIGXCPU:
        return "used up its processor time"
    try:
        return f"was killed by {signal.Signals(-status).name}"
    except ValueError:
        return "was killed"


def run(launch: LaunchSpec, mode: Mode, seconds: float, given: bytes = b"", most: int = 1 << 24) -> Finished:
    """Run a confined command to its end, at most so many seconds of its own (`own_time`), with `given` as its input.

    Of each of its outputs about the first `most` bytes are kept.
    It must read the input before it writes much. Raises BadInput when it can't be confined, Disturbed when the
    machine is so busy that it doesn't get that time.
    """
    return finish(start(launch, mode), launch, seconds, given, most)


def finish(process: Confined, launch: LaunchSpec, seconds: float, given: bytes = b"", most: int = 1 << 24) -> Finished:
    """Run a started process to its end, as `run` does."""
    try:
        with contextlib.suppress(BrokenPipeError):  # how it ended will say why
            write_all(process.to, given)
        process.close_input()
        watch = Watch(process.pid, launch) if launch.purpose == "build" and launch.watched else None
        use = GroupUse(process.pid) if launch.purpose == "build" else process.use
        output, errors, cut_off = _read_all(process, OwnTime(use, seconds), watch, most)
        if not cut_off and process.ended_by_itself(5.0) is None:
            cut_off = True
    finally:
        status = process.end()
    return Finished(status, output, errors, cut_off, watch.excess if watch else "")


def write_all(descriptor: int, content: bytes) -> None:
    """Write all of it, however long that takes."""
    view = memoryview(content)
    while view:
        view = view[os.write(descriptor, view) :]


class Killed(Disturbed):
    """The system ended a process, which bots can't have done."""


def again_if_killed(attempt: Callable[[], _T]) -> _T:
    """What an attempt comes to; one that the system ended is made once more, with no other beside it."""
    try:
        return attempt()
    except Killed:
        with _alone:
            return attempt()


_alone = threading.Lock()


def check_killed(status: int | None) -> None:
    """Raise Killed for a status that tells so."""
    if status == -signal.SIGKILL:
        raise Killed("the system ended its process, for want of memory perhaps")


def read_some(process: Confined, most: int, seconds: float, whole: int) -> bytes:
    """What a process answers until it has written `whole` bytes, has ended, or its own time is over; at most `most`.

    Raises Disturbed when the machine is so busy that it doesn't get that time.
    """
    waiting = select.poll()
    waiting.register(process.answers, select.POLLIN)
    waiting.register(process.errors, select.POLLIN)
    answer = b""
    had = OwnTime(process.use, seconds)
    while len(answer) < whole and not had.is_over():
        for descriptor, _ in waiting.poll(LOOK_SECONDS * 1000):
            chunk = os.read(descriptor, most)
            if descriptor == process.answers:
                answer += chunk
                if not chunk:
                    return answer
            elif not chunk:
                waiting.unregister(descriptor)
    return answer


def _read_all(process: Confined, had: OwnTime, watch: Watch | None, most: int) -> tuple[bytes, bytes, bool]:
    """What a process writes until it ends, cut at `most` bytes: output, complaints, and whether it was cut off."""
    streams: dict[int, bytearray] = {process.answers: bytearray(), process.errors: bytearray()}
    waiting = select.poll()
    for descriptor in streams:
        waiting.register(descriptor, select.POLLIN)
    open_ones = len(streams)
    while open_ones and not had.is_over() and not (watch and watch.look()):
        for descriptor, _ in waiting.poll(min(had.seconds, LOOK_SECONDS) * 1000):
            chunk = os.read(descriptor, 65536)
            if not chunk:
                waiting.unregister(descriptor)
                open_ones -= 1
            elif len(streams[descriptor]) < most:
                streams[descriptor] += chunk
    return bytes(streams[process.answers]), bytes(streams[process.errors]), open_ones > 0
