"""Rules of a file or a package that tournament.toml names."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal

from tests.contest_runs import EXAMPLES, Listener
from tournament.api import run
from tournament.audit.verification import verify_contest
from tournament.config import load_config, load_contests
from tournament.contests import find_contest, rules_loader
from tournament.errors import InputError, RunError
from tournament.records.results import load
from tournament.runner.listener import NullListener
from tournament.worker.node import accept_contest

# Rules can use a generator that they seed.
DICE = "import random\nTABLE = random.Random(5).random()\n" + (EXAMPLES / "liars_dice" / "liars_dice.py").read_text()
DICE = DICE.replace('name = "liars_dice"', 'name = "our_dice"')
BOT = "def bid(bot):\n    return bot.legal_actions[0]\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a contest folder with rules in a file, and two bots."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "our_dice.py").write_text(DICE)
    (tmp_path / "tournament.toml").write_text(
        '[dice]\nrules = "rules/our_dice.py"\nseed = "a seed of tests of files"\n'
    )
    bots = tmp_path / "entrants" / "dice"
    bots.mkdir(parents=True)
    for name, body in (("first", "0"), ("last", "-1")):
        (bots / f"{name}.py").write_text(BOT.replace("[0]", f"[{body}]"))
    yield tmp_path
    rules_loader.forget()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Path]:
    """Return a folder of packages that this process finds."""
    site = tmp_path / "site"
    site.mkdir()
    sys.path.append(str(site))
    yield site
    sys.path.remove(str(site))
    sys.modules.pop("brought_dice", None)
    rules_loader.forget()


def test_changed_rules_file_is_another_version(folder: Path) -> None:
    played = run("dice", sessions=4, executor="local", workers=1)
    assert (played.setup.contest, played.setup.game) == ("dice", "our_dice")
    assert str(folder) not in repr(played.setup), "a folder of this machine in the records"
    rules_loader.forget()
    loaded = load("results/dice")
    assert loaded.ranking == played.ranking and len(loaded.games) == played.ranking.games
    path = folder / "rules" / "our_dice.py"
    path.write_text(path.read_text() + "\n# another\n")
    told = Listener()
    changed = run("dice", sessions=4, executor="local", workers=1, listener=told)
    assert any(
        text.startswith("these settings differ from the records' (the rules have changed); archiving")
        for text in told.said
    )
    assert changed.setup.engine != played.setup.engine
    assert changed.ranking == played.ranking, "what is dealt follows from the name of the rules"
    assert load("results/dice-archive-1").ranking == played.ranking


def test_few_records_of_drawn_seed_are_replaced_if_rules_change(folder: Path) -> None:
    (folder / "tournament.toml").write_text('[dice]\nrules = "rules/our_dice.py"\n')
    told = Listener()
    for _ in range(2):
        played = run("dice", sessions=4, workers=1, archive=True, listener=told)
        path = folder / "rules" / "our_dice.py"
        path.write_text(path.read_text() + "\n# another\n")
        rules_loader.forget()
    assert not Path("results/dice-archive-1").exists() and played.ranking.games == 4
    assert "the rules have changed: replacing the records of 4 games" in told.said


def test_records_without_rules_load_without_running_files(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("dice", sessions=4, executor="local", workers=1)
    here = load("results/dice")
    rules_loader.forget()
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "our_dice.py").write_text("raise SystemExit('it was run')")
    monkeypatch.chdir(elsewhere)
    there = load("../results/dice")
    assert there.ranking == here.ranking
    assert_frame_equal(there.games, here.games)
    assert_frame_equal(load("../results/dice", columns=["points_0"]).sessions, here.sessions[["points_0"]])
    found = verify_contest("../results/dice", load_config, 0, NullListener())
    assert (found.problems, found.exit_code) == ((), 3) and "the rules our_dice aren't installed" in found.notes[-1]


@pytest.mark.parametrize(
    ("game", "content", "message"),
    [
        ("no_such_package:Rules", "", "line 2: no_such_package can.t be imported: .*; install .*: rules = "),
        ("brought_dice:Other", DICE, "brought_dice has no subclass Other of Rules; there are LiarsDice"),
        ("brought_dice:LiarsDice", "import no_such_module", "ModuleNotFoundError: .*'no_such_module'$"),
        ("brought_dice:LiarsDice", "raise SystemExit('no')", "SystemExit: no"),
        ("brought_dice:LiarsDice", DICE.replace('"our_dice"', '"two_card_draw"'), "as others are called"),
        ("brought_dice:LiarsDice", DICE.replace('"our_dice"', "5"), "brought_dice: LiarsDice has no name"),
    ],
)
def test_broken_package_is_refused_in_one_line(folder: Path, site: Path, game: str, content: str, message: str) -> None:
    (site / "brought_dice.py").write_text(content)
    (folder / "tournament.toml").write_text(f'[dice]\nrules = "{game}"\n[von_neumann_poker]\n')
    with pytest.raises(InputError, match=message) as caught:
        load_config("dice")
    assert "\n" not in str(caught.value)
    # Other contests of the file can be played.
    load_contests().find("von_neumann_poker")


def test_node_with_other_package_is_refused_by_name(folder: Path, site: Path) -> None:
    accept_contest("von_neumann_poker", ())
    missing = rules_loader.Source("brought_dice", None, "LiarsDice")
    with pytest.raises(RunError, match=r"^it can't play our_dice: brought_dice can't be imported: .*; install the"):
        accept_contest("our_dice", (("brought_dice", "1"),), missing)
    (site / "brought_dice.py").write_text(DICE)
    contest = rules_loader.load_rules("brought_dice:LiarsDice", folder)
    accept_contest("our_dice", contest.requires, pickle.loads(pickle.dumps(contest.source)))
    assert find_contest("our_dice") == contest
    (site / "brought_dice.py").write_text(DICE + "\n")
    rules_loader.forget()
    accept_contest.cache_clear()
    with pytest.raises(RunError, match=r"^it has brought_dice \w+ \(there \w+\) for our_dice: install the same"):
        accept_contest("our_dice", contest.requires, contest.source)
