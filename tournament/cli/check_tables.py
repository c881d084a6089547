"""What `tournament check` found, on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group
from rich.table import Table
from rich.text import Text

from tournament.cli.numbers import short
from tournament.cli.tables import plain_table
from tournament.errors import printable
from tournament.store.legs import Fault
from tournament.trial.check import CheckReport, Meter, Replay


def check_table(report: CheckReport) -> Table:
    """What `tournament check` found."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    table.add_row("bot", Text(f"{report.name} ({report.kind})"))
    if report.problem is not None:
        table.add_row("builds", Text(printable(report.problem)))
    if report.leg and report.meter:
        leg = report.leg
        what = {"python": "of Python", "program": "of its folder"}.get(report.kind, "of WebAssembly")
        table.add_row("builds", f"yes: {short(report.size)} bytes {what}")
        if report.warnings:
            table.add_row("warnings", Text(report.warnings, style="yellow"))
        if report.confined_by:
            table.add_row("sandbox", Text(printable(report.confined_by)))
        table.add_row(
            "plays",
            f"{leg.games:,} games in {leg.sessions:,} session{'s' * (leg.sessions != 1)} against a house bot,"
            f" {report.points_per_session:+.2f} points a session",
        )
        if report.seed:
            table.add_row("seed", f"--seed {report.seed} repeats this check")
        for name, text in _costs(report.meter, report.fuel_allowed):
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
                table.add_row(
                    "legs",
                    "apart: it plays the same beside other legs as alone"
                    if report.legs_apart
                    else Text(
                        "not apart: beside other legs it plays otherwise than alone; what it changes in shared modules"
                        " reaches them",
                        style="red",
                    ),
                )
            table.add_row("limits", _at_limits(report))
        table.add_row("faults", _fault_lines(report.faults))
    verdict = Text("fit to enter", style="green") if report.fit else Text("not fit to enter", style="red")
    table.add_row("verdict", verdict)
    return table


# Columns of a replay that its caller has named, and how many others fit on a terminal.
_KNOWN = ("match", "session")
_MOST_COLUMNS = 16


def replay_table(replay: Replay) -> Group:
    """Games as they were played, and the bot's faults in them with what it was asked."""
    faults = _fault_lines(replay.faults) if replay.faults else Text("no faults")
    games = [{name: f"{value:g}" for name, value in game.items() if name not in _KNOWN} for game in replay.games]
    if games and len(games[0]) > _MOST_COLUMNS:
        lines = [", ".join(f"{name} {value}" for name, value in game.items()) for game in games]
        return Group(Text("games; the bot is x", style="bold"), *map(Text, lines), faults)
    table = plain_table("games; the bot is x", None)
    for name in games[0] if games else ():
        table.add_column(name, justify="right")
    for game in games:
        table.add_row(*game.values())
    return Group(table, faults)


def _costs(meter: Meter, fuel_allowed: int) -> list[tuple[str, str]]:
    """What decisions took, as rows."""
    if meter.use is None:
        mean = meter.fuel / max(1, meter.decisions)
        most = f"at most {meter.most_fuel:,} of {fuel_allowed:,} allowed"
        return [("fuel", f"{mean:,.0f} instructions a decision, {most}")]
    mean = meter.use.cpu_seconds / max(1, meter.decisions)
    rows = [("time", f"{mean * 1e6:,.1f} µs of processor time a decision, with its start")]
    if meter.use.memory_bytes:
        rows.append(("memory", f"{meter.use.memory_bytes / 1e6:,.0f} MB at most, with its interpreter"))
    return rows


def _at_limits(report: CheckReport) -> Text:
    """What came of the questions at extreme values."""
    if not report.boundary_faults:
        return Text(f"{report.boundary_questions} questions with extreme values: all answered")
    first = report.boundary_faults[0]
    count = f"{'' if report.asked_all else 'at least '}{len(report.boundary_faults)} of {report.boundary_questions}"
    return Text(
        printable(f"{count} questions with extreme values are faults; the first: {first.asked}: {first.what}"),
        style="red",
    )


def _fault_lines(faults: Sequence[Fault]) -> Text:
    if not faults:
        return Text("none")
    lines = []
    for fault, count in alike(faults):
        lines.append(f"session {fault.session}, game {fault.game}, {fault.question}: {fault.what}")
        lines.append(f"  asked {fault.asked}")
        lines += [f"  | {line}" for line in fault.complaints.splitlines()]
        if count > 1:
            lines.append(f"  and the same {count - 1} more time{'s' * (count > 2)}")
    return Text(printable("\n".join(lines)))


def alike(faults: Sequence[Fault]) -> list[tuple[Fault, int]]:
    """The first fault of each sort, and how many there are of it: the same words over the same question."""
    sorts: dict[tuple[str, str, str], list[Fault]] = {}
    for fault in faults:
        sorts.setdefault((fault.question, fault.what, fault.complaints), []).append(fault)
    return [(sort[0], len(sort)) for sort in sorts.values()]
