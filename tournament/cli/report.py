"""The command `tournament report`."""

from __future__ import annotations

import signal
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from tournament.cli.consoles import err, out
from tournament.cli.locations import location_of
from tournament.cli.options import CHOICE, OUTPUT, ConfigPath, ContestOrAny, Results, flag, option
from tournament.config import load_config
from tournament.errors import BadInput, printable
from tournament.records.results import locate
from tournament.reporting.findings import Findings
from tournament.reporting.writing import check_replaceable, make_page, write_pages_of_all_bots, write_report


def report(
    contest: ContestOrAny = None,
    output: Annotated[
        Path | None, option("FILE", "file to write; default report.html, with --serve none", OUTPUT, "--output", "-o")
    ] = None,
    serve: Annotated[
        bool, flag("--serve", "show it on this machine's own address, anew as a run goes on, until Ctrl-C", OUTPUT)
    ] = False,
    port: Annotated[
        int, option("N", "of --serve; default a free one", OUTPUT, min=0, max=65535, show_default=False)
    ] = 0,
    without_games: Annotated[
        bool, flag("--without-games", "leave out what shows cards, to publish while bots may still enter", CHOICE)
    ] = False,
    show_seed: Annotated[
        bool, flag("--show-seed", "after the contest: tell the seed, from which all cards follow", CHOICE)
    ] = False,
    bot: Annotated[
        str | None, option("NAME", "a page for this bot's author, without others' faults", CHOICE, "--bot")
    ] = None,
    all_bots: Annotated[
        Path | None, option("DIR", "a page for the author of each bot, into this folder", OUTPUT, "--all-bots")
    ] = None,
    results: Results = None,
    config: ConfigPath = None,
) -> None:
    if all_bots and (serve or bot is not None or output):
        raise BadInput("--all-bots writes files of its own: leave --serve, --bot and -o away")
    config_of = partial(load_config, path=config, results=results)
    location = locate(location_of(contest, results, config))
    if all_bots:
        pages = write_pages_of_all_bots(
            location, all_bots, with_games=not without_games, show_seed=show_seed, config_of=config_of
        )
        count = f"{len(pages)} page{'' if len(pages) == 1 else 's'}"
        out.print(f"{all_bots}: {count}, one for the author of each bot", soft_wrap=True)
        return
    target = output or (None if serve else Path("report.html"))
    if target:
        check_replaceable(target)

    def make() -> tuple[str, Findings]:
        text, findings = make_page(
            location, with_games=not without_games, show_seed=show_seed, live=serve, config_of=config_of, bot=bot
        )
        if target:
            write_report(target, text)
        return text, findings

    if not serve:
        text, findings = make()
        size = len(text.encode())
        out.print(f"{target}: {_games(findings.ranking.games)} on a page of {size / 1e6:.1f} MB", soft_wrap=True)
        return
    from tournament.reporting.serving import Server
    from tournament.store.storage import open_storage

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    storage = open_storage(location)
    try:
        with Server(make, lambda: storage.list("ledger"), port) as server:
            out.print(f"{server.url} shows {location} until Ctrl-C", soft_wrap=True)
            server.watch(lambda text: err.print(printable(text), soft_wrap=True))
    except KeyboardInterrupt:
        raise typer.Exit(0) from None


def _games(count: int) -> str:
    return f"{count:,} game{'s' if count != 1 else ''}"
