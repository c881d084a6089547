"""What everybody sees of an open contest: a page and a board, each written whole, and what they leave out.

Deals are common to all pairings, so a game that is shown tells a bot that is handed in again what it will see. Sums
have traces of cards, too: a bot can let a figure's last digits, a count, or the place of a fault tell what it was
dealt. So while a contest is open the page has standings and crosstable alone, in figures of three digits.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tournament.config import Config
from tournament.records.results import leaderboard_values, load
from tournament.reporting.findings import Findings, Version, find
from tournament.reporting.page import render
from tournament.runner.seed import read_seed
from tournament.small_files import write_whole
from tournament.standings.standings import Standings
from tournament.store.storage import inside, open_storage

_DIGITS = 3
_COUNTS = frozenset({"games", "faults"})  # of which a bot can choose how many there are
_MOST_VERSIONS = 50  # of a bot

Versions = Mapping[str, list[Version]]


def publish(folder: Path, name: str, config: Config, *, open: bool) -> None:
    """Write a contest's page and board from its records. Raises as `find` does, and OSError."""
    location = inside(config.results, name)
    seed = None if open else read_seed(open_storage(location), load(location).field.settings.get("seed"))
    contest, findings = find(location, with_games=not open, seed=seed, config_of=lambda _: config, only_sums=open)
    if open:
        findings = rounded(replace(findings, ranking=_without_words(findings.ranking)))
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    findings = replace(findings, versions=_versions(place / "board.json", findings))
    lines = leaderboard_values(findings.ranking)
    board = {
        "contest": name,
        "made": findings.made,
        "open": open,
        "leaderboard": rounded(lines) if open else lines,  # with what is worked out of several figures
        "versions": findings.versions,
    }
    write_whole(place / "index.html", render(contest, findings, live=True).encode())
    write_whole(place / "board.json", (json.dumps(board, indent=2, default=str) + "\n").encode())
    write_whole(place / "stamp", findings.made.encode())  # the last: who sees it sees the page that it is of


def publish_index(folder: Path, names: list[str], *, submissions: bool) -> None:
    """Write the page that leads to the contests, and to where bots are handed in; and a page of each without a board.
    Raises OSError."""
    links = [f"<p><a href={name}/>{name}: the leaderboard</a>" for name in names]
    links += ["<p><a href=submit>Hand in a bot</a>"] * submissions
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "index.html", _small_page("Bot contest", "".join(links)))
    for name in names:
        (folder / name).mkdir(exist_ok=True)
        if not (folder / name / "index.html").exists():
            waits = '<meta http-equiv="refresh" content="5"><p>No board yet: it takes bots that can play.'
            write_whole(folder / name / "index.html", _small_page(name, waits))


def _small_page(title: str, content: str) -> bytes:
    """A page without style. Names of contests have letters, digits and _ only."""
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    head += f'<meta name="color-scheme" content="light dark"><title>{title}</title><h1>{title}</h1>'
    return f"{head}{content}\n".encode()


def is_whole(ranking: Standings) -> bool:
    """Whether every ranked bot has met all whom it is to meet."""
    ranked = ranking.ranked
    others = len(ranking.house) or len(ranked) - 1
    return bool(ranked) and all(line.matches >= others for line in ranked)


def _versions(board: Path, findings: Findings) -> Versions:
    """What became of each version of a bot: as the last board had it, with the line that it has now."""
    known: dict[str, list[Version]] = {}
    with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
        versions = json.loads(board.read_bytes())["versions"]
        known = {bot: [Version(*version) for version in lines] for bot, lines in versions.items()}
    ranking = findings.ranking
    found: dict[str, list[Version]] = {}
    for line in ranking.entrants:
        others = [one for one in dict.fromkeys(known.get(line.name, [])) if one.sha != line.sha256[:8]]
        now = Version(line.sha256[:8], findings.made, line.score if line.matches else None, line.rank,
                      len(ranking.ranked))  # fmt: skip
        found[line.name] = [*others, now][-_MOST_VERSIONS:]
    gone = {bot: lines for bot, lines in known.items() if bot not in found}
    # Of bots that left, as many as there are now: names are chosen by strangers.
    return found | dict(list(gone.items())[: len(found)])


def _without_words(ranking: Standings) -> Standings:
    """Without what bots wrote, and where they had faults."""
    entrants = tuple(replace(line, reason=_kind(line.reason)) for line in ranking.entrants)
    whole = ranking.matches.whole.copy()
    whole[:, 3] = [_short(games) for games in whole[:, 3].tolist()]
    return replace(ranking, entrants=entrants, faults=(), matches=replace(ranking.matches, whole=whole))


def _kind(what: str | None) -> str:
    """The first words of a reason, which are ours."""
    return re.split(r"[:;,\"'(0-9]", what or "")[0].strip()


def _short(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else value


def rounded(value: Any, name: str = "") -> Any:
    """The value with all fractions in it, at any depth, and counts, to a few digits."""
    if isinstance(value, float | np.floating) or (name in _COUNTS and isinstance(value, int)):
        return type(value)(_short(float(value)))
    if isinstance(value, np.ndarray) and (value.dtype.kind == "f" or name in _COUNTS):
        return np.array([_short(one) for one in value.ravel().tolist()], value.dtype).reshape(value.shape)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return replace(value, **{one.name: rounded(getattr(value, one.name), one.name) for one in fields if one.init})
    if isinstance(value, Mapping):
        return {key: rounded(inner, key) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        inner = [rounded(one) for one in value]
        return type(value)(*inner) if hasattr(value, "_fields") else type(value)(inner)
    return value
