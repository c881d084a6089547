"""The contest of examples/liars_dice, installed for tests into a folder of its own."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tournament.contests import installed

EXAMPLE = Path(__file__).parents[1] / "examples" / "liars_dice"


def install(source: Path, target: Path, scratch: Path) -> None:
    """Install a package as its users would, but without looking anything up."""
    copy = scratch / source.name  # a build leaves files beside the sources
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__", "results"))
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*command, "--target", str(target), str(copy)], check=True)


def forget_packages() -> None:
    """Have the entry points read again."""
    installed.offers.cache_clear()
    installed.load_installed.cache_clear()


@pytest.fixture(scope="session")
def example_target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for PYTHONPATH that has the example installed."""
    target = tmp_path_factory.mktemp("installed")
    install(EXAMPLE, target, tmp_path_factory.mktemp("example"))
    return target


@pytest.fixture(scope="module")
def example_is_installed(example_target: Path) -> Iterator[Path]:
    """The example as an installed package of this process."""
    sys.path.append(str(example_target))
    forget_packages()
    yield example_target
    sys.path.remove(str(example_target))
    sys.modules.pop("liars_dice", None)
    forget_packages()
