"""Who is to blame for a process that failed."""

from __future__ import annotations

import pytest

from tournament.worker.processes.verdicts import Again, Ending, Fault, RunEnds, verdict

PASSED, QUIT, CRASHED, CLOSED = Ending("took too long"), Ending(status=3), Ending(status=-11), Ending()
KILLED = Ending(status=-9, from_outside=True)
KILLED_BEYOND = Ending("ran out of memory (64 MB; raise memory_megabytes)", -9)

TABLE = {
    # ending: shared, in a process of its own, the same with no others on the machine
    PASSED: (Again(outgrown=True), Fault("took too long"), Fault("took too long")),
    QUIT: (Again(outgrown=True), Fault("ended with status 3"), Fault("ended with status 3")),
    CRASHED: (Again(outgrown=True), Fault("was killed by SIGSEGV"), Fault("was killed by SIGSEGV")),
    CLOSED: (Again(outgrown=True), Fault("closed its output"), Fault("closed its output")),
    KILLED: (Again(), Again(by_itself=True), RunEnds()),
    KILLED_BEYOND: (Again(outgrown=True), *[Fault("ran out of memory (64 MB; raise memory_megabytes)")] * 2),
}


@pytest.mark.parametrize("ending", TABLE)
def test_who_is_to_blame(ending: Ending) -> None:
    ways = ((True, False), (False, False), (False, True))
    assert tuple(verdict(ending, shared=shared, by_itself=alone) for shared, alone in ways) == TABLE[ending]
