"""The command in forks of a process that has imported everything, so that a small run takes a fraction of a second.

As a script it serves lines of JSON. {"arguments": […], "setup": Python that the fork executes first, "output": path,
"errors": path, "variables": its environment, "folder": where it is} starts a command, and is answered by its process.
{"stops": process} waits until one stops itself, and {"wait": process, "seconds": …} for its end. The answer is 1 if it
stopped, or its exit code, which is negative for a signal, and null if it continues.
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
import traceback
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
    """The end of a command.

    Attributes:
        code: Exit code, negative for a signal, None if it hung.
        said: Output, with standard error unless that went to a file of its own.
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
        """Wait until it has stopped itself, and return False if it ended before."""
        return bool(self.server.ask({"stops": self.process}))

    def wait(self, seconds: float = 60.0) -> Ended:
        """Wait for its end, and kill it if that takes too long."""
        code = self.server.ask({"wait": self.process, "seconds": seconds})
        if code is None:
            self.send(signal.SIGKILL)
            self.server.ask({"wait": self.process, "seconds": 10})
        return Ended(code, self.output.read_text(errors="replace"))


@dataclass(frozen=True)
class Forks:
    """A server of forks, which `forks` makes."""

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
        """Start a command after a setup, here or in a folder. In the end call `after`, if the setup defines it."""
        output = self.new_file()
        request = {
            "arguments": list(arguments),
            "setup": setup,
            "output": str(output),
            "errors": str(errors or output),
            "variables": dict(os.environ if variables is None else variables),
            "folder": str(folder or Path.cwd()),
        }
        process = self.ask(request)
        assert process is not None
        return Run(self, process, output)

    def run(self, arguments: Sequence[str], setup: str = "") -> Ended:
        return self.start(arguments, setup).wait()


def copy_for_everybody(folder: Path) -> Path:
    """Return a copy of the packages that every user can read, since only its owner may be able to enter a clone.

    Of what is installed there, only versions are read late.
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
    """Yield a server of forks of the code in a folder, whose output goes to another folder."""
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
    """Return one server for all tests of this process."""
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
    """Run the command after a setup, with this environment and no input, to its end."""
    server = shared()
    errors = server.new_file()
    run = server.start(arguments, setup, errors, variables, folder)
    ended = run.wait(seconds)
    assert ended.code is not None, f"took more than {seconds:g} s: {ended.said}{errors.read_text(errors='replace')}"
    done = subprocess.CompletedProcess(list(arguments), ended.code, ended.said, errors.read_text(errors="replace"))
    run.output.unlink()
    errors.unlink()
    return done


def _serve() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            print(json.dumps(_wait(request["wait"], request["seconds"])), flush=True)
        elif "stops" in request:
            found = os.waitid(os.P_PID, request["stops"], os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            print(int(found is not None and found.si_code == os.CLD_STOPPED), flush=True)
        else:
            child = os.fork()
            if child == 0:
                _be_command(request)
            print(child, flush=True)


def _wait(process: int, seconds: float) -> int | None:
    descriptor = os.pidfd_open(process)
    has_ended = select.select([descriptor], [], [], seconds)[0]
    os.close(descriptor)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) if has_ended else None


def _be_command(request: dict[str, Any]) -> None:
    """Execute the setup in the fork, run the command as `python -m tournament` would, and end."""
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
    try:
        from tournament import __main__ as command
        from tournament.cli import consoles

        # Consoles look at this environment: how wide a terminal is, and whether it has colours.
        type(consoles.out).__init__(consoles.out, highlight=False, markup=False)
        type(consoles.err).__init__(consoles.err, stderr=True, highlight=False, markup=False)
        exec(request["setup"], names)
        sys.argv = ["tournament", *request["arguments"]]
        command.fix_hash_seed = lambda: None  # a second start would be another server of forks
        command.main()
        status = 0
    except SystemExit as leaving:
        status = leaving.code if isinstance(leaving.code, int) else 0
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        with suppress(Exception):
            names.get("after", lambda: None)()
        os._exit(status)


# Modules that commands import late, without Ray, which starts threads.
_MODULES = (
    "email.parser",
    "encodings.utf_8_sig",
    "tests.kill_steps",
    "tests.disk_quota",
    "tournament.audit.verification",
    "tournament.cli.audit",
    "tournament.cli.match",
    "tournament.cli.run",
    "tournament.cli.trial",
    "tournament.cli.standings",
    "tournament.runner.executors.local",
    "tournament.runner.prepare",
    "tournament.rules.contests",
    "tournament.worker.processes.lanes",
)

if __name__ == "__main__":
    for name in _MODULES:
        importlib.import_module(name)
    from tests.contest_runs import SEEDS
    from tournament.keys import master_key

    for seed in SEEDS.values():  # Each takes a tenth of a second.
        master_key(seed)
    tempfile.tempdir = None  # A command has the folder of its environment.
    _serve()
