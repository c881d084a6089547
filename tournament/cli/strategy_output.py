"""What the commands `tournament strategy …` show and write."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from engine.games.two_card_draw.evaluation import StrategyEvaluator
from tournament.cli.consoles import err
from tournament.contests.two_card_draw.strategy_file import ServerStrategy
from tournament.errors import BadInput


def progress_bar() -> Progress:
    """Shown on a terminal only, and gone when the work is done."""
    return Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
        console=err,
        disable=not err.is_terminal,
        transient=True,
    )


def values(strategy: ServerStrategy, where: str) -> Table:
    """What a server is worth, a line each."""
    evaluator = StrategyEvaluator(strategy.rows, strategy.bet1, strategy.bet2)
    exact = evaluator.value()
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    table.add_row("strategy", f"{where}, bets {strategy.bet1} and {strategy.bet2}")
    table.add_row("value", f"{exact:+.8f}: a perfect opponent wins {-exact:+.8f} a hand")
    table.add_row("trembling value", f"{evaluator.trembling_value():+.8f}")
    return table


def write(path: Path, text: str) -> None:
    """Write a file, whole or not at all. Raises BadInput where that can't be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False) as aside:
            aside.write(text)
        os.chmod(aside.name, 0o644)
        os.replace(aside.name, path)
    except OSError as error:
        raise BadInput(f"{path} can't be written: {error.strerror}") from None
