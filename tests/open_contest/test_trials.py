"""Trials by the server's own commands: verdicts, limits, and nothing that others may not read."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contest_runs import REPOSITORY, environment, make_contest
from tests.open_contest.support import CONTEST
from tests.processes import descendants, wait_until, wait_until_exited
from tests.worker.support import write_bot
from tournament.open_contest import trials
from tournament.open_contest.submissions import PRACTICE_SECONDS

PYTHON = "def a(bot):\n    {}\n    return 0\n\n\ndef b(bot, bet):\n    return 1\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bot", "fit", "said"),
    [
        (PYTHON.format("bot.card"), True, "3 games"),
        (PYTHON.format("while True: pass"), None, "it loops or is too slow to be tried"),
        (PYTHON.format("raise ValueError('no plan')"), False, "no plan"),
        ("def a(bot:\n", False, "SyntaxError"),
    ],
    ids=["sound", "loops", "crashes", "syntax"],
)
def test_quick_trial_tells_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bot: str, fit: bool | None, said: str
) -> None:
    """Quick trials only mention an endless loop. Full trials decide."""
    monkeypatch.setattr(trials, "QUICK_SECONDS", 8 if fit is None else 120)
    (tmp_path / "tournament.toml").write_text(f"[{CONTEST}]\n")
    (tmp_path / "bot.py").write_text(bot)
    given = (tmp_path / "tournament.toml", CONTEST, tmp_path / "bot.py", tmp_path / "built")
    found, text = trials.quick_check(*given, lambda: False)
    # A quick machine comes to the end of a loop's time.
    assert found in ((None, True) if fit is None else (fit,)) and said in text and "verdict  fit" not in text, text


@pytest.mark.slow
def test_a_practice_match_tells_an_author_its_faults_and_prints_but_no_seed_and_no_path(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold", "calm", "dull"], settings="max_faults = 1000")
    (tmp_path / "new").mkdir()
    bot = tmp_path / "new" / "bold.py"
    steps = "def a(bot):\n    print('SAID', bot.card)\n    return int('WRONG') if bot.card > 0.9 else 0\n\n"
    bot.write_text(f"{steps}def b(bot, bet):\n    return 1\n")
    where = place.config, CONTEST, bot, tmp_path / "built"
    fit, said = trials.play_practice(
        *where, 900, lambda: False, baseline=place.entrants / "bold.c", opponents=(), sessions=40
    )
    assert fit and "WRONG" in said and not re.search(f"seed|{tmp_path}", said), said
    found = json.loads(said)
    assert {line["opponent"] for line in found["opponents"]} == {"calm", "dull"}
    assert len(found["faults"]) == 20 < found["fault_count"] and found["baseline"] == "bold.c"
    assert found["baseline_faults"] == [] and found["baseline_fault_count"] == 0


def test_trials_go_on_after_what_forks_them_was_killed(tmp_path: Path) -> None:
    (tmp_path / "tournament.toml").write_text(f"[{CONTEST}]\n")
    (tmp_path / "bot.py").write_text(PYTHON.format("bot.card"))
    given = (tmp_path / "tournament.toml", CONTEST, tmp_path / "bot.py", tmp_path / "built")
    for _ in range(2):
        trials.forks.start()
        before = trials.forks._running[0]
        before.kill()
        before.wait()
        assert trials.check(*given, 180, lambda: False)[0]
        assert trials.forks._running[0].pid != before.pid


@pytest.mark.parametrize("what", ["check", "practice"])
def test_what_takes_too_long_is_ended(what: str, tmp_path: Path) -> None:
    """Otherwise an author could hold up the queue by something that no other limit ends."""
    page = (REPOSITORY / "docs" / "how_to" / "open_contest.md").read_text()
    assert f"for at most {PRACTICE_SECONDS / 60:g} minutes." in page
    trials.forks.start()
    place, descended = make_contest(tmp_path, ["bold", "calm"]), set(descendants(os.getpid()))
    bot = place.entrants / "bold.c"
    if what == "check":
        found = trials.check(place.config, CONTEST, bot, tmp_path / "built", 0, lambda: False)
    else:
        found = trials.play_practice(
            place.config, CONTEST, bot, tmp_path / "built", 0, lambda: False, baseline=None, opponents=(), sessions=1
        )
    assert found == (False, f"the {'check' if what == 'check' else 'match'} took longer than 0 s")
    assert wait_until_exited(set(descendants(os.getpid())) - descended)


def test_a_check_ends_with_a_server_that_is_killed(tmp_path: Path) -> None:
    """Long before its build's time is up."""
    (tmp_path / "tournament.toml").write_text(f"[{CONTEST}]\n")
    began = tmp_path / "bot"
    write_bot(began, {"bot.toml": 'command = ["sleep", "9"]\nbuild = ["sleep", "200"]\n'})
    steps = "import pathlib, sys; from tournament.open_contest.trials import check;"
    steps += "check(pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3]),"
    steps += "pathlib.Path(sys.argv[3] + '.built'), 180, lambda: False)"
    words = [sys.executable, "-c", steps, str(tmp_path / "tournament.toml"), CONTEST, str(began)]
    with subprocess.Popen(words, env=environment()) as server:
        assert wait_until(lambda: any("sleep" in line for line in descendants(server.pid).values()))
        started = list(descendants(server.pid))
        server.kill()
        assert len(started) > 2 and wait_until_exited(started, 10)


