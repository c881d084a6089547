"""Who is to blame when a process fails: its bot, nobody yet, or the machine."""

from __future__ import annotations

from dataclasses import dataclass

from tournament.leg import Failure
from tournament.sandbox.outside.endings import how_it_ended

# A wait that is longer is repeated, before anybody is blamed.
_LONG_SECONDS = 1.0


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
class Again:
    """The leg begins anew, the bot in a process of its own. `by_itself`: with no others on this machine meanwhile.

    `outgrown`: the bot's legs are too much for one process, and share none from now on.
    """

    by_itself: bool = False
    outgrown: bool = False


@dataclass(frozen=True)
class RunEnds:
    """The machine can't play the leg, and blames nobody."""


def verdict(ending: Ending, *, shared: bool, by_itself: bool) -> Failure | Again | RunEnds:
    """What follows for each leg of a process. `shared`: by several legs; `by_itself`: no others played beside it."""
    # The machine may have kept it from answering in a way that nobody sees.
    waited_long = ending.passed is not None and ending.passed.waited > _LONG_SECONDS
    if shared:
        return Again(outgrown=not ending.from_outside, by_itself=waited_long)
    if ending.passed:
        return Again(by_itself=True) if waited_long and not by_itself else ending.passed
    if ending.from_outside:
        return RunEnds() if by_itself else Again(by_itself=True)
    return Failure("closed its output" if ending.status is None else how_it_ended(ending.status))


def out_of_memory(megabytes: int, mend: str = "; raise memory_megabytes") -> Failure:
    """That a bot has passed the limit of memory, and what allows more."""
    return Failure(f"ran out of memory ({megabytes} MB{mend})")
