"""Runs of all examples, of two to six seats: the same records however they come about, and every command about them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pandas as pd
import pandas.testing
import pytest

import tournament
from tests.cli.in_process import run_cli
from tests.contest_runs import EXAMPLES
from tests.samples import sample_params
from tournament.config import load_config
from tournament.entrants.new import templates, write_new_bot
from tournament.open_contest.authors import AuthorsFile, add_author, read_authors
from tournament.open_contest.jobs import OTHER, PRACTICE, QUICK, TRIAL, Job, database_beside
from tournament.open_contest.submissions import OpenContests, Submissions
from tournament.records.results import Results
from tournament.runner.listener import ProgressListener
from tournament.runner.schedule import legs
from tournament.runner.schedule.tables import colex_numbers

SEED = "a seed of the tests of examples"
# Settings that keep each short.
SHORT: dict[str, dict[str, Any]] = {
    "auction": {"sessions": 20},
    "blotto": {"sessions": 4},
    "holdem": {"sessions": 2, "hands": 20, "seats": 5},
    "liars_dice": {"sessions": 20},
    "snakes": {"sessions": 4, "turns": 40, "seats": 4},
    "words": {"sessions": 10},
}
SEATS = {"auction": 4, "holdem": 5, "snakes": 4}
each = pytest.mark.parametrize("name", sample_params(SHORT, ["blotto", "snakes"]))


def copied(folder: Path, name: str, **more: Any) -> Path:
    """An example's settings, made short, and its bots in a folder."""
    shutil.copytree(EXAMPLES / name, folder, dirs_exist_ok=True)
    rules = 'rules = "' + f'{name}.py"'
    keys = {**SHORT[name], "seed": SEED, "max_faults": 0, **more}
    lines = [f'{key} = "{value}"' if isinstance(value, str) else f"{key} = {value}" for key, value in keys.items()]
    (folder / "tournament.toml").write_text("\n".join([f"[{name}]", rules, *lines, ""]))
    return folder


def play(
    folder: Path, name: str, *, workers: int = 1, executor: Any = "local", listener: ProgressListener | None = None
) -> Results:
    config = folder / "tournament.toml"
    return tournament.run(name, config=config, workers=workers, executor=executor, listener=listener)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Results]]:
    """Examples that one worker has played."""
    return {}


def played(name: str, runs: dict[str, tuple[Path, Results]], factory: pytest.TempPathFactory) -> tuple[Path, Results]:
    if name not in runs:
        folder = copied(factory.mktemp(name), name)
        runs[name] = folder, play(folder, name)
    return runs[name]


