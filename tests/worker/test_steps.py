"""The loop calls a core's step in two ways, and a bot hears the same by both."""

from __future__ import annotations

import platform
from pathlib import Path

import pytest

from engine.wasm import direct_step
from engine.watching.scripted_core import ScriptedCore
from tests.built_in import TWO_CARD_DRAW, VON_NEUMANN_POKER
from tests.worker.support import play
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.entrants.build import build_entrant
from tournament.entrants.folder import read_submission
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.wasm import seating as seating_module
from tournament.worker.wasm.seating import BotLimits, Seating

HERE = platform.machine() == "x86_64" and platform.system() == "Linux"
LIMITS = BotLimits(1_000_000, 64)


def test_direct_steps_play_the_same_games(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_direct_steps_need_the_known_runtime_version(monkeypatch: pytest.MonkeyPatch) -> None:
    for version, is_used in (("50.0.1", HERE), ("51.0.0", False), ("5.0", False)):
        monkeypatch.setattr(seating_module, "version", lambda version=version: f"wasmtime {version}")
        assert (
            Seating(ScriptedCore([], 0), TWO_CARD_DRAW.interface, [None, None], LIMITS).direct is not None
        ) == is_used
