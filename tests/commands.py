"""The command in the tests' own process, and in forks of a server that has imported everything.

Both take a fraction of a second. A process with threads, as the tests' own is, can't fork. So this module as a script
serves lines of JSON: the options of `_be_command` start a command, and are answered by its process, and the number of a
process is answered by its exit code, once it has ended.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib
import importlib.metadata
import io
import json
import os
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
from typing import Any, NoReturn
from unittest.mock import patch

from tests.processes import wait_until, wait_until_exited
from tournament.cli import consoles
from tournament.cli.commands import main

_REPOSITORY = Path(__file__).parents[1]
# Tests set others, in which nothing of ours must lie.
_TEMPORARY = tempfile.gettempdir()


@dataclass(frozen=True)
class Ended:
    """The end of a command: its exit code, negative for a signal, and its output."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """All that it printed."""
        return self.out + self.err


def run_cli(*words: str, columns: int = 100) -> Ended:
    """Run `tournament` with these words in this process, on a terminal that is none, of this many columns."""
    out, err = io.StringIO(), io.StringIO()
    code = 0
    # Consoles keep the width that they had when they were first imported.
    for console in (consoles.out, consoles.err):
        console.width = columns
    with (
        patch.object(sys, "argv", ["tournament", *words]),
        patch.dict("os.environ", {"COLUMNS": str(columns), "NO_COLOR": "1"}),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
    return Ended(code, out.getvalue(), err.getvalue())


def command(folder: Path, *words: str, columns: int = 100) -> Ended:
    """Run `tournament` with these words in a folder, in this process."""
    with contextlib.chdir(folder):
        return run_cli(*words, columns=columns)


@dataclass(frozen=True)
class Run:
    """A command that was started in a fork."""

    server: Forks
    process: int
    out: Path
    err: Path

    def send(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.process, number)

    def stops(self) -> None:
        """Wait until it has stopped itself, or ended."""
        state = Path(f"/proc/{self.process}/stat")
        assert wait_until(lambda: state.read_text().rpartition(")")[2].split()[0] in "TZ")

    def wait(self, seconds: float = 60.0) -> Ended:
        """Wait for its end. Fail, and kill it, if that takes too long."""
        has_ended = wait_until_exited([self.process], seconds)
        self.send(signal.SIGKILL)
        code = self.server.ask(self.process)
        out, err = (file.read_text(errors="replace") for file in (self.out, self.err))
        assert has_ended, f"took more than {seconds:g} s: {out}{err}"
        return Ended(code, out, err)


@dataclass(frozen=True)
class Forks:
    """A server of forks, which `forks` makes, with a folder for their output."""

    process: subprocess.Popen[str]
    folder: Path

    def ask(self, request: object) -> int:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def start(
        self,
        arguments: Sequence[str],
        setup: str = "",
        variables: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> Run:
        """Start a command after a setup, here or in a folder. In the end call `after`, if the setup defines it."""
        files = Path(tempfile.mkdtemp(dir=self.folder))
        request = {
            "arguments": list(arguments),
            "setup": setup,
            "files": str(files),
            "variables": dict(os.environ if variables is None else variables),
            "folder": str(folder or Path.cwd()),
        }
        return Run(self, self.ask(request), files / "out", files / "err")

    def run(self, arguments: Sequence[str], setup: str = "", **options: Any) -> Ended:
        return self.start(arguments, setup, **options).wait(600)


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
    words, pipe = [sys.executable, "-m", "tests.commands"], subprocess.PIPE
    with subprocess.Popen(words, cwd=code, stdin=pipe, stdout=pipe, text=True) as process:
        yield Forks(process, folder)
        assert process.stdin
        process.stdin.close()


@functools.cache
def shared() -> Forks:
    """Return one server for all tests of this process."""
    kept = contextlib.ExitStack()
    atexit.register(kept.close)
    folder = kept.enter_context(tempfile.TemporaryDirectory(prefix="forks-", dir=_TEMPORARY))
    return kept.enter_context(forks(Path(folder)))


def _be_command(arguments: list[str], setup: str, files: str, variables: dict[str, str], folder: str) -> NoReturn:
    """Execute the setup in the fork, run the command as `python -m tournament` would, and end."""
    for number, name in enumerate((os.devnull, f"{files}/out", f"{files}/err")):
        descriptor = os.open(name, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(folder)
    status = 99
    names: dict[str, Any] = {}
    try:
        from tournament import __main__ as program

        # Consoles look at this environment: how wide a terminal is, and whether it has colours.
        type(consoles.out).__init__(consoles.out, highlight=False, markup=False)
        type(consoles.err).__init__(consoles.err, stderr=True, highlight=False, markup=False)
        exec(setup, names)
        sys.argv = ["tournament", *arguments]
        program.fix_hash_seed = lambda: None  # a second start would be another server of forks
        program.main()
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
_MODULES = """email.parser encodings.utf_8_sig tests.kill_steps tests.disk_quota tournament.audit.verification
tournament.cli.audit tournament.cli.match tournament.cli.run tournament.cli.trial tournament.cli.standings
tournament.runner.executors.local tournament.runner.prepare tournament.rules.contests
tournament.worker.processes.lanes"""


def _serve() -> None:
    for module in _MODULES.split():
        importlib.import_module(module)
    from tests.contest_runs import SEEDS
    from tournament.keys import master_key

    for seed in SEEDS.values():  # Each takes a tenth of a second.
        master_key(seed)
    tempfile.tempdir = None  # A command has the folder of its environment.
    for line in sys.stdin:
        request = json.loads(line)
        if isinstance(request, int):
            answer = os.waitstatus_to_exitcode(os.waitpid(request, 0)[1])
        else:
            answer = os.fork() or _be_command(**request)
        print(answer, flush=True)


if __name__ == "__main__":
    _serve()
