"""The command `match` plays one bot against another, some, or all others."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from tournament.cli.check_tables import describe_faults
from tournament.cli.consoles import err, out
from tournament.cli.fitting import LATE, Facts, FittingTable
from tournament.cli.options import (
    CHOICE,
    EXITS,
    LOCATIONS,
    PLAY,
    PLAYERS,
    ConfigPath,
    Contest,
    Json,
    check_game,
    command_line,
    option,
    print_json,
)
from tournament.cli.replay_tables import print_replay
from tournament.cli.screen import Screen
from tournament.cli.tables import matches_table
from tournament.config import Config, Contests, load_config, load_contests
from tournament.contests import SHIPPED_RULES
from tournament.errors import InputError, pluralize
from tournament.keys import drawn_seed
from tournament.records.losses import describe_loss
from tournament.standings.history import find_matches
from tournament.store.leg_result import by_sort
from tournament.store.storage import join_location

if TYPE_CHECKING:
    from tournament.audit.replay import Replay
    from tournament.contests.contest import Contest as PlayedContest
    from tournament.standings.standings import Standings
    from tournament.trial.match import Estimate, MatchReport
    from tournament.trial.sequential import InterimResult

_VERDICTS = {"better": "significantly better", "worse": "significantly worse", "open": "undecided"}
_COLOURS = {"better": "green", "worse": "red", "open": "yellow"}
_BOT = "a file or folder, or the name of an entrant or shipped bot"


def match(
    contest: Contest,
    bot: Annotated[str | None, typer.Argument(metavar="BOT", help=_BOT)] = None,
    others: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="OTHER",
            help="opponent, as BOT, or a house player; default all entrants or house players",
        ),
    ] = None,
    baseline: Annotated[
        str | None, option("FILE|NAME", "another version of BOT, which plays the same deals and tables", PLAYERS)
    ] = None,
    sessions: Annotated[int | None, option("N", "sessions of each match", PLAY)] = None,
    replicas: Annotated[
        int | None,
        option("N", "matches with each opponent; with 10 or more, errors hold no matter how bots learn", PLAY),
    ] = None,
    until_settled: Annotated[
        float | None, option("P", "play more replicas until a test with probability P decides which is better", PLAY)
    ] = None,
    max_replicas: Annotated[int | None, option("N", "with --until-settled: maximum replicas of a match", PLAY)] = None,
    seed: Annotated[
        str | None, option("SEED", "number or text that chooses the deals; default a random one, which is shown", PLAY)
    ] = None,
    workers: Annotated[
        int | None, option("N", "workers that play at the same time; default one per core", PLAYERS)
    ] = None,
    session: Annotated[
        int | None, option("S", "with one OTHER for each other seat: show this session, step by step", CHOICE, min=0)
    ] = None,
    game: Annotated[int | None, option("G", "only this game of that session", CHOICE, min=0)] = None,
    results: Annotated[
        str | None, option("DIR|URL", "folder or URL to keep the records; default none", LOCATIONS, "--results")
    ] = None,
    config: ConfigPath = None,
    as_json: Json = False,
) -> None:
    """Play one bot against one, some or all others, and show its score with its error.

    Results are discarded without --results. The deals are never those of the contest's records.

    If tournament.toml has one contest, CONTEST can be omitted.

    Exit codes with --baseline or --until-settled. BOT is significantly better than its baseline or the one OTHER: 0.
    It is undecided: 3. BOT is significantly worse: 4. BOT, its baseline or the one OTHER is disqualified: 1.

    Raises:
        InputError: A setting or an option is wrong, or a bot can't be found or can't play. Or this machine can't build
            or confine bots.
        RunError: Play ended early, or this machine can't play.
        typer.Exit: A bot is disqualified, or --baseline or --until-settled is given.
    """
    # These run and replay contests, which the list of commands doesn't need.
    import tournament.api
    from tournament.audit.replay import replay_games

    contest, bot, others = _resolve_players(load_contests(config), contest, bot, others or [])
    check_game(session, game)
    loaded = load_config(contest, config)
    played = loaded.played
    seats = 2 if played.house else played.seats_of(loaded.contest.playing()) or len(others) + 1
    house = _house_at(loaded, others)
    is_single_match = len({*others, *house}) + 1 == seats  # one match, of which --session can show a session
    if session is not None and (not is_single_match or baseline):
        raise InputError("--session requires one OTHER for each other seat, and no --baseline")
    seed = seed or drawn_seed()
    names = {Path(one).stem for one in (bot, baseline) if one}
    replays: list[Replay] = []

    def draw(standings: Standings, rows: int) -> FittingTable:
        """Return the matches so far of the version that plays, the best first, at most `rows` of them."""
        playing = [line.name for line in standings.entrants if line.name in names]  # one version at a time
        matches = [match for name in playing for match in find_matches(standings, name)]
        return matches_table(matches, f"{' '.join(playing)} against each", rows)

    def replay_session(own: Config, report: MatchReport) -> None:
        """Replay the session of --session, if it is given, and append the result to `replays`.

        Raises:
            InputError: There is no such session or game, or this machine can't build or confine a bot.
            RunError: The records can't be read, or this machine can't play.
        """
        if session is not None:
            location = join_location(own.results, own.played.name)
            players = (
                (report.bot, report.opponent or "")
                if seats == 2
                else (report.bot, *dict.fromkeys(Path(one).stem for one in (*others, *house)))
            )
            replays.append(replay_games(location, lambda _: own, players, session, game))

    with Screen(err, played.title, draw=draw) as screen:
        report = tournament.api.match(
            contest, bot, *others, baseline=baseline, config=config, sessions=sessions, replicas=replicas,
            until_settled=until_settled, max_replicas=max_replicas, seed=seed, workers=workers, results=results,
            listener=screen, look=replay_session,
        )  # fmt: skip
    if as_json:
        values = dataclasses.asdict(report) | {"seed": seed, "verdict": report.verdict}
        for which, faults in (("faults", report.faults), ("baseline_faults", report.baseline_faults)):
            values[which] = [{"bot": leg.seats[one.seat], **dataclasses.asdict(one)} for leg, one in faults]
        print_json(values | {"replay": dataclasses.asdict(replays[0]) if replays else None})
    else:
        _print(report, played, seed)
        for one in replays:
            print_replay(out, one)
        options = {"sessions": sessions, "replicas": replicas, "seed": seed, "config": config}
        if is_single_match and not baseline and not until_settled:
            for (_, fault), *_ in by_sort(report.faults):
                command = command_line(
                    "match", contest, bot, *others, **options, session=fault.session, game=fault.game
                )
                out.print(f"see it: {command}", soft_wrap=True)
            if not replays and not report.faults:
                out.print(
                    f"its games: {command_line('match', contest, bot, *others, **options, session=0)}", soft_wrap=True
                )
    if report.disqualified:
        raise typer.Exit(1)
    if baseline or until_settled is not None:
        raise typer.Exit(EXITS[report.verdict or "open"])


def _resolve_players(
    contests: Contests, contest: str, bot: str | None, opponents: list[str]
) -> tuple[str, str, list[str]]:
    """Return the names of contest, bot and others.

    If `contest` isn't a contest's name, and the settings file has a single contest, it is the bot, and `bot` the first
    of the others.

    Args:
        contests: Contests of the settings file.
        contest: The first argument.
        bot: The second argument; None if there is none.
        opponents: The other arguments.

    Raises:
        InputError: The contest is unknown, its rules can't be loaded, or there is no bot.
        RunError: The machine is at fault, such as a cache that can't be used.
    """
    is_bot = contest not in contests.names and contest not in contests.broken and contest not in SHIPPED_RULES
    if is_bot and len(contests.chosen) == 1:
        return contests.chosen[0], contest, [bot, *opponents] if bot else opponents
    contests.find(contest)
    if bot is None:
        raise InputError("missing BOT; give a file, or the name of an entrant or shipped bot")
    return contest, bot, opponents


def _house_at(loaded: Config, opponents: list[str]) -> list[str]:
    """Return the names of the host's own bots that play besides the named opponents, sorted.

    The list is empty if the settings give the host's bots no seats, or if one of them is among the opponents.

    Raises:
        InputError: The folder of the host's bots is missing or can't be read.
    """
    if not loaded.contest.house_seats:
        return []
    from tournament.trial.match import house_bots

    names = [path.stem for path in house_bots(loaded)]
    return [] if any(Path(one).stem in names for one in opponents) else names


def _unit_and_form(contest: PlayedContest) -> tuple[str, str]:
    """Return what the points of a match are called, and their format: the score, or points per session with a sign."""
    scoring = contest.house.scoring if contest.house else None
    return ("score", f",.{scoring.decimals}f") if scoring else ("points a session", "+,.3f")


def opponents_table(report: MatchReport, contest: PlayedContest) -> FittingTable:
    """Return a bot's results against each opponent as a table, the best first.

    With a baseline there are also the baseline's results and the difference. The column of the opponents' points is
    omitted if they are house players. Intervals that are unknown are empty.

    Args:
        report: The report.
        contest: The contest, which has the unit of the caption and the number of decimals.
    """
    unit, form = _unit_and_form(contest)
    table = FittingTable(f"{report.bot} against each", contest.points_unit or f"{unit}, ± 95%")
    table.add_column("against", is_left=True)
    compared = report.baseline is not None
    # The difference, which a comparison is for, stays longest.
    table.add_column(unit, drop=LATE + 1 if compared else None)
    table.add_column("± 95%", drop=1 if compared else LATE)
    if any(line.opponent_points for line in report.opponents):
        table.add_column("theirs", drop=0)
    if compared:
        table.add_column("baseline", drop=2)
        table.add_column("better by")
        table.add_column("± 95%", drop=LATE)
    for line in report.opponents:
        cells = [*_cells(line.points, form)]
        cells += [Text(f"{line.opponent_points.value:{form}}")] if line.opponent_points else []
        if line.baseline and line.difference:
            cells += [Text(f"{line.baseline.value:{form}}"), *_cells(line.difference, f"+{form.lstrip('+')}")]
        table.add_row(line.opponent, *cells)
    return table


def _print(report: MatchReport, contest: PlayedContest, seed: str) -> None:
    """Print a match's report: the table of opponents if there are any, then the other facts, with the seed."""
    scoring = contest.house.scoring if contest.house else None
    unit, form = _unit_and_form(contest)
    signed = f"+{form.lstrip('+')}"
    if report.opponents:
        out.print(opponents_table(report, contest))
    facts = Facts()
    facts.add_row("played", f"{report.games:,} games in {pluralize(report.sessions, 'session')}")
    if report.opponent and report.opponents and scoring:
        for measure in scoring.measures:
            if (value := report.opponents[0].measures.get(measure.name)) is not None:
                facts.add_row(measure.title, f"{measure.shown(value)} ({measure.meaning})")
    elif report.points and not report.opponent:
        facts.add_row("in all", f"{_format_estimate(report.points, form)} {unit}")
    if report.baseline_points and report.difference:
        facts.add_row("baseline", Text(f"{_format_estimate(report.baseline_points, form)} for {report.baseline}"))
        has_no_interval = any(line.difference and line.difference.ci_half_width is None for line in report.opponents)
        more = "; --replicas 10 gives an interval" if has_no_interval else ""
        verdict = _VERDICTS[report.verdict or "open"]
        facts.add_row("better by", f"{_format_estimate(report.difference, signed)}: {verdict}{more}")
    if report.tables:
        saved = report.games_of_unpaired
        share = "" if saved is None else f"; a verdict takes {saved:.0%} of the games that it takes without"
        facts.add_row("tables", f"{report.tables:,}, the same for both{share}")
    if report.stopping:
        facts.add_row("stopped", _describe_stop(report.stopping))
    if there := report.projected_rank:
        ranks = f"{there.rank_low}" if there.rank_low == there.rank_high else f"{there.rank_low}–{there.rank_high}"
        rank_text = "" if there.rank_low is None else f"; place {ranks}"
        facts.add_row("would stand", f"number {there.rank} of {there.bots + 1} in the records by score{rank_text}")
    facts.add_row("seed", f"--seed {seed} repeats this match")
    if report.disqualified:
        verb = "is" if len(report.disqualified) == 1 else "are"
        verdict_text = f"{' and '.join(report.disqualified)} {verb} disqualified: too many faults"
        facts.add_row("verdict", Text(verdict_text, style="red"))
    elif report.lead and not report.stopping and not report.baseline:
        facts.add_row("verdict", _ahead(report))
    if report.losses:
        facts.add_row("loses most", Text("\n".join(map(describe_loss, report.losses))))
    facts.add_row("faults", describe_faults(report.faults, with_name=report.opponent is not None))
    if report.baseline_faults:
        facts.add_row("baseline", describe_faults(report.baseline_faults))
    out.print(facts)


