"""The bound on a decision's instructions is never below what the runtime counts, and never a guess."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
import wasmtime

from engine.kernel.records import Table
from engine.wasm.module_reader import read_module
from tests.oracles.deals import key_of
from tournament.artifacts.bot import Entrant
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER, Settings
from tournament.entrants.build import build_entrants
from tournament.runner.schedule import Competitor, RoundRobin
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import buffer_fields
from tournament.worker import leg as legs
from tournament.worker.wasm.loading import LoadedBot, load_bot
from tournament.worker.wasm.seating import Limits, Seating
from tournament.worker.wasm.stand_ins import SURROUNDINGS

SHIPPED = Path(__file__).resolve().parents[2] / "entrants" / "von_neumann_poker"


def module(text: str) -> bytes:
    """A module from its text."""
    return bytes(wasmtime.wat2wasm(f"(module {text})"))


def bound(text: str) -> int | None:
    most = read_module(module(text)).most_taken(["a"], SURROUNDINGS)
    return most.instructions if most else None


def fuel_used(text: str, argument: int) -> int:
    """What the runtime counts for a call of a."""
    config = wasmtime.Config()
    config.consume_fuel = True
    store = wasmtime.Store(wasmtime.Engine(config))
    store.set_fuel(10**9)
    instance = wasmtime.Instance(store, wasmtime.Module(store.engine, module(text)), [])
    function = instance.exports(store)["a"]
    assert isinstance(function, wasmtime.Func)
    function(store, argument)
    return 10**9 - store.get_fuel()


STRAIGHT = {
    "constant": '(func (export "a") (param i32) (result i32) (i32.const 7))',
    "branches": """(func (export "a") (param i32) (result i32)
        (block (br_if 0 (i32.gt_s (local.get 0) (i32.const 3))) (return (i32.const -1)))
        (if (result i32) (local.get 0) (then (i32.const 1000000)) (else (i32.const 2))))""",
    "table": """(func (export "a") (param i32) (result i32)
        (block (block (block (br_table 0 1 2 (local.get 0))) (return (i32.const 1)))
            (return (i32.const 2))) (i32.const 3))""",
    "floats": """(memory 1) (global $g (mut f64) (f64.const 1e300)) (func (export "a") (param i32) (result i32)
        (f32.store offset=70000 align=1 (i32.const -66000) (f32.const 3.5))
        (global.set $g (f64.sqrt (f64.mul (global.get $g) (f64.const 3.25))))
        (drop (i64.trunc_sat_f64_s (global.get $g))) (drop (i64.const -9223372036854775808))
        (i32.extend8_s (select (i32.const 129) (i32.const 5) (local.get 0))))""",
    "calls": """(func $twice (param i32) (result i32) (i32.add (local.get 0) (local.get 0)))
        (func (export "a") (param i32) (result i32) (call $twice (call $twice (call $twice (local.get 0)))))""",
}
UNTOLD = {
    "loop": '(func (export "a") (loop $l (br $l)))',
    "recursion": '(func $f (export "a") (call $f))',
    "mutual recursion": '(func $f (call $g)) (func $g (call $f)) (func (export "a") (call $f))',
    "indirect call": '(table 1 funcref) (func (export "a") (call_indirect (i32.const 0)))',
    "bulk memory": '(memory 1) (func (export "a") (memory.fill (i32.const 0) (i32.const 0) (i32.const 65536)))',
    "memory.grow": '(memory 1) (func (export "a") (drop (memory.grow (i32.const 1))))',
    "vectors": '(func (export "a") (drop (v128.const i32x4 1 2 3 4)))',
    "loop in a callee": '(func $f (loop $l (br $l))) (func (export "a") (call $f))',
    "several results": """(func $f (result i32 i32) (i32.const 1) (i32.const 2))
        (func (export "a") (drop (drop (call $f))))""",
}


@pytest.mark.parametrize("name", STRAIGHT)
def test_never_below_what_the_runtime_counts(name: str) -> None:
    told = bound(STRAIGHT[name])
    assert told is not None
    for argument in (0, 1, 2, 3, 4, -1):
        try:
            assert fuel_used(STRAIGHT[name], argument) <= told + 1  # the runtime adds one for the entry
        except wasmtime.Trap:
            continue


@pytest.mark.parametrize("name", UNTOLD)
def test_what_may_run_on_is_not_told(name: str) -> None:
    assert bound(UNTOLD[name]) is None


def test_calls_that_double_are_added_up() -> None:
    # f0 calls f1 twice, f1 calls f2 twice, …: 2^30 calls, from a few bytes.
    functions = "".join(f"(func $f{i} (call $f{i + 1}) (call $f{i + 1}))" for i in range(30))
    told = bound(f'{functions} (func $f30) (func (export "a") (call $f0))')
    assert told is not None and told > 2**30


def test_the_word_loop_in_a_constant_is_not_a_loop() -> None:
    told = bound('(func (export "a") (result i32) (i32.const 3))')
    assert told == 2


@pytest.fixture(scope="module")
def field() -> list[Entrant]:
    built = build_entrants(VON_NEUMANN_POKER, Settings(), SandboxSettings(), SHIPPED, lambda text: None)
    return [entrant for entrant in built if entrant.plays_as == "wasm"]


def leg_of(field: list[Entrant], names: tuple[str, str], *, measured: bool) -> tuple[str, int, bool]:
    """Digest of the records of a leg, the most that x's decisions took, and whether both bots have a bound."""
    bots = [next(e for e in field if e.name == name) for name in names]
    artifacts = {e.artifact_sha256 or "": e.artifact or b"" for e in bots}
    competitors = [Competitor(n, e.name, "wasm", e.artifact_sha256 or "") for n, e in enumerate(bots)]
    settings = Settings(sessions=300)
    leg = next(RoundRobin("von_neumann_poker", settings.playing(), key_of(1), competitors).legs())
    games = Table(buffer_fields(VON_NEUMANN_POKER.games), 1 << 15)
    sessions = Table(buffer_fields(VON_NEUMANN_POKER.sessions), 1 << 10)

    class Full:
        def __init__(self) -> None:
            self.games, self.sessions = games, sessions

        def clear(self) -> None:
            raise AssertionError("the tables are large enough")

    meters: list[tuple[int, int, int]] | None = [] if measured else None
    legs.play_leg(VON_NEUMANN_POKER, settings, leg, artifacts, Full(), meters=meters)
    digest = sha256(b"".join(values[: games.rows].tobytes() for values in games.arrays.values())).hexdigest()
    loaded = [load_bot(artifacts[seat.artifact], VON_NEUMANN_POKER.interface, seat.name, 64) for seat in (leg.x, leg.y)]
    return digest, meters[0][2] if meters else 0, all(bot.most_instructions is not None for bot in loaded)


