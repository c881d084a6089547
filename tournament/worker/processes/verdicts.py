"""Who is to blame when a process fails: its bot, the legs that shared it, or perhaps the machine."""

from __future__ import annotations

from dataclasses import dataclass

from tournament.leg import Failure
from tournament.sandbox.outside.exit_status import how_it_ended

# A wait that is longer is repeated, before anybody is blamed.
_LONG_SECONDS = 1.0
MORE_MEMORY = "; raise memory_megabytes"


@dataclass(frozen=True)
class Ending:
    """How a process ended, or why it was ended.

    `passed`: the limit that it passed. `status`: its exit status, minus a signal's number; None when it has
    only closed its output. `from_outside`: a signal ended it that it can't have sent.
    """

    passed: Failure | None = None
    status: int | None = None
    from_outside: bool = False


@dataclass(frozen=True)
class Apart:
    """The leg begins again, the bot in a process of its own. `outgrown`: its other legs share none either."""

    outgrown: bool = False


@dataclass(frozen=True)
class PutOff:
    """The leg is broken off and put off, since the machine may be to blame; the `reason` goes with the bot's name."""

    reason: str


def verdict(ending: Ending, *, shared: bool, at_once: bool) -> Failure | Apart | PutOff:
    """What follows for each leg of a process. `shared`: by several legs; `at_once`: a long wait isn't repeated."""
    if shared:
        return Apart(outgrown=not ending.from_outside)
    if ending.passed:
        # The machine may have kept it from answering in a way that no one sees.
        waited_long = ending.passed.waited > _LONG_SECONDS
        return ending.passed if at_once or not waited_long else PutOff(ending.passed.what)
    if ending.from_outside:
        return PutOff(
            "its process was killed from outside: this machine has too little memory (a lower memory_megabytes takes"
            " less), or something here ends processes"
        )
    return Failure("closed its output" if ending.status is None else how_it_ended(ending.status))


def out_of_memory(megabytes: int) -> Failure:
    """That a bot has passed the limit of memory, and what allows more."""
    return Failure(f"ran out of memory ({megabytes} MB{MORE_MEMORY})")
