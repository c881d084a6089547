"""Differences between two runs of one contest: what was played, each bot's score and rank, and each pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tournament.errors import InputError
from tournament.records.citation import results_digest
from tournament.standings.standings import Standings
from tournament.standings.student_t import quantiles, two_sided_tail
from tournament.store.field import ContestSetup, Setting
from tournament.store.legs import Legs

if TYPE_CHECKING:
    import pandas as pd

    from tournament.records.results import Results

# Probability that any score, or any pair, is called different although only luck differs.
_ERROR_RATE = 0.05

#: Columns of `Comparison.scores`, with their meanings; those of `Comparison.pairs` are among them.
COMPARED = {
    "bot": "name of the bot",
    "opponent": "name of the opponent, in pairs",
    "version": "same or changed, if both runs have the bot; otherwise first only or second only",
    "first": "points per session in the first run, or the score against house players",
    "second": "points per session in the second run, or the score against house players",
    "difference": "second minus first",
    "stderr": "standard error of the difference, as if both runs had their own deals",
    "ci_half_width": "half-width of the difference's 95% interval",
    "differs": "whether the difference is significant; by luck alone, 1 of 20 comparisons has such a row",
    "first_rank": "rank in the first run",
    "second_rank": "rank in the second run",
}
_PAIR = ("bot", "opponent", "first", "second", "difference", "stderr", "ci_half_width", "differs")


@dataclass(frozen=True)
class Comparison:
    """Two runs of one contest, compared.

    Rows whose difference has no known error come last in both tables, and equally likely ones are sorted by name.
    Settings are sorted by name, and the version of the rules is among them if it differs.
    """

    first: str  #: folder or URL of the first run
    second: str  #: folder or URL of the second run
    is_same: bool  #: whether bots, their ranks and statuses, and the results of all legs are equal, bit for bit
    shared_legs: int  #: number of legs in both runs, with the same bots, deals and settings
    unlike_legs: int  #: number of shared legs with different results, because one of their bots isn't deterministic
    #: settings that differ: name, value in the first run, value in the second; null for a run without the setting
    settings: tuple[tuple[str, Setting, Setting], ...]
    scores: pd.DataFrame  #: a row for each bot of either run, the least likely difference first
    #: a row for each pair that met in both runs, from the side of one of its bots, the least likely difference first
    pairs: pd.DataFrame


def compare_results(first: Results, second: Results) -> Comparison:
    """Compare two runs of one contest.

    A difference of points has the error of two independent runs. Legs that both runs share have the same luck, so true
    errors are smaller if most legs are shared.

    Raises:
        InputError: The runs are of different contests, or standings need rules that aren't installed.
        RunError: The standings of a run can't be computed, because its field lacks facts of house players, or this
            machine can't load the rules.
    """
    if first.setup.rules != second.setup.rules:
        raise InputError(
            f"{first.location} has results of {first.setup.rules} and {second.location} of {second.setup.rules};"
            " give two runs of one contest"
        )
    scores, pairs = _compared_scores(first.ranking, second.ranking), _compared_pairs(first.ranking, second.ranking)
    own, others = (Legs.joined(batch.legs for batch in results.batches) for results in (first, second))
    shared, differs = _shared_legs(own, others)
    return Comparison(
        first.location,
        second.location,
        _ranks(first.ranking) == _ranks(second.ranking) and results_digest(own) == results_digest(others),
        shared,
        differs,
        _unlike_settings(first.setup, second.setup),
        scores,
        pairs,
    )


def _ranks(ranking: Standings) -> set[tuple[str, str, int | None, str]]:
    """Return name, sha256, rank and status of each entrant. The rank is None for a bot below the line."""
    return {(line.name, line.sha256, line.rank, line.status) for line in ranking.entrants}


def _unlike_settings(first: ContestSetup, second: ContestSetup) -> tuple[tuple[str, Setting, Setting], ...]:
    """Return the settings that differ, with both values, sorted by name. None if a run lacks a setting.

    The version of the rules is among them if it differs.
    """
    own, others = ({**setup.settings, "version of the rules": setup.engine} for setup in (first, second))
    names = sorted({*own, *others})
    return tuple((name, own.get(name), others.get(name)) for name in names if own.get(name) != others.get(name))


def _shared_legs(first: Legs, second: Legs) -> tuple[int, int]:
    """Return the number of legs in both runs, by digest, and the number of these with different results."""
    _, own, others = np.intersect1d(first.digest, second.digest, return_indices=True)
    if not len(own):
        return 0, 0
    one, other = first.take(own), second.take(others)
    differs = (one.sums != other.sums).any(axis=(1, 2)) | (one.sessions != other.sessions) | (one.games != other.games)
    return len(own), int(differs.sum())


def _compared_scores(first: Standings, second: Standings) -> pd.DataFrame:
    """Return the columns of COMPARED except the opponent.

    There is a row for each bot of either run, the least likely difference first.
    """
    rows = _score_frame(first).merge(_score_frame(second), "outer", "bot", suffixes=("_1", "_2"))
    same = rows["sha256_1"] == rows["sha256_2"]
    only = np.select([rows["sha256_2"].isna(), rows["sha256_1"].isna()], ["first only", "second only"], "changed")
    rows["version"] = np.where(same, "same", only)
    rows = _with_difference(rows)
    rows["first_rank"], rows["second_rank"] = (rows[name].astype("Int64") for name in ("rank_1", "rank_2"))
    return _sort_by_likelihood(rows)[[name for name in COMPARED if name != "opponent"]]


def _compared_pairs(first: Standings, second: Standings) -> pd.DataFrame:
    """Return a row for each pair that met in both runs, the least likely difference first, and unknown ones last."""
    rows = _pair_frame(first).merge(_pair_frame(second), "inner", ["bot", "opponent"], suffixes=("_1", "_2"))
    return _sort_by_likelihood(_with_difference(rows))[list(_PAIR)]


def _score_frame(ranking: Standings) -> pd.DataFrame:
    """Return each entrant's points per session, or its score against house players, with its error. NaN if unknown."""
    import pandas as pd

    rows = [
        {
            "bot": line.name,
            "sha256": line.sha256,
            "points": line.score if ranking.scoring else line.points_per_session,
            "stderr": line.stderr if ranking.scoring else line.stderr_per_session,
            "freedom": line.freedom,
            "rank": line.rank,
        }
        for line in ranking.entrants
    ]
    types = {"points": "float64", "stderr": "float64", "freedom": "float64", "rank": "Int64"}
    return pd.DataFrame(rows, columns=["bot", "sha256", *types]).astype(types)