def test_counted_or_not_the_games_are_the_same(field: list[Entrant]) -> None:
    for names in (("coin_tosser", "likeme"), ("kuhn3", "naive"), ("stack_captain", "thompson")):
        uncounted, _, bounded = leg_of(field, names, measured=False)
        counted, most, _ = leg_of(field, names, measured=True)
        assert bounded and uncounted == counted
        assert most > 0


def test_shipped_bots_stay_within_their_bound(field: list[Entrant]) -> None:
    for entrant in field:
        assert entrant.artifact is not None
        told = load_bot(entrant.artifact, VON_NEUMANN_POKER.interface, entrant.name, 64).most_instructions
        opponent = "naive" if entrant.name != "naive" else "kuhn3"
        names = sorted((entrant.name, opponent))
        if told is None or names[0] != entrant.name:
            continue
        _, most, _ = leg_of(field, (names[0], names[1]), measured=True)
        assert most <= told


def test_a_bound_above_the_limit_does_not_count(field: list[Entrant]) -> None:
    bot = next(e for e in field if e.name == "likeme")
    assert bot.artifact is not None
    loaded = load_bot(bot.artifact, VON_NEUMANN_POKER.interface, bot.name, 64)
    core = VON_NEUMANN_POKER.new_core(
        next(
            RoundRobin(
                "von_neumann_poker",
                Settings().playing(),
                key_of(1),
                [Competitor(0, "p", "wasm", "1"), Competitor(1, "q", "wasm", "2")],
            ).legs()
        ).plan,
        Settings(),
        Table(buffer_fields(VON_NEUMANN_POKER.games), 8),
        Table(buffer_fields(VON_NEUMANN_POKER.sessions), 8),
    )

    def counts(bot: LoadedBot, fuel: int, fuel_per_leg: int | None = None) -> bool:
        limits = Limits(fuel, memory_megabytes=64, fuel_per_leg=fuel_per_leg)
        return Seating(core, bot.interface, [bot, bot], limits).counts

    assert loaded.most_instructions is not None
    assert not counts(loaded, loaded.most_instructions)
    assert counts(loaded, loaded.most_instructions - 1)
    assert counts(replace(loaded, most_instructions=None), 10**9)
    # Over a whole leg of 1,000 sessions of at most 50 games, and a start.
    whole = loaded.most_instructions * 50_000
    assert counts(loaded, loaded.most_instructions, whole)
    assert not counts(loaded, loaded.most_instructions, whole + 1000)


def test_only_what_gives_a_constant_and_nothing_else_is_constant() -> None:
    functions = {
        "zero": "(result i32) (i32.const 0)",
        "wide": "(param i32 i64) (result i64) (i64.const -5)",
        "local": "(param i32) (result i32) (local.get 0)",
        "stops": "(result i32) unreachable",
        "calls": "(result i32) (call $zero)",
        "counts": "(result i32) (global.set $n (i32.add (global.get $n) (i32.const 1))) (i32.const 0)",
        "adds": "(result i32) (i32.add (i32.const 1) (i32.const 2))",
        "empty": "",
    }
    text = "".join(f'(func ${name} (export "{name}") {body})' for name, body in functions.items())
    built = module(f"(global $n (mut i32) (i32.const 0)) {text}")
    assert read_module(built).constant_functions([*functions, "missing"]) == {"zero", "wide"}
    imported = module('(import "env" "f" (func $f)) (export "a" (func $f))')
    assert read_module(imported).constant_functions(["a"]) == frozenset()
