"""Functions of the package in a folder whose settings file has one contest, and in one with several."""

from __future__ import annotations

from pathlib import Path

import pytest

import tournament
from tournament.errors import InputError


def test_functions_take_the_only_contest_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tournament.toml").write_text("[two_card_draw]\n")
    for function in (tournament.run, tournament.verify, tournament.report):
        with pytest.raises(InputError, match="two_card_draw") as refused:
            function()
        assert "von_neumann_poker" not in str(refused.value), function


def test_functions_ask_which_of_several_contests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tournament.toml").write_text("[von_neumann_poker]\n[two_card_draw]\n")
    for function in (tournament.run, tournament.verify, tournament.report):
        with pytest.raises(InputError, match="has several; expected one of: von_neumann_poker, two_card_draw"):
            function()
