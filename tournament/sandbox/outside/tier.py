"""Checks whether this machine can confine bots, before anything is downloaded.

`python -m tournament.sandbox.outside.tier` exits with 2 and one line if it can't. It uses the standard library alone.
"""

from __future__ import annotations

import errno
import platform
import sys
import tomllib
from pathlib import Path

from tournament.errors import InputError
from tournament.sandbox.inside import landlock

MEND = 'to run your own bots with your own rights instead, set sandbox = "off" in tournament.toml'
_SINCE = "Linux has it since 5.13"
_SWITCHED_ON = "boot with lsm=landlock,… (the list of /sys/kernel/security/lsm, with landlock in front)"


def version_here() -> int:
    """Return the version of Landlock that confines bots here.

    Every version confines bots: the filter of system calls refuses what later versions refuse (`inside.seccomp`).

    Raises:
        InputError: There is no Landlock; the message says why.
    """
    try:
        return landlock.version()
    except OSError as problem:
        why = problem
    if why.errno == errno.ENOSYS:
        missing = f"this kernel ({platform.release()}) has no Landlock; {_SINCE}, as Debian 12 and Ubuntu 22.04 have it"
    elif why.errno == errno.EOPNOTSUPP:
        missing = f"Landlock is switched off in this kernel; {_SWITCHED_ON}"
    else:
        missing = f"something here, perhaps a container's filter, refuses Landlock ({why.strerror}); have it allowed"
    raise InputError(f"bots can't be confined: {missing}; {MEND}")


def _main(config: Path) -> int:
    """Print what is missing, unless tournament.toml switches the sandbox off. Return the exit status."""
    try:
        told = tomllib.loads(config.read_text()).get("sandbox")
    except (OSError, ValueError):
        told = None  # the run itself reports errors in this file
    if told == "off" or (isinstance(told, dict) and told.get("mode") == "off"):
        return 0
    try:
        version_here()
    except InputError as problem:
        print(f"tournament: {problem}", file=sys.stderr)
        return problem.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(_main(Path("tournament.toml")))
