"""Trouble with one bot concerns no other: whatever fails while it is found, read, built and tried is its alone."""

from __future__ import annotations

import sys
import threading
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import wasmtime

from tests.support import build_folder
from tournament.artifacts.bot import Entrant, Submission
from tournament.cache import cache_folder
from tournament.entrants import own_trial
from tournament.errors import RunError
from tournament.sandbox.outside.process_time import MachineBusyError
from tournament.worker.processes import python_bots

MARK = "concerns_only_me"
GOOD = {"good.py": "def a(bot): return 1\ndef b(bot, bet): return 1\n", "other.py": "a = b = lambda *_: 2\n"}
TEXT = f"""(module (memory (export "memory") 1) (data (i32.const 64) "{MARK} %d")
    (func (export "a") (param i32) (result i32) (i32.const 0))
    (func (export "b") (param i32) (result i32) (i32.const 0)))"""
# By kind: the file, and its text with a number that makes it new.
VICTIMS: dict[str, tuple[str, Callable[[int], str | bytes]]] = {
    "python": (f"{MARK}.py", lambda n: f"# {MARK} {n}\n" + GOOD["good.py"]),
    "wasm": (f"{MARK}.wasm", lambda n: bytes(wasmtime.wat2wasm(TEXT % n))),
    "c": (
        f"{MARK}.c",
        lambda n: (
            f"int a(const Bot *f) {{ return {n % 10**9}; }}\nint b(const Bot *f, int x) {{ return 1; }}\n// {MARK}\n"
        ),
    ),
    "program": (f"{MARK}/bot.sh", lambda n: f"read line # {MARK} {n}\n"),
}
RECIPE = 'build = ["true"]\ncommand = ["sh", "bot.sh"]\n'
# The packages whose functions touch a bot before it plays.
ROOMS = ("tournament.entrants", "tournament.artifacts", "tournament.worker", "tournament.sandbox.outside")
# These decide for all bots, or are the border itself.
BORDER = {
    "our_error",
    "find_submissions",
    "_read_entry",
    "_is_compiled",
    "building",
    "build_entrants",
    "build_entrant",
    "build",
    "build_alone",
}


class Injected(Exception):
    """An error of our own code."""


class Hooks:
    """Wraps every function of the rooms: notes which are called with something of the victim's, and fails in one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.called: dict[str, None] = {}
        self.failing, self.error = "", Exception()
        self._lock = threading.Lock()
        wrapped: dict[int, Any] = {}
        for name, module in list(sys.modules.items()):
            if not name.startswith("tournament"):
                continue
            for attribute, value in list(vars(module).items()):
                if not isinstance(value, types.FunctionType) or value.__name__ in BORDER:
                    continue
                if value.__module__.startswith(ROOMS):
                    monkeypatch.setattr(module, attribute, wrapped.setdefault(id(value), self._wrap(value)))

    def _wrap(self, function: types.FunctionType) -> Callable[..., Any]:
        name = f"{function.__module__}.{function.__qualname__}"

        def hook(*arguments: Any, **more: Any) -> Any:
            if any(map(_is_victims, (*arguments, *more.values()))):
                with self._lock:
                    self.called[name] = None
                if name == self.failing:
                    raise self.error
            return function(*arguments, **more)

        hook.__dict__.update(vars(function))
        return hook


def _is_victims(value: object) -> bool:
    if isinstance(value, Submission):
        return value.name == MARK
    if isinstance(value, bytes):
        return MARK.encode() in value
    return isinstance(value, str | Path) and Path(str(value)[-4000:]).name.startswith(MARK)


@pytest.mark.slow
@pytest.mark.parametrize("kind", VICTIMS)
def test_own_error_at_one_bot_changes_no_other(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started = time.time_ns()  # nothing is in the cache already

    def built(number: int, *, alone: bool = False) -> dict[str, Entrant]:
        folder = tmp_path / str(number)
        folder.mkdir()
        file, text = VICTIMS[kind]
        sources: dict[str, str | bytes] = {**GOOD}
        if kind == "program" and not alone:
            (folder / MARK).mkdir()
            (folder / MARK / "bot.toml").write_text(RECIPE)
        if not alone:
            sources[file] = text(started + number)
        return build_folder(folder, sources)

    expected = built(-1, alone=True)
    hooks = Hooks(monkeypatch)
    assert built(0)[MARK].problem is None
    sites = list(hooks.called)
    assert len(sites) >= 10, sites
    for number, hooks.failing in enumerate(sites, 1):
        hooks.error = MemoryError() if number % 3 == 0 else Injected(f"in {hooks.failing}\nwith a second line")
        found = built(number)
        victim = found.pop(next(name for name in found if name.startswith(MARK)))
        assert found == expected, hooks.failing
        assert victim.artifact is None and victim.problem, hooks.failing
        if "set aside in this run" in victim.problem:
            assert number % 3 == 0, victim.problem
            continue
        assert len(victim.problem.splitlines()) == 1 and "please report it" in victim.problem
        traceback = Path(victim.problem.partition("please report it, with ")[2])
        assert traceback.is_relative_to(cache_folder()) and type(hooks.error).__name__ in traceback.read_text()


def test_machine_that_fails_own_trial_ends_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the trial succeeds, a bot that fails twice is set aside, and the others play."""

    def refused(*_: object, **__: object) -> None:
        raise MachineBusyError("the system ended its process, for want of memory perhaps")

    monkeypatch.setattr(python_bots, "try_start", refused)
    with pytest.raises(RunError, match="the system ended its process"):
        build_folder(tmp_path, {"fresh.py": f"# {time.time_ns()}\n" + GOOD["good.py"]})
    monkeypatch.setattr(own_trial, "require_machine", lambda *_: None)
    built = build_folder(tmp_path, {"other.wasm": VICTIMS["wasm"][1](1)})
    assert built["other"].problem is None
    assert "is set aside in this run" in (built["fresh"].problem or "")
