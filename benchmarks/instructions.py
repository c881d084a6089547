"""Time an instruction takes for a unit of fuel, against a plain loop's: `python -m benchmarks.instructions [--all]`.

Fuel limits WebAssembly bots; this is how much time they can take with it. Each row loops over a chain in which every
instruction waits for the one before, as an attacker would write it. Instructions that turn a result into the next
operand cost fuel too.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator

import wasmtime

from engine.wasm.modules import FUEL, read_module
from tournament.worker.wasm.engine import Engine, engine

_TURNS, _CHAIN = 20_000, 16
_PLAIN = "a plain loop"
_TYPES = ("i32", "i64", "f32", "f64")
_WHOLE = {"i32": "i32.const 7", "i64": "i64.const 7", "f32": "f32.const 1.5", "f64": "f64.const 1.5"}
# The bits of a result as an operand of a type.
_BACK = {
    ("i32", "i64"): "i64.extend_i32_u",
    ("i32", "f32"): "f32.reinterpret_i32",
    ("i32", "f64"): "i64.extend_i32_u f64.reinterpret_i64",
    ("i64", "i32"): "i32.wrap_i64",
    ("i64", "f64"): "f64.reinterpret_i64",
    ("i64", "f32"): "i32.wrap_i64 f32.reinterpret_i32",
    ("f32", "i32"): "i32.reinterpret_f32",
    ("f32", "i64"): "i32.reinterpret_f32 i64.extend_i32_u",
    ("f64", "i64"): "i64.reinterpret_f64",
    ("f64", "i32"): "i64.reinterpret_f64 i32.wrap_i64",
    ("f32", "f64"): "i32.reinterpret_f32 i64.extend_i32_u f64.reinterpret_i64",
    ("f64", "f32"): "i64.reinterpret_f64 i32.wrap_i64 f32.reinterpret_i32",
}
_INTEGER_BINARY = [
    "add",
    "sub",
    "mul",
    "div_s",
    "div_u",
    "rem_s",
    "rem_u",
    "and",
    "or",
    "xor",
    "shl",
    "shr_s",
    "shr_u",
    "rotl",
    "rotr",
]
_INTEGER_UNARY = ["clz", "ctz", "popcnt", "extend8_s", "extend16_s"]
_INTEGER_COMPARED = ["eq", "ne", "lt_s", "lt_u", "gt_s", "gt_u", "le_s", "le_u", "ge_s", "ge_u"]
_FLOAT_BINARY = ["add", "sub", "mul", "div", "min", "max", "copysign"]
_FLOAT_UNARY = ["abs", "neg", "ceil", "floor", "trunc", "nearest", "sqrt"]
_FLOAT_COMPARED = ["eq", "ne", "lt", "gt", "le", "ge"]
_VECTOR_UNARY = [
    "v128.not",
    "i8x16.abs",
    "i8x16.popcnt",
    "i16x8.abs",
    "i32x4.abs",
    "i64x2.abs",
    "f32x4.sqrt",
    "f64x2.sqrt",
    "f32x4.nearest",
    "f64x2.ceil",
    "i32x4.trunc_sat_f32x4_s",
    "i32x4.trunc_sat_f32x4_u",
    "i32x4.trunc_sat_f64x2_u_zero",
    "f32x4.convert_i32x4_u",
    "f64x2.convert_low_i32x4_u",
    "f32x4.demote_f64x2_zero",
    "f64x2.promote_low_f32x4",
    "i16x8.extend_high_i8x16_s",
    "i32x4.extadd_pairwise_i16x8_u",
    "i16x8.extadd_pairwise_i8x16_s",
]
_VECTOR_BINARY = [
    "v128.xor",
    "v128.andnot",
    "i8x16.add",
    "i8x16.add_sat_s",
    "i8x16.min_u",
    "i8x16.avgr_u",
    "i8x16.swizzle",
    "i8x16.narrow_i16x8_u",
    "i16x8.mul",
    "i16x8.q15mulr_sat_s",
    "i16x8.extmul_high_i8x16_s",
    "i32x4.mul",
    "i32x4.dot_i16x8_s",
    "i32x4.gt_u",
    "i64x2.mul",
    "i64x2.lt_s",
    "i64x2.extmul_high_i32x4_u",
    "f32x4.div",
    "f32x4.min",
    "f64x2.div",
    "f64x2.max",
    "f64x2.pmin",
]
_VECTOR_SHIFTS = [
    f"{shape}.{name}" for shape in ("i8x16", "i16x8", "i32x4", "i64x2") for name in ("shl", "shr_s", "shr_u")
]
_SUBNORMAL = "0x1p-1060"


def chains() -> Iterator[tuple[str, str, str, str]]:
    """Rows: name, the type of the chain's value, its start, and instructions that take one value to the next."""
    yield _PLAIN, "i32", "i32.const 1", ""
    for kind in ("i32", "i64"):
        for name in _INTEGER_BINARY:
            start = f"{kind}.const -5" if name[:3] in ("div", "rem") else _WHOLE[kind]
            # A quotient by one keeps its size.
            other = f"{kind}.const 1" if name.startswith("div") else _WHOLE[kind]
            yield f"{kind}.{name}", kind, start, f"({other}) {kind}.{name}"
        for name in _INTEGER_UNARY + (["extend32_s"] if kind == "i64" else []):
            yield f"{kind}.{name}", kind, _WHOLE[kind], f"{kind}.{name}"
        back = _BACK.get(("i32", kind), "")
        yield f"{kind}.eqz", kind, _WHOLE[kind], f"{kind}.eqz {back}"
        for name in _INTEGER_COMPARED:
            yield f"{kind}.{name}", kind, _WHOLE[kind], f"({_WHOLE[kind]}) {kind}.{name} {back}"
    for kind in ("f32", "f64"):
        for name in _FLOAT_BINARY:
            yield f"{kind}.{name}", kind, _WHOLE[kind], f"({_WHOLE[kind]}) {kind}.{name}"
        for name in _FLOAT_UNARY:
            yield f"{kind}.{name}", kind, _WHOLE[kind], f"{kind}.{name}"
        for name in _FLOAT_COMPARED:
            yield f"{kind}.{name}", kind, _WHOLE[kind], f"({_WHOLE[kind]}) {kind}.{name} {_BACK['i32', kind]}"
    for name, start in (("mul", _SUBNORMAL), ("add", _SUBNORMAL), ("div", _SUBNORMAL), ("sqrt", _SUBNORMAL)):
        other = "" if name == "sqrt" else f"(f64.const {'0x1p-1061' if name == 'add' else '1'})"
        again = f"drop (f64.const {start})" if name == "sqrt" else ""
        yield f"f64.{name} of a subnormal", "f64", f"f64.const {start}", f"{other} f64.{name} {again}"
    for to in _TYPES:
        for source in _TYPES:
            for text in _conversions(to, source):
                yield text, source, _WHOLE[source], f"{text} {_BACK.get((to, source), '')}"
    yield "select", "i32", _WHOLE["i32"], "(i32.const 3) (local.get $turn) select"
    yield "local.tee", "i32", _WHOLE["i32"], "local.tee $kept"
    yield "global.set, global.get", "i32", _WHOLE["i32"], "global.set $g global.get $g"
    yield "block, br_if", "i32", _WHOLE["i32"], "(block (br_if 0 (local.get $turn)))"
    yield "br_table", "i32", _WHOLE["i32"], "(block (block (block (br_table 0 1 2 (local.get $turn)))))"
    yield "call", "i32", _WHOLE["i32"], "call $same"
    yield "call_indirect", "i32", _WHOLE["i32"], "(call_indirect (type $t) (i32.const 0))"
    for name in ("i32.load", "i32.load8_s", "i32.load16_u"):
        yield name, "i32", "i32.const 0", name
    for name in ("i64.load", "i64.load8_u", "i64.load16_s", "i64.load32_u"):
        yield name, "i64", "i64.const 0", f"i32.wrap_i64 {name}"
    yield "f32.load", "f32", "f32.const 0", "i32.reinterpret_f32 f32.load"
    yield "f64.load", "f64", "f64.const 0", "i64.reinterpret_f64 i32.wrap_i64 f64.load"
    for kind in _TYPES:
        stored = f"local.set ${kind} (i32.const 64) (local.get ${kind}) {kind}.store (i32.const 64) {kind}.load"
        yield f"{kind}.store, load", kind, f"{kind}.const 0", stored
    yield "i32.load across two lines", "i32", "i32.const 62", "i32.load (i32.const 62) i32.or"
    yield "i32.load that misses all caches", "i32", "i32.const 1048576", "i32.load"
    yield "memory.size", "i32", "i32.const 0", "memory.size i32.add"
    yield "memory.grow of 0 pages", "i32", "i32.const 0", "(memory.grow (i32.const 0)) i32.add"
    for size in (0, 1, 64, 4096, 1 << 20):
        for name, given in (("fill", 0), ("copy", 4096)):
            moved = f"(memory.{name} (i32.const 2097152) (i32.const {given}) (i32.const {size}))"
            yield f"memory.{name} of {size:,} bytes", "i32", "i32.const 0", moved
    yield "memory.init of 0 bytes", "i32", "i32.const 0", "(memory.init $d (i32.const 0) (i32.const 0) (i32.const 0))"
    yield "data.drop", "i32", "i32.const 0", "(data.drop $d)"
    ones = "v128.const f64x2 1.5 1.5"
    for name in _VECTOR_UNARY:
        yield name, "v128", ones, name
    for name in _VECTOR_BINARY:
        yield name, "v128", ones, f"({ones}) {name}"
    for name in _VECTOR_SHIFTS:
        yield name, "v128", ones, f"(local.get $turn) {name}"
    yield "i8x16.shuffle", "v128", ones, f"({ones}) i8x16.shuffle 0 17 2 19 4 21 6 23 8 25 10 27 12 29 14 31"
    yield "v128.bitselect", "v128", ones, f"({ones}) ({ones}) v128.bitselect"
    yield "i8x16.bitmask, splat", "v128", ones, "i8x16.bitmask i8x16.splat"
    yield "i64x2.all_true, v128.any_true", "v128", ones, "v128.any_true i8x16.splat i64x2.all_true i8x16.splat"
    lanes = f"f64x2.extract_lane 1 local.set $f64 ({ones}) (local.get $f64) f64x2.replace_lane 0"
    yield "f64x2.extract_lane, replace_lane", "v128", ones, lanes
    yield "v128.load8_lane", "v128", ones, "local.set $v (i32.const 64) (local.get $v) v128.load8_lane 3"


