"""Contests of installed packages: found by name, refused by name, imported by nobody who does not play them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contest_runs import bot_source
from tests.example_contest import EXAMPLE, example_is_installed, example_target, forget_packages
from tournament.api import run
from tournament.config import load_config, load_contests
from tournament.contests import find_contest, known_rules
from tournament.errors import BadInput, RunFailed
from tournament.records.results import load
from tournament.worker.node import accept_contest

__all__ = ["example_is_installed", "example_target"]

SEED = 'seed = "a seed of the tests of packages"\n'


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Path]:
    """A folder of packages that this process finds."""
    folder = tmp_path / "site"
    folder.mkdir()
    sys.path.append(str(folder))
    forget_packages()
    yield folder
    sys.path.remove(str(folder))
    forget_packages()
    for name in [name for name in sys.modules if name.startswith("brought_")]:
        del sys.modules[name]


def install(
    site: Path, package: str, contest: str, source: str, attribute: str = "Rules", version: str = "1.2"
) -> None:
    """A package with one module and an entry point, as an installer leaves it."""
    module = f"brought_{package}"
    (site / f"{module}.py").write_text(source)
    folder = site / f"{package}-{version}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n")
    (folder / "entry_points.txt").write_text(f"[tournament.contests]\n{contest} = {module}:{attribute}\n")
    forget_packages()


def rules(name: str) -> str:
    return (EXAMPLE / "liars_dice.py").read_text().replace("liars_dice", name).replace("class LiarsDice", "class Rules")


def test_a_table_by_the_name_of_a_package_s_contest_or_by_its_rules(site: Path, tmp_path: Path) -> None:
    install(site, "alpha", "alpha_dice", rules("alpha_dice"))
    file = tmp_path / "tournament.toml"
    file.write_text('[alpha_dice]\ndice = 2\n[small]\ngame = "alpha_dice"\ndice = 1\n')
    contests = load_contests(file)
    assert contests.chosen == ("alpha_dice", "small")
    assert load_config("small", file).contest.model_dump()["dice"] == 1
    assert load_config("small", file).played.rules == "alpha_dice"
    assert find_contest("alpha_dice").requires[0][0] == "alpha"
    file.write_text("[alpha_dice]\ndice = 99\n")
    with pytest.raises(BadInput, match="line 2: dice = 99: input should be less than or equal to 8"):
        load_config("alpha_dice", file)


BROKEN = {
    "an import": ("import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module'"),
    "syntax": ("class Rules(:\n", "SyntaxError"),
    "an exit": ("raise SystemExit('no')\n", "SystemExit: no"),
    "no contest": ("Rules = 5\n", "neither a Contest nor a subclass"),
    "nothing": ("", "AttributeError"),
    "another name": (rules("other_dice"), "it calls itself other_dice"),
    "no decisions": (
        "from tournament.contests.python_contest import PythonContest\n"
        "class Rules(PythonContest):\n    name = 'beta'\n",
        "AttributeError",
    ),
}


@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_package_names_itself_and_disturbs_nobody(how: str, site: Path, tmp_path: Path) -> None:
    source, message = BROKEN[how]
    install(site, "beta-package", "beta", source)
    file = tmp_path / "tournament.toml"
    file.write_text(f'[beta]\nsessions = 3\n[von_neumann_poker]\nentrants = "bots"\nsessions = 2\n{SEED}')
    (tmp_path / "bots").mkdir()
    for name in "ab":
        (tmp_path / "bots" / f"{name}.c").write_text(bot_source(3, 2))
    with pytest.raises(BadInput) as problem:
        load_config("beta", file)
    line = str(problem.value)
    assert line.startswith(
        f"{file}, line 1: the contest beta of the package beta-package 1.2 can't be loaded from brought_"
    )
    assert message in line
    assert "\n" not in line
    if how == "an import":
        run("von_neumann_poker", config=file, executor="local", workers=1)
        assert load(str(tmp_path / "results" / "von_neumann_poker")).ranking.entrants


def test_two_packages_with_one_name_are_refused_and_what_is_built_in_stays(site: Path) -> None:
    install(site, "gamma", "same_dice", rules("same_dice"))
    install(site, "delta", "same_dice", rules("same_dice"))
    install(site, "usurper", "von_neumann_poker", rules("von_neumann_poker"))
    with pytest.raises(
        BadInput, match=r"delta 1\.2 and gamma 1\.2 both bring a contest called same_dice; uninstall one"
    ):
        find_contest("same_dice")
    assert find_contest("von_neumann_poker").title == "One-card von Neumann poker"
    assert known_rules().count("von_neumann_poker") == 1


def test_an_unknown_name_is_answered_with_those_that_are_there(site: Path) -> None:
    install(site, "epsilon", "epsilon_dice", rules("epsilon_dice"))
    with pytest.raises(BadInput, match=r"no contest is called epsilon_dic; .*did you mean epsilon_dice\?"):
        find_contest("epsilon_dic")


def test_commands_that_play_nothing_import_no_package(site: Path) -> None:
    install(site, "zeta", "zeta", "raise SystemExit('imported')\n")
    path = os.pathsep.join([str(site), str(EXAMPLE.parents[1])])
    told = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "tournament", "--help"],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    imported = {line.rpartition("|")[2].strip() for line in told.stderr.splitlines()}
    assert "brought_zeta" not in imported
    assert "pyspiel" not in imported
    assert "engine.rules.session_core" not in imported


def test_a_node_without_the_package_or_with_another_version_is_refused_by_name(site: Path) -> None:
    accept_contest("von_neumann_poker", ())
    with pytest.raises(
        RunFailed, match=r"^node \S+ can't play eta: no contest is called eta.*install eta-package 1\.0 on"
    ):
        accept_contest("eta", (("eta-package", "1.0"),))
    install(site, "theta", "theta_dice", rules("theta_dice"))
    ((package, version),) = find_contest("theta_dice").requires
    accept_contest("theta_dice", ((package, version),))
    with pytest.raises(
        RunFailed, match=r"^node \S+ has theta 1\.2 \(\w+\) \(there 1\.1\) for theta_dice: install the same"
    ):
        accept_contest("theta_dice", (("theta", "1.1"),))
    # A changed file is another package, whatever its version says.
    (site / "brought_theta.py").write_text(rules("theta_dice") + "\n")
    forget_packages()
    assert find_contest("theta_dice").requires != ((package, version),)