@pytest.mark.parametrize("name", ["tournament", "json", pytest.param("sitecustomize", marks=pytest.mark.slow)])
def test_no_upload_is_taken_for_a_module_of_the_check(tmp_path: Path, name: str) -> None:
    """Python looks for modules in the current folder, too, if it is let: that would be an author's code, unconfined."""
    (tmp_path / "tournament.toml").write_text(f"[{CONTEST}]\n")
    (tmp_path / "upload").mkdir()
    bot, taken = tmp_path / "upload" / f"{name}.py", tmp_path / "taken"
    steps = "def a(bot):\n    return 0\n\ndef b(bot, bet):\n    return 1\n"
    bot.write_text(f"try:\n    open({str(taken)!r}, 'w').close()\nexcept OSError:\n    pass\n{steps}")
    fit, said = trials.check(tmp_path / "tournament.toml", CONTEST, bot, tmp_path / "built", 180, lambda: False)
    assert not taken.exists() and fit, said


@pytest.mark.slow
def test_neither_a_match_nor_a_replay_shows_what_a_rival_printed(tmp_path: Path) -> None:
    place = make_contest(tmp_path, ["bold"], settings="max_faults = 1000")
    steps = "def a(bot):\n    print('SECRET')\n    return int('SECRET') if bot.card > 0.8 else 0\n\n"
    (place.entrants / "rival.py").write_text(f"{steps}def b(bot, bet):\n    print('SECRET')\n    return 1\n")
    place.play()
    rival, bold = str(place.entrants / "rival.py"), place.entrants / "bold.c"
    where = place.config, CONTEST, bold, tmp_path / "built"
    fit, said = trials.play_practice(*where, 900, lambda: False, baseline=None, opponents=(rival,), sessions=5)
    found = json.loads(said)
    assert fit and "SECRET" not in said and str(tmp_path) not in said and found["sessions"] == 5
    for bot, other, shown in (("bold", "rival", False), ("rival", "bold", True)):
        shows = place.config, CONTEST, bot, str(place.results), 180, lambda: False
        fit, said = trials.replay_game(*shows, opponent=other)
        assert fit and ("SECRET" in said) is shown and str(tmp_path) not in said
        assert json.loads(said)["games"]
    shows = place.config, CONTEST, "bold", str(place.results), 180, lambda: False
    fit, said = trials.replay_game(*shows, opponent="no one")
    assert not fit and "no such match" in said and str(tmp_path) not in said
