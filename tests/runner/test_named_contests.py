"""Contests by a table of their own: named apart, played apart, and by one set of rules."""

from __future__ import annotations

from pathlib import Path

import tournament
from tests.contest_runs import CONTEST, SEEDS, bot_source, read_outcome

KEYS = f'sessions = 20\nentrants = "bots"\nseed = "{SEEDS[7]}"\n'
TABLES = f"""
[{CONTEST}]
{KEYS}
[evening]
rules = "{CONTEST}"
{KEYS}
[late]
rules = "{CONTEST}"
bet_cap = "after_ante"
{KEYS}
"""


def test_settings_change_games_and_name_does_not(tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    for name, bets_above in (("bold", 20), ("calm", 80), ("dull", 60)):
        (tmp_path / "bots" / f"{name}.c").write_text(bot_source(bets_above, 50))
    config, results = tmp_path / "tournament.toml", tmp_path / "results"
    config.write_text(TABLES)
    for name in (CONTEST, "evening", "late"):
        tournament.run(name, config=config, executor="local", workers=1)
    own, evening, late = (read_outcome(results / name) for name in (CONTEST, "evening", "late"))
    assert own.games.equals(evening.games) and own.leaderboard == evening.leaderboard
    first = [played.games.query("session == 0 and game == 0").a_card.to_list() for played in (own, late)]
    assert {*first[0]}.isdisjoint(first[1]), "other settings, other cards"
    # Under a new name nothing is played again.
    config.write_text(TABLES.replace("[evening]", "[morning]"))
    (results / "evening").rename(results / "morning")
    before = sorted((results / "morning" / "games").iterdir())
    assert tournament.run("morning", config=config, executor="local").setup.contest == "morning"
    assert sorted((results / "morning" / "games").iterdir()) == before
