"""The conformance suite of contests, as checks that a contest's own tests call.

A suite plays small contests between bots from `tournament new` and one that fails at every question. There is one bot
more than seats. The checks share its runs. A contest's tests:

    @pytest.fixture(scope="module")
    def suite(tmp_path_factory):
        return conformance.ContestSuite("liars_dice", tmp_path_factory.mktemp("liars_dice"), sessions=20)

    @pytest.mark.parametrize("check", conformance.CHECKS, ids=lambda check: check.__name__)
    def test_contest(suite, check):
        check(suite)
"""

from __future__ import annotations

import itertools
import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_string_dtype

from engine.kernel.game_core import RECORDS_ARE_FULL
from engine.kernel.records import Table
from engine.rules.session_core import points_columns
from tournament.api import run
from tournament.arrays import Floats
from tournament.config import load_config
from tournament.contests.contest import Contest, CoreSetup
from tournament.contests.settings import ContestSettings
from tournament.entrants.new import templates, write_new_bot
from tournament.errors import InputError, RunError
from tournament.keys import KEY_BYTES, sub_key
from tournament.leg import MAX_SEATS, LegPlan
from tournament.records.results import Results
from tournament.rules.rules import Settings
from tournament.runner.listener import NullListener
from tournament.standings.student_t import quantile
from tournament.store.columns import NAME, ROWS_PER_BUFFER, buffer_fields
from tournament.trial.check import check_bot
from tournament.worker.leg import locate_failure

_FAULTY = "zz_faulty"  # last by name, so that it has the last number
_ILLEGAL = "zz_illegal"
# Illegal answers of a Python bot as source, by the kind of value that it returns.
_NO_ANSWERS = {
    "number": "2**62",
    "name": "'no such answer'",
    **dict.fromkeys(("value", "optional"), "[['no such answer']]"),
}
_SEED = "a seed of the conformance suite"
_BLOCKS, _FEW_BLOCKS = 16, 8  # blocks of sessions between equal bots, thorough or not
_FALSE_ALARMS = 0.001  # share of comparisons of all bots, or positions, of a table
_FIELD_SIZES = (2, 3, 4, 5, 6, 8, 16, 32, MAX_SEATS)
# With only one other seed, a set of few texts would too often have the same order by chance.
_HASH_SEEDS = ("1", "2")
_PLAY = """
import sys
from tournament.api import run
from tournament.runner.listener import NullListener
run(sys.argv[1], config=sys.argv[2], workers=1, executor="local", listener=NullListener())
"""
_TABLES = ("games", "sessions")
_TOLERANCE = 1e-6  # share of a row's points that rounding may leave
_PATIENT = {"idle_seconds": 60.0}


class ConformanceError(AssertionError):
    """Raised when the contest fails a check. The message names the check and the place."""


@dataclass(frozen=True)
class PlayedContest:
    """A played contest.

    Attributes:
        folder: Folder of the contest's records.
        tables: The tables "games", "sessions" and "matches" as read from there. Rows are in order of match, session and
            game, and names are texts.
        results: Results of the run.
    """

    folder: Path
    tables: dict[str, pd.DataFrame]
    results: Results


