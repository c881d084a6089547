"""Hostile bots in C, C++ and WebAssembly: one file each in webassembly/."""

from __future__ import annotations

import faulthandler
from pathlib import Path

import pytest
import wasmtime

from tests.hostile.field import GOOD, Ground, assert_good_ones_are_untouched, assert_verdicts, bots_in, nothing_survives
from tournament.records.results import Results

# Without the shell, which reads byte by byte: it plays beside hostile modules in test_mixed_field.
SWIFT = {name: source for name, source in GOOD.items() if name != "plain"}


@pytest.mark.slow
def test_hostile_webassembly_disturbs_no_bot(
    tmp_path: Path, scratch: Path, alone: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert faulthandler.is_enabled()
    # What is there to be used up takes a quarter of the time.
    monkeypatch.setattr("tournament.contests.settings.DECISION_FUEL", 10_000_000)
    monkeypatch.setattr("tournament.artifacts.compiler_run._MAX_MEGABYTES", 1024)
    bots = bots_in("webassembly")
    ground = Ground(tmp_path)
    ground.prepare(bots, SWIFT)
    has = '(memory (export "memory") 1) (func (export "a") (param i32) (result i32) (i32.const 5))'
    imports = '(import "env" "rand" (func (result i32)))' * 100_000
    exports = "".join(f'(export "{number}" (func 0))' for number in range(100_000))
    for name, text in {
        "takes_hours_to_compile": hard_to_compile(5000, 100),
        "hard_without_fuel": hard_to_compile(3000, 60, is_called=False),
        "many_imports": f"(module {imports} {has})",
        "many_exports": f"(module {exports} {has})",
    }.items():
        (ground.entrants / f"{name}.wasm").write_bytes(wasmtime.wat2wasm(text))
    (ground.entrants / "no_webassembly.wasm").write_bytes(b"\0asm" + bytes(range(256)) * 100)
    with nothing_survives(scratch):
        results = ground.play()
    assert_verdicts(results, bots)
    lines = results.entrants.set_index("name")
    for name in ("takes_hours_to_compile", "hard_without_fuel", "no_webassembly"):
        assert lines.loc[name].status == "broken" and len(lines.loc[name].reason) < 500
        assert "to be compiled to machine code" in lines.loc[name].reason or name == "no_webassembly"
    assert lines.loc["many_imports"].reason == "has 100,000 imports; at most 100 are allowed"
    assert lines.loc["many_exports"].reason == "has 100,002 exports; at most 1,000 are allowed"
    assert_good_ones_are_untouched(results, alone, SWIFT)
    ground.assert_secret_is_kept(results)


def hard_to_compile(variables: int, loops: int, *, is_called: bool = True) -> str:
    """Return a module that takes the compiler time by variables times loops, more if fuel isn't counted.

    Where it isn't called, nothing but its compilation is hard.
    """
    lines = [
        f"(local.set {1 + i * 7 % variables} (i32.add (local.get {1 + i}) (local.get 0)))" for i in range(variables)
    ]
    locals_ = "(local " + " i32" * variables + ")"
    return f"""(module (memory (export "memory") 1)
        (func (export "{"a" if is_called else "hard"}") (param i32) (result i32) {locals_}
            {"(loop " * loops} {"".join(lines)} {"(br_if 0 (local.get 0)))" * loops} (local.get 1))
        {"" if is_called else '(func (export "a") (param i32) (result i32) (i32.const 5))'}
        (func (export "b") (param i32) (result i32) (i32.const 1)))"""
