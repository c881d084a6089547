"""Prices of instructions in modules with fuel."""

from __future__ import annotations

import pytest
import wasmtime

from engine.wasm.modules import FUEL, read_module
from tournament.worker.wasm.engine import Engine, engine


def module(text: str) -> bytes:
    return bytes(wasmtime.wat2wasm(f"(module {text})"))


def run(text: str, argument: int, fuel: int = 10**9) -> tuple[object, int]:
    """Return the result of a module's "a", or its trap, and the fuel that it took."""
    store = wasmtime.Store(engine(Engine.PLAIN))
    code = wasmtime.Module(store.engine, read_module(module(text)).metered())
    exports = wasmtime.Instance(store, code, []).exports(store)
    a, counter = exports["a"], exports[FUEL]
    assert isinstance(a, wasmtime.Func) and isinstance(counter, wasmtime.Global)
    counter.set_value(store, fuel)
    try:
        given: object = a(store, argument)
    except wasmtime.Trap as trap:
        given = trap.trap_code
    return given, fuel - int(counter.value(store))


# Five units a turn, and one way out: whoever calls goes on, and may call again.
TURNS = """(local.set 0 (i32.const 1000))
    (loop $l (br_if $l (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))"""
WAYS_OUT = {
    "a return": f"(func $f (param i32) {TURNS} (return))",
    "a throw of a callee": f"(tag $e) (func $g (throw $e)) (func $f (param i32) {TURNS} (call $g))",
    "a throw within a loop": f"(tag $e) (func $f (param i32) (loop {TURNS} (throw $e)))",
    "several results": f"(func $f (param i32) (call $g) (drop) (drop)) (func $g (result i32 i32) (local i32) {TURNS}"
    " (i32.const 1) (i32.const 2))",
    "a trap": f"(func $f (param i32) {TURNS} (unreachable))",
}


@pytest.mark.parametrize("way", WAYS_OUT)
def test_left_function_is_paid_in_full(way: str) -> None:
    catching = "(block $h (try_table (catch_all $h) (call $f (i32.const 0))))"
    text = f"""{WAYS_OUT[way]} (memory 1) (func (export "a") (param i32) (result i32) {catching} {catching}
        (i32.const 1))"""
    given, fuel = run(text, 0)
    times = 2 if given == 1 else 1
    thrown = 400 if "(throw" in WAYS_OUT[way] else 0
    assert (5_000 + thrown) * times < fuel < (5_040 + thrown) * times


def test_call_pays_for_each_result() -> None:
    """Otherwise a few instructions could return thousands of values."""
    taken = {}
    for count in (1, 2, 100):
        given = " ".join(["i32"] * count)
        text = f"""(func $g (result {given}) {"(i32.const 1)" * count}) (func $f (result {given}) (call $g))
            (func (export "a") (param i32) (result i32) (call $f) {"drop " * (count - 1)})"""
        taken[count] = run(text, 0)[1]
    # One to make it, and one for each of both calls that hand it on.
    assert taken[2] - taken[1] == 3 and taken[100] - taken[1] == 3 * 99


PRICES = {
    "(f64.div (f64.const 3) (f64.const 2)) drop": 3,
    "(i64.rem_s (i64.const 3) (i64.const 2)) drop": 3,
    "(f32x4.div (v128.const i64x2 1 2) (v128.const i64x2 1 2)) drop": 3,
    "(memory.fill (i32.const 0) (i32.const 1) (i32.const 40000))": 4 + 10_000,
    "(memory.grow (i32.const 0)) drop": 401,
    "(block $h (try_table (catch_all $h) (throw $e)))": 401,
}


def test_each_instruction_has_its_price() -> None:
    text = '(tag $e) (memory 1) (func (export "a") (param i32) (result i32) {} (i32.const 1))'
    assert {code: run(text.format(code), 0)[1] - run(text.format(""), 0)[1] for code in PRICES} == PRICES


def test_only_functions_that_return_constants_are_constant() -> None:
    functions = {
        "zero": "(result i32) (i32.const 0)",
        "wide": "(param i32 i64) (result i64) (i64.const -5)",
        "calls": "(result i32) (call $zero)",
        "counts": "(result i32) (global.set $n (i32.add (global.get $n) (i32.const 1))) (i32.const 0)",
        "empty": "",
    }
    text = "".join(f'(func ${name} (export "{name}") {body})' for name, body in functions.items())
    built = module(f"(global $n (mut i32) (i32.const 0)) {text}")
    assert read_module(built).constant_functions([*functions, "missing"]) == {"zero", "wide"}