class ContestSuite:
    """Small runs of a contest in a folder of their own, with keys of its table that keep them short.

    A run is played when it is first read.

    Args:
        contest: Name of the contest's table.
        folder: Folder for settings files, bots and results.
        rules: Value of the table's key `rules`; "" leaves it out.
        languages: Languages of the bots, as for `tournament new`. Empty: the first compiled one and Python, as far as
            the contest has templates for them.
        thorough: Whether positions are compared at every number of seats, instead of the fewest and the most, and over
            twice as many sessions.
        library: Value of the table's key `library`; an empty one leaves it out.
        **settings: Further keys of the contest's table. They replace the suite's own, such as `seed` and `max_faults`.

    Attributes:
        name: Name of the contest's table.
        folder: Folder for settings files, bots and results.
        thorough: Whether positions are compared thoroughly.
        blocks: Blocks of sessions between equal bots, 8, or 16 if thorough.
    """

    def __init__(
        self,
        contest: str,
        folder: Path,
        *,
        rules: str = "",
        languages: tuple[str, ...] = (),
        thorough: bool = False,
        library: Sequence[str] = (),
        **settings: Any,
    ) -> None:
        self.name = contest
        self.folder = folder
        game: dict[str, object] = {"rules": rules} if rules else {}
        game |= {"library": list(library)} if library else {}
        self._table = {**game, "seed": _SEED, "max_faults": 1, **_PATIENT, **settings}
        self._languages = languages
        self.thorough = thorough
        self._equal: dict[int, pd.DataFrame] = {}
        self._random: dict[int, pd.DataFrame] = {}
        self.blocks = _BLOCKS if thorough else _FEW_BLOCKS

    @cached_property
    def contest(self) -> Contest:
        """The contest, with the columns of its tables for `seats` seats.

        Raises:
            InputError: The settings are wrong.
            RunError: The cache can't be used.
        """
        return load_config(self.name, self._settings_file("once")).played.seated(self.seats)

    @cached_property
    def seats(self) -> int:
        """Seats of a match, or 4 if one match has all bots.

        Raises:
            InputError: The settings are wrong.
            RunError: The cache can't be used.
        """
        contest = load_config(self.name, self._settings_file("once")).played
        return contest.seats_of(self.settings.playing()) or 4

    @property
    def has_positions(self) -> bool:
        """True if bots play each other at positions, so not for a single seat.

        Raises:
            InputError: The settings are wrong.
            RunError: The cache can't be used.
        """
        return self.contest.scored.by_position and self.seats > 1

    @property
    def bots(self) -> int:
        """Number of bots, including the one that fails, so that a table remains when it is disqualified.

        House bots don't count. There are at least 3, otherwise one more than the seats of entrants.
        If one match has all bots, there are as many as seats.

        Raises:
            InputError: The settings are wrong.
            RunError: The cache can't be used.
        """
        entrants = self.seats - self.settings.house_seats
        return max(3, entrants if self.contest.seats == "all" else entrants + 1)

    @property
    def settings(self) -> ContestSettings:
        """The contest's settings, read again from the file each time.

        Raises:
            InputError: The settings are wrong.
            RunError: The cache can't be used.
        """
        return load_config(self.name, self._settings_file("once")).contest

    @property
    def languages(self) -> tuple[str, ...]:
        """Languages of the bots by number, a compiled one first by default. They repeat if there are more bots.

        Raises:
            InputError: The settings are wrong.
            RunError: The cache can't be used.
        """
        languages = list(templates(self.contest))
        compiled = [language for language in ("c", "cpp") if language in languages]
        return self._languages or (*compiled[:1], *[language for language in languages if language == "python"])

    @cached_property
    def once(self) -> PlayedContest:
        """A run of all bots, by one worker.

        Raises:
            InputError: The settings are wrong, or a bot can't be written.
            RunError: The rules fail in a leg, or the run ends early.
        """
        file = self._settings_file("once")
        for number in range(self.bots):
            self._write_bot(file, number)
        return self._play(file, workers=1)

    @cached_property
    def in_pieces(self) -> PlayedContest:
        """The same bots in three runs by two workers: the last bot comes later, and then a part is lost.

        Raises:
            InputError: The settings are wrong, or a bot can't be written.
            RunError: The rules fail in a leg, or a run ends early.
        """
        file = self._settings_file("in_pieces")
        for number in range(self.bots - 1):
            self._write_bot(file, number)
        self._play(file, workers=2)
        self._write_bot(file, self.bots - 1)
        played = self._play(file, workers=2)
        lost = sorted((played.folder / "games").glob("*.parquet"))[0]
        lost.unlink()
        return self._play(file, workers=2)

    @cached_property
    def with_other_hash_seeds(self) -> list[dict[str, pd.DataFrame]]:
        """Tables "games" and "sessions" of the same bots, written in another order, for each of two other hash seeds.

        Each run is a process of its own, and rows are in order of match, session and game.

        Raises:
            ConformanceError: A process fails. The message has the last 500 characters of its errors.
            InputError: The settings are wrong, or a bot can't be written.
            RunError: The cache can't be used.
        """
        files = [self._settings_file(f"hash_seed_{hash_seed}") for hash_seed in _HASH_SEEDS]
        for file in files:
            for number in reversed(range(self.bots)):
                self._write_bot(file, number)
        playing = [
            subprocess.Popen(
                [sys.executable, "-c", _PLAY, self.name, str(file)],
                env={**os.environ, "PYTHONHASHSEED": hash_seed},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
            )
            for file, hash_seed in zip(files, _HASH_SEEDS)
        ]
        outputs = [process.communicate()[1] for process in playing]
        for process, errors in zip(playing, outputs):
            if process.returncode:
                raise ConformanceError(f"played in another process it fails: {errors.strip()[-500:]}")
        folders = [file.parent / "results" / self.name for file in files]
        return [{name: _sorted(pd.read_parquet(folder / name)) for name in _TABLES} for folder in folders]

    @cached_property
    def lost(self) -> PlayedContest:
        """A run of bots and of one that answers illegally wherever that loses the game, and legally elsewhere.

        Raises:
            InputError: The settings are wrong, or a bot can't be written.
            RunError: The rules fail in a leg, or the run ends early.
        """
        file = self._settings_file("illegal")
        for number in range(self.bots - 1):
            self._write_bot(file, number)
        functions = []
        for question in self.contest.interface.questions:
            legal = f"view.legal_actions[0] if hasattr(view, 'legal_actions') else {question.default!r}"
            answer = _NO_ANSWERS[question.returns] if question.loses else legal
            functions.append(f"def {question.python_name}(view):\n    return {answer}\n")
        (file.parent / "bots" / f"{_ILLEGAL}.py").write_text("\n\n".join(functions), encoding="utf-8")
        return self._play(file, workers=1)

    @property
    def seat_counts(self) -> tuple[int, ...]:
        """The numbers of seats at which positions are compared, ascending: fewest and most, or all if thorough.

        If one table has all bots, they are chosen from 2 up to the most seats of a table. Numbers that the settings
        don't allow are left out. Without positions, or with a fixed number of seats, it is `seats` alone.

        Raises:
            InputError: The settings are wrong.
            RunError: The cache can't be used.
        """
        seats = self.contest.seats
        if not self.has_positions or isinstance(seats, int) or "seats" in self._table:
            return (self.seats,)
        counts = _FIELD_SIZES if seats == "all" else tuple(seats)
        counts = counts if self.thorough else tuple(dict.fromkeys((counts[0], counts[-1])))
        return tuple(count for count in counts if self._can_seat(count)) or (self.seats,)

    def _can_seat(self, seats: int) -> bool:
        """Return whether the settings allow this many seats.

        True without a check if the rules have no range of seats.

        Raises:
            RunError: The cache can't be used.
        """
        if not isinstance(self.contest.seats, range):
            return True
        try:
            load_config(self.name, self._settings_file(f"equal_{seats}", **self._block_settings(seats)))
        except InputError:
            return False
        return True

    def equal_bot_points(self, seats: int) -> pd.DataFrame:
        """Return the points of one match between equal bots, over blocks in which each sits at every position once.

        The table has the columns session, position, bot and points, and is the same object at each call. All sessions
        of position 0 come first. There is a row for each session and position.

        Args:
            seats: Number of seats, house seats included.

        Raises:
            InputError: The settings don't allow this number of seats, or a bot can't be written.
            RunError: The rules fail in a leg, or the run ends early.
        """
        if seats not in self._equal:
            file = self._settings_file(f"equal_{seats}", **self._block_settings(seats))
            first = write_new_bot(self.contest, file.parent / "bots", "bot_0", self.languages[0])
            for number in range(1, seats - self.settings.house_seats):
                # Contents, with the name in them, are the same, so that only one bot is built.
                copy = first.with_name(f"bot_{number}{first.suffix}")
                (shutil.copytree if first.is_dir() else shutil.copy)(first, copy)
            rows = self._play(file, workers=1).tables["sessions"]
            self._equal[seats] = _by_position(rows, [rows[f"bot_{file}"] for file in range(seats)])
        return self._equal[seats]

    def _block_settings(self, seats: int) -> dict[str, int]:
        """Return the settings of legs of this many seats: a multiple of it as `sessions`, and perhaps `seats`.

        The latter is a key only if the rules have a range of seats.
        """
        more = {"seats": seats} if isinstance(self.contest.seats, range) else {}
        return {"sessions": self.blocks * seats, **more}

    def random_bot_points(self, seats: int) -> pd.DataFrame:
        """Return the points of a match between bots that answer at random, which the rules' own core draws.

        The table is like that of `equal_bot_points`, and the same object at each call. The rules have to be able to
        draw answers: `contest.new_random_core` isn't None.

        Raises:
            InputError: The settings are wrong.
            RunError: The cache can't be used.
            ConformanceError: The rules fail. The message names the error and its place.
        """
        if seats not in self._random:
            make = self.contest.new_random_core
            assert make is not None
            contest = self.contest.seated(seats)
            settings = self.settings.model_copy(update=self._block_settings(seats))
            count = settings.sessions
            games, sessions = (
                Table(buffer_fields(columns), rows)
                for columns, rows in ((contest.games, ROWS_PER_BUFFER), (contest.sessions, count))
            )
            key = sub_key(bytes(KEY_BYTES), "random bots of the conformance suite", seats)
            core = make(CoreSetup(LegPlan(0, 0, count, key, seats), settings, games, sessions))
            while core.play() == RECORDS_ARE_FULL:
                games.rows = 0
            try:
                core.check()
            except Exception as failure:
                raise ConformanceError(
                    f"the rules failed between {seats} bots that answer at random: {type(failure).__name__}: {failure}"
                    f"{locate_failure(self.contest, failure)}"
                ) from failure
            rows = pd.DataFrame({name: values[:count] for name, values in sessions.arrays.items()})
            rows["session"] = np.arange(count)
            self._random[seats] = _by_position(rows, [rows[f"bot_{place}"] for place in range(seats)])
        return self._random[seats]

    def bot(self, number: int) -> Path:
        """Return the file or folder of a bot that doesn't fail, in the run `once`, which has to be played before.

        Args:
            number: Number of the bot, from 0.
        """
        names = [path for path in (self.folder / "once" / "bots").iterdir() if path.stem == f"bot_{number}"]
        return names[0]

    def _settings_file(self, name: str, **settings: Any) -> Path:
        """Return the settings file of a folder of this suite, after writing it if there is none.

        Args:
            name: Name of the folder.
            **settings: Settings instead of the suite's. They are ignored if the file exists.

        Raises:
            InputError: The settings are wrong, or a house bot can't be written.
            RunError: The cache can't be used.
        """
        file = self.folder / name / "tournament.toml"
        if not file.exists():
            file.parent.mkdir(parents=True)
            lines = [
                f"{key} = {json.dumps(value)}" for key, value in {"entrants": "bots", **self._table, **settings}.items()
            ]
            file.write_text("\n".join([f"[{self.name}]", *lines, ""]), encoding="utf-8")
            loaded = load_config(self.name, file)
            for number in range(loaded.contest.house_seats):
                write_new_bot(loaded.played, file.parent / "house" / self.name, f"house_{number}", self.languages[0])
        return file

    def _write_bot(self, file: Path, number: int) -> None:
        """Write a bot from its template into the folder `bots` next to a settings file.

        The last number is the bot that fails at every question.

        Raises:
            InputError: The bot can't be written, such as if its file exists.
        """
        bots = file.parent / "bots"
        if number < self.bots - 1:
            language = self.languages[number % len(self.languages)]
            write_new_bot(self.contest, bots, f"bot_{number}", language)
            return
        names = [question.python_name for question in self.contest.interface.questions]
        functions = [f'def {name}(*told):\n    raise ValueError("a fault on purpose")\n' for name in names]
        bots.mkdir(exist_ok=True)
        (bots / f"{_FAULTY}.py").write_text("\n\n".join(functions), encoding="utf-8")

    def _play(self, file: Path, workers: int) -> PlayedContest:
        """Play a run, and return it with its tables sorted.

        Args:
            file: The settings file.
            workers: Number of workers.

        Raises:
            InputError: The settings are wrong.
            RunError: The rules fail in a leg, or the run ends early.
        """
        results = run(self.name, config=file, workers=workers, executor="local", listener=NullListener())
        for failed in results.ranking.failed_legs:
            raise RunError(f"the rules failed in {failed}")
        folder = file.parent / "results" / self.name
        files = {name: folder / name for name in _TABLES} | {"matches": folder / "matches.parquet"}
        return PlayedContest(folder, {name: _sorted(pd.read_parquet(path)) for name, path in files.items()}, results)


