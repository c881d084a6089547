"""Limits of WebAssembly bots: fuel, memory, time, and the contents of modules."""

from __future__ import annotations

import resource
import signal
import threading
import time
from pathlib import Path

import pytest
import wasmtime

from engine.wasm.surroundings import FUEL_PER_SECOND
from tests.built_in import VON_NEUMANN_POKER
from tests.support import play_built
from tournament.artifacts.bot import Entrant
from tournament.containment import BotTrouble
from tournament.contests import CONTESTS
from tournament.contests.contest import Contest
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.leg import Failure, Unfit
from tournament.worker.faults import Stopped
from tournament.worker.leg import limits_of
from tournament.worker.wasm import seating
from tournament.worker.wasm.engine import Engine
from tournament.worker.wasm.loading import load_bot, read_bot

CALLS = '(func (export "b") (param i32) (result i32) (i32.const 1))'
PASSES = '(func (export "a") (param i32) (result i32) (i32.const 0))'


def module(text: str, imports: str = "") -> bytes:
    return bytes(wasmtime.wat2wasm(f'(module {imports} (memory (export "memory") 1) {text})'))


def bot(name: str, text: str, imports: str = "") -> Entrant:
    """Return an entrant of a module with a memory and these fields."""
    return Entrant(name, "wasm", "", module(text, imports))


# One without a loop, and one with.
PLAIN = bot("plain", f"{PASSES} {CALLS}")
LOOPS = bot("loops", f'(func (export "unused") (loop $l (br $l))) (func (export "a") (param i32) (result i32) '
            f"(loop $l (br_if $l (i32.const 0))) (i32.const 0)) {CALLS}")  # fmt: skip


def turning(turns: int) -> str:
    """Instructions that go round a loop so often: five each."""
    return f"""(local.set $n (i32.const {turns}))
        (loop $l (br_if $l (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))"""


def counting(name: str, turns: int) -> Entrant:
    a = f'(func (export "a") (param i32) (result i32) (local $n i32) {turning(turns)} (i32.const 0))'
    return bot(name, f'{a} (func (export "b") (param i32) (result i32) (local $n i32) {turning(turns)} (i32.const 1))')


# Seconds for all that a bot does in a leg, WebAssembly and as a process, where the statement has a limit.
STATEMENTS = {"holdem_training": (120, 10), "two_card_draw": (20, 20)}


@pytest.mark.parametrize("contest", CONTESTS, ids=lambda contest: contest.name)
def test_limits_are_those_of_statements(contest: Contest) -> None:
    settings = contest.settings()
    limits = limits_of(settings)
    assert limits.fuel_per_leg == settings.fuel_per_leg
    if contest.name in STATEMENTS:
        seconds, seconds_of_process = STATEMENTS[contest.name]
        assert limits.fuel == limits.fuel_to_start == limits.fuel_per_leg == seconds * FUEL_PER_SECOND
        of_process = settings.process_time("program")
        assert of_process.bank == of_process.for_decision == seconds_of_process
    else:  # then nothing is looked at within a call
        assert FUEL_PER_SECOND / 4 <= limits.fuel < settings.fuel_per_leg
        assert limits.engine is Engine.PLAIN


@pytest.mark.parametrize(("turns", "ends"), [(10_000_000, True), (100, False)])
def test_empty_bank_of_fuel_ends_leg(turns: int, ends: bool) -> None:
    settings = Settings(sessions=20, seconds=0.001, increment_ms=0.0, max_faults=2)
    assert limits_of(settings).fuel == settings.fuel_per_leg == FUEL_PER_SECOND // 1000
    result, _ = play_built(counting("thinker", turns), LOOPS, settings=settings)
    assert result.ended_by == (0 if ends else None)
    assert {fault.message for fault in result.faults} == ({"used up the fuel of its leg"} if ends else set())


