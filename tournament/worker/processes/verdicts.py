"""Who is to blame when a process fails: its bot, nobody yet, or the machine."""

from __future__ import annotations

from dataclasses import dataclass

from tournament.sandbox.outside.endings import how_it_ended


@dataclass(frozen=True)
class Ending:
    """How a process ended, or why it was ended.

    `passed`: the limit that it passed, in words. `status`: its exit status, minus a signal's number; None when it has
    only closed its output. `from_outside`: a signal ended it that it can't have sent.
    """

    passed: str = ""
    status: int | None = None
    from_outside: bool = False


@dataclass(frozen=True)
class Fault:
    """The bot's, in words."""

    what: str


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


def verdict(ending: Ending, *, shared: bool, by_itself: bool) -> Fault | Again | RunEnds:
    """What follows for each leg of a process. `shared`: by several legs; `by_itself`: no others played beside it."""
    if shared:
        return Again(outgrown=not ending.from_outside)
    if ending.passed:
        return Fault(ending.passed)
    if ending.from_outside:
        return RunEnds() if by_itself else Again(by_itself=True)
    return Fault("closed its output" if ending.status is None else how_it_ended(ending.status))


def out_of_memory(memory_megabytes: int) -> str:
    """That a bot has passed the limit of memory, and the setting that allows more."""
    return f"ran out of memory ({memory_megabytes} MB; raise memory_megabytes)"
