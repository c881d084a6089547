"""Hostile bots in C, C++ and WebAssembly: one file each in webassembly/."""

from __future__ import annotations

import faulthandler
from pathlib import Path

import pytest
import wasmtime

import tournament
from tests.hostile.field import (
    CONTEST,
    GOOD,
    HERE,
    Ground,
    assert_good_ones_are_untouched,
    assert_verdicts,
    bots_in,
    nothing_survives,
)
from tournament.records.results import Results

# This many sessions make more than 100 decisions.
SESSIONS = 30
# Without the shell, which reads byte by byte: it plays beside hostile modules in test_mixed_field.
SWIFT = {name: source for name, source in GOOD.items() if name != "plain"}


@pytest.fixture(scope="module")
def alone_for_long(tmp_path_factory: pytest.TempPathFactory, scratch: Path) -> Results:
    ground = Ground(tmp_path_factory.mktemp("alone"))
    ground.prepare([], SWIFT)
    return ground.play(sessions=SESSIONS)


@pytest.fixture(autouse=True)
def little_fuel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournament.contests.settings.DECISION_FUEL", 10_000_000)


@pytest.mark.slow
def test_hostile_webassembly(
    tmp_path: Path, scratch: Path, alone_for_long: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert faulthandler.is_enabled()
    # What is there to be used up takes a quarter of the time.
    monkeypatch.setattr("tournament.artifacts.compiler_run._MOST_MEGABYTES", 1024)
    bots = bots_in("webassembly")
    ground = Ground(tmp_path)
    ground.prepare(bots, SWIFT)
    hard = ground.entrants / "takes_hours_to_compile.wasm"
    hard.write_bytes(wasmtime.wat2wasm(hard_to_compile(5000, 100)))
    (ground.entrants / "hard_without_fuel.wasm").write_bytes(
        wasmtime.wat2wasm(hard_to_compile(3000, 60, is_called=False))
    )
    for what, item in {
        "imports": '(import "env" "rand" (func (result i32)))',
        "exports": '(export "$" (func 0))',
    }.items():
        items = "".join(item.replace("$", str(number)) for number in range(100_000))
        functions = '(func (export "a") (param i32) (result i32) (i32.const 5))'
        text = f'(module {items} (memory (export "memory") 1) {functions})'
        (ground.entrants / f"many_{what}.wasm").write_bytes(wasmtime.wat2wasm(text))
    (ground.entrants / "no_webassembly.wasm").write_bytes(b"\0asm" + bytes(range(256)) * 100)
    endless = "x" * 90_000
    (ground.entrants / "endless_name.wasm").write_bytes(
        wasmtime.wat2wasm(f'(module (import "{endless}" "{endless}" (func)) (memory (export "memory") 1))')
    )
    with nothing_survives(scratch):
        results = ground.play(sessions=SESSIONS)
    assert_verdicts(results, bots)
    lines = results.entrants.set_index("name")
    assert lines.loc["takes_hours_to_compile"].status == "broken"
    assert "to be compiled to machine code" in lines.loc["takes_hours_to_compile"].reason
    assert lines.loc["hard_without_fuel"].status == "broken"
    assert "to be compiled to machine code" in lines.loc["hard_without_fuel"].reason
    assert lines.loc["many_imports"].reason == "has 100,000 imports; at most 100 are allowed"
    assert lines.loc["many_exports"].reason == "has 100,002 exports; at most 1,000 are allowed"
    assert lines.loc["no_webassembly"].status == "broken"
    assert lines.loc["endless_name"].status == "broken"
    assert len(lines.loc["endless_name"].reason) < 500
    assert_good_ones_are_untouched(results, alone_for_long, SWIFT)
    ground.assert_secret_is_kept(results)


def test_a_bot_that_writes_over_its_view_plays_as_its_honest_twin(tmp_path: Path) -> None:
    ground = Ground(tmp_path)
    ground.prepare([], {name: GOOD[name] for name in ("steady.c", "loose.cpp")})
    twin = tmp_path / "writes_over_nothing.c"
    twin.write_text(
        "int a(const Bot *bot) { return bot->card > 0.6f ? 30 : 0; }"
        "int b(const Bot *bot, const int bet) { return bot->card > 0.5f; }"
    )
    writer = HERE / "webassembly" / "writes_over_its_bot.c"
    report = tournament.match(CONTEST, writer, baseline=twin, entrants=ground.entrants, sessions=SESSIONS)
    assert not report.disqualified and not report.faults
    assert [one.difference.value for one in report.opponents if one.difference] == [0, 0]


def hard_to_compile(variables: int, loops: int, *, is_called: bool = True) -> str:
    """A module on which the compiler's work grows with variables times loops, more so where fuel isn't counted.

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
        (func (export "b") (param i32 i32) (result i32) (i32.const 1)))"""