def documented(suite: ContestSuite) -> None:
    """Check that every column and every setting has a meaning, and that there is a bot to start from.

    Raises:
        ConformanceError: A column or setting has none, there is no such bot, or the version is below 1.
        InputError: The settings are wrong.
        RunError: The cache can't be used.
    """
    contest = suite.contest
    for table, columns in (("games", contest.games), ("sessions", contest.sessions)):
        for column in columns:
            _require(bool(column.description.strip()), f"the column {column.name} of {table} has no meaning")
    for name, field in contest.settings.model_fields.items():
        _require(bool(field.description), f"the setting {name} has no description")
    _require(bool(templates(contest)), "there is no bot to start from")
    _require(contest.version >= 1, f"its version is {contest.version}; the first is 1")


def extremes(suite: ContestSuite) -> None:
    """Check that the bot to start from can enter: it answers ordinary and extreme questions, twice the same.

    Raises:
        ConformanceError: A bot doesn't build, has a fault, plays other games with the same seed, or is asked nothing
            at the limits.
        RunError: The rules fail in a leg, a run ends early, or this machine can't build a bot.
        InputError: The settings are wrong, a bot can't be written, or this machine can't confine a bot.
        OSError: A file can't be read or written.
    """
    suite.once  # noqa: B018  # writes the bots
    config = load_config(suite.name, suite.folder / "once" / "tournament.toml")
    for number in range(min(suite.bots - 1, len(suite.languages))):
        report = check_bot(suite.contest, config.contest, config.sandbox, suite.bot(number), NullListener())
        _require(report.problem is None, f"{report.name} does not build: {report.problem}")
        _require(report.fit, f"{report.name} is not fit to enter: {[*report.faults, *report.boundary_faults]}")
        _require(report.repeats, f"{report.name} played other games with the same seed")
        _require(report.boundary_questions > 0, "no question is asked at the limits")


