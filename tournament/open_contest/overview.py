"""The class at a glance: every author of an open contest with the last upload, its state and the best rank."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tournament.errors import truncate_lines
from tournament.open_contest.authors import Author, read_authors
from tournament.open_contest.jobs import BOT, NOT_FIT, SET_ASIDE, Jobs, database_beside
from tournament.open_contest.publish import PLACE

# State of an author without a bot.
_NOTHING = "nothing submitted"


@dataclass(frozen=True)
class AuthorLine:
    """An author in a contest."""

    author: str  #: name of the author
    contest: str  #: name of the contest
    last_upload: str | None  #: time of the last upload; null if there was none
    bot: str | None  #: name of the bot that was uploaded last; null if there was none
    state: str  #: state of that upload, or "nothing submitted"
    reason: str  #: reason why the bot was refused or set aside; "" if it wasn't
    best_bot: str | None  #: name of the author's bot with the best rank; null if none has a rank
    best_place: str | None  #: bounds of that bot's true rank; null if it has no rank


def list_status(
    authors: Iterable[Author], jobs: Jobs | None, contests: Iterable[str], boards: Mapping[str, list[dict[str, Any]]]
) -> list[AuthorLine]:
    """Return a line for each author and contest, except for organisers who submitted nothing.

    Args:
        authors: The authors.
        jobs: Submitted jobs; None if there are none.
        contests: Names of the contests.
        boards: Lines of each contest's leaderboard by its name, the best first.

    Returns:
        The lines in the order of the contests, and within one by name of the author regardless of case.
    """
    condition = "author = ? AND contest = ? AND kind = ? ORDER BY n DESC LIMIT 1"
    lines, everyone = [], sorted(authors, key=lambda one: one.name.lower())
    hidden = {
        one.name for one in everyone
        if one.organiser and not (jobs and jobs.rows("n", "author = ? AND kind = ? LIMIT 1", one.name, BOT))
    }  # fmt: skip
    for contest in contests:
        ranges = {line["name"]: _rank_range(line) for line in boards.get(contest, ()) if line["rank"] is not None}
        for author in (one.name for one in everyone if one.name not in hidden):
            last = next(iter(jobs.find(condition, author, contest, BOT) if jobs else []), None)
            own = set(jobs.names(author, contest)) if jobs else set()
            best = next((name for name in ranges if name in own), None)
            reason = _reason(last.said) if last and last.state in (NOT_FIT, SET_ASIDE) else ""
            at, bot, state = (last.at, last.bot, last.state) if last else (None, None, _NOTHING)
            rank_range = ranges[best] if best else None
            lines.append(AuthorLine(author, contest, at, bot, state, reason, best, rank_range))
    return lines


def _rank_range(line: Mapping[str, Any]) -> str:
    """Return the bounds of a true rank as text such as "2–4", or the rank if they are equal or unknown."""
    low, high = line["rank_low"], line["rank_high"]
    return str(line["rank"]) if low is None or low == high else f"{low}–{high}"


def _reason(reason: str) -> str:
    """Return two lines of a trial's text as one line of at most 300 characters, and the number of further ones.

    Lines about building, faults, limits and slowness count, or all lines if there are none.
    """
    lines = [line.strip() for line in reason.splitlines() if line.strip()]
    telling = [line for line in lines if line.split(" ")[0] in ("builds", "faults", "limits", "slow")]
    return "; ".join(truncate_lines(telling or lines, 2))[:300]


def boards_in(published: Path, contests: Iterable[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the lines of the published leaderboards by contest, the best first.

    Contests without a leaderboard, or with one that can't be read, are left out.
    """
    boards = {}
    for name in contests:
        try:
            boards[name] = json.loads((published / PLACE / name / "board.json").read_bytes())["leaderboard"]
        except (OSError, ValueError, KeyError):
            continue
    return boards


def lines_never_ranked(authors: Path, contest: str, ranked: Iterable[str]) -> list[dict[str, Any]]:
    """Return lines of a gradebook for submitted bots without a rank, and for authors without any bot.

    Args:
        authors: Path of the authors' file.
        contest: Name of the contest.
        ranked: Names of the bots with a rank.

    Returns:
        A dict for each line with "name", "author", "status" and "reason". Bots come in order of their first upload,
        then authors in the order of their file, with "" as name and reason. Organisers without a bot are left out. The
        list is empty if there is no database, because the contest has never been open for submissions.

    Raises:
        InputError: The authors' file can't be read or is invalid, or the database has another format.
        RunError: The database can't be opened.
        sqlite3.Error: The database can't be read.
    """
    if not (database := database_beside(authors)).exists():
        return []
    jobs, known = Jobs(database), set(ranked)
    with contextlib.closing(jobs.database):
        latest = {(job.author, job.bot): job for job in jobs.find("contest = ? AND kind = ? ORDER BY n", contest, BOT)}
    lines = [
        {"name": bot, "author": author, "status": job.state, "reason": _reason(job.said)}
        for (author, bot), job in latest.items()
        if bot not in known
    ]
    without = [one.name for one in read_authors(authors).values() if not one.organiser]
    with_bots = {author for author, _ in latest}
    return lines + [
        {"name": "", "author": name, "status": _NOTHING, "reason": ""} for name in without if name not in with_bots
    ]
