"""A file of rules with house players, luck and charts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tournament.api import replay, report, run
from tournament.contests import rules_loader

# A bot stakes chips on a house player's die: a number from 0 to 9 that is below the edge in its content wins.
STAKES = '''
import numpy as np

from tournament.contests.presentation import BarChart, Line, Scene, Step, counted, won
from tournament.rules import *

STAKE = Decision("stake", "Stake", observation={"round": Int(0, 9, "round")}, answer=Int(1, 3, "chips"))
DEALERS = tuple(HousePlayer(name, edge) for name, edge in (("kind", b"7"), ("even", b"5"), ("hard", b"2")))


class FairDie:
    """Luck of legs: what their dice gave less what they give in the mean."""

    def __init__(self, settings):
        self.points = []

    def add(self, games, first_rows, first_sessions):
        won = np.where(games["die"] < games["edge"], 1.0, -1.0)
        luck = games["stake"] * (won - (2 * games["edge"] / 10 - 1))
        pieces = np.split(luck, first_rows)
        if len(pieces[0]):
            self.points[-1] += pieces[0].sum()
        self.points += [piece.sum() for piece in pieces[1:]]

    def blocks(self):
        return np.array(self.points)[:, np.newaxis] * (np.arange(32) == 0)


def tally(rows, seats):
    return {"stakes": counted([(seats.players[0], seats.entrants + 1), (rows["stake"], 4)])}


def charts(sums, subject):
    return [BarChart("Chips at stake", "How many.", ("1", "2", "3"), [Line("this bot", [1.0, None, 0.5])])]


def scene(row):
    return Scene([Step(0, f"stakes {row['stake']}"), won(row["points_0"], "chips")], ("bot", "dealer"))


class Stakes(Rules):
    name = "stakes"
    seats = 1
    zero_sum = False
    decisions = (STAKE,)
    columns = tuple(Column(name, "uint8", name) for name in ("stake", "die", "edge"))
    house = House(
        players=lambda settings, folder, say: DEALERS,
        practice=lambda key: DEALERS[0],
        scoring=HouseScoring(lambda played: played.points / max(1, played.games)),
    )
    luck = Luck(("stake", "die", "edge"), FairDie)
    presentation = Presentation(tally, charts, scene, lambda rows: [rows["points_0"]], "chips")

    def play(self, session):
        for number in range(10):
            stake = yield STAKE(0, round=number)
            die, edge = session.rng.randrange(10), int(self.house_content)
            self.shown = f"{stake} below {edge}"
            session.record([stake if die < edge else -stake], stake=stake, die=die, edge=edge)

    def render(self):
        return f"{self.bot_names[0]}: {self.shown}" if hasattr(self, "shown") else ""
'''


def test_rules_file_can_have_house_luck_and_charts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores less luck are the mean of the stakes: 2 edge / 10 − 1 a chip."""
    monkeypatch.chdir(tmp_path)
    bots = contest_folder(tmp_path, "stakes", STAKES, "sessions = 7")
    (bots / "timid.c").write_text("int stake(const View *view) { return 1; }\n")
    (bots / "brave.py").write_text("def stake(view):\n    return 3\n")
    played = run("stakes", executor="local", workers=1)
    mean = sum(2 * edge / 10 - 1 for edge in (7, 5, 2)) / 3
    for line in played.ranking.entrants:
        chips = {"timid": 1, "brave": 3}[line.name]
        assert line.adjusted_score == pytest.approx(chips * mean) != line.score
        assert line.games == 3 * 7 * 10
    games = played.games
    assert "points_1" not in games and set(games["house"]) == {"kind", "even", "hard"}
    own = games[games["bot_0"] == "brave"]
    assert (own["points_0"].abs() == 3).all() and set(own["edge"]) == {7, 5, 2}
    again = replay("stakes", match=("brave", "hard"), session=2)
    assert (again.mismatch, again.house, again.drawings[-1]) == ("", "hard", "brave: 3 below 2")
    page = report("stakes").read_text()
    assert "Chips at stake" in page and "stakes 3" in page
    rules_loader.forget()


def contest_folder(folder: Path, name: str, rules: str, settings: str) -> Path:
    """Write a contest's rules and settings, and return the folder for its bots."""
    (folder / f"{name}.py").write_text(rules)
    (folder / "tournament.toml").write_text(f'[{name}]\nrules = "{name}.py"\nseed = "{name}"\n{settings}\n')
    bots = folder / "entrants" / name
    bots.mkdir(parents=True)
    return bots
