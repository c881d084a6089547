"""Modules whose NaNs are made canonical where they show, against the runtime that makes every result canonical.

The second is the oracle: the same module, another way. Both must give the same bits, whatever NaNs go in.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator, Sequence
from functools import cache

import pytest
import wasmtime
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.wasm.modules import FUEL as COUNTER
from engine.wasm.modules import read_module
from tournament.worker.wasm import calls
from tournament.worker.wasm.engine import Engine, engine_settings

FUEL = 10**9

# Canonical, with a sign, with payloads, signalling, with all bits; then numbers, zeros and infinities.
BITS32 = (0x7FC00000, 0xFFC00000, 0x7FC12345, 0xFFE54321, 0x7F812345, 0xFF800001, 0xFFFFFFFF,
          0x3F800000, 0x80000000, 0x7F800000, 0xFF800000, 0x00000001)  # fmt: skip
BITS64 = (0x7FF8 << 48, 0xFFF8 << 48, 0x7FF8123456789ABC, 0xFFFC << 48, 0x7FF4000000000001, 0xFFF0000000000001,
          (1 << 64) - 1, 0x3FF0 << 48, 1 << 63, 0x7FF0 << 48, 0xFFF0 << 48, 1)  # fmt: skip
UNARY = ("abs", "neg", "ceil", "floor", "trunc", "nearest", "sqrt")
BINARY = ("add", "sub", "mul", "div", "min", "max", "copysign")


@cache
def engine(*, everywhere: bool) -> wasmtime.Engine:
    """An engine as it plays, or one that makes every result canonical."""
    config = wasmtime.Config()
    calls.apply(engine_settings(Engine.PLAIN), config)
    config.cranelift_nan_canonicalization = everywhere
    return wasmtime.Engine(config)


def assembled(text: str) -> bytes:
    return bytes(wasmtime.wat2wasm(f"(module {text})"))


def outcome(code: bytes, *, everywhere: bool) -> tuple[object, bytes]:
    """What is left of running a module's "run": how it ended, and the memory, bit by bit."""
    store = wasmtime.Store(engine(everywhere=everywhere))
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


