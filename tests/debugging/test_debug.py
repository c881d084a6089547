"""`tournament debug`: a recorded game's decisions, put to a bot outside the sandbox, in every language and contest."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import tournament
from tests.commands import command
from tests.contest_runs import REPOSITORY
from tournament.debugging.python_driver import _is_equal

# Reads behind its table with a high card, as the third game of this field's seed has one.
READS_BEHIND = """int table[8] = {0, 0, 10, 20, 30, 40, 50, 50};
int a(Bot *bot)
{
    int place = (int)(bot->card * 9);
    return table[place];
}
int b(Bot *bot, int bet) { return bot->card > 0.5; }
"""
RAISES = """decisions = 0

def a(bot):
    global decisions
    decisions += 1
    if decisions == 7:
        return {}["missing"]
    return 50 if bot.card > 0.8 else 0

def b(bot, bet):
    return bot.card > 0.6
"""
# A long has four bytes in WebAssembly, and eight here.
COUNTS_BYTES = "int a(Bot *bot) { return sizeof(long); }\nint b(Bot *bot, int bet) { return 0; }\n"
# Of its two functions the contest must take the one that it took for WebAssembly, after a rand() of the leg.
DRAWS = "int a(Bot *bot) { return rand() % 51; }\nint b(Bot *bot, int bet) { return rand() % 2; }\n"
Debug = Callable[..., tuple[int, str]]


def run_contest(folder: Path, settings: str, bots: dict[str, str], name: str = "von_neumann_poker") -> Path:
    """Write a contest with these bots, and run it."""
    entrants = folder / "entrants" / name
    entrants.mkdir(parents=True, exist_ok=True)
    for file, text in bots.items():
        (entrants / file).write_text(text)
    (folder / "tournament.toml").write_text(f'executor = "local"\n[{name}]\nseed = "debug"\n{settings}')
    tournament.run(name, config=folder / "tournament.toml")
    return folder


@pytest.fixture(scope="module")
def contest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    naive = (REPOSITORY / "entrants" / "von_neumann_poker" / "naive.c").read_text()
    bots = {"naive.c": naive, "behind.c": READS_BEHIND, "raises.py": RAISES, "bytes.c": COUNTS_BYTES, "draws.c": DRAWS}
    return run_contest(tmp_path_factory.mktemp("debug"), "sessions = 8\n", bots)


@pytest.fixture
def debug(capfd: pytest.CaptureFixture[str]) -> Debug:
    """Return a function that runs the command in a contest's folder, and returns its code and all that is printed."""

    def run(place: Path, *words: str) -> tuple[int, str]:
        shown = command(place, "debug", *words, "--yes")
        return shown.code, "".join([shown.out, shown.err, *capfd.readouterr()])

    return run


def test_sanitizers_name_line_of_read_out_of_bounds(contest: Path, debug: Debug) -> None:
    code, text = debug(contest, "behind", "--match", "behind,naive", "--session", "0")
    assert code == 1
    assert f"{contest}/entrants/von_neumann_poker/behind.c:5:17: runtime error: index 8 out of bounds" in text
    assert "ffi_call" not in text  # The driver's frames say nothing to the author.


@pytest.mark.slow
def test_loop_is_ended_and_named(tmp_path: Path, debug: Debug) -> None:
    loops = "def a(bot):\n    while True:\n        pass\n\ndef b(bot, bet):\n    return 0\n"
    place = run_contest(tmp_path, "sessions = 1\nmax_faults = 0\n", {"bytes.c": COUNTS_BYTES, "loops.py": loops})
    code, text = debug(place, "loops")
    assert code == 1 and "no answer after 5 s of processor time: it loops or is too slow" in text
    assert 'loops.py", line ' in text