def _describe_stop(interim: InterimResult) -> Text:
    """Return the outcome of a sequential test as text."""
    text = f"after {pluralize(interim.replicas, 'replica')}, {interim.message}: {_VERDICTS[interim.verdict]}"
    return Text(text, style=_COLOURS[interim.verdict])


def _ahead(report: MatchReport) -> Text:
    """Return which of two bots is ahead, as text, or why that is unknown. The report must have a lead."""
    lead = report.lead
    assert lead
    if lead.stderr is None:
        return Text("too few sessions to tell")
    if not lead.value and not lead.stderr:
        return Text("neither is ahead: both win the same in every session", style="yellow")
    if not lead.sign:
        return Text("neither is clearly ahead: play more --sessions to tell", style="yellow")
    by = f"{abs(lead.value) / lead.stderr:,.1f} standard errors" if lead.stderr else "the same in every session"
    ahead = report.bot if lead.value > 0 else report.opponent
    # Another match could have another result.
    where = " in this match" if report.replicas == 1 else ""
    return Text(f"{ahead} is ahead{where}, by {by}", style="green" if lead.value > 0 else "red")


def _cells(figure: Estimate, form: str) -> tuple[Text, Text]:
    """Return a figure, coloured if it is significant, and half the width of its interval, "" if that is unknown.

    Args:
        figure: The figure.
        form: Format of the figure. The half-width has no sign.
    """
    style = {1: "green", 0: "", -1: "red"}[figure.sign]
    half_width = "" if figure.ci_half_width is None else f"{figure.ci_half_width:{form.lstrip('+')}}"
    return Text(f"{figure.value:{form}}", style=style), Text(half_width, style="dim")


def _format_estimate(figure: Estimate, form: str) -> str:
    """Return a figure as text, with half the width of its interval if that is known."""
    value, half_width = _cells(figure, form)
    return f"{value}" + (f" ± {half_width}" if half_width else "")
