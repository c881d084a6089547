"""The legs of a duplicate match, which have the same deals, don't play at the same time, on any worker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from tests.worker.support import ON, Source, build, legs_of, play, script
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.sandbox.outside import fork_server
from tournament.sandbox.outside.confined import Confined
from tournament.sandbox.outside.launch import Mode

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
    """Return when each bot's legs of each match began and ended, in order."""
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


def test_legs_with_same_deals_play_in_turn() -> None:
    programs = {f"told{number}": PROGRAM for number in range(2)}
    found = lives({**{f"apart{number}.py": PYTHON for number in range(2)}, **programs})
    assert {place: len(times) for place, times in found.items()} == dict.fromkeys(found, 2) and len(found) == 12
    assert {place: at_once(times) for place, times in found.items()} == dict.fromkeys(found, 0)
    everything = sorted(times for several in found.values() for times in several)
    assert at_once(everything)  # others don't wait for them


def test_later_legs_share_no_process_with_earlier_legs(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []
    start = fork_server.start

    def counted(launch: Any, mode: Mode) -> Confined:
        started.append(launch.what.orders["name"])
        return start(launch, mode)

    entrants = build({f"shares{number}.py": "a = b = lambda *_: 9" for number in range(4)})
    monkeypatch.setattr(fork_server, "start", counted)
    play(entrants, Settings(sessions=1, duplicate=True))
    assert Counter(started) == {entrant.name: 2 for entrant in entrants}
