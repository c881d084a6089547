"""Judging one program alone, for its author."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from io import BufferedWriter, FileIO, TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

from tournament.artifacts.commands import CommandMissing
from tournament.contests.contest import Contest
from tournament.contests.judging import JudgedMatch, Program, Verdict
from tournament.errors import BadInput
from tournament.keys import master_key
from tournament.runner.schedule.legs import AgainstHouse, Competitor
from tournament.sandbox.outside import probe
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.processes import programs
from tournament.worker.processes.conversation import OwnProcess, PipedProgram

_MEGABYTES = 512
_MOST_CPU_SECONDS = 60  # a last resort: the judge's clocks come first


def judge_command(
    contest: Contest,
    command: Sequence[str],
    *,
    hands: int | None,
    seed: str,
    decks: Path | None,
    transcript: Path | None,
    sandboxed: bool,
) -> Verdict:
    """Start a program and have the contest's judge play it; the deals are those of a tournament's first session.

    Raises BadInput when the contest has no judge, or for options that it can't use.
    """
    if contest.trials.judge is None or contest.house is None:
        raise BadInput(f"{contest.name} has no judge for programs")
    if decks is not None and hands is not None:
        raise BadInput("--hands and --decks: a file of hands says itself how many there are; leave one of them out")
    settings = contest.settings.model_validate({"seed": seed})
    assert settings.seed is not None
    bob = contest.house.practice(master_key(settings.seed))
    schedule = AgainstHouse(
        contest.rules,
        settings.playing(),
        master_key(settings.seed),
        [Competitor(0, "the judged program", "program", "")],
        [Competitor(0, bob.name, "house", "")],
    )
    leg = next(schedule.legs())
    with ExitStack() as open_files:
        written: TextIO | None = None
        if transcript is not None:
            try:
                file = BufferedWriter(_Transcript(transcript, "w"))
            except OSError as error:
                raise _unwritable(transcript, error) from None
            written = open_files.enter_context(TextIOWrapper(file, encoding="ascii", newline="\n"))
        match = JudgedMatch(hands, decks, leg.plan.deals_key, leg.x.helpers_key, written)
        return contest.trials.judge(lambda: _start(command, sandboxed), match)


class _Transcript(FileIO):
    """Raises BadInput when a write fails, which may be late: text is buffered."""

    def write(self, content: Any, /) -> int:
        try:
            return super().write(content)
        except OSError as error:
            raise _unwritable(self.name, error) from None


def _unwritable(transcript: object, error: OSError) -> BadInput:
    return BadInput(f"--transcript {transcript}: can't be written: {error.strerror}")


def _start(command: Sequence[str], sandboxed: bool) -> Program:
    if not sandboxed:
        return PipedProgram(OwnProcess(command))
    try:
        probe.probe_sandbox("on")
        process = programs.start_in(
            Path.cwd(), command, SandboxSettings(), memory_megabytes=_MEGABYTES, cpu_seconds=_MOST_CPU_SECONDS
        )
    except (BadInput, CommandMissing) as problem:
        raise BadInput(f"{problem}; --no-sandbox runs a program with all your rights") from None
    return PipedProgram(process)
