"""Commands that contests bring: found by name, and loaded when they are asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import typer
from typer.core import TyperGroup

from tournament.contests import CONTESTS
from tournament.contests.contest import Contest
from tournament.errors import BadInput


def brought_commands() -> Mapping[str, Contest]:
    """The contests that bring commands, by the names of these; of several of one name the first."""
    return {name: contest for contest in reversed(CONTESTS) for name in contest.commands}


class Commands(TyperGroup):
    """The commands of the command line and, after them, those of the contests."""

    def list_commands(self, ctx: Any) -> list[str]:
        own = super().list_commands(ctx)
        return [*own, *(name for name in sorted(brought_commands()) if name not in own)]

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
