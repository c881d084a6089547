"""A bot that tries to foresee cards by guessing the seed."""

from __future__ import annotations

from pathlib import Path

from tournament import api
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER

BOTS = Path(__file__).parent / "foresight"
CALLER = (
    "int a(const Bot *bot) { return bot->card > 0.3f ? 10 : 0; } int b(const Bot *bot, const int bet) { return 1; }"
)


def test_a_seed_that_nobody_gave_cannot_be_guessed(tmp_path: Path) -> None:
    """The bot that guesses knows all cards of a guessable seed; of one that was drawn it knows none."""
    bots = tmp_path / "bots"
    bots.mkdir()
    (bots / "a_guesser.py").write_text((BOTS / "guesses_the_seed.py").read_text())
    (bots / "caller.c").write_text(CALLER)
    config = tmp_path / "tournament.toml"
    config.write_text(
        f'[{VON_NEUMANN_POKER.name}]\nentrants = "bots"\nsessions = 60\nmemory_megabytes = 512\n'
        "cpu_seconds_per_decision = 60.0\nwall_seconds_per_decision = 60.0\n"
    )
    points = {}
    for place, seed in (("guessed", 20_200_819), ("drawn", None)):
        results = api.run(config=config, results=tmp_path / place, seed=seed, executor="local", workers=1)
        assert not len(results.faults)
        table = results.matches
        points[place] = float(table.x_points.iloc[0])
        games = results.games
        # It bets 20 unless it knows the other's card.
        points[f"{place}, foreseen"] = float(((games.bet > 20) & games.x_is_a).sum())
    assert points["guessed"] > 60 * 5
    assert points["guessed, foreseen"] > 60
    assert points["drawn, foreseen"] == 0
