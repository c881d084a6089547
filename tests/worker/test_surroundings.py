"""Clocks and random bytes of WebAssembly bots, from their own fuel and seed."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.wasm.surroundings import FUEL_PER_SECOND
from tests.built_in import VON_NEUMANN_POKER
from tests.oracles.deals import key_of
from tests.support import artifact_of, build_folder, play_built, poker_settings
from tests.worker.test_webassembly_limits import CALLS, LOOPS, PASSES, PLAIN, bot, counting, module, turning
from tournament.artifacts.bot import Entrant
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.leg import Leg, LegPlan, Seat, Unfit
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.observation import Window, observe_leg
from tournament.worker.wasm import seating
from tournament.worker.wasm.loading import load_bot

WASI = "wasi_snapshot_preview1"
IMPORTS = f"""(import "{WASI}" "clock_time_get" (func $time (param i32 i64 i32) (result i32)))
    (import "{WASI}" "random_get" (func $random (param i32 i32) (result i32)))
    (import "{WASI}" "clock_res_get" (func $resolution (param i32 i32) (result i32)))"""
# The microseconds of a clock, and a random byte.
MICROSECONDS = """(func $micros (param i32) (result i32) (drop (call $time (local.get 0) (i64.const 1) (i32.const 64)))
    (i32.wrap_i64 (i64.div_u (i64.load (i32.const 64)) (i64.const 1000))))"""
BYTE = """(func $byte (result i32) (drop (call $random (i32.const 64) (i32.const 1))) (i32.load8_u (i32.const 64)))"""


def asking(name: str, answer: str, more: str = "") -> Entrant:
    """Return a bot that bets the value of an expression, below 50."""
    answers = f'(func (export "a") (param i32) (result i32) (local $n i32) (i32.rem_u {answer} (i32.const 50)))'
    return bot(name, f"{MICROSECONDS} {BYTE} {more} {answers} {CALLS}", imports=IMPORTS)


# It works for a while, too, so that its bets tell how long each decision took.
WATCHER = asking("watcher", f"(block (result i32) {turning(400)} (call $micros (i32.const 1)))")
DICE = asking("dice", "(call $byte)")
COLUMNS = ("a_card", "bet", "a_gain", "seat_0_is_a")


def played(x: Entrant, y: Entrant, *, seed: int = 1, **keys: object) -> list[tuple[float, ...]]:
    """Cards, bets, A's gains and whether x was A, of a leg."""
    result, desk = play_built(x, y, settings=poker_settings(**{"sessions": 3, **keys}), random_seeds=(seed, 2))
    assert not result.faults
    return list(zip(*[desk.column(f"games.{name}") for name in COLUMNS]))


def bets(games: list[tuple[float, ...]]) -> list[float]:
    """Return the bets of x, which are at most its money."""
    return [game[1] for game in games if game[3]]


def test_clock_advances_with_own_fuel_alone() -> None:
    """Fuel of opponents doesn't count, even if it is a thousand times as much."""
    games = played(WATCHER, PLAIN)
    assert len(set(bets(games))) > 10
    for opponent in (LOOPS, counting("cheap", 1), counting("dear", 10_000)):
        assert played(WATCHER, opponent) == games


CALLED = {
    "time": ("(call $time (i32.const 0) (i64.const 1) (i32.const 64))", 400),
    "ten random bytes": ("(call $random (i32.const 64) (i32.const 10))", 480),
    "random bytes to nowhere": ("(call $random (i32.const -1) (i32.const 10))", 400),
    "a piece": ("(call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 64))", 400 + 400 + 1024),
    "more pieces": ("(call $write (i32.const 1) (i32.const 0) (i32.const -1) (i32.const 4))", 400 + 64 * (400 + 1024)),
}


@pytest.mark.parametrize("what", CALLED)
def test_each_imported_call_has_its_price(what: str) -> None:
    call, price = CALLED[what]
    # All 64 pieces begin at 0, and are longer than what is kept.
    pieces = "\\00\\00\\00\\00\\00\\20\\00\\00" * 64
    imports = f'{IMPORTS} (import "{WASI}" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))'
    text = f'(data (i32.const 0) "{pieces}") (func (export "_initialize") (drop {call})) {PASSES} {CALLS}'
    loaded = load_bot(module(text, imports), VON_NEUMANN_POKER.interface, "asks", 64)
    seating.try_start(loaded, seating.BotLimits(10**6, 64, fuel_to_start=price + 10))
    with pytest.raises(Unfit, match="ran out of fuel"):
        seating.try_start(loaded, seating.BotLimits(10**6, 64, fuel_to_start=price - 1))


