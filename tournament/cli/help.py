"""Help texts: plain ones, since those in frames take as long to load as all else that --help needs.

They name the contests, which are imported only where a command's own help is asked for.
"""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

CONTESTS = "{contests}"  # stands for their names


class Group(TyperGroup):
    """Commands listed with their whole first sentences, in whose own help CONTESTS is filled in."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        whole = formatter.width * 100
        with formatter.section("Commands"):
            named = [(name, self.listed(ctx, name)) for name in self.list_commands(ctx)]
            formatter.write_dl([(name, command.get_short_help_str(whole)) for name, command in named if command])

    def listed(self, ctx: Any, name: str) -> Any:
        """A command as far as a list shows it."""
        return self.get_command(ctx, name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        if command and "--help" in rest:
            for parameter in command.params:
                _fill_in(parameter)
        return name, command, rest


def _fill_in(parameter: Any) -> None:
    text = getattr(parameter, "help", None)
    if text and CONTESTS in text:
        from tournament.contests import BUILT_IN

        parameter.help = text.replace(CONTESTS, ", ".join(BUILT_IN))
