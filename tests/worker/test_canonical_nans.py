"""Modules whose NaNs are made canonical where they show, against the runtime that makes every result canonical.

The second is the oracle: the same module, another way. Both must give the same bits, whatever NaNs go in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
import wasmtime

from engine.wasm.modules import FUEL as COUNTER
from engine.wasm.modules import read_module
from tests.worker.test_engines_agree import engine
from tournament.worker.wasm.engine import Engine

FUEL = 10**9

# Canonical, with a sign, with payloads, signalling, with all bits; then numbers, zeros and infinities.
BITS32 = (0x7FC00000, 0xFFC00000, 0x7FC12345, 0xFFE54321, 0x7F812345, 0xFF800001, 0xFFFFFFFF,
          0x3F800000, 0x80000000, 0x7F800000, 0xFF800000, 0x00000001)  # fmt: skip
BITS64 = (0x7FF8 << 48, 0xFFF8 << 48, 0x7FF8123456789ABC, 0xFFFC << 48, 0x7FF4000000000001, 0xFFF0000000000001,
          (1 << 64) - 1, 0x3FF0 << 48, 1 << 63, 0x7FF0 << 48, 0xFFF0 << 48, 1)  # fmt: skip
UNARY = ("abs", "neg", "ceil", "floor", "trunc", "nearest", "sqrt")
BINARY = ("add", "sub", "mul", "div", "min", "max", "copysign")


def outcome(code: bytes, *, everywhere: bool) -> tuple[object, bytes]:
    """Return how a module's "run" ended, and its memory."""
    store = wasmtime.Store(engine(Engine.PLAIN, canonical=everywhere))
    exports = wasmtime.Instance(store, wasmtime.Module(store.engine, code), []).exports(store)
    run, memory, counter = exports["run"], exports["memory"], exports.get(COUNTER)
    assert isinstance(run, wasmtime.Func) and isinstance(memory, wasmtime.Memory)
    if isinstance(counter, wasmtime.Global):
        counter.set_value(store, FUEL)
    try:
        ended: object = run(store)
    except wasmtime.Trap as trap:
        ended = trap.trap_code
    return ended, bytes(memory.read(store))


def assert_equal_bits(code: bytes) -> None:
    """Check that a module gives the same bits with fuel and in the oracle."""
    assert outcome(read_module(code).metered(), everywhere=False) == outcome(code, everywhere=True)


