"""Replayed games, and faults with the commands that replay them, on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from tournament.cli.options import command_line
from tournament.errors import join_names, pluralize, printable
from tournament.standings.standings import Standings
from tournament.store.legs import Fault, LegResult, by_sort

if TYPE_CHECKING:
    from tournament.worker.observation import ObservedGame


def print_game(console: Console, game: ObservedGame) -> None:
    """A game: who holds what, each decision with what the bot was told, printed and answered, and the outcome.

    On a terminal the continuation of a line is indented like its beginning; elsewhere a line is a line.
    """

    def line(indent: int, *pieces: tuple[str, str]) -> None:
        text = Text.assemble(*[(printable(text), style) for text, style in pieces], overflow="fold")
        if console.is_terminal:
            console.print(Padding(text, (0, 0, 0, indent), expand=False))
        else:
            console.print(Text(" " * indent) + text, soft_wrap=True)

    held = ", ".join(f"{name} {' '.join(cards)}" for name, cards in game.cards.items())
    line(0, (f"game {game.game}", "bold"), (f": {held}" if held else "", ""))
    for step in game.steps:
        asked = step.question_text.removeprefix(f"{step.decision}: ")  # of contests without words of their own
        line(2, (step.bot, "bold"), (f" {step.decision}: {asked}", ""))
        for printed in step.printed.splitlines():
            line(4, (f"| {printed}", "dim"))
        if step.fault is not None:
            line(4, (f"fault: {step.fault}", "red"))
        elif step.answer_text:
            line(4, (f"→ {step.answer_text}", "green"))
    said = [f"{who} {what}" if who else what for who, what in game.actions]
    line(2, (f"{', '.join(said)}{'; ' if said else ''}{game.outcome}", "italic"))


def replay_command(contest: str, leg: LegResult, fault: Fault, options: Mapping[str, object]) -> str:
    """The command that plays a recorded fault's game again."""
    return command_line(
        "replay", contest, **{"match": leg.match, "session": fault.session, "game": fault.game, **options}
    )


def commands_to_see(contest: str, standings: Standings, options: Mapping[str, object]) -> dict[str, str]:
    """For each disqualified bot the command that plays the game of its reason again."""
    reasons: dict[str, tuple[LegResult, Fault]] = {}
    for leg, fault in standings.faults:
        if fault.seat in leg.out:
            reasons.setdefault(leg.seats[fault.seat], (leg, leg.telling_fault(fault.seat)))
    return {name: replay_command(contest, *reason, options) for name, reason in reasons.items()}


def fault_lines(
    contest: str, faults: Iterable[tuple[LegResult, Fault]], options: Mapping[str, object]
) -> Iterable[Text]:
    """Faults by bot and sort: the first of each sort, what the bot had printed, and the command that replays it."""
    for alike in by_sort(faults):
        leg, fault = alike[0]
        opponent = join_names(leg.opponents(fault.seat))
        where = f"match {leg.match} against {opponent}, session {fault.session}, game {fault.game}"
        name = leg.seats[fault.seat]
        yield Text.assemble((name, "bold"), f" {fault.decision}: {printable(fault.message)}")
        more = pluralize(len(alike) - 1, "more time")
        yield Text(f"  {where}{f', and the same {more}' if len(alike) > 1 else ''}")
        if fault.question_text:
            yield Text(f"  asked {printable(fault.question_text)}")
        for line in fault.last_output.splitlines():
            yield Text(f"  | {printable(line)}", style="dim")
        yield Text(f"  see it: {replay_command(contest, leg, fault, options)}")
