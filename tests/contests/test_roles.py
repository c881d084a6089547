"""Roles that are worth something go by no bot's name: from replica to replica they change."""

from __future__ import annotations

from pathlib import Path

import pytest

import tournament
from tests.contest_runs import CONTEST, make_contest

TWINS = ("ann", "bob", "cat", "dee")
# Whoever comes first gets what is there, if a die falls well.
RACE = """
from tournament.rules import Decision, Int, Questions, Rules, Session

RUN = Decision("run", "The pace", observation={}, answer=Int(0, 9, "steps"))

class Race(Rules):
    name = "race"
    seats = 2
    decisions = (RUN,)

    def play(self, session: Session) -> Questions:
        yield RUN(0)
        prize = 3 if session.rng.roll(1)[0] > 1 else -1
        session.record([prize, -prize])
"""
LOPSIDED = 'rules = "matrix_game"\nmoves = ["go", "stay"]\nturns_per_game = 3\nnoise = 0.2\n'
LOPSIDED += "payoffs = [[3, 2], [2, 1]]\ncolumn_payoffs = [[0, -1], [0, 1]]"


@pytest.mark.parametrize("sessions", [1, 3])
@pytest.mark.parametrize(
    ("game", "answers"), [('rules = "race.py"', "run"), (LOPSIDED, "move")], ids=["race", "matrix"]
)
def test_twins_share_rank_where_role_wins(game: str, answers: str, sessions: int, tmp_path: Path) -> None:
    (tmp_path / "race.py").write_text(RACE)
    (tmp_path / "bots").mkdir()
    kind = "View" if answers == "run" else "Bot"
    for name in TWINS:
        (tmp_path / "bots" / f"{name}.c").write_text(f"int {answers}(const {kind} *bot) {{ return 0; }}")
    config = tmp_path / "tournament.toml"
    config.write_text(f'[twins]\n{game}\nentrants = "bots"\nsessions = {sessions}\nreplicas = 30\nseed = "in turn"\n')
    played = tournament.run("twins", config=config, executor="local", workers=1)
    ranks = played.standings[["rank_low", "rank_high"]]
    assert set(ranks.itertuples(index=False, name=None)) == {(1, 4)}
    if answers == "run":
        assert set((played.games.bot_0 == played.games.bot_0).groupby(played.games.match).count()) == {30 * sessions}
        first = [
            (own.bot_0 == min(own.bot_0)).mean() for _, own in played.games.astype({"bot_0": str}).groupby("match")
        ]
    else:
        first = [played.sessions.seat_0_is_row.mean()]
    assert first == pytest.approx([0.5] * len(first))


def test_odd_replicas_begin_with_swapped_roles(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm"], sessions=1, settings="replicas = 4")
    games = tournament.run(CONTEST, config=place.config, workers=1).games
    opens = games[games.game == 0].set_index("session").seat_0_is_a
    assert opens.to_dict() == {0: True, 1: False, 2: True, 3: False}
