"""The values of authors' pages about their bots and jobs: outcomes, faults and losses."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from tournament.contests.contest import Contest
from tournament.errors import InputError, RunError, join_names, pluralize
from tournament.open_contest.authors import Author
from tournament.open_contest.jobs import PLAYED, PRACTICE, REPLAY, Job
from tournament.open_contest.publish import PLACE
from tournament.open_contest.submissions import Submissions, bots_in
from tournament.records.finals import records_with
from tournament.records.results import Results, load
from tournament.reporting.figures import signed
from tournament.reporting.findings import contest_of, losses_of_bot
from tournament.reporting.layout import make_anchor
from tournament.reporting.trends import Worst, worst_match

_MAX_FAULTS = 50
_BOT_CONDITION = "author = ? AND contest = ? AND bot = ?"


@dataclass
class _Records:
    """The records of a contest that a board showed.

    Attributes:
        stamp: Stamp of the board, b"" before the first use.
        results: The records, None before the first use.
        contest: Contest of the records, None before the first use.
        losses: Worst match, None if there is none, and lines about the decisions in which the bot loses most. The key
            is the bot's name and whether decisions are hidden, in which case there are no lines.
        lock: Lock for reading the records.
    """

    stamp: bytes = b""
    results: Results | None = None
    contest: Contest | None = None
    losses: dict[tuple[str, bool], tuple[Worst | None, list[str]]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


class AuthorPage:
    """The values of authors' pages. Threads can use it at the same time."""

    def __init__(self, submissions: Submissions, published: Path) -> None:
        """Prepare the pages.

        Args:
            submissions: Submissions of the authors.
            published: Folder of the boards.
        """
        self._submissions, self._published = submissions, published
        self._records: dict[str, _Records] = {}

    def values(self, author: Author) -> dict[str, Any]:
        """Return all values about an author's bots and jobs, for a page or a script.

        Contests come in the order of the settings file, bots by name, and at most 50 jobs, the newest first. Dates are
        text in ISO format, None if there is none, and seconds are those left today.

        Raises:
            OSError: An entrants folder or a board can't be read.
            sqlite3.Error: The database can't be read.
        """
        current = self._submissions.current
        submissions, seconds = self._submissions.left_today(author.name)
        return {
            "author": author.name,
            "submissions_left": submissions,
            "seconds_left": round(seconds, 1),
            "contests": [
                {
                    "name": name,
                    "title": config.played.title,
                    "opens": current.opening.opens and current.opening.opens.isoformat(),
                    "closes": current.opening.closes and current.opening.closes.isoformat(),
                    "is_over": name in current.over,
                    "bots": [self._bot(name, bot, author) for bot in self._submissions.jobs.names(author.name, name)],
                }
                for name, config in current.contests.items()
            ],
            "jobs": [job_values(self._submissions, _in_short(job)) for job in self._submissions.jobs_of(author.name)],
        }

    @contextlib.contextmanager
    def _read(self, contest: str, location: str) -> Iterator[_Records]:
        """Yield the records of a contest to one author at a time. They are read again once the board has changed.

        Raises:
            FileNotFoundError: There is no board yet.
            InputError: There are no records.
            RunError: The records can't be read.
        """
        records = self._records.setdefault(location, _Records())
        with records.lock:
            stamp = (self._published / PLACE / contest / "stamp").read_bytes()
            if stamp != records.stamp or records.results is None:
                results = load(location)
                records.results, records.contest, records.stamp = results, contest_of(results), stamp
                records.losses.clear()
            yield records

    def _bot(self, contest: str, bot: str, author: Author) -> dict[str, Any]:
        """Return the values of a bot: its state, and its results as far as there are any.

        Without results, or if they can't be read now, figures are None, and "faults" and "decisions" are empty. The
        state is "entered", that of the bot's last job, or "not there".

        Raises:
            OSError: The entrants folder can't be read.
        """
        current = self._submissions.current
        config = current.contests[contest]
        last = self._submissions.jobs.rows(
            "state", f"{_BOT_CONDITION} ORDER BY n DESC LIMIT 1", author.name, contest, bot
        )
        state = "entered" if bot in bots_in(config.entrants) else last[0][0] if last else "not there"
        values: dict[str, Any] = {
            "bot": bot, "state": state,
            "place": None, "field_size": None, "score": None, "matches": 0, "disqualified": None,
            "anchor": f"bot-{bot}", "faults": [], "losses": None, "decisions": [],
        }  # fmt: skip
        with (
            # There are none yet, or a run changes them now.
            contextlib.suppress(InputError, RunError, FileNotFoundError),
            self._read(contest, records_with(current.records[contest], bot)) as records,
        ):
            values |= self._played(records, bot, hidden=bool(config.played.house) and contest not in current.over)
        return values

    def _played(self, records: _Records, bot: str, *, hidden: bool) -> dict[str, Any]:
        """Return the results of a bot's matches, with its first 50 faults, or {} if the records don't have it.

        Args:
            records: The contest's records.
            bot: Name of the bot.
            hidden: Whether to replace questions and outputs by "", and omit decisions.

        Raises:
            RunError: The records are damaged.
            FileNotFoundError: A part is missing.
        """
        assert records.results and records.contest
        ranking = records.results.ranking
        names = [line.name for line in ranking.entrants]
        if bot not in names:
            return {}
        line = ranking.entrants[names.index(bot)]
        if (bot, hidden) not in records.losses:
            decisions = [] if hidden else losses_of_bot(records.contest, records.results, bot)
            records.losses[bot, hidden] = worst_match(records.contest, records.results, bot), decisions
        worst, decisions = records.losses[bot, hidden]
        faults = [(leg, fault) for leg, fault in ranking.faults if leg.seats[fault.seat] == bot][:_MAX_FAULTS]
        return {
            "place": line.rank_range,
            "field_size": len(ranking.ranked),
            "score": line.score,
            "matches": line.matches,
            "disqualified": line.reason if line.rank is None else None,
            "anchor": make_anchor(bot, names.index(bot)),
            "faults": [
                {
                    "opponent": join_names(leg.opponents(fault.seat)),
                    "session": fault.session,
                    "game": fault.game,
                    "decision": fault.decision,
                    "message": fault.message,
                    "question_text": "" if hidden else fault.question_text,
                    "last_output": "" if hidden else fault.last_output,
                }
                for leg, fault in faults
            ],
            "losses": _worst_values(worst),
            "decisions": decisions,
        }


