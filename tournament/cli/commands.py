"""The command `tournament`."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from tournament.cli.brought import Commands, command
from tournament.errors import BadInput, TournamentError, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tournament.config import Config
    from tournament.contests.contest import Contest
    from tournament.reporting.findings import Findings
    from tournament.standings.results import Results
    from tournament.standings.standings import Standings
    from tournament.trial.match import MatchReport

# Commands import what they need when they are called: --help needs nothing of it.

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
_PLAYS_WITH = ("wasmtime", "ziglang", "sandlock", "ray", "pyarrow")

_Contest = Annotated[
    str | None, typer.Argument(metavar="CONTEST", help="a table of tournament.toml, or one of: {contests}")
]
_ConfigPath = Annotated[
    Path | None,
    typer.Option("--config", envvar="TOURNAMENT_CONFIG", help="settings file; default tournament.toml here"),
]
_ResultsOption = Annotated[
    str | None,
    typer.Option("--results", metavar="DIR|URL", envvar="TOURNAMENT_RESULTS", help="where the contests' records are"),
]
_Json = Annotated[bool, typer.Option("--json", help="print JSON for scripts")]


def _show_versions(wanted: bool) -> None:
    """Print the versions of all that plays, and end. They are looked up, not imported: Ray alone takes a second."""
    if not wanted:
        return
    import platform
    from importlib import metadata

    import tournament

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


@command(
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
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", envvar="TOURNAMENT_WORKERS", help="how many play at once; 0 is one per core"),
    ] = None,
    executor: Annotated[
        str | None, typer.Option(metavar="auto|local|ray", envvar="TOURNAMENT_EXECUTOR", help="who plays")
    ] = None,
    address: Annotated[
        str | None, typer.Option(metavar="ADDR", envvar="TOURNAMENT_ADDRESS", help="Ray cluster to join, e.g. auto")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="exit with 1 when a bot is broken or disqualified")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="only say what would be played, for how long, how many bytes")
    ] = False,
    progress: Annotated[
        str | None, typer.Option(metavar="json", help="write a line of JSON a second to standard error")
    ] = None,
    config: _ConfigPath = None,
) -> None:
    """Play what is still to play, with a live leaderboard.

    Run again after a crash, after Ctrl-C or with a new bot in the folder:
    only what is missing is played.
    """
    from tournament.config import load_config, load_contests
    from tournament.runner.early_key import begin_key
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
        for name in contests or load_contests(config).chosen
    }
    for name, one in chosen.items():
        begin_key(one, inside(one.results, name))

    from rich.text import Text  # while keys are worked out

    from tournament.cli.consoles import err, out
    from tournament.cli.numbers import short
    from tournament.cli.screen import Screen
    from tournament.cli.tables import final_tables, first_line
    from tournament.entrants.folder import stamps
    from tournament.runner.contest_run import plan_of, prepare_contest, run_prepared

    if progress not in (None, "json"):
        raise BadInput(f"--progress {progress}: there is json")
    as_json = progress == "json"
    unfit = False

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # a polite end, as by Ctrl-C
    name, first = next(iter(chosen.items()))
    place = inside(first.results, name)
    try:
        before = {name: stamps(one.entrants) if one.entrants.is_dir() else {} for name, one in chosen.items()}
        # Whatever is wrong with the last is told before the first is played.
        prepared = []
        for name, one in chosen.items():
            with Screen(err, "", contest=name, as_json=as_json) as screen:
                prepared.append(prepare_contest(one.played, one, screen))
        for contest in prepared:
            name, title, place = contest.contest.name, contest.contest.title, contest.location
            if dry_run:
                plan = plan_of(contest)
                out.print(
                    f"{title}: {plan.legs:,} of {plan.total_legs:,} legs, about {short(plan.games)} games,"
                    f" {short(plan.size)}B of records, {max(1, round(plan.seconds)):,} s and more where bots think"
                    f" long, into {place}"
                    + ("" if plan.last else "; more replicas may follow, until the order is settled"),
                    soft_wrap=True,
                )
                broken = [entrant for entrant in contest.entrants if entrant.artifact is None]
                for entrant in broken:
                    out.print(f"{entrant.name}: broken: {printable(first_line(entrant.problem or ''))}", soft_wrap=True)
                unfit = unfit or bool(broken)
                continue
            with Screen(err, title, contest=name, as_json=as_json, unit=contest.contest.display.unit) as screen:
                standings = run_prepared(contest, screen)
            unfit = unfit or any(line.status != "ok" for line in standings.entrants)
            given = {"entrants": entrants, "results": results, "config": config}
            again = _again(name, standings, given)
            for shown in final_tables(out, standings, title, contest.contest.display.unit, again):
                out.print(shown, soft_wrap=isinstance(shown, Text))
            out.print(f"{standings.games:,} games in {place}", soft_wrap=True, markup=False)
            after = stamps(contest.config.entrants)
            if came := sorted(bot for bot in after if before[name].get(bot) != after[bot]):
                what = "it" if len(came) == 1 else "them"
                out.print(f"{', '.join(came)} came or changed meanwhile: run again to play {what}", soft_wrap=True)
    except KeyboardInterrupt:
        print(f"tournament: stopped; what was committed stays in {place}, run again to go on", file=sys.stderr)
        raise typer.Exit(130) from None
    if strict and unfit:
        raise typer.Exit(1)


@command(
    epilog="Example: tournament leaderboard von_neumann_poker --rating nash",
)
def leaderboard(
    contest: _Contest = None,
    rating: Annotated[
        str | None,
        typer.Option(metavar="nash|runoff|bradley-terry", help="look at the same crosstable in another way"),
    ] = None,
    results: _ResultsOption = None,
    config: _ConfigPath = None,
    as_json: _Json = False,
) -> None:
    """Show the ranking of what is in the records, also during a run.

    Ratings change no place. nash: against the mix of bots that nobody beats, so that copies of a bot and weak ones to
    prey on count for nothing. runoff: the last one leaves and the others are ranked anew, until one is left.
    bradley-terry: Elo points by won sessions, however high they were won.
    """
    from tournament.cli.consoles import out
    from tournament.cli.tables import leaderboard_table, reasons
    from tournament.contests import find_contest
    from tournament.standings.results import standing_values

    if rating is not None:
        _show_rating(rating, contest, results, config, as_json)
        return
    found = _load(contest, results, config)
    if as_json:
        _print_json([standing_values(line) for line in found.ranking.entrants])
        return
    played = find_contest(found.field.contest, found.field.game)
    out.print(leaderboard_table(found.ranking, played.title, out.width, unit=played.display.unit))
    given = {"results": results, "config": config}
    if below := reasons(found.ranking, _again(found.field.contest, found.ranking, given)):
        out.print(below, soft_wrap=True)
    for how in found.confined_by:
        if how.startswith("off"):
            out.print(f"sandbox {printable(how)}", soft_wrap=True, markup=False)


def _show_rating(kind: str, contest: str | None, results: str | None, config: Path | None, as_json: bool) -> None:
    from tournament.cli.consoles import out
    from tournament.cli.tables import rating_table
    from tournament.contests import find_contest
    from tournament.standings.ratings import look_of
    from tournament.standings.results import rated_values

    look = look_of(kind)
    found = _load(contest, results, config)
    lines = found.rated(kind)
    if as_json:
        _print_json([rated_values(line) for line in lines])
        return
    out.print(rating_table(lines, look, find_contest(found.field.contest, found.field.game).title))


@command(epilog="Example: tournament crosstable von_neumann_poker")
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
    for table in crosstable_tables(found.ranking, find_contest(found.field.contest, found.field.game).title, out.width):
        out.print(table)


@command(epilog="Example: tournament report von_neumann_poker -o report.html")
def report(
    contest: _Contest = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="default report.html; with --serve none")
    ] = None,
    serve: Annotated[
        bool, typer.Option("--serve", help="show it on this machine's own address, anew as a run goes on, until Ctrl-C")
    ] = False,
    port: Annotated[int, typer.Option(metavar="N", min=0, max=65535, help="of --serve; default a free one")] = 0,
    without_games: Annotated[
        bool, typer.Option("--without-games", help="leave out what shows cards, to publish while bots may still enter")
    ] = False,
    show_seed: Annotated[
        bool, typer.Option("--show-seed", help="tell the seed, from which all cards follow: after the contest")
    ] = False,
    results: _ResultsOption = None,
    config: _ConfigPath = None,
) -> None:
    """Write all that the records tell into one page of HTML that opens anywhere, offline; also during a run."""
    from tournament.cli.consoles import err, out
    from tournament.reporting.writing import check_replaceable, make_page, write_report
    from tournament.standings.results import locate

    location = locate(_place(contest, results, config))
    target = output or (None if serve else Path("report.html"))
    if target:
        check_replaceable(target)

    def make() -> tuple[str, Findings]:
        text, findings = make_page(location, with_games=not without_games, show_seed=show_seed, live=serve)
        if target:
            write_report(target, text)
        return text, findings

    if not serve:
        text, findings = make()
        size = len(text.encode())
        out.print(f"{target}: {findings.ranking.games:,} games on a page of {size / 1e6:.1f} MB", soft_wrap=True)
        return
    from tournament.reporting.serving import Server
    from tournament.store.storage import open_storage

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    storage = open_storage(location)
    try:
        with Server(make, lambda: storage.stamps("ledger"), port) as server:
            out.print(f"{server.url} shows {location} until Ctrl-C", soft_wrap=True)
            server.watch(lambda text: err.print(printable(text), soft_wrap=True))
    except KeyboardInterrupt:
        raise typer.Exit(0) from None


@command(epilog="Example: tournament verify von_neumann_poker --replay 10")
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


@command(epilog="Example: tournament replay von_neumann_poker --match likeme,naive --session 12 --game 3")
def replay(
    contest: Annotated[str, typer.Argument(metavar="CONTEST")],
    match: Annotated[str, typer.Option(metavar="N|X,Y", help="the match's number, or its bots' names")],
    session: Annotated[int, typer.Option(metavar="S", min=0, help="session of the match, from 0")],
    game: Annotated[int | None, typer.Option(metavar="G", min=0, help="only this game of the session")] = None,
    entrants: Annotated[Path | None, typer.Option(metavar="DIR", help="folder of bots")] = None,
    results: _ResultsOption = None,
    config: _ConfigPath = None,
    as_json: _Json = False,
) -> None:
    """Play recorded games again: what each bot was asked, what it printed, what it answered.

    The records must be there, with their seed, and the bots as they were. Exits with 1 when a game came out
    otherwise than recorded.
    """
    import dataclasses

    from tournament.audit.replay import MOST_GAMES, replay_games
    from tournament.cli.consoles import err, out
    from tournament.cli.replay_tables import game_lines
    from tournament.cli.screen import Screen
    from tournament.config import config_reader

    with Screen(err, "") as screen:
        (place,) = _recorded(contest, results, config)
        config_of = config_reader(config, entrants, results)
        found = replay_games(place, config_of, _match_of(match), session, game, screen.say)
    if as_json:
        _print_json(dataclasses.asdict(found))
    else:
        title = f"{found.x} against {found.y}, session {found.session} of match {found.match} of {found.contest}"
        out.print(title, style="bold")
        for one in found.games:
            out.print(game_lines(one))
        if game is None and len(found.games) == MOST_GAMES:
            out.print(f"the first {MOST_GAMES:,} games; --game shows another")
        if found.differs:
            out.print(f"not as recorded: {found.differs}", style="red", soft_wrap=True)
    if found.differs:
        raise typer.Exit(1)


@command(epilog="Example: tournament match von_neumann_poker my_bot.py likeme --sessions 500")
def match(
    contest: Annotated[str, typer.Argument(metavar="CONTEST")],
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="a file or folder, or the name of an entrant or shipped bot")
    ],
    opponent: Annotated[
        str | None, typer.Argument(metavar="[OPPONENT]", help="the same; or a house player, if the contest has them")
    ] = None,
    sessions: Annotated[int | None, typer.Option(metavar="N", help="sessions of the match")] = None,
    seed: Annotated[str | None, typer.Option(metavar="SEED", help="default one that is drawn, and told")] = None,
    session: Annotated[int | None, typer.Option(metavar="S", min=0, help="show this session, step by step")] = None,
    game: Annotated[int | None, typer.Option(metavar="G", min=0, help="only this game of that session")] = None,
    results: Annotated[
        str | None, typer.Option("--results", metavar="DIR|URL", help="keep the records there; default nowhere")
    ] = None,
    config: _ConfigPath = None,
    as_json: _Json = False,
) -> None:
    """Play two bots against each other, now, and say who is ahead by how much and how sure that is.

    Nothing is kept unless --results says where.
    """
    import dataclasses
    import shlex

    from tournament.audit.replay import replay_games
    from tournament.cli.check_tables import match_table
    from tournament.cli.consoles import err, out
    from tournament.cli.replay_tables import first_of_each_sort, game_lines
    from tournament.cli.screen import Screen
    from tournament.config import load_config
    from tournament.keys import drawn_seed
    from tournament.store.storage import inside
    from tournament.trial.match import play_match

    if game is not None and session is None:
        raise BadInput("--game: say also of which --session")
    settings = load_config(
        contest,
        config,
        general={"executor": "local", "results": results},
        contest={"sessions": sessions, "seed": seed or drawn_seed()},
    )
    chosen = settings.played
    if results is None:
        settings = dataclasses.replace(settings, results="")
    if opponent is None and chosen.house is None:
        raise BadInput("say also the OPPONENT: a file, or the name of an entrant or shipped bot")
    other = opponent or _first_house_player(chosen, settings)
    against: Path | str = other if chosen.house else find_bot(other, chosen, settings.entrants)
    shown: list[Any] = []

    def look(own: Config, report: MatchReport) -> None:
        if session is not None:
            place = inside(own.results, chosen.name)
            pair = (report.bot, report.opponent)
            shown.append(replay_games(place, lambda _: own, pair, session, game))

    with Screen(err, chosen.title) as screen:
        report = play_match(chosen, settings, find_bot(bot, chosen, settings.entrants), against, screen, look)
    if as_json:
        values = dataclasses.asdict(report) | {"seed": settings.contest.seed}
        values["faults"] = [{"bot": (leg.x, leg.y)[one.seat], **dataclasses.asdict(one)} for leg, one in report.faults]
        _print_json(values | {"replay": dataclasses.asdict(shown[0]) if shown else None})
        return
    out.print(match_table(report, chosen, seed or settings.contest.seed or ""))
    options = {"sessions": sessions, "seed": settings.contest.seed, "config": config}
    words = ["tournament", "match", contest, bot, *([opponent] if opponent else [])]
    words += [word for name, value in options.items() if value is not None for word in (f"--{name}", str(value))]
    for _, one in first_of_each_sort(report.faults):
        again = [*words, "--session", str(one.session), "--game", str(one.game)]
        out.print(f"see it: {shlex.join(again)}", soft_wrap=True)
    for found in shown:
        for one_game in found.games:
            out.print(game_lines(one_game))
    if not shown and not report.faults:
        out.print(f"its games: {shlex.join([*words, '--session', '0'])}", soft_wrap=True)


@command(epilog="Example: tournament faults von_neumann_poker --bot tight_rock")
def faults(
    contest: _Contest = None,
    bot: Annotated[str | None, typer.Option(metavar="NAME", help="only this bot's")] = None,
    results: _ResultsOption = None,
    config: _ConfigPath = None,
    as_json: _Json = False,
) -> None:
    """List what went wrong with whom: each sort of fault once, what the bot printed, and how to see it again."""
    import dataclasses

    from tournament.cli.consoles import out
    from tournament.cli.replay_tables import fault_lines, replay_command
    from tournament.errors import closest
    from tournament.standings.results import fault_values

    loaded = _load(contest, results, config)
    names = {line.name for line in loaded.ranking.entrants}
    if bot is not None and bot not in names:
        raise BadInput(f"--bot {bot}: the records have no such bot{closest(bot, names)}")
    chosen = [(leg, one) for leg, one in loaded.ranking.faults if bot in (None, (leg.x, leg.y)[one.seat])]
    given = {"results": results, "config": config}
    if as_json:
        table = fault_values(dataclasses.replace(loaded.ranking, faults=tuple(chosen)))
        rows = [dict(zip(table, row)) for row in zip(*table.values())]
        again = [replay_command(loaded.field.contest, leg, one, given) for leg, one in chosen]
        _print_json([row | {"replay": words} for row, words in zip(rows, again)])
        return
    if not chosen:
        out.print("no faults")
    for line in fault_lines(loaded.field.contest, chosen, given):
        out.print(line, soft_wrap=True)


@command(epilog="Example: tournament check entrants/von_neumann_poker/likeme.c --session 12 --game 3")
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
    import glob
    import shlex

    from tournament.cli.check_tables import alike, check_table
    from tournament.cli.consoles import err, out
    from tournament.cli.replay_tables import game_lines
    from tournament.cli.screen import Screen
    from tournament.config import load_config, load_contests
    from tournament.entrants.folder import check_among_others
    from tournament.runner.contest_run import recorded_entrants
    from tournament.trial.check import check_bot, contest_of, replay_check

    if game is not None and session is None:
        raise BadInput("--game: say also of which --session")
    known = load_contests(config)
    if not os.path.lexists(bot):
        there = sorted(Path("entrants").glob(f"*/{glob.escape(bot.name)}*"))
        hint = f"; did you mean {there[0]}?" if there else ": say the path of the bot's file, or of its folder"
        raise BadInput(f"{bot}: there is no such file{hint}")
    loaded = load_config(contest or contest_of(bot, known), config, contest={"seed": seed})
    chosen = loaded.played
    check_among_others(bot, loaded.entrants, lambda: recorded_entrants(chosen, loaded))
    with Screen(err, chosen.title) as screen:
        if session is not None:
            games = replay_check(chosen, loaded.contest, loaded.sandbox, bot, session, game, screen)
        else:
            report = check_bot(chosen, loaded.contest, loaded.sandbox, bot, screen, screen.doing)
    if session is not None:
        for one in games:
            out.print(game_lines(one))
        return
    given = {"contest": contest, "config": config, "seed": seed or report.seed}
    options = [word for name, value in given.items() if value for word in (f"--{name}", str(value))]
    out.print(check_table(report))
    for fault, _ in alike(report.faults):  # not in the table, where a line that is to be copied would be broken
        words = ["tournament", "check", str(bot), *options, "--session", str(fault.session), "--game", str(fault.game)]
        out.print(f"again: {shlex.join(words)}", soft_wrap=True)
    if not report.fit:
        raise typer.Exit(1)


@command(epilog="Example: tournament new von_neumann_poker my_bot --language cpp")
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
    from tournament.entrants.new import write_new_bot

    chosen = load_config(contest, config, contest={"entrants": None if entrants is None else str(entrants)})
    path = write_new_bot(chosen.played, chosen.entrants, name, language)
    shown = path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
    out.print(f"{shown} is there; try it with: tournament check {shown}", soft_wrap=True)


@command(epilog="Example: tournament init my_contest --contest von_neumann_poker")
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
    from tournament.contests import CONTESTS, SHIPPED
    from tournament.names import did_you_mean
    from tournament.starter.folder import write_contest_folder

    there = {known.name: known for known in (*CONTESTS, *SHIPPED)}
    names = dict.fromkeys(contest or [known.name for known in SHIPPED])
    for name in names.keys() - there.keys():
        raise BadInput(f"no contest is called {name}; there are: {', '.join(there)}{did_you_mean(name, there)}")
    chosen = [there[name] for name in names]
    written = write_contest_folder(folder, chosen)
    out.print(f"{folder} has {', '.join(str(path) for path in written)}", soft_wrap=True)
    step = "" if folder == Path() else f"cd {shlex.quote(str(folder))} && "
    out.print(f"play it with: {step}tournament run {chosen[0].name}", soft_wrap=True)


def _place_of_results(contest: str | None, results: str | None, config: Path | None) -> str:
    """Where the contests' records are. Raises BadInput for a contest that neither the settings nor the records know."""
    from tournament.config import load_config, load_contests
    from tournament.names import valid_contest_name
    from tournament.store.storage import inside

    known = load_contests(config)
    place = load_config(known.names[0], config, general={"results": results}).results
    if (
        contest is not None
        and contest not in known.names
        and not (valid_contest_name(contest) and _holds_records(inside(place, contest)))
    ):
        known.find(contest)
    return place