# Each of these shows the float `x` that comes on the stack: the stack is then as it was before `x`, and the bits of it
# in memory at $to. `{t}` is its type, `{i}` whole numbers of its width, `{n}` how many make a vector.
SHOWN = {
    "in memory": "{take_f}",
    "kept and dropped": "(local.tee $f) (drop) {keep_f}",
    "absolute": "({t}.abs) {take_f}",
    "sign": "(local.set $f) ({t}.store (local.get $to) ({t}.copysign ({t}.const 1) (local.get $f)))",
    "magnitude": "({t}.const -1) ({t}.copysign) {take_f}",
    "global": "(global.set ${t}) ({t}.store (local.get $to) (global.get ${t}))",
    "called indirectly": "(i32.const {index}) (call_indirect (param {t}) (result {i})) {keep_i}",
    "selected": "{load} {now_and_then} (select) {take_f}",
    "left by a block": "(local.set $g) (block (result {t}) (local.get $g) (br_if 0 (local.get $to)) (drop) {load})"
    " {take_f}",
    "taken by a loop": "(loop (param {t}) (result {i}) ({i}.reinterpret_{t})) {keep_i}",
    "by a table of branches": "(local.set $g) (block (result {t}) (block (result {t}) (local.get $g) (br_table 0 1"
    " {now_and_then})) ({t}.neg)) {take_f}",
    "in a variable with a constant": "(local.set $f) (if {now_and_then} (then (local.set $f ({t}.const"
    " -nan:0x212345)))) {keep_f}",
    "over a copied variable": "(local.set $f) (local.set $g (local.get $f)) (local.set $f {load}) {keep_g} {beside}",
    "in a parameter": "{now_and_then} (call $kept_{t}) {take_f}",
    "one of several": "(call $several_{t}) (local.set $f) (drop) {keep_f}",
    "thrown by a call, and again": "(local.set $f) (block $caught (result {t}) (try_table (catch $thrown_{t} $caught)"
    " (block $again (result {t} exnref) (try_table (catch_ref $thrown_{t} $again) (call $throws_{t} (local.get $f)))"
    " (unreachable)) (throw_ref)) (unreachable)) (local.set $g) {keep_g}",
    "caught or not": "(local.set $g) (block $caught (result {t}) (try_table (catch $thrown_{t} $caught) (if"
    " {now_and_then} (then (throw $thrown_{t} {load})))) (local.get $g)) {take_f}",
    "in a variable over a throw": "(local.set $f) (block $caught (try_table (catch_all $caught) (local.set $f"
    " ({t}.neg (local.get $f))) (throw $thrown_{t} (local.get $g)))) {keep_f}",
    "replaced lane": "(local.set $f) (v128.store (local.get $to) ({t}x{n}.replace_lane 1 (v128.const i64x2 -1 -1)"
    " (local.get $f)))",
}  # fmt: skip
_WHOLE = {"f32": "i32", "f64": "i64"}
_HELPERS = "".join(
    f"(func $bits_{t} (param {t}) (result {i}) ({i}.reinterpret_{t} (local.get 0)))"
    f"(func $kept_{t} (param {t} i32) (result {t})"
    f" (if (local.get 1) (then (local.set 0 ({t}.sqrt (local.get 0))))) (local.get 0))"
    f"(func $several_{t} (param {t}) (result i32 {t}) (i32.const 5) (local.get 0))"
    f"(tag $thrown_{t} (param {t})) (func $throws_{t} (param {t}) (throw $thrown_{t} (local.get 0)))"
    f"(global ${t} (mut {t}) ({t}.const 0))"
    for t, i in _WHOLE.items()
)
_IN, _OUT = 1024, 65536


def _shown(way: str, kind: str) -> str:
    keeps = {f"keep_{name}": f"({kind}.store (local.get $to) (local.get ${name}))" for name in "fg"}
    return SHOWN[way].format(
        t=kind,
        i=_WHOLE[kind],
        n=4 if kind == "f32" else 2,
        index=0 if kind == "f32" else 1,
        load=f"({kind}.load (local.get $y))",  # any bits
        now_and_then="(i32.and (local.get $to) (i32.const 16))",
        take_f=f"(local.set $f) {keeps['keep_f']}",
        keep_i=f"(local.set $i) ({_WHOLE[kind]}.store (local.get $to) (local.get $i))",
        beside=f"({kind}.store offset=8 (local.get $to) (local.get $f))",
        **keeps,
    )


def _operations() -> Iterator[tuple[str, str, str]]:
    """Yield the parameter type, the result type and the text of each instruction that returns a float for floats."""
    for kind in ("f32", "f64"):
        x, y = f"({kind}.load (local.get $x))", f"({kind}.load (local.get $y))"
        yield from ((kind, kind, f"({kind}.{name} {x})") for name in UNARY)
        yield from ((kind, kind, f"({kind}.{name} {x} {y})") for name in BINARY)
        yield kind, kind, x
        yield kind, kind, f"({kind}.neg ({kind}.add {x} {y}))"
        yield kind, kind, f"({kind}.copysign ({kind}.sub {x} {y}) ({kind}.div {y} {x}))"
    yield "f64", "f32", "(f32.demote_f64 (f64.load (local.get $x)))"
    yield "f32", "f64", "(f64.promote_f32 (f32.load (local.get $x)))"
    yield "f64", "f64", "(f64.promote_f32 (f32.demote_f64 (f64.load (local.get $x))))"


