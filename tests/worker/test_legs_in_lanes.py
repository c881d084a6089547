"""Legs played side by side are the legs played one by one, whatever their bots do to the process that they share."""

from __future__ import annotations

import os
from hashlib import sha256
from itertools import count
from pathlib import Path

import pytest
import wasmtime

from tests.contest_runs import CONTEST
from tests.processes import descendants, wait_until
from tests.worker.support import ON, SILENT_C, answering, artifacts_of, build, legs_of, origin_of, play
from tournament.artifacts import python_artifact
from tournament.artifacts.bot import Entrant
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.sandbox.outside import fork_server
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.batch import Task, play_task
from tournament.worker.faults import Stopped
from tournament.worker.processes import lanes as lanes_module
from tournament.worker.processes import pool
from tournament.worker.processes.leg_in_play import LegInPlay

ALONE = SandboxSettings(legs_per_process=1)

STEADY = "def a(bot): return 20 if bot.card > {0} else 0\ndef b(bot, bet): return bot.card > {1}\n"
# A bot that does something at its {0}th decision. Where it imports nothing, its legs share a process in any run.
SOMETIMES = """
n = 0
def a(bot):
    global n
    n += 1
    if n == {0}:
        {1}
    return 15
def b(bot, bet): return a(bot)
"""


DEEDS = {
    "raises": "raise RuntimeError(bot.card)",
    "quits": "import os; os._exit(3)",
    "closes": "import os; os.closerange(0, 64)",
    "exhausts": "x = [bytearray(1 << 20) for _ in range(2000)]",
    "garbles": "import os; os.write(4, b'x' * 100); os.write(5, b'y'); os.write(6, b'z')",
}


def python_entrant(name: str, source: str) -> Entrant:
    """Return an entrant without a trial, whose legs share a process like those of a misjudged bot."""
    digest = sha256(source.encode()).hexdigest()
    return Entrant(name, "python", digest, python_artifact.pack(source.encode(), ON, legs_may_share=True))


@pytest.mark.parametrize("deed", sorted(DEEDS))
def test_leg_that_misbehaves_changes_no_other_leg(deed: str) -> None:
    """Seed 10 lets the bot misbehave in one of three legs, by its first random number."""
    source = "import random\nchosen = random.random() < 0.4\n" + SOMETIMES.format("(9 if chosen else -1)", DEEDS[deed])
    others = {f"other_{n}": STEADY.format(0.1 * n, 0.6 - 0.1 * n) for n in range(3)}
    field = [python_entrant(name, text) for name, text in {"culprit": source, **others}.items()]
    playing = Settings(sessions=3, max_faults=2, seed="10")
    together = play(field, playing)
    assert [leg.what_counts for leg in together] == [leg.what_counts for leg in play(field, playing, ALONE)]
    guilty = [leg for leg in together if leg.faults]
    if deed != "garbles":
        assert [leg.result.seats[0] for leg in guilty] == ["culprit"]
    harmless = [python_entrant("culprit", source.replace(DEEDS[deed], "pass")), *field[1:]]
    for leg, without in zip(together, play(harmless, playing)):
        if leg not in guilty:
            assert (leg.games, leg.sessions) == (without.games, without.sessions)


# Leaves 20 kB in a cycle at each decision: Python 3.14 has up to 2,000 of them about before it collects any.
CYCLES = """
def a(bot):
    kept = [0] * 2_500
    kept.append(kept)
    return 15
b = lambda bot, bet: a(bot)
"""


