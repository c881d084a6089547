"""The command `tournament run`. Its function has more than 60 lines, as Typer reads each option from its signature."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tournament.cli.options import OUTPUT, PLACES, PLAY, SETTLED, WHO_PLAYS, ConfigPath, Results
from tournament.errors import BadInput


def run(
    contests: Annotated[
        list[str] | None, typer.Argument(metavar="CONTEST", help="which to run; default every table of the file")
    ] = None,
    entrants: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="folder of bots; default entrants/<contest>", rich_help_panel=PLACES),
    ] = None,
    results: Results = None,
    sessions: Annotated[int | None, typer.Option(metavar="N", help="sessions of a match", rich_help_panel=PLAY)] = None,
    seed: Annotated[
        str | None,
        typer.Option(
            metavar="SEED",
            help="number or text that chooses the deals; default a secret one, recorded",
            rich_help_panel=PLAY,
        ),
    ] = None,
    replicas: Annotated[
        int | None, typer.Option(metavar="R", help="independent matches of each pairing", rich_help_panel=PLAY)
    ] = None,
    until_settled: Annotated[
        float | None,
        typer.Option(
            metavar="P",
            help="play more replicas where the order is open, until it is right with chance P",
            rich_help_panel=SETTLED,
        ),
    ] = None,
    most_replicas: Annotated[
        int | None, typer.Option(metavar="N", help="with --until-settled: but no more", rich_help_panel=SETTLED)
    ] = None,
    tie: Annotated[
        float | None,
        typer.Option(
            metavar="POINTS", help="with --until-settled: less of a difference is a tie", rich_help_panel=SETTLED
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            envvar="TOURNAMENT_WORKERS",
            help="how many play at once; 0 is one per core",
            rich_help_panel=WHO_PLAYS,
        ),
    ] = None,
    executor: Annotated[
        str | None,
        typer.Option(
            metavar="auto|local|ray",
            envvar="TOURNAMENT_EXECUTOR",
            help="this machine's threads, or Ray",
            rich_help_panel=WHO_PLAYS,
        ),
    ] = None,
    address: Annotated[
        str | None,
        typer.Option(
            metavar="ADDR",
            envvar="TOURNAMENT_ADDRESS",
            help="Ray cluster to join, e.g. auto",
            rich_help_panel=WHO_PLAYS,
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="exit with 1 when a bot is broken or disqualified", rich_help_panel=OUTPUT)
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", help="only say what would be played, for how long, how many bytes", rich_help_panel=PLAY
        ),
    ] = False,
    archive: Annotated[
        bool,
        typer.Option(
            "--archive", help="let options start anew where a million games were played otherwise", rich_help_panel=PLAY
        ),
    ] = False,
    progress: Annotated[
        str | None,
        typer.Option(metavar="json", help="write a line of JSON a second to standard error", rich_help_panel=OUTPUT),
    ] = None,
    config: ConfigPath = None,
) -> None:
    """Run again after a crash, after Ctrl-C or with a new bot in the folder:
    only what is missing is played.
    """
    # Imported here: help needs none of it.
    from tournament.config import load_config, load_contests
    from tournament.runner.early_key import begin_key
    from tournament.store.storage import inside

    overriding: dict[str, Any] = {
        "entrants": entrants,
        "sessions": sessions,
        "seed": seed,
        "replicas": replicas,
        "until_settled": until_settled,
        "most_replicas": most_replicas,
        "tie": tie,
    }
    general = {"results": results, "workers": workers, "executor": executor, "address": address}
    chosen = {
        name: load_config(name, config, **overriding, **general) for name in contests or load_contests(config).chosen
    }
    for name, one in chosen.items():
        begin_key(one, inside(one.results, name))

    from tournament.cli.playing import Playing  # imported while the key is worked out

    if progress not in (None, "json"):
        raise BadInput(f"--progress {progress}: there is json")
    given = {"entrants": entrants, "results": results, "config": config}
    lying_over = frozenset(name for name, value in overriding.items() if value is not None)
    playing = Playing(chosen, given, progress == "json", lying_over, archive)
    all_fit = playing.run(dry_run=dry_run)
    if strict and not all_fit:
        raise typer.Exit(1)