def _pair_frame(ranking: Standings) -> pd.DataFrame:
    """Return points per session of each match's bot x, with their error or NaN. Rows are in match order."""
    import pandas as pd

    matches = ranking.matches
    sessions = np.maximum(matches.integers[:, 2], 1)
    return pd.DataFrame(
        {
            "bot": matches.column("x"),
            "opponent": matches.column("y"),
            "points": matches.amounts[:, 0] / sessions,
            "stderr": matches.amounts[:, 1] / sessions,
            "freedom": matches.integers[:, 4].astype(np.float64),
        }
    )


def _with_difference(rows: pd.DataFrame) -> pd.DataFrame:
    """Add the columns of the difference, its error, p-value (`tail`) and verdict, with Welch's degrees of freedom.

    The rows are changed and returned. If an error is unknown, the half-width and the p-value are NaN, and the verdict
    is False.
    """
    variances = [rows[f"stderr_{run}"] ** 2 for run in (1, 2)]
    rows["first"], rows["second"] = rows["points_1"], rows["points_2"]
    rows["difference"] = rows["second"] - rows["first"]
    variance = variances[0] + variances[1]
    rows["stderr"] = np.sqrt(variance)
    parts = sum(own**2 / rows[f"freedom_{run}"] for run, own in zip((1, 2), variances))
    fewest = np.minimum(rows["freedom_1"], rows["freedom_2"])
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = np.where(parts > 0, variance**2 / parts, fewest)
        distance = np.where(variance > 0, rows["difference"].abs() / rows["stderr"], np.inf)
    distance = np.where(rows["difference"] == 0, 0.0, distance)
    is_known = rows["stderr"].notna() & rows["difference"].notna() & (fewest >= 1)
    rows["ci_half_width"] = np.where(
        is_known, rows["stderr"] * quantiles(0.975, np.where(is_known, freedom, 1.0)), np.nan
    )
    probability = np.where(
        is_known, two_sided_tail(np.nan_to_num(distance, nan=0.0), np.where(is_known, freedom, 1.0)), np.nan
    )
    rows["tail"] = probability
    rows["differs"] = rows["tail"] * max(int(is_known.sum()), 1) < _ERROR_RATE
    return rows


def _sort_by_likelihood(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with the least likely difference first, equally likely ones by name, and unknown ones last."""
    keys = [name for name in ("bot", "opponent") if name in rows]
    return rows.sort_values(["tail", *keys], ignore_index=True)
