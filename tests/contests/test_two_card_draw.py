"""The contest of two-card draw: bots of every form, scores, servers and faults."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import tournament
from engine.games.two_card_draw.evaluation import StrategyEvaluator
from tests.built_in import TWO_CARD_DRAW
from tests.contest_runs import read_outcome
from tests.oracles.deals import key_of
from tests.support import artifact_of
from tournament.contests.two_card_draw.generate import Recipe, generate
from tournament.contests.two_card_draw.rules import Settings
from tournament.contests.two_card_draw.servers import generated_server, make_recipe, parse_strategy
from tournament.contests.two_card_draw.strategy_file import write_strategy
from tournament.entrants.build import build_entrants
from tournament.records.results import load
from tournament.sandbox.outside.settings import SandboxSettings

SHIPPED = Path(__file__).parents[2] / "entrants" / "two_card_draw"
SETTINGS = Settings.model_validate({"seed": 1})

CALLER = """
int init(int bet1, int bet2) { return 0; }
int new_hand(int card1, int card2, int winnings) { return card1 == card2; }
int round1(int card1, int card2, int bets) { return card2 >= 3 ? 1 : 0; }
int draw(int card1, int card2, int bets) { return card1 == card2 ? 0 : 1; }
int round2(int card1, int card2, int bets1, int bets2, int drew) { return card1 == card2 ? 2 : bets2 == 0 || drew; }
int showdown(int card1, int card2, int opp1, int opp2) { return 0; }
"""
CLASS = """
class TwoCardDraw {
  int seen[25];
public:
  int init(int bet1, int bet2) { for (int &times : seen) times = 0; return 0; }
  int new_hand(int card1, int card2, int winnings) { return card1 == card2; }
  int round1(int card1, int card2, int bets) { return card2 >= 3 ? 1 : 0; }
  int draw(int card1, int card2, int bets) { return card1 == card2 ? 0 : 1; }
  int round2(int card1, int card2, int bets1, int bets2, int drew) { return card1 == card2 ? 2 : bets2 == 0 || drew; }
  int showdown(int card1, int card2, int opp1, int opp2) { seen[5 * opp1 + opp2]++; return 0; }
};
"""
RENAMED = CALLER.replace("int init", "void renamed_init").replace("return 0; }\nint new", "}\nint new")
for _name in ("new_hand", "round1", "draw", "round2", "showdown"):
    RENAMED = RENAMED.replace(f"int {_name}(", f"static int renamed_{_name}(")


def test_classes_functions_and_modules_are_the_same_bot(tmp_path: Path) -> None:
    """Bots of all forms win the same on the same cards, and each session has a new one."""
    bots = tmp_path / "bots"
    bots.mkdir()
    (bots / "in_c.c").write_text(CALLER)
    (plain,) = build_entrants(TWO_CARD_DRAW, SETTINGS, SandboxSettings(), bots, lambda _text: None)
    (bots / "in_module.wasm").write_bytes(artifact_of(plain))
    counting = CALLER.replace(
        "int init(int bet1, int bet2) { return 0; }", "int n; int init(int a, int b) { return n++; }"
    )
    counting = counting.replace("return card1 == card2; }", "return n == 1 && card1 == card2; }", 1)
    sources = {"in_class.cpp": CLASS, "in_python.py": PYTHON, "renamed.c": RENAMED, "counting.c": counting}
    for name, source in sources.items():
        (bots / name).write_text(source)
    (bots / "program").mkdir()
    (bots / "program" / "bot.toml").write_text('command = ["python3", "bot.py"]\n')
    (bots / "program" / "bot.py").write_text(PROGRAM)
    run(tmp_path, ["servers = 1", "sessions = 2", "hands = 800", "seed = 1"])
    ranking = load(str(tmp_path / "results")).ranking
    assert len({line.points_per_session for line in ranking.entrants}) == 1
    assert [(line.games, line.faults) for line in ranking.entrants] == [(1600, 0)] * 7


def test_missing_function_is_named(tmp_path: Path) -> None:
    (tmp_path / "half.c").write_text(CALLER.replace("int draw", "int drow"))
    (tmp_path / "other.cpp").write_text(CLASS.replace("int draw", "int drow"))
    half, other = build_entrants(TWO_CARD_DRAW, SETTINGS, SandboxSettings(), tmp_path, lambda _text: None)
    assert half.problem == "lacks the function draw (or halfdraw)"
    assert "no member named 'draw'" in (other.problem or "")


def run(folder: Path, settings: Sequence[str]) -> None:
    """Run the contest with the bots in bots/."""
    text = "\n".join(["[two_card_draw]", 'entrants = "bots"', *settings])
    (folder / "tournament.toml").write_text(text)
    results = folder / "results"
    tournament.run("two_card_draw", config=folder / "tournament.toml", results=results, workers=1, executor="local")


@pytest.mark.statistical
def test_scores_and_shares_are_those_of_the_sessions(tmp_path: Path) -> None:
    folder = tmp_path / "bots"
    folder.mkdir()
    for name in ("sample.cpp", "check_caller.c"):
        (folder / name).write_bytes((SHIPPED / name).read_bytes())
    run(tmp_path, ["servers = 2", "sessions = 3", "hands = 1000", "seed = 3"])
    played = load(str(tmp_path / "results"))
    for match in played.ranking.matches:
        server = parse_strategy((tmp_path / "results" / "two_card_draw" / "house" / f"{match.y}.txt").read_bytes())
        best = -StrategyEvaluator(server.rows, server.bet1, server.bet2).value()
        assert match.measures["share"] == pytest.approx(match.points_per_session / (1_000 * best))
    sessions = played.sessions
    assert (sessions["score_0"] == np.maximum(0, sessions["gain_0"] + 1_000)).all()
    assert played.ranking.entrants[0].score == pytest.approx(
        sessions[sessions["bot_0"] == played.ranking.entrants[0].name]["score_0"].mean()
    )


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "bots").mkdir()
    for name, fold in (("ann", 3), ("bob", 2), ("cat", 4)):
        source = CALLER.replace("card2 >= 3 ? 1 : 0", f"card2 >= {fold} ? 1 : 0")
        (tmp_path / "bots" / f"{name}.c").write_text(source)
    return tmp_path


def test_another_strategy_file_has_only_its_matches_played(place: Path) -> None:
    folder = place / "servers"
    folder.mkdir()
    for number in range(3):
        (folder / f"s{number}.txt").write_text(write_strategy(generate(Recipe(1, 2, 1000, number))))
    settings = ['strategy_dir = "servers"', "hands = 60"]
    run(place, settings)
    before = read_outcome(place / "results" / "two_card_draw")
    (folder / "s1.txt").write_text(write_strategy(generate(Recipe(1, 2, 1000, 99))))
    (folder / "t.txt").write_text(write_strategy(generate(Recipe(3, 9, 1000, 5))))
    run(place, settings)
    after = read_outcome(place / "results" / "two_card_draw")
    matches = {row.match: (row.bot, row.house) for row in after.matches.itertuples()}
    assert set(before.matches["match"]) < set(after.matches["match"])
    assert {y for _, y in matches.values()} == {"s0", "s1", "s2", "t"}
    for match, (_, y) in matches.items():
        old, new = (o.games[o.games["match"] == match].reset_index(drop=True) for o in (before, after))
        assert (y == "t") == old.empty
        assert old.equals(new) == (y in ("s0", "s2"))
    assert not list(place.glob("results/*-archive-*"))


def test_showdown_reaches_bots_with_function(place: Path) -> None:
    """Functions for showdowns that give up or count are called. Only those that do nothing are left out."""
    showdown = "int showdown(int card1, int card2, int opp1, int opp2) { return 0; }"
    bet = "return card1 == card2; }"
    counting = "static int told;" + CALLER.replace(showdown, showdown.replace("return 0", "return ++told"))
    sources = {
        "gives_up": CALLER.replace(showdown, showdown.replace("return 0", "__builtin_trap()")),
        "checks_after_twenty": counting.replace(bet, f"return told < 20 && {bet[7:]}", 1),
        "checks": CALLER.replace(bet, "return 0; }", 1),
    }
    for name, source in sources.items():
        (place / "bots" / f"{name}.c").write_text(source)
    run(place, ["servers = 1", "hands = 300"])
    played = load(str(place / "results"))
    lines = {line.name: line for line in played.ranking.entrants}
    assert lines["gives_up"].status == "disqualified"
    assert "in showdown against server_01" in (lines["gives_up"].reason or "")
    bets = {name: frame.opened1_0.to_numpy() for name, frame in played.games.groupby("bot_0", observed=True)}
    assert bets["ann"].sum() > bets["checks_after_twenty"].sum() > bets["checks"].sum() == 0


def test_servers_come_from_the_seed_within_the_statements_ranges() -> None:
    recipes = [make_recipe(key_of(seed), f"server_{n:02}") for seed in range(40) for n in range(16)]
    assert len({recipe.seed for recipe in recipes}) == len(recipes)
    assert {recipe.bet1 for recipe in recipes} == {1, 2, 3, 4, 5}
    assert all(recipe.bet1 <= recipe.bet2 <= 3 * recipe.bet1 for recipe in recipes)
    assert {recipe.bet2 for recipe in recipes if recipe.bet1 == 1} == {1, 2, 3}
    iterations = [recipe.iterations for recipe in recipes]
    assert min(iterations) >= 10_000
    assert max(iterations) <= 200_000
    assert np.mean(iterations) == pytest.approx(105_000, abs=4 * 190_000 / math.sqrt(12 * len(recipes)))
    assert generated_server(key_of(5), "server_01").content == generated_server(key_of(5), "server_01").content


# The same bot in Python, and as a program that speaks lines.
PYTHON = """
class TwoCardDraw:
    def init(self, bet1, bet2):
        self.lost = 0
    def new_hand(self, card1, card2, winnings):
        return int(card1 == card2)
    def round1(self, card1, card2, bets):
        return 1 if card2 >= 3 else 0
    def draw(self, card1, card2, bets):
        return 0 if card1 == card2 else 1
    def round2(self, card1, card2, bets1, bets2, drew):
        return 2 if card1 == card2 else int(bets2 == 0 or drew > 0)
    def showdown(self, card1, card2, opp1, opp2):
        self.shown = opp1, opp2
"""
PROGRAM = f"""
import json, sys
from types import SimpleNamespace
{PYTHON}
    def init(self, bet1, bet2):
        assert not hasattr(self, "shown")
bot = TwoCardDraw()
for line in sys.stdin:
    if line.startswith("{{"):
        told = json.loads(line)
        answer = getattr(bot, told.pop("decision"))(**told)
        print("ACTION", answer, flush=True) if answer is not None else None
"""
