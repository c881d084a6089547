"""Commands that contests bring: found by name, and loaded when they are asked for."""

from __future__ import annotations

import importlib
from typing import Any

import typer

from tournament.cli.help import Group
from tournament.errors import BadInput

# Where contests that are built in say their commands are: --help lists them without loading a contest.
BUILT_IN = {"judge": "tournament.cli.judge:app", "strategy": "tournament.cli.strategy:app"}


class Commands(Group):
    """The commands of the command line and, after them, those of the contests."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*super().list_commands(ctx), *BUILT_IN]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        where = BUILT_IN.get(cmd_name)
        return load_command("this package", cmd_name, where) if where else _of_another(cmd_name)


def _of_another(name: str) -> Any:
    """A command that is not built in; of several of one name the first contest's."""
    from tournament.contests import CONTESTS

    for contest in CONTESTS:
        if name in contest.commands:
            return load_command(contest.name, name, contest.commands[name])
    return None


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
