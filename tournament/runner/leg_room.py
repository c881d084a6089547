"""Checks that this machine has memory for all processes of a leg, which start together."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tournament.errors import InputError
from tournament.leg import PROCESSES, make_title
from tournament.runner.schedule.fixtures import MatchLegs
from tournament.sandbox.outside.confinement import most_descriptors
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.processes.admission import free_memory
from tournament.worker.processes.pool import most_bytes_of

_FILES_OF_A_PROCESS, _OTHER_FILES = 10, 64


def check_room(
    matches: Iterable[MatchLegs], memory_megabytes: int, sandbox: SandboxSettings, on_message: Callable[[str], None]
) -> None:
    """Report if the processes of one leg can take more memory than is free.

    Only the leg that can take most memory is checked, and nothing if no leg takes any.

    Args:
        matches: Matches to play.
        memory_megabytes: Memory of a bot by the contest's settings, in MiB.
        sandbox: Settings of the sandbox.
        on_message: Called with a message for the user, if memory might not suffice.

    Raises:
        InputError: They need more open files than are allowed.
    """
    largest, most_bytes = None, 0
    for match in matches:
        size = sum(most_bytes_of(seat.kind, memory_megabytes, sandbox) for seat in match.seats)
        if size > most_bytes:
            largest, most_bytes = match, size
    if largest is None:
        return
    processes = sum(seat.kind in PROCESSES for seat in largest.seats)
    subject = f"the {processes} processes of a leg ({make_title([seat.name for seat in largest.seats], '')})"
    files, allowed = _OTHER_FILES + _FILES_OF_A_PROCESS * processes, most_descriptors()
    if files > allowed:
        raise InputError(f"{subject} need {files:,} open files, and {allowed:,} are allowed (ulimit -Hn); allow more")
    free = free_memory()
    if most_bytes > free:
        on_message(
            f"{subject} may take {most_bytes >> 20:,} MB, and {free >> 20:,} MB are free: if they take more, they are"
            " killed and set aside; lower memory_megabytes"
        )
