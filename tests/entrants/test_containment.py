"""Trouble with one bot concerns no other: what fails while it is read, built and tried is its own."""

from __future__ import annotations

import time
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest
import wasmtime

from tests.support import build_folder
from tournament.cache import cache_folder
from tournament.entrants import own_trial
from tournament.errors import RunError
from tournament.sandbox.outside.process_time import MachineBusyError
from tournament.worker.processes import python_bots

GOOD = {"good.py": "def a(bot): return 1\ndef b(bot, bet): return 1\n", "other.py": "a = b = lambda *_: 2\n"}
MODULE = """(module (memory (export "memory") 1)
    (func (export "a") (param i32) (result i32) (i32.const 0))
    (func (export "b") (param i32) (result i32) (i32.const 0)))"""


@pytest.mark.parametrize("site", ["folder.read_submission", "build._artifact", "build._try_module"])
@pytest.mark.parametrize("error", [ZeroDivisionError("in ours\nwith a second line"), MemoryError()])
def test_own_error_at_one_bot_changes_no_other(
    site: str, error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = f"tournament.entrants.{site}"
    function = resolve_name(place)

    def fail(*arguments: Any) -> Any:
        if any(str(getattr(one, "name", "")).startswith("mine") for one in arguments):
            raise error
        return function(*arguments)

    expected = build_folder(tmp_path, GOOD)
    monkeypatch.setattr(place, fail)
    is_module = site.endswith("_module")
    mine = {"mine.wasm": bytes(wasmtime.wat2wasm(MODULE))} if is_module else {"mine.py": GOOD["good.py"]}
    found = build_folder(tmp_path, {**GOOD, **mine})
    problem = found.pop(next(name for name in found if name.startswith("mine"))).problem
    assert found == expected and problem
    if isinstance(error, MemoryError) and "read" not in site:
        assert "set aside in this run" in problem
        return
    traceback = Path(problem.partition("please report it, with ")[2])
    assert len(problem.splitlines()) == 1 and traceback.is_relative_to(cache_folder())
    assert type(error).__name__ in traceback.read_text()


def test_machine_that_fails_own_trial_ends_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the trial succeeds, a bot that fails twice is set aside, and the others play."""

    def refused(*_: object, **__: object) -> None:
        raise MachineBusyError("the system ended its process, for want of memory perhaps")

    monkeypatch.setattr(python_bots, "try_start", refused)
    with pytest.raises(RunError, match="the system ended its process"):
        build_folder(tmp_path, {"fresh.py": f"# {time.time_ns()}\n" + GOOD["good.py"]})
    monkeypatch.setattr(own_trial, "require_machine", lambda *_: None)
    built = build_folder(tmp_path, {"other.wasm": bytes(wasmtime.wat2wasm(MODULE))})
    assert built["other"].problem is None
    assert "is set aside in this run" in (built["fresh"].problem or "")
