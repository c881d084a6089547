"""Modules whose names, tables and memory are written to confuse whoever describes their faults, and mutated ones."""

from __future__ import annotations

import struct
import time
from collections.abc import Sequence

import pytest
import wasmtime
from hypothesis import example, given
from hypothesis import strategies as st

from engine.wasm.modules import Refused, read_module
from tests.support import play_built
from tests.worker.test_metering import LEFT, LOOP, WAYS_OUT
from tests.worker.test_webassembly_limits import CALLS, PASSES, PLAIN, bot, module
from tournament.artifacts.bot import Entrant
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER, Settings
from tournament.leg import Unfit
from tournament.worker.wasm.engine import Engine, engine
from tournament.worker.wasm.lines import line_at
from tournament.worker.wasm.loading import load_bot

TRAPS = module(f'(func (export "a") (param i32) (result i32) unreachable) {CALLS}')
TRAPPED = "gave up (abort, exit, or a path without a return)"


def leb(number: int) -> bytes:
    return bytes([number & 0x7F | 0x80]) + leb(number >> 7) if number > 0x7F else bytes([number])


def code_of(module: bytes) -> int:
    """Where the content of a small module's code section begins."""
    place = 8
    while module[place] != 10:
        place += 2 + module[place + 1]
    return place + 2


def custom(name: bytes, content: bytes) -> bytes:
    """A section without a meaning for what plays."""
    inside = leb(len(name)) + name + content
    return b"\0" + leb(len(inside)) + inside


def line_table(
    line_range: int = 14, opcode_base: int = 4, program: bytes = b"", lengths: Sequence[int] = (0, 1, 1)
) -> bytes:
    """A unit of one file of the bot's own."""
    header = bytes([1, 1, 1, 0xFB, line_range, opcode_base, *lengths[: max(opcode_base - 1, 0)]])
    header += b"/bot\0\0bot.c\0\1\0\0\0"
    unit = struct.pack("<HI", 4, len(header)) + header + program
    return custom(b".debug_line", struct.pack("<I", len(unit)) + unit)


def named(name: bytes) -> bytes:
    """What calls function 0 so."""
    names = b"\1\0" + leb(len(name)) + name
    return custom(b"name", b"\1" + leb(len(names)) + names)


ENDLESS = b"\x80" * 400_000
DESCRIBED = {
    "a line range of 0": line_table(line_range=0, program=bytes([200, 200])),
    "a base of 0 for special opcodes": line_table(opcode_base=0, program=bytes([1, 2, 3])),
    "a number without an end": line_table(program=b"\2" + ENDLESS),
    "a signed number without an end": line_table(program=b"\3" + ENDLESS),
    "a line beyond all lines": line_table(program=b"\3" + b"\xff" * 9 + b"\0" + b"\1\2\x7f\1"),
    "a million instructions": line_table(program=b"\1" * 1_000_000),
    "a name of many lines": named(b"f\n  0: 0xffffffffffffffffff - <unknown>!f\n"),
    "a name of a megabyte": named(b"n" * (1 << 20)),
    "an empty table": custom(b".debug_line", b""),
    "a table that ends in a header": custom(b".debug_line", struct.pack("<IHI", 99, 4, 7)),
}


@pytest.mark.parametrize("what", DESCRIBED)
def test_a_fault_of_a_module_with_a_hostile_section_is_the_bots_own(what: str) -> None:
    hostile = Entrant("hostile", "wasm", "", TRAPS + DESCRIBED[what])
    began = time.thread_time()
    result, _ = play_built(hostile, PLAIN, settings=Settings(sessions=10))
    assert (result.ended_by, {fault.what for fault in result.faults}) == (0, {TRAPPED})
    assert time.thread_time() - began < 20.0  # many times what it takes; without bounds it would be minutes


def test_custom_sections_do_not_play() -> None:
    plain = read_module(TRAPS).metered()
    assert all(read_module(TRAPS + section).metered() == plain for section in DESCRIBED.values())


def test_lines_are_found_in_a_table_and_only_as_far_as_it_goes() -> None:
    # Line 7 from the code's first byte, line 9 from its fourth, the end after its tenth.
    program = b"\3\6\1" + b"\2\3\3\2\1" + b"\2\6\0\1\1"
    code = TRAPS + line_table(program=program)
    found = [line_at(code, code_of(code) + place) for place in range(11)]
    assert found == [7] * 3 + [9] * 6 + [None] * 2
    # Operands of instructions that nobody knows take steps, too.
    many = (b"\x0a" + b"\0" * 255) * 1_000
    code = TRAPS + line_table(opcode_base=11, lengths=[0, 1, 1, 1, 1, 0, 0, 0, 1, 255], program=many + program)
    assert line_at(code, code_of(code)) is None


def test_the_line_of_a_trap_is_of_the_bots_module_alone() -> None:
    """An exit traps in a module of ours, whose places are none of the bot's."""
    text = '(import "wasi_snapshot_preview1" "proc_exit" (func $exit (param i32)))'
    leaves = f'(func (export "a") (param i32) (result i32) (call $exit (i32.const 1)) (i32.const 0)) {CALLS}'
    code = bytes(wasmtime.wat2wasm(f'(module {text} (memory (export "memory") 1) {leaves})'))
    # Each byte of the code section from its first on: a line of its own, whose number says how far in it is.
    rows = b"".join(b"\2\1\3\1\1" for _ in range(30))
    exits = Entrant("exits", "wasm", "", code + line_table(program=b"\1" + rows + b"\2\1\0\1\1"))
    result, _ = play_built(exits, PLAIN, settings=Settings(sessions=10))
    (what,) = {fault.what for fault in result.faults}
    call = code.index(b"\x41\x01\x10\x00") + 2
    assert what == f"{TRAPPED} (line {call - code_of(code) + 1})"


