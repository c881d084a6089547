"""Who is to blame for a process that failed."""

from __future__ import annotations

import pytest

from tournament.leg import Failure
from tournament.worker.processes.verdicts import Apart, Ending, PutOff, out_of_memory, verdict

PASSED, QUIT, CRASHED, CLOSED = Ending(Failure("took too long")), Ending(status=3), Ending(status=-11), Ending()
WAITED, NAPPED = (Ending(Failure("did not answer", "silence", waited=seconds)) for seconds in (5.0, 0.4))
KILLED = Ending(status=-9, from_outside=True)
KILLED_BEYOND = Ending(out_of_memory(64), -9)
WHY = (
    "its process was killed from outside: this machine has too little memory (a lower memory_megabytes takes less), or"
    " something here ends processes"
)

TABLE = {
    # ending: shared, in a process of its own, the same in a second try
    PASSED: (Apart(outgrown=True), Failure("took too long"), Failure("took too long")),
    QUIT: (Apart(outgrown=True), Failure("ended with status 3"), Failure("ended with status 3")),
    CRASHED: (Apart(outgrown=True), Failure("was killed by SIGSEGV"), Failure("was killed by SIGSEGV")),
    CLOSED: (Apart(outgrown=True), Failure("closed its output"), Failure("closed its output")),
    WAITED: (Apart(outgrown=True), PutOff("did not answer"), WAITED.passed),
    NAPPED: (Apart(outgrown=True), NAPPED.passed, NAPPED.passed),
    KILLED: (Apart(), PutOff(WHY), PutOff(WHY)),
    KILLED_BEYOND: (Apart(outgrown=True), out_of_memory(64), out_of_memory(64)),
}


@pytest.mark.parametrize("ending", TABLE)
def test_verdict_by_ending_names_who_is_to_blame(ending: Ending) -> None:
    ways = ((True, False), (False, False), (False, True))
    assert tuple(verdict(ending, shared=shared, at_once=at_once) for shared, at_once in ways) == TABLE[ending]
