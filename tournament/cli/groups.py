"""Groups of commands: those of `tournament`, each loaded when it is asked for, and those that contests bring."""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from tournament.errors import BadInput

PLAIN: dict[str, Any] = {"add_completion": False, "rich_markup_mode": None, "pretty_exceptions_enable": False}


@dataclass(frozen=True)
class Listed:
    """A command as --help lists it: what it does, in a sentence, and where it is loaded from, as module:attribute.

    `example` are words to call it with; a contest's command has examples of its own.
    """

    where: str
    does: str
    example: str = ""


# Those of this module's `Commands`, in the order of --help.
OWN = {
    "run": Listed(
        "tournament.cli.run:run",
        "Play what is still to play, with a live leaderboard.",
        "run von_neumann_poker --sessions 2000 --seed 7",
    ),
    "leaderboard": Listed(
        "tournament.cli.standings:leaderboard",
        "Show the ranking of what is in the records, also during a run.",
        "leaderboard von_neumann_poker --rating nash",
    ),
    "crosstable": Listed(
        "tournament.cli.standings:crosstable",
        "Show every pairing: points per session of row against column.",
        "crosstable von_neumann_poker",
    ),
    "report": Listed(
        "tournament.cli.report:report",
        "Write all that the records tell into one page of HTML that opens anywhere, offline; also during a run.",
        "report von_neumann_poker -o report.html",
    ),
    "verify": Listed(
        "tournament.cli.audit:verify",
        "Check the records byte for byte: ledger, parts, sums and summaries; and play some legs again.",
        "verify von_neumann_poker --replay 10",
    ),
    "replay": Listed(
        "tournament.cli.audit:replay",
        "Play recorded games again: what each bot was asked, what it printed, what it answered.",
        "replay von_neumann_poker --match likeme,naive --session 12 --game 3",
    ),
    "match": Listed(
        "tournament.cli.trial:match",
        "Play two bots against each other, now, and say who is ahead by how much and how sure that is.",
        "match von_neumann_poker my_bot.py likeme --sessions 500",
    ),
    "faults": Listed(
        "tournament.cli.standings:faults",
        "List what went wrong with whom: each sort of fault once, what the bot printed, and how to see it again.",
        "faults von_neumann_poker --bot tight_rock",
    ),
    "check": Listed(
        "tournament.cli.trial:check",
        "Build a bot, play it against a house bot, question it at the limits, and say whether it can enter.",
        "check entrants/von_neumann_poker/likeme.c --session 12 --game 3",
    ),
    "new": Listed(
        "tournament.cli.start:new",
        "Write a commented bot to start from, into the entrants folder.",
        "new von_neumann_poker my_bot --language cpp",
    ),
    "init": Listed(
        "tournament.cli.start:init",
        "Write a folder to start a contest in: a commented tournament.toml, and the shipped bots to play against.",
        "init my_contest --contest von_neumann_poker",
    ),
}
# Commands of built-in contests.
BUILT_IN = {
    "judge": Listed(
        "tournament.cli.judge_command:app",
        "Play a program as the contest's statement has it judged, and nothing else: for its author to debug against.",
    ),
    "strategy": Listed(
        "tournament.cli.strategy:app", "Servers of two-card draw: generate them, value them, solve for the best."
    ),
}


class Group(TyperGroup):
    """Commands listed with their whole first sentences, without frames, which would double the time of --help."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        whole = formatter.width * 100
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(whole)) for name, one in self.commands.items()])


class Commands(Group):
    """The commands of the command line and, after them, those of the contests."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        # Names and sentences only: loading all commands takes longer than most of them run.
        self.commands = {name: TyperCommand(name, help=one.does) for name, one in (OWN | BUILT_IN).items()}

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in OWN:
            return _own_command(cmd_name)
        if cmd_name in BUILT_IN:
            return load_command("this package", cmd_name, BUILT_IN[cmd_name].where)
        from tournament.contests import CONTESTS

        for contest in CONTESTS:  # of commands with one name the first contest's
            if cmd_name in contest.commands:
                return load_command(contest.name, cmd_name, contest.commands[cmd_name])
        return None


def _own_command(name: str) -> Any:
    """One of the tournament's own commands. Its help is the listed sentence, then its function's docstring."""
    listed = OWN[name]
    module, _, attribute = listed.where.partition(":")
    function = getattr(importlib.import_module(module), attribute)
    app = typer.Typer(**PLAIN)
    details = inspect.getdoc(function)
    text = f"{listed.does}\n\n{details}" if details else listed.does
    app.command(name, help=text, epilog=f"Example: tournament {listed.example}")(function)
    return typer.main.get_command(app)


def load_command(contest: str, name: str, where: str) -> Any:
    """A contest's command, at "module:attribute". Raises BadInput where it can't be loaded, with the contest's name."""
    module, _, attribute = where.partition(":")
    try:
        app = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise BadInput(f"the command {name} of {contest} can't be loaded from {where}: {error}") from None
    command = typer.main.get_command(app)
    command.name = name
    return command
