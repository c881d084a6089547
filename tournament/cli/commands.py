"""The command `tournament`."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import json
import os
import platform
import shlex
import signal
import sys
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console

import tournament
from tournament.cli.brought import Commands
from tournament.cli.check_tables import alike, check_table, replay_table
from tournament.cli.screen import Screen
from tournament.cli.tables import crosstable_tables, leaderboard_table, reasons
from tournament.config import load_config, load_contests
from tournament.contests import CONTESTS, SHIPPED, find_contest
from tournament.errors import BadInput, TournamentError, printable
from tournament.names import did_you_mean, valid_contest_name
from tournament.runner.contest_run import prepare_contest, run_prepared
from tournament.standings.results import Results, contests_held, crosstable_values, load, standing_values
from tournament.store.storage import inside, open_storage

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
# What is printed is text, not markup: names, reasons and paths are strangers'.
_out = Console(highlight=False, markup=False)
_err = Console(stderr=True, highlight=False, markup=False)

_PLAYS_WITH = ("wasmtime", "ziglang", "sandlock", "ray", "pyarrow")

_Contest = Annotated[
    str | None,
    typer.Argument(
        metavar="CONTEST", help=f"a table of tournament.toml, or one of: {', '.join(c.name for c in CONTESTS)}"
    ),
]
_ConfigPath = Annotated[Path | None, typer.Option("--config", help="settings file; default tournament.toml here")]
_ResultsOption = Annotated[
    str | None, typer.Option("--results", metavar="DIR|URL", help="where the contests' records are")
]
_Json = Annotated[bool, typer.Option("--json", help="print JSON for scripts")]


def _show_versions(wanted: bool) -> None:
    """Print the versions of all that plays, and end. They are looked up, not imported: Ray alone takes a second."""
    if not wanted:
        return
    print(f"tournament {tournament.__version__}")
    print(f"Python {platform.python_version()}")
    for name in _PLAYS_WITH:
        try:
            print(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            print(f"{name} is missing")
    raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_versions, is_eager=True, help="print versions and exit")
    ] = False,
) -> None:
    """Bot contests: drop one file per bot into a folder, run, watch the leaderboard, read every game in pandas."""


@app.command(
    epilog="Example: tournament run von_neumann_poker --sessions 2000 --seed 7",
)
def run(
    contests: Annotated[
        list[str] | None, typer.Argument(metavar="[CONTEST]...", help="which to run; default every table of the file")
    ] = None,
    entrants: Annotated[
        Path | None, typer.Option(metavar="DIR", help="folder of bots; default entrants/<contest>")
    ] = None,
    results: _ResultsOption = None,
    sessions: Annotated[int | None, typer.Option(metavar="N", help="sessions of a match")] = None,
    seed: Annotated[
        str | None,
        typer.Option(metavar="SEED", help="number or text that chooses the deals; default a secret one, recorded"),
    ] = None,
    workers: Annotated[int | None, typer.Option(metavar="N", help="how many play at once; 0 is one per core")] = None,
    executor: Annotated[str | None, typer.Option(metavar="auto|local|ray", help="who plays")] = None,
    address: Annotated[str | None, typer.Option(metavar="ADDR", help="Ray cluster to join, e.g. auto")] = None,
    config: _ConfigPath = None,
) -> None:
    """Play what is still to play, with a live leaderboard.

    Run again after a crash, after Ctrl-C or with a new bot in the folder:
    only what is missing is played.
    """
    chosen = {
        name: load_config(
            name,
            config,
            general={"results": results, "workers": workers, "executor": executor, "address": address},
            contest={"entrants": None if entrants is None else str(entrants), "sessions": sessions, "seed": seed},
        )
        for name in contests or load_contests(config).chosen
    }
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a polite end, as by Ctrl-C
    name, first = next(iter(chosen.items()))
    place = inside(first.results, name)
    try:
        with Screen(_err, "") as screen:  # whatever is wrong with the last is told before the first is played
            prepared = [prepare_contest(one.played, one, screen) for one in chosen.values()]
        for contest in prepared:
            title, place = contest.contest.title, contest.location
            with Screen(_err, title) as screen:
                standings = run_prepared(contest, screen)
            _out.print(leaderboard_table(standings, title, _out.width))
            if below := reasons(standings):
                _out.print(below, soft_wrap=True)
            _out.print(f"{standings.games:,} games in {place}", soft_wrap=True, markup=False)
    except KeyboardInterrupt:
        print(f"tournament: stopped; what was committed stays in {place}, run again to go on", file=sys.stderr)
        raise typer.Exit(130) from None


@app.command(epilog="Example: tournament leaderboard von_neumann_poker --json")
def leaderboard(
    contest: _Contest = None, results: _ResultsOption = None, config: _ConfigPath = None, as_json: _Json = False
) -> None:
    """Show the ranking of what is in the records, also during a run."""
    found = _load(contest, results, config)
    if as_json:
        _print_json([standing_values(line) for line in found.ranking.entrants])
        return
    _out.print(leaderboard_table(found.ranking, find_contest(found.field.contest, found.field.game).title, _out.width))
    if below := reasons(found.ranking):
        _out.print(below, soft_wrap=True)
    for how in found.confined_by:
        if how.startswith("off"):
            _out.print(f"sandbox {printable(how)}", soft_wrap=True, markup=False)


@app.command(epilog="Example: tournament crosstable von_neumann_poker")
def crosstable(
    contest: _Contest = None, results: _ResultsOption = None, config: _ConfigPath = None, as_json: _Json = False
) -> None:
    """Show every pairing: points per session of row against column."""
    found = _load(contest, results, config)
    if as_json:
        _print_json(crosstable_values(found.ranking))
        return
    for table in crosstable_tables(
        found.ranking, find_contest(found.field.contest, found.field.game).title, _out.width
    ):
        _out.print(table)


@app.command(epilog="Example: tournament verify von_neumann_poker --replay 10")
def verify(
    contest: _Contest = None,
    replay: Annotated[int, typer.Option(metavar="N", min=0, help="legs to play again, chosen at random")] = 0,
    results: _ResultsOption = None,
    config: _ConfigPath = None,
    as_json: _Json = False,
) -> None:
    """Check the records byte for byte: ledger, parts, sums and summaries; and play some legs again.

    Exits with 0 when all is as recorded, with 1 after a list of what is not, and what `tournament run` does about it.
    """
    from tournament.audit.verification import verify_contest

    found = []
    with Screen(_err, "") as screen:
        for location in _recorded(contest, results, config):
            found.append(verify_contest(location, lambda name: load_config(name, config), replay, screen))
    if as_json:
        _print_json([dataclasses.asdict(one) for one in found])
    else:
        for one in found:
            for problem in one.problems:
                _out.print(printable(f"{one.location}/{problem}"), soft_wrap=True)
            for note in one.notes:
                _out.print(printable(f"{one.location}: {note}"), soft_wrap=True)
            count = len(one.problems)
            verdict = f"{count} problem{'s' if count > 1 else ''}" if count else "all as recorded"
            _out.print(printable(f"{one}: {verdict}"), soft_wrap=True)
    if any(one.problems for one in found):
        raise typer.Exit(1)


@app.command(epilog="Example: tournament check entrants/von_neumann_poker/likeme.c --session 12 --game 3")
def check(
    bot: Annotated[Path, typer.Argument(metavar="BOT", help="the bot's file, or a program's folder")],
    contest: Annotated[
        str | None, typer.Option(help="default: the one in the bot's path, or the only one in tournament.toml")
    ] = None,
    session: Annotated[
        int | None, typer.Option(metavar="N", help="only play again and show this session of the check")
    ] = None,
    game: Annotated[int | None, typer.Option(metavar="N", help="of that session, up to this game")] = None,
    seed: Annotated[str | None, typer.Option(metavar="SEED", help="of a check that is to be repeated")] = None,
    config: _ConfigPath = None,
) -> None:
    """Build a bot, play it against a house bot, question it at the limits, and say whether it can enter.

    Exits with 0 when it can, with 1 when it can't.
    """
    from tournament.entrants.folder import check_among_others
    from tournament.trial.check import check_bot, contest_of, replay_check

    loaded = load_config(contest or contest_of(bot, load_contests(config)), config, contest={"seed": seed})
    chosen = loaded.played
    check_among_others(bot, loaded.entrants)
    with Screen(_err, chosen.title) as screen:
        if session is not None:
            replay = replay_check(chosen, loaded.contest, loaded.sandbox, bot, session, game, screen)
            _out.print(replay_table(replay))
            return
        report = check_bot(chosen, loaded.contest, loaded.sandbox, bot, screen)
    given = {"contest": contest, "config": config, "seed": seed or report.seed}
    options = [word for name, value in given.items() if value for word in (f"--{name}", str(value))]
    _out.print(check_table(report))
    for fault, _ in alike(report.faults):  # not in the table, where a line that is to be copied would be broken
        words = ["tournament", "check", str(bot), *options, "--session", str(fault.session), "--game", str(fault.game)]
        _out.print(f"again: {shlex.join(words)}", soft_wrap=True)
    if not report.fit:
        raise typer.Exit(1)


@app.command(epilog="Example: tournament new von_neumann_poker my_bot --language cpp")
def new(
    contest: Annotated[str, typer.Argument(metavar="CONTEST")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="the bot's name, which is its file's or its folder's")],
    language: Annotated[
        str | None,
        typer.Option(
            metavar="LANG",
            help="c, cpp, python, program-c, program-python or program-shell, if the contest has it; default its first",
        ),
    ] = None,
    entrants: Annotated[Path | None, typer.Option(metavar="DIR", help="folder of bots to put it into")] = None,
    config: _ConfigPath = None,
) -> None:
    """Write a commented bot to start from, into the entrants folder."""
    from tournament.entrants.new import write_new_bot

    chosen = load_config(contest, config, contest={"entrants": None if entrants is None else str(entrants)})
    path = write_new_bot(chosen.played, chosen.entrants, name, language)
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    _out.print(f"{shown} is there; try it with: tournament check {shown}", soft_wrap=True)


@app.command(epilog="Example: tournament init my_contest --contest von_neumann_poker")
def init(
    folder: Annotated[Path, typer.Argument(metavar="[FOLDER]", help="to write into, made if need be")] = Path(),
    contest: Annotated[
        list[str] | None, typer.Option(metavar="CONTEST", help="only this one; may be given again; default all")
    ] = None,
) -> None:
    """Write a folder to start a contest in: a commented tournament.toml, and the shipped bots to play against.

    Nothing that is there is overwritten.
    """
    from tournament.starter.folder import write_contest_folder

    there = {known.name: known for known in (*CONTESTS, *SHIPPED)}
    names = dict.fromkeys(contest or [known.name for known in SHIPPED])
    for name in names.keys() - there.keys():
        raise BadInput(f"no contest is called {name}; there are: {', '.join(there)}{did_you_mean(name, there)}")
    chosen = [there[name] for name in names]
    written = write_contest_folder(folder, chosen)
    _out.print(f"{folder} has {', '.join(str(path) for path in written)}", soft_wrap=True)
    step = "" if folder == Path() else f"cd {shlex.quote(str(folder))} && "
    _out.print(f"play it with: {step}tournament run {chosen[0].name}", soft_wrap=True)


def _place_of_results(contest: str | None, results: str | None, config: Path | None) -> str:
    """Where the contests' records are. Raises BadInput for a contest that neither the settings nor the records know."""
    known = load_contests(config)
    place = load_config(next(iter(known.all)), config, general={"results": results}).results
    if contest is not None and not (valid_contest_name(contest) and _holds_records(inside(place, contest))):
        known.find(contest)
    return place