def _again(contest: str, standings: Standings, given: Mapping[str, object]) -> dict[str, str]:
    """For each disqualified bot the command that plays its last game again."""
    from tournament.cli.replay_tables import ended_legs, replay_command

    return {name: replay_command(contest, leg, fault, given) for name, (leg, fault) in ended_legs(standings).items()}


def _first_house_player(contest: Contest, settings: Config) -> str:
    assert contest.house
    return contest.house.players(settings.contest, settings.folder, lambda text: None)[0].name


def find_bot(text: str, contest: Contest, entrants: Path) -> Path:
    """A bot by its path, or by its name among the entrants or the shipped bots. Raises BadInput when there is none."""
    from tournament.entrants.folder import kind_of
    from tournament.errors import closest
    from tournament.starter.folder import shipped

    if os.path.lexists(text):
        return Path(text)
    folders = [entrants, shipped() / "entrants" / contest.rules]
    known = [path for folder in folders if folder.is_dir() for path in sorted(folder.iterdir()) if kind_of(path)]
    for path in known:
        if text in (path.name, path.stem):
            return path
    names = sorted({path.stem for path in known})
    hint = closest(text, names) or f"; there are {', '.join(names)}"
    raise BadInput(f"{text}: there is no such file, entrant or shipped bot{hint}")


