"""Random modules play alike with fuel and without, in every engine, and pay for what they do."""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import Sequence
from functools import cache
from hashlib import sha256

import pytest
import wasmtime

from engine.wasm.modules import FUEL as COUNTER
from engine.wasm.modules import Refused, read_module
from tournament.leg import Unfit
from tournament.worker.wasm import calls
from tournament.worker.wasm.engine import Engine, engine_settings
from tournament.worker.wasm.loading import read_bot

FUEL = 10**8
ARGUMENTS = ((0, 0), (1, -1), (-(2**31), -1), (65533, 7))
EDGES = (0, 1, 2, 3, -1, 2**31 - 1, -(2**31), 65532, 65533, 65536, 131068)
NANS = ("-0x1.8p+300", "nan:0x4000000000001", "-nan:0x8000000000002", "-0")
TOTAL = ("add", "sub", "mul", "and", "or", "xor", "shl", "rotl", "lt_s", "shr_s")
PARTIAL = ("div_s", "div_u", "rem_s", "rem_u")  # most of these don't trap
VARIABLES = "(local i32 i32 f64 i32 i32 i32)"
CALL = "(call $f{later} {i} {i})"
LOOP = (
    "(local.set {counter} (i32.const {turns})) (block $end (loop $l (br_if $end (i32.le_s (local.get {counter})"
    " (i32.const 0))) {s} (local.set {counter} (i32.sub (local.get {counter}) (i32.const 1))) (br $l)))"
)
# What each kind stands for, with weights: `s` for statements, `i` for whole numbers, `f` for floats, and their parts.
# LAST is for what is nested deepest.
LAST: dict[str, dict[str, int]] = {
    "s": {"(nop)": 1},
    "i": {"(local.get {i32})": 1, "(i32.const {edge})": 1, "(global.get $g)": 1},
    "f": {"(local.get 4)": 1, "(f64.const {nan})": 1, "(f64.load {address})": 1},
}
GRAMMAR: dict[str, dict[str, int]] = {
    "s": {
        "(local.set 2 {i})": 1,
        "(local.set 3 {i})": 1,
        "(global.set $g {i})": 1,
        "(i32.store offset={store} {address} {i})": 1,
        "(if (i32.eq {i} (i32.const 3)) (then {leave}))": 1,
        "(local.set 4 {f})": 2,
        "(f64.store {address} {f})": 1,
        "(if {i} (then {s}))": 1,
        LOOP: 1,
    },
    "leave": {"(return (i32.const 5))": 10, "(throw $e {i})": 5, "(unreachable)": 1},
    "address": {"(i32.and (local.get {i32}) (i32.const 0xfff0))": 9, "(i32.const {edge})": 1},
    "f": {
        "(f64.{two_floats} {f} {f})": 2,
        "(f64.{two_floats} {f} (f64.convert_i32_s {i}))": 2,
        "(f64.{one_float} {f})": 1,
        "(f64.promote_f32 (f32.sqrt (f32.neg (f32.demote_f64 {f}))))": 1,
        "(local.tee 4 {f})": 1,
        "(f64.reinterpret_i64 (i64.reinterpret_f64 {f}))": 1,
        "(block $l (result f64) (drop (br_if $l {f} {i})) (local.get 4))": 1,
        "(if (result f64) {i} (then {f}) (else (f64.load {address})))": 1,
        "(select {f} (local.get 4) {i})": 1,
        "(block $l (result f64) (try_table (result f64) (catch $e64 $l) (throw $e64 {f})))": 1,
        # What is never run must stay valid.
        "(block $l (result f64) (br $l {f}) (f64.sqrt) (local.set 4) (local.get 4))": 1,
    },
    "i": {
        "(i32.{total} {i} {i})": 14,
        "(i32.{partial} {i} (i32.or (i32.const 1) (i32.and (i32.const 1023) {i})))": 5,
        "(i32.{partial} {i} {i})": 1,
        "(i32.load8_s offset={load} {address})": 10,
        "(if (result i32) {i} (then {i}) (else {s} {i}))": 10,
        "(block $l (result i32) (drop (br_if $l {i} {i})) {i})": 10,
        "(block $l (result i32) (block $m (result i32) (br_table $l $m $l {i} {i})))": 10,
        "(select {i} {i} (local.get 1))": 10,
        "(i32.trunc_sat_f64_s {f})": 9,
        "(i32.trunc_f64_s {f})": 1,
        "(i32.wrap_i64 (i64.shr_u (i64.reinterpret_f64 {f}) (i64.const 32)))": 10,
        "(local.tee 2 {i})": 10,
        CALL: 20,
        "(call_indirect (type $t) {i} {i} (i32.const {place}))": 10,
        "(memory.grow (i32.const {pages}))": 10,
        "(i32x4.extract_lane 2 (i32x4.mul (i32x4.splat {i}) (i32x4.splat {i})))": 10,
        "(block $l (result i32) (try_table (result i32) (catch $e $l) {i}))": 10,
    },
}
WORDS: dict[str, Sequence[object]] = {
    "i32": range(4),
    "edge": EDGES,
    "nan": NANS,
    "store": (*[4] * 30, 65000),
    "load": (*[3] * 30, 65535),
    "total": TOTAL,
    "partial": PARTIAL,
    "one_float": ("neg", "abs", "sqrt"),
    "two_floats": ("add", "sub", "mul", "div", "min", "max", "copysign"),
    "turns": (0, 1, 2, 9, 40),
    "pages": (0, 1, 2, 9),
}
WILD = re.compile(r"loop|throw|catch|call_indirect|memory\.grow|i32x4")


