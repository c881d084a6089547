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


def given(folder: Path, bot: str, name: str = "bot") -> tuple[Path, str, Path, Path]:
    """Write a contest's settings and a bot, and return what a trial is given."""
    (folder / "tournament.toml").write_text(f"[{CONTEST}]\n")
    (folder / "upload").mkdir()
    path = folder / "upload" / f"{name}.py"
    path.write_text(bot)
    return folder / "tournament.toml", CONTEST, path, folder / "built"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bot", "fit", "said"),
    [
        (PYTHON.format("bot.card"), True, "3 games"),
        (PYTHON.format("while True: pass"), None, "it loops or is too slow to be tried"),
        (PYTHON.format("raise ValueError('no plan')"), False, "no plan"),
    ],
    ids=["sound", "loops", "crashes"],
)
def test_quick_trial_says_what_is_wrong(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bot: str, fit: bool | None, said: str
) -> None:
    """Quick trials only mention an endless loop. Full trials decide."""
    monkeypatch.setattr(trials, "QUICK_SECONDS", 8 if fit is None else 120)
    found, text = trials.quick_check(*given(tmp_path, bot), lambda: False)
    # A quick machine comes to the end of a loop's time.
    assert found in ((None, True) if fit is None else (fit,)) and said in text and "verdict  fit" not in text, text


def test_trials_go_on_after_their_fork_server_was_killed(tmp_path: Path) -> None:
    trials.forks.start()
    before = trials.forks._running[0]
    before.kill()
    before.wait()
    assert trials.check(*given(tmp_path, PYTHON.format("bot.card")), 180, lambda: False)[0]
    assert trials.forks._running[0].pid != before.pid


@pytest.mark.parametrize("what", ["check", "match"])
def test_trial_that_takes_too_long_is_ended(what: str, tmp_path: Path) -> None:
    """Otherwise an author could hold up the queue by something that no other limit ends."""
    page = (REPOSITORY / "docs" / "how_to" / "open_contest.md").read_text()
    assert f"for at most {PRACTICE_SECONDS / 60:g} minutes." in page
    trials.forks.start()
    place, descended = make_contest(tmp_path, ["bold", "calm"]), set(descendants(os.getpid()))
    where = place.config, CONTEST, place.entrants / "bold.c", tmp_path / "built", 0, lambda: False
    if what == "check":
        found = trials.check(*where)
    else:
        found = trials.play_practice(*where, baseline=None, opponents=(), sessions=1)
    assert found == (False, f"the {what} took longer than 0 s")
    assert wait_until_exited(set(descendants(os.getpid())) - descended)


def test_check_ends_with_killed_server(tmp_path: Path) -> None:
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


def test_upload_is_not_taken_for_module_of_check(tmp_path: Path) -> None:
    """Python looks for modules in the current folder, too, if it is let: that would be an author's code, unconfined."""
    taken = tmp_path / "taken"
    steps = f"try:\n    open({str(taken)!r}, 'w').close()\nexcept OSError:\n    pass\n"
    fit, said = trials.check(*given(tmp_path, steps + PYTHON.format("pass"), "json"), 180, lambda: False)
    assert not taken.exists() and fit, said


@pytest.mark.slow
def test_author_sees_own_faults_and_output_but_no_rivals(tmp_path: Path) -> None:
    """Practice matches and replays show no seed and no path either."""
    place = make_contest(tmp_path, ["bold"], settings="max_faults = 1000")
    steps = "def a(bot):\n    print('{0}')\n    return int('{0}') if bot.card > 0.4 else 0\n\n"
    steps += "def b(bot, bet):\n    print('{0}')\n    return 1\n"
    (place.entrants / "rival.py").write_text(steps.format("SECRET"))
    place.play()
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "bold.py").write_text(steps.format("WRONG"))
    where = place.config, CONTEST, tmp_path / "new" / "bold.py", tmp_path / "built", 900, lambda: False
    baseline, rivals = place.entrants / "bold.c", (str(place.entrants / "rival.py"),)
    fit, said = trials.play_practice(*where, baseline=baseline, opponents=rivals, sessions=40)
    assert fit and "WRONG" in said and not re.search(f"SECRET|seed|{tmp_path}", said), said
    found = json.loads(said)
    assert [line["opponent"] for line in found["opponents"]] == ["rival"] and found["sessions"] == 40
    assert len(found["faults"]) == found["fault_count"] > 5 and found["baseline"] == "bold.c"
    assert found["baseline_faults"] == [] and found["baseline_fault_count"] == 0
    for bot, other, shown in (("bold", "rival", False), ("rival", "bold", True)):
        shows = place.config, CONTEST, bot, str(place.results), 180, lambda: False
        fit, said = trials.replay_game(*shows, opponent=other)
        assert fit and ("SECRET" in said) is shown and str(tmp_path) not in said and json.loads(said)["games"]
    fit, said = trials.replay_game(*shows, opponent="no one")
    assert not fit and "no such match" in said and str(tmp_path) not in said
