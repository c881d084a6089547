"""What `tournament check` found, on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from tournament.cli.numbers import short
from tournament.cli.tables import facts_table
from tournament.contests.contest import Contest
from tournament.errors import counted, printable
from tournament.standings.student import reach
from tournament.store.legs import Fault, LegResult, by_sort
from tournament.trial.check import CheckReport
from tournament.trial.mistakes import Search
from tournament.trial.playing import Meter
from tournament.trial.sequential import Look, Verdict

if TYPE_CHECKING:
    from tournament.trial.match import MatchReport


def check_table(report: CheckReport) -> Table:
    """What `tournament check` found."""
    table = facts_table()
    table.add_row("bot", Text(f"{report.name} ({report.kind})"))
    if report.problem is not None:
        table.add_row("builds", Text(printable(report.problem)))
    if report.slow and report.leg is None:
        table.add_row("slow", Text(report.slow, style="yellow"))
    if report.leg:
        leg = report.leg
        what = {"python": "of Python", "program": "of its folder"}.get(report.kind, "of WebAssembly")
        by = f", compiled by {report.standard}" if report.standard else ""
        table.add_row("builds", f"yes: {short(report.size)} bytes {what}{by}")
        if report.warnings:
            table.add_row("warnings", Text(report.warnings, style="yellow"))
        if report.confined_by:
            table.add_row("sandbox", Text(printable(report.confined_by)))
        won = f", {report.points_per_session:+.2f} points a session" if leg.sessions else ""
        table.add_row(
            "plays",
            f"{leg.games:,} games {_in_sessions(leg.sessions)} against {report.opponent}{won}",
        )
        if report.slow:
            table.add_row("slow", Text(report.slow, style="red" if report.too_slow else "yellow"))
        for number, habit in enumerate(report.habits):
            table.add_row("habits" if number == 0 else "", Text(habit, style="yellow"))
        if report.seed:
            table.add_row("seed", f"--seed {report.seed} repeats this check")
        for name, text in costs(report.meter, report.fuel_allowed) if report.meter else ():
            table.add_row(name, text)
        if report.boundary_questions:  # not asked of a bot that was disqualified
            table.add_row(
                "repeats",
                "yes: the same seed gives the same games"
                if report.repeats
                else "no: the same seed gave other games (clocks, addresses, os-level chance?);"
                " it may enter all the same",
            )
            if report.kind == "python":
                table.add_row("legs", _legs(report))
            table.add_row("limits", _at_limits(report))
        if report.mistakes:
            table.add_row("elsewhere", mistakes_in_words(report.mistakes, f"{report.name}.{report.kind}"))
        if report.printed:
            table.add_row("prints", Text(printable(report.printed), style="dim"))
        table.add_row("faults", _fault_lines(report.faults_of_leg))
    verdict = Text("fit to enter", style="green") if report.fit else Text("not fit to enter", style="red")
    if report.mistakes and report.mistakes.mistakes:
        verdict.append(", but would crash or differ elsewhere", style="yellow")
    table.add_row("verdict", verdict)
    return table


def mistakes_in_words(search: Search, file: str) -> Text:
    """What a search for mistakes found, a line for each, with its place in the file."""
    where = f"{search.games:,} games" + (f" and {search.questions:,} questions at the limits" * bool(search.questions))
    if not search.mistakes:
        return Text(f"{file}: no mistake found that shows only elsewhere, in {where}")
    lines = []
    for mistake in search.mistakes:
        lines.append(f"{file}:{mistake.line}: does what the language leaves undefined ({mistake.when})")
    return Text(printable("\n".join(lines)), style="yellow")


def _legs(report: CheckReport) -> str | Text:
    if report.leaks:
        words = "share a process, and one played otherwise beside others than alone: set [sandbox] legs_per_process = 1"
        return Text(words, style="yellow")
    if report.legs_share:
        return "share a process: one plays the same beside others as alone"
    return f"apart, each in a process of its own, which is slower: {printable(report.why_apart)}"


def match_table(report: MatchReport, contest: Contest, seed: str) -> Table:
    """What `tournament match` found."""
    table = facts_table()
    by_game = contest.house is not None and contest.house.scoring.of_match
    share = report.sessions / max(1, report.games) if by_game else 1.0  # the part of a session to which points refer
    table.add_row("match", Text(f"{report.bot} against {report.opponent}"))
    table.add_row("played", f"{report.games:,} games {_in_sessions(report.sessions)}")
    if report.sessions:
        sides = [(report.bot, report.points_per_session, report.stderr)]
        if report.opponents_points_per_session != -report.points_per_session:
            sides.append((report.opponent, report.opponents_points_per_session, report.opponents_stderr))
        for number, (name, points, stderr) in enumerate(sides):
            error = "" if stderr is None else f" ± {share * reach(stderr, report.freedom):,.3f} (95%)"
            each = "game" if by_game else "session"
            table.add_row("" if number else "points", f"{points * share:+,.3f}{error} a {each} for {name}")
    if contest.display.unit:
        table.add_row("", contest.display.unit)
    if contest.house:
        scoring = contest.house.scoring
        if report.score is not None:
            table.add_row("score", f"{report.score:,.{scoring.decimals}f}")
        for measure in scoring.measures:
            value = report.measures.get(measure.name)
            if value is not None:
                table.add_row(measure.title, f"{measure.shown(value)} ({measure.meaning})")
    table.add_row("seed", f"--seed {seed} repeats this match")
    table.add_row("verdict", _verdict(report))
    table.add_row("faults", _fault_lines(report.faults, of_both=True))
    return table


def _in_sessions(count: int) -> str:
    return f"in {counted(count, 'session')}" if count else "of a session that was broken off"


VERDICTS: Mapping[Verdict, str] = {
    "better": "surely better",
    "worse": "surely worse",
    "open": "which is better is open",
}


def stopped_in_words(look: Look) -> str:
    """What the last of several looks said."""
    says = VERDICTS[look.verdict]
    if look.reaches is None:
        says = {"better": "HIGH rather than LOW", "worse": "LOW rather than HIGH", "open": "open"}[look.verdict]
    return f"after {counted(look.replicas, 'replica')}, {look.said}: {says}"


def _verdict(report: MatchReport) -> Text:
    if report.disqualified:
        verb = "is" if len(report.disqualified) == 1 else "are"
        return Text(f"{' and '.join(report.disqualified)} {verb} disqualified: too many faults", style="red")
    if report.stopped:
        colour = {"better": "green", "worse": "red", "open": "yellow"}[report.stopped.verdict]
        return Text(f"{report.bot} {stopped_in_words(report.stopped)}", style=colour)
    if report.lead_stderr is None:
        return Text("too few sessions to tell")
    if not report.lead and not report.lead_stderr:
        return Text("neither is ahead: both win the same in every session", style="yellow")
    if abs(report.lead) <= reach(report.lead_stderr, report.freedom):
        return Text("neither is clearly ahead: play more --sessions to tell", style="yellow")
    ahead = report.bot if report.lead > 0 else report.opponent
    errors = abs(report.lead) / report.lead_stderr if report.lead_stderr else 0.0
    by = f"{errors:,.1f} standard errors" if errors else "the same in every session"
    # One match doesn't show what another would have brought.
    where = " in this match" if report.replicas == 1 else ""
    return Text(f"{ahead} is ahead{where}, by {by}", style="green" if ahead == report.bot else "red")


def costs(meter: Meter, fuel_allowed: int | None = None) -> list[tuple[str, str]]:
    """What decisions took, as rows."""
    if meter.use is None:
        mean = meter.fuel / max(1, meter.decisions)
        allowed = "" if fuel_allowed is None else f" of {fuel_allowed:,} allowed"
        return [("fuel", f"{mean:,.0f} instructions a decision, at most {meter.most_fuel:,}{allowed}")]
    mean = meter.use.cpu_seconds / max(1, meter.decisions)
    rows = [("time", f"{mean * 1e6:,.1f} µs of processor time a decision, with its start")]
    if meter.use.memory_bytes:
        rows.append(("memory", f"{meter.use.memory_bytes / 1e6:,.0f} MB at most, with its interpreter"))
    return rows


def _at_limits(report: CheckReport) -> Text:
    """The results of the questions at extreme values."""
    if not report.boundary_faults:
        return Text(f"{report.boundary_questions:,} questions with extreme values: all answered")
    first = report.boundary_faults[0]
    count = f"{'' if report.asked_all else 'at least '}{len(report.boundary_faults)} of {report.boundary_questions}"
    return Text(
        printable(f"{count} questions with extreme values are faults; the first: {first.asked}: {first.what}"),
        style="red",
    )


_HINT_TO_LINES = (
    "standard output is for answers alone, one line for each question: print what you want to read to standard error"
)


def _fault_lines(faults: Sequence[tuple[LegResult, Fault]], *, of_both: bool = False) -> Text:
    """The first fault of each sort; `of_both` bots, so that each is named."""
    lines = []
    for (leg, fault), *like_it in by_sort(faults):
        whose = f"{leg.name_at(fault.seat)} " * of_both
        lines.append(f"session {fault.session}, game {fault.game}, {whose}{fault.question}: {fault.what}")
        lines.append(f"  asked {fault.asked}")
        lines += [f"  | {line}" for line in fault.complaints.splitlines()]
        if fault.kind == "line":
            lines.append(f"  {_HINT_TO_LINES}")
        if like_it:
            lines.append(f"  and the same {counted(len(like_it), 'more time')}")
    return Text(printable("\n".join(lines) or "none"))
