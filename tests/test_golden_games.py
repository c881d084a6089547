"""Games of shipped bots stay as they are: a difference means that results of the past no longer count."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

import tournament
from tests.contest_runs import REPOSITORY
from tournament.contests import CONTESTS

# Bots, settings, and the start of the hash of all records. A change that is meant raises the engine's version, too.
GAMES: dict[str, tuple[tuple[str, ...], dict[str, float], str]] = {
    "von_neumann_poker": (
        ("von_neumann_poker/likeme.c", "von_neumann_poker/naive.c"),
        {"sessions": 3},
        "041e1dccc99f3174",
    ),
    "two_card_draw": (
        ("two_card_draw/pair_bettor.py", "two_card_draw/random_legal.c"),
        {"servers": 2, "hands": 40},
        "ad7f9d215f524711",
    ),
    "holdem_training": (
        ("holdem_training/sampling_all_in.cpp", "holdem_training/threshold.cpp"),
        {"sessions": 2, "hands": 40},
        "3f341a58b6a1873f",
    ),
    "matrix_game": (
        ("rock_paper_scissors/markov.c", "rock_paper_scissors/stay_or_shift.c"),
        {"sessions": 2, "turns_per_game": 12, "games_per_session": 2, "noise": 0.15, "end_probability": 0.1},
        "93ac261a7edf5b81",
    ),
}


@pytest.mark.parametrize("contest", [contest.name for contest in CONTESTS])
def test_games_are_the_golden_ones(contest: str, tmp_path: Path) -> None:
    """Differences are explained by the engine's tests, which have oracles."""
    bots, settings, expected = GAMES[contest]
    (tmp_path / "bots").mkdir()
    for bot in bots:
        shutil.copy(REPOSITORY / "entrants" / bot, tmp_path / "bots")
    lines = [f"{name} = {value}" for name, value in {"seed": 20_200_819, **settings}.items()]
    (tmp_path / "tournament.toml").write_text("\n".join([f"[{contest}]", 'entrants = "bots"', *lines]))
    played = tournament.run(contest, config=tmp_path / "tournament.toml", executor="local", workers=1)
    text = "".join(frame.to_csv(index=False, lineterminator="\n") for frame in (played.games, played.sessions))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == expected, text
