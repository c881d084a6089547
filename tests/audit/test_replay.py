"""`tournament replay`: games step by step, with what bots were told and printed, and a word when they differ."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import tournament
from tests.built_in import VON_NEUMANN_POKER
from tests.commands import run_cli
from tests.contest_runs import CONTEST, REPOSITORY, make_shipped_contest
from tournament.audit.replay import Replay
from tournament.entrants.new import write_new_bot
from tournament.errors import InputError
from tournament.records.results import Results

# Each writes down what it sees, and what it is about to answer.
TELLS_C = """
#include <stdio.h>
int decisions;
int a(const Bot *b) {
    int bet = b->card > 0.4f ? (int)(b->card * 60) : 0;
    printf("a %.9g %.9g %lld %lld -> %d\\n", b->card, b->opponentsPreviousCard, b->money, b->opponentsMoney, bet);
    if (++decisions == 40) { volatile int zero = 0; return 5 / zero; }
    return bet;
}
int b(const Bot *b, const int bet) {
    fprintf(stderr, "b %.9g %.9g %lld %lld %d", b->card, b->opponentsPreviousCard, b->money, b->opponentsMoney, bet);
    fprintf(stderr, " -> %d\\n", b->card > 0.5f);
    return b->card > 0.5f;
}
"""
TELLS_PYTHON = """
import sys
decisions = 0
def a(bot):
    global decisions
    decisions += 1
    bet = int(bot.card * 60) if bot.card > 0.6 else 0
    print(f"a {bot.card:.9g} {bot.opponents_previous_card:.9g} {bot.money} {bot.opponents_money} -> {bet}")
    if decisions % 20 == 0:
        return {}[bet]
    return bet
def b(bot, bet):
    calls = int(bot.card > 0.3)
    seen = f"b {bot.card:.9g} {bot.opponents_previous_card:.9g} {bot.money} {bot.opponents_money} {bet} -> {calls}"
    print(seen, file=sys.stderr)
    return calls