class _Body:
    """A function's text out of drawn numbers: always valid, with whatever control flow comes."""

    def __init__(self, drawn: Sequence[int]) -> None:
        self._drawn = iter(drawn)
        self.text: list[str] = []
        self._stack: list[str] = []
        # Where each open block began, and what it must leave; the first is the function.
        self._frames: list[tuple[int, tuple[str, ...], str]] = [(0, (), "")]
        self._loops = 0

    def write(self) -> str:
        steps = (
            self._constant, self._load, self._read, self._read, self._write, self._write, self._arithmetic,
            self._arithmetic, self._arithmetic, self._sign, self._convert, self._select, self._store, self._store,
            self._address, self._call, self._open, self._open, self._close, self._branch, self._global, self._lanes,
        )  # fmt: skip
        while (number := next(self._drawn, None)) is not None:
            steps[number % len(steps)]()
        while len(self._frames) > 1:
            self._close()
        self.text += ["drop"] * len(self._stack)
        return " ".join(self.text)

    def _draw(self, among: Sequence[str]) -> str:
        return among[next(self._drawn, 0) % len(among)]

    @property
    def _here(self) -> list[str]:
        """What the innermost block may take off the stack."""
        return self._stack[self._frames[-1][0] :]

    def _take(self, *types: str) -> bool:
        if self._here[-len(types) :] != list(types):
            return False
        del self._stack[-len(types) :]
        return True

    def _put(self, text: str, *types: str) -> None:
        self.text.append(text)
        self._stack += types

    def _float(self) -> str | None:
        """The type of the float on top of the stack, if there is one."""
        return self._here[-1] if self._here and self._here[-1] in _WHOLE else None

    def _constant(self) -> None:
        kind = self._draw(("f32", "f64"))
        value = self._draw(("nan", "-nan", "nan:0x401234", "-nan:0x200001", "1.5", "-0", "inf", "0"))
        self._put(f"{kind}.const {value}", kind)

    def _load(self) -> None:
        kind = self._draw(("f32", "f64"))
        self._put(f"i32.const {self._draw(('0', '8', '16', '24', '32', '512'))} {kind}.load", kind)

    def _read(self) -> None:
        kind = self._draw(("f32", "f64"))
        self._put(f"local.get ${kind}{self._draw(('a', 'b', 'c', 'p'))}", kind)

    def _write(self) -> None:
        if kind := self._float():
            name = f"${kind}{self._draw(('a', 'b', 'c', 'p'))}"
            if self._draw(("set", "tee")) == "tee":
                self._put(f"local.tee {name}")
            else:
                self._take(kind)
                self._put(f"local.set {name}")

    def _arithmetic(self) -> None:
        if kind := self._float():
            if self._take(kind, kind):
                self._put(f"{kind}.{self._draw(BINARY)}", kind)
            else:
                self._take(kind)
                self._put(f"{kind}.{self._draw(UNARY)}", kind)

    def _sign(self) -> None:
        if kind := self._float():
            self._put(f"{kind}.{self._draw(('neg', 'abs'))}")

    def _convert(self) -> None:
        if kind := self._float():
            self._take(kind)
            other = "f64" if kind == "f32" else "f32"
            change = f"{other}.{'promote' if kind == 'f32' else 'demote'}_{kind}"
            there = f"{_WHOLE[kind]}.reinterpret_{kind}"
            match self._draw(("other", "there and back", "whole", "compared")):
                case "other":
                    self._put(change, other)
                case "there and back":
                    self._put(f"{there} {kind}.reinterpret_{_WHOLE[kind]}", kind)
                case "whole":
                    self._put(f"i64.trunc_sat_{kind}_s {kind}.convert_i64_s", kind)
                case _:
                    self._put(f"local.tee ${kind}a local.get ${kind}b {kind}.le", "i32")

    def _select(self) -> None:
        if kind := self._float():
            for condition in ("i32", None):
                if condition and self._take(kind, kind, "i32"):
                    self._put(self._draw(("select", f"select (result {kind})")), kind)
                    return
            if self._take(kind, kind):
                self._put("local.get $n select", kind)

    def _store(self) -> None:
        if kind := self._float():
            whole = f"{_WHOLE[kind]}.reinterpret_{kind} {_WHOLE[kind]}.store"
            how = self._draw((f"{kind}.store", whole))
            if self._take("i32", kind):
                self._put(how)

    def _address(self) -> None:
        self._put(f"i32.const {self._draw(('0', '8', '16', '24', '32', '40'))}", "i32")

    def _call(self) -> None:
        if self._take("f32", "f64"):
            self._put("call $both", "f64", "f32")
        elif kind := self._float():
            self._put(f"call $same_{kind}")

    def _open(self) -> None:
        results = (self._draw(("f32", "f64")),) if self._draw(("one", "none")) == "one" else ()
        declared = "".join(f"(result {kind})" for kind in results)
        match self._draw(("block", "loop", "if", "takes", "tries")):
            case "tries":
                thrown, clause = self._draw(("f32", "f64")), self._draw(("catch", "catch_all", "result"))
                caught = (thrown,) if clause == "catch" else ()
                self._put(f"block {f'(result {thrown})' if caught else ''}")
                self._frames.append((len(self._stack), caught, "block"))
                clause = f"catch $thrown_{thrown}" if caught else "catch_all"
                self._put(f"try_table {declared} ({clause} 0)")
                self._frames.append((len(self._stack), results, "block"))
            case "loop" if self._loops < 2:
                counter = f"$count{self._loops}"
                self._loops += 1
                self._put(f"i32.const 3 local.set {counter} loop {declared}")
                self._frames.append((len(self._stack), results, counter))
            case "if":
                if not self._take("i32"):
                    self._put("local.get $n")
                self._put(f"if {declared}")
                self._frames.append((len(self._stack), results, "if"))
            case "takes" if kind := self._float():
                self._take(kind)
                self._put(f"block (param {kind}) {declared}")
                self._frames.append((len(self._stack), results, "block"))
                self._stack.append(kind)
            case _:
                self._put(f"block {declared}")
                self._frames.append((len(self._stack), results, "block"))

    def _leave(self, results: tuple[str, ...]) -> None:
        """Have on the stack what a block must leave, and no more."""
        for kind in results:
            if self._float() != kind:
                self._put(f"local.get ${kind}c", kind)
            elif len(self._here) > 1:
                self._take(kind)
                self._put(f"local.set ${kind}t")
                while self._here:
                    self._put(f"drop ;;{self._stack.pop()}\n")
                self._put(f"local.get ${kind}t", kind)
        while len(self._here) > len(results):
            if results:
                self._take(results[0])
                self._put(f"local.set ${results[0]}t")
            self._stack.pop()
            self._put("drop")
            if results:
                self._put(f"local.get ${results[0]}t", results[0])

    def _close(self) -> None:
        if len(self._frames) == 1:
            return
        height, results, kind = self._frames[-1]
        self._leave(results)
        del self._stack[height:]
        if kind == "if" and (results or self._draw(("else", "end")) == "else"):
            self._frames[-1] = height, results, "else"
            self._put("else")
            return
        self._frames.pop()
        if kind.startswith("$"):
            self._put(f"local.get {kind} i32.const 1 i32.sub local.tee {kind} br_if 0")
            self._loops -= 1
        self._put("end", *results)

    def _branch(self) -> None:
        label = next(self._drawn, 0) % len(self._frames)
        _, results, kind = self._frames[-1 - label]
        if kind.startswith("$"):  # it would go on for ever
            return
        if label == len(self._frames) - 1:
            results = ()
        self._leave(results)
        if self._draw(("if", "always")) == "if":
            self._put(f"local.get $n br_if {label}")
            return
        # What is never run: it must stay valid.
        dead = ("f64.add drop", "f32.sqrt f32.neg f32.store", "select drop", "f64.mul local.set $f64a", "f64.abs drop",
                "(f32.demote_f64 (f64.sqrt)) (global.set $f32)", "call $both f32.sqrt drop drop")  # fmt: skip
        self._put(self._draw((f"br {label}", f"i32.const 1 br_table {label} {label}", "return", "unreachable",
                              "local.get $f32a throw $thrown_f32", "local.get $f64b throw $thrown_f64",
                              "local.get $f64a call $throws_f64 unreachable")))  # fmt: skip
        self._put(self._draw(dead))
        self._put(self._draw(dead))
        del self._stack[self._frames[-1][0] :]
        if len(self._frames) == 1:
            return
        height, results, kind = self._frames[-1]
        if kind == "if":
            self._frames[-1] = height, results, "else"
            self._put("else")
            return
        self._frames.pop()
        if kind.startswith("$"):
            self._loops -= 1
        self._put("end", *results)

    def _global(self) -> None:
        if (kind := self._float()) and self._draw(("set", "get")) == "set":
            self._take(kind)
            self._put(f"global.set ${kind}")
        else:
            kind = self._draw(("f32", "f64"))
            self._put(f"global.get ${kind}", kind)

    def _lanes(self) -> None:
        if kind := self._float():
            shape = "f32x4" if kind == "f32" else "f64x2"
            name = self._draw(("add", "div", "min", "pmax"))
            self._put(f"{shape}.splat local.tee $v local.get $v {shape}.sqrt {shape}.{name} {shape}.extract_lane 1")