class Writer:
    """A writer of functions of two integers that return one. Each calls only later ones, so that all end."""

    def __init__(self, seed: int, *, wild: bool = True) -> None:
        self.random = random.Random(seed)
        self.wild = wild
        self.functions = self.random.randint(1, 5)
        self.loops = 0

    def module(self) -> str:
        functions = [
            f"(func $f{number} (param i32 i32) (result i32) {VARIABLES}"
            f" {self.drawn('s', number, 4)} {self.drawn('s', number, 4)} {self.drawn('i', number, 5)})"
            for number in range(self.functions)
        ]
        table = " ".join(f"$f{number}" for number in range(self.functions))
        return (
            "(module (type $t (func (param i32 i32) (result i32))) (tag $e (param i32)) (tag $e64 (param f64))"
            ' (memory (export "memory") 1 3)'
            f" (global $g (mut i32) (i32.const 9)) {' '.join(functions)}"
            f" (table 8 8 funcref) (elem (i32.const 1) {table})"
            ' (func (export "a") (param i32 i32) (result i32) (call $f0 (local.get 0) (local.get 1)))'
            ' (func (export "g") (result i32) (global.get $g)))'
        )

    def drawn(self, kind: str, of: int, depth: int) -> str:
        """Something of a kind, in a function of this number, with others in it to this depth."""
        choices = LAST[kind] if depth <= 0 and kind in LAST else GRAMMAR[kind]
        impossible = {CALL} if of + 1 == self.functions else set()
        impossible |= {LOOP} if self.loops == 3 else set()
        impossible |= set() if self.wild else {text for text in choices if WILD.search(text)}
        allowed = {text: weight for text, weight in choices.items() if text not in impossible}
        (text,) = self.random.choices(list(allowed), list(allowed.values()))
        self.loops += text == LOOP
        counter = 4 + self.loops

        def fill(found: re.Match[str]) -> str:
            what = found[1]
            if what in GRAMMAR:
                return self.drawn(what, of, min(depth, 3) - 1 if what == "f" else depth - 1)
            if what == "counter":
                return f"{counter}"
            if what == "later":
                return f"{self.random.randint(of + 1, self.functions - 1)}"
            if what == "place":  # a later function or none, so that no call returns to its caller
                return f"{self.random.choice((*range(of + 2, self.functions + 1), *range(of + 2, 9)))}"
            return f"{self.random.choice(WORDS[what])}"

        return re.sub(r"{(\w+)}", fill, text)


@cache
def engine(kind: Engine, *, by_runtime: bool = False, canonical: bool = False) -> wasmtime.Engine:
    config = wasmtime.Config()
    more = {"consume_fuel": by_runtime, "cranelift_nan_canonicalization": canonical}
    calls.apply(engine_settings(kind) | more, config)
    return wasmtime.Engine(config)


