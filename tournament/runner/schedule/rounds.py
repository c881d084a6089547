"""Rounds of replicas until the order is settled: what to play next, from the committed legs alone.

The first round has equally many replicas of all matches. Each next one follows from the legs of the one before, and
from the luck in them where that is known: scores without it have the same means and tell bots apart sooner. So a
run that goes on after a crash, or on other machines, has the same rounds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tournament.contests.scoring import HouseScoring
from tournament.runner.schedule.counting import count_legs
from tournament.runner.schedule.legs import Replicas, Schedule
from tournament.standings.standings import compute_standings
from tournament.standings.verdicts import Verdict, looks_of, wanted_replicas
from tournament.standings.without_luck import LuckOfLegs, corrected_legs
from tournament.store.ledger import Batch, Field
from tournament.store.legs import Legs


@dataclass(frozen=True)
class Round:
    """The replicas of a round, and what was known of neighbours before it; `done` when no other follows."""

    replicas: Replicas
    verdicts: tuple[Verdict, ...] = ()
    done: bool = False
    number: int = 1

    @property
    def said(self) -> str:
        """In words."""
        count = Counter(self.verdicts)
        text = f"{count['settled']} of {len(self.verdicts)} neighbours are settled"
        if count["tied"]:
            text += f", {count['tied']} tied"
        if count["close"]:
            text += f", {count['close']} too close to be settled with the most replicas"
        if self.done:
            return text + (f", {count['open']} still open with the most replicas" if count["open"] else "")
        return f"{text}; round {self.number} plays up to {self.replicas.most} replicas where the order is open"


def next_round(
    field: Field,
    scoring: HouseScoring | None,
    schedule_with: Callable[[Replicas], Schedule],
    batches: Sequence[Batch],
    luck: LuckOfLegs | None = None,
) -> Round:
    """The first round with a leg still to play, or the last one, of a field with an `until`.

    With `luck`, orders are judged by scores without it, and a round is over once the luck in all its legs is known.
    """
    assert field.until is not None
    legs = Legs.joined(batch.legs for batch in batches)
    at = looks_of(field.until)
    this = Round(Replicas(at[0]))
    while True:
        schedule = schedule_with(this.replicas)
        found = count_legs(batches, schedule)
        if len(found.missing):
            return this
        chosen = legs.chosen([place for place, digest in enumerate(legs.digests) if digest in found.counting])
        if luck is not None and corrected_legs(chosen, luck) is None:
            return this
        ranked = compute_standings(field, [Batch("", (), chosen)], scoring, luck)
        lines = [line for line in ranked.ranked if line.matches]
        verdicts = tuple(line.order for line in lines if line.order)
        names = [line.name for line in lines]
        more = wanted_replicas(names, verdicts, _played(names, this.replicas, ranked.house), at)
        if not more:
            return Round(this.replicas, verdicts, True, this.number)
        this = Round(_with_more(schedule, this.replicas, more), verdicts, number=this.number + 1)


def _played(names: Sequence[str], replicas: Replicas, house: Sequence[str]) -> dict[str, int]:
    """How many replicas of all its matches each of these has, against the house players or each other."""
    return {
        name: min((replicas.of(*pair) for pair in _matches_of(name, names, house)), default=replicas.of_all)
        for name in names
    }


def _matches_of(name: str, names: Sequence[str], house: Sequence[str]) -> list[tuple[str, str]]:
    if house:
        return [(name, other) for other in house]
    return [(name, other) if name < other else (other, name) for other in names if other != name]


def _with_more(schedule: Schedule, replicas: Replicas, more: dict[str, int]) -> Replicas:
    """The replicas when these entrants have so many, against whomever they meet."""
    entrants = [player.name for player in schedule.competitors]
    pairs = dict(replicas.more)
    for name, count in more.items():
        for pair in _matches_of(name, entrants, [player.name for player in schedule.house]):
            pairs[pair] = max(pairs.get(pair, replicas.of_all), count)
    return Replicas(replicas.of_all, pairs)
