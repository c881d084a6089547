"""What a reader of a ranking should know beside it, in words."""

from __future__ import annotations

from tournament.errors import listed
from tournament.standings.errors import ENOUGH_REPLICAS
from tournament.standings.standings import Standings

_MOST_NAMED = 4
_SMALL = 4  # fields in which the next one's score is nearly all that tells how near bots are
_NEARLY_SURE = 0.999


def chance_in_words(share: float | None) -> str:
    """A probability that is never shown as a certainty."""
    if share is None:
        return ""
    return ">99.9%" if share > _NEARLY_SURE else "<0.1%" if share < 1 - _NEARLY_SURE else f"{100 * share:.1f}%"


def notes_of(ranking: Standings, *, with_chances: bool = True) -> list[str]:
    """What its errors don't carry, a sentence each, and what would mend it.

    `with_chances`: the column “ahead of next” is shown.
    """
    notes = []
    replicas = ranking.measured.replicas
    if ranking.until is not None:
        if any(line.order == "settled" for line in ranking.ranked):
            notes.append("settled pairs seem farther apart than they are, since play stopped when they did")
    elif len(ranking.measured.scores) > 1 and replicas < ENOUGH_REPLICAS:
        few = f"{replicas} replicas" if replicas > 1 else "one match of each pair" if not ranking.scoring else "one leg"
        own = "" if replicas > 1 else ", and ± is over the sessions of this one"
        notes.append(f"{few}: places are wide{own}; --replicas 10 tells more")
    if with_chances and len(ranking.measured.scores) <= _SMALL and any(line.order == "open" for line in ranking.ranked):
        notes.append("in a field this small, equal bots have 60% to 70% in “ahead of next”: go by the places")
    if names := ranking.heavy_tailed:
        few = listed(names, _MOST_NAMED)
        notes.append(f"few sessions decide much for {few}: more of them may turn the order that these tell")
    return notes
