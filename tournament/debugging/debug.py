"""Debugging a bot: a recorded game's decisions, put to the bot's file outside the sandbox."""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tournament.artifacts.bot import Submission
from tournament.audit.replay import RecordedLeg, recorded_leg
from tournament.audit.report import reading
from tournament.config import Config
from tournament.contests.interface import Interface
from tournament.contests.questions import describe_question
from tournament.debugging import native, program
from tournament.debugging.tape import DecisionTape, TapedDecision, decisions_to_debug
from tournament.entrants.build import adapted, build_entrant
from tournament.entrants.folder import find_submissions
from tournament.errors import InputError, printable
from tournament.keys import seed_after_faults
from tournament.leg import Unfit
from tournament.names import did_you_mean
from tournament.sandbox.outside.launch import PythonBot
from tournament.sandbox.outside.scratch import scratch_folder
from tournament.store.reading import read_records
from tournament.store.storage import open_storage
from tournament.worker.observation import Window, observe_leg
from tournament.worker.processes import python_bots

Debugger = Literal["", "gdb", "pdb"]
_MAX_DECISIONS = 10_000_000
_LAST_GAME = (1 << 62) - 1


@dataclass(frozen=True)
class Place:
    """A game of the records.

    Attributes:
        match: Number of the match, or the names of its bots in any order.
        session: Session of the match, from 0.
        game: Game of the session, from 0; None for all games.
    """

    match: int | tuple[str, ...]
    session: int
    game: int | None


@dataclass(frozen=True)
class TapedBot:
    """A bot's file, and the decisions that lead to a recorded game.

    Attributes:
        submission: The file as it is now.
        is_changed: Whether the file has changed since the game was recorded.
        interface: The contest's interface, with the organiser's adapters and library.
        decisions: The decisions since the bot's last start, in order. There is at least one.
        texts: The decisions as text, in the same order.
        first: Index of the game's first decision.
        random_seed: The start of the bot's own randomness at its last start.
        tape: All that was recorded when the leg was played again, including decisions after the game.
        known: The leg as the records have it, with the bots as they played.
    """

    submission: Submission
    is_changed: bool
    interface: Interface
    decisions: Sequence[TapedDecision]
    texts: Sequence[str]
    first: int
    random_seed: int
    tape: DecisionTape
    known: RecordedLeg


def first_fault(location: str, bot: str) -> Place:
    """Return the place of a bot's first recorded fault: the one with the lowest match, session and game.

    Args:
        location: Folder or URL of the contest's records.
        bot: Name of the bot.

    Raises:
        InputError: The records have no such bot, or no fault of it, or the location is an invalid URL.
        RunError: The records can't be read.
    """
    with reading(location):
        records = read_records(open_storage(location))
        names = {name for batch in records.batches for name in batch.legs.names}
        positions = sorted(
            (leg.match, fault.session, fault.game)
            for batch in records.batches
            for leg in (batch.legs[number] for number in range(len(batch.legs)))
            for fault in leg.faults
            if fault.seat < len(leg.seats) and leg.seats[fault.seat] == bot
        )
    if bot not in names:
        raise InputError(f"the records have no bot {printable(bot)}{did_you_mean(bot, names)}")
    if not positions:
        raise InputError(f"{printable(bot)} has no recorded fault; choose a game with --match and --session")
    return Place(*positions[0])