def records(suite: ContestSuite) -> None:
    """Check that the records are as declared: columns, types, one row a game, and games in every session.

    Raises:
        ConformanceError: Columns, types or numbers of games differ, a value is missing, or a row is there twice.
        RunError: The rules fail in a leg, or a run ends early.
        InputError: The settings are wrong, or a bot can't be written.
    """
    games, sessions = (suite.once.tables[name] for name in _TABLES)
    for table, columns in ((games, suite.contest.games), (sessions, suite.contest.sessions)):
        declared = {column.name: column.dtype for column in columns}
        actual = {str(name): NAME if is_string_dtype(kind) else str(kind) for name, kind in table.dtypes.items()}
        _require(actual == declared, f"the records have {actual}, declared is {declared}")
        _require(not table.isna().any().any(), "the records have values that are no numbers")
    _require(not games.duplicated(["match", "session", "game"]).any(), "a game is recorded twice")
    _require(not sessions.duplicated(["match", "session"]).any(), "a session is recorded twice")
    finished = games.merge(sessions[["match", "session"]], on=["match", "session"])
    counted = finished.groupby(["match", "session"]).size()
    if "games" in sessions:
        stated = sessions.set_index(["match", "session"])["games"].sort_index()
        _require(
            counted.sort_index().tolist() == stated.tolist(), "sessions have other numbers of games than are recorded"
        )
    scored = suite.contest.scored
    for column in scored.columns:
        _require(column in {"games": games, "sessions": sessions}[scored.table], f"{scored.table} lack {column}")