def _in_short(job: Job) -> Job:
    """Return a job as lists show it: a replay's text is replaced by its address, because its steps are long."""
    return replace(job, said=f"shown at {job_address(job)}") if job.kind == REPLAY and job.said else job


def job_address(job: Job) -> str:
    """Return the address of a job's page, without the server."""
    return f"/jobs/{job.id}"


def job_values(submissions: Submissions, job: Job) -> dict[str, Any]:
    """Return a job as scripts receive it.

    The key "place_in_queue" is None unless it is queued. The "report" is None unless a match or replay was played and
    its figures are stored.

    Raises:
        sqlite3.Error: The database can't be read.
    """
    report = None
    if job.kind in (PRACTICE, REPLAY) and job.state == PLAYED:
        with contextlib.suppress(ValueError):
            report = json.loads(job.said)
    values = asdict(job)
    del values["n"], values["lane"]
    return values | {"url": job_address(job), "place_in_queue": submissions.jobs.place(job), "report": report}


def words_of_job(values: Mapping[str, Any]) -> str:
    """Return the text of a job for people: the points of a match, the steps of a replay, or what the trial found.

    Args:
        values: The job as `job_values` returns it. A report of another version is shown as it is stored.
    """
    report = values["report"]
    try:
        if values["kind"] == REPLAY and report:
            return "\n".join(_replay_lines(report))
        if values["kind"] == PRACTICE and report:
            return "\n".join(_match_lines(report))
    # Another version wrote them.
    except (KeyError, TypeError, ValueError):
        pass
    return str(values["said"] or values["quick"])


def _replay_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield a replay as lines of text.

    Raises:
        KeyError: Another version wrote the report.
    """
    for game in report["games"]:
        yield f"game {game['game']}: {game['outcome']}"
        for step in game["steps"]:
            yield f"  {step['bot']} {step['decision']}: {step['question_text'].removeprefix(step['decision'] + ': ')}"
            yield from (f"    | {line}" for line in step["printed"].splitlines())
            yield f"    {'fault: ' + step['fault'] if step['fault'] else '→ ' + step['answer_text']}"
    if report["mismatch"]:
        yield f"not as recorded: {report['mismatch']}"


def _match_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield a practice match as lines of text.

    Raises:
        KeyError: Another version wrote the report.
    """
    yield f"{pluralize(report['games'], 'game')} in {pluralize(report['sessions'], 'session')}"
    for line in report["opponents"]:
        better = f"; {_figure(line['difference'])} better than {report['baseline']}" if line["difference"] else ""
        yield f"against {line['opponent']}: {_figure(line['points'])}{better}"
    if report["difference"]:
        yield f"in all {_figure(report['difference'])} better than {report['baseline']} in the contest"
    if report["disqualified"]:
        yield f"disqualified: {', '.join(report['disqualified'])}"
    for fault in report["faults"]:
        yield f"fault in session {fault['session']}, game {fault['game']}: {fault['decision']}: {fault['message']}"
        yield from (f"  | {line}" for line in fault["last_output"].splitlines())


def _figure(figure: Mapping[str, float | None]) -> str:
    """Return a figure with its sign, and half of its interval if it has one."""
    half_width = figure["ci_half_width"]
    return f"{figure['value']:+,.3f}" + (f" ± {half_width:,.3f}" if half_width is not None else "")


def _worst_values(worst: Worst | None) -> dict[str, Any] | None:
    """Return a bot's worst match as values, or None if there is none."""
    if worst is None:
        return None
    lines = [f"{signed(points, 3)} a {worst.over} in {stretch}" for stretch, points in worst.stretches]
    return {"opponent": worst.opponent, "points_per_session": worst.points_per_session, "lines": lines}
