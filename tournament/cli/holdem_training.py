"""The command `tournament judge`, of contests whose statement has programs judged."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tournament.cli.groups import PLAIN, Command, examples
from tournament.cli.options import OUTPUT, PLAY, option

_PROGRAM = "python3 entrants/holdem_training/my_bot/bot.py"

app = typer.Typer(**PLAIN)


@app.command(
    cls=Command,
    epilog=examples(
        f"judge holdem_training --hands 100 -- {_PROGRAM}",
        f"judge holdem_training --hands 100 --transcript lines.txt -- {_PROGRAM}",
    ),
)
def judge(
    contest: Annotated[str, typer.Argument(metavar="CONTEST", help="contest whose statement defines a judge")],
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND...", help="the program and its arguments")],
    hands: Annotated[int | None, option("G", "hands of the match; default 10000", PLAY, min=1, max=1000000)] = None,
    seed: Annotated[str, option("SEED", "number or text that chooses deals and dice", PLAY)] = "1",
    decks: Annotated[Path | None, option("FILE", "file of fixed hands, one per line", PLAY)] = None,
    transcript: Annotated[
        Path | None, option("FILE", "write every line here: < read by the program, > written by it", OUTPUT)
    ] = None,
) -> None:
    """Play a program as the contest's statement judges it, so that its author can debug it.

    Exits with 0 when it played to the end, and with 2 for bad input. With 3 when it broke the protocol, with 4 when it
    ran out of time, with 5 when its output ended before the match.

    Raises:
        InputError: The contest has no judge, a setting, an option or the file of hands is wrong, or the transcript
            can't be written. Or the program isn't found, can't be executed, or can't be confined.
        RunError: This machine can't run the program, or it was killed from outside.
        typer.Exit: The program didn't play to the end.
        OSError: The program's file can't be read, or rows can't be stored.
    """
    from tournament.cli.consoles import out
    from tournament.config import load_config
    from tournament.trial.judging import judge_program

    config = load_config(contest)
    verdict = judge_program(
        config.played, command, config.sandbox, hands=hands, seed=seed, decks=decks, transcript=transcript
    )
    out.print(verdict.text, soft_wrap=True)
    if verdict.exit_code:
        raise typer.Exit(verdict.exit_code)
