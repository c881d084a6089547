"""Python bots and programs that can't play, or stop playing: each says why, and no leg is lost."""

from __future__ import annotations

from pathlib import Path

import pytest

import tournament
from tests.support import poker_settings
from tournament.artifacts.bot import Entrant
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER
from tournament.entrants.build import build_entrants
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.trial.check import check_bot

B = "\ndef b(bot, bet):\n    return 1\n"
BROKEN_PYTHON = {
    "torn": ("def a(bot)\n    return 1\n" + B, "SyntaxError: expected ':' (line 1)"),
    "half": ("def a(bot):\n    return 1\n", "lacks the function b"),
    "empty": ("", "lacks the functions a and b"),
    "numerate": ("import numpy\ndef a(bot):\n    return 1\n" + B, "No module named 'numpy' (line 1); bots may import"),
    "raises": ("1 / 0\ndef a(bot):\n    return 1\n" + B, "ZeroDivisionError: division by zero (line 1)"),
    "leaves": ("import os\nos._exit(4)\n", "ended with status 4"),
}
BROKEN_PROGRAMS = {
    "unclosed": ("command = [", "bot.toml: "),
    "one_word": ("command = 'python3 bot.py'", "bot.toml, line 1: command must be a list of words"),
    "more": ("command = ['sh']\nmemory = 5", "bot.toml, line 2: unknown key memory"),
    "less": ("build = ['true']", "bot.toml: lacks command"),
    "cobol": ("command = ['cobol-of-old']", "cobol-of-old is not installed on this machine"),
    "elsewhere": ("command = ['bin/bot']", "bin/bot is not in its folder"),
    "outside": ("command = ['../../bot']", "../../bot is not in its folder"),
    "quits": (
        "command = ['sh', '-c', 'echo weary >&2; exit 3']",
        "ended with status 3 before it was asked anything: weary",
    ),
    "lost": ("command = ['sh', 'nowhere.sh']", "nowhere.sh"),
    "unbuilt": ("build = ['sh', '-c', 'echo no >&2; exit 1']\ncommand = ['./bot']", "ended with status 1\nno"),
}


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Entrant]:
    folder = tmp_path_factory.mktemp("broken")
    for name, (source, _) in BROKEN_PYTHON.items():
        (folder / f"{name}.py").write_text(source)
    for name, (recipe, _) in BROKEN_PROGRAMS.items():
        (folder / name).mkdir()
        (folder / name / "bot.toml").write_text(recipe)
    built = build_entrants(VON_NEUMANN_POKER, poker_settings(), SandboxSettings(), folder, lambda _text: None)
    return {entrant.name: entrant for entrant in built}


@pytest.mark.parametrize("name", [*BROKEN_PYTHON, *BROKEN_PROGRAMS])
def test_broken_bots_say_why(broken: dict[str, Entrant], name: str) -> None:
    _, words = (BROKEN_PYTHON | BROKEN_PROGRAMS)[name]
    assert broken[name].artifact is None
    assert words in str(broken[name].problem)


# What they answer to each question, and the fault that it is.
FAULTY_PROGRAMS = {
    "polite": ("echo hello", "wrote what is no ACTION: hello"),
    "fractional": ("echo ACTION BET 2.5", "wrote no whole number: ACTION BET 2.5"),
    "eager": ("printf 'ACTION PASS\\nACTION PASS\\n'", "answered before it was asked: ACTION PASS"),
    "weary": ("echo no more >&2; exit 7", "ended with status 7"),
    "forking": ("(:); echo ACTION PASS", "ended with status 2"),
}


@pytest.mark.parametrize("name", FAULTY_PROGRAMS)
def test_faults_are_reported_and_the_leg_ends(tmp_path: Path, name: str) -> None:
    answer, words = FAULTY_PROGRAMS[name]
    (tmp_path / name).mkdir()
    (tmp_path / name / "bot.toml").write_text('command = ["sh", "bot.sh"]')
    (tmp_path / name / "bot.sh").write_text(f"read n\nwhile read line; do {answer}; done\n")
    settings = poker_settings(seed="3", sessions=20, wall_seconds_per_decision=0.2, faults_allowed=1)

    class Silent:
        def say(self, text: str) -> None: ...
        def on_progress(self, progress: object) -> None: ...

    report = check_bot(VON_NEUMANN_POKER, settings, SandboxSettings(), tmp_path / name, Silent())
    assert not report.fit
    assert [fault.what for fault in report.faults] == [words] * 2
    assert not report.asked_all
    assert name != "weary" or report.faults[0].complaints == "no more"


def test_a_leg_that_time_ends_is_in_the_records(tmp_path: Path) -> None:
    bots = tmp_path / "bots"
    (bots / "silent").mkdir(parents=True)
    (bots / "silent" / "bot.toml").write_text("command = ['sh', '-c', 'while read line; do :; done']")
    for name in ("calm", "dull"):
        (bots / f"{name}.c").write_text("int a(const Bot *b) { return 9; } int b(const Bot *b, int x) { return 1; }")
    (tmp_path / "tournament.toml").write_text(
        '[von_neumann_poker]\nentrants = "bots"\nwall_seconds_per_decision = 0.2\nfaults_allowed = 0\n'
    )
    played = tournament.run("von_neumann_poker", config=tmp_path / "tournament.toml", sessions=20, executor="local")
    entrants = played.entrants.set_index("name")
    assert entrants.loc["silent", "status"] == "disqualified"
    assert entrants.loc["silent", "faults"] == 1
    assert set(zip(played.matches.x, played.matches.y)) == {("calm", "dull"), ("calm", "silent")}
