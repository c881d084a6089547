"""The terminal form's judge: one match between a program and Bob, timed and written down."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TextIO

from engine.games.holdem_training.core import HoldemTraining
from engine.games.holdem_training.rates import RateSampler
from engine.kernel.records import Table as Records
from engine.processes.lanes import Violation
from engine.processes.lines import MOST_LINE_BYTES
from tournament.contests.holdem_training.decks import read_decks
from tournament.contests.holdem_training.protocol import Table
from tournament.contests.holdem_training.records import GAMES, SESSIONS
from tournament.contests.holdem_training.scoring import points, tasks
from tournament.contests.judging import Gone, JudgedMatch, Program, Silent
from tournament.store.columns import buffer_fields

SECONDS = 10.0
# On a busy machine the program is waited for up to so many times as long as it may work.
_PATIENCE = 3
_LOOK_SECONDS = 0.05
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


def judge_program(start: Callable[[], Program], match: JudgedMatch) -> Verdict:
    """Start a program and play its match with Bob. Raises BadInput for a bad file of hands."""
    decks = read_decks(match.decks) if match.decks else None
    hands = len(decks) if decks is not None else match.hands or HANDS
    games = Records(buffer_fields(GAMES), _ROWS)
    sessions = Records(buffer_fields(SESSIONS), 1)
    core = HoldemTraining(games, sessions, deals_key=match.deals_key, sessions=1, hands=hands, decks=decks)

    def empty_records() -> None:
        games.rows = sessions.rows = 0

    table = Table(core, RateSampler(match.helpers_key), empty_records)
    program = start()
    try:
        return judge(program, table, transcript=match.transcript)
    finally:  # a match that is broken off leaves no program behind
        program.end(0.0)


def judge(program: Program, table: Table, *, seconds: float = SECONDS, transcript: TextIO | None = None) -> Verdict:
    """Play a match to its end, or to what ends it before; then let the program end.

    The program is waited for so many seconds in all, and up to three times as long while it has not had as much
    processor time. Lines that it writes ahead are read when it is their turn. On a violation it gets -1. The transcript
    has the lines that the program reads after "< ", and those that it writes after "> ".
    """
    waited = 0.0
    lines = table.start()
    ending: Ending = "finished"
    reason = ""
    while True:
        _send(program, lines, transcript)
        if table.over:
            break
        started = time.monotonic()
        try:
            line = program.read_line(max(_LOOK_SECONDS, seconds - waited), MOST_LINE_BYTES)
        except Silent:
            line = None
        except Gone:
            line = None
            ending = "died"
        waited += time.monotonic() - started
        if ending == "died":
            break
        if waited > seconds and (reason := _out_of_time(program, seconds, waited)):
            ending = "out of time"
            break
        if line is None:
            lines = []
            continue
        if transcript:
            print(">", line.decode("ascii", "backslashreplace"), file=transcript)
        try:
            lines = table.answer(line)
        except Violation as violation:
            ending, reason = "violation", str(violation)
            _send(program, ["-1"], transcript)
            break
    status = program.end(0.0 if ending == "out of time" else _SECONDS_TO_END)
    if ending == "died":
        reason = "closed its output before the match ended, and went on"
        if status is not None:
            reason = f"its output ended before the match: {_status_text(status)}"
    if reason:
        reason += f", in hand {table.hands_played + 1}"
    return Verdict(ending, reason, table.hands_played, table.mean_profit, waited)


def _out_of_time(program: Program, seconds: float, waited: float) -> str:
    """Why the program is out of time, "" while it is not."""
    if program.cpu_seconds() > seconds:
        return f"took more than {seconds:g} seconds of processor time"
    if waited > _PATIENCE * seconds:
        return f"kept the judge waiting for {_PATIENCE * seconds:g} seconds (is its output flushed?)"
    return ""


def _send(program: Program, lines: list[str], transcript: TextIO | None) -> None:
    if transcript:
        transcript.writelines(f"< {line}\n" for line in lines)
    program.send("".join(f"{line}\n" for line in lines).encode("ascii"))


def _status_text(status: int) -> str:
    if status < 0:
        try:
            return f"killed by {signal.Signals(-status).name}"
        except ValueError:
            return f"killed by signal {-status}"
    return f"exit status {status}"
