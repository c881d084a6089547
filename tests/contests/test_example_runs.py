"""Runs of examples with more than two seats, with every command and in an open contest."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pandas.testing
import pytest

import tournament
from tests.commands import run_cli
from tests.contest_runs import EXAMPLES
from tournament.config import load_config
from tournament.open_contest.authors import AuthorsFile, add_author, read_authors
from tournament.open_contest.jobs import OTHER, QUICK, TRIAL, Job, database_beside
from tournament.open_contest.submissions import OpenContests, Submissions
from tournament.records.results import Results
from tournament.runner.schedule import legs
from tournament.runner.schedule.tables import colex_numbers

SEED = "a seed of the tests of examples"
SETTINGS: dict[str, Any] = {"sessions": 4, "turns": 40, "seats": 4, "seed": SEED, "max_faults": 0}


def copied(folder: Path, **more: Any) -> Path:
    """Copy snakes and its bots to a folder, with settings that make it short."""
    shutil.copytree(EXAMPLES / "snakes", folder, dirs_exist_ok=True)
    lines = [f"{key} = {json.dumps(value)}" for key, value in {**SETTINGS, **more}.items()]
    (folder / "tournament.toml").write_text("\n".join(["[snakes]", 'rules = "snakes.py"', *lines, ""]))
    return folder


def play(folder: Path) -> Results:
    return tournament.run("snakes", config=folder / "tournament.toml", workers=1, executor="local")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Results]:
    folder = copied(tmp_path_factory.mktemp("snakes"))
    return folder, play(folder)


def test_match_numbers_above_32_bits_verify(
    played: tuple[Path, Results], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Matches of six among bots that have had 150 names have such numbers."""
    monkeypatch.setattr(legs, "colex_numbers", lambda *of: colex_numbers(*of) + 2**40)
    folder = copied(tmp_path)
    large = play(folder)
    for one in ("games", "sessions", "matches"):
        frame, same = (getattr(results, one) for results in (played[1], large))
        pandas.testing.assert_frame_equal(frame.assign(match=frame.match + 2**40), pd.DataFrame(same), check_like=True)
    assert tournament.verify("snakes", config=folder / "tournament.toml", replay=2).problems == ()


def test_four_seat_records_answer_every_command(played: tuple[Path, Results], monkeypatch: pytest.MonkeyPatch) -> None:
    folder, found = played
    monkeypatch.chdir(folder)
    bot, match = "entrants/snakes/any_way.c", str(found.matches.match.iloc[0])
    assert found.faults.empty and found.ranking.seats == 4, found.faults
    for words, expected in (
        (f"replay snakes --match {match} --session 1", "any_way"),
        (f"check {bot}", "fit to enter"),
        (f"match snakes {bot} --sessions 4", "any_way"),
        ("leaderboard snakes", "any_way"),
        ("crosstable snakes", ""),
        ("report snakes -o page.html", ""),
    ):
        answer = run_cli(*words.split(), columns=200)
        assert answer.code == 0 and "Traceback" not in answer.err, (words, answer.out, answer.err)
        assert expected in answer.out + answer.err, (words, answer.out, answer.err)
    replayed = tournament.replay("snakes", match=int(match), session=1)
    assert len(replayed.seats) == 4 and replayed.mismatch == ""
    page = (folder / "page.html").read_text()
    assert all(line.name in page for line in found.ranking.entrants)
    assert all(one.startswith("<svg ") for one in replayed.drawings) and "<svg " in page


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("leaderboard snakes --rating elo", "snakes: it has matches of 4 bots; --rating is for two"),
        ("match snakes BOT --until-settled 0.9", "--until-settled requires --baseline, or one OTHER"),
        ("match snakes BOT entrants/snakes/hungry.py", "a match needs 4 bots, one for each seat"),
        ("replay snakes --match hungry,absent --session 0", "they have no absent"),
    ],
)
def test_two_seat_option_is_refused_for_four_seats(
    words: str, message: str, played: tuple[Path, Results], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(played[0])
    answer = run_cli(*words.replace("BOT", "entrants/snakes/roomy.cpp").split(), columns=300)
    assert answer.code == 2 and message in answer.err.splitlines()[-1] and "Traceback" not in answer.err, answer.err


def test_four_seat_run_ends_with_settled_order(tmp_path: Path) -> None:
    """Scores are compared with their covariances, as at two seats."""
    folder = copied(tmp_path, sessions=20, until_settled=0.6, replicas=2, max_replicas=40)
    for bot in ("follows_wall", "any_way.c", "roomy.cpp"):
        path = folder / "entrants" / "snakes" / bot
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name in ("up", "down"):
        (folder / "entrants" / "snakes" / f"{name}.c").write_text(
            f"int turn(const View *view) {{ return {name.upper()}; }}\n"
        )
    found = play(folder)
    assert 2 * 20 <= found.matches.sessions.iloc[0] < 40 * 20
    assert found.ranking.ranked[0].order_status == "settled"


@pytest.mark.slow
def test_four_seat_open_contest_takes_uploads_and_plays_practice(tmp_path: Path) -> None:
    """Bots enter, their next versions practise, and their authors see a game."""
    folder = copied(tmp_path)
    settings, new = folder / "tournament.toml", (EXAMPLES / "snakes" / "entrants" / "snakes" / "any_way.c").read_bytes()
    config = load_config("snakes", settings)
    current = OpenContests(
        settings, config.opening, {"snakes": config}, set(), {"snakes": str(folder / "results" / "snakes")}
    )
    authors = folder / "authors.toml"
    add_author(authors, "ann")
    ann = read_authors(authors)["ann"]
    taken = Submissions(database_beside(authors), lambda: current, AuthorsFile(authors), lambda *told: None)

    def done(job: Job, *lanes: str) -> Job:
        assert all(taken.try_next(lane, 0) for lane in lanes)
        found = taken.jobs.job(job.id)
        assert found
        return found

    entered = done(taken.take(ann, "snakes", "mine.c", new), QUICK, TRIAL)
    assert entered.state == "entered", entered.said
    assert {"mine", "hungry"} <= {line.name for line in play(folder).ranking.entrants}
    shown_game = done(taken.show(ann, "snakes", "mine", {"opponent": "hungry", "session": 1}), OTHER)
    assert shown_game.state == "played" and len(json.loads(shown_game.said)["seats"]) == 4, shown_game.said
