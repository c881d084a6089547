"""Grading an open contest: its final, who submitted which bot, and commands that find its games."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from pathlib import Path

import pytest

from tests.commands import command
from tests.contest_runs import CONTEST, ContestDir, make_contest
from tournament.errors import InputError
from tournament.open_contest.authors import add_author
from tournament.open_contest.jobs import ENTERED, NOT_FIT, Job, Jobs, database_beside
from tournament.records.results import load

FINALS = ("final-20260101T000000Z", "final-20260202T000000Z")


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> ContestDir:
    """Return a contest that was open and has had two finals, the last of other deals. One bot has an author."""
    place = make_contest(tmp_path_factory.mktemp("closed"), ["bold", "calm"])
    for results in (None, place.folder / "results" / FINALS[0]):
        place.play(results=results)
    place.config.write_text(place.config.read_text().replace("seed = ", "sessions = 41 # "))
    place.config.write_text(re.sub("sessions = 40\n", "", place.config.read_text()))
    place.play(results=place.folder / "results" / FINALS[1])
    jobs = Jobs(database_beside(place.folder / "authors.toml"))
    jobs.add(Job("", "ann b", CONTEST, "bold", "bold.c", "2026-01-01", state=ENTERED), b"", "2026-01-01")
    for name in ("ann b", "bob", "eve"):
        add_author(place.folder / "authors.toml", name)
    jobs.add(Job("", "bob", CONTEST, "torn", "torn.c", "2026-01-01", state=NOT_FIT), b"", "2026-01-01")
    return place


def test_commands_show_final_or_mention_it(closed: ContestDir) -> None:
    for words in (["leaderboard"], ["leaderboard", "--rating", "elo"], ["crosstable"], ["faults"], ["report"]):
        before = command(closed.folder, *words)
        assert before.code == 0 and "--final" in before.err, words
        final = command(closed.folder, *words, "--final")
        assert final.code == 0 and "--final" not in final.err, words
    lines = json.loads(command(closed.folder, "leaderboard", CONTEST, "--final", "--json").out)
    assert [line["sessions"] for line in lines] == [41, 41]
    assert command(closed.folder, "verify", CONTEST, "--final").code == 0
    results = load(str(closed.folder / "results"), final=True)
    assert results.location.endswith(f"{FINALS[1]}/{CONTEST}")
    with pytest.raises(InputError, match="no final was played"):
        load(results.location, final=True)


def test_gradebook_begins_with_places_and_author(closed: ContestDir) -> None:
    rows = list(csv.DictReader(io.StringIO(command(closed.folder, "leaderboard", "--final", "--csv").out)))
    assert list(rows[0])[:7] == ["rank", "rank_low", "rank_high", "name", "author", "score", "points_per_session"]
    # Also of a bot that was never fit, and of an author who submitted nothing.
    never = {(row["name"], row["author"], row["status"]) for row in rows[2:]}
    assert {row["name"]: row["author"] for row in rows[:2]} == {"bold": "ann b", "calm": ""}
    assert never == {("torn", "bob", "not fit"), ("", "eve", "nothing submitted")}
    status = command(closed.folder, "author", "status", "--csv").out
    assert {row["author"]: row["state"] for row in csv.DictReader(io.StringIO(status))} == {
        "ann b": "entered", "bob": "not fit", "eve": "nothing submitted",
    }  # fmt: skip
    elsewhere = closed.folder / "elsewhere"
    elsewhere.mkdir()
    words = ("leaderboard", "--json", "--config", str(closed.config), "--results", str(closed.folder / "results"))
    assert {line["author"] for line in json.loads(command(elsewhere, *words).out)} == {"ann b", None}


@pytest.mark.parametrize("words", [["--final"], ["--results", f"results/{FINALS[0]}"]])
def test_pages_of_final_print_working_commands(closed: ContestDir, words: list[str], tmp_path: Path) -> None:
    assert command(closed.folder, "report", CONTEST, *words, "--folder", str(tmp_path)).code == 0
    found = [re.findall("<code>(tournament replay .*?)</code>", page.read_text()) for page in tmp_path.glob("*.html")]
    commands = [shlex.split(one) for several in found for one in several]
    assert commands and all(one[-len(words) :] == words for one in commands)
    replayed = command(closed.folder, *commands[0][1:])
    assert replayed.code == 0, replayed.err