def conservation(suite: ContestSuite) -> None:
    """Check that the points of each row, and the scores of two seats, add up to 0 in a zero-sum game.

    Raises:
        ConformanceError: They don't. Rounding is allowed for scores, and for rows of more than two seats.
        RunError: The rules fail in a leg, or a run ends early.
        InputError: The settings are wrong, or a bot can't be written.
    """
    scored = suite.contest.scored
    if not (scored.zero_sum or scored.sums_to_zero):
        return
    for name, table in suite.once.tables.items():
        columns = [column for column in points_columns(suite.seats) if column in table.columns]
        points = table[columns].to_numpy(np.float64)
        allowed = (_TOLERANCE if suite.seats > 2 else 0.0) * np.abs(points).max(axis=1, initial=1.0)
        for row in np.flatnonzero(np.abs(points.sum(axis=1)) > allowed)[: len(columns) == suite.seats].tolist():
            _require(False, f"in {name} the points of a row add up to {points[row].sum():g}: {points[row].tolist()}")
    if not scored.zero_sum:
        return
    standings = suite.once.results.ranking.entrants
    total = sum(line.score for line in standings if line.rank is not None)
    _require(abs(total) < 1e-6 * max(1.0, *(abs(line.score) for line in standings)), f"the scores' sum is {total}")


