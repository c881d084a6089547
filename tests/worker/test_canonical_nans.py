"""Modules whose NaNs are made canonical where they show, against the runtime that makes every result canonical.

The second is the oracle: the same module, another way. Both must give the same bits, whatever NaNs go in.
"""

from __future__ import annotations

import struct
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


def assembled(text: str) -> bytes:
    return bytes(wasmtime.wat2wasm(f"(module {text})"))


def outcome(code: bytes, *, everywhere: bool) -> tuple[object, bytes]:
    """What is left of running a module's "run": how it ended, and the memory, bit by bit."""
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


def rewritten(code: bytes) -> bytes:
    """The module as it plays."""
    return read_module(code).metered()


def assert_equal_bits(code: bytes) -> None:
    assert outcome(rewritten(code), everywhere=False) == outcome(code, everywhere=True)


# Each of these shows the float `x` that comes on the stack: the stack is then as it was before `x`, and the bits of it
# in memory at $to. `{t}` is its type, `{i}` whole numbers of its width; `{load}` reads one with any bits.
SHOWN = {
    "stored": "(local.set $i ({i}.reinterpret_{t})) ({i}.store (local.get $to) (local.get $i))",
    "in memory": "(local.set $f) ({t}.store (local.get $to) (local.get $f))",
    "kept and dropped": "(local.tee $f) (drop) ({t}.store (local.get $to) (local.get $f))",
    "copied": "(local.set $f) (local.set $g (local.get $f)) ({t}.store (local.get $to) (local.get $g))",
    "negated": "({t}.neg) (local.set $f) ({t}.store (local.get $to) (local.get $f))",
    "absolute": "({t}.abs) (local.set $f) ({t}.store (local.get $to) (local.get $f))",
    "sign": "(local.set $f) ({t}.store (local.get $to) ({t}.copysign ({t}.const 1) (local.get $f)))",
    "magnitude": "({t}.const -1) ({t}.copysign) (local.set $f) ({t}.store (local.get $to) (local.get $f))",
    "twice": "(local.tee $f) (local.get $f) (local.set $g) (local.set $f)"
    " ({t}.store (local.get $to) (local.get $g)) ({t}.store offset=8 (local.get $to) (local.get $f))",
    "global": "(global.set ${t}) ({t}.store (local.get $to) (global.get ${t}))",
    "called": "(call $bits_{t}) (local.set $i) ({i}.store (local.get $to) (local.get $i))",
    "called indirectly": "(i32.const {index}) (call_indirect (param {t}) (result {i})) (local.set $i)"
    " ({i}.store (local.get $to) (local.get $i))",
    "given back": "(call $same_{t}) (local.set $f) ({t}.store (local.get $to) (local.get $f))",
    "selected": "{load} (local.get $to) (i32.const 16) (i32.and) (select) (local.set $f)"
    " ({t}.store (local.get $to) (local.get $f))",
    "selected of its like": "(local.tee $f) (local.get $f) ({t}.sqrt) (i32.const 1) (select (result {t}))"
    " (local.set $f) ({t}.store (local.get $to) (local.get $f))",
    "left by a block": "(local.set $g) (block (result {t}) (local.get $g) (br_if 0 (local.get $to)) (drop) {load})"
    " (local.set $f) ({t}.store (local.get $to) (local.get $f))",
    "left by an if": "(local.set $g) (if (result {t}) (i32.and (local.get $to) (i32.const 16))"
    " (then (local.get $g) ({t}.neg)) (else {load})) (local.set $f) ({t}.store (local.get $to) (local.get $f))",
    "taken by a loop": "(loop (param {t}) (result {i}) ({i}.reinterpret_{t})) (local.set $i)"
    " ({i}.store (local.get $to) (local.get $i))",
    "by a table of branches": "(local.set $g) (block (result {t}) (block (result {t}) (local.get $g)"
    " (br_table 0 1 (i32.and (local.get $to) (i32.const 16)))) ({t}.neg)) (local.set $f)"
    " ({t}.store (local.get $to) (local.get $f))",
    "in a variable with a constant": "(local.set $f) (if (i32.and (local.get $to) (i32.const 16))"
    " (then (local.set $f ({t}.const -nan:0x212345)))) ({t}.store (local.get $to) (local.get $f))",
    "in a variable with what was read": "(local.set $f) (if (i32.and (local.get $to) (i32.const 16))"
    " (then (local.set $f {load}))) ({t}.store (local.get $to) (local.get $f))",
    "over a copied variable": "(local.set $f) (local.set $g (local.get $f)) (local.set $f {load})"
    " ({t}.store (local.get $to) (local.get $g)) ({t}.store offset=8 (local.get $to) (local.get $f))",
    "in a parameter": "(i32.and (local.get $to) (i32.const 16)) (call $kept_{t}) (local.set $f)"
    " ({t}.store (local.get $to) (local.get $f))",
    "one of several": "(call $several_{t}) (local.set $f) (drop) ({t}.store (local.get $to) (local.get $f))",
    "thrown": "(local.set $f) (block $caught (result {t}) (try_table (catch $thrown_{t} $caught)"
    " (throw $thrown_{t} (local.get $f))) (unreachable)) (local.set $g) ({t}.store (local.get $to) (local.get $g))",
    "thrown by a call, and again": "(local.set $f) (block $caught (result {t}) (try_table (catch $thrown_{t} $caught)"
    " (block $again (result {t} exnref) (try_table (catch_ref $thrown_{t} $again) (call $throws_{t} (local.get $f)))"
    " (unreachable)) (throw_ref)) (unreachable)) (local.set $g) ({t}.store (local.get $to) (local.get $g))",
    "left where something may be caught": "(local.set $g) (block $caught (block (result {t})"
    " (try_table (result {t}) (catch_all $caught) (local.get $g))) (local.set $f)) ({t}.store (local.get $to)"
    " (local.get $f))",
    "caught or not": "(local.set $g) (block $caught (result {t}) (try_table (catch $thrown_{t} $caught)"
    " (if (i32.and (local.get $to) (i32.const 16)) (then (throw $thrown_{t} {load})))) (local.get $g))"
    " (local.set $f) ({t}.store (local.get $to) (local.get $f))",
    "in a variable over a throw": "(local.set $f) (block $caught (try_table (catch_all $caught) (local.set $f"
    " ({t}.neg (local.get $f))) (throw $thrown_{t} (local.get $g)))) ({t}.store (local.get $to) (local.get $f))",
    "a lane": "({t}x{n}.splat) (local.set $v) (v128.store (local.get $to) (local.get $v))",
    "replaced lane": "(local.set $f) (v128.store (local.get $to)"
    " ({t}x{n}.replace_lane 1 (v128.const i64x2 -1 -1) (local.get $f)))",
}  # fmt: skip
_WHOLE = {"f32": "i32", "f64": "i64"}
_HELPERS = "".join(
    f"(func $bits_{t} (param {t}) (result {i}) ({i}.reinterpret_{t} (local.get 0)))"
    f"(func $same_{t} (param {t}) (result {t}) (local {t}) (local.tee 1 (local.get 0)))"
    f"(func $kept_{t} (param {t} i32) (result {t})"
    f" (if (local.get 1) (then (local.set 0 ({t}.sqrt (local.get 0))))) (local.get 0))"
    f"(func $several_{t} (param {t}) (result i32 {t}) (i32.const 5) (local.get 0))"
    f"(tag $thrown_{t} (param {t})) (func $throws_{t} (param {t}) (throw $thrown_{t} (local.get 0)))"
    f"(global ${t} (mut {t}) ({t}.const 0))"
    for t, i in _WHOLE.items()
)
_IN, _OUT = 1024, 65536


