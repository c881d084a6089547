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
    ("text", "line", "words"),
    [
        ("workers = -1", 1, "workers = -1: must be at least 0"),
        ("\n\nworkers = 1.5", 3, "workers = 1.5: must be a whole number"),
        ('executor = "slurm"', 1, "executor = 'slurm': must be 'auto', 'local' or 'ray'"),
        (f"[{CONTEST}]\nsessions = []", 2, "sessions = []: must be a whole number"),
        (f"[{CONTEST}]\nseed = []", 2, "seed = []: must be a whole number or a text"),
        ("results = 3", 1, "results: must be a text, in quotes"),
        ("# first\nworker = 3", 2, "unknown key worker; expected one of: results, executor, workers, ray_address"),
        (
            f"\n[{CONTEST}]\nsesions = 5",
            3,
            "unknown key sesions; expected one of: rules, entrants, house, house_seats, authors, adapter",
        ),
        (
            f"[{CONTEST}]\nsessions = 20_000\nreplicas = 60_000",
            3,
            "replicas = 60000: times the sessions of a leg it is more than",
        ),
        (
            f"[{CONTEST}]\nsessions = 50_000_000\nuntil_settled = 0.95",
            1,
            "max_replicas = 64: times the sessions of a leg it is more than",
        ),
        (f"[{CONTEST}]\nseed = -1", 2, "seed = -1: must be 0 to 2²⁵⁶ − 1"),
        (f"[{CONTEST}]\nseed = 1.5", 2, "seed = 1.5: must be a whole number or a text"),
        (f'[{CONTEST}]\nseed = ""', 2, "seed = '': must be 1 to 1000 printable characters"),
        (f"[{CONTEST}]\nsessions = 2020-01-01", 2, "sessions = 2020-01-01: must be a whole number"),
        (f'[{CONTEST}]\n"bet_cap" = "odd"', 2, "bet_cap = 'odd': must be 'before_ante' or 'after_ante'"),
        (f"[{CONTEST}.bet_cap]\nx = 1", 1, "bet_cap = {'x': 1}: must be 'before_ante' or 'after_ante'"),
        (f'[{CONTEST}]\ndeals = "common"', 2, "deals is no longer a setting, because each leg has its own"),
        (f"\n{CONTEST} = 3", 2, f"{CONTEST} must be a table, written [{CONTEST}]"),
        (f"[[{CONTEST}]]\nseed = 1", 1, f"{CONTEST} must be a table, written [{CONTEST}]"),
        ("results = elsewhere", 1, "invalid value: a text needs quotes"),
        ("workers = 1\nworkers = 2", 2, "this key is there twice"),
        (f"\n[{CONTEST}]\nworkers = 2", 3, f"workers isn't a key of [{CONTEST}]; put it before the first table"),
        ("sessions = 2", 1, f"sessions is a contest's key; put it below the contest's table, as [{CONTEST}]"),
        ("results = '''open\nand open", 2, "Expected \"'''\""),
        ("x = " + "9" * 5000, 1, "Exceeds the limit (4300 digits) for integer string conversion"),
        ('results = "a\\u0000b"', 1, "results: must not contain the character NUL"),
        (f'[{CONTEST}]\nentrants = "a\\u0000b"', 2, "entrants = 'a\\x00b': must not contain the character NUL"),
    ],
)
def test_what_is_wrong_is_blamed_by_file_line_and_key(tmp_path: Path, text: str, line: int, words: str) -> None:
    with pytest.raises(InputError) as caught:
        load_text(tmp_path, text)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'tournament.toml'}, line {line}: {words}")
    assert "\n" not in message


def test_every_mistake_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load_text(tmp_path, f"[{CONTEST}]\nseed = -1\nsessions = 0\nodd = 1")
    assert [line.split(": ")[0].rsplit(" ", 1)[1] for line in str(caught.value).splitlines()] == ["3", "2", "4"]


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
    ["s3://", "s3:///place", "s3:", "s3:/bucket", "S3://", "gs://", "az:///a", "ftp://host/a", "file://", "file:a"],
)
def test_a_url_without_a_bucket_or_of_an_unknown_kind_is_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, results: str
) -> None:
    """As where the variable of "s3://$BUCKET" is empty."""
    monkeypatch.chdir(tmp_path)
    for words in (["leaderboard"], ["run"], ["verify"]):
        told = run_cli(*words, "--results", results)
        assert (told.code, told.out) == (2, "") and "is not a place for results" in told.err
    with pytest.raises(InputError, match="is not a place for results"):
        tournament.load(results)
    assert list(tmp_path.iterdir()) == []


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


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[von_neuman_poker]", 1, "unknown table von_neuman_poker; .*; did you mean von_neumann_poker\\?"),
        ("resluts = 3", 1, "unknown key resluts; expected one of: results, .*; did you mean results\\?$"),
        ("[snadbox]", 1, "unknown table snadbox; .*; did you mean sandbox\\?"),
        ('[a]\nrules = "two_card_drew"', 2, "rules = 'two_card_drew': unknown rules; .* did you mean two_card_draw\\?"),
        ("[a]\n\nrules = 3", 3, "rules = 3: unknown rules; expected one of: "),
        (f'[two_card_draw]\nrules = "{CONTEST}"', 2, "two_card_draw has rules of its own; give a contest of "),
        (f'["../a"]\nrules = "{CONTEST}"', 1, r"\[../a\]: a contest's name has letters a-z and A-Z, digits and _ only"),
        (f'["{"a" * 65}"]\nrules = "{CONTEST}"', 1, "a contest's name has"),
        (f"[{CONTEST}]\nmax_faults = 2\nsesions = 3", 3, "unknown key sesions; .*; did you mean sessions\\?$"),
        (f"[{CONTEST}]\nmax_faults = 2\nhands = 3", 3, "unknown key hands"),
    ],
)
def test_what_is_wrong_with_a_named_contest(tmp_path: Path, text: str, line: int, words: str) -> None:
    with pytest.raises(InputError, match=rf"tournament\.toml, line {line}: .*{words}"):
        load_text(tmp_path, text)


def test_a_wrong_value_in_another_contests_table_stops_only_that_one(tmp_path: Path) -> None:
    text = f'[good]\nrules = "{CONTEST}"\n[other]\nrules = "{CONTEST}"\nsessions = -5'
    assert load_text(tmp_path, text, name="good").played.name == "good"
    with pytest.raises(InputError, match=r"line 5: sessions = -5"):
        load_text(tmp_path, text, name="other")


def test_a_contest_is_meant_that_comes_close(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no contest is called late_nigth; .*; did you mean late_night\?$"):
        load_text(tmp_path, f'[late_night]\nrules = "{CONTEST}"', name="late_nigth")