@pytest.mark.slow
def test_garbage_of_shared_legs_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Legs go on in processes of their own, also those of a later task."""
    field = [python_entrant("cycles", CYCLES), *build({f"c{n}.c": SILENT_C + "//" * n for n in range(2)})]
    monkeypatch.setattr(pool, "_outgrown", set[str]())  # A new worker has none.
    playing = Settings(sessions=640, max_faults=0)
    for _ in range(2):
        together = play(field, playing)
        assert not any(leg.faults for leg in together) and len(pool._outgrown) == 1
    assert min(leg.decisions[leg.result.seats.index("cycles")] for leg in together) * 20_000 > 100 << 20
    assert [leg.what_counts for leg in together] == [leg.what_counts for leg in play(field, playing, ALONE)]


def test_stopped_batch_leaves_nothing_behind(tmp_path: Path) -> None:
    field = [python_entrant("endless", STEADY.format(0.9, 0.9)), python_entrant("other", STEADY.format(0.8, 0.9))]
    field += build({"told": answering("0", "0")})
    play(field, Settings(sessions=1))  # What is loaded once stays.
    playing = Settings(sessions=10**6)
    legs = tuple(legs_of(field, playing))
    task = Task(CONTEST, playing.playing(), ON.model_dump(), str(tmp_path), legs, origin_of(()))
    fork_server.end_idle()
    before = set(descendants(os.getpid())), len(os.listdir("/proc/self/fd"))
    calls = count()
    with pytest.raises(Stopped):
        play_task(task, artifacts_of(field), lambda: next(calls) >= 2)
    fork_server.end_idle()
    assert set(descendants(os.getpid())) <= before[0]
    assert wait_until(lambda: len(os.listdir("/proc/self/fd")) <= before[1])
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


PRINTS_OBJECTS = """
n = 0
class K: pass
def a(bot):
    global n
    n += 1
    if n % 20 == 3:
        print([K(), a])
        raise ValueError("once")
    if n % 20 == 5: raise ValueError("silent")
    return 5
b = lambda bot, bet: True
"""


def test_recorded_fault_of_shared_leg_is_the_same_alone() -> None:
    """Output has no addresses, and nothing from before an earlier fault."""
    others = {f"other_{n}": STEADY.format(0.1 * n, 0.5) for n in range(3)}
    field = [python_entrant(name, source) for name, source in {"prints": PRINTS_OBJECTS, **others}.items()]
    playing = Settings(sessions=6, max_faults=9)
    legs = [leg for leg in legs_of(field, playing) if "prints" in leg.names]
    together, alone = play(field, playing, ON, legs), play(field, playing, ALONE, legs)
    assert [leg.faults for leg in together] == [leg.faults for leg in alone]
    for leg in together:
        for fault in leg.faults:
            printed = fault.message.startswith("ValueError: once")
            assert fault.last_output == "[<bot.prints.K object>, <function a>]" * printed


GROWS = """(module (memory (export "memory") 129)
    (func (export "_initialize") (drop (memory.grow (i32.const 320))))
    (func (export "a") (param i32) (result i32) (i32.const 10))
    (func (export "b") (param i32) (result i32) (i32.const 1)))"""


def test_webassembly_memory_of_legs_in_lanes_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    others = {f"p{n}.py": STEADY.format(0.5, n / 4) for n in range(4)}
    field = build({"grows.wasm": bytes(wasmtime.wat2wasm(GROWS)), **others})
    legs = [leg for leg in legs_of(field, Settings(sessions=20)) if "grows" in leg.names]
    at_once: list[int] = []
    begin = lanes_module.LegsInLanes._begin

    def begin_and_look(table: lanes_module.LegsInLanes, in_play: LegInPlay) -> None:
        begin(table, in_play)
        if len(at_once) == len(legs) - 1:
            table._audit_memory()
        at_once.append(len(table._by_lane))

    monkeypatch.setattr(lanes_module, "_AUDIT_SECONDS", 1e6)  # no other look
    monkeypatch.setattr(lanes_module.LegsInLanes, "_begin", begin_and_look)
    played = []
    for megabytes, expected in ((1000, [1, 2, 3, 4]), (25, [1, 2, 3, 1, 1, 1, 1])):
        at_once.clear()
        monkeypatch.setattr(lanes_module, "_MAX_MEMORY_OF_BOTS", megabytes << 20)
        played.append([leg.what_counts for leg in play(field, Settings(sessions=20), ON, legs)])
        assert at_once == expected
    assert played[0] == played[1]
