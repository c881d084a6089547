"""Decisions, hands and opponents with which bots lose, compared with what others win in the same situations.

The sums are by pair of bots, of which a row group of games has few. `tournament losses` and `match` add up all games,
a report those that it reads for its charts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tournament.contests.contest import Contest
from tournament.contests.presentation import Decided, Presentation, Rows
from tournament.errors import InputError
from tournament.names import did_you_mean
from tournament.records.contest_of import contest_of
from tournament.records.row_group import Group
from tournament.store.storage import open_storage

if TYPE_CHECKING:
    from tournament.records.results import Results

Numbers = npt.NDArray[np.float64]

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
# Maximum pairs of a bot whose losses are wanted and an opponent: those of a poker field take 120 MB.
_MAX_PAIRS = 30_000
# Games of the contest's records with which a match is compared: reading them takes a third of a second.
_MAX_FIELD_ROWS = 1_000_000
# Standard errors that a significant loss exceeds.
SIGNIFICANT = 2.0
# Maximum number of losses that are called the worst.
_WORST = 3


@dataclass(frozen=True)
class DecisionSums:
    """Sums of the decisions of one kind over some games.

    Attributes:
        decided: The kind of decision, with its hands and answers.
        bots: Number of the bot that decides, by pair. Each two players have two adjacent pairs, one for each of them.
        opponents: Number of its opponent, by pair.
        sums: Games, points and squared points by pair, hand and answer. Points are in the game's own units.
    """

    decided: Decided
    bots: npt.NDArray[np.int64]
    opponents: npt.NDArray[np.int64]
    sums: Numbers


def shows_decisions(contest: Contest) -> bool:
    """Return whether the columns of a contest's games show which decisions were taken."""
    presentation = contest.presentation
    return presentation is not None and presentation.decided is not None and presentation.points is not None


def sum_decisions(
    presentation: Presentation, rows: Rows, players: Sequence[npt.NDArray[np.int32]]
) -> list[DecisionSums]:
    """Return the sums of some games for each kind of decision, in the presentation's order.

    Rows in which no seat took a decision aren't in its sums. Hands and answers beyond the last known one count as that.

    Args:
        presentation: Presentation of the contest, which finds decisions and points in the rows.
        rows: The games.
        players: Numbers of the two players of each row, by seat.
    """
    assert presentation.decided and presentation.points
    first, second = (one.astype(np.int64) for one in players)
    size = 1 + max(map(int, (first.max(initial=0), second.max(initial=0))))
    pair = np.minimum(first, second) * size + np.maximum(first, second)
    # Neighbouring rows mostly have the same pair, so few values are sorted.
    starts = np.flatnonzero(np.diff(pair, prepend=-1))
    pairs, places = np.unique(pair[starts], return_inverse=True)
    pair_index = np.repeat(places, np.diff(starts, append=len(pair)))
    low, high = np.divmod(pairs, size)
    bots, opponents = (np.stack(both, axis=1).ravel() for both in ((low, high), (high, low)))
    # The place of seat 1 is the other one of its pair.
    first_pair = 2 * pair_index + (first > second)
    points = [one.astype(float) for one in presentation.points(rows)]
    decision_sums = []
    for decided in presentation.decided(rows):
        taken = decided.seat >= 0
        at = slice(None) if taken.all() else np.flatnonzero(taken)
        seat = decided.seat[at]
        shape = len(bots), len(decided.hands), len(decided.answers)
        cell = first_pair[at] ^ seat
        for values, count in ((decided.hand, shape[1]), (decided.answer, shape[2])):
            cell *= count
            cell += np.minimum(values[at], count - 1)
        won = points[0][at] if len(points) == 1 else np.where(seat, points[1][at], points[0][at])
        sums = [np.bincount(cell, weights, int(np.prod(shape))) for weights in (None, won, won * won)]
        decision_sums.append(DecisionSums(decided, bots, opponents, np.stack(sums).reshape(3, *shape).astype(float)))
    return decision_sums


class _Kind:
    """Sums of one kind of decision over all games.

    Attributes:
        decided: The kind.
        field: Games, points and squared points of all bots by opponent and hand.
        own: Games and points by wanted bot, opponent, hand and answer.
        squares: Squared points by wanted bot, hand and answer.
    """

    def __init__(self, decided: Decided, players: int, bots: int) -> None:
        shape = len(decided.hands), len(decided.answers)
        self.decided = decided
        self.field = np.zeros((3, players, shape[0]))
        self.own = np.zeros((2, bots, players, *shape))
        self.squares = np.zeros((bots, *shape))