def _match_of(text: str) -> int | tuple[str, str]:
    """A match by its number or by two names. Raises BadInput."""
    if text.isdecimal():
        return int(text)
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or not all(names):
        raise BadInput(f"--match {text}: say its number, or the names of both bots with a comma between them")
    return names[0], names[1]


def _holds_records(location: str) -> bool:
    from tournament.store.storage import open_storage

    return bool(open_storage(location).list("ledger"))


def _recorded(contest: str | None, results: str | None, config: Path | None) -> list[str]:
    """Where the records of a contest are, or those of all. Raises BadInput when there are none."""
    from tournament.standings.results import contests_held
    from tournament.store.storage import inside

    place = _place_of_results(contest, results, config)
    # A contest's own folder will do as well as the one above it.
    names = [contest] if contest is not None else contests_held(place)
    for locations in ([inside(place, name) for name in names], [place]):
        if held := [location for location in locations if _holds_records(location)]:
            return held
    raise BadInput(f"{place} holds no results")


def _load(contest: str | None, results: str | None, config: Path | None) -> Results:
    from tournament.standings.results import load

    return load(_place(contest, results, config))


def _place(contest: str | None, results: str | None, config: Path | None) -> str:
    """Where `load` finds the records of a contest, or of the only one that is there."""
    from tournament.store.storage import inside

    place = _place_of_results(contest, results, config)
    if contest is None:
        return place
    location = inside(place, contest)
    # A contest's own folder will do as well as the one above it.
    return place if results is not None and not _holds_records(location) else location


def _print_json(value: Any) -> None:
    import json

    sys.stdout.write(json.dumps(value, indent=2) + "\n")


def main() -> None:
    """Run the command; a problem is one line and an exit code, never a stack trace."""
    for name in ("stdout", "stderr"):  # closed: no file of ours may be taken for it
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w"))
    if "_TOURNAMENT_COMPLETE" in os.environ:  # a shell asks how to go on
        from typer import completion

        completion.completion_init()  # type: ignore[attr-defined]
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
