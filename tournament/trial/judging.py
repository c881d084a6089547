"""The terminal form's judge: one match between a program and Bob, timed and written down, for its author."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from io import BufferedWriter, FileIO, TextIOWrapper
from pathlib import Path
from typing import Any, Literal, TextIO

from engine.games.holdem_training.core import HoldemTraining
from engine.games.holdem_training.rates import RateSampler
from engine.kernel.records import Table
from engine.processes.lanes import Violation
from engine.processes.lines import MOST_LINE_BYTES
from tournament.artifacts.commands import find_command
from tournament.contests.contest import Contest
from tournament.contests.holdem_training.decks import read_decks
from tournament.contests.holdem_training.protocol import WholeMatch
from tournament.contests.holdem_training.records import GAMES, SESSIONS
from tournament.contests.holdem_training.scoring import points, tasks
from tournament.errors import InputError
from tournament.keys import trial_key
from tournament.leg import Leg, Unfit
from tournament.runner.schedule.legs import AgainstHouse, Competitor
from tournament.sandbox.outside import probe
from tournament.sandbox.outside.endings import how_it_ended
from tournament.sandbox.outside.own_time import Clocks
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.store.columns import buffer_fields
from tournament.worker.processes import programs
from tournament.worker.processes.conversation import Gone, PipedProgram, Silent
from tournament.worker.processes.verdicts import out_of_memory

_MEGABYTES = 512
_MOST_CPU_SECONDS = 60  # a last resort: the judge's clocks come first

SECONDS = 10.0
# It may sleep for this many times as long as it may work.
_PATIENCE = 3
# Between two looks at the program, which catch naps as well; and what counts of those that come late.
_LOOK_SECONDS, _LONGEST_LOOK, _LONGEST_NAP = 0.05, 0.5, 0.1
HANDS = 10_000
_ROWS = 1000
_SECONDS_TO_END = 1.0

Ending = Literal["finished", "violation", "out of time", "died"]
# How the command `tournament judge` exits; 2 is bad input.
EXIT_CODES: dict[Ending, int] = {"finished": 0, "violation": 3, "out of time": 4, "died": 5}


@dataclass(frozen=True)
class Verdict:
    """How a match ended. `mean_profit` is over the hands played to their end: W if the match was finished. `seconds` is
    how long the program was waited for."""

    ending: Ending
    reason: str
    hands: int
    mean_profit: float
    seconds: float

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.ending]

    @property
    def text(self) -> str:
        if self.ending != "finished":
            return f"{self.ending}: {self.reason}"
        small, large = tasks(self.mean_profit)
        passed = "both tasks passed" if large else "the small task passed" if small else "no task passed"
        return (
            f"finished: W = {self.mean_profit:.6f} over {self.hands:,} hands, {points(self.mean_profit)} points,"
            f" {passed}, waited {self.seconds:.2f} s"
        )


def judge_program(
    contest: Contest,
    command: Sequence[str],
    *,
    hands: int | None,
    seed: str,
    decks: Path | None,
    transcript: Path | None,
    sandboxed: bool,
) -> Verdict:
    """Start a program and play its match; on deals that no contest has, or those of a file.

    Raises InputError when the contest has no judge, or for options that it can't use.
    """
    if contest.rules != "holdem_training":
        raise InputError(f"{contest.name} has no judge for programs")
    if decks is not None and hands is not None:
        raise InputError("--hands and --decks: a file of hands says itself how many there are; leave one of them out")
    leg = _leg(contest, seed)
    with ExitStack() as open_files:
        written: TextIO | None = None
        if transcript is not None:
            try:
                file = BufferedWriter(_Transcript(transcript, "w"))
            except OSError as error:
                raise _unwritable(transcript, error) from None
            written = open_files.enter_context(TextIOWrapper(file, encoding="ascii", newline="\n"))
        match = new_match(leg, hands or HANDS, decks)
        program = start(command, sandboxed=sandboxed)
        try:
            return judge(program, match, transcript=written)
        finally:  # a match that is broken off leaves no program behind
            program.end(0.0)


def _leg(contest: Contest, seed: str) -> Leg:
    """Of a program whose contents no one knows, on deals of its own."""
    settings = contest.settings.model_validate({"seed": seed})
    assert contest.house is not None and settings.seed is not None
    key = trial_key(settings.seed)
    bob = contest.house.practice(key)
    program, house = Competitor(0, "the judged program", "program", ""), Competitor(0, bob.name, "house", "")
    return next(AgainstHouse(contest.rules, settings.playing(), key, [program], [house]).legs())


def new_match(leg: Leg, hands: int, decks: Path | None = None) -> WholeMatch:
    """A seat at a match of this many hands, or of those in a file. Raises InputError for a bad one."""
    fixed = read_decks(decks) if decks else None
    games = Table(buffer_fields(GAMES), _ROWS)
    sessions = Table(buffer_fields(SESSIONS), 1)
    hands = hands if fixed is None else len(fixed)
    core = HoldemTraining(games, sessions, deals_key=leg.plan.deals_key, sessions=1, hands=hands, decks=fixed)

    def empty_records() -> None:
        games.rows = sessions.rows = 0

    return WholeMatch(core, RateSampler(leg.seats[0].helpers_key), empty_records)


def judge(
    program: PipedProgram, match: WholeMatch, *, seconds: float = SECONDS, transcript: TextIO | None = None
) -> Verdict:
    """Play a match to its end, or to what ends it before; then let the program end.

    The program may work for this many seconds in all, and sleep three times as long while it is asked; how long it
    waits for a processor doesn't count. Lines that it writes ahead are read when it is their turn. On a violation it
    gets -1. The transcript has the lines that the program reads after "< ", and those that it writes after "> ".
    """
    clocks = Clocks(program.use, _LONGEST_NAP)
    waited, looked = 0.0, time.monotonic()
    lines = match.start()
    ending: Ending = "finished"
    reason = ""
    while True:
        _send(program, lines, transcript)
        if match.over:
            break
        started = time.monotonic()
        line = None
        try:
            line = program.read_line(max(0.001, looked + _LOOK_SECONDS - started), MOST_LINE_BYTES)
        except Silent:
            pass
        except Gone:
            ending = "died"
        now = time.monotonic()
        waited += now - started
        if ending == "died":
            break
        if now - looked >= _LOOK_SECONDS:
            clocks.look(0.0 if line else min(now - looked, _LONGEST_LOOK))
            looked = now
            if reason := _out_of_time(clocks, seconds):
                ending = "out of time"
                break
            if program.has_taken_too_much():
                ending = "died"
                break
        if line is None:
            lines = []
            continue
        if transcript:
            print(">", line.decode("ascii", "backslashreplace"), file=transcript)
        try:
            lines = match.answer(line)
        except Violation as violation:
            ending, reason = "violation", str(violation)
            _send(program, ["-1"], transcript)
            break
    status = program.end(0.0 if ending == "out of time" else _SECONDS_TO_END)
    if ending == "died":
        reason = "closed its output before the match ended, and went on"
        if status is not None:
            reason = f"{how_it_ended(status)} before the match did"
    if program.has_taken_too_much():
        ending, reason = "died", out_of_memory(_MEGABYTES, mend="").what
    if reason:
        reason += f", in hand {match.hands_played + 1}"
    return Verdict(ending, reason, match.hands_played, match.mean_profit, waited)


def _out_of_time(clocks: Clocks, seconds: float) -> str:
    """Why the program is out of time, "" while it is not."""
    if clocks.cpu > seconds:
        return f"took more than {seconds:g} seconds of processor time"
    if clocks.slept > _PATIENCE * seconds:
        return f"kept the judge waiting for {_PATIENCE * seconds:g} seconds (is its output flushed?)"
    return ""


def _send(program: PipedProgram, lines: list[str], transcript: TextIO | None) -> None:
    if transcript:
        transcript.writelines(f"< {line}\n" for line in lines)
    program.send("".join(f"{line}\n" for line in lines).encode("ascii"))


class _Transcript(FileIO):
    """Raises InputError when a write fails, which may be late: text is buffered."""

    def write(self, content: Any, /) -> int:
        try:
            return super().write(content)
        except OSError as error:
            raise _unwritable(self.name, error) from None


def _unwritable(transcript: object, error: OSError) -> InputError:
    return InputError(f"--transcript {transcript}: can't be written: {error.strerror}")


def start(command: Sequence[str], *, sandboxed: bool) -> PipedProgram:
    """Start a program in the current folder, under the match's limits. Raises InputError."""
    sandbox, folder = SandboxSettings(mode="on" if sandboxed else "off"), Path.cwd()
    try:
        probe.probe_sandbox(sandbox.mode)
        found = find_command(command[0], folder) if sandboxed else shutil.which(command[0])
        if found is None:
            raise Unfit(f"{command[0]}: there is no such command")
        words = [found, *command[1:]]
        return PipedProgram(
            programs.start_in(folder, words, sandbox, memory_megabytes=_MEGABYTES, cpu_seconds=_MOST_CPU_SECONDS)
        )
    except (InputError, Unfit) as problem:
        hint = "; --no-sandbox runs a program with all your rights" if sandboxed else ""
        raise InputError(f"{problem}{hint}") from None
