"""Contests by a table of their own: named apart, played apart, and by one set of rules."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

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


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which all three contests were played."""
    folder = tmp_path_factory.mktemp("named")
    (folder / "bots").mkdir()
    for name, bets_above in (("bold", 20), ("calm", 80), ("dull", 60)):
        (folder / "bots" / f"{name}.c").write_text(bot_source(bets_above, 50))
    (folder / "tournament.toml").write_text(TABLES)
    for name in (CONTEST, "evening", "late"):
        tournament.run(name, config=folder / "tournament.toml", executor="local", workers=1)
    return folder


def test_settings_change_games_and_name_does_not(place: Path) -> None:
    own, evening, late = (read_outcome(place / "results" / name) for name in (CONTEST, "evening", "late"))
    assert own.games.equals(evening.games) and own.leaderboard == evening.leaderboard
    assert not own.games.equals(late.games)
    first = [played.games.query("session == 0 and game == 0").a_card.to_list() for played in (own, late)]
    assert {*first[0]}.isdisjoint(first[1]), "other settings, other cards"


def test_renamed_contest_plays_nothing_again(place: Path, tmp_path: Path) -> None:
    shutil.copytree(place, tmp_path / "copy")
    config = tmp_path / "copy" / "tournament.toml"
    config.write_text(TABLES.replace("[evening]", "[morning]"))
    (tmp_path / "copy" / "results" / "evening").rename(tmp_path / "copy" / "results" / "morning")
    before = sorted((tmp_path / "copy" / "results" / "morning" / "games").iterdir())
    found = tournament.run("morning", config=config, executor="local")
    assert sorted((tmp_path / "copy" / "results" / "morning" / "games").iterdir()) == before
    assert found.setup.contest == "morning"
