"""Groups of commands: those of `tournament`, each loaded when it is asked for."""

from __future__ import annotations

import importlib
import inspect
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

PLAIN: dict[str, Any] = {"add_completion": False, "rich_markup_mode": None, "pretty_exceptions_enable": False}


@dataclass(frozen=True)
class CommandEntry:
    """A command in a list of --help.

    Attributes:
        where: Place of its function, as module:attribute. For a group it is that of its `typer.Typer`.
        does: Its help's first sentence.
        examples: Ways to call it, without the program's name. Empty for groups, whose commands have their own.
    """

    where: str
    does: str
    examples: tuple[str, ...] = ()


# The commands of this module's `Commands`, in the order of --help.
OWN = {
    "run": CommandEntry(
        "tournament.cli.run:run",
        "Play what is still to play, with a live leaderboard.",
        (
            "run",
            "run von_neumann_poker --sessions 200 --seed 7",
            "run --sessions 20 --until-settled 0.9 --max-replicas 4",
            "run --dry-run",
        ),
    ),
    "watch": CommandEntry(
        "tournament.cli.watch:watch",
        "Keep contests current until stopped: play new bots, publish the board, take submissions.",
        ("watch", "watch von_neumann_poker --serve 8080 --submissions authors.toml"),
    ),
    "leaderboard": CommandEntry(
        "tournament.cli.standings:leaderboard",
        "Show the leaderboard of the recorded games, also during a run.",
        (
            "leaderboard von_neumann_poker",
            "leaderboard --rating elo",
            "leaderboard --history likeme",
            "leaderboard --csv > gradebook.csv",
        ),
    ),
    "crosstable": CommandEntry(
        "tournament.cli.standings:crosstable",
        "Show every pairing: points per session of row against column.",
        ("crosstable von_neumann_poker", "crosstable --bot likeme"),
    ),
    "report": CommandEntry(
        "tournament.cli.report:report",
        "Write a self-contained HTML report, also during a run.",
        ("report von_neumann_poker -o report.html", "report --public -o standings.html", "report --folder pages"),
    ),
    "verify": CommandEntry(
        "tournament.cli.audit:verify",
        "Check parts, sums and summaries of the records byte by byte, and replay legs on request.",
        ("verify von_neumann_poker", "verify von_neumann_poker --replay 10"),
    ),
    "replay": CommandEntry(
        "tournament.cli.audit:replay",
        "Replay recorded games: each bot's questions, output and answers.",
        ("replay von_neumann_poker --match likeme,naive --session 12 --game 3",),
    ),
    "match": CommandEntry(
        "tournament.cli.match:match",
        "Play one bot against one, some or all others, and show its score with its error.",
        (
            "match von_neumann_poker naive likeme",
            "match von_neumann_poker naive likeme --sessions 500 --seed 7 --session 2 --game 0",
            "match von_neumann_poker likeme naive --sessions 50 --until-settled 0.95",
            "match von_neumann_poker likeme",
            "match von_neumann_poker scholar --baseline likeme --sessions 50 --replicas 10",
        ),
    ),
    "faults": CommandEntry(
        "tournament.cli.standings:faults",
        "List broken bots and each kind of fault, with the command that replays it.",
        ("faults von_neumann_poker", "faults --bot likeme"),
    ),
    "debug": CommandEntry(
        "tournament.cli.debug:debug",
        "Run your own bot on a recorded game outside the sandbox, with sanitizers or a debugger.",
        ("debug likeme --match likeme,naive --session 3 --yes",),
    ),
    "losses": CommandEntry(
        "tournament.cli.losses:losses",
        "List the decisions and hands in which a bot wins less than others do.",
        ("losses von_neumann_poker likeme", "losses von_neumann_poker likeme --by-opponent"),
    ),
    "compare": CommandEntry(
        "tournament.cli.compare:compare",
        "Compare two runs of one contest, and say which differences are significant.",
        (
            "compare results/von_neumann_poker other_results/von_neumann_poker",
            "compare results/von_neumann_poker copy/von_neumann_poker --assert-same",
        ),
    ),
    "cite": CommandEntry(
        "tournament.cli.cite:cite",
        "Print a citation of a run: versions, settings, digests of bots and results.",
        ("cite von_neumann_poker", "cite von_neumann_poker --bibtex --show-seed"),
    ),
    "check": CommandEntry(
        "tournament.cli.trial:check",
        "Build a bot, play it against the template, test extreme inputs, and say whether it can enter.",
        ("check entrants/von_neumann_poker/likeme.c", "check entrants/von_neumann_poker/likeme.c --seed 7"),
    ),
    "new": CommandEntry(
        "tournament.cli.start:new",
        "Write a commented bot to start from, into the entrants folder.",
        (
            "new von_neumann_poker my_bot --language python",
            "new two_card_draw my_bot --language cpp",
            "new holdem_training my_bot --language program-python",
        ),
    ),
    "init": CommandEntry(
        "tournament.cli.start:init",
        "Write a folder to start a contest in: a commented tournament.toml, and the shipped bots to play against.",
        (
            "init my_contest",
            "init my_other_contest --contest von_neumann_poker --no-bots",
            "init my_own_contest --rules auction --shape simultaneous",
        ),
    ),
    "schemas": CommandEntry(
        "tournament.cli.schemas:schemas",
        "Print JSON Schemas of the output of commands with --json.",
        ("schemas", "schemas leaderboard"),
    ),
}
# Groups of commands, and those of contests.
GROUPS = {
    "author": CommandEntry("tournament.cli.author:app", "Manage who may submit bots to an open contest."),
    "judge": CommandEntry(
        "tournament.cli.holdem_training:app",
        "Play a program as the contest's statement judges it, so that its author can debug it.",
    ),
    "strategy": CommandEntry("tournament.cli.two_card_draw:app", "Generate and evaluate servers of two-card draw."),
}


