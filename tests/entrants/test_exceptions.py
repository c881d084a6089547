"""Traps and exceptions of C++ bots that nothing catches."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import wasmtime

from engine.wasm.modules import FUEL, read_module
from tests.support import artifact_of, build_folder, constant_bot, try_bot
from tournament.artifacts.bot import Entrant
from tournament.worker.wasm.engine import Engine, engine
from tournament.worker.wasm.stack import on_deep_stack

CALLS = "int b(const Bot *, int) { return 1; }\n"

HELPERS = """
#include <stdlib.h>
__attribute__((noinline)) static int for_ever(volatile int *n) { volatile int m = *n; return for_ever(&m) + m; }
#define CASE(name) extern "C" __attribute__((export_name(name))) int
CASE("trap") case_trap(int) { try { __builtin_trap(); } catch (...) { return 1; } }
CASE("abort") case_abort(int) { try { abort(); } catch (...) { return 1; } }
CASE("recursion") case_recursion(int n) { try { return for_ever(&n); } catch (...) { return 1; } }
CASE("endless") case_endless(int) { try { for (volatile int i = 0;; i++); } catch (...) { return 1; } }
CASE("outside") case_outside(int) { try { return *(volatile int *)0xfffffff0; } catch (...) { return 1; } }
CASE("throws_for_ever") case_throws(int n) { for (;;) try { throw n; } catch (int m) { n = m + 1; } }
CASE("anything") case_anything(int) { try { throw "words"; } catch (...) { return 7; } }
"""

BOTS = {
    "cases.cpp": HELPERS + "int a(const Bot *) { return 20; }\n" + CALLS,
    "uncaught.cpp": "#include <stdexcept>\nnamespace mine { struct Lost : std::runtime_error { Lost() :"
    ' runtime_error("no idea") {} }; }\nint a(const Bot *) { throw mine::Lost(); }\n' + CALLS,
    "broken_promise.cpp": "struct Odd {};\nstatic void f() noexcept { throw Odd(); }\n"
    "int a(const Bot *) { f(); return 1; }\n" + CALLS,
    "library.cpp": "#include <vector>\nint a(const Bot *b) { return std::vector<int>(3).at(b->money); }\n" + CALLS,
    "at_start.cpp": "static int fails() { throw 1; }\nint early = fails();\n"
    "int a(const Bot *) { return early; }\n" + CALLS,
}


@pytest.fixture(scope="module")
def entrants(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Entrant]:
    """Build all bots of this file together."""
    return build_folder(tmp_path_factory.mktemp("bots"), BOTS)


Case = Callable[[str], int]


@pytest.fixture
def case(entrants: dict[str, Entrant]) -> Case:
    """Return a function that calls one of the cases, in a store like a leg's."""
    store = wasmtime.Store(engine(Engine.PLAIN))
    store.set_limits(memory_size=64 << 20)
    module = wasmtime.Module(store.engine, read_module(artifact_of(entrants["cases"])).metered())
    linker = wasmtime.Linker(store.engine)
    linker.define_unknown_imports_as_traps(module)
    exports = linker.instantiate(store, module).exports(store)

    fuel = exports[FUEL]
    assert isinstance(fuel, wasmtime.Global)

    def call(name: str) -> int:
        fuel.set_value(store, 1_000_000_000)
        function = exports[name]
        assert isinstance(function, wasmtime.Func)
        return int(on_deep_stack(function, store, 0))

    fuel.set_value(store, 1_000_000_000)
    start = exports["_initialize"]
    assert isinstance(start, wasmtime.Func)
    start(store)
    return call


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("trap", wasmtime.TrapCode.UNREACHABLE),
        ("abort", wasmtime.TrapCode.UNREACHABLE),
        ("recursion", wasmtime.TrapCode.STACK_OVERFLOW),
        ("endless", wasmtime.TrapCode.UNREACHABLE),
        ("outside", wasmtime.TrapCode.MEMORY_OUT_OF_BOUNDS),
        ("throws_for_ever", wasmtime.TrapCode.UNREACHABLE),
    ],
)
def test_traps_are_not_caught(case: Case, name: str, code: wasmtime.TrapCode) -> None:
    with pytest.raises(wasmtime.Trap) as ended:
        case(name)
    assert ended.value.trap_code == code
    assert case("anything") == 7


def test_uncaught_exception_is_named(entrants: dict[str, Entrant]) -> None:
    said = {
        "uncaught": "threw mine::Lost, which nothing caught: no idea",
        "broken_promise": "threw Odd, which nothing caught",
        "library": "threw std::out_of_range, which nothing caught: vector",
    }
    for name, words in said.items():
        assert try_bot(entrants[name], constant_bot(20, 1), sessions=1).failures == [words] * 3
    assert entrants["at_start"].problem == "can't start: threw an exception that nothing caught"
