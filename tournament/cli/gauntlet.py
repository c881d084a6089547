"""The command that plays one bot against all others."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table
from rich.text import Text

from tournament.cli.check_tables import VERDICTS, costs, stopped_in_words
from tournament.cli.consoles import err, out
from tournament.cli.options import (
    EXITS,
    PLAY,
    WHO_PLAYS,
    ConfigPath,
    Contest,
    Json,
    MostReplicas,
    Sprt,
    Until,
    option,
    print_json,
)
from tournament.cli.screen import Screen
from tournament.cli.tables import facts_table, matches_table, plain_table
from tournament.config import load_config
from tournament.errors import printable
from tournament.keys import drawn_seed
from tournament.standings.history import matches_of_bot
from tournament.store.legs import by_sort

if TYPE_CHECKING:
    from tournament.contests.contest import Contest as PlayedContest
    from tournament.standings.standings import Standings
    from tournament.trial.gauntlet import Figure, GauntletReport


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
    until: Until = None,
    sprt: Sprt = None,
    most_replicas: MostReplicas = None,
    seed: Annotated[
        str | None, option("SEED", "number or text that chooses the deals; default a drawn one, told", PLAY)
    ] = None,
    workers: Annotated[int | None, option("N", "matches that are played at once; default all cores", PLAY)] = None,
    config: ConfigPath = None,
    as_json: Json = False,
) -> None:
    """Nothing is kept, and the deals are never those of the contest's records. With --instead-of it exits with 0 where
    BOT is surely better, with 3 where that is open, and with 4 where it is surely worse. With --sprt it exits with 0
    for HIGH, 4 for LOW, each wrong once in twenty. With 1 where a version is disqualified.
    """
    import tournament.api  # which needs what runs contests

    seed = seed or drawn_seed()
    played, versions = load_config(contest, config).played, {Path(one).stem for one in (bot, instead_of) if one}

    def draw(standings: Standings, rows: int) -> Table:
        playing = [line.name for line in standings.entrants if line.name in versions]  # one of them at a time
        found = [match for name in playing for match in matches_of_bot(standings, name)]
        return matches_table(found, f"{' '.join(playing)} against each", rows)

    with Screen(err, played.title, draw=draw) as screen:
        report = tournament.api.gauntlet(
            contest, bot, against=against or [], instead_of=instead_of or None, config=config, sessions=sessions,
            replicas=replicas, until=until, sprt=sprt, most_replicas=most_replicas, seed=seed, workers=workers,
            watcher=screen,
        )  # fmt: skip
    if as_json:
        values = dataclasses.asdict(report) | {"seed": seed, "verdict": report.verdict}
        values["faults"] = [dataclasses.asdict(one) for _, one in report.faults]
        values["former_faults"] = [dataclasses.asdict(one) for _, one in report.former_faults]
        print_json(values)
    else:
        _print(report, played, seed)
    if report.disqualified:
        raise typer.Exit(1)
    if instead_of:
        raise typer.Exit(EXITS[report.verdict])


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
        one_replica = any(line.better and line.better.reach is None for line in report.against)
        more = "; --replicas 10 tells more" if one_replica else ""
        two_sizes = report.stopped and report.stopped.reaches is None
        facts.add_row("better by", better if two_sizes else f"{better}: {VERDICTS[report.verdict]}{more}")
    if report.stopped:
        facts.add_row("stopped", stopped_in_words(report.stopped))
    if there := report.would_stand:
        places = f"{there.first}" if there.first == there.last else f"{there.first}–{there.last}"
        place = "" if there.first is None else f"; place {places}"
        facts.add_row("would stand", f"number {there.by_score} of {there.bots + 1} in the records by score{place}")
    versions = (("", report.faults, report.cost), ("former: ", report.former_faults, report.former_cost))
    for whose, faults, cost in versions[: 2 if report.former else 1]:
        for what, text in costs(cost) if cost else ():
            facts.add_row(what, whose + text)
        for (_, fault), *like_it in by_sort(faults):
            others = f", and {len(like_it):,} more alike" if like_it else ""
            facts.add_row("fault", Text(printable(f"{whose}{fault.question}: {fault.what}{others}")))
    for one in report.disqualified:
        facts.add_row("out", Text(f"{one} was disqualified: no figures", style="red"))
    out.print(facts)


def _cells(figure: Figure, form: str) -> tuple[Text, Text]:
    style = {1: "green", 0: "", -1: "red"}[figure.sign]
    reach = "" if figure.reach is None else f"{figure.reach:{form.lstrip('+')}}"
    return Text(f"{figure.value:{form}}", style=style), Text(reach, style="dim")


def _in_words(figure: Figure, form: str) -> str:
    value, reach = _cells(figure, form)
    return f"{value}" + (f" ± {reach}" if reach else "")
