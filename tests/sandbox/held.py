"""Landlock held to an older version, as older kernels have it. `pytest --landlock 1` holds it so for all tests."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from tournament.sandbox.inside import landlock
from tournament.sandbox.outside import fork_server, probe

_HERE = 99
with contextlib.suppress(OSError):
    _HERE = landlock.version()
# 1: Linux 5.13; 2: 5.19; 4: 6.7. Those that this kernel has.
OLDER = tuple(version for version in (1, 2, 4) if version <= _HERE)


@contextlib.contextmanager
def held_to(version: int) -> Iterator[None]:
    """What is confined meanwhile is so by this version alone; processes that were started before have ended."""
    fork_server.end_idle()
    probe.probe_sandbox.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(landlock, "version", lambda: version)
        yield
        fork_server.end_idle()
    probe.probe_sandbox.cache_clear()
