"""The command in forks of a process that has imported everything: a small run takes a fraction of a second.

As a script: reads lines of JSON, {"arguments": […], "setup": Python that the fork executes first, "log": path} to
start one, {"stops": process} to wait until it stops itself and {"wait": process, "seconds": …} for its end; answers
with the process, with 1 if it stopped, or with its exit code, negative for a signal and null when it goes on.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests.contest_runs import REPOSITORY, SEEDS, environment
from tournament.keys import master_key


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code, negative for a signal, None if it hung; and what it said."""

    code: int | None
    said: str


@dataclass(frozen=True)
class Run:
    """A command that was started."""

    server: Forks
    process: int
    log: Path

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
        return Ended(code, self.log.read_text(errors="replace"))


@dataclass(frozen=True)
class Forks:
    """Starts commands; made by `forks`."""

    process: subprocess.Popen[str]
    folder: Path

    def ask(self, request: dict[str, object]) -> int | None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer: int | None = json.loads(self.process.stdout.readline())
        return answer

    def start(self, arguments: Sequence[str], setup: str = "") -> Run:
        """Start a command; its process executes `setup` before."""
        descriptor, log = tempfile.mkstemp(dir=self.folder)
        os.close(descriptor)
        process = self.ask({"arguments": list(arguments), "setup": setup, "log": log})
        assert process is not None
        return Run(self, process, Path(log))

    def run(self, arguments: Sequence[str], setup: str = "") -> Ended:
        return self.start(arguments, setup).wait()


@contextmanager
def forks(folder: Path) -> Iterator[Forks]:
    """A server of forks while the block lasts; logs go to a folder."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.chaos.forks"],
        cwd=REPOSITORY,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Forks(process, folder)
        assert process.stdin
        process.stdin.close()


def _serve() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if "wait" in request:
            print(json.dumps(_wait(request["wait"], request["seconds"])), flush=True)
            continue
        if "stops" in request:
            found = os.waitid(os.P_PID, request["stops"], os.WSTOPPED | os.WEXITED | os.WNOWAIT)
            print(int(found is not None and found.si_code == os.CLD_STOPPED), flush=True)
            continue
        child = os.fork()
        if child == 0:
            _be_command(request["arguments"], request["setup"], request["log"])
        print(child, flush=True)


def _wait(process: int, seconds: float) -> int | None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            _import_all(process)
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    return None


def _import_all(process: int) -> None:
    """Import what a fork had to, before the next one is made."""
    noted = Path(tempfile.gettempdir(), f"modules-{process}")
    with suppress(OSError):
        for name in noted.read_text().split():
            with suppress(Exception):
                importlib.import_module(name)
        noted.unlink()


def _be_command(arguments: list[str], setup: str, log: str) -> None:
    """In the fork: execute the setup, run the command as `python -m tournament` would, and end."""
    output = os.open(log, os.O_WRONLY | os.O_TRUNC)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for number, descriptor in enumerate((nothing, output, output)):
        os.dup2(descriptor, number)
    os.close(output)
    os.close(nothing)
    status = 99
    try:
        exec(setup, {})
        sys.argv = ["tournament", *arguments]
        from tournament.__main__ import main

        main()
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
            Path(tempfile.gettempdir(), f"modules-{os.getpid()}").write_text("\n".join(sorted(sys.modules)))
        os._exit(status)


# What a command imports late, the forks then have.
_MODULES = (
    "tests.crash_server",
    "tests.disk_quota",
    "tournament.audit.verification",
    "tournament.runner.executors.local",
)

if __name__ == "__main__":
    for name in _MODULES:
        importlib.import_module(name)
    for seed in SEEDS.values():  # takes a tenth of a second
        master_key(seed)
    _serve()
