"""The command `tournament`."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from tournament.cli.help import Group
from tournament.cli.strategy import app as strategy_commands
from tournament.errors import BadInput, TournamentError, printable

if TYPE_CHECKING:
    from tournament.standings.results import Results

# Commands import what they need when they are called: --help needs nothing of it.

app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.add_typer(strategy_commands, name="strategy")
_PLAYS_WITH = ("wasmtime", "ziglang", "sandlock", "ray", "pyarrow")

_Contest = Annotated[str | None, typer.Argument(metavar="CONTEST", help="one of: {contests}")]
_ConfigPath = Annotated[Path | None, typer.Option("--config", help="settings file; default tournament.toml here")]
_ResultsOption = Annotated[
    str | None, typer.Option("--results", metavar="DIR|URL", help="where the contests' records are")
]
_Json = Annotated[bool, typer.Option("--json", help="print JSON for scripts")]


def _show_versions(wanted: bool) -> None:
    """Print the versions of all that plays, and end. They are looked up, not imported: Ray alone takes a second."""
    import platform
    from importlib import metadata

    import tournament

    if not wanted:
        return
    print(f"tournament {tournament.__version__}")
    print(f"Python {platform.python_version()}")
    for name in _PLAYS_WITH:
        try:
            print(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
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
    replicas: Annotated[int | None, typer.Option(metavar="R", help="independent matches of each pairing")] = None,
    until_settled: Annotated[
        float | None,
        typer.Option(metavar="P", help="play more replicas where the order is open, until it is right with chance P"),
    ] = None,
    most_replicas: Annotated[int | None, typer.Option(metavar="N", help="with --until-settled: but no more")] = None,
    tie: Annotated[
        float | None, typer.Option(metavar="POINTS", help="with --until-settled: less of a difference is a tie")
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
    from tournament.cli.consoles import err, out
    from tournament.cli.screen import Screen
    from tournament.cli.tables import leaderboard_table, reasons
    from tournament.config import load_config
    from tournament.contests import find_contest
    from tournament.runner.seed import begin_key
    from tournament.store.storage import inside

    chosen = {
        name: load_config(
            name,
            config,
            general={"results": results, "workers": workers, "executor": executor, "address": address},
            contest={
                "entrants": None if entrants is None else str(entrants),
                "sessions": sessions,
                "seed": seed,
                "replicas": replicas,
                "until_settled": until_settled,
                "most_replicas": most_replicas,
                "tie": tie,
            },
        )
        for name in contests or _configured(config)
    }
    for name, one in chosen.items():
        begin_key(one, inside(one.results, name))

    from tournament.runner.contest_run import prepare_contest, run_prepared  # while keys are worked out

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a polite end, as by Ctrl-C
    name, first = next(iter(chosen.items()))
    place = inside(first.results, name)
    try:
        with Screen(err, "") as screen:  # whatever is wrong with the last is told before the first is played
            prepared = [prepare_contest(find_contest(name), one, screen) for name, one in chosen.items()]
        for contest in prepared:
            title, place = contest.contest.title, contest.location
            with Screen(err, title) as screen:
                standings = run_prepared(contest, screen)
            out.print(leaderboard_table(standings, title, out.width))
            if below := reasons(standings):
                out.print(below, soft_wrap=True)
            out.print(f"{standings.games:,} games in {place}", soft_wrap=True, markup=False)
    except KeyboardInterrupt:
        print(f"tournament: stopped; what was committed stays in {place}, run again to go on", file=sys.stderr)
        raise typer.Exit(130) from None


@app.command(epilog="Example: tournament leaderboard von_neumann_poker --json")
def leaderboard(
    contest: _Contest = None, results: _ResultsOption = None, config: _ConfigPath = None, as_json: _Json = False
) -> None:
    """Show the ranking of what is in the records, also during a run."""
    from tournament.cli.consoles import out
    from tournament.cli.tables import leaderboard_table, reasons
    from tournament.contests import find_contest
    from tournament.standings.results import standing_values

    found = _load(contest, results, config)
    if as_json:
        _print_json([standing_values(line) for line in found.ranking.entrants])
        return
    out.print(leaderboard_table(found.ranking, find_contest(found.field.contest).title, out.width))
    if below := reasons(found.ranking):
        out.print(below, soft_wrap=True)
    for how in found.confined_by:
        if how.startswith("off"):
            out.print(f"sandbox {printable(how)}", soft_wrap=True, markup=False)


@app.command(epilog="Example: tournament crosstable von_neumann_poker")
def crosstable(
    contest: _Contest = None, results: _ResultsOption = None, config: _ConfigPath = None, as_json: _Json = False
) -> None:
    """Show every pairing: points per session of row against column."""
    from tournament.cli.consoles import out
    from tournament.cli.tables import crosstable_tables
    from tournament.contests import find_contest
    from tournament.standings.results import crosstable_values

    found = _load(contest, results, config)
    if as_json:
        _print_json(crosstable_values(found.ranking))
        return
    for table in crosstable_tables(found.ranking, find_contest(found.field.contest).title, out.width):
        out.print(table)


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
    import dataclasses

    from tournament.audit.verification import verify_contest
    from tournament.cli.consoles import err, out
    from tournament.cli.screen import Screen
    from tournament.config import load_config

    found = []
    with Screen(err, "") as screen:
        for location in _recorded(contest, results, config):
            found.append(verify_contest(location, lambda name: load_config(name, config), replay, screen))
    if as_json:
        _print_json([dataclasses.asdict(one) for one in found])
    else:
        for one in found:
            for problem in one.problems:
                out.print(printable(f"{one.location}/{problem}"), soft_wrap=True)
            for note in one.notes:
                out.print(printable(f"{one.location}: {note}"), soft_wrap=True)
            count = len(one.problems)
            verdict = f"{count} problem{'s' if count > 1 else ''}" if count else "all as recorded"
            out.print(printable(f"{one}: {verdict}"), soft_wrap=True)
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
    import shlex

    from tournament.cli.check_tables import alike, check_table, replay_table
    from tournament.cli.consoles import err, out
    from tournament.cli.screen import Screen
    from tournament.config import load_config
    from tournament.contests import find_contest
    from tournament.entrants.folder import check_among_others
    from tournament.trial.check import check_bot, contest_of, replay_check

    chosen = find_contest(contest) if contest else contest_of(bot, _configured(config))
    loaded = load_config(chosen.name, config, contest={"seed": seed})
    check_among_others(bot, loaded.entrants)
    with Screen(err, chosen.title) as screen:
        if session is not None:
            replay = replay_check(chosen, loaded.contest, loaded.sandbox, bot, session, game, screen)
            out.print(replay_table(replay))
            return
        report = check_bot(chosen, loaded.contest, loaded.sandbox, bot, screen)
    given = {"contest": contest, "config": config, "seed": seed or report.seed}
    options = [word for name, value in given.items() if value for word in (f"--{name}", str(value))]
    out.print(check_table(report))
    for fault, _ in alike(report.faults):  # not in the table, where a line that is to be copied would be broken
        words = ["tournament", "check", str(bot), *options, "--session", str(fault.session), "--game", str(fault.game)]
        out.print(f"again: {shlex.join(words)}", soft_wrap=True)
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
    from tournament.cli.consoles import out
    from tournament.config import load_config
    from tournament.contests import find_contest
    from tournament.entrants.new import write_new_bot

    chosen = load_config(contest, config, contest={"entrants": None if entrants is None else str(entrants)})
    path = write_new_bot(find_contest(contest), chosen.entrants, name, language)
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    out.print(f"{shown} is there; try it with: tournament check {shown}", soft_wrap=True)


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
    import shlex

    from tournament.cli.consoles import out
    from tournament.contests import CONTESTS, find_contest
    from tournament.starter.folder import write_contest_folder

    chosen = [find_contest(name) for name in dict.fromkeys(contest or [known.name for known in CONTESTS])]
    written = write_contest_folder(folder, chosen)
    out.print(f"{folder} has {', '.join(str(path) for path in written)}", soft_wrap=True)
    step = "" if folder == Path() else f"cd {shlex.quote(str(folder))} && "
    out.print(f"play it with: {step}tournament run {chosen[0].name}", soft_wrap=True)


@app.command(epilog="Example: tournament judge holdem_training --hands 1000 --no-sandbox -- python my_bot.py")
def judge(
    contest: Annotated[str, typer.Argument(metavar="CONTEST")],
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND...", help="the program and its arguments")],
    hands: Annotated[int | None, typer.Option(metavar="G", min=1, max=1_000_000, help="default 10000")] = None,
    seed: Annotated[str, typer.Option(metavar="SEED", help="number or text that chooses deals and dice")] = "1",
    decks: Annotated[Path | None, typer.Option(metavar="FILE", help="fixed hands, one a line, instead")] = None,
    transcript: Annotated[
        Path | None, typer.Option(metavar="FILE", help="write every line here: < read by the program, > written by it")
    ] = None,
    no_sandbox: Annotated[bool, typer.Option("--no-sandbox", help="run the program with all your rights")] = False,
) -> None:
    """Play a program as the contest's statement has it judged, and nothing else: for its author to debug against.

    Exits with 0 when it played to the end, 2 for bad input, 3 when it broke the
    protocol, 4 when it ran out of time, 5 when its output ended before the match.
    """
    from tournament.cli.consoles import out
    from tournament.contests import find_contest
    from tournament.trial.judge import judge_command

    verdict = judge_command(
        find_contest(contest), command, hands=hands, seed=seed, decks=decks, transcript=transcript,
        sandboxed=not no_sandbox,
    )  # fmt: skip
    out.print(verdict.text, soft_wrap=True)
    if verdict.exit_code:
        raise typer.Exit(verdict.exit_code)


def _configured(config: Path | None) -> list[str]:
    """The contests that have a table in the settings file, else all."""
    import tomllib

    from tournament.contests import CONTESTS

    try:
        document = tomllib.loads((config or Path("tournament.toml")).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        document = {}
    return [c.name for c in CONTESTS if c.name in document] or [c.name for c in CONTESTS]


def _recorded(contest: str | None, results: str | None, config: Path | None) -> list[str]:
    """Where the records of a contest are, or those of all. Raises BadInput when there are none."""
    from tournament.config import load_config
    from tournament.contests import CONTESTS, find_contest
    from tournament.store.storage import inside, open_storage

    names = [find_contest(contest).name] if contest is not None else [known.name for known in CONTESTS]
    place = load_config(names[0], config, general={"results": results}).results
    # A contest's own folder will do as well as the one above it.
    for locations in ([inside(place, name) for name in names], [place]):
        if held := [location for location in locations if open_storage(location).list("ledger")]:
            return held
    raise BadInput(f"{place} holds no results")


def _load(contest: str | None, results: str | None, config: Path | None) -> Results:
    from tournament.config import load_config
    from tournament.contests import CONTESTS, find_contest
    from tournament.standings.results import load
    from tournament.store.storage import inside, open_storage

    if contest is not None:
        place = load_config(contest, config, general={"results": results}).results
        location = inside(place, find_contest(contest).name)
        # A contest's own folder will do as well as the one above it.
        if results is not None and not open_storage(location).list("ledger"):
            return load(place)
        return load(location)
    return load(load_config(CONTESTS[0].name, config, general={"results": results}).results)


def _print_json(value: Any) -> None:
    import json

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
