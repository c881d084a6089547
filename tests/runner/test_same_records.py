"""The same bots have the same records on any workers, resumed, edited, in any sandbox, after any failure or damage."""

from __future__ import annotations

import itertools
import os
import random
import shutil
import signal
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd
import pytest

import tournament
from tests.commands import Ended, shared
from tests.contest_runs import (
    SEEDS,
    Outcome,
    assert_games_are_the_standings,
    assert_same,
    read_outcome,
)
from tournament.audit.report import Verification
from tournament.errors import InputError, RunError
from tournament.records.results import load
from tournament.runner.listener import Progress
from tournament.runner.tasks import TaskSize

RULES = """\
from tournament.rules import Decision, Int, Questions, Rules, Session

BID = Decision("bid", "Bid for a prize", observation={"prize": Int(1, 9, "the prize")}, answer=Int(0, 99, "your bid"))


class Auction(Rules):
    name = "auction"
    seats = 3
    decisions = (BID,)

    def play(self, session: Session) -> Questions:
        prize = session.rng.randint(1, 9)
        answers = yield [BID(seat, prize=prize) for seat in range(3)]
        bids = [answers[seat] for seat in range(3)]
        session.record([3 * bid - sum(bids) for bid in bids])
"""
SANDBOXES = ["", "legs_per_process = 1", 'mode = "off"\nlegs_per_process = 3']
# What happens to a run, from its start or at some step; each leg, or two, are a commit of their own.
FAULTS = {
    "none": "",
    "killed": "from tests.kill_steps import kill_at; kill_at({step})",
    "ended politely": "from tests.kill_steps import kill_at; kill_at({step}, 15)",
    "full disk": "from tests.disk_quota import limit; limit({step} * 40)",
    "failing writes": "from tests.disk_quota import fail_at; fail_at({step} % 40 + 1, 5, once={step} % 2)",
    "short write": "from tests.disk_quota import fail_at; fail_at({step} % 40 + 1, 0)",
    "small files": "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({step} * 300,) * 2)",
    "few descriptors": "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({step} % 8 + 4,) * 2)",
    "failing call": """\
import os
names = ["fsync", "link", "replace", "rename", "unlink", "mkdir", "open"]
name, left = names[{step} % 7], [{step} // 3 + 1]
before = getattr(os, name)
def failing(*given, **named):
    left[0] -= 1
    if left[0] == 0 and not str(given[0]).startswith(("/proc", "/sys", "/usr", "/dev")):
        raise OSError(116, os.strerror(116))
    return before(*given, **named)
setattr(os, name, failing)
""",
}
FULL = "is full; free some space and run again to continue\n"
SMALL_TASKS = (
    "from tournament.runner.tasks import TaskSize\n"
    "TaskSize.is_full = lambda pace, inline, in_lanes, *legs: inline + in_lanes > {step} % 2\n"
)
# Damage to a file of the records, or to the folder that it is in, which may be the whole.
DAMAGES = ("flipped", "cut", "removed", "folder removed")
# A fault of a run, damage before it, or damage while it stands still and another one begins.
DISTURBANCES = [
    *((fault, "", False) for fault in FAULTS),
    *(("none", damage, during) for damage in (*DAMAGES, "") for during in (False, True)),
]
# Bots that stay, and those that come and go; what a bot may be is in the machines.
STAY, COME = ("m_stays", "p_stays", "q_stays"), ("a", "n", "z")


class Interrupts:
    """A listener that counts games, and presses Ctrl-C after some commits."""

    def __init__(self, commits: int | None) -> None:
        self.commits, self.games = commits, 0

    def on_message(self, text: str) -> None:
        pass

    def on_progress(self, progress: Progress) -> None:
        self.games = progress.games
        if self.commits is not None:
            if self.commits == 0:
                raise KeyboardInterrupt
            self.commits -= 1