def determinism(suite: ContestSuite) -> None:
    """Check that the same seed gives the same games, for all numbers of workers and runs.

    Raises:
        ConformanceError: Games differ.
        RunError: The rules fail in a leg, or a run ends early.
        InputError: The settings are wrong, or a bot can't be written.
    """
    for name, table in suite.once.tables.items():
        other = suite.in_pieces.tables[name]
        _require(len(table) == len(other), f"{len(table)} rows of {name}, and {len(other)} when played in pieces")
        for column in table.columns:
            same = table[column].equals(other[column])
            _require(same, f"{name} has other values of {column} when played in pieces")


def hash_independence(suite: ContestSuite) -> None:
    """Check that games depend neither on the order of a set of texts, nor on the order in which bots are written.

    Raises:
        ConformanceError: They do, or another process fails. Rules with a core of the engine's aren't checked.
        RunError: The rules fail in a leg, or a run ends early.
        InputError: The settings are wrong, or a bot can't be written.
    """
    if not isinstance(suite.settings, Settings):
        return  # the rules are a core's
    for tables in suite.with_other_hash_seeds:
        for name, table in tables.items():
            _require(
                table.equals(suite.once.tables[name]),
                f"{name} are others in a process with another hash seed: the rules iterate over a set of texts, or use"
                " hash() or id(); sort the set first",
            )