class LossSums:
    """Sums of decisions, from which the losses of some bots follow.

    Attributes:
        bots: Number of each bot whose losses are known, by name, the most important first.
    """

    def __init__(self, names: Sequence[str], bots: Iterable[str]) -> None:
        """Begin without games.

        Args:
            names: Names of all players by number.
            bots: Names of the bots whose losses are wanted, the most important first. Unknown names are ignored. The
                last ones are omitted if there would be more than 30,000 pairs of such a bot and a player.
        """
        numbers = {name: number for number, name in enumerate(names)}
        self._names = (*names, "")  # Players without a name have the next number.
        requested = dict.fromkeys(name for name in bots if name in numbers)
        self.bots = {name: numbers[name] for name in list(requested)[: max(1, _MAX_PAIRS // len(self._names))]}
        self._rows = np.full(len(self._names), -1)
        self._rows[list(self.bots.values())] = np.arange(len(self.bots))
        self._kinds: dict[str, _Kind] = {}

    def add(self, pieces: Iterable[DecisionSums]) -> None:
        """Add the sums of some games."""
        for one in pieces:
            name = one.decided.name
            if name not in self._kinds:
                self._kinds[name] = _Kind(one.decided, len(self._names), len(self.bots))
            kind = self._kinds[name]
            if not len(one.bots):
                continue
            order = np.argsort(one.opponents, kind="stable")
            opponents, starts = np.unique(one.opponents[order], return_index=True)
            kind.field[:, opponents] += np.add.reduceat(one.sums.sum(axis=3)[:, order], starts, axis=1)
            mine = np.flatnonzero((self._rows[one.bots] >= 0) & (one.bots != one.opponents))
            rows = self._rows[one.bots[mine]]
            kind.own[:, rows, one.opponents[mine]] += one.sums[:2, mine]
            np.add.at(kind.squares, rows, one.sums[2, mine])

    def list_losses(self, bot: str, *, by_opponent: bool = False) -> list[dict[str, Any]]:
        """Return the answers of a bot by decision and hand, the largest loss first, with the columns of LOSSES.

        A bot that folds a bad hand loses its stake, as other bots do. So a loss is what others win with such hands
        against the same opponents, less what this bot wins with its answer. It is negative if the bot wins more.
        Answers with fewer than ten games of the bot or of others are omitted.

        Args:
            bot: One of `bots`.
            by_opponent: Whether each opponent has its own rows. Otherwise the opponent is None.
        """
        losses = [loss for kind in self._kinds.values() for loss in self._losses(kind, bot, by_opponent)]
        return sorted(losses, key=lambda one: -one["lost"])

    def _other_sums(self, kind: _Kind, bot: str) -> tuple[Numbers, Numbers, Numbers]:
        """Return the games and points of all other bots by opponent and hand, and their squared points by hand."""
        row = self._rows[self.bots[bot]]
        games, points = kind.field[:2] - kind.own[:, row].sum(axis=3)
        squares = np.delete(kind.field[2], self.bots[bot], axis=0).sum(axis=0) - kind.squares[row].sum(axis=1)
        games[self.bots[bot]] = points[self.bots[bot]] = 0
        return games, points, squares

    def _losses(self, kind: _Kind, bot: str, by_opponent: bool) -> Iterator[dict[str, Any]]:
        """Yield the losses in one kind of decision, by opponent, hand and answer, with the columns of LOSSES."""
        row = self._rows[self.bots[bot]]
        games, points = kind.own[:, row]
        of_others, points_of_others, squares_of_others = self._other_sums(kind, bot)
        with np.errstate(all="ignore"):
            own_variance = _variance(games.sum(axis=0), points.sum(axis=0), kind.squares[row])
            variance = _variance(of_others.sum(axis=0), points_of_others.sum(axis=0), squares_of_others)
            lost = games * (points_of_others / of_others)[:, :, None] - points
            error = games * own_variance + games**2 * (variance / of_others)[:, :, None]
        met = (games > 0) & (of_others > 0)[:, :, None]
        sums = np.where(
            met, np.stack([games, np.broadcast_to(of_others[:, :, None], games.shape), points, lost, error]), 0
        )
        if not by_opponent:
            sums = sums.sum(axis=1, keepdims=True)
        for opponent, hand, answer in np.argwhere((sums[:2] >= _MIN_GAMES).all(axis=0)).tolist():
            count, _, won, less, variance_of_lost = sums[:, opponent, hand, answer].tolist()
            yield {
                "decision": kind.decided.name,
                "hand": kind.decided.hands[hand],
                "answer": kind.decided.answers[answer],
                "opponent": self._names[opponent] if by_opponent else None,
                "games": int(count),
                "points": won / count,
                "others": (won + less) / count,
                "lost": less,
                "stderr": variance_of_lost**0.5,
            }


def _variance(games: Numbers, points: Numbers, squares: Numbers) -> Numbers:
    """Return the variance of points per game, or NaN without games or for a single one."""
    variance: Numbers = np.maximum(0.0, squares - points**2 / games) / (games - 1)
    return variance


def loss_rows(
    results: Results, bot: str, *, by_opponent: bool = False, field: Results | None = None
) -> list[dict[str, Any]]:
    """Return the losses of a bot over its selected recorded games, the largest first, with the columns of LOSSES.

    Answers with fewer than ten games of the bot or of others are omitted.

    Args:
        results: The records.
        bot: Name of the bot.
        by_opponent: Whether each opponent has its own rows. Otherwise the opponent is None.
        field: Other records of the contest; None if there are none. Their bots count among the others, except one with
            this bot's name. Of more than a million games, only a sample is read.

    Raises:
        InputError: The records have no such bot, the contest's columns don't show decisions, or the rules are missing
            and needed.
        FileNotFoundError: A part is missing.
        RunError: A part is damaged or has rows of other legs, the field lacks facts of its house players, or this
            machine can't load the rules.
        OSError: The rules aren't installed, and a part can't be read.
    """
    names = {line.name for line in results.ranking.entrants}
    if bot not in names:
        raise InputError(f"{bot}: the records have no such bot{did_you_mean(bot, names, ',')}")
    contest = contest_of(results.location, results.setup, results.batches)
    if not shows_decisions(contest):
        raise InputError(f"{contest.title}: the columns of its games don't show which decisions were taken")
    both = [results, field] if field else [results]
    players = dict.fromkeys(name for one in both for batch in one.batches for name in batch.legs.names)
    number = {name: place for place, name in enumerate(players)}
    sums = LossSums(tuple(players), [bot])
    for one in both:
        for rows, by_seat in _games(one, contest, number, number[bot] if one is field else -1):
            assert contest.presentation
            sums.add(sum_decisions(contest.presentation, rows, by_seat))
    return sums.list_losses(bot, by_opponent=by_opponent)


def _games(
    results: Results, contest: Contest, number: Mapping[str, int], absent: int
) -> Iterator[tuple[Rows, list[npt.NDArray[np.int32]]]]:
    """Yield the selected games of one row group at a time, with the numbers of their players by seat.

    Args:
        results: The records.
        contest: Contest of the records.
        number: Number of each player by name.
        absent: Number of a player whose games are omitted; −1 for all games. Otherwise evenly spaced row groups are
            read if there are more than a million games.

    Raises:
        FileNotFoundError: A part is missing.
        RunError: A part is damaged, or has rows of other legs than the records.
    """
    # This loads pyarrow, which summaries of results don't need.
    from tournament.store.parts import read_rows, row_group_edges

    storage, selected = open_storage(results.location), results.selection.matches
    parts = [(batch.part("games"), batch.legs) for batch in results.batches]
    stride = 1 if absent < 0 else 1 + sum(part.rows for part, _ in parts) // _MAX_FIELD_ROWS
    groups = 0
    for part, legs in parts:
        for place, first in enumerate(row_group_edges(storage, part, contest.games)[:-1]):
            groups += 1
            if groups % stride:
                continue
            (rows,) = read_rows(storage, part, contest.games, groups=[place])
            players = Group.from_rows(rows, legs, first).players(number, by_position=contest.scored.by_position)
            selected_rows = np.logical_and.reduce([one != absent for one in players])
            if selected is not None:
                selected_rows &= np.isin(rows["match"], list(selected))
            if not selected_rows.all():
                rows, players = (
                    {name: values[selected_rows] for name, values in rows.items()},
                    [one[selected_rows] for one in players],
                )
            yield rows, players


def worst_losses(losses: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the largest losses that are significant, at most three, in the same order.

    Args:
        losses: Losses, the largest first. One is significant if it is more than SIGNIFICANT standard errors.
    """
    return [one for one in losses if one["lost"] > SIGNIFICANT * one["stderr"]][:_WORST]


def describe_loss(loss: Mapping[str, Any]) -> str:
    """Return a row of LOSSES as a line of text, with the half-width of the loss's 95% interval."""
    return (
        f"{loss['decision']} with {loss['hand']}, {loss['answer']}: {loss['points']:+.2f} a game, others"
        f" {loss['others']:+.2f}; lost {loss['lost']:,.0f} ± {1.96 * loss['stderr']:,.0f} in {loss['games']:,} games"
    )
