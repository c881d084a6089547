"""Standings, pairs and faults as scripts and spreadsheets get them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tournament.standings.outlier_pairs import outlier_pairs
from tournament.standings.standings import Standing, Standings

if TYPE_CHECKING:
    import pandas as pd

    from tournament.standings.ratings import Rated


# What scripts are told of a fault, by columns of the parts in faults/.
FAULT_COLUMNS = ("match", "session", "game", "bot", "decision", "message", "question_text", "last_output")


# What scripts are told of a bot in the standings, by name, with its meaning.
STANDING = {
    "rank": "place, from 1; null below the line",
    "rank_low": (
        "best rank that may be its true one; the bounds of all bots hold at once with 95%, or with the "
        "chance given to `--until-settled`"
    ),
    "rank_high": "worst rank that may be",
    "name": "the bot's",
    "score": (
        "sum of points over its matches; with more than two seats, or drawn tables, mean of points per session; "
        "against house players what the contest makes of them (W, or the mean over servers)"
    ),
    "points_per_session": "of its score; 0 against house players, where the score is no sum",
    "stderr": "standard error of the score: over replicas; of one, over the sessions of its matches alone",
    "ci_low": "lower end of its 95% interval",
    "ci_high": "upper end",
    "matches": "opponents met; with more than two seats, or drawn tables, matches played",
    "sessions": "sessions played",
    "games": "games played",
    "faults": "over all its legs",
    "status": "ok, house (the host's own), broken, disqualified, incomplete, or preliminary: in the preliminary alone,"
    " not in the final",
    "reason": "why it is not ok",
    "adjusted_score": "score less what luck was worth; the score where a contest has no such correction",
    "adjusted_stderr": "its standard error",
    "adjusted_ci_low": "lower end of its 95% interval",
    "adjusted_ci_high": "upper end",
    "order_status": (
        "of it and the next one: settled where `rank_high` is below the next one's `rank_low`, else open;"
        " after `--until-settled` also tied or too_close; null for the last one"
    ),
    "significantly_ahead_of": (
        "the nearest bots that are significantly behind it; bots behind these are behind it,"
        " too, and no others are significantly"
    ),
    "points_per_game": "the same for a game: in a matrix game points a turn",
}


AUTHOR = "who submitted it, where an open contest took it; null for other bots"


OUTLIER_RESULTS = (
    "its results that are far from what those against all others predict: `opponent`, "
    "`points_per_session`, `predicted`, and the `prediction_sd` of results about it. Empty in nineteen of twenty fields"
    " without agreements"
)


def fault_values(ranking: Standings) -> dict[str, list[Any]]:
    """Return the faults by column, and after them, without a bot, each leg in which the rules failed."""
    rows = [
        {name: getattr(fault, name, None) for name in FAULT_COLUMNS}
        | {"match": leg.match, "bot": leg.seats[fault.seat]}
        for leg, fault in ranking.faults
    ]
    rows += [
        {"match": leg.match, "session": leg.session, "game": leg.game, "bot": "", "decision": ""}
        | {"message": f"the rules failed: {leg.reason}", "question_text": "", "last_output": ""}
        for leg in ranking.failed_legs
    ]
    return {name: [row[name] for row in rows] for name in FAULT_COLUMNS}


def standing_values(line: Any) -> dict[str, Any]:
    """A leaderboard line as scripts get it."""
    return {key: getattr(line, key) for key in STANDING} | dict(line.measures)


def standings_csv(lines: Sequence[Standing], authors: Mapping[str, str], more: Sequence[Mapping[str, Any]] = ()) -> str:
    """Return a leaderboard as a table for spreadsheets: a line for each bot, and `more` lines below these."""
    rows = [
        # Who has no match has no score: a 0 would be better than the last one's, in a gradebook too.
        _with_author(line, authors) | ({} if line.matches else {"score": None, "points_per_session": None})
        for line in lines
    ]
    return rows_csv([*rows, *more] if rows else [dict.fromkeys(STANDING), *more])


def _with_author(line: Any, authors: Mapping[str, str]) -> dict[str, Any]:
    values = standing_values(line)
    after = [*values].index("name") + 1
    items = [*values.items()]
    return dict([*items[:after], ("author", authors.get(line.name)), *items[after:]])


def frame_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a frame's rows as scripts get them, None for what is missing."""
    plain = frame.astype(object).where(frame.notna(), None)
    return [{str(name): value for name, value in row.items()} for row in plain.to_dict("records")]


def rows_csv(rows: Sequence[Mapping[str, object]]) -> str:
    """Rows as a table for spreadsheets, below a line of their names."""
    text = io.StringIO()
    names = dict.fromkeys(name for row in rows for name in row)
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    """A value in a spreadsheet. A stranger's text, such as a reason, must not begin a formula there."""
    if isinstance(value, tuple):
        value = " ".join(value)
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value


def leaderboard_values(
    ranking: Standings, authors: Mapping[str, str] | None = None, below: Sequence[Standing] = ()
) -> list[dict[str, Any]]:
    """Return the leaderboard's lines as scripts get them: with the pairs of each bot that nothing predicts, and its
    author. The lines `below` a final follow."""
    pairs = [one for pair in outlier_pairs(ranking) for one in (pair, pair.from_y())]
    values = {
        line.name: [
            {
                "opponent": pair.y,
                **{key: getattr(pair, key) for key in ("points_per_session", "predicted", "prediction_sd")},
            }
            for pair in pairs
            if pair.x == line.name
        ]
        for line in ranking.entrants
    }
    lines = [*ranking.entrants, *below]
    return [_with_author(line, authors or {}) | {"outlier_results": values.get(line.name, [])} for line in lines]


def rated_values(line: Rated) -> dict[str, Any]:
    """A line of another rating as scripts get it."""
    return {
        "rank": line.rank,
        "name": line.name,
        "rating": line.rating,
        "stderr": line.stderr,
        "ci_half_width": line.ci_half_width,
        **line.more,
    }


def crosstable_values(ranking: Standings) -> list[dict[str, Any]]:
    """Return every pair from both sides, or from the entrant's against a house player; then self-play."""
    rows = []
    for side in (*ranking.sides, *ranking.self_play.values()):
        row = {
            "bot": side.x,
            "opponent": side.y,
            "sessions": side.sessions,
            "games": side.games,
            "points_per_session": side.points_per_session,
            "stderr": side.stderr_per_session,
            "ci_half_width": side.ci_half_width_per_session,
        }
        rows.append(row | {"score": side.score} | dict(side.measures) if ranking.scoring else row)
    return rows
