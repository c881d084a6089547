"""One strategy plays the same games as a Python bot, as a program, as a C bot and in the plain rules."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.wasm import direct_step
from tests.oracles import von_neumann_poker as oracle
from tests.oracles.deals import poker_deals
from tests.oracles.von_neumann_poker import BetCap, Bot
from tests.support import build_folder, play_built, poker_settings
from tests.worker.support import Source, answering, build, legs_of, play
from tournament.contests.von_neumann_poker.rules import Settings

# The same two strategies in every way to write them down. `state` depends on what was seen before.
CALM = Bot(lambda v: 20 if v.card > 0.5 else 0, lambda v, _bet: int(v.card > 0.25))
BOLD = Bot(lambda v: int(70 * v.card) - 20, lambda v, bet: int(v.card * 100 > bet or v.opponents_previous_card > 0.5))

CALM_FUNCTIONS = "def a(bot): return 20 if bot.card > 0.5 else 0\ndef b(bot, bet): return bot.card > 0.25\n"
BOLD_FUNCTIONS = """
    def a(bot): return int(70 * bot.card) - 20
    def b(bot, bet): return bot.card * 100 > bet or bot.opponents_previous_card > 0.5
"""
CALM_CLASS = """
    class Player:
        def a(self, bot): return 20 if bot.card > 0.5 else 0
        def b(self, bot, bet): return bot.card > 0.25
"""
BOLD_CLASS = """
    class Bold:
        def __init__(self): self.factor = 70
        def a(self, bot): return self.factor * bot.card - 20 if bot.card > 2 / 7 else -1.5
        def b(self, bot, bet): return bot.card * 100 > bet or bot.opponents_previous_card > 0.5
"""
CALM_C = (
    "int a(const Bot *b) { return b->card > 0.5f ? 20 : 0; } int b(const Bot *b, int x) { return b->card > 0.25f; }"
)
BOLD_C = """
    int a(const Bot *b) { return (int)(70. * b->card) - 20; }
    int b(const Bot *b, int x) { return b->card * 100. > x || b->opponentsPreviousCard > 0.5f; }
"""
CALM_PROGRAM = answering("20 if card > 0.5 else 0", "card > 0.25")
BOLD_PROGRAM = answering("int(70 * card) - 20", "card * 100 > bet or previous > 0.5")
KINDS = ("functions.py", "methods.py", "native.c", "told")
CALMS: dict[str, Source] = dict(zip(KINDS, (CALM_FUNCTIONS, CALM_CLASS, CALM_C, CALM_PROGRAM)))
BOLDS: dict[str, Source] = dict(zip(KINDS, (BOLD_FUNCTIONS, BOLD_CLASS, BOLD_C, BOLD_PROGRAM)))


@pytest.mark.parametrize(("bet_cap", "calm", "bold"), [("before_ante", "a", "b"), ("after_ante", "b", "a")])
def test_bots_of_every_kind_play_by_the_rules(bet_cap: BetCap, calm: str, bold: str) -> None:
    """Bots of all kinds meet in both legs of duplicate matches. Names decide the seats."""
    settings = Settings(sessions=12, duplicate=True, bet_cap=bet_cap)
    strategies = {calm: CALM, bold: BOLD}
    files: dict[str, Source] = {
        f"{letter}_{file}": text for letter, ways in ((calm, CALMS), (bold, BOLDS)) for file, text in ways.items()
    }
    entrants = build(files)
    legs = [leg for leg in legs_of(entrants, settings) if leg.names[0][0] != leg.names[1][0]]
    assert len(legs) == 2 * 15  # all pairings of kinds but C with C
    for leg, played in zip(legs, play(entrants, settings, legs=legs)):
        x, y = (strategies[name[0]] for name in leg.names)
        plan = leg.plan
        where: Any = {"match": plan.match, "first_session": plan.first_session, "seats_swapped": plan.number == 1}
        record = oracle.play(
            x,
            y,
            poker_deals(plan.deals_key),
            sessions=settings.sessions,
            bet_cap=bet_cap,
            roles_by_session=True,
            **where,
        )
        assert played.games == record.games, leg.title
        assert played.sessions == record.sessions
        assert not played.faults
        assert played.result.sums[0].points == pytest.approx(sum(s.points_0 for s in record.sessions))


def test_direct_steps_play_the_same_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots get the same questions, whichever way the loop calls a core's step."""
    bots = build_folder(tmp_path, {"calm.c": CALM_C, "bold.c": BOLD_C})
    played = []
    for is_on in (True, False):
        monkeypatch.setattr(direct_step, "is_on", is_on)
        result, sink = play_built(bots["calm"], bots["bold"], settings=poker_settings(sessions=30))
        columns = {name: list(sink.column(f"games.{name}")) for name in ("a_card", "bet", "a_gain")}
        played.append((result.sums, [used.fuel for used in result.used], columns))
    assert played[0] == played[1] and len(columns["bet"]) > 30
