"""The report of `tournament check` on a terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.text import Text

from engine.kernel.game_core import BLOCK_COUNT
from tournament.cli.fitting import Facts
from tournament.cli.numbers import short, small_duration
from tournament.errors import main_error_line, pluralize, printable
from tournament.standings.student_t import half_width
from tournament.store.leg_result import Fault, LegResult, by_sort
from tournament.trial.check import CheckReport
from tournament.trial.trial_legs import Meter


def check_table(report: CheckReport) -> Facts:
    """Return what `tournament check` found: the verdict first, then what makes a bot unfit, then the rest.

    A bot that couldn't be built or tried has no rows about its play.
    """
    table = Facts()
    verdict = Text("fit to enter", style="green") if report.fit else Text("not fit to enter", style="red")
    table.add_row("verdict", verdict)
    if report.problem is not None:
        table.add_row("error", Text(printable(main_error_line(report.problem)), style="red"))
    if report.leg and report.leg_faults:
        table.add_row("faults", describe_faults(report.leg_faults))
    if report.boundary_faults:
        table.add_row("limits", _at_limits(report))
    if report.slow and (report.too_slow or report.leg is None):
        table.add_row("slow", Text(report.slow, style="red" if report.too_slow else "yellow"))
    table.add_row("bot", Text(f"{report.name} ({report.kind})"))
    if report.problem is not None and report.problem.strip() != main_error_line(report.problem):
        table.add_row("builds", Text(printable(report.problem)))
    if report.leg:
        leg = report.leg
        kind = {"python": "of Python", "program": "of its folder"}.get(report.kind, "of WebAssembly")
        by = f", compiled by {report.standard}" if report.standard else ""
        table.add_row("builds", f"yes: {short(report.size)} bytes {kind}{by}")
        if report.warnings:
            table.add_row("warnings", Text(report.warnings, style="yellow"))
        if report.confined_by:
            table.add_row("sandbox", Text(printable(report.confined_by)))
        won = f", {_won(report.points_per_session, leg)} points a session" if leg.sessions else ""
        table.add_row("plays", f"{leg.games:,} games {_in_sessions(leg.sessions)} against {report.opponent}{won}")
        if report.slow and not report.too_slow:
            table.add_row("slow", Text(report.slow, style="yellow"))
        for number, habit in enumerate(report.habits):
            table.add_row("habits" if number == 0 else "", Text(habit, style="yellow"))
        if report.seed:
            table.add_row("seed", f"--seed {report.seed} repeats this check")
        for name, text in costs(report.meter, report.fuel_allowed) if report.meter else ():
            table.add_row(name, text)
        if report.boundary_questions:  # 0 for a disqualified bot
            table.add_row(
                "repeats",
                "yes: the same seed gives the same games"
                if report.repeats
                else "no: the same seed gave other games (clocks, addresses, the system's randomness?);"
                " it can enter nevertheless",
            )
            if report.kind == "python":
                table.add_row("legs", _legs(report))
            if not report.boundary_faults:
                table.add_row("limits", _at_limits(report))
        if report.printed:
            table.add_row("prints", Text(printable(report.printed), style="dim"))
        if not report.leg_faults:
            table.add_row("faults", "none")
    return table


def _legs(report: CheckReport) -> str:
    """Return whether a Python bot's legs share a process as text, with what to change if they don't."""
    if report.shares_process:
        return "share a process"
    violation = printable(report.isolation_violation)
    # Measured: 3 times with legs of a thousand quick games, 8 times with legs of a few.
    separate = "separate: each leg starts its own process, so its games take 3 to 8 times as long"
    return f"{separate}; to share one, change {violation}"


def _won(points: float, leg: LegResult) -> str:
    """Return points per session as text, with their 95% interval, or alone if the blocks of the leg don't differ.

    Args:
        points: Points per session.
        leg: The leg, which has played at least one session.
    """
    error = math.sqrt(leg.sums[0].variance) / leg.sessions
    if not error:
        return f"{points:+.2f}"
    blocks = min(BLOCK_COUNT, leg.sessions if leg.sessions > 1 else leg.games)
    return f"{points:+.2f} ± {half_width(error, max(1, blocks - 1)):.2f} (95%)"


def _in_sessions(count: int) -> str:
    """Return the number of sessions as text. With 0 a session was broken off."""
    return f"in {pluralize(count, 'session')}" if count else "of a session that was broken off"


def costs(meter: Meter, fuel_allowed: int | None = None) -> list[tuple[str, str]]:
    """Return the costs of decisions as rows of label and text: fuel for WebAssembly, otherwise time and memory.

    The row of memory is omitted if it wasn't measured.

    Args:
        meter: What the bot's decisions used.
        fuel_allowed: Units of fuel allowed for a decision, to be shown. None to show no limit.
    """
    if meter.use is None:
        mean = meter.fuel / max(1, meter.decisions)
        allowed = "" if fuel_allowed is None else f" of {fuel_allowed:,} allowed"
        return [("fuel", f"{mean:,.0f} instructions a decision, at most {meter.max_fuel:,}{allowed}")]
    mean = meter.use.cpu_seconds / max(1, meter.decisions)
    rows = [("time", f"{small_duration(mean)} of processor time a decision, with its start")]
    if meter.use.memory_bytes:
        rows.append(("memory", f"{meter.use.memory_bytes / 1e6:,.0f} MB at most, with its interpreter"))
    return rows


def _at_limits(report: CheckReport) -> Text:
    """Return the results of the questions at extreme values as text, with the number of faults and the first one."""
    if not report.boundary_faults:
        return Text(f"{report.boundary_questions:,} questions with extreme values: all answered")
    first = report.boundary_faults[0]
    count = f"{'' if report.answered_all else 'at least '}{len(report.boundary_faults)} of {report.boundary_questions}"
    return Text(
        printable(
            f"{count} questions with extreme values are faults; the first: {first.question_text}: {first.message}"
        ),
        style="red",
    )


_LINE_HINT = (
    "standard output is for answers alone, one line for each question: print what you want to read to standard error"
)


def describe_faults(faults: Sequence[tuple[LegResult, Fault]], *, with_name: bool = False) -> Text:
    """Return the first fault of each kind as text, or "none". Bots are by name, and the most frequent kinds first.

    Args:
        faults: The faults, each after its leg.
        with_name: Whether to name the bot of each, because two bots play.
    """
    lines = []
    for (leg, fault), *like_it in by_sort(faults):
        whose = f"{leg.seats[fault.seat]} " * with_name
        lines.append(f"session {fault.session}, game {fault.game}, {whose}{fault.decision}: {fault.message}")
        lines.append(f"  asked {fault.question_text}")
        lines += [f"  | {line}" for line in fault.last_output.splitlines()]
        if fault.kind == "line":
            lines.append(f"  {_LINE_HINT}")
        if like_it:
            lines.append(f"  and the same {pluralize(len(like_it), 'more time')}")
    return Text(printable("\n".join(lines) or "none"))
