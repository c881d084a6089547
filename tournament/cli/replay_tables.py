"""Replayed games, and faults with the commands that replay them, on a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from tournament.cli.options import command_line
from tournament.errors import join_names, pluralize, printable
from tournament.leg import make_title
from tournament.standings.standings import Standings
from tournament.store.leg_result import Fault, LegResult, by_sort

if TYPE_CHECKING:
    from tournament.audit.replay import Replay
    from tournament.worker.observation import ObservedGame


def print_replay(console: Console, replay: Replay) -> None:
    """Print whether games came out as recorded, then the games in order.

    If the contest's drawings are text, they replace the questions. The last drawing shows the end. Images are omitted.
    """
    title = make_title(replay.seats, replay.house)
    title += f", session {replay.session} of match {replay.match} of {replay.contest}"
    if replay.mismatch:
        _print_line(console, 0, (f"not as recorded: {replay.mismatch}", "red"))
    else:
        _print_line(console, 0, ("as recorded", "green"), (f": {pluralize(len(replay.games), 'game')}", ""))
    _print_line(console, 0, (title, "bold"))
    drawings = iter(() if any(map(_is_svg, replay.drawings)) else replay.drawings)
    for game in replay.games:
        print_game(console, game, drawings)
    _print_drawing(console, next(drawings, ""))


def print_game(console: Console, game: ObservedGame, drawings: Iterable[str] = ()) -> None:
    """Print who holds which cards, each decision with question, output and answer or fault, and the outcome of a game.

    Long lists are shortened, as `short_lists` does.

    Args:
        console: Where to print. A terminal indents the continuation of a line; elsewhere a line isn't broken.
        game: The game.
        drawings: The contest's drawings, of which one is taken for each decision. It replaces the question. A drawing
            that equals the one before isn't printed again. By default, and if they run out, there are none.
    """
    previous, drawings = "", iter(drawings)
    held = ", ".join(f"{name} {' '.join(cards)}" for name, cards in game.cards.items())
    _print_line(console, 0, (f"game {game.game}", "bold"), (f": {held}" if held else "", ""))
    for step in game.steps:
        drawing = next(drawings, "")
        if drawing != previous:
            _print_drawing(console, drawing)
        previous = drawing
        # Contests without words of their own repeat the decision's name.
        question = step.question_text.removeprefix(f"{step.decision}: ")
        question_text = "" if drawing else f": {short_lists(question)}"
        _print_line(console, 2, (step.bot, "bold"), (f" {step.decision}{question_text}", ""))
        for printed in step.printed.splitlines():
            _print_line(console, 4, (f"| {printed}", "dim"))
        if step.fault is not None:
            _print_line(console, 4, (f"fault: {step.fault}", "red"))
        elif step.answer_text:
            _print_line(console, 4, (f"→ {short_lists(step.answer_text)}", "green"))
    actions = [f"{who} {what}" if who else what for who, what in game.actions]
    outcome = short_lists(f"{', '.join(actions)}{'; ' if actions else ''}{game.outcome}")
    _print_line(console, 2, (outcome, "italic"))


def _print_line(console: Console, indent: int, *pieces: tuple[str, str]) -> None:
    """Print a line of pieces, which a terminal wraps with its indentation.

    Args:
        console: Where to print.
        indent: Indentation in characters.
        *pieces: Texts with their styles, "" for none. Unprintable characters are escaped.
    """
    text = Text.assemble(*[(printable(text), style) for text, style in pieces], overflow="fold")
    if console.is_terminal:
        console.print(Padding(text, (0, 0, 0, indent), expand=False))
    else:
        console.print(Text(" " * indent) + text, soft_wrap=True)


def _print_drawing(console: Console, drawing: str) -> None:
    """Print a contest's drawing, which is text, indented. Nothing is printed for ""."""
    for line in drawing.rstrip().splitlines():
        console.print(Text(f"  {printable(line)}"), soft_wrap=True)


def _is_svg(drawing: str) -> bool:
    """Return whether a drawing is an image, which a terminal can't show."""
    return drawing.lstrip().startswith("<svg")


_LISTED = 12  # items of a list that are shown, at either end half of them
_LIST = re.compile(r"[\[(]([^\[\]()]*,[^\[\]()]*)[\])]")


def short_lists(text: str) -> str:
    """Return a text in which only the first six and the last six items of each list of more than 13 are left.

    A list is in brackets or parentheses, with commas and spaces between items, and without another list in it.
    """

    def shortened(match: re.Match[str]) -> str:
        """Return a list with its items in the middle omitted, if it is long."""
        items = match[1].split(", ")
        if len(items) <= _LISTED + 1:
            return match[0]
        items_text = ", ".join([*items[: _LISTED // 2], f"… {len(items) - _LISTED:,} more …", *items[-_LISTED // 2 :]])
        return f"{match[0][0]}{items_text}{match[0][-1]}"

    return _LIST.sub(shortened, text)


def replay_command(contest: str, leg: LegResult, fault: Fault, options: Mapping[str, object]) -> str:
    """Return the command that replays a recorded fault's game.

    Args:
        contest: Name of the contest.
        leg: The leg of the fault.
        fault: The fault.
        options: Further options of the command by name. Those that are None or False are omitted.
    """
    return command_line(
        "replay", contest, **{"match": leg.match, "session": fault.session, "game": fault.game, **options}
    )


def commands_to_see(contest: str, standings: Standings, options: Mapping[str, object]) -> dict[str, str]:
    """Return the command that replays the game of its reason, for each disqualified bot, by the bot's name.

    If a bot was disqualified in several legs, the first one counts. Bots without recorded faults have no command.

    Args:
        contest: Name of the contest.
        standings: The standings.
        options: Further options of the commands by name. Those that are None or False are omitted.
    """
    reasons: dict[str, tuple[LegResult, Fault]] = {}
    for leg, fault in standings.faults:
        if fault.seat in leg.disqualified_seats:
            reasons.setdefault(leg.seats[fault.seat], (leg, leg.telling_fault(fault.seat)))
    return {name: replay_command(contest, *reason, options) for name, reason in reasons.items()}


def describe_faults(
    contest: str, faults: Iterable[tuple[LegResult, Fault]], options: Mapping[str, object]
) -> Iterable[Text]:
    """Yield lines of text about the first fault of each kind: bots by name, the most frequent kinds of each first.

    The lines have the number of further faults, what the bot had printed, and the command that replays the game.

    Args:
        contest: Name of the contest.
        faults: The faults, each after its leg.
        options: Further options of the commands by name. Those that are None or False are omitted.
    """
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
