"""The command in forks of a process that has imported everything: a small run takes a fraction of a second.

As a script: reads lines of JSON, {"arguments": […], "setup": Python that the fork executes first, "output": path,
"errors": path, "variables": its environment, "folder": where it is} to start one, {"stops": process} to wait until it
stops itself and {"wait": process, "seconds": …} for its end; answers with the process, with 1 if it stopped, or with
its exit code, negative for a signal and null when it goes on.
"""

from __future__ import annotations

import atexit
import functools
import importlib
import importlib.metadata
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_REPOSITORY = Path(__file__).parents[1]
# Tests set others, in which nothing of ours must lie.
_TEMPORARY = tempfile.gettempdir()


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code, negative for a signal, None if it hung; and what it said.

    `said` has standard error, too, unless that went to a file of its own.
    """

    code: int | None
    said: str


@dataclass(frozen=True)
class Run:
    """A command that was started."""

    server: Forks
    process: int
    output: Path

    def send(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.process, number)

    def stops(self) -> bool:
        """Wait until it has stopped itself; False if it ended before."""
        return bool(self.server.ask({"stops": self.process}))

    def wait(self, seconds: float = 60.0) -> Ended:
        """Its end. One that takes too long is killed."""
        code = self.server.ask({"wait": self.process, "seconds": seconds})
        if code is None:
            self.send(signal.SIGKILL)
            self.server.ask({"wait": self.process, "seconds": 10})
        return Ended(code, self.output.read_text(errors="replace"))


@dataclass(frozen=True)
class Forks:
    """Starts commands; made by `forks`."""

    process: subprocess.Popen[str]
    folder: Path

    def ask(self, request: Mapping[str, object]) -> int | None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer: int | None = json.loads(self.process.stdout.readline())
        return answer

    def new_file(self) -> Path:
        descriptor, path = tempfile.mkstemp(dir=self.folder)
        os.close(descriptor)
        return Path(path)

    def start(
        self,
        arguments: Sequence[str],
        setup: str = "",
        errors: Path | None = None,
        variables: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> Run:
        """Start a command, here or in a folder.

        Its process executes `setup` before, and a function `after` of it in the end.
        """
        output = self.new_file()
        process = self.ask(
            {
                "arguments": list(arguments),
                "setup": setup,
                "output": str(output),
                "errors": str(errors or output),
                "variables": dict(os.environ if variables is None else variables),
                "folder": str(folder or Path.cwd()),
            }
        )
        assert process is not None
        return Run(self, process, output)

    def run(self, arguments: Sequence[str], setup: str = "") -> Ended:
        return self.start(arguments, setup).wait()


def copy_for_everybody(folder: Path) -> Path:
    """The packages copied into a folder, to be read by every user: a clone may lie where only its owner can enter.

    Of what is installed there only versions are read late.
    """
    for name in ("engine", "tournament", "tests"):
        shutil.copytree(_REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "golden"))
    for package in importlib.metadata.distributions():
        described = folder / f"{package.metadata['Name']}-{package.version}.dist-info"
        described.mkdir(exist_ok=True)
        (described / "METADATA").write_text(f"Name: {package.metadata['Name']}\nVersion: {package.version}\n")
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    return folder


@contextmanager
def forks(folder: Path, code: Path = _REPOSITORY) -> Iterator[Forks]:
    """A server of forks while the block lasts, of the code in a folder; what they say goes to another."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.forks", str(folder)],
        cwd=code,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Forks(process, folder)
        assert process.stdin
        process.stdin.close()


@functools.cache
def shared() -> Forks:
    """One server for all tests of this process."""
    folder = tempfile.TemporaryDirectory(prefix="forks-", dir=_TEMPORARY)
    server = forks(Path(folder.name))
    started = server.__enter__()

    def end() -> None:
        server.__exit__(None, None, None)
        folder.cleanup()

    atexit.register(end)
    return started


def call(
    arguments: Sequence[str],
    variables: Mapping[str, str],
    folder: Path | None = None,
    seconds: float = 600,
    setup: str = "",
) -> subprocess.CompletedProcess[str]:
    """Run the command to its end as a process with this environment and no input would. It executes `setup` before."""
    server = shared()
    errors = server.new_file()
    run = server.start(arguments, setup, errors, variables, folder)
    ended = run.wait(seconds)
    assert ended.code is not None, f"took more than {seconds:g} s: {ended.said}{errors.read_text(errors='replace')}"
    done = subprocess.CompletedProcess(list(arguments), ended.code, ended.said, errors.read_text(errors="replace"))
    run.output.unlink()
    errors.unlink()
    return done


def _serve(folder: Path) -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            print(json.dumps(_wait(folder, request["wait"], request["seconds"])), flush=True)
            continue
        if "stops" in request:
            found = os.waitid(os.P_PID, request["stops"], os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            print(int(found is not None and found.si_code == os.CLD_STOPPED), flush=True)
            continue
        child = os.fork()
        if child == 0:
            _be_command(folder, request)
        print(child, flush=True)


def _wait(folder: Path, process: int, seconds: float) -> int | None:
    descriptor = os.pidfd_open(process)
    has_ended = select.select([descriptor], [], [], seconds)[0]
    os.close(descriptor)
    if not has_ended:
        return None
    _import_all(folder / f"modules-{process}")
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def _import_all(noted: Path) -> None:
    """Import what a fork had to, before the next one is made; but Ray, which starts threads."""
    with suppress(OSError):
        for name in noted.read_text().split():
            if name.partition(".")[0] not in ("ray", "grpc"):
                with suppress(Exception):
                    importlib.import_module(name)
        noted.unlink()


def _be_command(folder: Path, request: dict[str, Any]) -> None:
    """In the fork: execute the setup, run the command as `python -m tournament` would, and end."""
    output, errors = (os.open(request[name], os.O_WRONLY | os.O_TRUNC | os.O_APPEND) for name in ("output", "errors"))
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, descriptor in enumerate((nothing, output, errors)):
        os.dup2(descriptor, number)
    for descriptor in (nothing, output, errors):
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(request["variables"])
    os.chdir(request["folder"])
    status = 99
    names: dict[str, Any] = {}
    noted = folder / f"modules-{os.getpid()}"
    try:
        _make_consoles_anew()
        exec(request["setup"], names)
        sys.argv = ["tournament", *request["arguments"]]
        from tournament import __main__ as command

        command.fix_hash_seed = lambda: None  # would start the server of forks again
        command.main()
        status = 0
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        with suppress(Exception):
            names.get("after", lambda: None)()
        with suppress(Exception):
            noted.write_text("\n".join(sorted(sys.modules)))
        os._exit(status)


def _make_consoles_anew() -> None:
    """Have them look at the environment that this process has now: how wide a terminal is, whether it has colours."""
    from tournament.cli import consoles

    type(consoles.out).__init__(consoles.out, highlight=False, markup=False)
    type(consoles.err).__init__(consoles.err, stderr=True, highlight=False, markup=False)


# What a command imports late, the forks then have.
_MODULES = (
    "tests.kill_steps",
    "tests.disk_quota",
    "tournament.audit.verification",
    "tournament.runner.executors.local",
)

if __name__ == "__main__":
    for name in _MODULES:
        importlib.import_module(name)
    from tests.contest_runs import SEEDS
    from tournament.keys import master_key

    for seed in SEEDS.values():  # takes a tenth of a second
        master_key(seed)
    tempfile.tempdir = None  # whatever asked for it: a command has that of its environment
    _serve(Path(sys.argv[1]))