def resume(suite: ContestSuite) -> None:
    """Check that a run that finds its records complete plays nothing and changes no record.

    Raises:
        ConformanceError: It changes the records.
        RunError: The rules fail in a leg, or a run ends early.
        InputError: The settings are wrong, or a bot can't be written.
    """
    folder = suite.in_pieces.folder
    before = {path: path.stat().st_mtime_ns for name in _TABLES for path in (folder / name).glob("*.parquet")}
    resumed = suite._play(folder.parents[1] / "tournament.toml", workers=1)
    after = {path: path.stat().st_mtime_ns for name in _TABLES for path in (folder / name).glob("*.parquet")}
    _require(before == after, "a run with nothing to play wrote records")
    _require(
        len(resumed.tables["games"]) == len(suite.in_pieces.tables["games"]), "a run with nothing to play changed them"
    )


def faults(suite: ContestSuite) -> None:
    """Check that a bot that fails is disqualified by the first fault too many, and that no other bot is at fault.

    Raises:
        ConformanceError: It isn't, another bot has a fault, or the standings lack a bot.
        RunError: The rules fail in a leg, or a run ends early.
        InputError: The settings are wrong, or a bot can't be written.
    """
    standings = {line.name: line for line in suite.once.results.ranking.entrants}
    names = {_FAULTY, *(f"bot_{number}" for number in range(suite.bots - 1))}
    names |= {f"house_{number}" for number in range(suite.settings.house_seats)}
    _require(set(standings) == names, f"the leaderboard has {', '.join(standings)}")
    _require(standings[_FAULTY].rank is None, "a bot that fails at every question has a place")
    for name, line in standings.items():
        _require((line.faults > 0) == (name == _FAULTY), f"{name} has {line.faults} faults")
    allowed = suite.settings.max_faults
    convicting = [leg for batch in suite.once.results.batches for leg in batch.legs if leg.disqualified_seats]
    _require(bool(convicting), "no leg disqualified a bot")
    for leg in convicting:
        counts = [leg.fault_count(seat) for seat in leg.disqualified_seats]
        _require(counts == [allowed + 1], f"a leg disqualified by {counts} faults, of which {allowed} are allowed")
        messages = {fault.message for fault in leg.faults}
        _require(all("a fault on purpose" in text for text in messages), f"faults are {messages}")


def positions(suite: ContestSuite) -> None:
    """Check that equal bots earn the same, and random ones, too: over a block of sessions each sits at every position.

    Raises:
        ConformanceError: Two bots earn significantly different points, or the rules fail between random ones.
            Contests without positions aren't checked.
        RunError: The rules fail in a leg, or a run ends early.
        InputError: The settings are wrong, or a bot can't be written.
    """
    if not suite.has_positions:
        return
    for manner, points_of in _manners(suite):
        for seats in suite.seat_counts:
            points = points_of(seats)
            blocks = points.groupby([points.session // seats, points.bot]).points.sum().unstack()
            # House bots have the last seats. The rules can pay them differently, whatever their positions.
            entrants = sorted(blocks.columns, key=lambda bot: (str(bot).startswith("house_"), bot))
            pairs = list(itertools.combinations(entrants[: seats - suite.settings.house_seats], 2))
            tolerance = 1e-9 * float(abs(blocks).to_numpy().max())
            allowed = quantile(1 - _FALSE_ALARMS / (2 * len(pairs)), suite.blocks - 1)
            for one, other in pairs:
                mean, error = _mean_and_error((blocks[one] - blocks[other]).to_numpy())
                _require(
                    abs(mean) <= allowed * error + tolerance,
                    f"of {seats} {manner} bots one earns {mean:+.3g} ± {error:.2g} a block more than another:"
                    " the rules remember something from session to session",
                )


def _manners(suite: ContestSuite) -> list[tuple[str, Callable[[int], pd.DataFrame]]]:
    """Return the kinds of bots between which positions are compared, each with the function that returns its points.

    The kind "equal" comes first, then "random" if the rules can draw answers.
    """
    manners: list[tuple[str, Callable[[int], pd.DataFrame]]] = [("equal", suite.equal_bot_points)]
    return [*manners, ("random", suite.random_bot_points)] if suite.contest.new_random_core else manners


def _mean_and_error(values: Floats) -> tuple[float, float]:
    """Return the mean of at least two values, and its standard error."""
    return float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values)))


