"""What everybody may know of an open contest, as scripts get it: the contests, their rules, and the board."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from tournament.contests.interface import DecisionSpec, Interface
from tournament.open_contest.publishing import faces_of
from tournament.open_contest.refusals import Refused
from tournament.open_contest.submissions import Open
from tournament.reporting.face import ContestFace


def contests_of(current: Open) -> list[dict[str, Any]]:
    """Return a line for each contest."""
    return [_line(face) for face in faces_of(current.contests, current.over)]


def rules_of(current: Open, name: str) -> dict[str, Any]:
    """Return a contest's rules, settings, limits and templates. Raises Refused."""
    _require(current, name)
    config = current.contests[name]
    (face,) = faces_of({name: config}, current.over)
    opening, played = config.opening, config.played
    interface = played.interface
    return _line(face) | {
        "description": face.description,
        "unit": played.points_unit,
        "house": played.house is not None,
        "decisions": [
            {
                "name": question.python_name,
                "arguments": [*question.arguments],
                "told": _told(interface, question),
                "description": question.description,
                "answers": question.answers,
            }
            for question in interface.answered
        ],
        "settings": config.contest.playing(),
        "limits": {
            "bots": opening.max_bots_per_author,
            "submissions_per_day": opening.max_submissions_per_day,
            "seconds_per_day": opening.max_seconds_per_day,
            "games_per_match": opening.max_games_per_call,
            "bytes_per_file": opening.max_file_bytes,
        },
        "templates": {language: f"/{name}/templates/{file}" for language, file in face.templates.items()},
    }


def standings_of(current: Open, name: str, published: Path) -> dict[str, Any]:
    """Return the board as it was last published. Raises Refused."""
    _require(current, name)
    path = published / name / "board.json"
    try:
        return _board(path, os.stat(path).st_mtime_ns)
    except (OSError, ValueError):
        raise Refused(404, "there is no board yet: it takes bots that can play") from None


@lru_cache(maxsize=16)  # anybody may ask, as often as they like
def _board(path: Path, _changed: int) -> dict[str, Any]:
    board = json.loads(path.read_bytes())
    return {key: board[key] for key in ("contest", "made", "open", "leaderboard")}


def _line(face: ContestFace) -> dict[str, Any]:
    return {
        "name": face.name,
        "title": face.title,
        "state": face.state,
        "opens": face.opens and face.opens.isoformat(),
        "closes": face.closes and face.closes.isoformat(),
        "url": f"/contests/{face.name}",
    }


def _told(interface: Interface, question: DecisionSpec) -> list[str]:
    """The names of what a bot is told with a question."""
    return [field.name for field in interface.view] if question.observes is None else [*question.observes]


def _require(current: Open, name: str) -> None:
    if name not in current.contests:
        raise Refused(404, f"unknown contest; expected one of: {', '.join(current.contests)}")
