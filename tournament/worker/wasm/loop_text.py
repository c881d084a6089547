"""The loop that plays a leg's bots, written as WebAssembly text for just these bots."""

from __future__ import annotations

from engine.wasm.referee import number_of_function
from tournament.contests.interface import Interface
from tournament.worker.wasm.loading import FunctionTypes

_MOST_TESTS = 12


def loop_text(
    interface: Interface,
    seats: tuple[tuple[FunctionTypes, ...] | None, ...],
    seat_count: int,
    fuel: int,
) -> str:
    """The loop as WebAssembly text, for bots whose functions have these types; None is a seat without a bot, of a core
    with `seat_count` seats.

    It imports the core's step, each bot's functions, each bot's address, and each counter of fuel. It exports play:
    (answer to the pending decision) -> (the last answer, whether the bot that gave it has less than `fuel` left, what a
    decision may take).
    """
    values = interface.most_arguments
    lines = [f'(module $tournament (import "" "step" (func $step (param i64) (result i32{" i64" * values})))']
    addresses = []
    calls = {}
    for seat, functions in enumerate(seats):
        if functions is None:
            continue
        for question, kinds in enumerate(functions):
            parameters = " ".join(["i32"] * interface.passes_address + [*kinds.arguments])
            name = f"${seat}_{question}"
            lines.append(f'(import "" "" (func {name} (param {parameters}) (result {kinds.result})))')
            passed = " ".join(_argument(i, kind) for i, kind in enumerate(kinds.arguments))
            address = f"(global.get $bot{seat})" if interface.passes_address else ""
            call = f"(call {name} {address}{passed})"
            answer = call if kinds.result == "i64" else f"(i64.extend_i32_s {call})"
            enough = f"(br_if $again (i64.ge_s (global.get $fuel{seat}) (i64.const {fuel}))) (br $low)"
            calls[number_of_function(seat, question, seat_count)] = f"(local.set $answer {answer}) {enough}"
        if interface.passes_address:
            addresses.append(f'(import "" "" (global $bot{seat} i32))')
    lines += addresses
    lines += [f'(import "" "" (global $fuel{seat} (mut i64)))' for seat, there in enumerate(seats) if there]
    lines.append('(func (export "play") (param $answer i64) (result i64 i32) (local $next i32)')
    lines += [f"(local $value{i} i64)" for i in range(values)]
    lines.append("(block $low (loop $again (call $step (local.get $answer))")
    lines += [f"(local.set $value{i})" for i in reversed(range(values))]
    lines.append("(local.set $next)")
    # One block for each function, and a chain of tests: a jump through a table costs as much as a step, so it pays only
    # with many.
    numbers = sorted(calls)
    lines.append("(block $stop")
    lines += [f"(block $call{number}" for number in reversed(numbers)]
    if len(numbers) > _MOST_TESTS:
        targets = " ".join(f"$call{n}" if n in calls else "$stop" for n in range(numbers[-1] + 1))
        lines.append(f"(br_table {targets} $stop (local.get $next))")
    else:
        lines += [f"(br_if $call{number} (i32.eq (local.get $next) (i32.const {number})))" for number in numbers]
        lines.append("(br $stop)")
    lines += [f") {calls[number]}" for number in numbers]
    lines.append(") (return (local.get $answer) (i32.const 0))))")
    lines.append("(local.get $answer) (i32.const 1)))")
    return "\n".join(lines)


def _argument(number: int, kind: str) -> str:
    """An argument of a question, from the values that the core's step gave."""
    value = f"(local.get $value{number})"
    return f"(i32.wrap_i64 {value})" if kind == "i32" else value
