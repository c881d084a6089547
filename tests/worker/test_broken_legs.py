"""Legs that are interrupted and start again: earlier answers count again, whatever the bots answer then."""

from __future__ import annotations

import pickle
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from functools import partial

import pytest

from tests.built_in import VON_NEUMANN_POKER
from tests.oracles.von_neumann_poker import Game
from tests.python_rules import play_field
from tests.worker.support import ON, SILENT_C, Source, artifacts_of, build, legs_of, pair, play, read, record_of, script
from tournament.cache import cache_folder
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.rules import Column, Decision, Int, Questions, Rules, Session, Text
from tournament.rules.contests import get_contest
from tournament.store.leg_result import Fault
from tournament.worker.faults import Stopped
from tournament.worker.processes import lanes
from tournament.worker.processes.leg_in_play import LegInPlay
from tournament.worker.processes.leg_queue import BrokenLeg, BrokenLegs
from tournament.worker.processes.spool import Spool


@contextmanager
def broken_off(monkeypatch: pytest.MonkeyPatch, *, times: int = 3, seed: int = 1) -> Iterator[Counter[int]]:
    """Break each leg off up to this many times, at random. Yield how often the leg of each match was."""
    done, chance = Counter[int](), random.Random(seed)

    def break_some(table: lanes.LegsInLanes) -> None:
        for in_play in list(table._by_lane.values()):
            if done[in_play.leg.plan.match] < times and in_play.core.games_recorded > 20 and chance.random() < 0.5:
                done[in_play.leg.plan.match] += 1
                table._begin_again(in_play)

    with monkeypatch.context() as patched:
        patched.setattr(lanes, "_AUDIT_SECONDS", 0.001)
        patched.setattr(lanes.LegsInLanes, "_audit_memory", break_some)
        yield done


FIELD: dict[str, Source] = {
    "shares.py": "def a(bot): return int(300 * bot.card)\ndef b(bot, bet): return bot.card > 0.6\n",
    "apart.py": "import time\ndef a(bot): return int(20 * bot.card)\ndef b(bot, bet): return bet < 9\n",
    "raises.py": "def a(bot):\n    assert bot.card < 0.9\n    return 9\ndef b(bot, bet): return 1\n",
    "counts.py": """
        import time
        n = 0
        def a(bot):
            global n
            n += 1
            return n % 7
        def b(bot, bet): return a(bot) > 3
        """,
    "program": script("""
        import json, sys
        sys.stdin.readline()
        for n, line in enumerate(sys.stdin):
            if not line.startswith("{") or n == 60:
                break
            print("ACTION", n % 11)
        """),
    "silent.c": SILENT_C,
}


def test_interrupted_legs_give_same_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """Faults, new bots after them and wide answers among them."""
    entrants, settings = build(FIELD), Settings(sessions=5, max_faults=20, seed="1")
    calm = play(entrants, settings)
    assert Counter(leg.result.tries for leg in calm) == {1: len(calm)}
    assert sum(len(leg.faults) for leg in calm) > 5
    with broken_off(monkeypatch, times=2) as done:
        broken = play(entrants, settings)
    assert [leg.what_counts for leg in broken] == [leg.what_counts for leg in calm]
    assert [leg.result.tries for leg in broken] == [1 + done[leg.result.match] for leg in calm]
    assert done.total() > len(calm)


# Every answer is another each time, and now and then none. Only the clock is another each time, not what seems random.
ERRATIC = """
import os, time, zlib
def chance(many): return zlib.crc32(str(time.perf_counter_ns()).encode()) % many
def a(bot):
    if chance(300) == 0: {end}
    return chance(40)
def b(bot, bet): return chance(2)
"""


Before = list[tuple[list[Game], Counter[tuple[int, int, int]]]]


@pytest.fixture
def before(monkeypatch: pytest.MonkeyPatch) -> Before:
    """Return a list to which the games and faults of each leg that breaks off are added."""
    found: Before = []
    break_off = LegInPlay.broken_off

    def noted(in_play: LegInPlay) -> BrokenLeg:
        in_play.keep_rows()
        found.append((record_of(in_play.rows).games, places(in_play.faults.all)))
        return break_off(in_play)

    monkeypatch.setattr(LegInPlay, "broken_off", noted)
    return found


