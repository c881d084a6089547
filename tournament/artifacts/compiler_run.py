"""Runs the compiler confined, and finds the cause of a failure."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from math import ceil
from pathlib import Path

from tournament.artifacts.compiler_command import HEADERS, asking_for_words, home, words_said
from tournament.artifacts.compiler_messages import (
    Hints,
    complaints_of,
    first_line,
    message_of,
    names_taken,
    text_has_exceptions,
    why_refused,
)
from tournament.errors import RunError
from tournament.leg import Unfit
from tournament.sandbox.outside import probe, run_command
from tournament.sandbox.outside.exit_status import OUT_OF_TIME, judge, kills_for_memory
from tournament.sandbox.outside.launch import MEGABYTES_OF_BUILDS, Build, LaunchSpec, limits_of_build
from tournament.sandbox.outside.process_time import MachineBusyError
from tournament.sandbox.outside.run_command import Finished
from tournament.sandbox.outside.scratch import is_full, scratch_folder
from tournament.sandbox.outside.settings import SandboxSettings

SECONDS = 120
_SECONDS_OF_STRANGERS, _MEGABYTES_OF_STRANGERS = 20, 1024
FIRST_SECONDS = 1800
_BY_CLOCK = 2.0  # seconds by the clock per second of processor time
_MAX_MEGABYTES = MEGABYTES_OF_BUILDS
# Errors that the machine can cause. A bot's own text can contain their words, and is then compiled again in each run.
_OF_THE_MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EIO, errno.EACCES)


def allow_less() -> None:
    """Limit the compiler in this process from now on: to 20 processor seconds, and 1,024 MiB of memory.

    An Allowance that exists keeps its seconds. It can't be undone.
    """
    global SECONDS, _MAX_MEGABYTES
    SECONDS, _MAX_MEGABYTES = _SECONDS_OF_STRANGERS, _MEGABYTES_OF_STRANGERS


class CompilerRefused(Unfit):
    """Raised when the compiler refuses a source. The message is the compiler's own, shortened.

    It is permanent unless the message has the text of an error that the machine can cause, such as a full disk.

    Attributes:
        complaints: Its errors as pairs of file and text, in its order. Errors without a file and a line are left out.
        text_has_exceptions: Whether a source that throws or catches was compiled without exceptions.
        taken: Names of the source's variables that clash with functions of the library, in the linker's order.
    """

    complaints: tuple[tuple[str, str], ...] = ()
    text_has_exceptions: bool = False
    taken: Sequence[str] = ()


class Allowance:
    """The seconds that all tries to compile a bot share. At first there are 120, or 20 after `allow_less`.

    Attributes:
        left: Processor seconds that are left. It can become negative, but a try always gets at least one second.
    """

    def __init__(self) -> None:
        self.left: float = SECONDS


def run_compiler(
    commands: list[list[str]],
    folder: Path,
    readable: list[Path],
    sandbox: SandboxSettings,
    *,
    libraries: Path | None = None,
    hints: Hints = (),
    allowance: Allowance | None = None,
) -> Finished:
    """Run the compiler's commands one after another in the sandbox, and return the successful end.

    The compiler reads its own files, `folder` and `readable`. It writes into `folder` alone.

    Args:
        commands: The commands, at least one, each as its words.
        folder: The folder in which the commands run.
        readable: More files and folders that they can read.
        sandbox: How the compiler is confined, and the disk space that it leaves.
        libraries: Folder in which it builds its libraries, made if it is missing. No untrusted code is involved, so it
            isn't confined, only limited to 1,800 seconds. The compiler then prints its calls. None for a confined run.
        hints: Hints that are added to its messages.
        allowance: The time that all tries share, which is reduced. None for a new one.

    Raises:
        Unfit: The compiler refuses the source (CompilerRefused), or exceeds a limit of time, memory or disk. The limit
            of its own time isn't permanent, nor is another limit after `allow_less`.
        MachineBusyError: The compiler was ended from outside, or the machine is too busy.
        RunError: The sandbox's probe was killed from outside.
        OSError: The disk is full, or the compiler can't be started.
        InputError: This machine can't confine it.
        CommandAborted: The thread must end.
    """
    allowance = allowance or Allowance()
    seconds = FIRST_SECONDS if libraries else ceil(max(1, allowance.left))

    if not libraries:
        probe.probe_builds(sandbox.mode)
    kills = kills_for_memory()
    finished = _run_once(commands, folder, readable, sandbox, libraries, seconds)
    run_command.check_confined(finished, "compilers")
    passed_limit = bool(finished.excess or finished.cut_off)
    killed = kills_for_memory() - kills
    if judge(finished.status, passed_limit=passed_limit, kills=killed, of="compiler") == "the machine":
        raise MachineBusyError(f"the compiler {finished.in_words}, for want of memory perhaps")
    if finished.status and is_full(folder):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    allowance.left -= seconds if finished.excess or finished.cut_off else finished.seconds
    if finished.excess:
        # The bot might build when the compiler can use more.
        is_permanent = _MAX_MEGABYTES == MEGABYTES_OF_BUILDS
        raise Unfit(f"the compiler took {finished.excess}", is_permanent=is_permanent)
    if finished.cut_off:
        raise Unfit(f"the compiler was still at it after {_BY_CLOCK * seconds:g} seconds", is_permanent=False)
    if finished.status != 0:
        folders = [folder, *readable, *[Path(word[2:]) for word in commands[0] if word.startswith("-I")]]
        text = message_of(finished)
        is_permanent = not any(os.strerror(number) in text for number in _OF_THE_MACHINE)
        refused = CompilerRefused(why_refused(finished, folders, hints), is_permanent=is_permanent)
        refused.taken = names_taken(finished)
        refused.complaints = complaints_of(finished)
        refused.text_has_exceptions = text_has_exceptions(finished)
        raise refused
    return finished


def _run_once(
    commands: list[list[str]],
    folder: Path,
    readable: list[Path],
    sandbox: SandboxSettings,
    libraries: Path | None,
    seconds: int,
) -> Finished:
    """Run the commands once, with this limit of processor seconds, and twice as many of their own time.

    The result counts a limit of processor time that was exceeded as an excess.

    Raises:
        MachineBusyError: The machine is too busy.
        OSError: The disk is full.
        InputError: This machine can't confine them.
        CommandAborted: The thread must end.
    """
    scratch = libraries or folder / "tournament_scratch"
    scratch.mkdir(exist_ok=True)
    finished = run_command.run(
        LaunchSpec(
            Build(
                commands,
                {
                    "HOME": str(folder),
                    "TMPDIR": str(scratch),
                    "ZIG_GLOBAL_CACHE_DIR": str(scratch),
                    "ZIG_LOCAL_CACHE_DIR": str(scratch),
                    "LC_ALL": "C.UTF-8",
                    "SOURCE_DATE_EPOCH": "0",  # what __DATE__ and __TIME__ say
                    **({"ZIG_VERBOSE_CC" if "-c" in commands[-1] else "ZIG_VERBOSE_LINK": "1"} if libraries else {}),
                },
                writable=[str(folder), str(scratch)],
                watched=libraries is None,
            ),
            limits_of_build(seconds, _MAX_MEGABYTES, sandbox.min_free_disk_mb),
            folder,
            readable=[str(path) for path in (home(), HEADERS, *readable)],
        ),
        "off" if libraries else sandbox.mode,  # libraries have many files, for which a sandbox takes 30% longer
        seconds if libraries else _BY_CLOCK * seconds,
    )
    if finished.status in OUT_OF_TIME:
        return replace(finished, excess=f"more than {seconds} seconds of processor time")
    return finished


@cache
def words_of_compiler(kind: str) -> list[str]:
    """Return the words that call the compiler proper for a language, once in a process.

    The list is shared and must not be changed.

    Args:
        kind: "c" or "cpp".

    Raises:
        RunError: The compiler doesn't print them, was ended from outside, or the machine is too busy.
        OSError: The disk is full.
        CommandAborted: The thread must end.
    """
    with scratch_folder() as folder:
        unit = folder / ("empty.c" if kind == "c" else "empty.cpp")
        unit.touch()
        try:
            finished = run_compiler(
                [asking_for_words(kind, unit.name)], folder, [], SandboxSettings(), libraries=folder / "made"
            )
            return words_said(message_of(finished), unit.name)
        except (Unfit, StopIteration) as problem:
            raise RunError(f"the compiler doesn't report how it compiles: {first_line(problem)}") from None
