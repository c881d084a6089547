"""Notes for the reader of a ranking."""

from __future__ import annotations

from tournament.errors import and_more, join_names, pluralize
from tournament.standings.standings import Standings

_ENOUGH_REPLICAS = 10
# Maximum number of matches that a note names.
_MAX_MATCHES = 3


def reader_notes(ranking: Standings) -> list[str]:
    """Return what the errors don't cover, in sentences, with advice. The list can be empty.

    A note on errors comes first, then one on duplicate matches, then one on restarted legs.
    """
    return [*_on_errors(ranking), *_on_duplicates(ranking), *restart_notes(ranking)]


def restart_notes(ranking: Standings) -> list[str]:
    """Return a sentence that names up to ten bots of legs that were started again, or nothing if there are none."""
    if not ranking.restarted_bots:
        return []
    return [f"legs of {join_names(ranking.restarted_bots)} were started again; earlier answers counted"]


def _on_duplicates(ranking: Standings) -> list[str]:
    """Return a sentence if duplicate matches don't reduce the variance, or nothing if they do or it is unknown."""
    times = ranking.duplicate_variance
    if times is None or times < 1:
        return []
    return [
        f"duplicate = true doesn't pay here: scores vary {times:.2f} times as much as with the same number of"
        " independent replicas"
    ]


def _on_errors(ranking: Standings) -> list[str]:
    """Return the most important sentence on ranks and errors, or nothing if there is none.

    Failed rules come before everything else. Then come settled pairs, or few replicas of two bots or more.
    """
    if ranking.is_provisional:
        matches = sorted({leg.match for leg in ranking.failed_legs})
        count = pluralize(len(matches), "match", "matches")
        numbers = ", ".join(map(str, matches[:_MAX_MATCHES])) + and_more(len(matches) - _MAX_MATCHES)
        return [f"places are provisional: the rules failed in {count} ({numbers})"]
    replicas = ranking.measured.replicas
    if ranking.until is not None:
        if any(line.order_status == "settled" for line in ranking.ranked):
            return ["settled pairs seem further apart than they are, because play stopped when the gap was large"]
    elif len(ranking.measured.scores) > 1 and replicas < _ENOUGH_REPLICAS:
        if ranking.drawn:
            return ["few matches of each bot: places are wide; more tables, or 10 replicas, narrow them"]
        if replicas > 1:
            return [
                f"{replicas} replicas: places are wide, and ± is too narrow for some bots that learn; play 10 replicas"
            ]
        if ranking.scoring:
            return ["one leg: places are wide, and ± covers its games only; 10 replicas narrow them"]
        if ranking.has_means:
            return ["one replica: no places, and ± covers its sessions only; 10 replicas give places"]
        return ["one match of each pair: no places, and ± covers its sessions only; 10 replicas give places"]
    return []
