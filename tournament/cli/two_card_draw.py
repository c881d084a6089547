"""The commands `tournament strategy …`: servers of two-card draw, generated and evaluated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from engine.games.two_card_draw.evaluation import StrategyEvaluator
from tournament.cli.consoles import err, out
from tournament.cli.fitting import Facts
from tournament.cli.groups import PLAIN, Command, Group, examples
from tournament.cli.options import OUTPUT, PLAY, option
from tournament.contests.two_card_draw.generate import Recipe, generate
from tournament.contests.two_card_draw.strategy_file import ServerStrategy, read_strategy_file, write_strategy
from tournament.errors import InputError
from tournament.small_files import write_atomically

app = typer.Typer(cls=Group, help="Generate and evaluate servers of two-card draw.", no_args_is_help=True, **PLAIN)
_Bet1 = Annotated[int, option("N", "a bet in round 1, 1 to 5 chips", PLAY, "--bet1")]
_Bet2 = Annotated[int, option("N", "a bet in round 2, bet1 to three times bet1", PLAY, "--bet2")]
_Output = Annotated[Path, option("FILE", "where to write the strategy", OUTPUT, "--output", "-o")]


@app.command(
    name="generate",
    cls=Command,
    epilog=examples("strategy generate --bet1 2 --bet2 4 --iterations 100000 --seed 7 -o server.txt"),
)
def generate_command(
    bet1: _Bet1,
    bet2: _Bet2,
    output: _Output,
    iterations: Annotated[int, option("N", "steps of hill climbing", PLAY)] = 100_000,
    seed: Annotated[int, option("N", "chooses the start and the proposals", PLAY)] = 1,
) -> None:
    """Make a server as the contest does: hill climbing from a random start.

    Raises:
        InputError: An option is out of range, or the file can't be written.
    """
    if not 1 <= bet1 <= 5:
        raise InputError(f"--bet1 {bet1}: must be 1 to 5")
    if not bet1 <= bet2 <= 3 * bet1:
        raise InputError(f"--bet2 {bet2}: must be {bet1} to {3 * bet1}, from bet1 to three times bet1")
    if not 0 <= iterations <= 10**9:
        raise InputError(f"--iterations {iterations}: must be 0 to 1000000000")
    if not 0 <= seed < 2**63:
        raise InputError(f"--seed {seed}: must be 0 to 2⁶³ − 1")
    with _progress_bar() as progress:
        task = progress.add_task("", total=iterations)
        strategy = generate(
            Recipe(bet1, bet2, iterations, seed),
            lambda steps, value: progress.update(
                task, completed=steps, description=f"value against the trembling opponent {value:+.6f}"
            ),
        )
    _write(output, write_strategy(strategy))
    out.print(_values(strategy, f"{output}"))


@app.command(cls=Command, epilog=examples("strategy evaluate server.txt"))
def evaluate(file: Annotated[Path, typer.Argument(metavar="FILE", help="a strategy file")]) -> None:
    """Say what a server is worth, exactly.

    Raises:
        InputError: The file can't be read, or is malformed.
    """
    strategy, _ = read_strategy_file(file)
    out.print(_values(strategy, f"{file}"))


def _progress_bar() -> Progress:
    """Return a bar that is shown on a terminal only, and removed when the work is done."""
    return Progress(
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
        console=err,
        disable=not err.is_terminal,
        transient=True,
    )


def _values(strategy: ServerStrategy, where: str) -> Facts:
    """Return a server's values in chips per hand, a line each.

    Args:
        strategy: The server.
        where: Its file, as text.
    """
    evaluator = StrategyEvaluator(strategy.rows, strategy.bet1, strategy.bet2)
    exact = evaluator.value()
    table = Facts()
    table.add_row("strategy", f"{where}, bets {strategy.bet1} and {strategy.bet2}")
    table.add_row("value", f"{exact:+.8f}: a perfect opponent wins {-exact:+.8f} a hand")
    table.add_row("trembling value", f"{evaluator.trembling_value():+.8f}")
    return table


def _write(path: Path, text: str) -> None:
    """Write a file in UTF-8, completely or not at all. Missing folders are made, and an existing file is replaced.

    Raises:
        InputError: It can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode())
    except OSError as error:
        raise InputError(f"{path} can't be written: {error.strerror}") from None
