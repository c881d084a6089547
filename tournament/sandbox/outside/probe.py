"""Tests whether this machine confines processes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tournament.errors import InputError, RunError
from tournament.sandbox.inside import attempts
from tournament.sandbox.outside import run_command
from tournament.sandbox.outside.exit_status import judge
from tournament.sandbox.outside.launch import Build, LaunchSpec, Mode, Probe, ProcessLimits, limits_of_build
from tournament.sandbox.outside.readable_paths import interpreter
from tournament.sandbox.outside.run_command import Finished
from tournament.sandbox.outside.scratch import scratch_folder
from tournament.sandbox.outside.tier import MEND, version_here

OFF = "off: bots run with the rights of the tournament"
_SECONDS = 120  # an emulated processor takes 30


@cache
def probe_sandbox(mode: Mode) -> str:
    """Test what confines bots' processes on this machine, and return it as text.

    Raises:
        InputError: A bot could do something that it must not, or can't be confined.
        RunError: The probe was killed from outside, or can't be started.
        CommandAborted: The thread must end.
        OSError: The files to test on can't be written.
    """
    if mode == "off":
        return OFF
    from tournament.sandbox.outside import fork_server  # needs the core, which set-up compiles at the same time

    version = version_here()
    with _targets() as paths:
        launch = LaunchSpec(Probe(paths, os.getpid()), ProcessLimits(512, _SECONDS))
        _check("bots", run_command.finish(fork_server.start(launch, mode), launch, _SECONDS))
    return f"Landlock {version}, system call filter"


@cache
def probe_builds(mode: Mode) -> None:
    """Test what confines compilers and builds.

    Raises:
        InputError: A build could do something that it must not, or can't be confined.
        RunError: The probe was killed from outside, or the machine is too busy.
        CommandAborted: The thread must end.
        OSError: The files to test on can't be written.
    """
    if mode == "off":
        return
    with _targets() as paths:
        tries = f"print(', '.join(possible({paths!r}, {os.getpid()}, build=True)))"
        code = f"{Path(attempts.__file__).read_text()}\n\n{tries}\n"
        build = Build([[interpreter(), "-s", "-S", "-P", "-c", code]], watched=False)
        launch = LaunchSpec(build, limits_of_build(_SECONDS))
        _check("builds", run_command.run(launch, mode, _SECONDS))


@contextmanager
def _targets() -> Iterator[dict[str, str]]:
    """Provide files to test on.

    Yields:
        Paths by what is tried: a file to "read", and a missing one to "write".

    Raises:
        OSError: They can't be written.
    """
    with scratch_folder() as folder:
        secret = Path(folder, "secret")
        secret.write_text("not for bots")
        yield {"read": str(secret), "write": str(Path(folder, "written"))}


def _check(whom: str, probe: Finished) -> None:
    """Require that a probe is confined and can do nothing.

    Raises:
        InputError: The probe isn't confined, or could do what no bot is allowed to.
        RunError: The probe was killed.
    """
    run_command.check_confined(probe, whom)
    if judge(probe.status, passed_limit=bool(probe.cut_off or probe.excess)) == "the machine":
        raise RunError(
            f"{whom} can't be confined now: the probe was killed from outside, which the system does when memory"
            " runs out; free some memory and run again"
        )
    if probe.status != 0:
        why = probe.last_words or f"the probe {probe.in_words}"
        raise InputError(f"{whom} can't be confined: {why}; {MEND}")
    if possible := probe.output.decode().strip():
        raise InputError(f"{whom} can't be confined: a probe in the sandbox could {possible}; {MEND}")
