"""The command that tries a bot: check."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tournament.artifacts.compiler_run import allow_less
from tournament.cache import cache_folder
from tournament.cli.check_rules import are_rules, audit_contest, check_rules
from tournament.cli.check_tables import check_table
from tournament.cli.consoles import err, out
from tournament.cli.options import PLAY, ConfigPath, Json, flag, option, print_json
from tournament.cli.replay_tables import print_game
from tournament.cli.screen import Screen
from tournament.config import Config, load_config, load_contests
from tournament.containment import containing
from tournament.entrants.folder import check_entry
from tournament.errors import InputError, TournamentError
from tournament.sandbox.outside.ending import CommandAborted
from tournament.trial.check import check_bot, check_values, find_contest_name

if TYPE_CHECKING:
    from tournament.store.field import FieldEntrant


def _recorded(loaded: Config) -> Sequence[FieldEntrant]:
    """Return the entrants of the last run, also those that couldn't play. Empty before the first run.

    Raises:
        RunError: The records can't be read.
        InputError: The location of the records is an invalid URL.
    """
    from tournament.runner.prepare import recorded_entrants

    return recorded_entrants(loaded.played, loaded)


def check(
    bot: Annotated[
        Path,
        typer.Argument(
            metavar="BOT", help="a bot's file or program's folder, or a contest's rules or, with --audit, name"
        ),
    ],
    contest: Annotated[
        str | None,
        option("CONTEST", "contest; default the one in the bot's path, or the only one in tournament.toml", PLAY),
    ] = None,
    seed: Annotated[str | None, option("SEED", "repeat the check of this seed", PLAY)] = None,
    submission_limits: Annotated[
        bool, flag("--submission-limits", "limit the compiler to 20 s and 1 GB, as an open contest does", PLAY)
    ] = False,
    quick: Annotated[bool, flag("--quick", "only build the bot, start it and play three games", PLAY)] = False,
    thorough: Annotated[
        bool, flag("--thorough", "compare positions of rules at every number of seats, not only fewest and most", PLAY)
    ] = False,
    audit: Annotated[
        bool, flag("--audit", "also play rules between equal bots: positions, luck, twins, failures, cost", PLAY)
    ] = False,
    minutes: Annotated[float, option("N", "minutes that --audit plays", PLAY, min=0.01, max=600)] = 10.0,
    config: ConfigPath = None,
    as_json: Json = False,
) -> None:
    """Build a bot, play it against the template, test extreme inputs, and say whether it can enter.

    Files with rules of a contest are checked against the conformance suite.

    Exit codes: 0 the bot can enter or the contest conforms, 1 it can't or doesn't.

    Raises:
        InputError: A setting or an option is wrong, the file is missing, another bot has its name, or this machine
            can't build or confine bots.
        RunError: This machine fails, the records can't be read, or the rules fail.
        ConformanceError: The rules fail between random bots.
        OSError: A file can't be read or written.
        CommandAborted: The thread must end.
        typer.Exit: The bot can't enter, or the contest doesn't conform.
    """
    if submission_limits:
        allow_less()
    contests = load_contests(config)
    if audit and str(bot) in contests.names:
        loaded = load_config(str(bot), config)
        with Screen(err, loaded.played.title) as screen:
            table, sound = audit_contest(loaded, screen, minutes, seed)
        out.print(table)
        if not sound:
            raise typer.Exit(1)
        return
    if not os.path.lexists(bot):
        candidates = sorted(Path("entrants").glob(f"*/{glob.escape(bot.name)}*"))
        hint = (
            f"; did you mean {candidates[0]}?" if candidates else ": say the path of the bot's file, or of its folder"
        )
        raise InputError(f"{bot}: not found{hint}")
    if contest is None and are_rules(bot):
        if (seed is not None and not audit) or submission_limits or quick:
            raise InputError(f"{bot}: this is a contest's rules; --quick, --seed and --submission-limits are for bots")
        with Screen(err, bot.name) as screen:
            audit_minutes = minutes if audit else None
            table, sound = check_rules(bot, screen, thorough=thorough, audit_minutes=audit_minutes, seed=seed)
        out.print(table)
        if not sound:
            raise typer.Exit(1)
        return
    if thorough or audit:
        raise InputError(f"{bot}: --thorough and --audit are for a contest's rules, and this is a bot")
    loaded = load_config(contest or find_contest_name(bot, contests), config, seed=seed)
    played = loaded.played
    check_entry(bot, loaded.entrants, lambda: _recorded(loaded))
    # A check contains the errors that its bot causes. Other errors of ours must not be tracebacks either.
    with containing(bot.name, "can't be shown", TournamentError, OSError, CommandAborted):
        with Screen(err, played.title) as screen:
            report = check_bot(played, loaded.contest, loaded.sandbox, bot, screen, screen.doing, quick=quick)
            if submission_limits and report.problem:  # an author needs no path of this machine
                report = replace(report, problem=report.problem.replace(str(cache_folder()), "…"))
        if as_json:
            print_json(check_values(report))
        else:
            out.print(check_table(report))
            for game in report.at_fault:
                print_game(out, game)
    if not report.fit:
        raise typer.Exit(1)
