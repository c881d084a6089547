"""Playing every bot against a copy of itself, into separate records."""

from __future__ import annotations

from dataclasses import replace

from tournament.errors import join_names
from tournament.records.self_play import copy_name, self_play_location
from tournament.runner.listener import ProgressListener
from tournament.runner.prepare import Prepared


def prepare_self_play(prepared: Prepared, listener: ProgressListener | None = None) -> Prepared:
    """Return the self-play of a contest: each bot and its copy as entrants, with separate records.

    Each copy follows its bot. Bots that can't play or aren't built have no self-play. A bot has none, too, if an
    entrant has the name of its copy, ignoring case. The number of replicas is fixed, and tables aren't drawn.

    Args:
        prepared: The contest.
        listener: Receives a message about bots without self-play; None for no message.
    """
    taken = {entrant.name.lower() for entrant in prepared.entrants}
    playing = [one for one in prepared.entrants if one.artifact is not None]
    skipped = [one.name for one in playing if copy_name(one.name).lower() in taken]
    if skipped and listener:
        listener.on_message(f"no self-play of {join_names(skipped)}: another bot has the name of a copy; rename it")
    entrants = [
        replace(one, name=name)
        for one in playing
        if one.name not in skipped
        for name in (one.name, copy_name(one.name))
    ]
    settings = prepared.config.contest.model_copy(update={"until_settled": None, "tables": None})
    return replace(
        prepared,
        config=replace(prepared.config, contest=settings),
        entrants=entrants,
        location=self_play_location(prepared.location),
        against_copies=True,
        failed=(),
    )
