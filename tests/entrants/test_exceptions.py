"""Traps and exceptions of C++ bots that nothing catches."""

from __future__ import annotations

import pytest

from tests.worker.support import A, Answered, B, Source, ask_each, problem_of

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


@pytest.fixture(scope="module")
def asked() -> dict[str, Answered]:
    """Build all bots of this file together, and ask each for two bets and a call."""
    bots: dict[str, Source] = {f"bot_{n}.cpp": source + CALLS for n, source in enumerate(FAULTS)}
    return ask_each({**bots, "catches.cpp": CATCHES.format('throw "words";') + CALLS}, [A, A, B])


@pytest.mark.parametrize("number", range(len(FAULTS)))
def test_trap_or_exception_ends_decision(asked: dict[str, Answered], number: int) -> None:
    answered = asked[f"bot_{number}"]
    assert answered.what == [list(FAULTS.values())[number]] * 2 and answered.answers == [0, 0, 1]


def test_bot_catches_exception_unless_at_start(asked: dict[str, Answered]) -> None:
    assert asked["catches"].answers == [7, 7, 1] and not asked["catches"].faults
    start = "static int fails() { throw 1; }\nint early = fails();\nint a(const Bot *) { return early; }\n" + CALLS
    assert problem_of(start, "bot.cpp") == "can't start: threw an exception that nothing caught"
