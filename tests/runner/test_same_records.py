"""The same bots have the same records, however these come about: on any workers, resumed, adapted, in any sandbox."""

from __future__ import annotations

import itertools
import tempfile
from pathlib import Path
from typing import Any, ClassVar

import hypothesis.strategies as st
import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

import tournament
from tests.contest_runs import (
    Outcome,
    assert_games_are_the_standings,
    assert_parts_are_in_order,
    assert_same,
    read_outcome,
)
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
# Bots that stay, and those that come and go; what a bot may be is in the machines.
STAY, COME = ("m_stays", "p_stays"), ("a", "n", "z")


class Interrupts:
    """A listener that counts games, and presses Ctrl-C after some commits."""

    def __init__(self, commits: int | None) -> None:
        self.commits, self.games = commits, 0

    def on_message(self, text: str) -> None:
        pass

    def on_progress(self, progress: Progress) -> None:
        self.games = progress.games
        if self.commits is not None:
            self.commits -= 1
            if self.commits < 0:
                raise KeyboardInterrupt


class Field(RuleBasedStateMachine):
    """A folder of bots, which come, change, fail and leave, and its records, which runs keep up with it."""

    seats: ClassVar[int]
    contest: ClassVar[str]
    keys: ClassVar[str]
    sources: ClassVar[dict[str, tuple[str, str]]]  # suffix and text, by kind

    def __init__(self) -> None:
        super().__init__()
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = Path(self.scratch.name)
        self.fresh = itertools.count()
        (self.folder / "auction.py").write_text(RULES)
        (self.folder / "bots").mkdir()
        self.put(STAY[0], "c")
        self.put(STAY[1], "python")

    def teardown(self) -> None:
        self.scratch.cleanup()

    @rule(name=st.sampled_from(COME), kind=st.sampled_from(["c", "other", "python", "breaks", "fails", "fails late"]))
    def put(self, name: str, kind: str) -> None:
        """Add a bot, or put another in its place."""
        self.remove(name)
        suffix, text = self.sources[kind]
        (self.folder / "bots" / f"{name}{suffix}").write_text(text)

    @rule(name=st.sampled_from(COME))
    def remove(self, name: str) -> None:
        for path in (self.folder / "bots").glob(f"{name}.*"):
            path.unlink()

    @rule(name=st.sampled_from(COME))
    def comment(self, name: str) -> None:
        """Change a bot's text, and not what it does."""
        for path in (self.folder / "bots").glob(f"{name}.c"):
            path.write_text(f"{path.read_text()}// comment\n")

    @initialize(names=st.permutations([*COME, "none"]))
    def some_come(self, names: list[str]) -> None:
        for name, kind in zip(names[: names.index("none")], ("c", "fails late", "python")):
            self.put(name, kind)

    def play(self, results: str, workers: int = 1, sandbox: str = "", commits: int | None = None) -> Interrupts:
        config, listener = self.folder / "tournament.toml", Interrupts(commits)
        config.write_text(f'[{self.contest}]\nentrants = "bots"\nseed = 1\n{self.keys}\n[sandbox]\n{sandbox}\n')
        where: dict[str, Any] = {"config": config, "results": self.folder / results, "executor": "local"}
        try:
            tournament.run(self.contest, workers=workers, listener=listener, **where)
        except KeyboardInterrupt:
            assert not list((self.folder / results / self.contest / "staging").glob("*"))
            self.play(results, 3 - workers)
        return listener

    def games_by_leg(self, results: str = "kept") -> dict[str, int]:
        place = self.folder / results / self.contest
        if not (place / "contest.json").exists():
            return {}
        return {leg.digest: leg.games for batch in load(str(place)).batches for leg in batch.legs}

    @rule(
        workers=st.sampled_from([1, 2]),
        single=st.booleans(),
        commits=st.sampled_from([None, 0, 1]),
        sandbox=st.sampled_from(SANDBOXES),
    )
    def run(self, workers: int, single: bool, commits: int | None, sandbox: str) -> None:
        """Bring the records up to date, and compare them with those of a first run of these bots."""
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
        assert_parts_are_in_order(kept)
        before = self.times_of_files()
        assert self.play("kept").games == 0 and self.times_of_files() == before
        where: dict[str, Any] = {"config": self.folder / "tournament.toml", "results": self.folder / "kept"}
        assert not tournament.verify(self.contest, replay=1, **where).problems

    def times_of_files(self) -> dict[Path, int]:
        kept = self.folder / "kept" / self.contest
        return {path: path.stat().st_mtime_ns for path in [kept / "contest.json", *kept.glob("*/*.parquet")]}


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

    def __init__(self) -> None:
        super().__init__()
        self.put("q_stays", "other")


def _machine(field: type[Field], examples: int) -> type:
    case = field.TestCase
    case.settings = settings(
        max_examples=examples,
        stateful_step_count=9,
        derandomize=True,
        phases=[Phase.generate],  # shrinking takes minutes
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    return case


TestPairs, TestTables = _machine(Pairs, 8), _machine(Tables, 4)