def tape_bot(
    location: str, config_of: Callable[[str], Config], bot: str, position: Place, on_message: Callable[[str], None]
) -> TapedBot:
    """Play the leg of a recorded game again, sandboxed as in a run, and record the bot's decisions.

    Args:
        location: Folder or URL of the contest's records.
        config_of: Called with the name of a contest; returns its settings.
        bot: Name of the bot.
        position: The game, or all games of a session.
        on_message: Called with a line about each slow step.

    Raises:
        InputError: There are no such records or game, the bot doesn't play in it or has no decision there, or its file
            is missing or of another kind. The same is raised if a bot is no longer available as it played, a setting is
            wrong, or this machine can't build or confine a bot.
        RunError: The records can't be read, their seed is missing, a bot failed, or this machine can't play.
        OSError: Rows can't be stored, or too many files are open.
    """
    with reading(location):
        leg_record = recorded_leg(open_storage(location), config_of, position.match, position.session, on_message)
    contest, config = leg_record.contest, config_of(leg_record.contest.name)
    leg = leg_record.leg.with_team_seats(contest.members)
    seat = next((number for number, one in enumerate(leg.seats) if one.name == bot), None)
    if seat is None:
        players = " against ".join(leg_record.recorded.seats)
        raise InputError(f"{printable(bot)} doesn't play in match {leg_record.recorded.match}: it is {players}")
    found, _ = find_submissions(config.entrants)
    submission = next((one for one in found if one.name == bot), None)
    if submission is None:
        raise InputError(f"{config.entrants} has no {printable(bot)}: debug needs its file")
    interface = adapted(contest.interface, leg_record.players.settings)
    is_process = leg.seats[seat].kind != "wasm"
    if is_process != (submission.kind in ("python", "program")):
        raise InputError(f"{submission.path}: the records are of a bot of another kind; run again first")
    seed = leg.seats[seat].random_seed
    memory_bytes = 0 if is_process else interface.struct_size
    tapes: list[DecisionTape] = []

    def new_tape() -> DecisionTape:
        """Return a new tape, which counts from now on."""
        tapes.append(DecisionTape(interface, seat, memory_bytes, seed))
        return tapes[-1]

    in_leg = position.session - leg.plan.first_session
    last_game = _LAST_GAME if position.game is None else position.game
    window = Window(0, in_leg, 0, _LAST_GAME, _MAX_DECISIONS)
    on_message("playing the leg again")
    observe_leg(
        contest,
        leg_record.players.settings,
        leg_record.players.sandbox,
        leg_record.leg,
        leg_record.artifacts[-1],
        window,
        new_tape,
    )
    until = [one for one in tapes[-1].decisions if (one.session, one.game) <= (in_leg, last_game)]
    decisions, first, faults = decisions_to_debug(until, in_leg, position.game)
    if not decisions:
        raise InputError(f"{printable(bot)} makes no decision in that game; choose another one")
    texts = [
        printable(
            f"session {leg.plan.first_session + one.session}, game {one.game},"
            f" {describe_question(interface, one.kind, one.values)}"
        )
        for one in decisions
    ]
    if faults:
        seed = seed_after_faults(seed, faults)
    recorded = {entrant.name: entrant.sha256 for entrant in leg_record.entrants}
    return TapedBot(
        submission,
        recorded.get(bot) != submission.sha256,
        interface,
        decisions,
        texts,
        first,
        seed,
        tapes[-1],
        leg_record,
    )


def debug_bot(taped: TapedBot, folder: Path | None, debugger: Debugger, on_message: Callable[[str], None]) -> int:
    """Put a tape's decisions to the bot's file, outside the sandbox, at this process's terminal.

    Args:
        taped: The bot and its decisions.
        folder: An empty folder to keep what was built. None for a temporary one, which is removed.
        debugger: What the bot runs under, "" for nothing. gdb is only for C and C++, pdb only for Python. Other kinds
            of bots ignore it.
        on_message: Called with lines for the user. The processes print to the terminal themselves.

    Returns:
        0 if all answers are as recorded, otherwise 1, also if the bot fails. With gdb it is 0 unless gdb fails.

    Raises:
        InputError: A tool isn't installed, the bot can't be built or started, or doesn't end. The same is raised for
            WebAssembly, which has no source, and if this machine can't confine a build.
        RunError: This machine can't build the bot, or a program's archive is damaged.
        Unfit: A program's bot.toml is missing or wrong.
        OSError: The folder can't be written or isn't empty, or a command isn't found.
        UnicodeDecodeError: What a program wrote isn't text in the encoding of this process.
    """
    run = {"c": _debug_native, "cpp": _debug_native, "python": _debug_python, "program": _debug_program}
    if taped.submission.kind not in run:
        raise InputError(f"{taped.submission.path}: debug needs the source of a bot")
    with scratch_folder() if folder is None else contextlib.nullcontext(folder) as place:
        return run[taped.submission.kind](taped, place, debugger, on_message)