def _holds_records(location: str) -> bool:
    return bool(open_storage(location).list("ledger"))


def _recorded(contest: str | None, results: str | None, config: Path | None) -> list[str]:
    """Where the records of a contest are, or those of all. Raises BadInput when there are none."""
    place = _place_of_results(contest, results, config)
    # A contest's own folder will do as well as the one above it.
    for names in ([contest] if contest is not None else contests_held(place), None):
        locations = [place] if names is None else [inside(place, name) for name in names]
        if held := [location for location in locations if _holds_records(location)]:
            return held
    raise BadInput(f"{place} holds no results")


def _load(contest: str | None, results: str | None, config: Path | None) -> Results:
    place = _place_of_results(contest, results, config)
    if contest is None:
        return load(place)
    location = inside(place, contest)
    # A contest's own folder will do as well as the one above it.
    return load(place if results is not None and not _holds_records(location) else location)


def _print_json(value: Any) -> None:
    sys.stdout.write(json.dumps(value, indent=2) + "\n")


def main() -> None:
    """Run the command; a problem is one line and an exit code, never a stack trace."""
    for name in ("stdout", "stderr"):  # closed: no file of ours may be taken for it
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))
    try:
        try:
            app(standalone_mode=True)
        finally:
            sys.stdout.flush()  # what can't be written is told here, not by the interpreter's end
    except TournamentError as problem:
        for line in str(problem).splitlines():
            print(f"tournament: {printable(line)}", file=sys.stderr)
        sys.exit(problem.exit_code)
    except BrokenPipeError:
        _give_up_output()
    except OSError as error:
        print(f"tournament: {error.filename or 'the output'}: {error.strerror or error}", file=sys.stderr)
        _give_up_output()


def _give_up_output() -> NoReturn:
    """End with exit code 1; what is still to be written to a closed or full output is dropped."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(1)
