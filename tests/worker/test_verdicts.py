"""Who is to blame for a process that failed."""

from __future__ import annotations

import pytest

from tournament.leg import Failure
from tournament.worker.processes.verdicts import Again, Ending, RunEnds, out_of_memory, verdict

PASSED, QUIT, CRASHED, CLOSED = Ending(Failure("took too long")), Ending(status=3), Ending(status=-11), Ending()
WAITED, NAPPED = (Ending(Failure("did not answer", "silence", waited=seconds)) for seconds in (5.0, 0.4))
KILLED = Ending(status=-9, from_outside=True)
KILLED_BEYOND = Ending(out_of_memory(64), -9)

TABLE = {
    # ending: shared, in a process of its own, the same with no others on the machine
    PASSED: (Again(outgrown=True), Failure("took too long"), Failure("took too long")),
    QUIT: (Again(outgrown=True), Failure("ended with status 3"), Failure("ended with status 3")),
    CRASHED: (Again(outgrown=True), Failure("was killed by SIGSEGV"), Failure("was killed by SIGSEGV")),
    CLOSED: (Again(outgrown=True), Failure("closed its output"), Failure("closed its output")),
    WAITED: (Again(outgrown=True, by_itself=True), Again(by_itself=True), WAITED.passed),
    NAPPED: (Again(outgrown=True), NAPPED.passed, NAPPED.passed),
    KILLED: (Again(), Again(by_itself=True), RunEnds()),
    KILLED_BEYOND: (Again(outgrown=True), out_of_memory(64), out_of_memory(64)),
}


@pytest.mark.parametrize("ending", TABLE)
def test_who_is_to_blame(ending: Ending) -> None:
    ways = ((True, False), (False, False), (False, True))
    assert tuple(verdict(ending, shared=shared, by_itself=alone) for shared, alone in ways) == TABLE[ending]
