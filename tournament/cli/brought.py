"""The commands by name, each made when it is asked for: ours, and those that contests bring, which are loaded then."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Iterator, MutableMapping
from typing import Any, TypeVar

import typer
from typer.core import TyperCommand

from tournament.cli.help import Group
from tournament.errors import BadInput

# Where contests that are built in say their commands are: --help lists them without loading a contest.
BUILT_IN = {"judge": "tournament.cli.judge_command:app", "strategy": "tournament.cli.strategy:app"}
# What a command does, and Typer's settings for it: to read the options of all of them takes longer than most commands.
OWN: dict[str, tuple[Callable[..., None], dict[str, Any]]] = {}

_Function = TypeVar("_Function", bound=Callable[..., None])


def command(**settings: Any) -> Callable[[_Function], _Function]:
    """Make a function a command of its name, as Typer's decorator does."""

    def register(function: _Function) -> _Function:
        OWN[function.__name__] = (function, settings)
        return function

    return register


class _OwnCommands(MutableMapping[str, Any]):
    """Our commands, made when they are looked up."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._made:
            function, settings = OWN[name]
            app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
            app.command(name, **settings)(function)
            self._made[name] = typer.main.get_command(app)
        return self._made[name]

    def __setitem__(self, name: str, made: Any) -> None:
        self._made[name] = made

    def __delitem__(self, name: str) -> None:
        del self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(OWN | self._made)

    def __len__(self) -> int:
        return len(OWN | self._made)


class Commands(Group):
    """The commands of the command line and, after them, those of the contests."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = _OwnCommands()

    def list_commands(self, ctx: Any) -> list[str]:
        return [*super().list_commands(ctx), *BUILT_IN]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        where = BUILT_IN.get(cmd_name)
        return load_command("this package", cmd_name, where) if where else _of_another(cmd_name)

    def listed(self, ctx: Any, name: str) -> Any:
        """A command as far as a list shows it."""
        if name in OWN:
            return TyperCommand(name, help=inspect.getdoc(OWN[name][0]))
        return self.get_command(ctx, name)


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
