"""What bots have room for: memory and stack as their contests promise, on every thread, and fuel that is about time."""

from __future__ import annotations

import subprocess
import threading
from pathlib import Path

import pytest
import wasmtime

from tests.built_in import MATRIX_GAME, ROCK_PAPER_SCISSORS
from tournament.artifacts.bot import Entrant
from tournament.contests.matrix_game.rules import Settings as Matrix
from tournament.entrants.build import build_entrant
from tournament.entrants.folder import read_submission
from tournament.keys import KEY_BYTES
from tournament.leg import Leg, LegPlan, Seat
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.legs import LegResult
from tournament.worker.leg import NullSink, play_leg
from tournament.worker.wasm.stack import MOST_STACK

TURNS, TOO_DEEP = 12, (8, 9)
MOVES = '(func (export "move") (param i32) (result i32) (i32.const 1))'
IDLE = bytes(wasmtime.wat2wasm(f'(module (memory (export "memory") 1) {MOVES})'))


class Ample(Matrix):
    """A call may take all of the bank."""

    @property
    def fuel_per_call(self) -> int:
        return self.fuel_per_leg


ROOM = Ample(turns_per_game=TURNS, sessions=1, moves=["fails", "goes"], payoffs=[[0, 0], [1, 1]])


def built(path: Path) -> Entrant:
    entrant = build_entrant(read_submission(path), MATRIX_GAME.interface, ROOM, SandboxSettings())
    assert entrant.artifact, entrant.problem
    return entrant


@pytest.fixture(scope="module")
def room() -> Entrant:
    return built(Path(__file__).with_name("room.cpp"))


def play(
    bot: Entrant, settings: Matrix, meters: list[tuple[int, int, int]] | None = None
) -> tuple[list[int], LegResult]:
    """A bot's moves in a leg against one that does nothing, and what came of it."""
    assert bot.artifact and bot.artifact_sha256
    artifacts = {bot.artifact_sha256: bot.artifact, "idle": IDLE}
    seats = Seat(bot.name, "wasm", bot.artifact_sha256, 1), Seat("idle", "wasm", "idle", 2)
    sink = NullSink.of(MATRIX_GAME, 1000)
    leg = Leg("", LegPlan(0, 0, settings.sessions, bytes(KEY_BYTES)), seats)
    result = play_leg(MATRIX_GAME, settings, leg, artifacts, sink, meters=meters)
    return sink.games.arrays["move_0"][: sink.games.rows].tolist(), result


def went_well(room: Entrant) -> bool:
    """All turns went well but those of calls without an end and too large an array, which are faults of theirs."""
    moves, result = play(room, ROOM)
    assert [turn for turn, move in enumerate(moves) if not move] == list(TOO_DEEP)
    assert [(fault.seat, fault.game) for fault in result.faults] == [(0, turn) for turn in TOO_DEEP]
    assert all("recursed too deep" in fault.message for fault in result.faults)
    return True


@pytest.mark.parametrize("size", [0, 128 << 10, MOST_STACK + (8 << 20)])
def test_a_bot_has_the_memory_and_the_stack_that_it_is_promised(room: Entrant, size: int) -> None:
    """Also where the thread itself has too little stack for them; 0 is the system's."""
    played: list[bool] = []
    before = threading.stack_size(size)
    try:
        thread = threading.Thread(target=lambda: played.append(went_well(room)))
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    assert played == [True]


MIX = Path(__file__).parent / "allocator" / "random_mix.c"


@pytest.mark.parametrize(("seed", "pages"), [(1, 150), (2, 300), (3, 150), (4, 2000)])
def test_blocks_of_a_random_mix_of_calls_never_touch_each_other(mix: Path, seed: int, pages: int) -> None:
    subprocess.run([mix, str(seed), "30000", str(pages)], check=True)


@pytest.fixture(scope="module")
def mix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("mix") / "mix"
    flags = ["-O1", "-fsanitize=undefined", "-fno-sanitize-recover", "-fno-builtin", "-w"]
    subprocess.run(["gcc", *flags, "-o", program, MIX], check=True)
    return program


WORKS = """
static unsigned tables[2][25000];
int move(const Bot *bot)
{
    unsigned state = bot->turn;
    memset(tables, 0, sizeof tables); /* 200 KB */
    for (int i = 0; i < 50000; i++) {
        state = state * 1664525 + 1013904223;
        tables[state >> 31][(state >> 8) % 25000] += i;
    }
    return tables[0][bot->turn] % 3;
}
"""


def test_a_bot_that_works_a_million_instructions_a_turn_has_fuel_for_a_match(tmp_path: Path) -> None:
    """As winners of the competition of 1999 did, in a match of 20 sessions of 1,000 turns: ten replicas of two."""
    (tmp_path / "works.c").write_text(WORKS)
    bot = built(tmp_path / "works.c")
    meters: list[tuple[int, int, int]] = []
    turns, match = 20, ROCK_PAPER_SCISSORS.settings.model_validate(ROCK_PAPER_SCISSORS.preset)
    assert isinstance(match, Matrix)
    turns_of_leg = match.sessions * match.turns_per_game
    assert turns_of_leg * match.replicas == 20_000
    play(bot, Matrix(turns_per_game=turns, sessions=1), meters)
    decisions, fuel, most = meters[0]
    assert decisions == turns and 1_000_000 < fuel / turns < 2_000_000
    assert fuel / turns * turns_of_leg < match.fuel_per_leg
    assert most < match.fuel_per_call