def places(faults: Iterable[Fault]) -> Counter[tuple[int, int, int]]:
    return Counter((one.seat, one.session, one.game) for one in faults)


def test_answers_before_interruption_count_again(before: Before, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games and faults before each interruption are in the finished leg. Bots can add new faults."""
    source = ERRATIC.format(end="os._exit(3)")
    with broken_off(monkeypatch, times=4) as done:
        played = pair(source, source, Settings(sessions=60, max_faults=1000))
    assert played.result.tries == 1 + done.total() == 1 + len(before)
    assert max(len(games) for games, _ in before) >= 20
    for games, faults in before:
        assert games == played.games[: len(games)]
        assert faults <= places(played.faults) or len(played.faults) == 20  # records keep no more


def test_answers_before_interruption_count_in_another_task(before: Before, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted legs can be played by another worker, for example after a disqualification elsewhere."""
    erratic = ERRATIC.format(end="1 / 0")
    entrants = build({"erratic.py": erratic, "other.py": erratic})
    settings, broken = Settings(sessions=200, max_faults=1000), BrokenLegs()
    legs, how = legs_of(entrants, settings), (artifacts_of(entrants), cache_folder())
    in_lanes: list[LegInPlay] = []
    begin = lanes.LegsInLanes._begin

    def begin_and_note(table: lanes.LegsInLanes, in_play: LegInPlay) -> None:
        in_lanes.append(in_play)
        begin(table, in_play)

    monkeypatch.setattr(lanes, "_AUDIT_SECONDS", 0.001)
    monkeypatch.setattr(lanes.LegsInLanes, "_begin", begin_and_note)
    with closing(Spool()) as spool:
        play = partial(lanes.play_in_lanes, VON_NEUMANN_POKER, settings, ON, legs, *how, spool)
        with pytest.raises(Stopped):
            [*play(lambda: any(in_play.core.games_recorded > 20 for in_play in in_lanes), broken=broken)]
        (again,) = play(broken=pickle.loads(pickle.dumps(broken)))
        played = read(again)
    ((games, _),) = before
    assert games and played.result.tries == 2 and played.games[: len(games)] == games


class Words(Rules):
    """Both say a word at the same time, which may be too long."""

    name = "words"
    seats = 2
    decisions = (Decision("word", "Say a word", observation={"n": Int(0, 999)}, answer=Text(9, "a word"), default="-"),)
    columns = (Column("said", "uint32", "the words' first letters", per_seat=True),)

    def play(self, session: Session) -> Questions:
        (word,) = self.decisions
        said = yield [word(seat, n=session.number) for seat in range(2)]
        session.record([0, 0], said=[ord(one[0]) for one in said.values()])


WORDS = {
    "apart": (".py", "import time\ndef word(v): return 'abc'[v.n % 3] * (v.n % 12 + 1)\n"),
    "program": ("", """
import json, sys
sys.stdin.readline()
for line in sys.stdin:
    if not line.startswith("{"):
        break
    n = json.loads(line)["n"]
    print("ACTION", json.dumps("hijk"[n % 4] * (n % 11 + 1)), flush=True)
"""),
}  # fmt: skip


def test_texts_before_interruption_count_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Illegal answers and answers that are given together among them."""
    contest = get_contest(Words)
    calm = play_field(contest, WORDS, sessions=80, max_faults=1000)
    with broken_off(monkeypatch) as done:
        broken = play_field(contest, WORDS, sessions=80, max_faults=1000)
    assert done.total() > 1 and sum(len(leg.faults) for leg, _ in calm.values()) > 15
    for pair_of, (leg, rows) in calm.items():
        again, its_rows = broken[pair_of]
        assert places(again.faults) == places(leg.faults), pair_of
        assert repr(its_rows) == repr(rows), pair_of