def test_restarted_bot_returns_memory_of_previous_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory of the previous start is returned at once, not at the end of the leg."""
    text = f"""(global $at (mut i32) (i32.const 0)) (func (export "a") (param i32) (result i32)
        (drop (memory.grow (i32.const 640)))
        (loop $l (i32.store8 (global.get $at) (i32.const 1))
            (global.set $at (i32.add (global.get $at) (i32.const 4096)))
            (br_if $l (i32.lt_u (global.get $at) (i32.const 41943040))))
        unreachable) {CALLS}"""
    resident: list[int] = []
    take_failure = seating.Seating.take_failure

    def noting(seated: seating.Seating) -> Failure:
        resident.append(int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize())
        return take_failure(seated)

    monkeypatch.setattr(seating.Seating, "take_failure", noting)
    result, _ = play_built(bot("greedy", text), LOOPS, settings=Settings(sessions=50, max_faults=9))
    assert len(result.faults) == len(resident) == 10
    assert max(resident) - resident[0] < 40 << 20


class Patient(Settings):
    """A call may take all of the bank, and that is long."""

    @property
    def fuel_per_call(self) -> int:
        return self.fuel_per_leg


def no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seating, "_SECONDS_MORE", 0.0)
    monkeypatch.setattr(seating, "_SECONDS_PER_FUEL", 0.0)
    monkeypatch.setattr(seating, "_SECONDS_PER_DECISION", 0.0)


LATE = r"takes far longer here than its fuel should: \d+ s of processor time for [\d,]+ units of fuel"


def test_wall_clock_alone_makes_no_bot_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses of the machine take no processor time of this thread."""
    no_time(monkeypatch)
    monkeypatch.setattr(seating, "_SECONDS_MORE", 0.5)
    settings = Settings(sessions=2, max_faults=9)
    take_failure = seating.Seating.take_failure

    def sleeping(seated: seating.Seating) -> Failure:
        time.sleep(0.2)
        return take_failure(seated)

    monkeypatch.setattr(seating.Seating, "take_failure", sleeping)
    traps = bot("traps", f'(func (export "a") (param i32) (result i32) unreachable) {CALLS}')
    result, _ = play_built(traps, PLAIN, settings=settings, measures_bots=True)
    assert len(result.faults) == 10


ENDLESS = bot("endless", f'(func (export "a") (param i32) (result i32) (loop $l (br $l)) (i32.const 0)) {CALLS}')


def test_late_decision_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    no_time(monkeypatch)
    assert limits_of(Patient(sessions=10)).engine is Engine.TIMED
    with pytest.raises(BotTrouble, match=LATE):
        play_built(ENDLESS, PLAIN, settings=Patient(sessions=10))


def test_stop_and_ctrl_c_interrupt_decision() -> None:
    """Ctrl-C reaches the waiting thread, from which the bot's thread learns of it."""
    with pytest.raises(Stopped):
        play_built(ENDLESS, PLAIN, settings=Patient(sessions=10), stopping=lambda: True)
    threading.Timer(0.5, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        play_built(ENDLESS, PLAIN, settings=Patient(sessions=10))


def test_table_counts_as_memory() -> None:
    code = bytes(wasmtime.wat2wasm('(module (memory (export "memory") 144) (table 1 funcref))'))
    with pytest.raises(Unfit, match=r"needs 9\.0 MB of memory; at most 1 are allowed, and 8 for its stack"):
        read_bot(code, 1)
    read_bot(code, 2)


HANDLERS = "(func (block $h (try_table {} (nop))))"
# What a module must not have, in the words of its refusal.
TOO_MUCH = {
    "has 2 tables; at most 1 are allowed": "(table 60000 funcref) (table 60000 funcref)",
    "has a table of 100,001 elements": "(table 100001 funcref)",
    "has 10,001 variables; at most 10,000": f"(func (local {'i32 ' * 10_001}))",
    "ref.null": "(table 1 funcref) (func (drop (table.grow (ref.null func) (i32.const 1))))",
    "has 10,001 globals": "(func) (global i32 (i32.const 0))" * 10_001,
    "tail calls support is not enabled": "(func $f) (func (return_call $f))",
    "not a WebAssembly module that can run here": "(start $s) (func $s (param i32))",  # valid with fuel written in
    "has 101 tags": "(tag)" * 101,
    "throws other things than up to 8 numbers": f"(tag (param{' i64' * 9}))",
    "try_table with 5 handlers, which bots may not use": HANDLERS.format("(catch_all $h)" * 5),
    "a global of an unknown type": "(global (mut exnref) (ref.null exn))",
    "a table of something unknown": "(table 1 exnref)",
    "exports tournament fuel, which is the tournament's": '(func (export "tournament fuel"))',
}
WASI = '(import "wasi_snapshot_preview1"'
IMPORTS = {
    ".clock_time_get with another signature": f'{WASI} "clock_time_get" (func (param i32)))',
    "imports env.rand as something other than a function": '(import "env" "rand" (global i32))',
    "imports .*.rand, which bots may not": f'{WASI} "rand" (func (result i32)))',
}


@pytest.mark.parametrize("problem", [*TOO_MUCH, *IMPORTS])
def test_module_beyond_limits_is_refused(problem: str) -> None:
    """Thrown values are outside a bot's memory, and the search for handlers takes no fuel."""
    code = module(f"{PASSES} {CALLS} {TOO_MUCH.get(problem, '')}", IMPORTS.get(problem, ""))
    with pytest.raises(Unfit, match=problem):
        load_bot(code, VON_NEUMANN_POKER.interface, "much", 64)


def test_module_within_limits_is_loaded() -> None:
    within = f"(tag (param{' i64' * 8})) (global i64 (i64.const 5)) (global f64 (f64.const 1)) {'(tag)' * 99}"
    within += HANDLERS.format("(catch_all $h)" * 4)
    load_bot(module(f"{PASSES} {CALLS} {within}"), VON_NEUMANN_POKER.interface, "throws", 64)
