"""Bots start afresh in memories that former bots have used."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest
import wasmtime

from engine.wasm import instances
from tests.built_in import MATRIX_GAME
from tournament.contests.matrix_game.rules import Settings
from tournament.keys import KEY_BYTES
from tournament.leg import Leg, LegPlan, Seat
from tournament.store.leg_result import LegResult
from tournament.worker.leg import NullSink, play_leg, result_of
from tournament.worker.wasm import calls, engine
from tournament.worker.wasm.engine import Engine
from tournament.worker.wasm.loading import PAGE
from tournament.worker.wasm.stack import on_deep_stack

LEGS = 1000
TURNS, MAX_FAULTS = 4, 2
STATIC, SUM = "fresh", int.from_bytes(b"fresh", "little")
PAGES = 1 + -(-MATRIX_GAME.interface.struct_size // PAGE)
# Answers 1 if all that a bot can change is as its file has it, then changes all of it. It fails the next time.
DIRTY = bytes(
    wasmtime.wat2wasm(f"""(module
  (memory (export "memory") 1)
  (table 1000 funcref)
  (elem (i32.const 1) $one $two)
  (type $number (func (result i32)))
  (data (i32.const 64000) "{STATIC}")
  (data $later "later")
  (global $narrow (mut i32) (i32.const 7))
  (global $wide (mut i64) (i64.const 8))
  (global $double (mut f64) (f64.const 9))
  (func $one (result i32) (i32.const 1))
  (func $two (result i32) (i32.const 2))
  (func $is_fresh (result i32) (local $at i32) (local $sum i64)
    (loop $all
      (local.set $sum (i64.add (local.get $sum) (i64.load (local.get $at))))
      (local.set $at (i32.add (local.get $at) (i32.const 8)))
      (br_if $all (i32.lt_u (local.get $at) (i32.const 65536))))
    (memory.init $later (i32.const 0) (i32.const 0) (i32.const 5))
    (i64.eq (local.get $sum) (i64.const {SUM}))
    (i32.and (i32.eq (i32.load8_u (i32.const 4)) (i32.const {ord("r")})))
    (i32.and (i32.eq (memory.size) (i32.const {PAGES})))
    (i32.and (i64.eq (global.get $wide) (i64.const 8)))
    (i32.and (f64.eq (global.get $double) (f64.const 9)))
    (i32.and (i32.eq (call_indirect (type $number) (i32.const 1)) (i32.const 1)))
    (i32.and (i32.eq (call_indirect (type $number) (i32.const 2)) (i32.const 2))))
  (func (export "move") (param i32) (result i32) (local $fresh i32)
    (if (i32.ne (global.get $narrow) (i32.const 7)) (then unreachable))
    (local.set $fresh (call $is_fresh))
    (drop (memory.grow (i32.const 2)))
    (memory.fill (i32.const 0) (i32.const 0xA5) (i32.mul (memory.size) (i32.const 65536)))
    (data.drop $later)
    (global.set $narrow (i32.const 1))
    (global.set $wide (i64.const 1))
    (global.set $double (f64.const 1))
    (local.get $fresh)))""")
)


def settings(turns: int) -> Settings:
    return Settings(
        turns_per_game=turns, sessions=1, max_faults=MAX_FAULTS, moves=["old", "new"], payoffs=[[0, 0], [1, 1]]
    )


SETTINGS, WITHOUT_FAULTS = settings(TURNS), settings(1)


def played(number: int, sink: NullSink, settings: Settings = SETTINGS) -> LegResult:
    seats = Seat("x", "wasm", "dirty", 2 * number), Seat("y", "wasm", "dirty", 2 * number + 1)
    leg = Leg("", LegPlan(0, number, 1, bytes(KEY_BYTES)), seats)
    return result_of(MATRIX_GAME, play_leg(MATRIX_GAME, settings, leg, {"dirty": DIRTY}, sink))


def moves_of(sink: NullSink) -> list[list[int]]:
    return [sink.games.arrays[f"move_{seat}"][: sink.games.rows].tolist() for seat in (0, 1)]


def stores_of(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which the places of each new store are added."""
    places: list[int] = []

    def noting(*given: object) -> instances.Store:
        places.append(int(str(given[1])) if len(given) > 1 else 0)
        return make(*given)  # type: ignore[arg-type]

    make = calls.new_store
    monkeypatch.setattr(calls, "new_store", noting)
    return places


def test_bots_in_used_memories_start_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Faults are followed by fresh memory, too."""
    assert engine.has_pool()
    stores = stores_of(monkeypatch)

    sink = NullSink.of(MATRIX_GAME, 100)

    def play() -> None:
        for number in range(LEGS):
            faults = number % 20 == 0
            result = played(number, sink, SETTINGS if faults else WITHOUT_FAULTS)
            assert moves_of(sink) == ([[1, 0, 1, 0]] if faults else [[1]]) * 2, number
            assert len(result.faults) == (2 * MAX_FAULTS if faults else 0)
            sink.clear()

    on_deep_stack(play)
    assert stores == [2 * (1 + MAX_FAULTS)] * LEGS


def test_leg_without_places_in_pool_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    stores = stores_of(monkeypatch)
    assert engine.has_pool()
    gc.collect()
    places = engine._slots()
    assert instances.take_places(places), "all are given back"
    assert not instances.take_places(1)
    kept = calls.new_store(engine.engine(Engine.POOLED), places)
    sink = NullSink.of(MATRIX_GAME, 100)
    played(0, sink)
    assert moves_of(sink) == [[1, 0, 1, 0]] * 2
    assert stores == [places, 0]
    del kept
    assert instances.take_places(places)
    calls.new_store(engine.engine(Engine.POOLED), places)


def test_process_without_addresses_for_pool_plays() -> None:
    script = f"""
import resource
resource.setrlimit(resource.RLIMIT_AS, ({40 << 30}, {40 << 30}))
from tests.worker.test_pooled_memory import *
sink = NullSink.of(MATRIX_GAME, 100)
played(0, sink)
assert moves_of(sink) == [[1, 0, 1, 0]] * 2
assert not engine.has_pool()
"""
    subprocess.run([sys.executable, "-c", script], check=True)
