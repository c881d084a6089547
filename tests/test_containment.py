"""Trouble with one bot: a line that says whose it is, and a file with the traceback."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import pytest

from tournament.containment import BotTrouble, containing
from tournament.errors import InputError, MachineError, RunError


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TOURNAMENT_CACHE", str(tmp_path))
    return tmp_path


def test_unexpected_error_is_bot_trouble_with_traceback(cache: Path) -> None:
    for _ in range(2):
        with pytest.raises(BotTrouble) as trouble, containing("odd", "played"):
            raise ZeroDivisionError("divided\n\x1b[31mby zero")
    assert trouble.value.names == ("odd",)
    line = r"played: an error of the tournament's own, ZeroDivisionError: divided \\x1b\[31mby zero; please report it"
    found = re.fullmatch(line + ", with (.*)", trouble.value.reason)
    assert found, trouble.value.reason
    (kept,) = (cache / "errors").iterdir()
    assert found[1] == str(kept) and "ZeroDivisionError" in kept.read_text()
    again = pickle.loads(pickle.dumps(trouble.value))
    assert (again.names, again.reason, str(again)) == (("odd",), trouble.value.reason, str(trouble.value))


def test_expected_and_contained_errors_pass_unchanged() -> None:
    for error in (InputError("no"), BotTrouble(("other",), "why"), MachineError("this machine can't run a bot")):
        with pytest.raises(type(error)) as raised, containing("odd", "played", InputError):
            raise error
        assert raised.value is error
    with pytest.raises(BotTrouble, match="odd: started: this machine is full"), containing("odd", "started"):
        raise RunError("this machine is full")
