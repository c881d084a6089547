"""Traps and exceptions of C++ bots that nothing catches."""

from __future__ import annotations

import pytest

from tests.support import build_folder, constant_bot, try_bot
from tournament.artifacts.bot import Entrant

CALLS = "int b(const Bot *, int) { return 1; }\n"
CATCHES = """#include <stdexcept>
#include <vector>
static int deeper(volatile int *n) {{ volatile int m = *n; return deeper(&m) + m; }}
int a(const Bot *bot) {{ int n = 0; try {{ {} }} catch (...) {{ return 7; }} }}
"""
# By what a bot does within try and catch: its fault.
TRAPS = {
    "__builtin_trap();": "gave up (abort, exit, or a path without a return)",
    "return deeper(&n);": "recursed too deep (stack overflow)",
    "for (volatile int i = 0;; i++);": "ran out of fuel: it loops or is too slow",
    "return *(volatile int *)0xfffffff0;": "read or wrote out of bounds of its memory (or recursed too deep)",
    "for (;;) try { throw n; } catch (int m) { n = m + 1; }": "ran out of fuel: it loops or is too slow",
}
UNCAUGHT = {
    "namespace mine { struct Lost : std::runtime_error { Lost() : runtime_error(\"no idea\") {} }; }\n"
    "int a(const Bot *) { throw mine::Lost(); }": "threw mine::Lost, which nothing caught: no idea",
    "struct Odd {};\nstatic void f() noexcept { throw Odd(); }\n"
    "int a(const Bot *) { f(); return 1; }": "threw Odd, which nothing caught",
    "int a(const Bot *b) { return std::vector<int>(3).at(b->money); }": (
        "threw std::out_of_range, which nothing caught: vector"
    ),
}  # fmt: skip
HEADERS = "#include <stdexcept>\n#include <vector>\n"
FAULTS = {CATCHES.format(trap): fault for trap, fault in TRAPS.items()}
FAULTS |= {HEADERS + source: fault for source, fault in UNCAUGHT.items()}
START = "static int fails() { throw 1; }\nint early = fails();\nint a(const Bot *) { return early; }\n" + CALLS


@pytest.fixture(scope="module")
def entrants(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Entrant]:
    """Build all bots of this file together."""
    bots: dict[str, str | bytes] = {f"bot_{n}.cpp": source + CALLS for n, source in enumerate(FAULTS)}
    bots |= {"at_start.cpp": START, "catches.cpp": CATCHES.format('throw "words";') + CALLS}
    return build_folder(tmp_path_factory.mktemp("bots"), bots)


@pytest.mark.parametrize("number", range(len(FAULTS)))
def test_trap_or_exception_ends_decision(entrants: dict[str, Entrant], number: int) -> None:
    trial = try_bot(entrants[f"bot_{number}"], constant_bot(20, 1), sessions=1)
    assert trial.failures == [list(FAULTS.values())[number]] * 3


def test_bot_catches_exception_unless_at_start(entrants: dict[str, Entrant]) -> None:
    trial = try_bot(entrants["catches"], constant_bot(0, 1), sessions=1)
    assert not trial.failures and {game.bet for game in trial.record.games if game.seat_0_is_a} == {7}
    assert entrants["at_start"].problem == "can't start: threw an exception that nothing caught"
