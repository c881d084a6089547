"""tournament.toml: whatever is wrong with it is one line that names file, line and key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

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


def test_file_has_settings_and_empty_one_the_defaults(tmp_path: Path) -> None:
    config = load_text(tmp_path, GOOD)
    assert (config.general.executor, config.general.workers) == ("local", 2)
    assert (config.contest.sessions, config.contest.seed) == (100, "5")
    assert config.contest.model_dump()["duplicate"]
    assert (config.entrants, config.results) == (tmp_path / "bots", str(tmp_path / "records"))
    config = load_text(tmp_path, "")
    assert (config.general.executor, config.contest.sessions) == ("auto", 1000)
    assert config.entrants == tmp_path / "entrants" / CONTEST


@pytest.mark.parametrize(
    "text",
    [
        'results = "s3://key:hushhush@bucket"',
        'results = "s3://bucket/key:hushhush@more"',
        'results = "s3://bucket?access_key=key&secret_key=hushhush"',
        'results = "gs://bucket/place?token=hushhush"',
        'ray_address = ["ray://key:hushhush@host"]',
    ],
)
def test_no_password_is_shown(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as caught:
        load_text(tmp_path, text)
    assert "hushhush" not in str(caught.value) and "key" not in str(caught.value).replace("keys", "")
    assert len(str(caught.value).splitlines()) == 1


def test_table_makes_contest_by_its_rules(tmp_path: Path) -> None:
    text = f'[late_night]\nrules = "{CONTEST}"\nsessions = 7\ndescription = "Play."\n[{CONTEST}]\nsessions = 9\n'
    own, named = load_text(tmp_path, text), load_text(tmp_path, text, name="late_night")
    assert (named.played.name, named.played.rules, named.played.title) == ("late_night", CONTEST, "Late night")
    assert (named.contest.sessions, own.contest.sessions, own.played.rules) == (7, 9, CONTEST)
    assert named.played.description == "Play." != own.played.description == find_contest(CONTEST).description
    assert named.entrants == tmp_path / "entrants" / "late_night"
    assert named.contest.playing() == own.contest.playing() | {"sessions": 7}
    known = load_contests(tmp_path / "tournament.toml")
    assert known.chosen == ("late_night", CONTEST)
    assert set(known.names) == {"late_night", *(contest.name for contest in CONTESTS)}


def test_wrong_table_stops_only_its_contest(tmp_path: Path) -> None:
    text = f'[good]\nrules = "{CONTEST}"\n[other]\nrules = "{CONTEST}"\nsessions = -5'
    assert load_text(tmp_path, text, name="good").played.name == "good"
    with pytest.raises(InputError, match=r"line 5: sessions = -5"):
        load_text(tmp_path, text, name="other")
