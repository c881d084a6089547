"""The command `tournament debug`."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tournament.cli.consoles import err, print_text
from tournament.cli.locations import find_location
from tournament.cli.options import CHOICE, LOCATIONS, ConfigPath, ContestOrOnly, Final, Results, flag, option
from tournament.cli.screen import Screen
from tournament.config import load_config
from tournament.debugging.debug import Debugger, Place, debug_bot, first_fault, tape_bot
from tournament.errors import InputError, pluralize


def debug(
    contest: ContestOrOnly = None,
    bot: Annotated[str | None, typer.Argument(metavar="BOT", help="name of a bot of your own")] = None,
    match: Annotated[
        str | None, option("N|X,Y", "the match's number, or its bots' names; without it, the first fault", CHOICE)
    ] = None,
    session: Annotated[int, option("S", "session of the match, from 0", CHOICE, min=0)] = 0,
    game: Annotated[int | None, option("G", "game of the session; without it, all", CHOICE, min=0)] = None,
    gdb: Annotated[bool, flag("--gdb", "run a C or C++ bot under gdb, stopped before each decision", CHOICE)] = False,
    yes: Annotated[bool, flag("--yes", "don't ask before the bot runs outside the sandbox", CHOICE)] = False,
    keep: Annotated[Path | None, option("DIR", "a new folder for what is built", LOCATIONS)] = None,
    entrants: Annotated[Path | None, option("DIR", "folder of bots", LOCATIONS)] = None,
    results: Results = None,
    final: Final = False,
    config: ConfigPath = None,
) -> None:
    """Run your own bot on a recorded game outside the sandbox, with sanitizers or a debugger.

    The bot has your rights. A C or C++ bot is built by gcc with sanitizers. A Python bot runs under pdb at a terminal.
    A program reads its lines. If tournament.toml has one contest, CONTEST can be omitted.

    Exit codes: 0 all answers are as in the contest, 1 an answer differs or the bot fails.

    Raises:
        InputError: An option is wrong, the records lack the bot or the game, the bot can't be built or started, a tool
            isn't installed, or consent is missing.
        RunError: The records can't be read, their seed is missing, or this machine can't play.
        typer.Exit: An answer differs, or the bot fails.
        OSError: The folder can't be written, or a command isn't found.
        Unfit: A program's bot.toml is missing or wrong.
        UnicodeDecodeError: What a program wrote isn't text in the encoding of this process.
    """
    if bot is None:
        contest, bot = None, contest
    if bot is None:
        raise InputError("missing BOT; give the name of a bot in the records")
    where = find_location(contest, results, config, final=final)
    get_config = partial(load_config, path=config, entrants=entrants, results=results)
    if match is None:
        position = first_fault(where, bot)
    else:
        names = tuple(name.strip() for name in match.split(","))
        position = Place(int(match) if match.isdecimal() else names, session, game)
    if keep is not None and keep.exists():
        raise InputError(f"--keep {keep}: exists; name a new folder")
    with Screen(err, "") as screen:
        taped = tape_bot(where, get_config, bot, position, screen.on_message)
    recorded = taped.known.recorded
    against = " against ".join(filter(None, [*recorded.seats, recorded.house]))
    where_played = f"session {position.session}" + ("" if position.game is None else f", game {position.game}")
    decisions = f"{pluralize(len(taped.decisions) - taped.first, 'decision')} after {taped.first:,}"
    print_text(f"match {recorded.match} ({against}), {where_played}: {decisions}")
    if taped.is_changed:
        print_text(f"{taped.submission.path} has changed since")
    if not yes:
        _confirm(taped.submission.path)
    if keep is not None:
        keep.mkdir(parents=True)
    at_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    debugger: Debugger = "gdb" if gdb else "pdb" if taped.submission.kind == "python" and at_terminal else ""
    if debug_bot(taped, keep, debugger, lambda text: print(text, flush=True)):
        raise typer.Exit(1)


def _confirm(path: Path) -> None:
    """Ask whether a bot may run outside the sandbox.

    Raises:
        InputError: There is no terminal, or the answer is no.
    """
    question = f"{path} will run outside the sandbox, with all your rights"
    if not sys.stdin.isatty():
        raise InputError(f"{question}; add --yes if it is your own")
    if not typer.confirm(f"{question}. Go on?", err=True):
        raise InputError("nothing was run")
