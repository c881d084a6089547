"""In which decisions, with which hands and against whom a bot loses: next to what others win in the same place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tournament.errors import InputError
from tournament.names import did_you_mean
from tournament.records.contest_of import contest_of
from tournament.store.columns import HOUSE

if TYPE_CHECKING:
    import pandas as pd

    from tournament.contests.presentation import Decided
    from tournament.records.results import Results

#: Columns of `Results.losses`, with their meanings.
LOSSES = {
    "decision": "kind of decision",
    "hand": "hand of the bot",
    "answer": "answer of the bot",
    "opponent": "name of the opponent; missing if the row sums over all opponents",
    "games": "number of games in which the bot gave this answer",
    "points": "mean points of the bot in these games, in the game's own units",
    "others": "mean points of other bots with the same hand against the same opponents, over all their answers",
    "lost": "games × (others − points): points that the bot lost by not playing as others do",
    "stderr": "standard error of lost",
}
_LEAST_GAMES = 10  # of others, and of the bot: fewer say nothing
_PLACE = ["decision", "hand"]
_SUMS = ["games", "points", "squares"]


def losses_of(results: Results, bot: str, *, by_opponent: bool = False) -> pd.DataFrame:
    """Return the answers of a bot by decision and hand, the largest loss first.

    A bot that folds a bad hand loses its stake, and so does everybody else. So a loss is what others win with such
    hands against the same opponents, less what this bot wins with this answer.

    Args:
        results: Records with all columns.
        bot: Name of the bot.
        by_opponent: Whether each opponent has rows of its own.

    Raises:
        InputError: The records have no such bot, or the contest's columns don't tell decisions.
    """
    import pandas as pd

    names = {line.name for line in results.ranking.entrants}
    if bot not in names:
        raise InputError(f"{bot}: the records have no such bot{did_you_mean(bot, names, ',')}")
    contest = contest_of(results.location, results.setup)
    presentation = contest.presentation
    if presentation is None or presentation.decided is None or presentation.points is None:
        raise InputError(f"{contest.title}: the columns of its games don't say which decisions were taken")
    pieces = []
    for batch in results.batches:
        games = replace(results, batches=(batch,)).games
        of_players = [name for name in games.columns if re.fullmatch(rf"bot_\d+|{HOUSE.name}", name)]
        rows = {name: games[name].to_numpy() for name in games.columns if name not in of_players}
        players = [games[name].astype(object).to_numpy() for name in of_players]
        points = presentation.points(rows)
        pieces += [_summed(one, players, points, bot) for one in presentation.decided(rows)]
    keys = [*_PLACE, "answer", "opponent", "is_own"]
    sums = pd.concat(pieces).groupby(keys, observed=True)[_SUMS].sum().reset_index()
    return _compared(sums[sums["opponent"] != bot], by_opponent=by_opponent)


def _summed(
    decided: Decided, players: Sequence[npt.NDArray[Any]], points: Sequence[npt.NDArray[Any]], bot: str
) -> pd.DataFrame:
    """Return the sums of one kind of decision over some games, by whose it is, hand, answer and opponent."""
    import pandas as pd

    found = []
    for seat, of_seat in enumerate(points):
        taken = np.flatnonzero(decided.seat == seat)
        won = of_seat[taken].astype(float)
        frame = {
            "is_own": players[seat][taken] == bot,
            "hand": np.minimum(decided.hand[taken], len(decided.hands) - 1),
            "answer": np.minimum(decided.answer[taken], len(decided.answers) - 1),
            "opponent": players[1 - seat][taken],
            "points": won,
            "squares": won * won,
        }
        found.append(pd.DataFrame(frame))
    grouped = pd.concat(found).groupby(["is_own", "hand", "answer", "opponent"], observed=True)
    sums = grouped.agg(games=("points", "size"), points=("points", "sum"), squares=("squares", "sum")).reset_index()
    sums["hand"] = np.array(decided.hands, object)[sums["hand"].to_numpy(int)]
    sums["answer"] = np.array(decided.answers, object)[sums["answer"].to_numpy(int)]
    return sums.assign(decision=decided.name)


def _compared(sums: pd.DataFrame, *, by_opponent: bool) -> pd.DataFrame:
    """Return the losses of the sums by decision, hand, answer, opponent, and whether they are the bot's own."""
    mine, theirs = sums[sums["is_own"]], sums[~sums["is_own"]]
    own_variance = _variances(mine, [*_PLACE, "answer"]).rename("own_variance")
    variance = _variances(theirs, _PLACE).rename("variance")
    theirs = theirs.groupby([*_PLACE, "opponent"], observed=True)[_SUMS].sum().reset_index()
    both = mine.merge(theirs, on=[*_PLACE, "opponent"], suffixes=("", "_of_others"))
    both = both.merge(own_variance, on=[*_PLACE, "answer"]).merge(variance, on=_PLACE)
    games, count = both["games"], both["games_of_others"]
    both["lost"] = games * both["points_of_others"] / count - both["points"]
    both["stderr"] = games * both["own_variance"] + games**2 / count * both["variance"]  # squared
    keys = [*_PLACE, "answer", *(["opponent"] if by_opponent else [])]
    summed = ["games", "points", "games_of_others", "lost", "stderr"]
    found = both.groupby(keys, observed=True)[summed].sum().reset_index()
    found = found[(found["games"] >= _LEAST_GAMES) & (found["games_of_others"] >= _LEAST_GAMES)]
    found["points"] = found["points"] / found["games"]
    found["others"] = found["points"] + found["lost"] / found["games"]
    found["stderr"] = np.sqrt(found["stderr"])
    if not by_opponent:
        found["opponent"] = None
    return found.sort_values("lost", ascending=False, kind="stable")[list(LOSSES)].reset_index(drop=True)


def _variances(sums: pd.DataFrame, keys: list[str]) -> pd.Series[float]:
    """Return the variance of points by these keys, NaN where there is one game."""
    whole = sums.groupby(keys, observed=True)[_SUMS].sum()
    return (whole["squares"] - whole["points"] ** 2 / whole["games"]) / (whole["games"] - 1)
