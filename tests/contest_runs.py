"""Small contests for tests: bots of two lines, runs of them, and a run's results, ready to compare."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pandas as pd
import pandas.testing

from tests.commands import Ended, shared
from tournament.api import run
from tournament.config import ExecutorName
from tournament.records.results import load
from tournament.records.values import standing_values
from tournament.runner.listener import Progress, ProgressListener

CONTEST = "von_neumann_poker"
# Long enough not to cause a warning.
SEEDS = {number: f"seed {number} of the tests of runs" for number in (7, 8, 9)}
REPOSITORY = Path(__file__).parents[1]
EXAMPLES = REPOSITORY / "examples"
THRESHOLDS = {"bold": (3, 2), "calm": (5, 4), "dull": (7, 6), "even": (6, 5), "fair": (4, 3), "glad": (8, 4)}


def bot_source(bets_above: int, calls_above: int, comment: str = "", steps: int = 0) -> str:
    """Return a C bot that bets and calls with cards above this many tenths, after some steps of thinking."""
    return (
        f"// {comment}\n"
        f"static void think(void) {{ for (volatile int step = 0; step < {steps}; step++); }}\n"
        f"int a(const Bot *bot) {{ think(); return bot->card > 0.{bets_above} ? {bets_above}0 : 0; }}\n"
        f"int b(const Bot *bot, const int bet) {{ return bot->card > 0.{calls_above}; }}\n"
    )


@dataclass(frozen=True)
class ContestDir:
    """A folder with bots, settings and results. Its `results` hold the records of one contest."""

    folder: Path

    @property
    def entrants(self) -> Path:
        return self.folder / "bots"

    @property
    def config(self) -> Path:
        return self.folder / "tournament.toml"

    @property
    def results(self) -> Path:
        return self.folder / "results" / CONTEST

    def write_bot(self, name: str, source: str) -> None:
        self.entrants.mkdir(exist_ok=True)
        (self.entrants / f"{name}.c").write_text(source)

    def play(
        self,
        workers: int = 1,
        executor: ExecutorName = "local",
        listener: ProgressListener | None = None,
        results: str | Path | None = None,
    ) -> None:
        """Run the contest in this process."""
        run(CONTEST, config=self.config, results=results, workers=workers, executor=executor, listener=listener)

    def arguments(self, *more: str) -> list[str]:
        """Arguments of the command that runs the contest with one worker here."""
        return ["run", CONTEST, "--config", str(self.config), "--executor", "local", "--workers", "1", *more]


def make_contest(
    folder: Path, bots: Sequence[str], sessions: int = 40, settings: str = "", steps: int = 0
) -> ContestDir:
    """Return a place with some bots of THRESHOLDS, and more lines of the contest's table."""
    folder.mkdir(parents=True, exist_ok=True)
    place = ContestDir(folder)
    place.config.write_text(f'[{CONTEST}]\nentrants = "bots"\nsessions = {sessions}\nseed = "{SEEDS[7]}"\n{settings}\n')
    for name in bots:
        place.write_bot(name, bot_source(*THRESHOLDS[name], steps=steps))
    return place


def make_shipped_contest(folder: Path, contest: str, bots: str, settings: str = "") -> Path:
    """Return the settings file of a contest with shipped bots, by patterns of their names."""
    (folder / "bots").mkdir(parents=True)
    for pattern in bots.split():
        for bot in (REPOSITORY / "entrants" / contest).glob(pattern):
            copy: Callable[[Path, Path], object] = shutil.copytree if bot.is_dir() else shutil.copy
            copy(bot, folder / "bots" / bot.name)
    config = folder / "tournament.toml"
    config.write_text(f'[{contest}]\nentrants = "bots"\n{settings}\n')
    return config


# Set-up of a command: each leg is a task of its own, so that the number of commits depends on no machine's speed.
ONE_LEG_A_TASK = "from tournament.runner.tasks import TaskSize\nTaskSize.is_full = lambda *_: True\n"


def command_line(arguments: Sequence[str], setup: str = "") -> list[str]:
    """Return the command in a process of its own, after `setup`."""
    how = ["-c", f"{setup}from tournament.__main__ import main\nmain()"] if setup else ["-m", "tournament"]
    return [sys.executable, *how, *arguments]


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a child process that must find this code, wherever it is started."""
    return {**os.environ, "PYTHONPATH": str(REPOSITORY), **(more or {})}


def call(arguments: Sequence[str], setup: str = "", **more: str) -> Ended:
    """Run the command in a fork after `setup`, with `more` in its environment."""
    return shared().run(arguments, setup, variables=environment(more))


@dataclass
class Listener:
    """A listener that remembers messages, and how many games a run played."""

    said: list[str] = field(default_factory=list)
    games: int = 0

    def on_message(self, text: str) -> None:
        self.said.append(text)

    def on_progress(self, progress: Progress) -> None:
        self.games = progress.games


@dataclass(frozen=True)
class Outcome:
    """Everything that a run leaves for readers, in their order."""

    games: pd.DataFrame
    sessions: pd.DataFrame
    matches: pd.DataFrame
    entrants: pd.DataFrame
    leaderboard: str


def with_texts(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose names are texts: the order of categories depends on the row groups that were read."""
    return frame.astype({name: str for name, kind in frame.dtypes.items() if kind == "category"})


def read_outcome(results: Path) -> Outcome:
    """Read a contest's results as a user would."""
    games, sessions, matches, entrants = (
        with_texts(pd.read_parquet(results / name))
        for name in ("games", "sessions", "matches.parquet", "entrants.parquet")
    )
    entrants = entrants.drop(columns=["cpu_seconds", "memory_bytes", "slowest_seconds"])  # no two runs use the same
    lines = load(str(results)).ranking.entrants
    return Outcome(games, sessions, matches, entrants, json.dumps([standing_values(line) for line in lines]))


def in_order(there: Outcome) -> Outcome:
    """Return the same, sorted: with replicas, and after edits, parts overlap."""
    return replace(
        there,
        games=there.games.sort_values(["match", "session", "game"], ignore_index=True),
        sessions=there.sessions.sort_values(["match", "session"], ignore_index=True),
    )


def assert_same(one: Outcome, other: Outcome) -> None:
    """Bit for bit, in the same order, of the same types."""
    for name in ("games", "sessions", "matches", "entrants"):
        pandas.testing.assert_frame_equal(getattr(one, name), getattr(other, name), check_exact=True, obj=name)
    assert one.leaderboard == other.leaderboard


def assert_games_are_the_standings(results: Path) -> None:
    """Check that records have just the games that the standings count, each once."""
    if not any((results / "sessions").glob("*")):
        return
    counted = {match.match: match.games for match in load(str(results)).ranking.matches}
    if any((results / "games").iterdir()):
        assert not pd.read_parquet(results / "games").duplicated(["match", "session", "game"]).any()
    games = load(str(results)).games
    assert not games.duplicated(["match", "session", "game"]).any()
    assert games["match"].value_counts().to_dict() == counted
