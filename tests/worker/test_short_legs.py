"""A field of a thousand bots has half a million legs: what each takes besides its games must stay little."""

from __future__ import annotations

import hashlib
import sys
import tracemalloc

import numpy as np
import wasmtime

from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER, Settings
from tournament.keys import KEY_BYTES
from tournament.runner.schedule.legs import Competitor, RoundRobin
from tournament.store.legs import Legs, Rest, digest_column, pack_legs, unpack_legs
from tournament.worker.leg import NullSink, play_leg
from tournament.worker.wasm.stack import on_deep_stack

PLAIN = """(module (memory (export "memory") 1) (func (export "a") (param i32) (result i32) (i32.const 0))
    (func (export "b") (param i32 i32) (result i32) (i32.const 1)))"""


def test_a_leg_takes_few_calls_of_python() -> None:
    code = bytes(wasmtime.wat2wasm(PLAIN))
    settings, sink = Settings(sessions=1), NullSink.of(VON_NEUMANN_POKER, 1 << 12)
    players = [Competitor(number, name, "wasm", "code") for number, name in enumerate(("ann", "ben", "cid"))]
    legs = list(RoundRobin(VON_NEUMANN_POKER.rules, settings.playing(), bytes(KEY_BYTES), players).legs())

    def play() -> None:
        for leg in legs:
            assert play_leg(VON_NEUMANN_POKER, settings, leg, {"code": code}, sink).games

    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    def counted() -> None:
        play()  # compiles
        sys.setprofile(count)
        try:
            play()
        finally:
            sys.setprofile(None)

    on_deep_stack(counted)
    assert calls < 120 * len(legs), f"{calls / len(legs):.0f} calls a leg"


def test_legs_are_packed_without_copies() -> None:
    count = 5000
    legs = Legs(
        digest_column(hashlib.sha256(str(number).encode()).hexdigest() for number in range(count)),
        ("ann", "ben"),
        np.tile(np.array([[0], [1]], np.int32), count).T,
        np.ones((4, count), np.int64).T,
        np.ones((34, 1, count)).T,
        (Rest(),),
        np.zeros(count, np.int32),
    )
    tracemalloc.start()
    try:
        packed, columns = pack_legs(legs)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    content = b"".join(column.data for column in columns)
    assert most < 0.2 * len(content)
    assert unpack_legs(packed, content, 0, len(content)) == legs
