"""A field of a thousand bots has half a million legs: what each takes besides its games must stay little."""

from __future__ import annotations

import sys

import wasmtime

from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER, Settings
from tournament.keys import KEY_BYTES
from tournament.runner.schedule.legs import Competitor, RoundRobin
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