def position_values(suite: ContestSuite) -> list[str]:
    """Return the points per session that the best and the worst position earn more than the others, as lines of text.

    There is a line for each number of seats and kind of bot, except if no position differs significantly. Lines are
    sorted by number of seats, equal bots before random ones. A contest without positions has no lines. ± is the
    standard error.

    Raises:
        ConformanceError: The rules fail between random bots.
        RunError: The rules fail in a leg, or a run ends early.
        InputError: The settings are wrong, or a bot can't be written.
    """
    if not suite.has_positions:
        return []
    texts = {}
    for manner, points_of in _manners(suite):
        for seats in suite.seat_counts:
            if worth := _worth(points_of(seats), seats, suite.blocks):
                texts[seats, manner] = f"{worth} between {manner} bots; rotated over {seats} sessions"
    return [text for _, text in sorted(texts.items())]


def _worth(points: pd.DataFrame, seats: int, blocks: int) -> str:
    """Return the excess points per session of the best and then the worst position as text.

    Only positions with a significant difference from the mean of the others count. If there is one, it is alone. ""
    means that there is none.

    Args:
        points: Points by session and position.
        seats: Number of seats.
        blocks: Number of blocks of sessions.
    """
    differing = []
    for position, own in points.groupby("position"):
        other_points = points[points.position != position].groupby("session").points.mean()
        mean, error = _mean_and_error((own.set_index("session").points - other_points).to_numpy())
        if abs(mean) > quantile(1 - _FALSE_ALARMS / (2 * seats), blocks * seats - 1) * error:
            differing.append((mean, f"position {position} earns {mean:+.3g} ± {error:.2g} a session more"))
    ends = [text for _, text in sorted(differing)]
    return ", ".join(dict.fromkeys([*ends[-1:], *ends[:1]]))


def _by_position(rows: pd.DataFrame, bots: Sequence[pd.Series[Any]]) -> pd.DataFrame:
    """Return rows of sessions as a row for each session and position, by position and then as given.

    Args:
        rows: The sessions.
        bots: The bot at each position, by session.
    """
    frames = [
        pd.DataFrame({"session": rows.session, "position": place, "bot": bot, "points": rows[f"points_{place}"]})
        for place, bot in enumerate(bots)
    ]
    return pd.concat(frames)


def illegal(suite: ContestSuite) -> None:
    """Check that an illegal answer loses the game, and is no fault, if the decision declares that.

    Raises:
        ConformanceError: It is a fault. Contests without such a decision aren't checked.
        RunError: The rules fail in a leg, or a run ends early.
        InputError: The settings are wrong, or a bot can't be written.
    """
    if not any(question.loses for question in suite.contest.interface.questions):
        return
    faulty = {line.name: line.faults for line in suite.lost.results.ranking.entrants if line.faults}
    _require(not faulty, f"illegal answers that lose the game are counted as faults: {faulty}")


CHECKS: tuple[Callable[[ContestSuite], None], ...] = (
    documented,
    extremes,
    records,
    conservation,
    determinism,
    hash_independence,
    resume,
    faults,
    illegal,
    positions,
)


def _require(holds: bool, message: str) -> None:
    """Raise a ConformanceError with this message unless a condition holds."""
    if not holds:
        raise ConformanceError(message)


def _sorted(table: pd.DataFrame) -> pd.DataFrame:
    """Return a copy of a table in order of match, session and game, as far as it has them, with names as texts."""
    table = table.astype({name: str for name, kind in table.dtypes.items() if kind == "category"})
    keys = [name for name in ("match", "session", "game") if name in table.columns]
    return table.sort_values(keys).reset_index(drop=True)