def test_match_numbers_above_32_bits_verify(
    runs: Any, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As those of six among bots that have had 150 names."""
    _, found = played("snakes", runs, tmp_path_factory)
    monkeypatch.setattr(legs, "colex_numbers", lambda *of: colex_numbers(*of) + 2**40)
    folder = copied(tmp_path_factory.mktemp("large"), "snakes")
    large = play(folder, "snakes")
    for one in ("games", "sessions", "matches"):
        frame, same = (getattr(results, one) for results in (found, large))
        pandas.testing.assert_frame_equal(frame.assign(match=frame.match + 2**40), pd.DataFrame(same), check_like=True)
    (folder / "entrants" / "snakes" / "clockwise.c").unlink()
    assert len(play(folder, "snakes").games) < len(found.games)
    assert tournament.verify("snakes", config=folder / "tournament.toml", replay=2).problems == ()


@each
def test_example_answers_every_command(
    name: str, runs: Any, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, found = played(name, runs, tmp_path_factory)
    monkeypatch.chdir(folder)
    first = sorted((folder / "entrants" / name).iterdir())[0]
    count, match = SEATS.get(name, 2), str(found.matches.match.iloc[0])
    assert found.faults.empty and found.ranking.seats == count, found.faults
    commands: list[tuple[list[str], list[str]]] = [
        (["verify", name, "--replay", "2"], []),
        (["replay", name, "--match", match, "--session", "1"], [first.stem]),
        (["check", str(first)], ["fit to enter"]),
        (["match", name, str(first), "--sessions", "4"], [first.stem]),
        (["leaderboard", name], [first.stem]),
        (["crosstable", name], []),
        (["report", name, "-o", "page.html"], []),
    ]
    for words, expected in commands:
        answer = run_cli(*words, columns=200)
        assert answer.code == 0 and "Traceback" not in answer.err, (words, answer.out, answer.err)
        assert all(one in answer.out + answer.err for one in expected), (words, answer.out, answer.err)
    replayed = tournament.replay(name, match=int(match), session=1)
    assert len(replayed.seats) == count and replayed.mismatch == ""
    page = (folder / "page.html").read_text()
    assert all(line.name in page for line in found.ranking.entrants)
    if name == "snakes":
        assert all(one.startswith("<svg ") for one in replayed.drawings) and "<svg " in page


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["leaderboard", "snakes", "--rating", "elo"], "snakes: it has matches of 4 bots; --rating is for two"),
        (["match", "snakes", "BOT", "--until-settled", "0.9"], "--until-settled requires --baseline, or one OTHER"),
        (["match", "snakes", "BOT", "entrants/snakes/hungry.py"], "a match needs 4 bots, one for each seat"),
        (["replay", "snakes", "--match", "hungry,nobody", "--session", "0"], "they have no nobody"),
    ],
)  # fmt: skip
def test_two_seat_option_is_refused_for_four_seats(
    words: list[str], message: str, runs: Any, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, _ = played("snakes", runs, tmp_path_factory)
    monkeypatch.chdir(folder)
    answer = run_cli(*(word.replace("BOT", "entrants/snakes/roomy.cpp") for word in words), columns=300)
    assert answer.code == 2 and message in answer.err.splitlines()[-1] and "Traceback" not in answer.err, answer.err


def test_four_seat_run_ends_with_settled_order(tmp_path: Path) -> None:
    """Its rule compares scores with their covariances, as at two seats: here after fewer replicas than there may be."""
    folder = copied(tmp_path, "snakes", sessions=20, until_settled=0.6, replicas=2, max_replicas=40)
    for bot in ("follows_wall", "any_way.c", "roomy.cpp"):
        path = folder / "entrants" / "snakes" / bot
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    for name in ("up", "down"):
        (folder / "entrants" / "snakes" / f"{name}.c").write_text(
            f"int turn(const View *view) {{ return {name.upper()}; }}\n"
        )
    found = play(folder, "snakes")
    assert 2 * 20 <= found.matches.sessions.iloc[0] < 40 * 20
    assert found.ranking.ranked[0].order_status == "settled"


@pytest.mark.slow
def test_four_seat_open_contest_takes_uploads_and_plays_practice(tmp_path: Path) -> None:
    """Through the server's own commands: a bot enters, its next version practises, and its author sees a game."""
    folder = copied(tmp_path, "snakes")
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
    assert {"mine", "hungry"} <= {line.name for line in play(folder, "snakes").ranking.entrants}
    practised = done(taken.take(ann, "snakes", "mine.c", new + b"/* another */", PRACTICE), OTHER)
    assert practised.state == "played" and json.loads(practised.said)["baseline"] == "mine.c", practised.said
    shown_game = done(taken.show(ann, "snakes", "mine", {"opponent": "hungry", "session": 1}), OTHER)
    assert shown_game.state == "played" and len(json.loads(shown_game.said)["seats"]) == 4, shown_game.said


@pytest.mark.slow
@pytest.mark.parametrize("name", sample_params(SHORT, ["blotto"]))
def test_example_has_template_in_every_language(name: str, tmp_path: Path) -> None:
    folder = copied(tmp_path, name)
    contest = load_config(name, folder / "tournament.toml").played
    bots = folder / "entrants" / name
    for language in templates(contest):
        if language.removeprefix("program-") in ("c", "cpp", "python"):
            write_new_bot(contest, bots, f"new_{language.replace('-', '_')}", language)
    found = play(folder, name)
    assert found.faults.empty and sum(line.name.startswith("new_") for line in found.ranking.entrants) == 4
