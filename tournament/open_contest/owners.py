"""Whose each bot of an open contest is, and how often each author handed one in today: kept in a file."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tournament.open_contest.refusals import Refused
from tournament.small_files import write_whole

STATE = "state.json"  # the file's name


def submissions_beside(authors: Path) -> Path:
    """Return the folder of what the authors of a file submit."""
    return authors.absolute().parent / "submissions"


def authors_of_bots(submissions: Path, contest: str) -> dict[str, str]:
    """Return who submitted which bot of a contest, by the bot; nothing if none was submitted there."""
    with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
        held = Owners(submissions / STATE).held(contest)
        return {bot: author for author, bot in held}
    return {}


@dataclass
class _State:
    """Author and name of each bot, by contest and the bot's name in lower case; attempts of a day, and the seconds that
    doing them took."""

    bots: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    day: str = ""
    attempts: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)


class Owners:
    """Who owns what. For one thread at a time. It changes in memory first, and is written by `write`."""

    def __init__(self, path: Path) -> None:
        self._path, self._state = path, _State()
        with contextlib.suppress(FileNotFoundError):
            values = json.loads(path.read_bytes())
            known = {one.name for one in dataclasses.fields(_State)}
            self._state = _State(**{key: value for key, value in values.items() if key in known})

    def owner(self, contest: str, bot: str) -> tuple[str, str] | None:
        """Author and name of the bot that is called so, whatever the case of its letters."""
        found = self._state.bots.get(contest, {}).get(bot.lower())
        return (found[0], found[1]) if found else None

    def bots(self, author: str, contest: str) -> list[str]:
        """All names that an author holds."""
        return [bot for who, bot in self._state.bots.get(contest, {}).values() if who == author]

    def held(self, contest: str) -> list[tuple[str, str]]:
        """All authors with the names of bots that they hold."""
        return [(author, bot) for author, bot in self._state.bots.get(contest, {}).values()]

    def give(self, contest: str, bot: str, author: str) -> None:
        self._state.bots.setdefault(contest, {})[bot.lower()] = [author, bot]

    def release(self, contest: str, bot: str) -> None:
        """From now on anybody may have this name."""
        self._state.bots.get(contest, {}).pop(bot.lower(), None)

    def left_today(self, author: str, most: int, now: datetime) -> int:
        """How many submissions an author has left."""
        today = str(now.astimezone(UTC).date())
        return max(0, most - (self._state.attempts.get(author, 0) if today == self._state.day else 0))

    def seconds_left(self, author: str, most: float, now: datetime) -> float:
        """How many seconds of this machine an author has left today."""
        today = str(now.astimezone(UTC).date())
        return max(0.0, most - (self._state.seconds.get(author, 0.0) if today == self._state.day else 0.0))

    def spend(self, author: str, seconds: float, now: datetime) -> None:
        """Count the seconds that doing a job took."""
        self._begin_day(now)
        self._state.seconds[author] = self._state.seconds.get(author, 0.0) + seconds

    def _begin_day(self, now: datetime) -> None:
        if self._state.day != (today := str(now.astimezone(UTC).date())):
            self._state.day, self._state.attempts, self._state.seconds = today, {}, {}

    def count(self, author: str, most: int, most_seconds: float, now: datetime) -> None:
        """Count a submission. Raises Refused for one too many, and where too many seconds were spent."""
        self._begin_day(now)
        midnight = datetime.combine(now.astimezone(UTC).date() + timedelta(days=1), datetime.min.time(), UTC)
        for left, what in (
            (self.left_today(author, most, now), f"{most} submissions"),
            (self.seconds_left(author, most_seconds, now), f"{most_seconds:,g} seconds of checks, matches and replays"),
        ):
            if left <= 0:
                after = int((midnight - now.astimezone(UTC)).total_seconds()) + 1
                raise Refused(429, f"{what} a day; the next from {midnight.isoformat(' ')}", after)
        self._state.attempts[author] = self._state.attempts.get(author, 0) + 1

    def write(self) -> None:
        """Raises OSError."""
        write_whole(self._path, json.dumps(dataclasses.asdict(self._state)).encode(), 0o600)