def test_time_includes_starts_and_decisions() -> None:
    """Starts take fuel. After a restart the bot has still used what it used before."""
    initialize = f'(func (export "_initialize") (local $n i32) {turning(8000)})'
    early = asking("early", "(call $micros (i32.const 1))", initialize)
    assert bets(played(early, PLAIN, sessions=1))[0] == 40_000 // (FUEL_PER_SECOND // 10**6)
    fails = "(if (i32.lt_u (call $micros (i32.const 1)) (i32.const 15)) (then (unreachable)))"
    again = asking("again", f"(block (result i32) {fails} (call $micros (i32.const 1)))", initialize)
    result, desk = play_built(again, PLAIN, settings=Settings(sessions=1))
    assert [fault.message[:7] for fault in result.faults] == ["gave up"]
    assert 20 <= max(desk.column("games.bet")) < 50


def test_random_bytes_follow_seed_and_leave_rand_unchanged() -> None:
    legs = [bets(played(DICE, PLAIN, seed=seed)) for seed in (1, 2, 1)]
    assert legs[0] == legs[2] != legs[1] and len(set(legs[0])) > 10
    imports = f'(import "env" "rand" (func $rand (result i32))) {IMPORTS}'
    draws = '(func (export "a") (param i32) (result i32) %s (i32.rem_u (call $rand) (i32.const 50)))'
    texts = {"alone": draws % "", "beside": draws % "(drop (call $byte))"}
    alone, beside = (bot(name, f"{BYTE} {text} {CALLS}", imports=imports) for name, text in texts.items())
    assert played(alone, PLAIN) == played(beside, PLAIN)


ODD = {
    "no such clock": ("(call $time (i32.const 4) (i64.const 0) (i32.const 0))", 28),
    "time beyond memory": ("(call $time (i32.const 0) (i64.const 0) (i32.const 131065))", 21),
    "resolution beyond memory": ("(call $resolution (i32.const 0) (i32.const 131065))", 21),
    "all bytes there are": ("(call $random (i32.const 1) (i32.const -1))", 21),
    "no bytes": ("(call $random (i32.const 131072) (i32.const 0))", 0),
    "the last bytes": ("(call $time (i32.const 3) (i64.const 0) (i32.const 131064))", 0),
    "nanoseconds": (
        """(i32.add (call $resolution (i32.const 0) (i32.const 8)) (i32.wrap_i64 (i64.load (i32.const 8))))""", 1
    ),
}  # fmt: skip


def test_invalid_calls_return_an_error_number() -> None:
    found = {what: max(bets(played(asking("odd", call), PLAIN, sessions=1))) for what, (call, _) in ODD.items()}
    assert found == {what: number for what, (_, number) in ODD.items()}


SEARCHES = """#include <chrono>
#include <cstdio>
#include <ctime>
#include <random>
#include <sys/time.h>
static const auto begun = std::chrono::system_clock::now();
static double work[64];
int a(const Bot *) {
    static bool searched = false;
    auto start = std::chrono::steady_clock::now();
    if (!searched) {
        while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(190))
            for (int i = 1; i < 64; i++) work[i] = (work[i] + work[i - 1] + 0.5) / 3;
        timeval now;
        gettimeofday(&now, nullptr);
        timespec processor;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &processor);
        std::printf("%ld %d %ld.%02ld %ld %d\\n", (long)std::chrono::system_clock::to_time_t(begun),
            (int)(time(0) - now.tv_sec), (long)(now.tv_sec - 1767225600), (long)now.tv_usec / 10000,
            (long)(clock() * 100 / CLOCKS_PER_SEC), (int)(processor.tv_nsec / 10000000));
        searched = true;
    }
    return std::random_device{}() % 50;
}
int b(const Bot *, int) { return 0; }
"""


def test_every_clock_shows_the_same_time(tmp_path: Path) -> None:
    artifact = artifact_of(build_folder(tmp_path, {"searches.cpp": SEARCHES})["searches"])
    artifacts = {"searches": artifact, "plain": artifact_of(PLAIN)}
    seats = tuple(Seat(name, "wasm", name, seed) for seed, name in enumerate(artifacts, 1))
    leg = Leg("", LegPlan(0, 0, 1, key_of(1)), seats)
    seen = observe_leg(VON_NEUMANN_POKER, poker_settings(sessions=1), SandboxSettings(), leg, artifacts, Window())
    printed = "".join(step.printed for game in seen.games for step in game.steps)
    assert printed == "1767225600 0 0.19 19 19\n"