def examples(*words: str) -> str:
    """Return the epilog of a `Command` from ways to call it without the program's name, a line for each in order."""
    return "\n".join(f"tournament {one}" for one in words)


class Command(TyperCommand):
    """A command whose --help lists options by what they are for, and ends with examples that can be copied.

    Its help omits the section of exceptions.
    """

    def __init__(self, *args: Any, help: str | None = None, **settings: Any) -> None:
        super().__init__(*args, help=help and help.partition("\n\nRaises:")[0], **settings)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options by group."""
        for group, params in options_by_group(self).items():
            with formatter.section(group):
                records = [
                    (p.metavar or p.name, p.help or "") if _is_argument(p) else p.get_help_record(ctx) for p in params
                ]
                formatter.write_dl([record for record in records if record])

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples."""
        lines = (self.epilog or "").splitlines()
        with formatter.section("Example" if len(lines) == 1 else "Examples"):
            for line in lines:
                formatter.write(f"{' ' * formatter.current_indent}{line}\n")


def options_by_group(command: Any) -> dict[str, list[Any]]:
    """Return a command's arguments and options by heading of --help.

    The heading Arguments comes first, then the groups of `options.GROUPS` in their order. The heading Options comes
    last, for those without a group. Empty headings are omitted. Parameters are in the order of the command.
    """
    from tournament.cli.options import GROUPS  # loads the contests' names, which the list of commands doesn't need

    groups: dict[str, list[Any]] = {name: [] for name in ("Arguments", *GROUPS, "Options")}
    for param in command.get_params(typer.Context(command)):
        group = "Arguments" if _is_argument(param) else getattr(param, "rich_help_panel", None)
        groups[group or "Options"].append(param)
    return {name: params for name, params in groups.items() if params}


def _is_argument(param: Any) -> bool:
    """Return whether a parameter is an argument, not an option."""
    return bool(param.param_type_name == "argument")


class Group(TyperGroup):
    """Commands listed with their whole first sentences, without frames, which would double the time of --help."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the names of the commands, each with its sentence."""
        limit = formatter.width * 100
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(limit)) for name, one in self.commands.items()])


class Commands(Group):
    """The commands of the command line and, after them, groups of commands."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        # Names and sentences only: loading all commands takes longer than most of them run.
        self.commands = {name: TyperCommand(name, help=one.does) for name, one in (OWN | GROUPS).items()}

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names in the order of --help."""
        return list(self.commands)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import and return a command, or None if there is none of this name.

        Raises:
            ImportError: Something that its module imports isn't installed.
        """
        if cmd_name in OWN:
            return _own_command(cmd_name)
        if cmd_name in GROUPS:
            command = typer.main.get_command(_load(GROUPS[cmd_name].where))
            command.name = cmd_name
            return command
        return None


def _load(where: str) -> Any:
    """Import a module, and return its attribute.

    Args:
        where: The place as module:attribute.

    Raises:
        ImportError: The module, or something that it imports, isn't installed.
    """
    module, _, attribute = where.partition(":")
    return getattr(importlib.import_module(module), attribute)


def _own_command(name: str) -> Any:
    """Return one of the tournament's own commands.

    Its help is the listed sentence, followed by its function's docstring without the summary.

    Args:
        name: A key of `OWN`.

    Raises:
        ImportError: Something that its module imports isn't installed.
    """
    listed = OWN[name]
    function = _load(listed.where)
    app = typer.Typer(**PLAIN)
    # The docstring's summary is the listed sentence.
    _, _, details = (inspect.getdoc(function) or "").partition("\n\n")
    text = f"{listed.does}\n\n{details}" if details else listed.does
    app.command(name, cls=Command, help=text, epilog=examples(*listed.examples))(function)
    return typer.main.get_command(app)
