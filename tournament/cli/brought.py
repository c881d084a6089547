"""Commands that contests bring: found by name, and loaded when they are asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

from tournament.cli.help import Group
from tournament.errors import BadInput

if TYPE_CHECKING:
    from tournament.contests.contest import Contest


def brought_commands() -> Mapping[str, Contest]:
    """The contests that bring commands, by the names of these; of several of one name the first."""
    from tournament import contests

    return {name: contest for contest in reversed(contests.CONTESTS) for name in contest.commands}


class Commands(Group):
    """The commands of the command line, and those of the contests, which are imported only when one is called."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        super().format_commands(ctx, formatter)
        with formatter.section("Contests bring more, which their pages tell of"):
            formatter.write_text("tournament COMMAND --help")

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        own = super().get_command(ctx, cmd_name)
        contest = brought_commands().get(cmd_name) if own is None else None
        return own if contest is None else load_command(contest, cmd_name)


def load_command(contest: Contest, name: str) -> Any:
    """A contest's command. Raises BadInput where it can't be loaded, with the contest's name."""
    where = contest.commands[name]
    module, _, attribute = where.partition(":")
    try:
        app = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise BadInput(f"the command {name} of {contest.name} can't be loaded from {where}: {error}") from None
    command = typer.main.get_command(app)
    command.name = name
    return command
