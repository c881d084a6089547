"""`--beside`: a deal with two versions of a bot, side by side, the first difference marked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tournament
from tests.cli.in_process import shown
from tests.contest_runs import CONTEST, Place, bot_source, new_place
from tournament.errors import BadInput


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    made = new_place(tmp_path, ["bold", "calm"], sessions=6)
    made.play()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "former").mkdir()
    (tmp_path / "former" / "bold.c").write_text(bot_source(3, 7, "of other answers only"))
    return made


def test_the_first_difference_is_the_first_answer_that_differs(place: Place) -> None:
    """The versions bet alike, and call otherwise: up to the first such call both games are the same."""
    found = tournament.replay(CONTEST, match=("bold", "calm"), session=0, beside="former/bold.c", config=place.config)
    assert found.beside and found.beside.differs_at and not found.differs
    game, at = found.beside.differs_at
    one, other = (next(g for g in games if g.game == game) for games in (found.games, found.beside.games))
    assert at is not None and one.steps[:at] == other.steps[:at]
    step = one.steps[at]
    assert (step.bot, step.question, step.answered) == ("bold", "b", "call") and other.steps[at].answered == "fold"
    assert step.told == other.steps[at].told and 0.2 < step.told["card"] < 0.7
    before = [(a, b) for a, b in zip(found.games, found.beside.games) if a.game < game]
    assert all((a.steps, a.row) == (b.steps, b.row) for a, b in before)
    told = shown("replay", CONTEST, "--match", "bold,calm", "--session", "0", "--beside", "former/bold.c")
    marked = [line for line in told.out.splitlines() if "≠" in line]
    assert told.code == 0 and len(marked) == 1 and f"decision {at + 1} of game {game}" in told.out
    later = shown("replay", CONTEST, "--match", "bold,calm", "--session", "2", "--beside", "former/bold.c")
    assert "their games before came out otherwise" in later.out and "came out otherwise" not in told.out
    asked = shown("replay", CONTEST, "--match", "calm,bold", "--session", "2", "--beside", "bold", "--json")
    assert json.loads(asked.out)["beside"]["bot"] == "calm"


def test_the_recorded_version_may_be_either_of_the_two(place: Place) -> None:
    """After an edit the folder has the new version; the former one is the file that is named."""
    words = {"match": ("bold", "calm"), "session": 2, "config": place.config}
    expected = tournament.replay(CONTEST, **words, beside="former/bold.c")  # type: ignore[arg-type]
    old, new = place.entrants / "bold.c", place.folder / "former" / "bold.c"
    texts = old.read_text(), new.read_text()
    new.write_text(texts[0])
    old.write_text(texts[1])
    with pytest.raises(BadInput, match="not in the entrants folder as it was"):
        tournament.replay(CONTEST, **words)  # type: ignore[arg-type]
    found = tournament.replay(CONTEST, **words, beside=new)  # type: ignore[arg-type]
    assert found.games == expected.games and found.beside and expected.beside
    assert found.beside.games == expected.beside.games and found.beside.version.endswith("bots/bold.c")


def test_bad_input_is_told_in_a_line(place: Place) -> None:
    (place.folder / "bad").mkdir()
    (place.folder / "bad" / "bold.c").write_text("int a(")
    replay = ["replay", CONTEST, "--match", "bold,calm", "--session", "0", "--beside"]
    for words, what in (
        ([*replay, "gone.c"], "gone.c: there is no such file, entrant or shipped bot"),
        ([*replay, "bad/bold.c"], "bad/bold.c can't play: "),
        (["replay", CONTEST, "--match", "0", "--session", "0", "--beside", "likeme"], "whose version?"),
    ):
        told = shown(*words)
        assert told.code == 2 and what in told.err and "Traceback" not in told.err, (words, told.err)
