"""The judge of the terminal form, which plays one match between a program and Bob as a contest does.

It can record the dialogue.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any, Literal, TextIO

import numpy as np
from numpy.typing import NDArray

from engine.games.holdem_training.core import HoldemTraining
from engine.games.holdem_training.rates import RateSampler
from engine.kernel.game_core import GameCore
from tournament.artifacts.commands import find_command
from tournament.cache import cache_folder
from tournament.contests.contest import Contest, CoreSetup
from tournament.contests.holdem_training.decks import read_decks
from tournament.contests.holdem_training.protocol import Dialogue
from tournament.contests.holdem_training.scoring import points, tasks
from tournament.contests.settings import ContestSettings
from tournament.errors import InputError, printable
from tournament.keys import trial_key
from tournament.leg import MORE_MEMORY, FailureKind, Leg, Unfit
from tournament.runner.schedule.fixtures import Competitor
from tournament.runner.schedule.legs import AgainstHouse
from tournament.sandbox.outside import fork_server, probe
from tournament.sandbox.outside.confined import Confined
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.processes import programs
from tournament.worker.processes.lanes import play_in_lanes
from tournament.worker.processes.spool import Spool

SECONDS = 10.0
HANDS = 10_000
_CHUNK = 1 << 16
_MAX_ERROR_BYTES = 1 << 20  # bytes of a program's standard error that are shown

Ending = Literal["finished", "violation", "out of time", "died"]
# Exit codes of `tournament judge`. 2 is bad input.
EXIT_CODES: dict[Ending, int] = {"finished": 0, "violation": 3, "out of time": 4, "died": 5}
_ENDINGS: dict[FailureKind, Ending] = {"line": "violation", "silence": "out of time", "time": "out of time"}


@dataclass(frozen=True)
class Verdict:
    """The end of a match.

    Attributes:
        ending: Kind of end.
        reason: Why it ended early, "" if it was finished.
        hands: Number of hands played to their end.
        mean_profit: Mean profit per hand, in chips, of the hands played to their end. It is W if the match was
            finished.
        seconds: Processor time that the program used, in seconds.
    """

    ending: Ending
    reason: str
    hands: int
    mean_profit: float
    seconds: float

    @property
    def exit_code(self) -> int:
        """Exit code of `tournament judge`."""
        return EXIT_CODES[self.ending]

    @property
    def text(self) -> str:
        """The verdict as one line. W in chips, points and tasks are in it only if the match was finished."""
        if self.ending != "finished":
            return f"{self.ending}: {self.reason}"
        small, large = tasks(self.mean_profit)
        passed = "both tasks passed" if large else "the small task passed" if small else "no task passed"
        return (
            f"finished: W = {self.mean_profit:.6f} over {self.hands:,} hands, {points(self.mean_profit)} points,"
            f" {passed}, took {self.seconds:.2f} s"
        )


class TranscribedDialogue(Dialogue):
    """A dialogue with a transcript. Lines that the program reads follow "< ", lines that it writes follow "> ".

    Args:
        core: The core of the match.
        rates: Answers the program's questions about rates.
        transcript: Receives the lines in order.
    """

    def __init__(self, core: HoldemTraining, rates: RateSampler, transcript: TextIO) -> None:
        super().__init__(core, rates)
        self._transcript = transcript

    def question_lines(self) -> list[str]:
        """Return the lines with the last outcome and the pending decision, and record them. Call it once for each."""
        return self.record_sent(super().question_lines())

    def read_line(self, line: bytes) -> list[str] | int:
        """Record a program's line, and return the reply to it as lines, which are recorded, too, or its answer.

        Returns:
            The reply to a RATE as a list of one line. Or the action: chips of a raise, 0 for a check, -1 for a fold.

        Raises:
            Violation: The line is malformed or not allowed. It is recorded all the same.
        """
        print(">", line.decode("ascii", "backslashreplace"), file=self._transcript)
        reply = super().read_line(line)
        if isinstance(reply, list):
            self.record_sent(reply)
        return reply

    def closing_lines(self) -> list[str]:
        """Return the last outcome and the score as lines, and record them."""
        return self.record_sent(super().closing_lines())

    def record_sent(self, lines: list[str]) -> list[str]:
        """Record lines that the program reads, and return the same list."""
        self._transcript.writelines(f"< {line}\n" for line in lines)
        return lines


def judge_program(
    contest: Contest,
    command: Sequence[str],
    sandbox: SandboxSettings,
    *,
    hands: int | None,
    seed: str,
    decks: Path | None,
    transcript: Path | None,
) -> Verdict:
    """Start a program in the current folder and play its match.

    The program may use SECONDS of processor time. Its first fault ends the match. Its standard error is copied to ours.

    Args:
        contest: The contest, with the rules of holdem_training.
        command: The program and its arguments.
        sandbox: The table [sandbox].
        hands: Number of hands of the match; None for the statement's number, HANDS, or that of `decks`.
        seed: Chooses deals and dice. No contest has the same deals.
        decks: File of fixed hands; None to deal them. Not allowed with `hands`.
        transcript: File for the dialogue, which is also written if the match can't be finished; None for no file.

    Returns:
        The verdict. A program that ends within the match but used more than SECONDS is out of time.

    Raises:
        InputError: The contest has no judge, an option or the file of hands is wrong, or the transcript can't be
            written. The program isn't found, can't be executed, or can't be confined.
        RunError: This machine can't play or use its cache, or the sandbox's probe was killed from outside.
        BotTrouble: The program was killed from outside. It is a RunError.
        OSError: The program's file can't be read, rows or the probe's files can't be stored, or too many files are
            open.
        CommandAborted: The thread must end.
    """
    if contest.rules != "holdem_training":
        raise InputError(f"{contest.name} has no judge for programs")
    if decks is not None and hands is not None:
        raise InputError("--hands and --decks: a file of hands sets their number; omit one of the options")
    fixed = read_decks(decks) if decks else None
    hands = hands or HANDS if fixed is None else len(fixed)
    program = _Program(command, sandbox)
    dialogues: list[TranscribedDialogue] = []
    with ExitStack() as opened:
        written = StringIO()
        if transcript:
            opened.callback(_write, transcript, written)

        def new_dialogue(core: GameCore, key: bytes) -> Dialogue:
            """Return a dialogue with a transcript, and keep it."""
            assert isinstance(core, HoldemTraining)
            dialogues.append(TranscribedDialogue(core, RateSampler(key), written))
            return dialogues[-1]

        judged = replace(
            contest,
            new_core=partial(_new_core, hands, fixed),
            interface=replace(contest.interface, new_dialogue=new_dialogue),
        )
        own = {"seed": seed, "max_faults": 0, "program_seconds": SECONDS, "increment_ms": 0.0}
        settings = contest.settings.model_validate(own)
        spool = opened.enter_context(contextlib.closing(Spool()))
        opened.callback(program.pass_on)
        legs, cache = [_leg(judged, settings)], cache_folder()
        (played,) = play_in_lanes(
            judged, settings, sandbox, legs, {"": b""}, cache, spool, program.pass_on, start_program=program.start
        )
        (dialogue,) = dialogues
        if played.result.faults:
            dialogue.record_sent(["-1"])
    (use,) = played.outcome.used
    verdict = partial(Verdict, hands=dialogue.hands_played, mean_profit=dialogue.mean_profit, seconds=use.cpu_seconds)
    if played.result.faults:
        fault = played.result.faults[0]
        reason = f"{fault.message.replace(MORE_MEMORY, '')}, in hand {dialogue.hands_played + 1}"
        return verdict(_ENDINGS.get(fault.kind, "died"), reason)
    if use.cpu_seconds > SECONDS:
        return verdict("out of time", f"took {use.cpu_seconds:.2f} s of processor time, {SECONDS:g} are allowed")
    return verdict("finished", "")


def _write(transcript: Path, text: StringIO) -> None:
    """Write a transcript to its file.

    Raises:
        InputError: It can't be written.
    """
    try:
        transcript.write_text(text.getvalue(), encoding="ascii", newline="\n")
    except OSError as error:
        raise InputError(f"--transcript {transcript}: can't be written: {error.strerror}") from None


def _leg(contest: Contest, settings: ContestSettings) -> Leg:
    """Return the leg of a program whose content is unknown, against Bob, on deals of the seed that no contest has."""
    assert contest.house is not None and settings.seed is not None
    key = trial_key(settings.seed)
    bob = contest.house.practice(key)
    program, house = Competitor(0, "the judged program", "program", ""), Competitor(0, bob.name, "house", "")
    # The deals of a seed are those of the contest's own settings.
    playing = contest.settings.model_validate({}).playing()
    return next(AgainstHouse(contest.rules, playing, key, [program], [house]).legs())


def _new_core(hands: int, decks: NDArray[np.uint8] | None, setup: CoreSetup[Any]) -> GameCore:
    """Return the core of a match with one session.

    Args:
        hands: Number of hands.
        decks: Card numbers of fixed hands, shape (hands, 9); None to deal the hands by the leg's key.
        setup: Leg and tables of the core.
    """
    tables = setup.games, setup.sessions
    return HoldemTraining(*tables, deals_key=setup.leg.deals_key, sessions=1, hands=hands, decks=decks)


class _Program:
    """A command that is started in the current folder. Its standard error is copied to ours, as printable text."""

    def __init__(self, command: Sequence[str], sandbox: SandboxSettings) -> None:
        """Find the command in the current folder or the search path.

        Args:
            command: The command and its arguments.
            sandbox: The table [sandbox].

        Raises:
            InputError: The command isn't found or can't be executed, or the machine can't confine it.
            RunError: The sandbox's probe was killed from outside, or can't be started.
            CommandAborted: The thread must end.
            OSError: The probe's files can't be written.
        """
        probe.probe_sandbox(sandbox.mode)
        self._sandbox = sandbox
        try:
            self._words = [find_command(command[0], Path.cwd()), *command[1:]]
        except Unfit as problem:
            raise InputError(str(problem)) from None
        self._errors = -1
        self._complained = 0
        self._text = codecs.getincrementaldecoder("utf-8")("replace")

    def start(self, *, memory_megabytes: int, cpu_seconds: int) -> Confined:
        """Start the command. Its standard error is then read by `pass_on`, and the returned process has none.

        Args:
            memory_megabytes: Memory of a bot by the contest's settings, in MiB.
            cpu_seconds: Limit of processor time, in seconds.

        Raises:
            InputError: The machine can't confine it.
            MachineBusyError: The system refuses to start it, or ends what starts it again and again.
            OSError: Its file can't be read, a folder is missing, or too many files are open.
        """
        launch = programs.launch_in(
            Path.cwd(), self._words, self._sandbox, memory_megabytes=memory_megabytes, cpu_seconds=cpu_seconds
        )
        confined = fork_server.start(launch, self._sandbox.mode)
        self._errors = os.dup(confined.errors)
        os.set_blocking(self._errors, False)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, confined.errors, inheritable=False)
        os.close(nothing)
        return confined

    def pass_on(self) -> bool:
        """Copy what the program has written to standard error. Return False, because the match must not stop.

        At most about 1 MiB is copied, and a note that the rest is omitted. Before the program starts, nothing is.
        """
        with contextlib.suppress(BlockingIOError):
            while self._errors >= 0 and (chunk := os.read(self._errors, _CHUNK)):
                if self._complained < _MAX_ERROR_BYTES:
                    sys.stderr.write(printable(self._text.decode(chunk)))
                    if self._complained + len(chunk) >= _MAX_ERROR_BYTES:
                        sys.stderr.write("\ntournament: the rest of the program's standard error is omitted\n")
                    sys.stderr.flush()
                self._complained += len(chunk)
        return False
