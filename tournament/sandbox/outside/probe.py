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

    A success is kept for the process. After an exception the next call tests again.

    Args:
        mode: Whether bots are confined. With "off" nothing is tested, and the text is OFF.

    Returns:
        Text such as "Landlock 4, system call filter", or OFF.

    Raises:
        InputError: There is no Landlock. Or the probe could do something that no bot is allowed to, can't be confined,
            or fails.
        RunError: The probe was killed from outside, can't be started, or gets no time (MachineBusyError).
        CommandAborted: The thread must end.
        OSError: The files to test on can't be written, or a process can't be started.
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
    """Test what confines compilers and builds. It returns if they are confined well.

    A success is kept for the process. After an exception the next call tests again.

    Args:
        mode: Whether builds are confined. With "off" nothing is tested.

    Raises:
        InputError: There is no Landlock. Or the probe could do something that no build is allowed to, can't be
            confined, or fails.
        RunError: The probe was killed from outside, or the machine is too busy (MachineBusyError).
        CommandAborted: The thread must end.
        OSError: The files to test on can't be read or written, or a process can't be started.
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
    """Provide files to test on, which are removed at the end of the block.

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

    Args:
        whom: "bots" or "builds", for messages.
        probe: The probe's end. Its output lists what it could do.

    Raises:
        InputError: The probe isn't confined, could do what no bot is allowed to, or failed for another reason.
        RunError: The probe was killed from outside.
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
