"""Commands that contests bring to the command line."""

from __future__ import annotations

from dataclasses import replace

import pytest
from typer.testing import CliRunner

from tournament import contests
from tournament.cli.commands import app
from tournament.contests import find_contest
from tournament.errors import BadInput

WITH_COMMAND = replace(find_contest("von_neumann_poker"), commands={"shuffle": "tests.cli.no_module:app"})


def test_contests_commands_are_there() -> None:
    listed = CliRunner().invoke(app, ["--help"]).output
    assert "  strategy  " in listed and "  judge  " in listed
    assert "generate" in CliRunner().invoke(app, ["strategy", "--help"]).output
    assert "--no-sandbox" in CliRunner().invoke(app, ["judge", "--help"]).output


def test_a_command_that_cant_be_loaded_names_its_contest_and_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contests, "CONTESTS", (WITH_COMMAND, *contests.CONTESTS))
    with pytest.raises(BadInput, match=r"the command shuffle of von_neumann_poker can't be loaded from tests\.cli"):
        CliRunner().invoke(app, ["shuffle"], catch_exceptions=False)
    assert CliRunner().invoke(app, ["run", "--help"]).exit_code == 0
    assert CliRunner().invoke(app, ["strategy"]).exit_code == 2


def test_no_contest_takes_a_commands_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contests, "CONTESTS", (replace(WITH_COMMAND, commands={"run": "nothing:here"}),))
    assert "secret one, recorded" in " ".join(CliRunner().invoke(app, ["run", "--help"]).output.split())