def _conversions(to: str, source: str) -> list[str]:
    """The names of the instructions that convert a number of one type to another."""
    if to[0] == "i" and source[0] == "f":
        found = [f"{to}.trunc_sat_{source}_{sign}" for sign in "su"] + [f"{to}.trunc_{source}_{sign}" for sign in "su"]
        return [*found, f"{to}.reinterpret_{source}"] if to[1:] == source[1:] else found
    if to[0] == "f" and source[0] == "i":
        found = [f"{to}.convert_{source}_{sign}" for sign in "su"]
        return [*found, f"{to}.reinterpret_{source}"] if to[1:] == source[1:] else found
    return {
        ("i32", "i64"): ["i32.wrap_i64"],
        ("i64", "i32"): ["i64.extend_i32_s", "i64.extend_i32_u"],
        ("f32", "f64"): ["f32.demote_f64"],
        ("f64", "f32"): ["f64.promote_f32"],
    }.get((to, source), [])


def module_of(kind: str, start: str, chain: str) -> bytes:
    """A module whose `run` loops over a chain."""
    # A chain whose value leaves an instruction's domain starts again.
    trapping = "trunc_f" in chain or (".load" in chain and "misses" not in start)
    again = f"drop ({start})" if trapping and chain != "i32.load" else ""
    links = f"{chain} {again} " * _CHAIN
    return bytes(
        wasmtime.wat2wasm(
            f"""(module (memory (export "memory") 1024) (type $t (func (param i32) (result i32))) (table 1 funcref)
            (elem (i32.const 0) $same) (data $d "x") (global $g (mut i32) (i32.const 0))
            (func $same (type $t) (local.get 0))
            (func (export "run") (param $turn i32)
                (local $value {kind}) (local $kept i32) (local $i32 i32) (local $i64 i64) (local $f32 f32)
                (local $f64 f64) (local $v v128)
                (local.set $value ({start}))
                (loop $l
                    local.get $value {links} local.set $value
                    (br_if $l (local.tee $turn (i32.sub (local.get $turn) (i32.const 1)))))
                (local.set $value (local.get $value))
                (i32.const 128) (local.get $value) {kind}.store))"""
        )
    )


