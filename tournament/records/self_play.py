"""Matches of bots against copies of themselves. They have their own records, in a folder inside the contest's.

So they don't affect anything that ranks, sums or reads the contest's own records.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from hashlib import sha256

from tournament.names import LONGEST_NAME
from tournament.standings.matches import Match, Matches
from tournament.store.storage import Storage, has_records, join_location, open_storage

FOLDER = "self_play"
# Ending of the name of a bot's copy.
_COPY = "+copy"
# Share of a variance that can be rounding.
_ROUNDING = 1e-9


def self_play_location(location: str) -> str:
    """Return the folder or URL of the self-play of a contest, given that of its records."""
    return join_location(location, FOLDER)


def recorded_self_play(location: str) -> Storage | None:
    """Return the records of a contest's self-play, or None if there are none.

    Raises:
        RunError: The folder of self-play can't be read.
        InputError: The URL is invalid or needs an account.
        OSError: The folder can't be searched for another reason than permissions.
    """
    storage = open_storage(self_play_location(location))
    return storage if has_records(storage) else None


def copy_name(name: str) -> str:
    """Return the name under which a bot's copy plays.

    It ends with +copy. A long name is cut, and has a part of its hash, so that the result is a valid name.
    """
    if len(name) + len(_COPY) > LONGEST_NAME:
        digest = sha256(name.encode()).hexdigest()[:12]
        name = f"{name[: LONGEST_NAME - len(_COPY) - len(digest) - 1]}+{digest}"
    return name + _COPY


def against_themselves(matches: Matches, qualified: Set[str]) -> Mapping[str, Match]:
    """Return the match of each bot with its copy, in which both sides have their mean points, by the bot's name.

    Matches of which either side isn't qualified are omitted.

    Args:
        matches: Matches of bots with copies.
        qualified: Names of bots and copies that weren't disqualified.
    """
    sides = [side for one in matches for side in (one, one.from_y())]
    return {one.x: _averaged(one) for one in sides if one.y == copy_name(one.x) and {one.x, one.y} <= qualified}


def _averaged(match: Match) -> Match:
    """Return a match in which both sides have their mean points. Its errors are None if one of the match's is.

    The variance of a sum of two numbers and that of their difference add up to twice the sum of both variances.
    """
    points, error = (match.points_0 + match.points_1) / 2, None
    if match.points_0_stderr is not None and match.points_1_stderr is not None and match.lead_stderr is not None:
        twice = 2 * (match.points_0_stderr**2 + match.points_1_stderr**2)
        sum_variance = twice - match.lead_stderr**2
        error = math.sqrt(sum_variance) / 2 if sum_variance > _ROUNDING * twice else 0.0
    return match._replace(
        y=match.x, points_0=points, points_1=points, points_0_stderr=error, points_1_stderr=error, lead_stderr=None
    )