def _debug_native(taped: TapedBot, folder: Path, debugger: Debugger, on_message: Callable[[str], None]) -> int:
    """Debug a C or C++ bot, and return 0 if all answers are as recorded, otherwise 1.

    With gdb the result is 0 unless gdb fails, whatever the answers are.

    Raises:
        InputError: A tool isn't installed, the bot doesn't build, or this machine can't confine the compiler.
        RunError: This machine can't build the bot.
        OSError: The folder can't be written or isn't empty, or gcc isn't found.
    """
    with_gdb = debugger == "gdb"
    sandbox = taped.known.players.sandbox
    try:
        description = native.build_native(
            taped.submission, taped.interface, sandbox, folder, has_sanitizers=not with_gdb
        )
    except Unfit as unfit:
        raise InputError(f"{taped.submission.path}: {unfit}") from None
    on_message(f"built by {description}")
    orders = {
        "decisions": taped.decisions,
        "texts": taped.texts,
        "first": taped.first,
        "memory_bytes": taped.tape.memory_bytes,
        "random_seed": taped.random_seed,
        "imports": taped.interface.compiled.imports,
        "new_helpers": taped.interface.compiled.new_helpers,
    }
    return 1 if native.run_native(taped.submission.path, folder, orders, with_gdb=with_gdb) else 0


def _debug_python(taped: TapedBot, folder: Path, debugger: Debugger, on_message: Callable[[str], None]) -> int:
    """Debug a Python bot, and return 0 if all answers are as recorded, otherwise 1.

    Raises:
        InputError: The bot can't start, a package or file of the settings is missing, or this machine can't confine it.
        RunError: This machine can't build the bot.
        OSError: The folder can't be written.
    """
    interface, players = taped.interface, taped.known.players
    entrant = build_entrant(taped.submission, interface, players.settings, players.sandbox)
    if entrant.artifact is None:
        raise InputError(f"{taped.submission.path}: {entrant.problem}")
    launch = python_bots.launch_of(
        entrant.artifact, entrant.name, interface, players.sandbox, memory_megabytes=256, cpu_seconds=60
    )
    assert isinstance(launch.what, PythonBot)
    histories = interface.python.histories
    orders = {
        "file": str(taped.submission.path.resolve()),
        "settings": dict(launch.what.orders),
        "adapter": launch.given[0],
        "modules": interface.library,
        "random_seed": taped.random_seed,
        "decisions": taped.decisions,
        "texts": taped.texts,
        "parameters": [interface.parameters.get(question.name, ()) for question in interface.questions],
        "histories": (histories.length, histories.lists) if histories else None,
        "names": [question.answer_names for question in interface.questions],
        "first": taped.first,
        "steps": debugger == "pdb",
    }
    (folder / "orders").write_bytes(pickle.dumps(orders))
    command = [sys.executable, "-m", "tournament.debugging.python_driver", str(folder)]
    return 1 if subprocess.run(command).returncode else 0


def _debug_program(taped: TapedBot, folder: Path, debugger: Debugger, on_message: Callable[[str], None]) -> int:
    """Debug a program, and return 0 if all answers are as recorded, otherwise 1. Its exit status doesn't count.

    `on_message` receives the last 20 lines of its standard error, then the first difference or the number of answers.

    Raises:
        InputError: It can't be built or started, or doesn't end.
        Unfit: Its bot.toml is missing or wrong.
        RunError: Its archive is damaged.
        OSError: The folder can't be written, or the build's command isn't found.
        UnicodeDecodeError: What it wrote isn't text in the encoding of this process.
    """
    sessions = taped.known.leg.plan.sessions
    if taped.tape.lines:
        lines, answers = program.lines_of_dialogue(taped.tape.lines)
    else:
        lines, answers = program.lines_of(taped.interface, taped.decisions, taped.texts, sessions)
    written, errors, status = program.run_program(taped.submission.source, lines, folder)
    for line in errors.splitlines()[-20:]:
        on_message(f"stderr: {printable(line)}")
    if difference := program.first_difference(written, answers):
        on_message(difference)
        on_message(f"it ended with status {status}")
        return 1
    on_message(f"all {len(answers):,} answers are as in the contest")
    return 0
