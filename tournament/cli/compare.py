"""The command `tournament compare`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tournament.cli.consoles import out
from tournament.cli.fitting import LATE, FittingTable
from tournament.cli.options import CHOICE, OUTPUT, Csv, Json, flag, option, print_json
from tournament.errors import InputError, and_more, printable
from tournament.records.results import load
from tournament.records.values import frame_rows, rows_csv

if TYPE_CHECKING:
    import pandas as pd

    from tournament.records.comparison import Comparison

_LOCATION = {"help": "folder or URL of a contest's records"}


def compare(
    first: Annotated[str, typer.Argument(metavar="FIRST", **_LOCATION)],
    second: Annotated[str, typer.Argument(metavar="SECOND", **_LOCATION)],
    most: Annotated[int, option("N", "bots and pairs to show, the least likely differences first", CHOICE)] = 10,
    assert_same: Annotated[bool, flag("--assert-same", "exit with 1 unless the results are equal", OUTPUT)] = False,
    as_csv: Csv = False,
    as_json: Json = False,
) -> None:
    """Compare two runs of one contest, and say which differences are significant.

    Errors are those of two runs with separate deals.

    Exit codes: 0, or with --assert-same 1 if bots, ranks or the results of any leg differ in any bit.

    Raises:
        InputError: Options exclude each other, there are no records, or they are of different contests. Or their rules
            are missing and needed.
        RunError: Records can't be read, or this machine can't load the rules.
        FileNotFoundError: A part was removed while the records were read.
        typer.Exit: The results differ, and --assert-same is given.
    """
    from tournament.records.comparison import compare_results

    if as_csv and as_json:
        raise InputError("--csv, --json: choose one of the two")
    comparison = compare_results(load(first), load(second))
    if as_json:
        print_json(comparison_values(comparison))
    elif as_csv:
        print(rows_csv(frame_rows(comparison.scores)), end="")
    else:
        _print_comparison(comparison, max(0, most))
    if assert_same and not comparison.is_same:
        raise typer.Exit(1)


def comparison_values(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as values for JSON, by the names and in the order of `Comparison`.

    Rows of scores and pairs are in the order of their tables. Unknown numbers are None.
    """
    return {
        "first": comparison.first,
        "second": comparison.second,
        "is_same": comparison.is_same,
        "shared_legs": comparison.shared_legs,
        "unlike_legs": comparison.unlike_legs,
        "settings": [{"name": name, "first": one, "second": other} for name, one, other in comparison.settings],
        "scores": frame_rows(comparison.scores),
        "pairs": frame_rows(comparison.pairs),
    }


def _print_comparison(comparison: Comparison, most: int) -> None:
    """Print a comparison: settings, changed bots, scores, pairs, then sums. Seeds aren't printed.

    If the results are the same, a line says so instead of all after the changed bots.

    Args:
        comparison: The comparison.
        most: Maximum number of rows of each table, and of names in a line. With 0 there are no tables.
    """
    for name, one, other in comparison.settings:
        if name == "seed":
            out.print("setting seed: another one")
        else:
            out.print(f"setting {name}: {_text(one)} → {_text(other)}", markup=False, soft_wrap=True)
    for version, words in (
        ("changed", "changed"),
        ("first only", "in the first run only"),
        ("second only", "in the second run only"),
    ):
        if names := comparison.scores["bot"][comparison.scores["version"] == version].tolist():
            more = f", {and_more(len(names) - most)}" if len(names) > most else ""
            out.print(f"{words}: {', '.join(names[:most])}{more}", markup=False, soft_wrap=True)
    if comparison.is_same:
        out.print(f"same results: {len(comparison.scores)} bots, {comparison.shared_legs:,} legs")
        return
    if len(comparison.scores) and most:
        out.print(_table("scores", comparison.scores, most))
    if len(comparison.pairs) and most:
        out.print(_table("pairs", comparison.pairs, most))
    if comparison.unlike_legs:
        out.print(
            f"{comparison.unlike_legs:,} of {comparison.shared_legs:,} legs that both runs share have other results:"
            " a bot in them reads a clock or draws its own numbers",
            soft_wrap=True,
        )
    elif comparison.shared_legs:
        out.print(f"{comparison.shared_legs:,} legs are in both runs, with equal results", soft_wrap=True)
    scores, pairs = (int(frame["differs"].sum()) for frame in (comparison.scores, comparison.pairs))
    moved = int((comparison.scores["first_rank"] != comparison.scores["second_rank"]).fillna(False).sum())
    if (comparison.scores["version"] != "same").any():
        out.print("scores are of unlike fields: pairs of unchanged bots can be compared", soft_wrap=True)
    of_scores, of_pairs = f"{scores} of {len(comparison.scores)} scores", f"{pairs} of {len(comparison.pairs)} pairs"
    out.print(f"beyond luck: {of_scores}, {of_pairs}; other places: {moved}", soft_wrap=True)


def _table(title: str, frame: pd.DataFrame, max_rows: int) -> FittingTable:
    """Return differences of bots or of pairs as a table, in their order.

    Args:
        title: What is compared, in the plural.
        frame: The scores or the pairs of a `Comparison`. Pairs have a column `opponent`.
        max_rows: Maximum number of rows. The caption counts the others.
    """
    remaining = len(frame) - max_rows
    table = FittingTable(
        f"points per session, {title}", f"{and_more(remaining)}: --most, --csv, --json" if remaining > 0 else ""
    )
    is_pair = "opponent" in frame
    table.add_column("bot", is_left=True)
    if is_pair:
        table.add_column("against", is_left=True)
    table.add_column("first", drop=1)
    table.add_column("second", drop=1)
    table.add_column("difference")
    table.add_column("± 95%", drop=LATE)
    if not is_pair:
        table.add_column("places", drop=0)
    table.add_column("beyond luck", drop=LATE - 1)
    row: Any
    for row in frame.head(max_rows).itertuples(index=False):
        numbers = [_signed(row.first), _signed(row.second), _signed(row.difference), _half_width(row.ci_half_width)]
        ranks = [] if is_pair else [_rank_change(row.first_rank, row.second_rank)]
        names = [printable(row.bot), printable(row.opponent)] if is_pair else [printable(row.bot)]
        table.add_row(*names, *numbers, *ranks, "yes" if row.differs else "")
    return table


def _signed(value: float) -> str:
    """Return a number with its sign, or "" for NaN."""
    return "" if value != value else f"{value:+.3f}"


def _half_width(value: float) -> str:
    """Return half the width of an interval, or "" for NaN."""
    return "" if value != value else f"{value:.3f}"


def _rank_change(first: Any, second: Any) -> str:
    """Return one rank as text, or both if they differ. A missing one is —."""
    import pandas as pd

    one, other = ("—" if pd.isna(rank) else str(rank) for rank in (first, second))
    return one if one == other else f"{one} → {other}"


def _text(value: object) -> str:
    """Return a setting's value as text, "not set" for None."""
    return "not set" if value is None else printable(str(value))
