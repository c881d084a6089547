"""The command `tournament losses`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tournament.cli.consoles import out
from tournament.cli.fitting import LATE, FittingTable
from tournament.cli.locations import load_records
from tournament.cli.options import (
    CHOICE,
    ConfigPath,
    ContestOrOnly,
    Csv,
    Final,
    Json,
    Results,
    flag,
    option,
    print_json,
)
from tournament.errors import InputError, and_more, printable
from tournament.records.losses import SIGNIFICANT
from tournament.records.values import frame_rows, rows_csv

if TYPE_CHECKING:
    import pandas as pd


def losses(
    contest: ContestOrOnly = None,
    bot: Annotated[str | None, typer.Argument(metavar="BOT", help="name of a bot")] = None,
    by_opponent: Annotated[bool, flag("--by-opponent", "show each opponent separately", CHOICE)] = False,
    most: Annotated[int, option("N", "rows to show, the largest losses first", CHOICE)] = 10,
    results: Results = None,
    final: Final = False,
    config: ConfigPath = None,
    as_csv: Csv = False,
    as_json: Json = False,
) -> None:
    """List the decisions and hands in which a bot wins less than others do.

    Losses compare this bot's mean result of a decision, with the same hand, with that of other bots.

    If tournament.toml has one contest, CONTEST can be omitted.

    Raises:
        InputError: Options exclude each other, there are no such records or bots, or records of several contests. Or
            the contest's columns don't show decisions, or its rules are missing and needed.
        RunError: The records can't be read or are damaged, or this machine can't load the rules.
        FileNotFoundError: The records have changed while they were read.
    """
    if as_csv and as_json:
        raise InputError("--csv, --json: choose one of the two")
    if bot is None:
        contest, bot = None, contest
    if bot is None:
        raise InputError("missing BOT; give the name of a bot in the records")
    rows = load_records(contest, results, config, final=final).losses(bot, by_opponent=by_opponent)
    if as_json:
        print_json(frame_rows(rows))
    elif as_csv:
        print(rows_csv(frame_rows(rows)), end="")
    else:
        out.print(losses_table(rows, bot, max(0, most), by_opponent=by_opponent))


def losses_table(rows: pd.DataFrame, bot: str, max_rows: int, *, by_opponent: bool = False) -> FittingTable:
    """Return the largest losses as a table, without those that aren't significant, in the order of the rows.

    Args:
        rows: The losses, the largest first, with the columns of `LOSSES`.
        bot: Name of the bot.
        max_rows: Maximum number of rows. The caption counts the others.
        by_opponent: Whether rows are by opponent.
    """
    significant = rows[rows["lost"] > SIGNIFICANT * rows["stderr"]]
    remaining = len(significant) - max_rows
    table = FittingTable(
        f"losses of {printable(bot)}", f"{and_more(remaining)}: --most, --csv, --json" if remaining > 0 else ""
    )
    for name in ("decision", "hand", "answer", *(["against"] if by_opponent else [])):
        table.add_column(name, is_left=True)
    table.add_column("games", drop=LATE)
    table.add_column("wins a game")
    table.add_column("others")
    table.add_column("lost in all")
    table.add_column("± 95%", drop=LATE - 1)
    row: Any
    for row in significant.head(max_rows).itertuples(index=False):
        opponent = [printable(row.opponent)] if by_opponent else []
        numbers = f"{row.games:,}", f"{row.points:+.2f}", f"{row.others:+.2f}", f"{row.lost:,.0f}"
        table.add_row(row.decision, row.hand, row.answer, *opponent, *numbers, f"{1.96 * row.stderr:,.0f}")
    return table
