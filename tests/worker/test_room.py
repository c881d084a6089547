"""Memory and stack of bots, as their contests promise, on every thread."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest
import wasmtime

from tests.built_in import MATRIX_GAME
from tournament.artifacts.bot import Entrant
from tournament.contests.matrix_game.rules import Settings as Matrix
from tournament.entrants.build import build_entrant
from tournament.entrants.folder import read_submission
from tournament.keys import KEY_BYTES
from tournament.leg import Leg, LegPlan, Seat
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.leg import NullSink, play_leg
from tournament.worker.wasm.stack import on_deep_stack

TURNS, TOO_DEEP = 12, (8, 9)
MOVES = '(func (export "move") (param i32) (result i32) (i32.const 1))'
IDLE = bytes(wasmtime.wat2wasm(f'(module (memory (export "memory") 1) {MOVES})'))


class Ample(Matrix):
    """A call may take all of the bank."""

    @property
    def fuel_per_call(self) -> int:
        return self.fuel_per_leg


ROOM = Ample(turns_per_game=TURNS, sessions=1, moves=["fails", "goes"], payoffs=[[0, 0], [1, 1]])


@pytest.fixture(scope="module")
def room() -> Entrant:
    path = Path(__file__).with_name("room.cpp")
    return build_entrant(read_submission(path), MATRIX_GAME.interface, ROOM, SandboxSettings())


def went_well(room: Entrant) -> bool:
    """Check that only endless calls and too large an array failed, and return True."""
    assert room.artifact and room.artifact_sha256
    artifacts = {room.artifact_sha256: room.artifact, "idle": IDLE}
    seats = Seat(room.name, "wasm", room.artifact_sha256, 1), Seat("idle", "wasm", "idle", 2)
    sink = NullSink.of(MATRIX_GAME, 1000)
    result = play_leg(MATRIX_GAME, ROOM, Leg("", LegPlan(0, 0, 1, bytes(KEY_BYTES)), seats), artifacts, sink)
    moves = sink.games.arrays["move_0"][: sink.games.rows]
    assert [turn for turn, move in enumerate(moves) if not move] == list(TOO_DEEP)
    assert [(fault.seat, fault.game) for fault in result.rest.faults] == [(0, turn) for turn in TOO_DEEP]
    assert all("recursed too deep" in fault.message for fault in result.rest.faults)
    return True


@pytest.mark.parametrize("size", [0, 128 << 10])
def test_bot_has_promised_memory_and_stack(room: Entrant, size: int) -> None:
    """Calling threads can have too little stack for them. Size 0 is the system's default."""
    played: list[bool] = []
    before = threading.stack_size(size)
    try:
        thread = threading.Thread(target=lambda: played.append(went_well(room)))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert played == [True]


def test_forked_process_starts_its_own_deep_threads() -> None:
    """Check a child process, in which a call of its parent's threads would never end."""
    assert on_deep_stack(lambda: 6) == 6
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(on_deep_stack(lambda: 7))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
