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


def test_an_error_of_our_own_is_one_bots_trouble_and_its_traceback_is_kept(cache: Path) -> None:
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


def test_what_is_expected_and_what_was_contained_pass_as_they_are() -> None:
    for error in (InputError("no"), BotTrouble(("other",), "why")):
        with pytest.raises(type(error)) as raised, containing("odd", "played", InputError):
            raise error
        assert raised.value is error


def test_trouble_of_the_machine_at_a_bot_is_named_with_it() -> None:
    with pytest.raises(BotTrouble, match="odd: started: this machine is full"), containing("odd", "started"):
        raise RunError("this machine is full")


def test_machine_that_plays_no_bot_is_to_blame_itself() -> None:
    with pytest.raises(MachineError, match="can't run a bot"), containing("bold", "it could not be started"):
        raise MachineError("this machine can't run a bot: File too large (os error 27)")
