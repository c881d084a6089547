"""Decisions, hands and opponents with which a bot loses, compared with what others win in the same situations."""

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
# Minimum games of the bot and of others: fewer aren't significant.
_MIN_GAMES = 10
_SITUATION = ["decision", "hand"]
_SUMS = ["games", "points", "squares"]


def losses_of(results: Results, bot: str, *, by_opponent: bool = False) -> pd.DataFrame:
    """Return the answers of a bot by decision and hand, the largest loss first.

    A bot that folds a bad hand loses its stake, as other bots do. So a loss is what others win with such hands against
    the same opponents, less what this bot wins with this answer.

    Args:
        results: Records with all columns.
        bot: Name of the bot.
        by_opponent: Whether each opponent has its own rows.

    Raises:
        InputError: The records have no such bot, or the contest's columns don't show decisions.
    """
    import pandas as pd

    names = {line.name for line in results.ranking.entrants}
    if bot not in names:
        raise InputError(f"{bot}: the records have no such bot{did_you_mean(bot, names, ',')}")
    contest = contest_of(results.location, results.setup)
    presentation = contest.presentation
    if presentation is None or presentation.decided is None or presentation.points is None:
        raise InputError(f"{contest.title}: the columns of its games don't show which decisions were taken")
    pieces = []
    for batch in results.batches:
        games = replace(results, batches=(batch,)).games
        of_players = [name for name in games.columns if re.fullmatch(rf"bot_\d+|{HOUSE.name}", name)]
        rows = {name: games[name].to_numpy() for name in games.columns if name not in of_players}
        players = [games[name].astype(object).to_numpy() for name in of_players]
        points = presentation.points(rows)
        pieces += [_summed(one, players, points, bot) for one in presentation.decided(rows)]
    keys = [*_SITUATION, "answer", "opponent", "is_own"]
    sums = pd.concat(pieces).groupby(keys, observed=True)[_SUMS].sum().reset_index()
    return _compared(sums[sums["opponent"] != bot], by_opponent=by_opponent)


def _summed(
    decided: Decided, players: Sequence[npt.NDArray[Any]], points: Sequence[npt.NDArray[Any]], bot: str
) -> pd.DataFrame:
    """Return sums of one kind of decision over some games, by hand, answer, opponent and whether the bot took it."""
    import pandas as pd

    frames = []
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
        frames.append(pd.DataFrame(frame))
    grouped = pd.concat(frames).groupby(["is_own", "hand", "answer", "opponent"], observed=True)
    sums = grouped.agg(games=("points", "size"), points=("points", "sum"), squares=("squares", "sum")).reset_index()
    sums["hand"] = np.array(decided.hands, object)[sums["hand"].to_numpy(int)]
    sums["answer"] = np.array(decided.answers, object)[sums["answer"].to_numpy(int)]
    return sums.assign(decision=decided.name)


def _compared(sums: pd.DataFrame, *, by_opponent: bool) -> pd.DataFrame:
    """Return the losses, given sums by decision, hand, answer and opponent, separately for the bot itself."""
    mine, theirs = sums[sums["is_own"]], sums[~sums["is_own"]]
    own_variance = _variances(mine, [*_SITUATION, "answer"]).rename("own_variance")
    variance = _variances(theirs, _SITUATION).rename("variance")
    theirs = theirs.groupby([*_SITUATION, "opponent"], observed=True)[_SUMS].sum().reset_index()
    both = mine.merge(theirs, on=[*_SITUATION, "opponent"], suffixes=("", "_of_others"))
    both = both.merge(own_variance, on=[*_SITUATION, "answer"]).merge(variance, on=_SITUATION)
    games, count = both["games"], both["games_of_others"]
    both["lost"] = games * both["points_of_others"] / count - both["points"]
    # The variance until its root is taken below.
    both["stderr"] = games * both["own_variance"] + games**2 / count * both["variance"]
    keys = [*_SITUATION, "answer", *(["opponent"] if by_opponent else [])]
    summed = ["games", "points", "games_of_others", "lost", "stderr"]
    losses = both.groupby(keys, observed=True)[summed].sum().reset_index()
    losses = losses[(losses["games"] >= _MIN_GAMES) & (losses["games_of_others"] >= _MIN_GAMES)]
    losses["points"] = losses["points"] / losses["games"]
    losses["others"] = losses["points"] + losses["lost"] / losses["games"]
    losses["stderr"] = np.sqrt(losses["stderr"])
    if not by_opponent:
        losses["opponent"] = None
    return losses.sort_values("lost", ascending=False, kind="stable")[list(LOSSES)].reset_index(drop=True)


def _variances(sums: pd.DataFrame, keys: list[str]) -> pd.Series[float]:
    """Return the variance of points by these keys, NaN for a single game."""
    total = sums.groupby(keys, observed=True)[_SUMS].sum()
    return (total["squares"] - total["points"] ** 2 / total["games"]) / (total["games"] - 1)