def _shown(way: str, kind: str) -> str:
    whole = _WHOLE[kind]
    load = f"({kind}.load (local.get $y))"
    index = 0 if kind == "f32" else 1
    return SHOWN[way].format(t=kind, i=whole, n=4 if kind == "f32" else 2, load=load, index=index)


def _operations() -> Iterator[tuple[str, str, str]]:
    """Every instruction that gives a float for floats: type taken, type given, on what is read at $x and $y."""
    for kind in ("f32", "f64"):
        x, y = f"({kind}.load (local.get $x))", f"({kind}.load (local.get $y))"
        yield from ((kind, kind, f"({kind}.{name} {x})") for name in UNARY)
        yield from ((kind, kind, f"({kind}.{name} {x} {y})") for name in BINARY)
        yield kind, kind, x
        yield kind, kind, f"({kind}.neg ({kind}.add {x} {y}))"
        yield kind, kind, f"({kind}.abs ({kind}.neg ({kind}.mul {x} {y})))"
        yield kind, kind, f"({kind}.copysign ({kind}.sub {x} {y}) ({kind}.div {y} {x}))"
    yield "f64", "f32", "(f32.demote_f64 (f64.load (local.get $x)))"
    yield "f32", "f64", "(f64.promote_f32 (f32.load (local.get $x)))"
    yield "f64", "f64", "(f64.promote_f32 (f32.demote_f64 (f64.load (local.get $x))))"


