"""What the version of a bot before its last edit has won: a note for each bot, as an edit takes its legs out of the
records. It may be deleted."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tournament.store.carried import legs_content, legs_of_content
from tournament.store.derived_files import read_note, write_note
from tournament.store.field import Batch, ContestSetup
from tournament.store.legs import Legs
from tournament.store.storage import Storage

_MOST_BOTS = 100  # that change at once; the legs of a whole field have been played by no one else, too


@dataclass(frozen=True)
class Former:
    """A version of a bot, by its sha256, the sha256 of each player that it met, and its legs in whole matches."""

    sha256: str
    others: Mapping[str, str]
    legs: Legs


def keep_former(storage: Storage, field: ContestSetup, batches: Sequence[Batch], names: Collection[str]) -> None:
    """Note the legs of these bots, which are about to leave. Raises OSError."""
    legs = Legs.joined(batch.legs for batch in batches)
    sha256 = field.sha256
    for name in sorted(names) if len(names) <= _MOST_BOTS else ():
        own = legs.chosen(
            np.flatnonzero(np.logical_or.reduce([legs.numbered(seat, {name: 0}) == 0 for seat in range(legs.seats)]))
        )
        own = own.chosen(np.flatnonzero(~np.isin(own.match, own.match[own.ended])))
        before = read_former(storage, name)
        # A run that was killed while legs left has noted all.
        if len(own) and not (before and before.sha256 == sha256[name] and len(before.legs) > len(own)):
            about = {"sha256": sha256[name], "others": {one: sha256[one] for one in {*own.names} & sha256.keys()}}
            write_note(storage, f"former/{name}", legs_content(own, json.dumps(about)))


def read_former(storage: Storage, name: str) -> Former | None:
    """What is noted of a bot. None where there is nothing, or nothing that can be true: anybody may have written it."""
    content = read_note(storage, f"former/{name}")
    if content is None:
        return None
    with contextlib.suppress(ValueError, TypeError, KeyError):
        legs, text = legs_of_content(content)
        about = json.loads(text)
        others = {str(one): str(sha256) for one, sha256 in dict(about["others"]).items()}
        return Former(str(about["sha256"]), others, legs)
    return None
