"""Trying out whether this machine confines processes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tournament.errors import BadInput
from tournament.sandbox.inside.first_steps import NOT_CONFINED
from tournament.sandbox.outside import fork_server, running
from tournament.sandbox.outside.confinement import lacks_roots
from tournament.sandbox.outside.launch import LaunchSpec, Limits, Mode, Probe
from tournament.sandbox.outside.scratch import scratch_folder
from tournament.sandbox.outside.tier import MEND, version_here

OFF = "off: bots run with the rights of the tournament"


@cache
def probe_sandbox(mode: Mode) -> str:
    """Try out what confines processes on this machine, and say it in words.

    Raises BadInput when something that bots must not do can be done.
    """
    if mode == "off":
        return OFF
    version = version_here()
    with scratch_folder() as folder:
        secret = Path(folder, "secret")
        secret.write_text("not for bots")
        paths = {"read": str(secret), "write": str(Path(folder, "written"))}
        launch = LaunchSpec(Probe(paths), Limits(512, 10))
        probe = running.finish(fork_server.start(launch, mode), launch, 30)
    if probe.status != 0:
        lines = probe.errors.decode(errors="replace").strip().splitlines()
        why = lines[-1] if lines else f"the probe {probe.in_words}"
        if probe.status == NOT_CONFINED:
            why = why.removeprefix("can't be confined: ")
        raise BadInput(f"bots can't be confined: {why}; {MEND}")
    if possible := probe.output.decode().strip():
        raise BadInput(f"bots can't be confined: a probe in the sandbox could {possible}; {MEND}")
    return f"Landlock {version}, system call filter"


def seclusion_in_words(mode: Mode) -> str:
    """Whether bots' processes find no /proc here, by those that were started; the words continue those of
    `probe_sandbox`."""
    if mode == "off":
        return ""
    if lacks_roots.is_set():
        return "; no namespaces, or too much to read for a root of its own, so a bot's legs see each other in /proc"
    return ", namespaces"
