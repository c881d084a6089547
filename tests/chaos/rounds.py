"""A round of chaos: records in some state, a fault at random, and what comes of it."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.contest_runs import (
    CONTEST,
    ContestDir,
    Outcome,
    assert_same,
    bot_source,
    in_order,
    make_contest,
    read_outcome,
)
from tests.forks import Ended, Forks, shared

BOTS = ["bold", "calm", "dull", "even"]
STATES = ("nothing", "some", "all", "edited")
# What comes of a round: the command to be run to the end was this often started, or says what is wrong for good.
EQUAL, EQUAL_AFTER_MORE, AFTER_VERIFY, SAID = (
    "equal",
    "equal after more runs",
    "equal after verify",
    "an error that says it",
)


RUN_FAILED = "run cut short"


class Wrong(Exception):
    """Records that lie, a command that crashes, hangs, or doesn't say why it fails."""


@dataclass(frozen=True)
class Round:
    """The place of a round and what may be done to it; `expected` is what an undisturbed run leaves."""

    chance: random.Random
    server: Forks
    place: ContestDir
    expected: Outcome

    @property
    def results(self) -> Path:
        return self.place.results

    def arguments(self, *more: str) -> list[str]:
        return self.place.arguments("--workers", str(self.chance.choice([1, 2])), *more)

    def batches(self, legs: int = 0) -> str:
        """Set-up that cuts the legs into batches of this many or some size, so that small runs have many commits."""
        return (
            "from tournament.runner.tasks import TaskSize\n"
            f"TaskSize.is_full = lambda pace, inline, *legs: inline >= {legs or self.chance.choice([1, 1, 2, 6])}\n"
        )

    def require_equal(self) -> None:
        """Raises Wrong for other records than an undisturbed run leaves."""
        try:
            assert_same(in_order(read_outcome(self.results)), in_order(self.expected))
        except (AssertionError, OSError) as differing:
            raise Wrong(f"other records: {differing}") from None

    def files(self, *folders: str) -> list[Path]:
        """The files in some of the records' folders, in order; "" for those beside the folders."""
        found = [path for folder in folders for path in sorted((self.results / folder).glob("*")) if path.is_file()]
        return [path for path in found if path.name != "writer"]


Fault = Callable[[Round], Ended | None]


class Ground:
    """Where rounds are played: bots, and records in every state in which a fault may find them."""

    def __init__(self, folder: Path) -> None:
        self.server = server = shared()
        self.folder = folder
        self.expected: dict[str, Outcome] = {}
        whole = make_contest(folder / "all", BOTS, sessions=1500)
        chance = random.Random(0)
        self._play(Round(chance, server, whole, None))  # type: ignore[arg-type]
        self.expected["all"] = read_outcome(whole.results)
        edited = self._copy("all", "edited")
        edited.write_bot("calm", bot_source(9, 8))
        again = self._copy("edited", "edited and played")
        self._play(Round(chance, server, again, None))  # type: ignore[arg-type]
        self.expected["edited"] = read_outcome(again.results)
        make_contest(folder / "nothing", BOTS, sessions=1500)
        some = self._copy("nothing", "some")
        killed = Round(chance, server, some, None)  # type: ignore[arg-type]
        ended = server.run(some.arguments(), killed.batches(1) + "from tests.kill_steps import kill_at; kill_at(70)\n")
        batches = len(list((some.results / "sessions").glob("*")))
        assert ended.code == -9 and batches > 1, (ended, batches)

    def _copy(self, name: str, to: str) -> ContestDir:
        return ContestDir(Path(shutil.copytree(self.folder / name, self.folder / to)))

    def _play(self, round_: Round) -> None:
        ended = self.server.run(round_.arguments(), round_.batches())
        assert ended.code == 0, ended

    def round(self, chance: random.Random, number: int) -> Round:
        """A place for the next round, in some state."""
        state = chance.choice(STATES)
        place = self._copy(state, f"round {number}")
        return Round(chance, self.server, place, self.expected["edited" if state == "edited" else "all"])

    def play(self, fault: Fault, chance: random.Random, number: int) -> list[str]:
        """One round: what came of it. Raises Wrong."""
        round_ = self.round(chance, number)
        disturbed = fault(round_)
        if disturbed is not None:
            require_words(disturbed)
        came = [finished(round_), *([RUN_FAILED] if disturbed is not None and disturbed.code else [])]
        shutil.rmtree(round_.place.folder)
        return came


def require_words(ended: Ended) -> None:
    """Raises Wrong unless a command ended well, was killed, or failed with words."""
    if ended.code is None:
        raise Wrong(f"it hangs: {ended.said}")
    if "Traceback" in ended.said or ended.code == 99:
        raise Wrong(f"it crashes: {ended.said}")
    if ended.code > 0 and "tournament: " not in ended.said:
        raise Wrong(f"exit {ended.code} without a word: {ended.said}")


def finished(round_: Round) -> str:
    """Run to the end, and see what is there."""
    came = EQUAL
    for _ in range(3):
        ended = round_.server.run(round_.arguments(), round_.batches())
        require_words(ended)
        if ended.code == 0:
            break
        came = EQUAL_AFTER_MORE
    if ended.code != 0:
        return SAID
    for problem in problems_of(round_):
        if "remove it" not in problem["fix"]:
            raise Wrong(f"after a whole run: {problem}")
        (round_.results / problem["path"]).unlink()
        came = AFTER_VERIFY
    if came == AFTER_VERIFY:
        require_words(ended := round_.server.run(round_.arguments(), round_.batches()))
        left = problems_of(round_)
        if ended.code != 0 or left:
            raise Wrong(f"what verify says does not mend it: {ended} {left}")
    round_.require_equal()
    return came


def problems_of(round_: Round) -> list[dict[str, str]]:
    """What `tournament verify` finds."""
    ended = round_.server.run(["verify", CONTEST, "--results", str(round_.results), "--json"])
    if not ended.said.startswith("["):
        require_words(ended)
        raise Wrong(f"verify: {ended}")
    found: list[dict[str, Any]] = json.loads(ended.said)
    return list(found[0]["problems"])


def play_rounds(
    ground: Ground, faults: Sequence[Fault], rounds: int, seed: int, say: Callable[[str], None] = lambda text: None
) -> dict[str, Counter[str]]:
    """Play rounds; how often each fault came to what. The same seed gives the same faults in the same states."""
    chance = random.Random(seed)
    table: dict[str, Counter[str]] = {fault.__name__: Counter() for fault in faults}
    # Each comes as often as the others.
    order = [faults[number % len(faults)] for number in range(rounds)]
    chance.shuffle(order)
    for number, fault in enumerate(order):
        try:
            came = ground.play(fault, random.Random(chance.random()), number)
        except Wrong as wrong:
            came = ["WRONG"]
            kept = (ground.folder / f"round {number}").rename(ground.folder / f"wrong {seed} {number}")
            say(f"round {number}, {fault.__name__}: {wrong}; left in {kept}")
        table[fault.__name__].update(came)
    return table


def written(table: dict[str, Counter[str]]) -> Iterable[str]:
    """The table, a line for each fault."""
    columns = [RUN_FAILED, EQUAL, EQUAL_AFTER_MORE, AFTER_VERIFY, SAID, "WRONG"]
    width = max(len(name) for name in [*table, "all"])
    total: Counter[str] = sum(table.values(), Counter())
    yield f"{'fault':{width}}  " + "  ".join(columns)
    for name, came in [*sorted(table.items()), ("all", total)]:
        yield f"{name.replace('_', ' '):{width}}  " + "  ".join(f"{came[column]:>{len(column)}}" for column in columns)
