"""Contests that installed packages bring, by entry points of the group `tournament.contests`.

Their names are read when a contest is asked for that isn't built in; a package is imported with its contest.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import importlib.util
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tournament.errors import BadInput, printable, shortened
from tournament.names import CONTEST_NAME_RULE, did_you_mean, valid_contest_name

if TYPE_CHECKING:
    from tournament.contests.contest import Contest

GROUP = "tournament.contests"


@dataclass(frozen=True)
class Offer:
    """A contest as a package declares it: the entry point's name and value, "module:attribute"."""

    name: str
    value: str
    package: str
    version: str

    def __str__(self) -> str:
        return f"{self.package} {self.version}"


# Built in, but imported like a package's: it needs another package, which few have.
_OWN = (Offer("open_spiel", "tournament.contests.open_spiel:OpenSpiel", "tournament", ""),)


@cache
def offers() -> dict[str, tuple[Offer, ...]]:
    """What installed packages declare, by the contest's name. Nothing is imported."""
    found: dict[str, tuple[Offer, ...]] = {}
    brought = [
        Offer(point.name, point.value, point.dist.name, point.dist.version)
        for point in importlib.metadata.entry_points(group=GROUP)
        if point.dist is not None
    ]
    for offer in (*_OWN, *sorted(brought, key=str)):
        found[offer.name] = (*found.get(offer.name, ()), offer)
    return found


@cache
def load_installed(name: str, built_in: tuple[str, ...]) -> Contest:
    """The contest of that name from a package. Raises BadInput when there is none, two, or a broken one."""
    known = [*built_in, *offers()]
    if name not in offers():
        raise BadInput(
            f"no contest is called {shortened(name, 100)}; there are: {', '.join(known)}{did_you_mean(name, known)}"
        )
    offer, *others = offers()[name]
    if others:
        raise BadInput(f"{offer} and {others[0]} both bring a contest called {name}; uninstall one of them")
    try:
        contest = _contest_of(offer)
    except (Exception, SystemExit) as error:
        what = shortened(printable(" ".join(str(error).split())), 300)
        raise BadInput(
            f"the contest {name} of the package {offer} can't be loaded from {offer.value}: {type(error).__name__}:"
            f" {what}; mend the package or uninstall it"
        ) from error
    return replace(contest, requires=(*_own_requirement(offer), *contest.requires))


def _contest_of(offer: Offer) -> Contest:
    """Import a contest. Raises what the package raises, and ValueError when it isn't a contest."""
    module, _, attribute = offer.value.partition(":")
    value: Any = importlib.import_module(module)
    for part in attribute.split("."):
        value = getattr(value, part)
    from tournament.contests.contest import Contest
    from tournament.contests.python_contest.rules import PythonContest, contest_of

    if isinstance(value, type) and issubclass(value, PythonContest):
        value = contest_of(value)
    if not isinstance(value, Contest):
        raise ValueError("it is neither a Contest nor a subclass of PythonContest")
    if value.name != offer.name:
        raise ValueError(f"it calls itself {value.name}")
    if not valid_contest_name(offer.name):
        raise ValueError(CONTEST_NAME_RULE)
    return value


def _own_requirement(offer: Offer) -> Iterable[tuple[str, str]]:
    """The package of a contest, as every node must have it. Our own is compared anyway."""
    if offer in _OWN:
        return ()
    return ((offer.package, f"{offer.version} ({_sources_digest(offer.value)})"),)


def _sources_digest(value: str) -> str:
    """A digest of a package's files: in a checkout, these may be newer than its version."""
    top = value.partition(":")[0].split(".")[0]
    spec = importlib.util.find_spec(top)
    folders = list(spec.submodule_search_locations or ()) if spec else []
    files = [(path, Path(folder)) for folder in folders for path in sorted(Path(folder).rglob("*.py"))]
    if not files and spec and spec.origin:
        files = [(Path(spec.origin), Path(spec.origin).parent)]
    digest = hashlib.sha256()
    for path, folder in files:
        digest.update(
            f"{path.relative_to(folder).as_posix()}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode()
        )
    return digest.hexdigest()[:12]
