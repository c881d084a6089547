"""Random modules play alike with fuel and without, in every engine, and pay for what they do."""

from __future__ import annotations

import contextlib
import random
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
BINARY = ("add", "sub", "mul", "div_s", "div_u", "rem_s", "rem_u", "and", "or", "xor", "shl", "shr_s", "rotl", "lt_s")
FLOATS = ("add", "sub", "mul", "div", "min", "max", "copysign")
EDGES = (0, 1, 2, 3, -1, 2**31 - 1, -(2**31), 65532, 65533, 65536, 131068)
ARGUMENTS = ((0, 0), (1, -1), (-(2**31), -1), (65533, 7))


class Writer:
    """Writes functions of two whole numbers that give one; each calls only later ones, so that all come to an end.

    `wild`: also with what has no bound: loops, exceptions, calls through the table, memory that grows, vectors.
    """

    def __init__(self, seed: int, *, wild: bool) -> None:
        self.random = random.Random(seed)
        self.functions = self.random.randint(1, 5)
        self.labels = self.loops = 0
        self.wild = wild

    def module(self) -> str:
        functions = [
            f"(func $f{number} (param i32 i32) (result i32) (local i32 i32 f64 i32 i32 i32)"
            f" {self.statement(number, 4)} {self.statement(number, 4)} {self.whole(number, 5)})"
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

    def statement(self, of: int, depth: int) -> str:
        if depth <= 0:
            return "(nop)"
        one = self.whole(of, depth - 1)
        kinds = ["2", "3", "global", "store", "leave", "fraction", "fraction", "shown", "if"]
        kinds += ["loop"] * (self.loops < 3 and self.wild)
        match self.random.choice(kinds):
            case "global":
                return f"(global.set $g {one})"
            case "store":
                return f"(i32.store offset={self.random.choice((*[4] * 30, 65000))} {self.address()} {one})"
            case "leave":
                ways = [
                    "(return (i32.const 5))",
                    *(["(unreachable)"] if self.random.random() < 0.1 else []),
                    *([f"(throw $e {one})"] if self.wild else []),
                ]
                return f"(if (i32.eq {one} (i32.const 3)) (then {self.random.choice(ways)}))"
            case "if":
                return f"(if {one} (then {self.statement(of, depth - 1)}))"
            case "fraction":
                return f"(local.set 4 {self.fraction(of, min(depth, 3))})"
            case "shown":
                return f"(f64.store {self.address()} {self.random.choice(('(local.get 4)', self.fraction(of, 2)))})"
            case "loop":
                return self.loop(of, depth)
            case local:
                return f"(local.set {local} {one})"

    def loop(self, of: int, depth: int) -> str:
        self.loops += 1
        counter, label = 4 + self.loops, self.label()
        return (
            f"(local.set {counter} (i32.const {self.random.choice((0, 1, 2, 9, 40))})) (block {label}x (loop {label}"
            f" (br_if {label}x (i32.le_s (local.get {counter}) (i32.const 0))) {self.statement(of, depth - 1)}"
            f" (local.set {counter} (i32.sub (local.get {counter}) (i32.const 1))) (br {label})))"
        )

    def label(self) -> str:
        self.labels += 1
        return f"$l{self.labels}"

    def address(self) -> str:
        masked = f"(i32.and (local.get {self.random.randint(0, 2)}) (i32.const 0xfff0))"
        return self.random.choice((*[masked] * 9, f"(i32.const {self.random.choice(EDGES)})"))

    def fraction(self, of: int, depth: int) -> str:
        if depth <= 0:
            edges = ("-0x1.8p+300", "nan:0x4000000000001", "-nan:0x8000000000002", "-0")
            constant = f"(f64.const {self.random.choice(edges)})"
            return self.random.choice(("(local.get 4)", constant, f"(f64.load {self.address()})"))
        one, label = self.fraction(of, depth - 1), self.label()
        whole = self.whole(of, depth - 1)
        kinds = ["both"] * 3 + ["one", "narrow", "tee", "bits", "block", "if", "select", "dead"] + ["try"] * self.wild
        match self.random.choice(kinds):
            case "both":
                which = self.random.choice(FLOATS)
                return f"(f64.{which} {one} {self.random.choice((one, f'(f64.convert_i32_s {whole})'))})"
            case "one":
                return f"(f64.{self.random.choice(('neg', 'abs', 'sqrt'))} {one})"
            case "narrow":
                return f"(f64.promote_f32 (f32.sqrt (f32.neg (f32.demote_f64 {one}))))"
            case "tee":
                return f"(local.tee 4 {one})"
            case "bits":
                return f"(f64.reinterpret_i64 (i64.reinterpret_f64 {one}))"
            case "block":
                return f"(block {label} (result f64) (drop (br_if {label} {one} {whole})) (local.get 4))"
            case "if":
                return f"(if (result f64) {whole} (then {one}) (else (f64.load {self.address()})))"
            case "select":
                return f"(select {one} (local.get 4) {whole})"
            case "try":
                return f"(block {label} (result f64) (try_table (result f64) (catch $e64 {label}) (throw $e64 {one})))"
            case _:  # what is never run must stay valid
                return f"(block {label} (result f64) (br {label} {one}) (f64.sqrt) (local.set 4) (local.get 4))"

    def whole(self, of: int, depth: int) -> str:
        if depth <= 0:
            edge = f"(i32.const {self.random.choice(EDGES)})"
            return self.random.choice((f"(local.get {self.random.randint(0, 3)})", edge, "(global.get $g)"))
        one, other = self.whole(of, depth - 1), self.whole(of, depth - 1 - self.random.randint(0, 1))
        kinds = ["both", "both", "load", "if", "block", "table", "select", "whole", "bits", "tee"]
        kinds += ["call"] * 2 * (of + 1 < self.functions) + ["indirect", "grow", "vector", "try"] * self.wild
        label = self.label()
        match self.random.choice(kinds):
            case "both":
                which = self.random.choice(BINARY)
                if "_" in which and self.random.random() < 0.9:  # mostly it doesn't trap
                    other = f"(i32.or (i32.const 1) (i32.and (i32.const 1023) {other}))"
                return f"(i32.{which} {one} {other})"
            case "load":
                return f"(i32.load8_s offset={self.random.choice((*[3] * 30, 65535))} {self.address()})"
            case "if":
                return f"(if (result i32) {one} (then {other}) (else {self.statement(of, depth - 1)} {one}))"
            case "block":
                return f"(block {label} (result i32) (drop (br_if {label} {one} {other})) {other})"
            case "table":
                inner = f"(block {label}x (result i32) (br_table {label} {label}x {label} {one} {other}))"
                return f"(block {label} (result i32) {inner})"
            case "select":
                return f"(select {one} {other} (local.get 1))"
            case "whole":
                which = self.random.choice(("", *["_sat"] * 9))
                return f"(i32.trunc{which}_f64_s {self.fraction(of, depth - 1)})"
            case "bits":
                return f"(i32.wrap_i64 (i64.shr_u (i64.reinterpret_f64 {self.fraction(of, depth - 1)}) (i64.const 32)))"
            case "tee":
                return f"(local.tee 2 {one})"
            case "try":
                return f"(block {label} (result i32) (try_table (result i32) (catch $e {label}) {one}))"
            case "call":
                return f"(call $f{self.random.randint(of + 1, self.functions - 1)} {one} {other})"
            case "indirect":
                # Of later functions only, so that no call comes back, or of none.
                place = self.random.choice((*range(of + 2, self.functions + 1), *range(of + 2, 9)))
                return f"(call_indirect (type $t) {one} {other} (i32.const {place}))"
            case "grow":
                return f"(memory.grow (i32.const {self.random.choice((0, 1, 2, 9))}))"
            case _:
                return f"(i32x4.extract_lane 2 (i32x4.mul (i32x4.splat {one}) (i32x4.splat {other})))"


@cache
def engine(kind: Engine, *, by_runtime: bool = False, canonical: bool = False) -> wasmtime.Engine:
    config = wasmtime.Config()
    more = {"consume_fuel": by_runtime, "cranelift_nan_canonicalization": canonical}
    calls.apply(engine_settings(kind) | more, config)
    return wasmtime.Engine(config)


def outcome(code: bytes, kind: Engine, fuel: int = FUEL) -> tuple[list[tuple[object, ...]], list[int]]:
    """How calls of a module end and what they leave behind, and the fuel that each took, if it is counted.

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
            counter.set_value(store, fuel)
        try:
            how: object = a(store, *arguments)
        except wasmtime.Trap as trap:
            how = trap.trap_code
        except wasmtime.WasmtimeError as error:
            how = str(error).splitlines()[-1]  # an exception that no one caught
        if isinstance(counter, wasmtime.Global):
            taken.append(fuel - int(counter.value(store)))
        ended.append((how, g(store), memory.size(store), sha256(bytes(memory.read(store))).digest()))
    return ended, taken


def taken_by_runtime(code: bytes) -> list[int]:
    store = wasmtime.Store(engine(Engine.PLAIN, by_runtime=True))
    store.set_fuel(FUEL)
    a = wasmtime.Instance(store, wasmtime.Module(store.engine, code), []).exports(store)["a"]
    assert isinstance(a, wasmtime.Func)
    taken: list[int] = []
    for arguments in ARGUMENTS:
        store.set_fuel(FUEL)
        with contextlib.suppress(wasmtime.Trap, wasmtime.WasmtimeError):
            a(store, *arguments)
        taken.append(FUEL - store.get_fuel())
    return taken


@pytest.mark.parametrize(
    "seeds",
    [
        pytest.param(range(80), marks=pytest.mark.slow, id="a few"),
        pytest.param(range(1000, 9_000), marks=pytest.mark.thorough, id="many"),
    ],
)
def test_random_modules_play_alike(seeds: range) -> None:
    ends = 0
    for seed in seeds:
        code = bytes(wasmtime.wat2wasm(Writer(seed, wild=bool(seed % 2)).module()))
        counted = read_module(code).metered()
        ended, fuel = outcome(counted, Engine.PLAIN)
        assert outcome(code, Engine.PLAIN) == (ended, []), seed
        assert outcome(counted, Engine.TIMED) == (ended, fuel), seed
        theirs = taken_by_runtime(code)  # with one for each function's entry
        assert all(2 * ours + 1 >= other for ours, other in zip(fuel, theirs)), seed
        work_is_paid(counted, seed)
        if all(type(how) is int for how, *_ in ended):
            # With one unit less than a call took, its counter falls below zero; with all of it, all is as before.
            enough = max(fuel)
            assert outcome(counted, Engine.PLAIN, enough)[0] == ended, seed
            assert max(outcome(counted, Engine.PLAIN, enough - 1)[1]) >= enough, seed
        ends += sum(type(how) is int for how, *_ in ended)
    assert len(seeds) < ends < 4 * len(seeds), "too few that end, or that trap"


# A unit of fuel allows this many instructions at most, those included that count it: a loop of one unit has nine more.
MOST_WORK, WORK_MORE = 12, 100
FUEL_OF_MUTATED = 100_000


# What only the counter, the variables beside it and the way a start function is called would make valid.
IN_A_FUNCTION = (
    "(global.set 1 (i64.const 9))",
    *(f"(drop ({what}))" for what in ("global.get 1", "local.get 8", "local.get 9")),
)
IN_A_MODULE = ("(start $s) (func $s (param i32))", "(start $s) (func $s (result i32) (i32.const 1))")


def mutated(seed: int) -> bytes:
    """A module of which some bytes are others, or stand elsewhere too, or that refers to what fuel brings."""
    chosen = random.Random(seed)
    text = Writer(seed // 25, wild=True).module()
    if seed % 10 == 0:
        variables = "(local i32 i32 f64 i32 i32 i32)"
        return bytes(wasmtime.wat2wasm(text.replace(variables, variables + chosen.choice(IN_A_FUNCTION))))
    if seed % 10 == 1:
        return bytes(wasmtime.wat2wasm(f"{text[:-1]} {chosen.choice(IN_A_MODULE)})"))
    code = bytearray(wasmtime.wat2wasm(text))
    for _ in range(chosen.randint(1, 3)):
        place, other = chosen.randrange(8, len(code)), chosen.randrange(8, len(code))
        length = chosen.choice((1, 1, 1, 2, 4))
        code[place : place + length] = chosen.choice((bytes([chosen.randrange(256)]), code[other : other + length]))
    return bytes(code)


def work_is_paid(counted: bytes, seed: int) -> int:
    """Call a module with fuel, and compare what its counter took with what the runtime counts; returns the calls."""
    # Each store has four gigabytes of addresses.
    with contextlib.closing(wasmtime.Store(engine(Engine.PLAIN, by_runtime=True))) as store:
        store.set_fuel(FUEL)
        try:
            exports = wasmtime.Instance(store, wasmtime.Module(store.engine, counted), []).exports(store)
        except (wasmtime.Trap, wasmtime.WasmtimeError) as error:  # it imports something, or its data have no room
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
            assert FUEL - store.get_fuel() <= MOST_WORK * taken + WORK_MORE, (seed, arguments)
        return len(ARGUMENTS)


@pytest.mark.parametrize(
    "seeds",
    [pytest.param(range(300), id="a few"), pytest.param(range(1000, 101_000), marks=pytest.mark.thorough, id="many")],
)
def test_mutated_modules_are_valid_as_they_came_and_pay_for_their_work(seeds: range) -> None:
    """What is valid with fuel was valid as it came, and all work is paid, however a function is left."""
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