def outcome(code: bytes, kind: Engine) -> tuple[list[tuple[object, ...]], list[int]]:
    """Return how calls of a module end, what they change, and the fuel that each took, if it is counted.

    Where it isn't, the runtime makes NaNs canonical.
    """
    store = wasmtime.Store(engine(kind, canonical=COUNTER.encode() not in code))
    store.set_epoch_deadline(1 << 40)
    exports = wasmtime.Instance(store, wasmtime.Module(store.engine, code), []).exports(store)
    a, g, memory = exports["a"], exports["g"], exports["memory"]
    assert isinstance(a, wasmtime.Func) and isinstance(g, wasmtime.Func) and isinstance(memory, wasmtime.Memory)
    counter = exports.get(COUNTER)
    ended: list[tuple[object, ...]] = []
    taken: list[int] = []
    for arguments in ARGUMENTS:
        if isinstance(counter, wasmtime.Global):
            counter.set_value(store, FUEL)
        try:
            how: object = a(store, *arguments)
        except wasmtime.Trap as trap:
            how = trap.trap_code
        except wasmtime.WasmtimeError as error:
            how = str(error).splitlines()[-1]  # an exception that no one caught
        if isinstance(counter, wasmtime.Global):
            taken.append(FUEL - int(counter.value(store)))
        ended.append((how, g(store), memory.size(store), sha256(bytes(memory.read(store))).digest()))
    return ended, taken


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [range(60), pytest.param(range(1000, 9_000), marks=pytest.mark.thorough)])
def test_random_modules_play_the_same_with_fuel(seeds: range) -> None:
    ends = 0
    for seed in seeds:
        code = bytes(wasmtime.wat2wasm(Writer(seed, wild=bool(seed % 2)).module()))
        counted = read_module(code).metered()
        ended, fuel = outcome(counted, Engine.PLAIN)
        assert outcome(code, Engine.PLAIN) == (ended, []), seed
        assert outcome(counted, Engine.TIMED) == (ended, fuel), seed
        work_is_paid(counted, seed)
        ends += sum(type(how) is int for how, *_ in ended)
    assert len(seeds) < ends < 4 * len(seeds), "too few that end, or that trap"


# A unit of fuel allows this many instructions at most, those included that count it: a loop of one unit has nine more.
MAX_WORK, WORK_MORE = 12, 100
FUEL_OF_MUTATED = 100_000


# What only the counter, the variables beside it and the way a start function is called would make valid.
IN_A_FUNCTION = (
    "(global.set 1 (i64.const 9))",
    *(f"(drop ({what}))" for what in ("global.get 1", "local.get 8", "local.get 9")),
)


def mutated(seed: int) -> bytes:
    """Return a module with changed or repeated bytes, or with references to what the meter adds."""
    chosen = random.Random(seed)
    text = Writer(seed // 25).module()
    if seed % 10 == 0:
        return bytes(wasmtime.wat2wasm(text.replace(VARIABLES, VARIABLES + chosen.choice(IN_A_FUNCTION))))
    if seed % 10 == 1:
        return bytes(wasmtime.wat2wasm(f"{text[:-1]} (start $s) (func $s (result i32) (i32.const 1)))"))
    code = bytearray(wasmtime.wat2wasm(text))
    for _ in range(chosen.randint(1, 3)):
        place, other = chosen.randrange(8, len(code)), chosen.randrange(8, len(code))
        length = chosen.choice((1, 1, 1, 2, 4))
        code[place : place + length] = chosen.choice((bytes([chosen.randrange(256)]), code[other : other + length]))
    return bytes(code)


def work_is_paid(counted: bytes, seed: int) -> int:
    """Call a module with fuel, compare its counter with the runtime's, and return the number of calls."""
    # Each store has four gigabytes of addresses, so it is closed.
    with contextlib.closing(wasmtime.Store(engine(Engine.PLAIN, by_runtime=True))) as store:
        store.set_fuel(FUEL)
        try:
            exports = wasmtime.Instance(store, wasmtime.Module(store.engine, counted), []).exports(store)
        except (wasmtime.Trap, wasmtime.WasmtimeError) as error:  # the module imports something, or its data don't fit
            assert "(os error" not in str(error)
            return 0
        a, counter = exports.get("a"), exports[COUNTER]
        if not isinstance(a, wasmtime.Func) or [str(kind) for kind in a.type(store).params] != ["i32", "i32"]:
            return 0
        assert isinstance(counter, wasmtime.Global)
        for arguments in ARGUMENTS:
            counter.set_value(store, FUEL_OF_MUTATED)
            store.set_fuel(FUEL)
            with contextlib.suppress(wasmtime.Trap, wasmtime.WasmtimeError):
                a(store, *arguments)
            taken = FUEL_OF_MUTATED - int(counter.value(store))
            assert FUEL - store.get_fuel() <= MAX_WORK * taken + WORK_MORE, (seed, arguments)
        return len(ARGUMENTS)


@pytest.mark.parametrize("seeds", [range(300), pytest.param(range(1000, 101_000), marks=pytest.mark.thorough)])
def test_mutated_modules_are_valid_and_pay_for_work(seeds: range) -> None:
    """Modules that are valid with fuel were valid without it, and pay for work on every way out of a function."""
    taken = calls_made = 0
    for seed in seeds:
        code = mutated(seed)
        try:
            counted = read_bot(code, 64).metered()
        except (Unfit, Refused):
            continue
        wasmtime.Module.validate(engine(Engine.PLAIN), code)
        wasmtime.Module.validate(engine(Engine.PLAIN), counted)
        taken += 1
        calls_made += work_is_paid(counted, seed)
    assert taken > len(seeds) / 20 and calls_made > taken, "too few that are valid, or that run"
