"""The command `tournament run`. Its function has more than 60 lines, as Typer reads each option from its signature."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated, Any

import typer

from tournament.cli.options import (
    LOCATIONS,
    OUTPUT,
    PLAY,
    SETTLED,
    Cluster,
    ConfigPath,
    Executor,
    Results,
    Workers,
    flag,
    option,
)
from tournament.errors import InputError


def run(
    contests: Annotated[
        list[str] | None,
        typer.Argument(metavar="CONTEST", help="contest to run; default every table of tournament.toml"),
    ] = None,
    entrants: Annotated[Path | None, option("DIR", "folder of bots; default entrants/<contest>", LOCATIONS)] = None,
    results: Results = None,
    sessions: Annotated[int | None, option("N", "sessions of a match", PLAY)] = None,
    seed: Annotated[
        str | None, option("SEED", "number or text that chooses the deals; default a secret one, recorded", PLAY)
    ] = None,
    replicas: Annotated[int | None, option("R", "independent matches of each pairing", PLAY)] = None,
    until_settled: Annotated[
        float | None, option("P", "play more replicas until the order is right with probability P", SETTLED)
    ] = None,
    max_replicas: Annotated[
        int | None, option("N", "with --until-settled: maximum replicas of a match", SETTLED)
    ] = None,
    tie_margin: Annotated[
        float | None, option("POINTS", "with --until-settled: treat smaller differences as ties", SETTLED)
    ] = None,
    workers: Workers = None,
    executor: Executor = None,
    ray_address: Cluster = None,
    strict: Annotated[bool, flag("--strict", "exit with 1 when a bot is broken or disqualified", OUTPUT)] = False,
    dry_run: Annotated[
        bool, flag("--dry-run", "show what would be played, the time and the bytes, and play nothing", PLAY)
    ] = False,
    cores: Annotated[
        int | None, option("N", "with --dry-run: estimate the time on a cluster of this many cores", PLAY)
    ] = None,
    archive: Annotated[
        bool, flag("--archive", "start again, even if it archives a million games of other settings", PLAY)
    ] = False,
    progress: Annotated[str | None, option("json", "write a line of JSON per second to standard error", OUTPUT)] = None,
    config: ConfigPath = None,
) -> None:
    """Play what is still to play, with a live leaderboard.

    Run again after a crash, after Ctrl-C or with a new bot in the folder: only missing games are played.

    Raises:
        InputError: A setting or an option is wrong, too few bots can play, a folder can't be read, or this machine
            can't build or confine bots. Or there is no terminal to ask whether to archive records.
        RunError: A run stopped early, or the records can't be read or written.
        typer.Exit: The rules failed in a match, a bot has a problem with --strict or no name of its own, or not all was
            played. Also if the command is stopped.
        typer.Abort: Consent to archive records is refused.
    """
    import gc

    # Imported here: help needs none of it.
    from tournament.cli.playing import TO_REPEAT, RunCommand
    from tournament.config import load_config, load_contests

    gc.freeze()  # otherwise all that is loaded so far is searched for garbage before the first game
    options: dict[str, Any] = {
        "entrants": entrants,
        "sessions": sessions,
        "seed": seed,
        "replicas": replicas,
        "until_settled": until_settled,
        "max_replicas": max_replicas,
        "tie_margin": tie_margin,
        "results": results,
        "workers": workers,
        "executor": executor,
        "ray_address": ray_address,
    }
    if cores is not None:
        if not dry_run:
            raise InputError("--cores only estimates; add --dry-run, or set the number of workers with --workers")
        options["workers"] = cores
    configs = {name: load_config(name, config, **options) for name in contests or load_contests(config).chosen}
    if progress not in (None, "json"):
        raise InputError(f"--progress {progress}: there is json")
    repeated = {"entrants": entrants, "results": results, "config": config}
    as_written = dict(configs)
    if any(options[name] is not None for name in TO_REPEAT):
        unrepeated = {name: value for name, value in options.items() if name not in TO_REPEAT}
        for name in configs:
            with contextlib.suppress(InputError):  # settings that are none without the options
                as_written[name] = load_config(name, config, **unrepeated)
    playing = RunCommand(configs, repeated, progress == "json", archive, as_written, strict)
    problems = playing.run(dry_run=dry_run)
    if "provisional" in problems or (strict and problems):
        raise typer.Exit(1)
    if "incomplete" in problems:
        raise typer.Exit(3)
