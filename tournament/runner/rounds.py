"""Rounds of replicas until the order is settled: what to play next, from the committed legs alone.

The first round has equally many replicas of all matches. Each next one follows from the legs of the one before, and
from the luck in them where that is known: scores without it have the same means and tell bots apart sooner. So a
run that goes on after a crash, or on other machines, has the same rounds.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tournament.contests.scoring import HouseScoring
from tournament.probation import Probation
from tournament.runner.schedule import Replicas, Schedule
from tournament.standings.results import ends_of
from tournament.standings.standings import Standings, compute_standings
from tournament.standings.stopping import FEWEST_REPLICAS, Neighbours, looks, neighbours, wanted_replicas
from tournament.standings.without_luck import LuckOfLegs, corrected_legs
from tournament.store.ledger import Batch, Field
from tournament.store.legs import Legs


@dataclass(frozen=True)
class Until:
    """When to stop: the chance that all stated orders are right, the most replicas, and what difference is a tie."""

    confidence: float
    most_replicas: int
    tie: float | None


@dataclass(frozen=True)
class Round:
    """The replicas of a round, and what was known of neighbours before it; `done` when no other follows."""

    replicas: Replicas
    neighbours: tuple[Neighbours, ...] = ()
    done: bool = False
    number: int = 1

    @property
    def said(self) -> str:
        """In words."""
        count = Counter(pair.verdict for pair in self.neighbours)
        text = f"{count['settled']} of {len(self.neighbours)} neighbours are settled"
        if count["tied"]:
            text += f", {count['tied']} tied"
        if self.done:
            return text + (f", {count['open']} still open with the most replicas" if count["open"] else "")
        return f"{text}; round {self.number} plays up to {self.replicas.most} replicas where the order is open"


def next_round(
    field: Field,
    scoring: HouseScoring | None,
    schedule_with: Callable[[Replicas], Schedule],
    batches: Sequence[Batch],
    first: int,
    until: Until,
    luck: LuckOfLegs | None = None,
) -> Round:
    """The first round with a leg still to play, or the last one.

    With `luck`, orders are judged by scores without it, and a round is over once the luck in all its legs is known.
    """
    legs = Legs.joined(Legs.of(batch.legs) for batch in batches)
    played = ends_of(batches)
    at = looks(max(first, FEWEST_REPLICAS), until.most_replicas)
    this = Round(Replicas(at[0]))
    while True:
        schedule = schedule_with(this.replicas)
        of_round = {fixture.digest for fixture in Probation(played).legs(schedule.fixtures())}
        if not played.keys() >= of_round:
            return this
        chosen = legs.chosen([place for place, digest in enumerate(legs.digests) if digest in of_round])
        judged_by = chosen if luck is None else corrected_legs(chosen, luck)
        if judged_by is None:
            return this
        found, counts = _judged(field, scoring, schedule, chosen, judged_by, until, at)
        more = wanted_replicas(found, counts, at)
        if not more:
            return Round(this.replicas, tuple(found), True, this.number)
        this = Round(_with_more(schedule, this.replicas, more), tuple(found), number=this.number + 1)


def _judged(
    field: Field,
    scoring: HouseScoring | None,
    schedule: Schedule,
    legs: Legs,
    judged_by: Legs,
    until: Until,
    at: tuple[int, ...],
) -> tuple[list[Neighbours], dict[str, int]]:
    """What is known of neighbours by score, and how many replicas of all its matches each entrant has.

    `judged_by` are the same legs with the points that tell entrants apart.
    """
    whole = compute_standings(field, [Batch("", (), legs)], scoring)
    order = [line.name for line in whole.entrants if line.rank is not None and line.matches]
    opponents = set(whole.house) if scoring else set(order)
    counts = dict.fromkeys(order, until.most_replicas)
    for name in order:
        for other in opponents - {name}:
            x, y = (name, other) if scoring else sorted((name, other))
            counts[name] = min(counts[name], schedule.replicas.of(x, y))
    rows: list[list[int]] = [[] for _ in range(max(counts.values(), default=0))]
    ranked = set(order)
    for leg, (match, number) in enumerate(zip(legs.match.tolist(), legs.number.tolist())):
        replica = schedule.place(match, number)[0]
        if replica < len(rows) and legs.x[leg] in ranked and legs.y[leg] in opponents:
            rows[replica].append(leg)
    scores: dict[str, list[float]] = {name: [] for name in order}
    for replica, own in enumerate(rows):
        lines = compute_standings(field, [Batch("", (), judged_by.chosen(own))], scoring).entrants
        for line in lines:
            if line.name in scores and counts[line.name] > replica:
                scores[line.name].append(line.score)
    return neighbours(order, scores, at, 1 - until.confidence, until.tie), counts


def _with_more(schedule: Schedule, replicas: Replicas, more: dict[str, int]) -> Replicas:
    """The replicas when these entrants have so many, against whomever they meet."""
    entrants = [player.name for player in schedule.competitors]
    pairs = dict(replicas.more)
    for name, count in more.items():
        for other in [player.name for player in schedule.house] or entrants:
            if other != name or schedule.house:
                x, y = (name, other) if schedule.house else sorted((name, other))
                pairs[x, y] = max(pairs.get((x, y), replicas.of_all), count)
    return Replicas(replicas.of_all, pairs)


def with_verdicts(standings: Standings, found: Sequence[Neighbours]) -> Standings:
    """The standings with what is known of each entrant and the next one, if they are the same neighbours as before."""
    verdicts = {(pair.ahead, pair.behind): pair.verdict for pair in found}
    lines = list(standings.entrants)
    for place, (line, behind) in enumerate(itertools.pairwise(standings.entrants)):
        lines[place] = replace(line, order=verdicts.get((line.name, behind.name)))
    return replace(standings, entrants=tuple(lines))
