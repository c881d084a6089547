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
        chosen: Settings of each contest by name, in the order of play. There is at least one.
        given: Options that a command to replay a game must repeat, by name. Those that are None are omitted.
        as_json: Whether progress is printed as lines of JSON.
        archive: Whether records of other settings are archived without a question.
        as_written: Settings of the same contests without the options of `TO_REPEAT`.
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

        From then on SIGTERM ends this process as Ctrl-C does.

        Returns:
            Problems of all contests: statuses of bots other than "ok" and "house", and "provisional" if the rules
            failed in a match. With `dry_run` it is "broken" alone. Empty if there are none.

        Raises:
            InputError: A contest can't be played with these settings and bots, a folder can't be listed, or this
                machine can't build or confine bots. Or there is no terminal to ask whether to archive records.
            RunError: A run stopped early, or the records can't be read or written.
            typer.Exit: The command was stopped, with code 130, or a bot has no name of its own, with code 1.
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
        """Play a contest, show the results and return the problems, as `run` does.

        Args:
            prepared: The contest.
            before: Stamps of the bots before preparation, as from `_stamps`. Other ones after play reveal edits.
            executors: Executors of the command.

        Raises:
            InputError: A limit of schedules is exceeded, Ray can't be reached, a folder can't be listed, or a machine
                can't confine or build a bot.
            RunError: The run stopped early, or the records can't be read or written.
            ValueError: Legs of a rewritten batch couldn't be read again.
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
    """Return the options that the next run has to repeat, or "" if there are none. A seed's value is "…".

    Args:
        config: The settings with the command's options.
        written: The settings without them.
    """
    values = {name: getattr(config.contest, name) for name in TO_REPEAT}
    unlike = {name: value for name, value in values.items() if value != getattr(written.contest, name)}
    return " ".join(f"--{name} {'…' if name == 'seed' else value}" for name, value in unlike.items())


def _progress_before(prepared: Prepared) -> Progress:
    """Return the progress of a run that has played nothing yet, without standings.

    Raises:
        InputError: A limit of schedules is exceeded, there are too few authors for a table, or the location is an
            invalid URL.
        RunError: The records can't be read.
    """
    plan = make_plan(prepared)
    nothing = Standings((), Matches.from_matches, ())
    return Progress(plan.total_legs - plan.legs, plan.total_legs, 0, 0.0, plan.seconds, nothing)


def _require_consent(prepared: Prepared) -> None:
    """Ask for consent before many recorded games are archived. Other records need none.

    Raises:
        InputError: Standard input or standard error isn't a terminal, or the location is an invalid URL.
        typer.Abort: The answer is no.
        RunError: The records can't be read.
    """
    if not (unlike := prepared.incompatible_records()) or not unlike.needs_confirmation:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError(f"{unlike}; give --archive to let them")
    typer.confirm(f"{printable(str(unlike))}. Continue?", abort=True, err=True)


def _stamps(config: Config) -> dict[str, tuple[int, int]]:
    """Return time of change, in nanoseconds, and size in bytes of each bot of a contest, by its file's name.

    The folders are those of the host's own bots and of the entrants. Missing ones are ignored.

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
    """Return how long a run will take as text, with the hours of a core from 0.1 on.

    Without the speed of earlier runs it is a lower bound.
    """
    hours = plan.seconds * plan.workers / 3600
    duration_text = f"{duration(plan.seconds)} on {pluralize(plan.workers, 'core')}"
    duration_text += f" ({hours:,.1f} core hours)" if hours >= 0.1 else ""
    return duration_text if plan.paced else f"at least {duration_text}, not measured yet"


def _print_plan(prepared: Prepared) -> set[str]:
    """Show what would be played and which bots are broken, and return {"broken"}, or an empty set if none is.

    Raises:
        InputError: A limit of schedules is exceeded, there are too few authors for a table, or the location is an
            invalid URL.
        RunError: The records can't be read.
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
