"""The package from Python: keys of the contest's table, errors in its words, and files found from any folder."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import tournament
from tests.contest_runs import CONTEST, make_contest
from tournament.errors import InputError


def test_run_takes_every_key_of_contest(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm"], sessions=5)
    found = tournament.run(CONTEST, config=place.config, executor="local", replicas=3, title="Autumn cup")
    assert found.matches.sessions.tolist() == [15, 15]
    wrong: dict[str, Any] = {"replicas": 0}
    for settings, told in ((wrong, "replicas=0: must be at least 1"), ({"replica": 3}, "replica: unknown.*replicas")):
        with pytest.raises(InputError, match=f"^{told}"):
            tournament.run(CONTEST, config=place.config, **settings)


def test_settings_are_found_beside_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = make_contest(tmp_path / "contest", ["bold", "calm"], sessions=5)
    place.play()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    results = str(place.results.parent)
    assert tournament.verify(CONTEST, replay="all", results=results).problems == ()
    assert tournament.replay(CONTEST, match=("bold", "calm"), session=0, results=results).mismatch == ""
    with pytest.raises(InputError, match=r"^match=7: the records have no such match"):
        tournament.replay(CONTEST, match=7, session=0, results=results)
    assert tournament.report(CONTEST, "page.html", results="../contest/results").exists()
    (tmp_path / "elsewhere" / "tournament.toml").write_text("seed")  # one that is here goes first
    with pytest.raises(InputError, match=r"tournament\.toml, line 1"):
        tournament.replay(CONTEST, match=("bold", "calm"), session=0, results=results)


@pytest.mark.parametrize("name", ["load", "match", "replay", "report", "run", "scan", "verify"])
def test_docstrings_name_each_parameter(name: str) -> None:
    function = getattr(tournament, name)
    text = inspect.getdoc(function) or ""
    told = re.findall(r"^    (\S+): ", text.partition("Args:\n")[2].partition("\n\n")[0], re.MULTILINE)
    signs: dict[object, str] = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    parameters = inspect.signature(function).parameters.values()
    assert told == [signs.get(one.kind, "") + one.name for one in parameters] and "Raises:" in text