def test_words_from_a_bots_memory_are_one_harmless_line() -> None:
    words = "(card\\0a  2: forged\\0d\\1b[31m\\e2\\80\\ae)\\ff\\00"
    noted = f"""(global (export "tournament_assertion") i32 (i32.const 16))
        (data (i32.const 16) "\\40\\00\\00\\00\\07\\00\\00\\00\\00\\00\\00\\00") (data (i32.const 64) "{words}")
        (func (export "a") (param i32) (result i32) unreachable) {CALLS}"""
    result, _ = play_built(bot("asserts", noted), PLAIN, settings=Settings(sessions=10))
    (what,) = {fault.what for fault in result.faults}
    assert what == "assertion failed: (card\\n  2: forged\\r\\x1b[31m\\u202e)\N{REPLACEMENT CHARACTER}, line 7"


# A type of references in its long form, which the runtime accepts where it means the same as the short one.
LONG_FORMS = {
    "a parameter": b"\1\x60\1\x63\x70\0",
    "a result": b"\1\x60\0\1\x63\x70",
    "of exceptions": b"\1\x60\1\x63\x69\0",
}
TYPE, BODY = b"\1\x60\0\0", b"\0\x0b"


def raw(types: bytes = TYPE, body: bytes = BODY, more: bytes = b"") -> bytes:
    """A module of one function."""
    sections = {1: types, 3: b"\1\0"}, {10: b"\1" + leb(len(body)) + body}
    before, after = (
        b"".join(bytes([kind]) + leb(len(content)) + content for kind, content in part.items()) for part in sections
    )
    return b"\0asm\1\0\0\0" + before + more + after


OUT_OF_STEP = {
    **{f"{what} of a type": raw(types, b"\0\x00\x0b") for what, types in LONG_FORMS.items()},
    "a variable": raw(body=b"\1\1\x63\x70\x0b"),
    "a block's result": raw(body=b"\0\2\x63\x70\x00\x0b\x1a\x0b"),
    "a block of handlers": raw(body=b"\0\x1f\x63\x70\0\x00\x0b\x1a\x0b"),
    "what is selected": raw(body=b"\0\x00\x1c\1\x63\x70\x1a\x0b"),
    "a table": raw(more=b"\4\5\1\x63\x70\0\1"),
    "a global": raw(more=b"\6\7\1\x63\x70\0\xd0\x70\x0b"),
}


@pytest.mark.parametrize("where", OUT_OF_STEP)
def test_a_reference_type_of_two_bytes_is_refused(where: str) -> None:
    wasmtime.Module.validate(engine(Engine.PLAIN), OUT_OF_STEP[where])
    with pytest.raises(Refused, match=r"type|something unknown"):
        read_module(OUT_OF_STEP[where])


SEEDS = [
    TRAPS,
    TRAPS + DESCRIBED["a name of many lines"] + line_table(program=b"\3\6\1\2\3\0\1\1"),
    module(PASSES + CALLS),
    *(bytes(wasmtime.wat2wasm(f"(module {text})")) for text in (LEFT, LOOP, *WAYS_OUT.values()) if "$g" in text),
    bytes(wasmtime.wat2wasm('(module (memory 1) (table 2 funcref) (elem (i32.const 0) $f $f) (data "x") (tag $e)'
        ' (global (mut f64) (f64.const 1)) (func $f (param f32) (result f64 v128) (local i64 v128)'
        ' (try_table (throw $e))'
        ' (call_indirect (param f32) (f32.sqrt (local.get 0)) (i32.const 1)) (global.get 0)'
        ' (f32x4.add (local.get 2) (v128.const i64x2 0 -1))))')),
]  # fmt: skip
CHANGES = st.lists(
    st.tuples(st.integers(0, 400), st.sampled_from(("set", "insert", "cut")), st.integers(0, 255)),
    min_size=1,
    max_size=6,
)


@example(0, [(9, "set", 255)])
@given(st.integers(0, len(SEEDS) - 1), CHANGES)
def test_a_mutated_module_is_read_or_refused_and_nothing_else(number: int, changes: list[tuple[int, str, int]]) -> None:
    code = bytearray(SEEDS[number])
    for place, how, byte in changes:
        place = 8 + place % (len(code) - 8)
        if how == "set":
            code[place] = byte
        elif how == "insert":
            code[place:place] = bytes([byte])
        elif len(code) > 9:
            del code[place]
    began = time.thread_time()
    is_valid = True
    try:
        wasmtime.Module.validate(engine(Engine.PLAIN), bytes(code))
    except wasmtime.WasmtimeError:
        is_valid = False
    try:
        written = read_module(bytes(code)).metered()  # also of what the runtime refuses, which never comes so far
    except Refused:
        written = b""
    if written and is_valid:
        wasmtime.Module.validate(engine(Engine.PLAIN), written)
    try:
        load_bot(bytes(code), VON_NEUMANN_POKER.interface, "mutated", 64)
    except Unfit:
        return
    result, _ = play_built(Entrant("mutated", "wasm", "", bytes(code)), PLAIN, settings=Settings(sessions=1))
    assert all("\n" not in fault.what for fault in result.faults)
    assert time.thread_time() - began < 20.0
