"""What a reader of a ranking should know beside it, in words."""

from __future__ import annotations

from tournament.standings.standings import Standings

_ENOUGH_REPLICAS = 10


def notes_of(ranking: Standings) -> list[str]:
    """Return what its errors don't carry, a sentence each, and what would help."""
    replicas = ranking.measured.replicas
    if ranking.until is not None:
        if any(line.order_status == "settled" for line in ranking.ranked):
            return ["settled pairs seem farther apart than they are, since play stopped when they did"]
    elif len(ranking.measured.scores) > 1 and replicas < _ENOUGH_REPLICAS:
        if ranking.drawn:
            return ["few matches of each bot: places are wide; more tables, or 10 replicas, narrow them"]
        if replicas > 1:
            return [f"{replicas} replicas: places are wide; 10 replicas narrow them"]
        if ranking.scoring:
            return ["one leg: places are wide, and ± is over the games of this one; 10 replicas narrow both"]
        if ranking.has_means:
            return ["one replica: no places, and ± is over the sessions of this one; 10 replicas give both"]
        return ["one match of each pair: no places, and ± is over the sessions of this one; 10 replicas give both"]
    return []