def _drawn_module(drawn: Sequence[int]) -> bytes:
    body = _Body(drawn).write()
    variables = "".join(f"(local ${kind}{name} {kind})" for kind in _WHOLE for name in "abct")
    shown = "".join(
        f"({kind}.store (i32.const {100 + 8 * n}) (local.get ${kind}{name}))"
        for n, (kind, name) in enumerate(itertools.product(_WHOLE, "abp"))
    )
    inputs = struct.pack("<6Q", *BITS64[2:8])
    return assembled(
        f"""(memory (export "memory") 1) (data (i32.const 0) "{_escaped(inputs)}") {_HELPERS}
        (func $both (param f32 f64) (result f64 f32) (f64.add (f64.promote_f32 (local.get 0)) (local.get 1))
          (f32.mul (local.get 0) (f32.demote_f64 (local.get 1))))
        (func $drawn (param $f32p f32) (param $f64p f64) (param $n i32)
          (local $count0 i32) (local $count1 i32) (local $v v128) {variables}
          (block {body}) {shown})
        (func (export "run")
          (call $drawn (f32.load (i32.const 0)) (f64.load (i32.const 8)) (i32.const 0))
          (call $drawn (f32.load (i32.const 16)) (f64.load (i32.const 24)) (i32.const 1))
          (f64.store (i32.const 200) (global.get $f64)) (f32.store (i32.const 208) (global.get $f32)))"""
    )


@given(st.lists(st.integers(0, 999), max_size=250))
@settings(max_examples=150, deadline=None)
def test_drawn_functions_show_the_bits_that_the_runtime_would(drawn: list[int]) -> None:
    assert_equal_bits(_drawn_module(drawn))


def test_what_is_read_and_written_keeps_its_bits_though_sums_are_kept_beside_it() -> None:
    """A whole number may lie where a float does: nothing is mended but what was made here."""
    text = """(func (export "run") (local $f f64)
        (local.set $f (f64.load (i32.const 0)))
        (f64.store (i32.const 8) (local.get $f))
        (local.set $f (f64.add (local.get $f) (local.get $f)))
        (f64.store (i32.const 16) (local.get $f)))"""
    code = assembled(f'(memory (export "memory") 1) (data (i32.const 0) "{_escaped(struct.pack("<q", -5))}") {text}')
    _, memory = outcome(rewritten(code), everywhere=False)
    assert struct.unpack_from("<q", memory, 8) == (-5,) and struct.unpack_from("<Q", memory, 16) == (0x7FF8 << 48,)
