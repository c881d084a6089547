"""The package as strangers get it: sdist, wheel built from it, installed elsewhere, every contest played there.

Slow for its compiling, so `make package-test` runs it and `make test` doesn't. No network: what the package depends on
is borrowed from the interpreter of the tests.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path, PurePosixPath

import pandas as pd
import pytest

from tests.built_in import SHIPPED

pytestmark = pytest.mark.package

ROOT = Path(__file__).resolve().parent.parent
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
GENERATED = (
    "engine/stale.c",
    "engine/kernel/stale.c",
    "engine/kernel/stale.so",
    "entrants/von_neumann_poker/__pycache__/stale.pyc",
)
COMPILED_ANEW = ("von_neumann_poker",)  # rooms of the core
SMALL = {"sessions": 2, "hands": 100, "servers": 2}


def checked(*command: str | Path, folder: Path, more: dict[str, str] | None = None) -> str:
    """Run a command that must succeed, away from this repository, and return its output."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    environment["ENGINE_SLOW"] = "1"  # whether it compiles and plays is asked here, not how fast
    environment |= more or {}
    process = subprocess.run(
        [str(word) for word in command], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert process.returncode == 0, f"{command}\n{process.stdout[-2000:]}\n{process.stderr[-4000:]}"
    return process.stdout


def tracked(*patterns: str) -> set[str]:
    """Files of the repository, also those that are not committed yet."""
    wanted = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", *patterns]
    names = subprocess.run(wanted, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    return {name for name in names if name and (ROOT / name).exists()}


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made in a copy of the repository that has been worked in: it also holds files that were generated there."""
    copy = tmp_path_factory.mktemp("copy")
    for name in (*tracked(), *GENERATED):
        target = copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((ROOT / name).read_bytes() if name not in GENERATED else b"")
    out = tmp_path_factory.mktemp("sdist")
    code = "import sys, setuptools.build_meta as backend; backend.build_sdist(sys.argv[1])"
    checked(sys.executable, "-c", code, out, folder=copy)
    (archive,) = out.glob("*.tar.gz")
    return archive


@pytest.fixture(scope="module")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("wheel")
    with tarfile.open(sdist) as archive:
        archive.extractall(place)
    # The sources are those of this tree: Cython has written C already, and gcc has compiled all but the sample.
    made = place / f"tournament-{VERSION}" / "build"
    shutil.copytree(ROOT / "build" / "c", made / "c", copy_function=shutil.copyfile)
    compiled = made / f"lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}"
    for source in [ROOT / "engine" / "_cython.pyx", *(ROOT / "engine").rglob("*.pyx")]:
        if source.parent.name not in COMPILED_ANEW:
            module = source.with_suffix(sysconfig.get_config_var("EXT_SUFFIX"))
            copy = compiled / module.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(module, copy)
    # As `make wheel` does it.
    libraries = place / f"tournament-{VERSION}" / "tournament" / "artifacts" / "libraries.tar.xz"
    checked(sys.executable, "-m", "tournament.artifacts.shipped_libraries", libraries, folder=ROOT)
    options = ["--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", str(place)]
    checked(sys.executable, "-m", "pip", "wheel", *options, place / f"tournament-{VERSION}", folder=place)
    (built,) = place.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def command(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the command `tournament` of an environment into which the wheel was installed."""
    place = tmp_path_factory.mktemp("environment")
    checked(sys.executable, "-m", "venv", "--without-pip", place, folder=place)
    python = place / "bin" / "python"
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    own_packages = Path(checked(python, "-c", code, folder=place).strip())
    # Only a folder on the path: the links that this one has to the repository are not followed from there.
    (own_packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    options = ["--no-deps", "--no-index", "--ignore-installed"]
    checked(sys.executable, "-m", "pip", "--python", python, "install", *options, wheel, folder=place)
    where = "import tournament, engine.kernel.deals as core; print(tournament, core)"
    assert checked(python, "-c", where, folder=place).count(str(own_packages)) == 2
    return place / "bin" / "tournament"


def test_sdist_has_sources_and_nothing_generated(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {str(PurePosixPath(*PurePosixPath(m.name).parts[1:])) for m in archive if m.isfile()}
    assert tracked() - {".gitignore"} <= names, "its README and CONTRIBUTING speak of all this"
    assert not [name for name in names if name.endswith((".so", ".pyc")) or re.fullmatch(r"engine/.*\.c", name)]


def test_wheel_has_core_sdks_and_shipped_bots(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    compiled = {name.partition(".")[0] for name in names if name.endswith(".so")}
    assert compiled == {"engine/_cython", *(name.removesuffix(".pyx") for name in tracked("engine/**/*.pyx"))}
    assert {name for name in tracked("tournament", "engine") if not name.endswith(".pyx")} <= names
    assert {f"tournament/starter/shipped/{name}" for name in tracked("entrants", "results")} <= names
    assert not [name for name in names if name.endswith((".pyx", ".pyc"))]


def test_contests_play_without_compiler(command: Path, tmp_path: Path) -> None:
    """Use a machine that has Python and a shell, and has never compiled a bot."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("sh", "env", "python3"):
        (programs / name).symlink_to(shutil.which(name) or name)
    bare = {"PATH": f"{programs}", "TOURNAMENT_CACHE": str(tmp_path / "cache")}
    assert shutil.which("gcc", path=bare["PATH"]) is None
    checked(command, "init", "my_contest", folder=tmp_path, more=bare)
    folder = tmp_path / "my_contest"
    settings = (folder / "tournament.toml").read_text()
    for key, value in SMALL.items():
        settings, changes = re.subn(rf"^#?{key} = .*", f"{key} = {value}", settings, flags=re.MULTILINE)
        assert changes
    (folder / "tournament.toml").write_text(settings)
    checked(command, "run", "--executor", "local", folder=folder, more=bare)
    assert not (tmp_path / "cache" / "libraries" / "made").exists(), "the wheel brings what it would build there"
    for contest in SHIPPED:
        entrants = pd.read_parquet(folder / "results" / contest.name / "entrants.parquet")
        own = [path for path in (ROOT / "entrants" / contest.name).iterdir() if path.name != "__pycache__"]
        assert len(entrants) == len(own)
        assert set(entrants.status) == {"ok"}, entrants[entrants.status != "ok"]
        assert len(pd.read_parquet(folder / "results" / contest.name / "games"))
    for words in (("leaderboard", SHIPPED[0].name), ("report", SHIPPED[0].name)):
        checked(command, *words, folder=folder)
    shutil.copytree(ROOT / "examples" / "liars_dice", tmp_path / "rules")
    checked(command, "run", "liars_dice", "--executor", "local", "--sessions", "20", folder=tmp_path / "rules")
    assert "own_hand" in checked(command, "leaderboard", "liars_dice", folder=tmp_path / "rules")
