"""Contests played one after the other, as `tournament run` shows them."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from math import inf

import typer
from rich.text import Text

from tournament.cli.consoles import err, out, print_text
from tournament.cli.numbers import duration, short
from tournament.cli.replay_tables import commands_to_see
from tournament.cli.screen import Screen
from tournament.cli.tables import final_tables
from tournament.config import Config
from tournament.entrants.folder import stamps
from tournament.errors import InputError, main_error_line, pluralize, printable
from tournament.runner.contest_run import run_prepared
from tournament.runner.executors import Executors, cluster_address, existing_cluster
from tournament.runner.listener import Progress
from tournament.runner.plan import Plan, make_plan
from tournament.runner.prepare import PATIENCE_SECONDS, Prepared, prepare_contest
from tournament.standings.matches import Matches
from tournament.standings.standings import Standings
from tournament.store.storage import join_location

# Options that the next run has to repeat, because it would otherwise play other games.
TO_REPEAT = ("sessions", "replicas", "seed")


@dataclass(frozen=True)
class RunCommand:
    """Contests to play, by name, with their settings.

    Attributes:
        chosen: Settings of each contest by name.
        given: Options that a command to replay a game must repeat.
        as_json: Whether progress is printed as lines of JSON.
        archive: Whether records of other settings are archived without a question.
        as_written: Settings without the command's options.
        strict: Whether the first problem of a cluster's node ends the command.
    """

    chosen: Mapping[str, Config]
    given: Mapping[str, object]
    as_json: bool
    archive: bool
    as_written: Mapping[str, Config]
    strict: bool = False

    def run(self, *, dry_run: bool) -> set[str]:
        """Play the contests, or with `dry_run` only show the plan. Ctrl-C ends with a line about what is kept.

        Returns:
            Problems: the statuses of bots, and "provisional" if the rules failed in a match.

        Raises:
            InputError: A contest can't be played with these settings and bots, or consent to archive records is
                missing.
            RunError: A run stopped early.
            typer.Exit: The command was stopped, or a bot has no name of its own.
            typer.Abort: Consent to archive records is refused.
        """
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # end as by Ctrl-C
        existing_cluster.ends_after_play = True
        name, first = next(iter(self.chosen.items()))
        location = join_location(first.results, name)
        problems: set[str] = set()
        try:
            before = {name: _stamps(one) for name, one in self.chosen.items()}
            with ExitStack() as stack:
                # Errors of any contest are reported before the first is played.
                prepared, executors = [], stack.enter_context(Executors(strict=self.strict))
                for name, one in self.chosen.items():
                    with Screen(err, "", contest=name, as_json=self.as_json) as screen:
                        patience = inf if dry_run else PATIENCE_SECONDS
                        preparation = prepare_contest(one.played, one, screen, patience, executors=executors)
                        prepared.append(stack.enter_context(preparation))
                for contest in prepared if not (dry_run or self.archive) else ():
                    _require_consent(contest)
                for contest in prepared:
                    location = contest.location
                    problems |= (
                        _print_plan(contest)
                        if dry_run
                        else self._play(contest, before[contest.contest.name], executors)
                    )
        except KeyboardInterrupt:
            print(
                f"tournament: stopped; what was committed stays in {location}, run again to continue", file=sys.stderr
            )
            raise typer.Exit(130) from None
        if any(entrant.is_nameless for one in prepared for entrant in one.entrants):
            raise typer.Exit(1)  # no one's bot is left out unnoticed
        return problems

    def _play(self, prepared: Prepared, before: Mapping[str, tuple[int, int]], executors: Executors) -> set[str]:
        """Play a contest, show the results and return the problems. Stamps of bots from before reveal edits.

        Raises:
            InputError: The contest can't be played.
            RunError: The run stopped early.
        """
        contest = prepared.contest
        with Screen(err, contest.title, contest=contest.name, as_json=self.as_json, unit=contest.points_unit) as screen:
            if self.as_json:
                screen.on_progress(_progress_before(prepared))
            if cluster_address(prepared.config.general):
                screen.on_message(f"Playing {_describe_bots(prepared)} on a cluster")
            standings = run_prepared(prepared, screen)
        to_see = commands_to_see(contest.name, standings, self.given)
        for shown in final_tables(out, standings, contest.title, contest.points_unit, to_see):
            out.print(shown, soft_wrap=isinstance(shown, Text))
        out.print(f"{standings.games:,} games in {prepared.location}", soft_wrap=True)
        for node, reason in executors.set_aside.items():
            print_text(f"node {node} was set aside: {printable(reason)}")
        if options := _unlike(self.chosen[contest.name], self.as_written[contest.name]):
            print_text(f"to add to these records later, use {options} again, because tournament.toml says otherwise")
        after = _stamps(prepared.config)
        if came := sorted(bot for bot in after if before.get(bot) != after[bot]):
            pronoun = "it" if len(came) == 1 else "them"
            print_text(f"{', '.join(came)} were added or changed during the run: run again to play {pronoun}")
        provisional = {"provisional"} if standings.is_provisional else set()
        return {line.status for line in standings.entrants} - {"ok", "house"} | provisional


def _unlike(config: Config, written: Config) -> str:
    """Return the options that the next run has to repeat, without the value of a seed, which can be secret."""
    values = {name: getattr(config.contest, name) for name in TO_REPEAT}
    unlike = {name: value for name, value in values.items() if value != getattr(written.contest, name)}
    return " ".join(f"--{name} {'…' if name == 'seed' else value}" for name, value in unlike.items())


def _progress_before(prepared: Prepared) -> Progress:
    """Return the progress of a run that has played nothing yet.

    Raises:
        RunError: Records can't be read.
    """
    plan = make_plan(prepared)
    nothing = Standings((), Matches.from_matches, ())
    return Progress(plan.total_legs - plan.legs, plan.total_legs, 0, 0.0, plan.seconds, nothing)


def _require_consent(prepared: Prepared) -> None:
    """Ask for consent before long play is archived.

    Raises:
        InputError: There is no terminal.
        typer.Abort: The answer is no.
        RunError: Records can't be read.
    """
    if not (unlike := prepared.incompatible_records()) or not unlike.needs_confirmation:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(f"{unlike}; give --archive to let them")
    typer.confirm(f"{printable(str(unlike))}. Continue?", abort=True, err=True)


def _stamps(config: Config) -> dict[str, tuple[int, int]]:
    """Return the bots of a contest's folders, with the time of their last change and their size.

    Raises:
        InputError: A folder can't be listed.
    """
    folders = [folder for folder in (config.house, config.entrants) if folder and folder.is_dir()]
    return {name: stamp for folder in folders for name, stamp in stamps(folder).items()}


def _describe_bots(prepared: Prepared) -> str:
    """Return how many bots can play, and which folder they are from."""
    playing = sum(entrant.artifact is not None for entrant in prepared.entrants)
    return f"{pluralize(playing, 'bot')} of {prepared.config.entrants}"


def _describe_time(plan: Plan) -> str:
    """Return how long a run will take, and how many hours of a core, as far as it is known."""
    hours = plan.seconds * plan.workers / 3600
    duration_text = f"{duration(plan.seconds)} on {pluralize(plan.workers, 'core')}"
    duration_text += f" ({hours:,.1f} core hours)" if hours >= 0.1 else ""
    return duration_text if plan.paced else f"at least {duration_text}, not measured yet"


def _print_plan(prepared: Prepared) -> set[str]:
    """Show what would be played and which bots are broken, and return the problems.

    Raises:
        RunError: Records can't be read.
    """
    plan = make_plan(prepared)
    text = (
        f"{plan.legs:,} of {plan.total_legs:,} legs, about {short(plan.games)} games, {short(plan.size)}B of records,"
        f" {_describe_time(plan)}, into"
        f" {prepared.location}"
        if plan.legs
        else f"nothing to play; {prepared.location} has all {plan.total_legs:,} legs"
    )
    print_text(
        f"{prepared.contest.title}: {_describe_bots(prepared)}, {text}"
        + ("" if plan.last else "; more replicas may follow, until the order is settled")
    )
    if plan.outdated:
        out.print(
            f"{pluralize(plan.outdated, 'leg')} of bots that changed or left would leave the records", soft_wrap=True
        )
    if plan.unlike:
        out.print(printable(str(plan.unlike)), soft_wrap=True)
    broken = [entrant for entrant in prepared.entrants if entrant.artifact is None]
    for entrant in broken:
        print_text(f"{entrant.name}: broken: {printable(main_error_line(entrant.problem or ''))}")
    return {"broken"} if broken else set()
