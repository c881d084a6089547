"""What became of a bot: its versions and their standings, and whom it is closest to beating."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from tournament.errors import BadInput, RunFailed
from tournament.names import did_you_mean
from tournament.standings.matches import Match
from tournament.standings.standings import Standing, Standings
from tournament.store.ledger import Batch, Field, FormerVersion
from tournament.store.ledger_reading import read_state, standing_batches
from tournament.store.storage import Storage, open_storage


@dataclass(frozen=True)
class Version:
    """A bot's line in the last standings with this content, and how many bots were ranked in them. `archive`: the
    number of the archive that has them, None for the records themselves."""

    line: Standing
    ranked: int
    archive: int | None = None


def former_versions(
    storage: Storage, ranking: Standings, names: Iterable[str], noted: Iterable[FormerVersion]
) -> tuple[FormerVersion, ...]:
    """These bots' lines as the ledger keeps them, but for those `noted` already: a run that ended while it took a bot's
    legs out has left fewer of them. Raises RunFailed for one noted that is none."""
    lines = {line.name: line for line in ranking.entrants}
    last = {one.name: _version(storage, one).line for one in noted if one.name in lines}
    return tuple(
        _kept(line, len(ranking.ranked))
        for line in (lines[name] for name in names)
        if line.name not in last or last[line.name].sha256 != line.sha256 or last[line.name].sessions < line.sessions
    )


def _kept(line: Standing, ranked: int) -> FormerVersion:
    values = {field.name: getattr(line, field.name) for field in dataclasses.fields(line)}
    del values["name"], values["sha256"], values["measures"]
    known = {key: list(value) if isinstance(value, tuple) else value for key, value in _finite(values).items()}
    return FormerVersion(line.name, line.sha256, ranked, known, _finite(line.measures))


def _finite(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values, without those that no JSON has."""
    return {
        key: value if not isinstance(value, float) or math.isfinite(value) else None for key, value in values.items()
    }


@cache
def _standing() -> TypeAdapter[Standing]:
    return TypeAdapter(Standing)  # slow to make


def _version(storage: Storage, former: FormerVersion, archive: int | None = None) -> Version:
    """A version as the ledger has it, which may be a stranger's. Raises RunFailed where it can't be a line."""
    values = former.line | {"name": former.name, "sha256": former.sha256, "measures": former.measures}
    try:
        return Version(_standing().validate_python(values), former.ranked, archive)
    except ValidationError as error:
        reason = " ".join(str(error.errors()[0]["msg"]).split())[:200]
        raise RunFailed(
            f"the ledger of {storage.location} has no line of a former {former.name[:200]!r}: {reason}"
        ) from None


def history_of(
    storage: Storage,
    ranking: Standings,
    name: str,
    rank: Callable[[Storage, Field, Sequence[Batch]], Standings],
) -> list[Version]:
    """A bot's versions, the oldest first: those in archives, in the order in which they were moved there, then those
    in these records. The last one is that of the `ranking`.

    Raises BadInput for an unknown bot, RunFailed when the ledger can't be read; archives that can't are left out.
    """
    now = Version(line_of(ranking, name), len(ranking.ranked))
    found: list[Version] = []
    for number, location in sorted((_number_of(location), location) for location in storage.archives()):
        with contextlib.suppress(RunFailed):
            archive = open_storage(location)
            state = read_state(archive)
            then = _former(archive, state.former, name, number)
            if state.field and name in {entrant.name for entrant in state.field.entrants}:
                last = rank(archive, state.field, standing_batches(archive, state))
                then.append(Version(line_of(last, name), len(last.ranked), number))
            found += _last_of_each(then)
    return [*found, *_last_of_each([*_former(storage, read_state(storage).former, name), now])]


def _former(storage: Storage, former: Iterable[FormerVersion], name: str, archive: int | None = None) -> list[Version]:
    return [_version(storage, one, archive) for one in former if one.name == name]


def _last_of_each(versions: Sequence[Version]) -> list[Version]:
    """Versions of other contents than the one after each."""
    following = [version.line.sha256 for version in versions[1:]]
    return [one for one, after in zip(versions, [*following, None]) if one.line.sha256 != after]


def _number_of(archive: str) -> int:
    """An archive's number, by its location, which may be a URL with options."""
    return int(archive.partition("?")[0].rpartition("-")[2])


def line_of(ranking: Standings, name: str) -> Standing:
    """A bot's line. Raises BadInput for an unknown one."""
    lines = {line.name: line for line in ranking.entrants}
    if name not in lines:
        raise BadInput(f"{name[:200]}: the records have no such bot{did_you_mean(name, lines, ',')}")
    return lines[name]


def matches_of_bot(ranking: Standings, name: str) -> list[Match]:
    """A ranked bot's matches from its side, against ranked bots or house players, the best first."""
    line_of(ranking, name)
    counted = {line.name for line in ranking.ranked} | set(ranking.house)
    return sorted(
        (side for side in ranking.sides if side.x == name and {name, side.y} <= counted),
        key=lambda side: -lead(side),
    )


def lead(match: Match) -> float:
    """By how much x is ahead of y, in points a session."""
    return (match.x_points - match.y_points) / max(1, match.sessions)


def closest_to_beating(matches: Sequence[Match]) -> Match | None:
    """Of those that a bot has not beaten the one by the least lead."""
    return max((match for match in matches if lead(match) <= 0), key=lead, default=None)
