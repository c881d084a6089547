"""Standings, pairs and faults as values for scripts and spreadsheets."""

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


# Values of a fault for scripts, which are columns of the parts in faults/.
FAULT_COLUMNS = ("match", "session", "game", "bot", "decision", "message", "question_text", "last_output")


# Values of a bot in the standings for scripts, with their meanings.
STANDING = {
    "rank": "rank, from 1; null for bots below the line",
    "rank_low": (
        "best possible rank; the bounds of all bots hold simultaneously with 95% confidence, or the probability given "
        "to `--until-settled`"
    ),
    "rank_high": "worst possible rank",
    "name": "name of the bot",
    "score": (
        "sum of points over the bot's matches; with more than two seats, or drawn tables, mean points per session; "
        "against house players the contest's own score (W, or the mean over servers)"
    ),
    "points_per_session": "score per session; 0 against house players, whose score isn't a sum",
    "stderr": "standard error of the score, over replicas; if there is one replica, over the sessions of its matches",
    "ci_low": "lower end of the score's 95% interval",
    "ci_high": "upper end of the score's 95% interval",
    "matches": "number of opponents met; with more than two seats, or drawn tables, number of matches played",
    "sessions": "sessions played",
    "games": "games played",
    "faults": "number of faults of the bot in all its legs",
    "status": (
        "ok, house (the host's own bot), broken, disqualified, incomplete, or preliminary if the bot played in the "
        "preliminary but not in the final"
    ),
    "reason": "reason for a status other than ok",
    "adjusted_score": "score without the points due to luck; the score itself if the contest has no such correction",
    "adjusted_stderr": "standard error of the adjusted score",
    "adjusted_ci_low": "lower end of the adjusted score's 95% interval",
    "adjusted_ci_high": "upper end of the adjusted score's 95% interval",
    "order_status": (
        "status of the order of this bot and the next: settled if `rank_high` is below the next bot's `rank_low`, "
        "otherwise open; after `--until-settled` also tied or too_close; null for the last bot"
    ),
    "significantly_ahead_of": (
        "names of the nearest bots that are significantly behind this one; the bots behind them are significantly "
        "behind it, too, and no others are"
    ),
    "points_per_game": "score per game; in a matrix game points per turn",
}


AUTHOR = "author who submitted the bot to an open contest; null for other bots"


OUTLIER_RESULTS = (
    "results of the bot that differ significantly from those that its results against all other bots predict: "
    "`opponent`, `points_per_session`, `predicted`, and the `prediction_sd` of results about the prediction; empty in "
    "19 of 20 fields without agreements"
)


def fault_values(ranking: Standings) -> dict[str, list[Any]]:
    """Return the recorded faults by column of FAULT_COLUMNS, in the order of legs.

    Each leg in which the rules failed follows, with the reason as its message. Its bot and other texts are "".
    """
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
    """Return a line of the leaderboard as values for scripts: those of STANDING, then the contest's measures.

    Unknown values are None.
    """
    return {key: getattr(line, key) for key in STANDING} | dict(line.measures)


def standings_csv(
    entrants: Sequence[Standing], authors: Mapping[str, str], more: Sequence[Mapping[str, Any]] = ()
) -> str:
    """Return a leaderboard as CSV, with the columns of STANDING, the author after the name, and the contest's measures.

    The score of a bot without matches is empty. Without lines there is one row of empty cells.

    Args:
        entrants: Lines of the leaderboard, in the order of the rows.
        authors: Author of each bot by name. The cell of other bots is empty.
        more: Rows to append.
    """
    rows = [
        # A bot without matches has no score: in a gradebook a 0 would be better than the last bot's score.
        _with_author(line, authors) | ({} if line.matches else {"score": None, "points_per_session": None})
        for line in entrants
    ]
    return rows_csv([*rows, *more] if rows else [dict.fromkeys(STANDING), *more])


def _with_author(line: Any, authors: Mapping[str, str]) -> dict[str, Any]:
    """Return a line of the leaderboard as values, with the bot's author after its name. None if it has no author."""
    values = standing_values(line)
    after = [*values].index("name") + 1
    items = [*values.items()]
    return dict([*items[:after], ("author", authors.get(line.name)), *items[after:]])


def frame_rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a data frame as values for scripts, with None for missing values."""
    plain = frame.astype(object).where(frame.notna(), None)
    return [{str(name): value for name, value in row.items()} for row in plain.to_dict("records")]


def rows_csv(rows: Sequence[Mapping[str, object]]) -> str:
    """Return rows as CSV, with a header of their names in the order in which they first occur.

    None and missing values are empty cells. Tuples are joined by spaces. A text that would start a formula in a
    spreadsheet begins with an apostrophe. Without rows the header is empty.
    """
    text = io.StringIO()
    names = dict.fromkeys(name for row in rows for name in row)
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    """Return a value for a spreadsheet. An untrusted text, such as a reason, must not start a formula there."""
    if isinstance(value, tuple):
        value = " ".join(value)
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value


def leaderboard_values(
    ranking: Standings, authors: Mapping[str, str] | None = None, below: Sequence[Standing] = ()
) -> list[dict[str, Any]]:
    """Return the lines of the leaderboard, in order, as values for scripts, with each bot's outlier results and author.

    Args:
        ranking: The standings.
        authors: Author of each bot by name; None if no bot has one. The author of other bots is None.
        below: Further lines, which follow those of a final. They have no outlier results.
    """
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
    entrants = [*ranking.entrants, *below]
    return [_with_author(line, authors or {}) | {"outlier_results": values.get(line.name, [])} for line in entrants]


def rated_values(line: Rated) -> dict[str, Any]:
    """Return a line of another rating as values for scripts. Unknown errors are None."""
    return {
        "rank": line.rank,
        "name": line.name,
        "rating": line.rating,
        "stderr": line.stderr,
        "ci_half_width": line.ci_half_width,
        **line.more,
    }


def crosstable_values(ranking: Standings) -> list[dict[str, Any]]:
    """Return two rows for each pair, or one row for each pair of entrant and house player, then rows of self-play.

    Pairs are in the order of match numbers, and both rows of a pair are adjacent. Disqualified bots have rows, too.
    Unknown errors are None. Against house players rows have a score and the contest's measures, too.

    Raises:
        InputError: The standings of self-play need rules that aren't installed.
        RunError: The records of self-play can't be read, or this machine can't load the rules.
        OSError: A folder of self-play can't be searched, or its field can't be read.
    """
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
