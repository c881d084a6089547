"""The command `tournament report`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

from tournament.cli.consoles import err, out
from tournament.cli.locations import location_of
from tournament.cli.options import CHOICE, OUTPUT, ConfigPath, ContestOrOnly, Final, Results, command_line, flag, option
from tournament.config import load_config
from tournament.errors import InputError, printable
from tournament.reporting.writing import check_replaceable, make_page, write_author_pages, write_report


def report(
    contest: ContestOrOnly = None,
    output: Annotated[
        Path | None, option("FILE", "file to write; default report.html", OUTPUT, "--output", "-o")
    ] = None,
    public: Annotated[
        bool, flag("--public", "omit what shows cards, to publish while bots can still enter", CHOICE)
    ] = False,
    author_pages: Annotated[
        Path | None, option("DIR", "folder for a page for each bot's author", OUTPUT, "--author-pages")
    ] = None,
    results: Results = None,
    final: Final = False,
    config: ConfigPath = None,
) -> None:
    """Without --public the page has games, and the seed from which all cards follow: for after the contest."""
    if author_pages and output:
        raise InputError("--author-pages writes files of its own: leave -o away")
    config_of = partial(load_config, path=config, results=results)
    location = location_of(contest, results, config, final=final)
    options = command_line(results=results, final=final, config=config).removeprefix("tournament")
    if author_pages:
        pages = write_author_pages(location, author_pages, public=public, config_of=config_of, options=options)
        count = f"{len(pages)} page{'' if len(pages) == 1 else 's'}"
        out.print(f"{author_pages}: {count}, one for the author of each bot", soft_wrap=True)
        return
    target = output or Path("report.html")
    check_replaceable(target)
    text, findings = make_page(location, public=public, config_of=config_of, options=options)
    write_report(target, text)
    if findings.render_problem:
        err.print(printable(f"{findings.render_problem}; the page shows this instead of a drawing"), soft_wrap=True)
    size = len(text.encode())
    out.print(f"{target}: {_games(findings.ranking.games)} on a page of {size / 1e6:.1f} MB", soft_wrap=True)


def _games(count: int) -> str:
    return f"{count:,} game{'s' if count != 1 else ''}"
