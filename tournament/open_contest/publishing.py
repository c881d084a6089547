"""What everybody sees of an open contest: a page and a board, each written whole, and what they leave out.

Deals are common to all pairings, so a game that is shown tells a bot that is handed in again what it will see; and a
score has a bit for each card in its last digits. So while a contest is open the page has no games, no cards, and
nothing that bots wrote, and figures have three digits.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from tournament.config import load_config
from tournament.reporting.findings import Findings, find
from tournament.reporting.page import render
from tournament.runner.seed import read_seed
from tournament.small_files import write_whole
from tournament.standings.results import leaderboard_values, load
from tournament.store.storage import inside, open_storage

_DIGITS = 3


def publish(folder: Path, name: str, results: str, settings: Path, *, open: bool) -> None:
    """Write a contest's page and board from its records below `results`. Raises as `find` does, and OSError."""
    location = inside(results, name)

    seed = None
    if not open:
        loaded = load(location)
        seed = read_seed(open_storage(location), loaded.field.settings.get("seed"))
    contest, findings = find(location, with_games=not open, seed=seed, config_of=partial(load_config, path=settings))
    if open:
        findings = _rounded(_without_words(findings))
    board = {"contest": name, "made": findings.made, "open": open, "leaderboard": leaderboard_values(findings.ranking)}
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    write_whole(place / "index.html", render(contest, findings, live=True).encode())
    write_whole(place / "board.json", (json.dumps(board, indent=2, default=str) + "\n").encode())
    write_whole(place / "stamp", findings.made.encode())


def publish_index(folder: Path, names: list[str]) -> None:
    """Write the page that leads to the contests: to the only one at once."""
    links = "".join(f'<li><a href="{name}/">{name}</a></li>' for name in names)
    go = f'<meta http-equiv="refresh" content="0; url={names[0]}/">' if len(names) == 1 else ""
    text = f'<!doctype html><html lang="en"><meta charset="utf-8">{go}<title>Contests</title><ul>{links}</ul></html>\n'
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / "index.html", text.encode())


def _without_words(findings: Findings) -> Findings:
    """Without what bots wrote: of a fault, its kind alone."""
    ranking = findings.ranking
    faults = [(leg, replace(fault, what=_kind(fault.what))) for leg, fault in ranking.faults]
    entrants = [replace(line, reason=_kind(line.reason)) for line in ranking.entrants]
    return replace(findings, ranking=replace(ranking, faults=tuple(faults), entrants=tuple(entrants)))


def _kind(what: str | None) -> str:
    return re.split(r"[:;\"'(]", what or "")[0].strip()


def _rounded(value: Any) -> Any:
    """The value with all fractions in it, at any depth, to a few digits."""
    if isinstance(value, float | np.floating):
        return type(value)(f"{value:.{_DIGITS}g}") if math.isfinite(value) else value
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        with np.errstate(all="ignore"):
            scale = 10.0 ** (_DIGITS - 1 - np.floor(np.log10(np.abs(value))))
            return np.where(np.isfinite(value) & (value != 0), np.round(value * scale) / scale, value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: _rounded(getattr(value, field.name)) for field in dataclasses.fields(value) if field.init}
        return dataclasses.replace(value, **fields)
    if isinstance(value, Mapping):
        return {key: _rounded(inner) for key, inner in value.items()}
    if isinstance(value, tuple | list):
        inner = [_rounded(one) for one in value]
        return type(value)(*inner) if hasattr(value, "_fields") else type(value)(inner)
    return value
