"""Where a bot loses to one opponent, on a terminal."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tournament.cli.tables import facts_table, plain_table
from tournament.contests.portrait import Panel
from tournament.reporting.losses import Losses, as_numbers

_MOST_LABELS = 8  # of a chart that are shown; of more, evenly spaced ones
_MOST_CELLS = 40  # of a chart by row and column


def print_losses(console: Console, losses: Losses, see: Callable[[int, int], str]) -> None:
    """Where it loses. `see` makes the command that shows a session, or a game of it."""
    facts = facts_table()
    for number, one in enumerate(losses.seats):
        facts.add_row("" if number else "by seat", f"{one.mean:+,.3f} a {one.unit} {one.seat}, of {one.count:,}")
    if len(losses.course) > 1:
        facts.add_row("course", "  ".join(f"{mean:+,.2f}" for mean in losses.course))
        facts.add_row("", f"points a {losses.over}, from the first of a match to the last")
    kinds = losses.kinds or ()
    for number, kind in enumerate(kinds):
        what = f"{kind.share:.0%} in: {kind.kind} ({kind.in_words})"
        facts.add_row("" if number else "lost", Text(what))
    if losses.kinds == ():
        facts.add_row("lost", f"nothing to {losses.opponent}")
    console.print(facts)
    for kind in kinds:
        console.print(f"the worst of “{kind.kind}”: {see(kind.session, kind.game)}", soft_wrap=True)
    for panel in losses.panels:
        if table := _panel_table(panel):
            console.print(table)


def _panel_table(panel: Panel) -> Table | None:
    """A chart as numbers; None for one that is too large."""
    if (found := as_numbers(panel, _MOST_LABELS, _MOST_CELLS)) is None:
        return None
    headings, rows = found
    table = plain_table(panel.title, panel.meaning)
    table.add_column("", no_wrap=True)
    for heading in headings:
        table.add_column(Text(heading), justify="right")
    for name, values in rows:
        table.add_row(Text(name), *values)
    return table
