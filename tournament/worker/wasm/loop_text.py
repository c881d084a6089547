"""The loop that plays a leg's bots, written as WebAssembly text for just these bots."""

from __future__ import annotations

from engine.wasm.referee import number_of_function

_MAX_TESTS = 12


def loop_text(seats: tuple[tuple[str, ...] | None, ...], seat_count: int, fuel: int) -> str:
    """Return the loop as WebAssembly text.

    It imports, in this order, the core's step, the functions of all bots, the bots' addresses, and their counters of
    fuel. Each kind is ordered by seat, and functions of a seat by question. It exports play: (answer to the pending
    decision) -> (the last answer, a flag). The flag is 1 if the bot that gave the answer is low on fuel, otherwise 0.

    Args:
        seats: What the functions of each seat's bot return, "i32" or "i64", by question; None for a seat without a bot.
        seat_count: Number of the core's seats.
        fuel: Units of fuel without which a bot isn't called again.
    """
    lines = ['(module $tournament (import "" "step" (func $step (param i64) (result i32)))']
    calls = {}
    for seat, results in enumerate(seats):
        for question, result in enumerate(results or ()):
            name = f"${seat}_{question}"
            lines.append(f'(import "" "" (func {name} (param i32) (result {result})))')
            call = f"(call {name} (global.get $bot{seat}))"
            answer = call if result == "i64" else f"(i64.extend_i32_s {call})"
            enough = f"(br_if $again (i64.ge_s (global.get $fuel{seat}) (i64.const {fuel}))) (br $low)"
            calls[number_of_function(seat, question, seat_count)] = f"(local.set $answer {answer}) {enough}"
    seated = [seat for seat, there in enumerate(seats) if there]
    lines += [f'(import "" "" (global $bot{seat} i32))' for seat in seated]
    lines += [f'(import "" "" (global $fuel{seat} (mut i64)))' for seat in seated]
    lines.append('(func (export "play") (param $answer i64) (result i64 i32) (local $next i32)')
    lines.append("(block $low (loop $again (local.set $next (call $step (local.get $answer)))")
    # One block for each function, and a chain of tests: a jump through a table costs as much as a step, so it pays only
    # with many.
    numbers = sorted(calls)
    lines.append("(block $stop")
    lines += [f"(block $call{number}" for number in reversed(numbers)]
    if len(numbers) > _MAX_TESTS:
        targets = " ".join(f"$call{n}" if n in calls else "$stop" for n in range(numbers[-1] + 1))
        lines.append(f"(br_table {targets} $stop (local.get $next))")
    else:
        lines += [f"(br_if $call{number} (i32.eq (local.get $next) (i32.const {number})))" for number in numbers]
        lines.append("(br $stop)")
    lines += [f") {calls[number]}" for number in numbers]
    lines.append(") (return (local.get $answer) (i32.const 0))))")
    lines.append("(local.get $answer) (i32.const 1)))")
    return "\n".join(lines)
