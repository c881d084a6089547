"""Self-play: every bot against a copy of itself, on the diagonal of the crosstable and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contest_runs import CONTEST, Listener, assert_same, make_contest, read_outcome
from tournament.api import run, verify
from tournament.errors import InputError
from tournament.records.results import load
from tournament.records.values import crosstable_values

BOTS = ["bold", "calm", "dull"]
DILEMMA = """\
[dilemma]
rules = "matrix_game"
moves = ["give", "keep"]
payoffs = [[3, 0], [5, 1]]
turns_per_game = 20
entrants = "bots"
sessions = 12
replicas = 3
seed = 1
noise = 0.1
self_play = true
"""
PYTHON = {"kind": "def move(*told):\n    return 0\n", "mean": "def move(*told):\n    return 1\n"}


def test_self_play_switched_on_plays_diagonal_alone(tmp_path: Path) -> None:
    place = make_contest(tmp_path, BOTS, 30, "replicas = 2")
    place.play()
    before, ranking = read_outcome(place.results), load(str(place.results)).ranking
    assert not ranking.self_play
    place.config.write_text(f"{place.config.read_text()}self_play = true\n")
    listener = Listener()
    place.play(listener=listener)
    assert_same(read_outcome(place.results), before)
    found = load(str(place.results))
    assert found.ranking == ranking
    assert sorted(found.ranking.self_play) == BOTS
    own = load(str(place.results / "self_play"))
    assert len(own.matches) == 2 * len(BOTS), "a bot met another one"
    assert listener.games == len(own.games)
    rows = [row for row in crosstable_values(found.ranking) if row["bot"] == row["opponent"]]
    # What a copy wins the bot loses, so the mean is known without error.
    assert [(row["sessions"], row["points_per_session"], row["stderr"]) for row in rows] == [(60, 0, 0)] * 3
    played = Listener()
    place.play(listener=played)
    assert played.games == 0
    assert verify(CONTEST, config=place.config, replay="all").problems == ()


def test_self_play_diagonal_is_mean_of_both_sides(tmp_path: Path) -> None:
    config = tmp_path / "tournament.toml"
    (tmp_path / "bots").mkdir()
    for name, source in PYTHON.items():
        (tmp_path / "bots" / f"{name}.py").write_text(source)
    config.write_text(DILEMMA)
    found = run("dilemma", config=config, workers=1, executor="local")
    table = {row["bot"]: row for row in crosstable_values(found.ranking) if row["bot"] == row["opponent"]}
    own = load(str(tmp_path / "results" / "dilemma" / "self_play")).sessions
    for name in PYTHON:
        of_bot = own[own.bot_0.astype(str).str.startswith(name)]
        points = (of_bot.points_0 + of_bot.points_1) / 2
        by_replica = points.groupby(of_bot.session // 12).mean()
        assert table[name]["points_per_session"] == pytest.approx(points.mean())
        assert table[name]["stderr"] == pytest.approx(by_replica.std() / 3**0.5) != 0


def test_self_play_against_house_players_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bots").mkdir()
    config = tmp_path / "tournament.toml"
    config.write_text('[c]\nrules = "two_card_draw"\nentrants = "bots"\nself_play = true\n')
    with pytest.raises(InputError, match="c: self_play: requires a contest for two entrants; remove the setting"):
        run("c", config=config)
