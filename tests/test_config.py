"""tournament.toml: whatever is wrong with it is one line that names file, line and key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tournament
from tests.cli.in_process import run_cli
from tests.contest_runs import CONTEST
from tournament.config import Config, load_config, load_contests
from tournament.contests import CONTESTS, find_contest
from tournament.errors import InputError

GOOD = f"""\
# what is played
results = "records"
executor = "local"
workers = 2

[{CONTEST}]
entrants = "bots"
sessions = 100   # each
seed = 5
duplicate = true
"""


def load_text(folder: Path, text: str, name: str = CONTEST, **options: Any) -> Config:
    path = folder / "tournament.toml"
    path.write_text(text)
    return load_config(name, path, **options)


def test_a_good_file(tmp_path: Path) -> None:
    config = load_text(tmp_path, GOOD)
    assert (config.general.executor, config.general.workers) == ("local", 2)
    assert (config.contest.sessions, config.contest.seed) == (100, "5")
    assert config.contest.model_dump()["duplicate"]
    assert config.entrants == tmp_path / "bots"
    assert config.results == str(tmp_path / "records")


def test_an_empty_file_and_none_give_the_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = load_text(tmp_path, "")
    assert (config.general.executor, config.contest.sessions) == ("auto", 1000)
    assert config.entrants == tmp_path / "entrants" / CONTEST
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert load_config(CONTEST).entrants == tmp_path / "empty" / "entrants" / CONTEST


@pytest.mark.parametrize(
    "text",
    [
        'results = "s3://key:hushhush@bucket',
        'results = "s3://key:hushhush@bucket\\u0000"',
        'results = "s3://key:hushhush@bucket"',
        'results = "s3:key:hushhush@bucket"',
        'results = "s3://bucket/key:hushhush@more"',
        'results = "ftp://key:hushhush@host/place"',
        'results = "s3://bucket?endpoint_override=key:hushhush@host"',
        'results = "s3://bucket?access_key=key&secret_key=hushhush"',
        'results = "az://bucket/place?sas_token=hushhush&account=a"',
        'results = "gs://bucket/place?token=hushhush"',
        'results = ["s3://key:hushhush@bucket"]',
        'ray_address = ["ray://key:hushhush@host"]',
    ],
)
def test_no_password_is_shown(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as caught:
        load_text(tmp_path, text)
    assert "hushhush" not in str(caught.value) and "key" not in str(caught.value).replace("keys", "")
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    "results",
    [
        "s3://",
        "s3:/bucket",
        "S3://",
        "az:///a",
        "ftp://host/a",
        "file:a",
        "s3://b/../c",
        "s3://[",
        "s3://b#c",
        "s3://b?x=y",
    ],
)
def test_a_url_without_a_bucket_or_of_an_unknown_kind_is_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, results: str
) -> None:
    """An empty variable in "s3://$BUCKET" causes this."""
    monkeypatch.chdir(tmp_path)
    for words in (["leaderboard"], ["run"], ["verify"]):
        told = run_cli(*words, "--results", results)
        assert (told.code, told.out) == (2, "") and "is not a place for results" in told.err
    with pytest.raises(InputError, match="is not a place for results"):
        tournament.load(results)
    assert list(tmp_path.iterdir()) == []


def test_table_given_twice_names_table_and_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf"line 3: \[{CONTEST}\] is there twice; rename one"):
        load_text(tmp_path, f"[{CONTEST}]\n\n[{CONTEST}]\n")


def test_options_lie_over_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").mkdir()
    config = load_text(tmp_path / "there", GOOD, workers=7, results="mine", sessions=9, seed=None, entrants="my_bots")
    assert (config.general.workers, config.general.executor) == (7, "local")
    assert (config.contest.sessions, config.contest.seed) == (9, "5")
    # Paths of the file are from the file's folder, those of options from here.
    assert config.results == str(tmp_path / "mine")
    assert config.entrants == tmp_path / "my_bots"


def test_a_table_makes_a_contest_by_the_rules_that_it_names(tmp_path: Path) -> None:
    text = f'[late_night]\nrules = "{CONTEST}"\nsessions = 7\n[{CONTEST}]\nsessions = 9\n'
    own, named = load_text(tmp_path, text), load_text(tmp_path, text, name="late_night")
    assert (named.played.name, named.played.rules, named.played.title) == ("late_night", CONTEST, "Late night")
    assert (named.contest.sessions, own.contest.sessions, own.played.rules) == (7, 9, CONTEST)
    assert named.entrants == tmp_path / "entrants" / "late_night"
    assert named.contest.playing() == own.contest.playing() | {"sessions": 7}
    known = load_contests(tmp_path / "tournament.toml")
    assert known.chosen == ("late_night", CONTEST)
    assert set(known.names) == {"late_night", *(contest.name for contest in CONTESTS)}


def test_a_contest_is_called_as_its_table_says(tmp_path: Path) -> None:
    text = f'[late_night]\nrules = "{CONTEST}"\ntitle = "After midnight"\ndescription = "Play till dawn."\n'
    named, own = load_text(tmp_path, text, name="late_night").played, load_text(tmp_path, text).played
    assert (named.title, named.description) == ("After midnight", "Play till dawn.")
    assert own.title == find_contest(CONTEST).title and own.description == find_contest(CONTEST).description


def test_a_wrong_value_in_another_contests_table_stops_only_that_one(tmp_path: Path) -> None:
    text = f'[good]\nrules = "{CONTEST}"\n[other]\nrules = "{CONTEST}"\nsessions = -5'
    assert load_text(tmp_path, text, name="good").played.name == "good"
    with pytest.raises(InputError, match=r"line 5: sessions = -5"):
        load_text(tmp_path, text, name="other")