def _module_of(functions: Sequence[tuple[int, str]]) -> bytes:
    """Return a module that calls each function for all pairs of inputs of its width.

    A function has the addresses $x and $y of what goes in, and $to, with 16 bytes of its own for what it shows.
    """
    data = ""
    for place, width, numbers in ((_IN, 4, BITS32), (_IN + 512, 8, BITS64)):
        packed = "".join(f"\\{byte:02x}" for number in numbers for byte in number.to_bytes(width, "little"))
        data += f'(data (i32.const {place}) "{packed}")'
    pairs = len(BITS32) ** 2
    pages = 2 + len(functions) * pairs * 16 // 65536
    bodies = "".join(
        f"(func $f{n} (param $x i32) (param $y i32) (param $to i32) {text})" for n, (_, text) in enumerate(functions)
    )
    calls = []
    for n, (width, _) in enumerate(functions):
        start, count = (_IN, len(BITS32)) if width == 4 else (_IN + 512, len(BITS64))
        passed = (n + 2, start, start + width * count, width)
        calls.append(f"(call $all {' '.join(f'(i32.const {number})' for number in passed)})")
    table = " ".join(f"$f{n}" for n in range(len(functions)))
    return bytes(
        wasmtime.wat2wasm(
            f"""(module (type $function (func (param i32 i32 i32)))
        (memory (export "memory") {pages}) {data} {_HELPERS}
        (table {len(functions) + 2} funcref) (elem (i32.const 0) $bits_f32 $bits_f64 {table})
        (global $to (mut i32) (i32.const {_OUT})) {bodies}
        (func $all (param $f i32) (param $first i32) (param $end i32) (param $step i32) (local $x i32) (local $y i32)
          (local.set $x (local.get $first))
          (loop $each
            (local.set $y (local.get $first))
            (loop $pair
              (call_indirect (type $function) (local.get $x) (local.get $y) (global.get $to) (local.get $f))
              (global.set $to (i32.add (global.get $to) (i32.const 16)))
              (br_if $pair (i32.lt_u (local.tee $y (i32.add (local.get $y) (local.get $step))) (local.get $end))))
            (br_if $each (i32.lt_u (local.tee $x (i32.add (local.get $x) (local.get $step))) (local.get $end)))))
        (func (export "run") {"".join(calls)}))"""
        )
    )


@pytest.mark.parametrize("way", SHOWN)
def test_every_instruction_shows_bits_of_canonical_runtime(way: str) -> None:
    functions = []
    for taken, given_, text in _operations():
        i = _WHOLE[given_]
        variables = f"(local $f {given_}) (local $g {given_}) (local $i {i}) (local $v v128)"
        # In the wider of two types $y need not be an address of the result's type: any bits will do.
        functions.append((4 if taken == "f32" else 8, f"{variables} {text} {_shown(way, given_)}"))
    assert_equal_bits(_module_of(functions))


def test_every_vector_instruction_shows_bits_of_canonical_runtime() -> None:
    functions = []
    x, y = "(v128.load32_splat (local.get $x))", "(v128.load64_splat offset=512 (local.get $y))"
    for shape in ("f32x4", "f64x2"):
        for name in (*UNARY, *BINARY[:-1], "pmin", "pmax"):
            for operands in (x, y) if name in UNARY else (f"{x} {y}", f"{y} {x}"):
                text = f"({shape}.{name} {operands})"
                functions.append((4, f"(v128.store (local.get $to) {text})"))
                functions.append((4, f"(f64.store (local.get $to) (f64x2.extract_lane 1 {text}))"))
    for name in ("f32x4.demote_f64x2_zero", "f64x2.promote_low_f32x4"):
        functions += [(4, f"(v128.store (local.get $to) ({name} {operand}))") for operand in (x, y)]
    assert_equal_bits(_module_of(functions))