"""
CLOCKS = "import time\ndef a(bot): return time.time_ns() // 1000 % 50\ndef b(bot, bet): return 1\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("replay")
    bots = place / "bots"
    bots.mkdir()
    (bots / "tells.c").write_text(TELLS_C)
    (bots / "shows.py").write_text(TELLS_PYTHON)
    settings = 'entrants = "bots"\nseed = 6\nsessions = 6\nmax_faults = 1000\n'
    (place / "tournament.toml").write_text(f"[{CONTEST}]\n{settings}")
    shutil.copy(REPOSITORY / "entrants" / CONTEST / "likeme.c", bots)
    (bots / "clocks.py").write_text(CLOCKS)
    write_new_bot(VON_NEUMANN_POKER, bots, "abacus", "program-python")
    tournament.run(CONTEST, config=place / "tournament.toml", results=place / "results", executor="local")
    return place


@pytest.fixture(scope="module")
def results(folder: Path) -> Results:
    return tournament.load(str(folder / "results" / CONTEST))


def replayed(folder: Path, match: int | tuple[str, str], session: int, game: int | None = None) -> Replay:
    return tournament.replay(
        CONTEST, match=match, session=session, game=game, config=folder / "tournament.toml", results=folder / "results"
    )


def rows_of(results: Results, replay: Replay) -> list[dict[str, Any]]:
    games = results.games
    chosen = games[(games.match == replay.match) & (games.session == replay.session)]
    return [{str(name): value for name, value in row.items()} for row in chosen.to_dict("records")]


def seen_line(question: str, told: Mapping[str, float], answer: int | None) -> str:
    """Return the text that the bots above print of a decision."""
    places = ["card", "opponents_previous_card", "money", "opponents_money", *(["bet"] if question == "b" else [])]
    return f"{question} {' '.join(f'{told[place]:.9g}' for place in places)} -> {answer}"


def test_steps_follow_from_rows_and_printed_lines(folder: Path, results: Results) -> None:
    found = replayed(folder, ("tells", "shows"), 1)
    assert found.mismatch == "" and found.seats == ("shows", "tells")
    rows = rows_of(results, found)
    assert [game.game for game in found.games] == [row["game"] for row in rows] and rows
    last_cards: dict[str, float] = {}
    folded_before = False
    for game, row in zip(found.games, rows):
        a, b = (row["bot_0"], row["bot_1"]) if row["seat_0_is_a"] else (row["bot_1"], row["bot_0"])
        stacks = {a: row["a_money"], b: row["b_money"]}
        cards = {a: row["a_card"], b: row["b_card"]}
        asked = [(a, "a"), (b, "b")] if row["bet"] else [(a, "a")]
        assert [(step.bot, step.decision) for step in game.steps] == asked
        for step in game.steps:
            other = b if step.bot == a else a
            assert step.observation["card"] == cards[step.bot]
            assert (step.observation["money"], step.observation["opponents_money"]) == (stacks[step.bot], stacks[other])
            if row["game"] and not folded_before:
                assert step.observation["opponents_previous_card"] == last_cards[other]
            if step.decision == "b":
                assert step.observation["bet"] == row["bet"]
                assert step.fault or (step.answer == 0) == bool(row["folded"])
            lines = step.printed.splitlines()
            assert lines and re.sub("-> .*", "", lines[-1]) == re.sub(
                "-> .*", "", seen_line(step.decision, step.observation, 0)
            )
            assert step.fault or lines == [seen_line(step.decision, step.observation, step.answer)]
        words = [what for _, what in game.actions]
        assert words[0] == (f"bets ${row['bet']}" if row["bet"] else "passes")
        assert [who for who, _ in game.actions] == [who for who, _ in asked]
        last_cards, folded_before = cards, bool(row["folded"])


def test_replay_of_faulty_game_shows_fault(folder: Path, results: Results) -> None:
    faults = results.faults
    for bot, what in (("tells", "divided by zero"), ("shows", "KeyError")):
        fault = faults[faults.bot == bot].iloc[0]
        found = replayed(folder, int(fault.match), int(fault.session), int(fault.game))
        (game,) = found.games
        (step,) = [step for step in game.steps if step.fault]
        assert (step.bot, step.decision) == (bot, "a") and what in step.fault  # type: ignore[operator]
        assert step.answer is None and step.printed.startswith("a 0.")
        # The last lines are beside the fault in the records, too, wherever it was played.
        if bot == "shows":
            assert fault.last_output.splitlines()[-1] == step.printed.splitlines()[-1]
    with pytest.raises(InputError, match="has games 0 to"):
        replayed(folder, ("tells", "shows"), 0, 60)


def test_replay_of_bot_with_clock_reports_difference(folder: Path) -> None:
    found = replayed(folder, ("clocks", "tells"), 0)
    assert "came out differently from the records: a bot's process might read a clock" in found.mismatch
    options = ["--config", str(folder / "tournament.toml"), "--results", str(folder / "results")]
    told = run_cli("replay", CONTEST, *options, "--match", "clocks,tells", "--session", "0")
    assert told.code == 1 and "not as recorded" in told.out


@pytest.mark.parametrize(
    ("contest", "bots", "settings"),
    [
        ("two_card_draw", "random_legal.c", "hands = 60\nservers = 1"),
        ("holdem_training", "threshold.cpp threshold_io", "hands = 40\nsessions = 1"),
    ],
)
def test_games_against_house_players_replay(tmp_path: Path, contest: str, bots: str, settings: str) -> None:
    config = make_shipped_contest(tmp_path, contest, bots, settings)
    options: dict[str, Any] = {"config": config, "results": tmp_path / "results"}
    played = tournament.run(contest, executor="local", **options)
    for match in played.matches.match:
        found = tournament.replay(contest, match=int(match), session=0, **options)
        assert found.mismatch == "" and len(found.games) == len(played.games) // len(played.matches)
        for game in found.games:
            assert game.row is not None
            own = [who for who, _ in game.actions if who == found.seats[0]]
            untold = ("init", "showdown", "draw")
            decisions = [step for step in game.steps if step.answer_text and step.decision not in untold]
            draws = [what for who, what in game.actions if who == found.seats[0] and what.startswith("draws")]
            assert len(own) - len(draws) == len(decisions)
            gain = game.row["gain_0" if contest == "two_card_draw" else "profit"]
            assert game.outcome.startswith(
                "no one wins" if not gain else f"{found.seats[0] if gain > 0 else found.house} wins {abs(gain)}"
            )