def nanoseconds(code: bytes, rounds: int = 3) -> float:
    """What a unit of fuel takes, in the module as it plays."""
    code = read_module(code).metered()
    store = wasmtime.Store(engine(Engine.PLAIN))
    exports = wasmtime.Instance(store, wasmtime.Module(engine(Engine.PLAIN), code), []).exports(store)
    memory, run, counter = exports["memory"], exports["run"], exports[FUEL]
    assert isinstance(memory, wasmtime.Memory) and isinstance(run, wasmtime.Func)
    assert isinstance(counter, wasmtime.Global)
    counter.set_value(store, 1 << 60)
    memory.write(store, _ring(1 << 20, 32 << 20), 1 << 20)
    times: list[float] = []
    turns = 200
    while len(times) < rounds:
        before, began = int(counter.value(store)), time.thread_time()
        run(store, turns)
        seconds, fuel = time.thread_time() - began, before - int(counter.value(store))
        if seconds < 2e-3 and turns < _TURNS:
            turns *= 4
            continue
        times.append(seconds / fuel * 1e9)
    return statistics.median(times)


def _ring(start: int, size: int) -> bytes:
    """A linked list of four-byte addresses: one in each cache line, neighbours far apart."""
    lines, step = size // 64, 40_503  # which has no divisor in common with a power of two
    content = bytearray(size)
    for line in range(lines):
        content[64 * line : 64 * line + 4] = (start + 64 * ((line + step) % lines)).to_bytes(4, "little")
    return bytes(content)


def main() -> None:
    parser = argparse.ArgumentParser(description="Price instructions.")
    parser.add_argument("--all", action="store_true", help="all rows, not only those that take thrice a plain loop's")
    options = parser.parse_args()
    plain = 0.0
    print("| instruction | ns a unit of fuel | against a plain loop |\n|---|---|---|")
    for name, kind, start, chain in chains():
        found = nanoseconds(module_of(kind, start, chain))
        plain = plain or found
        if options.all or name == _PLAIN or found > 3 * plain:
            print(f"| {name} | {found:.2f} | {found / plain:.1f} |", flush=True)


if __name__ == "__main__":
    main()
