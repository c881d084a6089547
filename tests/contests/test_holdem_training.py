"""Faults of bots in C++, scores, and the shipped bots of Hold'em training."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import tournament
from tests.contests.test_holdem_forms import CPP
from tests.holdem import build, play_built
from tests.support import VARIANT, build_folder, variant_of
from tournament.artifacts.bot import Entrant
from tournament.contests.settings import BankedSettings

SHIPPED = Path(__file__).resolve().parents[2] / "entrants" / "holdem_training"

CHECKS = "std::pair<ActionType, int> makeDecision(const State &s) { return {ActionType::CHECK, 0}; }"
NO_STATE = "asked a helper about a state that is none (a card twice or out of range, or one missing)"
NO_SAMPLES = "asked getRatesBySampling for fewer than one sample"
TOO_MANY_SAMPLES = "ran out of fuel (too many samples?)"
OUT_OF_FUEL = "ran out of fuel: it loops or is too slow"
FAULTY = {
    "too_much": ("return {ActionType::RAISE, 101};", "answered RAISE 101, which is no answer to this"),
    "nothing": ("return {ActionType::RAISE, 0};", "answered RAISE 0, which is no answer to this"),
    "unknown": ("return {(ActionType)17, 5};", "answered an unknown action, which is no answer to this"),
    "no_card": ("State t = s; t.bob[1] = Card(4, 1); getRatesBySampling(t, 5);", NO_STATE),
    "no_samples": ("getRatesBySampling(s, 0);", NO_SAMPLES),
    "incomplete": ("getResult(s);", NO_STATE),
    "greedy": ("getRatesBySampling(s, 2000000000);", TOO_MANY_SAMPLES),
    "often": ("for (;;) getRatesBySampling(s, 1);", TOO_MANY_SAMPLES),
    "endless": ("for (volatile int i = 0;; ++i);", OUT_OF_FUEL),
}


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Entrant]:
    cases = "".join(f"case {number}: {{ {body} break; }}\n" for number, (body, _) in enumerate(FAULTY.values()))
    source = f"""
        static volatile int fault = {VARIANT};
        static int calls;
        std::pair<ActionType, int> makeDecision(const State &s) {{
            if (++calls == 6)
                switch (fault) {{ {cases} }}
            return {{ActionType::CHECK, 0}}; }}"""
    bot = build(tmp_path_factory.mktemp("faulty"), {"faulty.cpp": source})["faulty"]
    return {name: variant_of(bot, number) for number, name in enumerate(FAULTY)}


@pytest.mark.parametrize("name", FAULTY)
def test_faults_are_checks(faulty: dict[str, Entrant], name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots fail in every sixth call, in round 2 of the second hand, and a new bot begins the third."""
    # A small limit makes an endless loop one fault of several.
    monkeypatch.setattr(BankedSettings, "fuel_per_call", 10_000_000)
    result, record = play_built(faulty[name], 5, hands=6)
    assert [(fault.session, fault.game, fault.decision) for fault in result.faults] == [
        (0, 1, "makeDecision"), (0, 3, "makeDecision"), (0, 5, "makeDecision")
    ]  # fmt: skip
    assert {fault.message for fault in result.faults} == {FAULTY[name][1]}
    assert [hand.answers for hand in record.hands] == [(1, 1, 1, 1)] * 6
    assert result.ended_by is None
    cut_short, rest = play_built(faulty[name], 5, hands=40)
    assert (cut_short.ended_by, len(cut_short.faults), len(rest.hands)) == (0, 4, 7)


def test_other_contests_have_no_such_helpers(tmp_path: Path) -> None:
    source = """
        __attribute__((import_module("env"), import_name("tournament_result"))) int result(long long);
        int a(const Bot *bot) { return result(0); } int b(const Bot *bot, int bet) { return 0; }"""
    problem = build_folder(tmp_path, {"cheat.c": source})["cheat"].problem
    assert problem == "imports env.tournament_result, which bots may not"


def test_scores_are_the_records(tmp_path: Path) -> None:
    """W, points of sessions and shares follow from the hands."""
    bots = tmp_path / "entrants" / "holdem_training"
    bots.mkdir(parents=True)
    (bots / "checker.cpp").write_text(CHECKS)
    (bots / "model.cpp").write_text(CPP)
    (tmp_path / "tournament.toml").write_text("[holdem_training]\nsessions = 3\nhands = 400\nseed = 5\n")
    found = tournament.run("holdem_training", config=tmp_path / "tournament.toml", executor="local", workers=1)
    scores = found.standings.set_index("name")["score"]
    mine = found.games.groupby("bot_0", observed=True)
    assert scores.sort_index().tolist() == pytest.approx(mine.profit.mean().sort_index().tolist())
    own = found.sessions.merge(found.games.groupby(["match", "session"]).profit.sum(), on=["match", "session"])
    assert len(own) == 6 and (own.profit_x == own.profit_y).all() and (own.games == 400).all()
    assert np.allclose(own.mean_profit, own.profit_x / own.games)
    cards = ["alice_card_1", "alice_card_2", "bob_card_1", "bob_card_2", "flop_1", "flop_2", "flop_3", "turn", "river"]
    checker, model = (rows[cards].to_numpy() for _, rows in mine)
    assert (checker == model).all()


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Entrant]:
    folder = tmp_path_factory.mktemp("shipped")
    shutil.copytree(SHIPPED, folder, dirs_exist_ok=True)
    return build(folder, {})


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("always_all_in", -1.5, 1.3), ("always_check", 4.85, 5.15), ("sampling_all_in", 5, 8), ("threshold", 13, 16)],
)
def test_shipped_bots_make_what_they_should(shipped: dict[str, Entrant], name: str, low: float, high: float) -> None:
    result, _ = play_built(shipped[name], 123, hands=12_000)
    assert result.faults == ()
    assert low < result.sums[0].points / result.games < high


@pytest.mark.statistical
@pytest.mark.parametrize(
    ("seed", "hands"), [(0, 8_000), *[pytest.param(seed, 50_000, marks=pytest.mark.thorough) for seed in (0, 1)]]
)
def test_strong_bot_passes_large_task(shipped: dict[str, Entrant], seed: int, hands: int) -> None:
    """Profits of 50,000 hands, as in the statement, have the mean 17.2 with a standard error of 0.25."""
    result, _ = play_built(shipped["practised"], 1000 + seed, hands=hands, random_seed=seed)
    assert result.faults == ()
    assert result.sums[0].points / result.games >= 16
