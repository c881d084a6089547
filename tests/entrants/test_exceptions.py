"""Exceptions of C++ bots: what is caught, what isn't, and what they cost."""

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

# Each gives the number that it gives natively.
CASES = {
    "own_type_by_reference": (
        "try { try { throw Point{3, 4}; } catch (Point &p) { p.x = 9; throw; } }"
        " catch (const Point &p) { return p.x; }",
        9,
    ),
    "number_among_handlers": (
        "try { throw 2.5; } catch (int) { return 1; } catch (double d) { return d * 2; } catch (...) { return 3; }",
        5,
    ),
    "standard_hierarchy": (
        'try { throw std::out_of_range("zebra"); } catch (const std::exception &e) { return e.what()[0]; }',
        ord("z"),
    ),
    "anything": ('try { throw "words"; } catch (...) { return 7; }', 7),
    "by_a_handler": ("try { try { throw 1; } catch (int i) { throw i * 2.5; } } catch (double d) { return d * 2; }", 5),
    "through_frames": ("try { return deep(50); } catch (int n) { return n * 1000 + destroyed; }", 7_051),
    "elements_so_far": ("Third::made = 0; try { new Third[5]; } catch (int) { return destroyed; } return 0;", 3),
    "vector_at": (
        "std::vector<int> v(3); try { return v.at(n + 3); } catch (const std::out_of_range &) { return 5; }",
        5,
    ),
    "no_memory": (
        "std::vector<char *> all; try { for (;;) all.push_back(new char[1 << 20]); }"
        " catch (std::bad_alloc &) { n = all.size(); for (char *p : all) delete[] p; return n > 10; } return 0;",
        1,
    ),
    "kept": (
        "std::exception_ptr kept; try { throw Own(); } catch (...) { kept = std::current_exception(); }"
        " try { std::rethrow_exception(kept); } catch (const Own &o) { return o.what()[0]; } return 0;",
        ord("m"),
    ),
    "in_flight": ("try { Asks asks; throw 1; } catch (int) { return in_flight + 10 * std::uncaught_exceptions(); }", 1),
    "static_constructor": ("return caught_at_start;", 14),
}  # fmt: skip
HELPERS = """
#include <stdexcept>
#include <string>
#include <vector>
struct Point { int x, y; };
struct Own : std::exception { const char *what() const noexcept override { return "mine"; } };
static int destroyed, in_flight;
struct Counted { ~Counted() { destroyed++; } };
__attribute__((noinline)) static int deep(int n) { Counted c; return n ? deep(n - 1) + 1 : throw 7; }
struct Third { Counted c; static int made; Third() { if (++made == 3) throw made; } };
int Third::made;
struct Asks { ~Asks() { in_flight = std::uncaught_exceptions(); } };
static int fails_at_start() { throw 14; }
static int at_start() { try { return fails_at_start(); } catch (int n) { return n; } }
static int caught_at_start = at_start();
__attribute__((noinline)) static int for_ever(volatile int *n) { volatile int m = *n; return for_ever(&m) + m; }
__attribute__((noinline)) static void throws_odd(int n) { Counted c; if (n & 1) throw n; }
#define CASE(name) extern "C" __attribute__((export_name(name))) int
CASE("trap") case_trap(int) { try { __builtin_trap(); } catch (...) { return 1; } }
CASE("abort") case_abort(int) { try { abort(); } catch (...) { return 1; } }
CASE("recursion") case_recursion(int n) { try { return for_ever(&n); } catch (...) { return 1; } }
CASE("endless") case_endless(int) { try { for (volatile int i = 0;; i++); } catch (...) { return 1; } }
CASE("outside") case_outside(int) { try { return *(volatile int *)0xfffffff0; } catch (...) { return 1; } }
CASE("throws_for_ever") case_throws(int n) { for (;;) try { throw n; } catch (int m) { n = m + 1; } }
CASE("many") case_many(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) try { throws_odd(2 * i + 1); } catch (int m) { sum ^= m; }
    return sum;
}
"""

BOTS = {
    "cases.cpp": HELPERS
    + "".join(f'CASE("{name}") case_{name}(int n) {{ destroyed = 0; {body} }}\n' for name, (body, _) in CASES.items())
    + "int a(const Bot *) { return 20; }\n"
    + CALLS,
    "uncaught.cpp": "#include <stdexcept>\nnamespace mine { struct Lost : std::runtime_error { Lost() :"
    ' runtime_error("no idea") {} }; }\nint a(const Bot *) { throw mine::Lost(); }\n' + CALLS,
    "broken_promise.cpp": "struct Odd {};\nstatic void f() noexcept { throw Odd(); }\n"
    "int a(const Bot *) { f(); return 1; }\n" + CALLS,
    "library.cpp": "#include <vector>\nint a(const Bot *b) { return std::vector<int>(3).at(b->money); }\n" + CALLS,
    "at_start.cpp": "static int fails() { throw 1; }\nint early = fails();\n"
    "int a(const Bot *) { return early; }\n" + CALLS,
    "without.cpp": "#include <string>\n#include <vector>\nint a(const Bot *b) { std::vector<std::string> all;\n"
    'for (int i = 0; i < b->money; i++) all.push_back("try { throw 1; } catch (...) {}"); return all.size(); }\n'
    + CALLS,
}


@pytest.fixture(scope="module")
def entrants(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Entrant]:
    """Build all bots of this file together."""
    return build_folder(tmp_path_factory.mktemp("bots"), BOTS)


Case = Callable[[str, int], tuple[int, int]]


@pytest.fixture
def case(entrants: dict[str, Entrant]) -> Case:
    """Calls one of the cases, in a store like a leg's: what it gives, and the fuel that it took."""
    store = wasmtime.Store(engine(Engine.PLAIN))
    store.set_limits(memory_size=64 << 20)
    module = wasmtime.Module(store.engine, read_module(artifact_of(entrants["cases"])).metered())
    linker = wasmtime.Linker(store.engine)
    linker.define_unknown_imports_as_traps(module)
    exports = linker.instantiate(store, module).exports(store)

    fuel = exports[FUEL]
    assert isinstance(fuel, wasmtime.Global)

    def call(name: str, argument: int) -> tuple[int, int]:
        fuel.set_value(store, 1_000_000_000)
        function = exports[name]
        assert isinstance(function, wasmtime.Func)
        given = on_deep_stack(function, store, argument)
        return given, 1_000_000_000 - int(fuel.value(store))

    fuel.set_value(store, 1_000_000_000)
    start = exports["_initialize"]
    assert isinstance(start, wasmtime.Func)
    start(store)
    return call


def test_thrown_exceptions_are_caught(case: Case) -> None:
    wanted = {name: number for name, (_, number) in CASES.items()}
    for _ in range(2):
        assert {name: case(name, 2)[0] for name in wanted} == wanted


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
        case(name, 0)
    assert ended.value.trap_code == code
    assert case("anything", 0)[0] == 7


def test_uncaught_exception_is_named(entrants: dict[str, Entrant]) -> None:
    said = {
        "uncaught": "threw mine::Lost, which nothing caught: no idea",
        "broken_promise": "threw Odd, which nothing caught",
        "library": "threw std::out_of_range, which nothing caught: vector",
    }
    for name, words in said.items():
        assert try_bot(entrants[name], constant_bot(20, 1), sessions=1).failures == [words] * 3
    assert entrants["at_start"].problem == "can't start: threw an exception that nothing caught"