class Field:
    """A folder of bots, which come, change, fail and leave, and its records, which runs keep up with it."""

    seats: ClassVar[int]
    contest: ClassVar[str]
    keys: ClassVar[str]
    sources: ClassVar[dict[str, tuple[str, str]]]  # suffix and text, by kind

    def __init__(self, folder: Path, chance: random.Random) -> None:
        self.folder, self.config, self.chance = folder, folder / "tournament.toml", chance
        self.fresh = itertools.count()
        (self.folder / "auction.py").write_text(RULES)
        (self.folder / "bots").mkdir()
        for name, kind in zip((*STAY, "a"), ("c", "python", "other", "fails late")):
            self.put(name, kind)
        self.play("kept")

    def change(self) -> None:
        """Add, replace, remove or comment a bot."""
        name, kind = self.chance.choice(COME), self.chance.choice([*self.sources, "comment", "nothing"])
        if kind == "comment":  # another text that does the same
            for path in (self.folder / "bots").glob(f"{name}.c"):
                path.write_text(f"{path.read_text()}// comment\n")
        elif kind == "nothing":
            self.remove(name)
        else:
            self.put(name, kind)

    def put(self, name: str, kind: str) -> None:
        """Add a bot, or put another in its place."""
        self.remove(name)
        suffix, text = self.sources[kind]
        (self.folder / "bots" / f"{name}{suffix}").write_text(text)

    def remove(self, name: str) -> None:
        for path in (self.folder / "bots").glob(f"{name}.*"):
            path.unlink()

    def play(self, results: str, workers: int = 1, sandbox: str = "", commits: int | None = None) -> Interrupts:
        listener = Interrupts(commits)
        self.config.write_text(
            f'[{self.contest}]\nentrants = "bots"\nseed = "{SEEDS[7]}"\n{self.keys}\n[sandbox]\n{sandbox}\n'
        )
        where: dict[str, Any] = {"config": self.config, "results": self.folder / results}
        try:
            tournament.run(self.contest, workers=workers, listener=listener, executor="local", **where)
        except KeyboardInterrupt:
            assert not list((self.folder / results / self.contest / "staging").glob("*"))
            self.play(results, 3 - workers)
        return listener

    def games_by_leg(self, results: str = "kept") -> dict[str, int]:
        place = self.folder / results / self.contest
        if not (place / "contest.json").exists():
            return {}
        return {leg.digest: leg.games for batch in load(str(place)).batches for leg in batch.legs}

    def run(self) -> None:
        """Bring the records up to date, and compare them with those of a first run of these bots."""
        workers, single = self.chance.choice([1, 2]), self.chance.choice([False, True])
        commits, sandbox = self.chance.choice([None, 0, 1]), self.chance.choice(SANDBOXES)
        known = self.games_by_leg()
        with pytest.MonkeyPatch.context() as patch:
            if single:  # each leg, or each deal's, is a task and a commit of its own
                patch.setattr(TaskSize, "is_full", lambda *_: True)
            played = self.play("kept", workers, commits=commits)
        now, fresh = self.games_by_leg(), f"fresh {next(self.fresh)}"
        if (self.seats, workers, commits) == (2, 1, None):  # others may play what doesn't count in the end
            assert played.games == sum(games for leg, games in now.items() if leg not in known)
        self.play(fresh, sandbox=sandbox)
        assert now == self.games_by_leg(fresh)
        kept, first = (self.folder / name / self.contest for name in ("kept", fresh))
        assert_same(by_names(read_outcome(kept)), by_names(read_outcome(first)))
        one, other = (load(str(place)).standings for place in (kept, first))
        pd.testing.assert_frame_equal(one, other, rtol=1e-12)  # sums are added in the order of matches' numbers
        if self.seats == 2:
            assert_games_are_the_standings(kept)
        for part in (kept / "games").iterdir():
            keys = pd.MultiIndex.from_frame(pd.read_parquet(part)[["match", "session", "game"]])
            assert keys.is_monotonic_increasing and keys.is_unique
        before = self.times_of_files()
        assert self.play("kept").games == 0 and self.times_of_files() == before
        assert not self.verify(1).problems

    def disturb(self, fault: str, damage: str, during: bool) -> None:
        """Have a run fail, or files damaged before it or while it stands still, and heal the records."""
        step = self.chance.randrange(1, 121)
        if fault == "full disk" or (fault != "none" and step % 2):  # a run that has all to play
            shutil.rmtree(self.folder / "kept", ignore_errors=True)
        small = SMALL_TASKS.format(step=step)
        if during:
            run = shared().start(self.command, small + FAULTS["killed"].format(step=f"{step}, {int(signal.SIGSTOP)}"))
            run.stops()
            self.damage(damage, step)
            other = shared().run(self.command, small)  # refused, if the first one writes
            run.send(signal.SIGCONT)
            ended = [run.wait(), other]
        else:
            self.damage(damage, step)
            look = ["leaderboard", self.contest, *self.command[2:6]] if step % 2 else [*self.command, "--dry-run"]
            ended = [shared().run(look)] if damage else []
            ended += [shared().run(self.command, small + FAULTS[fault].format(step=step))]
        for one in ended:
            assert is_said(one), one
            assert fault != "full disk" or (one.code == 1 and FULL in one.said), one
        if not self.heals():
            assert damage, "a fault of a run alone made records that can't be used"
            shutil.rmtree(self.folder / "kept")

    def verify(self, replay: int = 0) -> Verification:
        return tournament.verify(self.contest, replay=replay, config=self.config, results=self.folder / "kept")

    @property
    def command(self) -> list[str]:
        where = ["--config", str(self.config), "--results", str(self.folder / "kept")]
        return ["run", self.contest, *where, "--executor", "local", "--workers", "1"]

    def damage(self, damage: str, step: int) -> None:
        files = sorted(path for path in (self.folder / "kept").rglob("*") if path.is_file() and path.name != "writer")
        if not files or not damage:
            return
        path = files[step % len(files)]
        content = bytearray(path.read_bytes())
        if damage == "flipped" and content:
            content[step * 97 % len(content)] ^= 1 << step % 8
            path.write_bytes(content)
        elif damage == "cut":
            os.truncate(path, len(content) // 2)
        elif damage == "removed":
            path.unlink()
        elif damage == "folder removed":
            shutil.rmtree(path.parent)

    def heals(self) -> bool:
        """Run again, also after what verify names was removed, and return False if records are refused."""
        for _ in range(2):
            try:
                self.play("kept")
            except (InputError, RunError):
                return False
            problems = self.verify().problems
            for problem in problems:
                assert "remove it" in problem.fix, problem
                (self.folder / "kept" / self.contest / problem.path).unlink()
            if not problems:
                return True
        raise AssertionError(f"what verify says doesn't heal the records: {problems}")

    def times_of_files(self) -> dict[Path, int]:
        kept = self.folder / "kept" / self.contest
        return {path: path.stat().st_mtime_ns for path in [kept / "contest.json", *kept.glob("*/*.parquet")]}


def is_said(ended: Ended) -> bool:
    """Return whether a run ended well, was killed, or said why it failed."""
    return (
        ended.code is not None and "Traceback" not in ended.said and (ended.code <= 0 or "tournament: " in ended.said)
    )


def by_names(outcome: Outcome) -> Outcome:
    """Return an outcome with matches named by their bots, for a newcomer's numbers depend on who was there before."""
    bots = outcome.matches.groupby(["match", "replica"]).bot.agg(" ".join).to_dict()
    drawn = (outcome.matches.replica >= 0).all()  # other bots in each replica

    def named(table: pd.DataFrame) -> pd.DataFrame:
        places = zip(table.match, table.replica if drawn else itertools.repeat(-1))
        found = table.assign(match=[bots[place] for place in places])
        keys = [key for key in ("match", "replica", "session", "game", "seat") if key in found]
        return pd.DataFrame(found.sort_values(keys, ignore_index=True))

    games, sessions, matches = (named(table) for table in (outcome.games, outcome.sessions, outcome.matches))
    return Outcome(games, sessions, matches, outcome.entrants, "")


B_IN_C = "int b(const Bot *f, int bet) { return %s; }\n"


class Pairs(Field):
    """Matches of two, each deal with both roles."""

    seats, contest, keys = 2, "von_neumann_poker", "sessions = 3\nduplicate = true"
    sources: ClassVar[dict[str, tuple[str, str]]] = {
        "c": (".c", "int a(const Bot *f) { return f->card > 0.5 ? 20 : 0; }\n" + B_IN_C % "1"),
        "other": (".c", "int a(const Bot *f) { return f->card > 0.7 ? 9 : 0; }\n" + B_IN_C % "0"),
        "python": (
            ".py",
            "n = 0\ndef a(bot):\n    global n\n    n += 1\n    return n % 6 * 10\n"
            "import random\ndef b(bot, bet): return random.random() < bot.card\n",
        ),
        "breaks": (".c", "int a(const Bot *f) { return }\n"),
        "fails": (".c", "int a(const Bot *f) { abort(); }\n" + B_IN_C % "abort(), 0"),
        "fails late": (".py", "def a(bot): return 5 if bot.card < 0.98 else 1 // 0\ndef b(bot, bet): return 1\n"),
    }  # fmt: skip


class Tables(Field):
    """Drawn tables of three, each deal in every rotation."""

    seats, contest, keys = (
        3,
        "auction",
        'rules = "auction.py"\nsessions = 2\ntables = 2\nduplicate = true\nreplicas = 2',
    )
    sources: ClassVar[dict[str, tuple[str, str]]] = {
        "c": (".c", "int bid(const View *view) { return 2 * view->prize; }\n"),
        "other": (".c", "int bid(const View *view) { return view->prize > 6 ? 60 : 3; }\n"),
        "python": (".py", "import random\ndef bid(view): return random.randint(0, 5 * view.prize)\n"),
        "breaks": (".py", "def bid(view:\n"),
        "fails": (".c", "int bid(const View *view) { __builtin_trap(); }\n"),
        "fails late": (".py", "def bid(view): return 5 if view.prize < 9 else 1 // 0\n"),
    }


@pytest.mark.parametrize("field", [Pairs, Tables])
@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in range(2, 9))])
def test_records_equal_those_of_undisturbed_run(field: type[Field], seed: int, tmp_path: Path) -> None:
    """Play every disturbance once, in one of both fields, after a change of the bots."""
    disturbances = random.Random(seed).sample(DISTURBANCES, len(DISTURBANCES))[(Pairs, Tables).index(field) :: 2]
    walk = field(tmp_path, random.Random(seed))
    for number, disturbance in enumerate(disturbances):
        walk.change()
        walk.disturb(*disturbance)
        if number % 3 == 2:
            walk.run()
