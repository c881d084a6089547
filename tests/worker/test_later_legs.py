"""The legs of a duplicate match, which have the same deals, don't play at the same time, on any worker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from itertools import pairwise
from typing import Any

import pytest

from tests.built_in import VON_NEUMANN_POKER
from tests.worker.support import ON, SILENT_C, Source, artifacts_of, build, legs_of, play, script
from tournament.cache import cache_folder
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.sandbox.outside import fork_server
from tournament.sandbox.outside.confined import Confined
from tournament.sandbox.outside.launch import Mode
from tournament.sandbox.outside.settings import SandboxSettings
from tournament.worker.processes import pool
from tournament.worker.processes.lanes import play_in_lanes
from tournament.worker.processes.spool import Spool

# Each says in a fault from when to when it has lived so far.
PYTHON = """
import time
began, calls = time.monotonic(), 0
def a(bot):
    global calls
    calls += 1
    if calls == 5:
        time.sleep(0.03)
        raise ValueError(f"{began} {time.monotonic()}")
    return 0
b = lambda bot, bet: a(bot)
"""
PROGRAM = script("""
    import sys, time
    began = time.monotonic()
    for calls, line in enumerate(sys.stdin):
        if calls == 5:
            time.sleep(0.03)
            print(began, time.monotonic(), file=sys.stderr)
            sys.exit(3)
        print("ACTION 0") if calls else None
    """)


def lives(field: dict[str, Source]) -> dict[tuple[str, int], list[tuple[float, float]]]:
    """From when to when each bot's legs of each match have played, in order."""
    entrants, settings = build(field), Settings(sessions=1, duplicate=True, seed="1")
    legs = legs_of(entrants, settings)
    found: dict[tuple[str, int], list[tuple[float, float]]] = {}
    for leg, one in zip(legs, play(entrants, settings, ON, legs)):
        for seat, player in enumerate(leg.seats):
            for fault in [fault for fault in one.faults if fault.seat == seat][:1]:
                said = fault.last_output if player.kind == "program" else fault.message.removeprefix("ValueError: ")
                began, ended = map(float, said.split()[:2])
                found.setdefault((player.name, leg.plan.match), []).append((began, ended))
    return {place: sorted(times) for place, times in found.items()}


def at_once(times: Sequence[tuple[float, float]]) -> int:
    return sum(after[0] < before[1] for before, after in pairwise(times))


def test_legs_with_the_same_deals_play_one_after_the_other() -> None:
    programs = {f"told{number}": PROGRAM for number in range(2)}
    found = lives({**{f"apart{number}.py": PYTHON for number in range(2)}, **programs})
    assert {place: len(times) for place, times in found.items()} == dict.fromkeys(found, 2) and len(found) == 12
    assert {place: at_once(times) for place, times in found.items()} == dict.fromkeys(found, 0)
    everything = sorted(times for several in found.values() for times in several)
    assert at_once(everything)  # others don't wait for them


@pytest.mark.parametrize(("legs_per_process", "processes"), [(64, 2), (1, 6)])
def test_later_legs_share_no_process_with_earlier_ones(
    legs_per_process: int, processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []
    start = fork_server.start

    def counted(launch: Any, mode: Mode) -> Confined:
        started.append(launch.what.orders["name"])
        return start(launch, mode)

    entrants = build({f"shares{number}.py": "a = b = lambda *_: 9" for number in range(4)})
    monkeypatch.setattr(fork_server, "start", counted)
    settings = Settings(sessions=1, duplicate=True)
    play(entrants, settings, SandboxSettings(legs_per_process=legs_per_process))
    assert Counter(started) == {entrant.name: processes for entrant in entrants}


@pytest.mark.parametrize("kind", [pytest.param("program", marks=pytest.mark.slow), "python"])
def test_no_leg_of_fast_bots_waits_for_one_that_sleeps(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many legs it has: it is in a few at a time."""
    monkeypatch.setattr(pool, "MOST_OWN_PROCESSES", 10)
    fast, ending = (PROGRAM, "") if kind == "program" else (PYTHON, ".py")
    field: dict[str, Source] = {f"fast{number}{ending}": fast for number in range(3)}
    field |= {f"idle{number}.c": SILENT_C for number in range(4)}
    sleeps = "import time\ndef a(bot): time.sleep(1000)\ndef b(bot, bet): return a(bot)"
    entrants = build({"a_sleeper.py": sleeps, **field})
    settings = Settings(sessions=1, idle_seconds=3000)
    legs = legs_of(entrants, settings)
    left = {leg.digest for leg in legs if "a_sleeper" not in leg.names}
    assert len(left) == 3 + 3 * 4 and len(legs) - len(left) == 7
    how = artifacts_of(entrants), cache_folder()
    with (
        closing(Spool()) as spool,
        closing(play_in_lanes(VON_NEUMANN_POKER, settings, ON, legs, *how, spool)) as playing,
    ):
        while left:
            left.remove(next(playing).result.digest)
