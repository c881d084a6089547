"""The command `tournament report`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

from tournament.cli.consoles import err, out
from tournament.cli.locations import find_location
from tournament.cli.options import CHOICE, OUTPUT, ConfigPath, ContestOrOnly, Final, Results, command_line, flag, option
from tournament.config import load_config
from tournament.errors import InputError, printable
from tournament.reporting.writing import check_replaceable, make_page, write_folder, write_report


def report(
    contest: ContestOrOnly = None,
    output: Annotated[
        Path | None, option("FILE", "file to write; default report.html", OUTPUT, "--output", "-o")
    ] = None,
    public: Annotated[
        bool, flag("--public", "omit what shows cards, to publish while bots can still enter", CHOICE)
    ] = False,
    folder: Annotated[
        Path | None, option("DIR", "folder for a page of each bot, and all results as CSV", OUTPUT, "--folder")
    ] = None,
    results: Results = None,
    final: Final = False,
    config: ConfigPath = None,
) -> None:
    """Write a self-contained HTML report, also during a run.

    Publish a page without --public after the contest: it has games and the seed, from which all cards follow.

    Raises:
        InputError: An option is wrong, there are no records or those of several contests, or they change too fast. Or
            rules are missing, a folder can't be created, or another file is in the way.
        RunError: The records are damaged or can't be read, this machine can't load the rules, or a page can't be
            written.
        OSError: A part can't be read, or was removed while it was read.
    """
    if folder and output:
        raise InputError("--folder: can't be combined with -o")
    get_config = partial(load_config, path=config, results=results)
    location = find_location(contest, results, config, final=final)
    options = command_line(results=results, final=final, config=config).removeprefix("tournament")
    if folder:
        count = write_folder(location, folder, public=public, read_config=get_config, options=options)
        pages = f"{count} page{'' if count == 1 else 's'}, one for the author of each bot"
        out.print(f"{folder}: {pages}, leaderboard.csv and crosstable.csv", soft_wrap=True)
        return
    target = output or Path("report.html")
    check_replaceable(target)
    text, findings = make_page(location, public=public, read_config=get_config, options=options)
    write_report(target, text)
    if findings.render_problem:
        err.print(printable(f"{findings.render_problem}; the page shows this instead of a drawing"), soft_wrap=True)
    size = len(text.encode())
    out.print(f"{target}: {_games(findings.ranking.games)} on a page of {size / 1e6:.1f} MB", soft_wrap=True)


def _games(count: int) -> str:
    """Return a number of games as text, such as "1 game" or "2,000 games"."""
    return f"{count:,} game{'s' if count != 1 else ''}"
