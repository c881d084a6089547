"""An author's own page: what became of each bot, why, and where it loses."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tournament.contests.contest import Contest
from tournament.errors import InputError, RunError
from tournament.open_contest.authors import Author
from tournament.open_contest.entered import bots_in
from tournament.open_contest.refusals import Refused
from tournament.open_contest.submissions import Submissions
from tournament.records.results import Results, load
from tournament.reporting.findings import contest_of
from tournament.reporting.layout import anchor_of
from tournament.reporting.losses import Losses, losses_to

_MOST_JOBS, _MOST_FAULTS = 50, 50
_PATIENCE_SECONDS = 5.0  # to wait for another's page of the same contest


@dataclass
class _Records:
    """The records of a contest as a board showed them, by its `stamp`; and what was worked out of them."""

    stamp: bytes = b""
    results: Results | None = None
    contest: Contest | None = None
    losses: dict[str, Losses | None] = field(default_factory=dict)
    one_at_a_time: threading.Lock = field(default_factory=threading.Lock)


class Mine:
    """What authors may know of their bots. `published` has the boards."""

    def __init__(self, submissions: Submissions, published: Path) -> None:
        self._submissions, self._published = submissions, published
        self._records: dict[str, _Records] = {}

    def values(self, author: Author) -> dict[str, Any]:
        """All of it, for a page or a script. Raises Refused where too many ask at once, and OSError."""
        current = self._submissions.current
        jobs = self._submissions.jobs_of(author)[:_MOST_JOBS]
        return {
            "author": author.name,
            "submissions_left": self._submissions.left_today(author),
            "contests": [
                {
                    "name": name,
                    "title": config.played.title,
                    "opens": current.opening.opens and current.opening.opens.isoformat(),
                    "closes": current.opening.closes and current.opening.closes.isoformat(),
                    "is_over": name in current.over,
                    "bots": [self._bot(name, bot, author) for bot in self._submissions.names_of(author, name)],
                }
                for name, config in current.contests.items()
            ],
            "jobs": [
                {**asdict(job), "url": f"/jobs/{job.id}", "place_in_queue": self._submissions.place_in_queue(job)}
                for job in jobs
            ],
        }

    def _bot(self, contest: str, bot: str, author: Author) -> dict[str, Any]:
        current = self._submissions.current
        config = current.contests[contest]
        state = "entered" if bot in bots_in(config.entrants) else self._last_state(author, contest, bot)
        found: dict[str, Any] = {
            "bot": bot, "state": state,
            "place": None, "ranked": None, "score": None, "matches": 0, "disqualified": None, "anchor": f"bot-{bot}",
            "faults": [], "losses": None, "versions": self._versions(contest, bot),
        }  # fmt: skip
        records = self._records.setdefault(contest, _Records())
        if not records.one_at_a_time.acquire(timeout=_PATIENCE_SECONDS):
            raise Refused(503, "this page is being worked out for others; ask again", 5)
        try:
            with contextlib.suppress(InputError, RunError, FileNotFoundError):  # none yet, or they change just now
                self._read(contest, records)
                found |= self._played(records, bot, hidden=bool(config.played.house) and contest not in current.over)
        finally:
            records.one_at_a_time.release()
        return found

    def _last_state(self, author: Author, contest: str, bot: str) -> str:
        jobs = [job for job in self._submissions.jobs_of(author) if (job.contest, job.bot) == (contest, bot)]
        return jobs[0].state if jobs else "not there"

    def _read(self, contest: str, records: _Records) -> None:
        stamp = (self._published / contest / "stamp").read_bytes()
        if stamp != records.stamp or records.results is None:
            results = load(self._submissions.current.records[contest])
            records.results, records.contest, records.stamp = results, contest_of(results), stamp
            records.losses.clear()

    def _played(self, records: _Records, bot: str, *, hidden: bool) -> dict[str, Any]:
        """What a bot's matches tell. `hidden`: not what it was dealt, where others' hands are the same."""
        assert records.results and records.contest
        ranking = records.results.ranking
        names = [line.name for line in ranking.entrants]
        if bot not in names:
            return {}
        line = ranking.entrants[names.index(bot)]
        if bot not in records.losses:
            records.losses[bot] = None
            with contextlib.suppress(InputError):
                records.losses[bot] = losses_to(records.contest, records.results, bot) if line.matches else None
        faults = [(leg, fault) for leg, fault in ranking.faults if leg.seats[fault.seat] == bot][:_MOST_FAULTS]
        return {
            "place": line.place,
            "ranked": len(ranking.ranked),
            "score": line.score,
            "matches": line.matches,
            "disqualified": line.reason if line.rank is None else None,
            "anchor": anchor_of(bot, names.index(bot)),
            "faults": [
                {
                    "opponent": leg.seats[1 - fault.seat],
                    "session": fault.session,
                    "game": fault.game,
                    "question": fault.question,
                    "what": fault.what,
                    "asked": "" if hidden else fault.asked,
                    "complaints": "" if hidden else fault.complaints,
                }
                for leg, fault in faults
            ],
            "losses": _in_words(records.losses[bot]),
        }

    def _versions(self, contest: str, bot: str) -> Sequence[Mapping[str, Any]]:
        with contextlib.suppress(OSError, ValueError, KeyError):
            lines = json.loads((self._published / contest / "board.json").read_bytes())["versions"].get(bot, [])
            return [dict(zip(("sha", "made", "score", "rank", "ranked"), line)) for line in lines]
        return []


def _in_words(losses: Losses | None) -> dict[str, Any] | None:
    if losses is None:
        return None
    lines = [f"{seat.mean:+.3f} a {seat.unit} {seat.seat}, of {seat.count:,}" for seat in losses.seats]
    for kind in losses.kinds or ():
        lines.append(
            f"{kind.share:.0%} of what is lost is lost in: {kind.kind} ({kind.in_words}). The worst: session"
            f" {kind.session}, game {kind.game}"
        )
    return {"opponent": losses.opponent, "points_per_session": losses.points_per_session, "lines": lines}
