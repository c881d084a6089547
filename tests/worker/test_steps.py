"""The loop calls a core's step in two ways, and a bot hears the same by both."""

from __future__ import annotations

import platform
import random
from dataclasses import replace

import pytest
import wasmtime

from engine.kernel.game_core import ARGUMENT_LIMIT, LEG_IS_OVER
from engine.watching.scripted_core import ScriptedCore
from tests.built_in import TWO_CARD_DRAW
from tournament.contests.interface import DecisionSpec, Interface
from tournament.worker.wasm import calls
from tournament.worker.wasm.loading import load_bot
from tournament.worker.wasm.seating import Limits, Seating
from tournament.worker.wasm.stack import on_deep_stack

HERE = platform.machine() == "x86_64" and platform.system() == "Linux"
LIMITS = Limits(1_000_000, 64)
# Questions with no argument to as many as there can be, in which both kinds of number follow each other.
KINDS = [["i64" if (place + count) % 3 else "i32" for place in range(count)] for count in range(ARGUMENT_LIMIT + 1)]
INTERFACE = replace(
    TWO_CARD_DRAW.interface,
    questions=tuple(
        DecisionSpec(f"ask{count}", tuple((kind,) for kind in kinds), ("i64",), tuple("abcdef"[:count]))
        for count, kinds in enumerate(KINDS)
    ),
)
FEW = replace(INTERFACE, questions=INTERFACE.questions[:2])  # for which less is passed
LEAST = {"i32": -(1 << 31), "i64": -(1 << 63)}


def asked(count: int, kinds: list[str]) -> str:
    """A function whose answer tells all that it was passed."""
    parameters = " ".join(f"(param {kind})" for kind in kinds)
    text = f"(i64.const {count})"
    for place, kind in enumerate(kinds):
        value = f"(local.get {place})" if kind == "i64" else f"(i64.extend_i32_s (local.get {place}))"
        text = f"(i64.add (i64.mul {text} (i64.const 1000003)) {value})"
    return f'(func (export "ask{count}") {parameters} (result i64) {text})'


def meant(numbers: tuple[int, ...]) -> int:
    total = len(numbers)
    for number in numbers:
        total = total * 1_000_003 + number
    return calls.signed(total, 64)


@pytest.mark.parametrize("interface", [INTERFACE, FEW], ids=["many", "few"])
@pytest.mark.parametrize("measured", [False, True])
def test_every_argument_arrives(measured: bool, interface: Interface) -> None:
    functions = "".join(asked(count, kinds) for count, kinds in enumerate(KINDS))
    bot = load_bot(bytes(wasmtime.wat2wasm(f'(module (memory (export "memory") 1) {functions})')), interface, "bot", 64)
    draw = random.Random(1)

    def drawn(kind: str) -> int:
        return draw.choice((LEAST[kind], -1 - LEAST[kind], draw.randrange(LEAST[kind], -LEAST[kind])))

    chosen = [draw.choice(KINDS[: len(interface.questions)]) for _ in range(3000)]
    questions = [(len(kinds), tuple(map(drawn, kinds)), b"") for kinds in chosen]
    core = ScriptedCore(questions, 0)
    seating = Seating(core, interface, [bot, None], LIMITS, measure_fuel=measured)
    seating.seat(0, 1)
    seating.join()
    assert on_deep_stack(seating.referee.play, 0) == LEG_IS_OVER
    assert core.answers == [meant(numbers) for _, numbers, _ in questions]
    assert (seating.referee.direct_step != (0, 0)) == (HERE and not measured)