def test_exception_of_python_bot_shows_its_line(contest: Path, debug: Debug) -> None:
    code, text = debug(contest, "raises")
    assert code == 1 and 'raises.py", line 7, in a' in text and "KeyError: 'missing'" in text
    assert "python_driver" not in text


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("bytes", "--match", "bytes,naive", "--session", "1", "--game", "0"), 1, "returned 8 here, 4 in the contest"),
        (("draws", "--match", "draws,naive", "--session", "7"), 0, "answers are as in the contest"),
    ],
)
def test_answer_is_compared_with_recorded_one(
    words: tuple[str, ...], code: int, said: str, contest: Path, debug: Debug
) -> None:
    shown = debug(contest, *words)
    assert shown[0] == code and said in shown[1]


def test_edited_bot_is_compared_with_its_recorded_answers(contest: Path, tmp_path: Path, debug: Debug) -> None:
    place = shutil.copytree(contest, tmp_path / "here")
    file = place / "entrants" / "von_neumann_poker" / "naive.c"
    file.write_text(file.read_text().replace("50.0 * excess", "50.0 * excess + 1"))
    code, shown = debug(place, "naive", "--match", "draws,naive")
    assert code == 1 and "naive.c has changed since" in shown and "in the contest" in shown


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "settings", "bots"),
    [
        ("two_card_draw", "servers = 1\n", ("pair_bettor.py",)),
        ("holdem_training", "sessions = 1\nhands = 300\n", ("threshold.cpp", "threshold_py.py", "threshold_io")),
        ("von_neumann_poker", "sessions = 3\n", ("weathervane", "thompson.c")),
        ("words", 'rules = "words.py"\nsessions = 3\n', ("short.c", "doubles.cpp", "animals.py")),
    ],
)
def test_bots_of_every_contest_answer_as_recorded(
    name: str, settings: str, bots: tuple[str, ...], tmp_path: Path, debug: Debug
) -> None:
    shutil.copy(REPOSITORY / "examples" / "words" / "words.py", tmp_path)
    shipped = REPOSITORY / ("examples/words" if name == "words" else "") / "entrants" / name
    (tmp_path / "entrants" / name).mkdir(parents=True)
    for bot in bots:
        copy: Callable[[Path, Path], object] = shutil.copytree if (shipped / bot).is_dir() else shutil.copy
        copy(shipped / bot, tmp_path / "entrants" / name / bot)
    run_contest(tmp_path, settings, {}, name)
    matches = tournament.load(tmp_path / "results" / name).matches
    for bot in (bot.split(".")[0] for bot in bots):
        match = str(matches[matches["bot"] == bot]["match"].iloc[0])
        code, text = debug(tmp_path, bot, "--match", match, "--session", "0", "--game", "0")
        assert code == 0 and "answers are as in the contest" in text, text


@pytest.mark.slow
def test_arguments_that_helper_refuses_end_debugging(tmp_path: Path, debug: Debug) -> None:
    """Expect the end of the process, because ctypes ignores an exception in a callback."""
    misuses = """#include "texas.h"
std::pair<ActionType, int> makeDecision(const State &state)
{
    State other = state;
    other.alice[0].value = 99;
    return {ActionType::CHECK, getResult(other)};
}
"""
    place = run_contest(tmp_path, "sessions = 1\nhands = 2\n", {"misuses.cpp": misuses}, "holdem_training")
    code, text = debug(place, "misuses")
    assert code == 1 and "was called with arguments that it refuses" in text, text


def test_debug_asks_before_bot_runs_outside_sandbox(contest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", open("/dev/null"))
    shown = command(contest, "debug", "naive", "--match", "draws,naive")
    assert shown.code == 2 and "will run outside the sandbox, with all your rights; add --yes" in shown.err


def test_missing_compiler_says_what_to_install(contest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    shown = command(contest, "debug", "naive", "--match", "draws,naive", "--yes")
    assert shown.code == 2 and "debug needs gcc, which isn't installed; try: apt install gcc" in shown.err


@pytest.mark.parametrize("answer", [float("nan"), float("inf")])
def test_answer_that_is_no_whole_number_differs(answer: float) -> None:
    decision: Any = SimpleNamespace(answer=None, number=3)
    assert not _is_equal(answer, decision, {}) and _is_equal(3.7, decision, {})
