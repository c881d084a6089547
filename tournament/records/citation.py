"""Citations of runs: what is needed to repeat a run, and a digest of its results for comparison."""

from __future__ import annotations

import hashlib
import importlib.metadata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tournament.contests.contest import Contest
from tournament.errors import InputError
from tournament.store.field import Setting
from tournament.store.legs import Legs
from tournament.store.seed_files import find_seed
from tournament.store.storage import open_storage

if TYPE_CHECKING:
    from tournament.records.results import Results

# Number of hexadecimal digits of a digest in text and BibTeX.
_SHORT = 16


@dataclass(frozen=True)
class Citation:
    """The facts that identify a run. Bots are those that could play, also if they were disqualified, sorted by name.

    Hashes and fingerprints are in hexadecimal.
    """

    tournament: str  #: version of this package
    contest: str  #: name of the contest
    title: str  #: title of the contest
    rules: str  #: name of the rules
    rules_version: str  #: version of the rules
    #: settings that decide the games, by name, without the seed and those that have no value
    settings: Mapping[str, Setting]
    seed: str | None  #: the seed with `--show-seed`, otherwise null
    seed_fingerprint: str  #: fingerprint of the seed
    bots: Mapping[str, str]  #: sha256 of each bot's content, by name
    house: Mapping[str, str]  #: sha256 of each house player's content, sorted by name; empty if there are none
    legs: int  #: number of legs that count
    games: int  #: number of games in these legs
    #: sha256 of the results, equal for equal games, whoever played them in whichever order
    records_sha256: str

    def __str__(self) -> str:
        """Return the citation as a paragraph."""
        return (
            f"{self.title} ({self.rules}, version {self.rules_version} of the rules), played by tournament"
            f" {self.tournament}: {self._players()}, {self.games:,} games. Settings: {self._settings()}. Seed:"
            f" {self.seed if self.seed is not None else f'unpublished, {self._fingerprint()}'}. Bots: sha256"
            f" {_bots_digest(self.bots)[:_SHORT]}. Results: sha256 {self.records_sha256}."
        )

    def bibtex(self) -> str:
        """Return the citation as an entry for BibTeX."""
        seed = f"seed {self.seed}" if self.seed is not None else self._fingerprint()
        fields = {
            "title": f"{{{_escaped(self.title)}: {_escaped(self._players())}, {self.games:,} games}}",
            "howpublished": _escaped(f"tournament {self.tournament}, {self.rules} version {self.rules_version}"),
            "note": _escaped(f"{self._settings()}; {seed}; results sha256 {self.records_sha256[:_SHORT]}"),
            "key": "tournament",
        }
        body = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
        return f"@misc{{{self.contest}_{self.records_sha256[:8]},\n{body}}}"

    def _players(self) -> str:
        house = f" against {len(self.house)} house players" if self.house else ""
        return f"{len(self.bots)} bots{house}"

    def _settings(self) -> str:
        return ", ".join(f"{name} = {_value(value)}" for name, value in self.settings.items())

    def _fingerprint(self) -> str:
        return f"fingerprint {self.seed_fingerprint[:_SHORT]}"


def cite(results: Results, contest: Contest, *, show_seed: bool = False) -> Citation:
    """Return the citation of a run.

    Args:
        results: Results of the run.
        contest: Contest of the run.
        show_seed: Whether to include the seed, from which all cards follow.

    Raises:
        InputError: `show_seed` is set, and the seed isn't stored with the records.
        RunError: `show_seed` is set, and the folder of seeds can't be read, or a file in it can't be opened.
        FileNotFoundError: A file of the seed was removed after it was listed.
        OSError: A file of the seed can't be read.
    """
    setup, legs = results.setup, Legs.joined(batch.legs for batch in results.batches)
    fingerprint, playing = str(setup.settings.get("seed")), setup.artifacts
    seed = find_seed(open_storage(results.location), fingerprint) if show_seed else None
    if show_seed and seed is None:
        raise InputError(f"{results.location}/secret has no seed; omit --show-seed")
    return Citation(
        importlib.metadata.version("tournament"),
        setup.contest,
        contest.title,
        setup.rules,
        setup.engine,
        {name: value for name, value in setup.settings.items() if name != "seed" and value is not None},
        seed,
        fingerprint,
        {one.name: one.sha256 for one in sorted(setup.entrants, key=lambda one: one.name) if one.name in playing},
        {one.name: one.sha256 for one in sorted(setup.house, key=lambda one: one.name)},
        len(legs),
        int(legs.games.sum()),
        results_digest(legs),
    )


def results_digest(legs: Legs) -> str:
    """Return the sha256, in hexadecimal, of the results of legs, sorted by the digests of what they depend on.

    The order of play, the division into files, the numbers of matches, times and memory don't change it.
    """
    order = np.argsort(legs.digest, kind="stable")
    ordered = legs.take(order)
    digest = hashlib.sha256()
    for column in (ordered.digest, ordered.sessions, ordered.games, ordered.sums):
        digest.update(np.ascontiguousarray(column).tobytes())
    return digest.hexdigest()


def _bots_digest(bots: Mapping[str, str]) -> str:
    """Return the sha256, in hexadecimal, of bots' names and digests, whatever their order."""
    return hashlib.sha256("".join(f"{name} {digest}\n" for name, digest in sorted(bots.items())).encode()).hexdigest()


def _value(value: Setting) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)


def _escaped(text: str) -> str:
    """Return a text escaped for LaTeX."""
    return "".join(f"\\{char}" if char in "&%$#_{}" else char for char in text)
