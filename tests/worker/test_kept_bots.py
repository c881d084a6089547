"""Bots start each leg as if they were new: kept ones, and new ones in memories that others have used."""

from __future__ import annotations

import ctypes
import gc
import time
from collections.abc import Iterator
from typing import Any

import pytest
import wasmtime

from engine.wasm import instances
from engine.wasm.modules import read_module
from tests.built_in import MATRIX_GAME
from tournament.contests.matrix_game.rules import Settings
from tournament.keys import KEY_BYTES
from tournament.leg import Leg, LegPlan, Seat
from tournament.store.leg_result import LegResult
from tournament.worker.faults import Stopped
from tournament.worker.leg import NullSink, ShortLegs, play_leg, result_of
from tournament.worker.wasm import calls, engine, kept
from tournament.worker.wasm.engine import Engine
from tournament.worker.wasm.kept import KeptBots
from tournament.worker.wasm.loading import PAGE, load_bot
from tournament.worker.wasm.seating import new_store
from tournament.worker.wasm.stack import on_deep_stack

LEGS = 300
MOVES: dict[str, Any] = {"moves": ["old", "new"], "payoffs": [[0, 0], [1, 1]]}
SETTINGS = Settings(turns_per_game=1, sessions=1, max_faults=1, **MOVES)
STATIC, SUM = "fresh", int.from_bytes(b"fresh", "little")
STRUCT_PAGES = -(-MATRIX_GAME.interface.struct_size // PAGE)
OUT_OF_MEMORY = 21  # Linux's MADV_PAGEOUT


def module(start: str = "", begin: str = "", end: str = "", pages: int = 2, more: str = "") -> bytes:
    """Return a bot that answers 1 if all that it can change is as its file has it, and then changes all of it."""
    return bytes(
        wasmtime.wat2wasm(f"""(module
  (import "env" "rand" (func $rand (result i32)))
  (memory (export "memory") {pages})
  (table 3 funcref)
  (elem (i32.const 1) $one $two)
  (type $number (func (result i32)))
  (data (i32.const 100000) "{STATIC}")
  (global $narrow (mut i32) (i32.const 7))
  (global $wide (mut i64) (i64.const -8))
  (global $single (mut f32) (f32.const nan:0x200001))
  (global $double (mut f64) (f64.const nan:0x4000000000001))
  (global $lanes (mut v128) (v128.const i64x2 11 12))
  (global $seed (mut i32) (i32.const 0)) {more}
  (func $one (result i32) (i32.const 1))
  (func $two (result i32) (i32.const 2))
  (func (export "_initialize")
    (i32.store (i32.const 40000) (i32.const 5))
    (global.set $narrow (i32.const 8)))
  (func (export "tournament_start") (param i32 i64)
    {start}
    (global.set $seed (i32.add (call $rand) (i32.wrap_i64 (local.get 1)))))
  (func $is_fresh (result i32) (local $at i32) (local $sum i64)
    (loop $all
      (local.set $sum (i64.add (local.get $sum) (i64.load (local.get $at))))
      (local.set $at (i32.add (local.get $at) (i32.const 8)))
      (br_if $all (i32.lt_u (local.get $at) (i32.const 131072))))
    (i64.eq (local.get $sum) (i64.const {SUM + 5}))
    (i32.and (i32.eq (memory.size) (i32.const {pages + STRUCT_PAGES})))
    (i32.and (i32.eq (global.get $narrow) (i32.const 8)))
    (i32.and (i64.eq (global.get $wide) (i64.const -8)))
    (i32.and (i32.eq (i32.reinterpret_f32 (global.get $single)) (i32.const 0x7FA00001)))
    (i32.and (i64.eq (i64.reinterpret_f64 (global.get $double)) (i64.const 0x7FF4000000000001)))
    (i32.and (i64.eq (i64x2.extract_lane 1 (global.get $lanes)) (i64.const 12)))
    (i32.and (i32.eq (call_indirect (type $number) (i32.const 1)) (i32.const 1)))
    (i32.and (i32.eq (call_indirect (type $number) (i32.const 2)) (i32.const 2))))
  (func (export "move") (param i32) (result i32) (local $fresh i32)
    {begin}
    (local.set $fresh (i32.and (call $is_fresh) (i32.ne (global.get $seed) (i32.const 0))))
    (memory.fill (i32.const 0) (i32.const 0xA5) (i32.mul (memory.size) (i32.const 65536)))
    (global.set $narrow (i32.const 1))
    (global.set $wide (i64.const 1))
    (global.set $single (f32.const 1))
    (global.set $double (f64.const 1))
    (global.set $lanes (v128.const i64x2 1 1))
    (drop (call $rand))
    {end}
    (local.get $fresh)))""")
    )


DIRTY = module()
# Of a kind that no kept bot is brought back from: each is played as if no bot were kept.
GROWS = module(end="(drop (memory.grow (i32.const 1)))")
FAILS = module(end="(if (i32.and (call $rand) (i32.const 1)) (then unreachable))")
FAILS_AT_START = module(start="(if (i32.and (call $rand) (i32.const 1)) (then unreachable))")
USES_MUCH = module(pages=8)
DRAWS = module(end="(return (i32.and (call $rand) (i32.const 1)))")
CLOCK = '(import "wasi_snapshot_preview1" "clock_time_get" (func (param i32 i64 i32) (result i32)))'
TELLS_TIME = bytes(
    wasmtime.wat2wasm(
        f'(module {CLOCK} (memory (export "memory") 1) (func (export "move") (param i32) (result i32) (i32.const 0)))'
    )
)
# Not kept, for its segment of data. It fails if it is asked twice.
IN_POOL = module(
    begin="(if (i32.ne (global.get $narrow) (i32.const 8)) (then unreachable))"
    " (memory.init $later (i32.const 0) (i32.const 0) (i32.const 5))"
    " (if (i32.ne (i32.load8_u (i32.const 4)) (i32.const 114)) (then unreachable))"
    " (memory.fill (i32.const 0) (i32.const 0) (i32.const 5))",
    end="(data.drop $later) (drop (memory.grow (i32.const 2)))",
    more='(data $later "later")',
)


@pytest.fixture(autouse=True)
def new_thread_of_bots() -> Iterator[None]:
    """Let each test begin without kept bots."""
    on_deep_stack(lambda: vars(kept._here).clear())
    yield
    on_deep_stack(lambda: vars(kept._here).clear())


def leg_of(number: int) -> Leg:
    seats = Seat("x", "wasm", "dirty", 2 * number), Seat("y", "wasm", "dirty", 2 * number + 1)
    return Leg("", LegPlan(0, number, 1, bytes(KEY_BYTES)), seats)


def played(code: bytes, *, short: bool, count: int = 30) -> tuple[list[LegResult], list[list[int]], int]:
    """Return the results of legs without their seconds, their moves, and how many were played by kept bots."""
    sink, of_kept = NullSink.of(MATRIX_GAME, 4 * count), 0
    player, results = ShortLegs(MATRIX_GAME, SETTINGS, {"dirty": code}), []
    for number in range(count):
        found = player.play(leg_of(number), sink) if short else None
        of_kept += found is not None
        found = found or play_leg(MATRIX_GAME, SETTINGS, leg_of(number), {"dirty": code}, sink)
        found.seconds = 0.0
        results.append(result_of(MATRIX_GAME, found))
    rows = sink.games.rows
    return results, [sink.games.arrays[f"move_{seat}"][:rows].tolist() for seat in (0, 1)], of_kept


# Modules, and how many of the legs are played by kept bots, if it is known.
KEPT: dict[str, tuple[bytes, int, int | None]] = {
    "changes everything": (DIRTY, LEGS, LEGS),
    "draws": (DRAWS, 30, 30),
    "grows": (GROWS, 30, 1),
    "uses much": (USES_MUCH, 30, 1),
    "fails": (FAILS, 30, None),
    "fails at its start": (FAILS_AT_START, 30, None),
}


@pytest.mark.parametrize("how", KEPT)
def test_legs_are_the_same_whether_bots_are_kept_or_not(how: str) -> None:
    """Compare also faults and what bots used. After a fault or growth, a bot isn't kept."""
    code, count, kept_legs = KEPT[how]
    of_kept, of_new = (played(code, short=short, count=count) for short in (True, False))
    assert code is not DIRTY or of_kept[1] == [[1] * LEGS] * 2
    assert of_kept[:2] == of_new[:2]
    assert [leg.used for leg in of_kept[0]] == [leg.used for leg in of_new[0]]  # legs compare without it
    assert of_kept[2] < 30 if kept_legs is None else of_kept[2] == kept_legs


def test_pages_that_the_system_takes_away_are_brought_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take all memory from kept bots after each leg. The system says of pages in swap, too, that they are used."""
    advise = ctypes.CDLL(None).madvise
    advise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    play, paged_out = KeptBots.play, []

    def play_without_memory(self: KeptBots, *given: object) -> object:
        used = play(self, *given)  # type: ignore[arg-type]
        for one in self._bots.values():
            assert one
            paged_out.append(advise(*self._store.place_of(one.started.memory), OUT_OF_MEMORY))
        return used

    monkeypatch.setattr(KeptBots, "play", play_without_memory)
    _, moves, of_kept = played(DIRTY, short=True)
    assert moves == [[1] * 30] * 2
    assert of_kept == 30
    assert len(paged_out) == 60


def test_bots_of_which_more_changes_are_not_kept() -> None:
    """Refuse segments, exceptions, references, many variables, and bots that can ask for the time at their start."""
    many = "".join(f"(global (mut i32) (i32.const {number}))" for number in range(20))
    for text in ("(tag)", "(global (mut funcref) (ref.null func))", many):
        assert read_module(bytes(wasmtime.wat2wasm(f"(module {text})"))).changing_variables is None
    assert read_module(IN_POOL).changing_variables is None
    assert load_bot(TELLS_TIME, MATRIX_GAME.interface, "bot", 64).variables is None


def test_a_run_that_stops_ends_within_short_legs() -> None:
    player, sink = ShortLegs(MATRIX_GAME, SETTINGS, {"dirty": DIRTY}, lambda: True), NullSink.of(MATRIX_GAME, 100)
    deadline = time.monotonic() + 60
    with pytest.raises(Stopped):
        while time.monotonic() < deadline:
            player.play(leg_of(0), sink)


def test_bots_of_a_forked_process_are_new(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use new bots in a child, because the open file has the pages of its parent."""
    stores: list[Engine] = []

    def noting(kind: Engine) -> instances.Store:
        stores.append(kind)
        return new_store(kind)

    monkeypatch.setattr(kept, "new_store", noting)
    played(DIRTY, short=True, count=2)
    monkeypatch.setattr("tournament.worker.wasm.kept.os.getpid", lambda: -1)
    played(DIRTY, short=True, count=2)
    assert len(stores) == 2


def moves_in_pool(number: int = 0, turns: int = 4) -> list[list[int]]:
    """Return the moves of a leg of two bots that fail every second time."""
    settings, sink = Settings(turns_per_game=turns, sessions=1, max_faults=2, **MOVES), NullSink.of(MATRIX_GAME, 100)
    play_leg(MATRIX_GAME, settings, leg_of(number), {"dirty": IN_POOL}, sink)
    return [sink.games.arrays[f"move_{seat}"][: sink.games.rows].tolist() for seat in (0, 1)]


def test_bots_in_used_memories_start_fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Faults are followed by fresh memory, too."""
    assert engine.has_pool()
    places: list[int] = []
    make = calls.new_store

    def noting(*given: Any) -> instances.Store:
        places.append(given[1])
        return make(*given)

    monkeypatch.setattr(calls, "new_store", noting)

    def play() -> None:
        for number in range(LEGS):
            faults = number % 20 == 0
            assert moves_in_pool(number, 4 if faults else 1) == ([[1, 0, 1, 0]] if faults else [[1]]) * 2, number

    on_deep_stack(play)
    assert places == [6] * LEGS


def test_leg_without_places_in_pool_is_played() -> None:
    assert engine.has_pool()
    gc.collect()
    places = engine._slots()
    assert instances.take_places(places) and not instances.take_places(1)
    held = calls.new_store(engine.engine(Engine.POOLED), places)
    assert moves_in_pool() == [[1, 0, 1, 0]] * 2
    del held
    assert instances.take_places(places), "all are given back"
    calls.new_store(engine.engine(Engine.POOLED), places)
