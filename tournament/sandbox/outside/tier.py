"""The version of Landlock with which this machine confines bots."""

from __future__ import annotations

from tournament.errors import InputError
from tournament.sandbox.inside import landlock

MEND = 'to run your own bots with your own rights instead, set sandbox = "off" in tournament.toml'


def version_here() -> int:
    """Return the version of Landlock that confines bots here, from 1.

    Every version confines bots: the filter of system calls refuses what later versions refuse (`inside.seccomp`).

    Raises:
        InputError: Landlock is missing, switched off, or refused. The message says how to get it.
    """
    try:
        return landlock.version()
    except OSError as problem:
        raise InputError(
            f"bots can't be confined: there is no Landlock here ({problem.strerror}); it needs Linux 5.13 or newer, as"
            " Debian 12 and Ubuntu 22.04 have it, landlock in the boot option lsm=, and a container that allows it;"
            f" {MEND}"
        ) from None
