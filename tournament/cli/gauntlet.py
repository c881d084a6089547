"""The command that plays one bot against all others."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from tournament.cli.check_tables import alike
from tournament.cli.consoles import err, out
from tournament.cli.options import (
    PLAY,
    WHO_PLAYS,
    ConfigPath,
    Contest,
    Json,
    option,
    print_json,
)
from tournament.cli.screen import Screen
from tournament.cli.tables import facts_table, matches_table, plain_table
from tournament.config import load_config
from tournament.entrants.folder import read_submission
from tournament.errors import printable
from tournament.keys import drawn_seed
from tournament.standings.history import matches_of_bot
from tournament.starter.folder import find_bot

if TYPE_CHECKING:
    from tournament.contests.contest import Contest as PlayedContest
    from tournament.standings.standings import Standings
    from tournament.trial.gauntlet import Figure, GauntletReport

_EXITS = {"better": 0, "open": 3, "worse": 4}


def gauntlet(
    contest: Contest,
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="a file or folder, or the name of an entrant or shipped bot")
    ],
    against: Annotated[
        list[str] | None,
        option("NAME", "only against this one, may be repeated; a bot, or a house player", WHO_PLAYS),
    ] = None,
    instead_of: Annotated[
        str | None,
        option("FILE|NAME", "its former version, which plays the same deals", WHO_PLAYS),
    ] = None,
    sessions: Annotated[int | None, option("N", "sessions of each match", PLAY)] = None,
    replicas: Annotated[
        int | None, option("N", "of each match; from 10 on errors hold whatever bots learn", PLAY)
    ] = None,
    seed: Annotated[
        str | None, option("SEED", "number or text that chooses the deals; default a drawn one, told", PLAY)
    ] = None,
    workers: Annotated[int | None, option("N", "matches that are played at once; default all cores", PLAY)] = None,
    config: ConfigPath = None,
    as_json: Json = False,
) -> None:
    """Nothing is kept, and the deals are never those of the contest's records. With --instead-of it exits with 0 where
    BOT is surely better, with 3 where that is open, and with 4 where it is surely worse.
    """
    from tournament.trial.gauntlet import play_gauntlet  # which needs what runs contests

    given = {"sessions": sessions, "replicas": replicas, "seed": seed or drawn_seed()}
    settings = load_config(contest, config, executor="local", workers=workers, **given)
    played, path = settings.played, find_bot(bot, settings)
    former = find_bot(instead_of, settings) if instead_of else None
    chosen = against or []
    opponents = chosen if played.house else [find_bot(one, settings) for one in chosen]

    def draw(standings: Standings, rows: int) -> Table:
        name = read_submission(path).name
        known = any(line.name == name for line in standings.entrants)
        return matches_table(matches_of_bot(standings, name)[:rows] if known else (), played.title)

    with Screen(err, played.title, draw=draw) as screen:
        report = play_gauntlet(played, settings, path, opponents, former, screen)
    if as_json:
        values = dataclasses.asdict(report) | {"seed": settings.contest.seed, "verdict": report.verdict}
        values["faults"] = [dataclasses.asdict(one) for _, one in report.faults]
        print_json(values)
    else:
        _print(report, played, seed or settings.contest.seed or "")
    if report.disqualified:
        raise typer.Exit(1)
    if former:
        raise typer.Exit(_EXITS[report.verdict])


def _print(report: GauntletReport, contest: PlayedContest, seed: str) -> None:
    scoring = contest.house.scoring if contest.house else None
    unit, form = ("score", f",.{scoring.decimals}f") if scoring else ("points a session", "+,.3f")
    more = "; better by: than its former version" if report.former else ""
    table = plain_table(f"{report.bot} against each", f"{unit}, ± 95%{more}")
    headings = ["against", unit, "± 95%", *(["former", "better by", "± 95%"] if report.former else [])]
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number else "left", no_wrap=True)
    for line in report.against:
        cells = [*_cells(line.points, form)]
        if line.former and line.better:
            cells += [Text(f"{line.former.value:{form}}"), *_cells(line.better, f"+{form.lstrip('+')}")]
        table.add_row(Text(line.opponent), *cells)
    if report.against:
        out.print(table)
    facts = facts_table()
    facts.add_row("played", f"{report.games:,} games in {report.sessions:,} sessions, seed {seed}")
    if report.points:
        facts.add_row("in all", f"{_in_words(report.points, form)} {unit}")
    if report.former_points and report.better:
        facts.add_row("former", Text(f"{_in_words(report.former_points, form)} for {report.former}"))
        better = _in_words(report.better, f"+{form.lstrip('+')}")
        facts.add_row("better by", f"{better}: {_VERDICTS[report.verdict]}")
    if there := report.would_stand:
        sure = f"{there.first}" if there.first == there.last else f"{there.first}–{there.last}"
        place = (
            "with two replicas and more errors tell which places are possible"
            if there.first is None
            else f"place {sure}"
        )
        facts.add_row("would stand", f"number {there.by_score} of {there.bots + 1} in the records by score; {place}")
    for fault, count in alike([one for _, one in report.faults]):
        others = f", and {count - 1:,} more alike" if count > 1 else ""
        facts.add_row("fault", Text(printable(f"{fault.question}: {fault.what}{others}")))
    for one in report.disqualified:
        facts.add_row("out", Text(f"{one} was disqualified: no figures", style="red"))
    out.print(facts)


_VERDICTS = {"better": "surely better", "worse": "surely worse", "open": "which is better is open"}


def _cells(figure: Figure, form: str) -> tuple[Text, Text]:
    style = {1: "green", 0: "", -1: "red"}[figure.sign]
    reach = "" if figure.reach is None else f"{figure.reach:{form.lstrip('+')}}"
    return Text(f"{figure.value:{form}}", style=style), Text(reach, style="dim")


def _in_words(figure: Figure, form: str) -> str:
    value, reach = _cells(figure, form)
    return f"{value}" + (f" ± {reach}" if reach else "")
