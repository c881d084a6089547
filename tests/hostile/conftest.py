"""Shared by tests with hostile bots: small limits, a temporary folder of their own, and the good bots' games alone."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.field import SETTINGS, Ground
from tournament.artifacts import compiler_run, libraries, module_trial, program_build
from tournament.contests import settings
from tournament.records.results import Results
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.processes import bot_process, python_bots


@pytest.fixture(scope="package", autouse=True)
def small_limits(pytestconfig: pytest.Config) -> Iterator[None]:
    """Lower the limits that aren't settings, so that they are soon reached."""
    times = pytestconfig.getoption("--times")
    libraries.library_of_exceptions(SandboxSettings())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiler_run, "SECONDS", 2 * times)
        patch.setattr(module_trial, "SECONDS", 1 * times)
        patch.setattr(bot_process, "START_SECONDS", 0.5 * times)
        patch.setattr(program_build, "_SECONDS", 5 * times)  # 2,000 files take two seconds on a busy machine.
        patch.setattr(python_bots, "_TRIAL_SECONDS", 1 * times)
        patch.setattr(python_bots, "_TRIAL_OWN_SECONDS", 20.0 * times)
        patch.setattr(settings, "DECISION_SECONDS", settings.DECISION_SECONDS * times)
        patch.setitem(SETTINGS, "idle_seconds", 0.4 * times)
        yield


@pytest.fixture(scope="package")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Provide the temporary folder of all tournaments here."""
    folder = tmp_path_factory.mktemp("scratch")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(folder))
        patch.setattr(tempfile, "tempdir", str(folder))
        yield folder


@pytest.fixture(scope="package")
def alone(tmp_path_factory: pytest.TempPathFactory, scratch: Path) -> Results:
    ground = Ground(tmp_path_factory.mktemp("alone"))
    ground.prepare([])
    return ground.play()