def _escaped(data: bytes) -> str:
    return "".join(f"\\{byte:02x}" for byte in data)


def _module_of(functions: Sequence[tuple[int, str]]) -> bytes:
    """A module that calls each function for all pairs of inputs of its width.

    A function has the addresses $x and $y of what goes in, and $to, with 16 bytes of its own for what it shows.
    """
    inputs = struct.pack(f"<{len(BITS32)}I", *BITS32), struct.pack(f"<{len(BITS64)}Q", *BITS64)
    data = "".join(
        f'(data (i32.const {place}) "{_escaped(packed)}")' for place, packed in zip((_IN, _IN + 512), inputs)
    )
    pairs = len(BITS32) ** 2
    pages = 2 + len(functions) * pairs * 16 // 65536
    bodies = "".join(
        f"(func $f{n} (param $x i32) (param $y i32) (param $to i32) {text})" for n, (_, text) in enumerate(functions)
    )
    calls = []
    for n, (width, _) in enumerate(functions):
        start, count = (_IN, len(BITS32)) if width == 4 else (_IN + 512, len(BITS64))
        numbers = (n + 2, start, start + width * count, width)
        calls.append(f"(call $all {' '.join(f'(i32.const {number})' for number in numbers)})")
    table = " ".join(f"$f{n}" for n in range(len(functions)))
    return assembled(
        f"""(type $function (func (param i32 i32 i32)))
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
        (func (export "run") {"".join(calls)})"""
    )


@pytest.mark.parametrize("way", SHOWN)
def test_every_instruction_shows_the_bits_that_the_runtime_would(way: str) -> None:
    functions = []
    for taken, given_, text in _operations():
        i = _WHOLE[given_]
        variables = f"(local $f {given_}) (local $g {given_}) (local $i {i}) (local $v v128)"
        # In the wider of two types $y need not be an address of the result's type: any bits will do.
        functions.append((4 if taken == "f32" else 8, f"{variables} {text} {_shown(way, given_)}"))
    assert_equal_bits(_module_of(functions))


VECTORS = {
    "f32x4": (*UNARY, *BINARY[:-1], "pmin", "pmax"),
    "f64x2": (*UNARY, *BINARY[:-1], "pmin", "pmax"),
}


def test_every_instruction_on_vectors_likewise() -> None:
    functions = []
    x, y = "(v128.load32_splat (local.get $x))", "(v128.load64_splat offset=512 (local.get $y))"
    for shape, names in VECTORS.items():
        for name in names:
            operands = x if name in UNARY else f"{x} {y}"
            for text in (f"({shape}.{name} {operands})", f"({shape}.{name} {y if name in UNARY else f'{y} {x}'})"):
                functions.append((4, f"(v128.store (local.get $to) {text})"))
                functions.append((4, f"(f64.store (local.get $to) (f64x2.extract_lane 1 {text}))"))
    for name in ("f32x4.demote_f64x2_zero", "f64x2.promote_low_f32x4"):
        functions += [(4, f"(v128.store (local.get $to) ({name} {operand}))") for operand in (x, y)]
    assert_equal_bits(_module_of(functions))
