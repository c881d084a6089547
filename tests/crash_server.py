"""Runs the command again and again, each time in a fresh process that kills itself at a step of storing.

A step is a call that changes what is on disk, or waits for it to be there.
Started as a script: reads a line of JSON {"step": n, "arguments": […]} (0: no
kill), runs it in a fork, since importing takes longer than a small run, and
answers {"status": exit code or -signal, "steps": how many were taken, "error": …}.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable
from typing import IO, Any

from tests.contest_runs import SEEDS
from tournament.cli import commands as cli
from tournament.keys import master_key
from tournament.store.folder_storage import FolderStorage

_lock = threading.Lock()
_taken = 0


def kill_at(step: int, number: int = signal.SIGKILL) -> None:
    """Let this process be killed, or get another signal, at the beginning of its so manieth step."""

    def counted(function: Callable[..., Any]) -> Callable[..., Any]:
        def take(*arguments: Any, **options: Any) -> Any:
            global _taken
            with _lock:
                _taken += 1
                if _taken == step:
                    os.kill(os.getpid(), number)
            return function(*arguments, **options)

        return take

    for module_name in ("fsync", "link", "replace", "rename", "unlink", "mkdir"):
        setattr(os, module_name, counted(getattr(os, module_name)))
    for verb in ("open_staged", "finish_staged"):
        setattr(FolderStorage, verb, counted(getattr(FolderStorage, verb)))


def run_child(step: int, arguments: list[str], log: IO[str]) -> int:
    """In the fork: run the command as `python -m tournament` would."""
    sys.argv = ["tournament", *arguments]
    sys.stdout = sys.stderr = log
    kill_at(step)
    try:
        cli.main()
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 0
    except BaseException:
        traceback.print_exc(file=log)
        return 99
    return 0


def serve() -> None:
    for seed in SEEDS.values():  # takes a tenth of a second, which children then have behind them
        master_key(seed)
    for line in sys.stdin:
        request = json.loads(line)
        with tempfile.TemporaryFile("w+") as log:
            reading, writing = os.pipe()
            child = os.fork()
            if child == 0:
                status = run_child(request["step"], request["arguments"], log)
                log.flush()
                with open(writing, "w") as report:
                    json.dump({"steps": _taken, "modules": sorted(sys.modules)}, report)
                os._exit(status)
            os.close(writing)
            with open(reading) as stream:
                report = json.loads(stream.read() or '{"steps": 0, "modules": []}')
            _, status = os.waitpid(child, 0)
            for name in report["modules"]:  # what was imported late: from now on, before the fork
                with contextlib.suppress(Exception):
                    importlib.import_module(name)
            log.seek(0)
            answer = {"status": os.waitstatus_to_exitcode(status), "steps": report["steps"], "error": log.read()}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve()
