"""The command `tournament report`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

from tournament.cli.consoles import out
from tournament.cli.locations import location_of
from tournament.cli.options import CHOICE, OUTPUT, ConfigPath, ContestOrOnly, Results, flag, option
from tournament.config import load_config
from tournament.errors import BadInput
from tournament.records.results import locate
from tournament.reporting.writing import check_replaceable, make_page, write_pages_of_all_bots, write_report


def report(
    contest: ContestOrOnly = None,
    output: Annotated[
        Path | None, option("FILE", "file to write; default report.html", OUTPUT, "--output", "-o")
    ] = None,
    without_games: Annotated[
        bool, flag("--without-games", "leave out what shows cards, to publish while bots may still enter", CHOICE)
    ] = False,
    show_seed: Annotated[
        bool, flag("--show-seed", "after the contest: tell the seed, from which all cards follow", CHOICE)
    ] = False,
    bot: Annotated[
        str | None, option("NAME", "a page for this bot's author, without others' faults", CHOICE, "--bot")
    ] = None,
    against: Annotated[
        str | None, option("NAME", "with --bot: where it loses to this one; default whom it does worst against", CHOICE)
    ] = None,
    all_bots: Annotated[
        Path | None, option("DIR", "a page for the author of each bot, into this folder", OUTPUT, "--all-bots")
    ] = None,
    results: Results = None,
    config: ConfigPath = None,
) -> None:
    if all_bots and (bot is not None or output):
        raise BadInput("--all-bots writes files of its own: leave --bot and -o away")
    if against is not None and (bot is None or without_games):
        raise BadInput("--against: say also of which --bot, and leave --without-games away")
    config_of = partial(load_config, path=config, results=results)
    location = locate(location_of(contest, results, config))
    if all_bots:
        pages = write_pages_of_all_bots(
            location, all_bots, with_games=not without_games, show_seed=show_seed, config_of=config_of
        )
        count = f"{len(pages)} page{'' if len(pages) == 1 else 's'}"
        out.print(f"{all_bots}: {count}, one for the author of each bot", soft_wrap=True)
        return
    target = output or Path("report.html")
    check_replaceable(target)
    text, findings = make_page(
        location, with_games=not without_games, show_seed=show_seed, config_of=config_of, bot=bot, against=against
    )
    write_report(target, text)
    size = len(text.encode())
    out.print(f"{target}: {_games(findings.ranking.games)} on a page of {size / 1e6:.1f} MB", soft_wrap=True)


def _games(count: int) -> str:
    return f"{count:,} game{'s' if count != 1 else ''}"
