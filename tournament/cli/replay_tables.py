"""Replayed games, and faults with the commands that replay them, on a terminal."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tournament.cli.options import command_line
from tournament.errors import counted, printable
from tournament.standings.standings import Standings
from tournament.store.legs import Fault, LegResult, by_sort

if TYPE_CHECKING:
    from tournament.audit.replay import Replay
    from tournament.worker.observation import ObservedGame, Step


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
        asked = step.asked.removeprefix(f"{step.question}: ")  # of contests without words of their own
        line(2, (step.bot, "bold"), (f" {step.question}: {asked}", ""))
        for printed in step.printed.splitlines():
            line(4, (f"| {printed}", "dim"))
        if step.fault is not None:
            line(4, (f"fault: {step.fault}", "red"))
        elif step.answered:
            line(4, (f"→ {step.answered}", "green"))
    said = [f"{who} {what}" if who else what for who, what in game.actions]
    line(2, (f"{', '.join(said)}{'; ' if said else ''}{game.outcome}", "italic"))


def print_beside(console: Console, found: Replay) -> None:
    """A game with both versions of a bot, side by side, the first difference marked: the first game that differs."""
    beside = found.beside
    assert beside
    number, at = beside.differs_at or ((found.games or beside.games)[0].game, None)
    both = [next((one for one in games if one.game == number), None) for games in (found.games, beside.games)]
    table = Table(title=f"game {number}, session {found.session}", box=box.SIMPLE_HEAD, title_justify="left")
    file = Path(beside.version)
    near = file.relative_to(Path.cwd()) if file.is_relative_to(Path.cwd()) else file
    for heading in ("", f"{beside.bot} as played", Text(f"{beside.bot} of {near}", overflow="fold")):
        table.add_column(heading, overflow="fold")
    for place, steps in enumerate(itertools.zip_longest(*(game.steps if game else () for game in both))):
        cells = [Text(printable(_in_a_line(step)) if step else "—") for step in steps]
        first = beside.differs_at == (number, place)
        table.add_row("≠" if first else "", *cells, style="bold yellow" if first else "")
    if any(both):
        ends = [Text(printable(game.outcome), style="italic") if game else Text("not played") for game in both]
        table.add_row("≠" if beside.differs_at and at is None else "", *ends)
    console.print(table)
    if beside.differs_at is None:
        console.print(f"no difference in {'this game' if len(found.games) == 1 else 'all games of this session'}")
    elif at is not None:
        there = [game.steps[at] for game in both if game and at < len(game.steps)]
        told = len({(step.bot, step.asked) for step in there}) > 1
        why = ", in what is told: their games before came out otherwise" if told else ""
        console.print(f"they first differ in decision {at + 1} of game {number}{why}")
    else:
        console.print(f"they first differ in what came of game {number}")


def _in_a_line(step: Step) -> str:
    asked = step.asked.removeprefix(f"{step.question}: ")
    return f"{step.bot} {step.question}: {asked} → {f'fault: {step.fault}' if step.fault else step.answered}"


def replay_command(contest: str, leg: LegResult, fault: Fault, options: Mapping[str, object]) -> str:
    """The command that plays a recorded fault's game again."""
    return command_line(
        "replay", contest, **{"match": leg.match, "session": fault.session, "game": fault.game, **options}
    )


def commands_to_see(contest: str, standings: Standings, options: Mapping[str, object]) -> dict[str, str]:
    """For each disqualified bot the command that plays the game of its reason again."""
    ended: dict[str, LegResult] = {}
    for leg, fault in standings.faults:
        if leg.ended_by == fault.seat:
            ended.setdefault(leg.name_at(fault.seat), leg)
    return {name: replay_command(contest, leg, leg.telling_fault, options) for name, leg in ended.items()}


def fault_lines(
    contest: str, faults: Iterable[tuple[LegResult, Fault]], options: Mapping[str, object]
) -> Iterable[Text]:
    """Faults by bot and sort: the first of each sort, what the bot had printed, and the command that replays it."""
    for alike in by_sort(faults):
        leg, fault = alike[0]
        opponent = leg.name_at(1 - fault.seat)
        where = f"match {leg.match} against {opponent}, session {fault.session}, game {fault.game}"
        name = leg.name_at(fault.seat)
        yield Text.assemble((name, "bold"), f" {fault.question}: {printable(fault.what)}")
        more = counted(len(alike) - 1, "more time")
        yield Text(f"  {where}{f', and the same {more}' if len(alike) > 1 else ''}")
        if fault.asked:
            yield Text(f"  asked {printable(fault.asked)}")
        for line in fault.complaints.splitlines():
            yield Text(f"  | {printable(line)}", style="dim")
        yield Text(f"  see it: {replay_command(contest, leg, fault, options)}")
