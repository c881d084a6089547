"""The loop calls a core's step in two ways, and a bot hears the same by both."""

from __future__ import annotations

import platform
import random
from dataclasses import replace
from pathlib import Path

import pytest
import wasmtime

from engine.kernel.game_core import ARGUMENT_LIMIT, LEG_IS_OVER
from engine.wasm import direct_step
from engine.watching.scripted_core import ScriptedCore
from tests.built_in import TWO_CARD_DRAW, VON_NEUMANN_POKER
from tests.worker.support import play
from tournament.contests.interface import DecisionSpec, Interface
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.entrants.build import build_entrant
from tournament.entrants.folder import read_submission
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.wasm import calls
from tournament.worker.wasm import seating as seating_module
from tournament.worker.wasm.loading import load_bot
from tournament.worker.wasm.seating import BotLimits, Seating
from tournament.worker.wasm.stack import on_deep_stack

HERE = platform.machine() == "x86_64" and platform.system() == "Linux"
LIMITS = BotLimits(1_000_000, 64)
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


WAYS = ["through the runtime", "measured", "directly"]


@pytest.mark.parametrize("interface", [INTERFACE, FEW], ids=["many", "few"])
@pytest.mark.parametrize("way", WAYS)
def test_every_argument_arrives(way: str, interface: Interface, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(direct_step, "is_on", way == "directly")
    functions = "".join(asked(count, kinds) for count, kinds in enumerate(KINDS))
    bot = load_bot(bytes(wasmtime.wat2wasm(f'(module (memory (export "memory") 1) {functions})')), interface, "bot", 64)
    draw = random.Random(1)

    def drawn(kind: str) -> int:
        return draw.choice((LEAST[kind], -1 - LEAST[kind], draw.randrange(LEAST[kind], -LEAST[kind])))

    chosen = [draw.choice(KINDS[: len(interface.questions)]) for _ in range(3000)]
    questions = [(len(kinds), tuple(map(drawn, kinds)), b"") for kinds in chosen]
    core = ScriptedCore(questions, 0)
    seating = Seating(core, interface, [bot, None], LIMITS, measure_fuel=way == "measured")
    seating.seat(0, 1)
    seating.join()
    assert on_deep_stack(seating.referee.play, 0) == LEG_IS_OVER
    assert core.answers == [meant(numbers) for _, numbers, _ in questions]
    assert (seating.direct is not None) == (HERE and way == "directly")


def test_games_are_the_same_directly_and_through_the_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = Path(__file__).parents[2] / "entrants" / "von_neumann_poker"
    rules, settings = VON_NEUMANN_POKER, Settings(sessions=30)
    field = [
        build_entrant(read_submission(shipped / name), rules.interface, settings, SandboxSettings())
        for name in ("newman.c", "likeme.c", "kuhn3.c")
    ]
    played = []
    for is_on in (True, False):
        monkeypatch.setattr(direct_step, "is_on", is_on)
        played.append([leg.what_counts for leg in play(field, settings)])
    assert played[0] == played[1]


def test_a_runtime_of_another_version_steps_cores_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    for version, is_used in (("50.0.1", HERE), ("51.0.0", False), ("5.0", False)):
        monkeypatch.setattr(seating_module, "version", lambda version=version: f"wasmtime {version}")
        assert (Seating(ScriptedCore([], 0), FEW, [None, None], LIMITS).direct is not None) == is_used
