"""Bots that hope for a second try, in which they would know the cards: none comes, or it changes nothing."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest

import tournament
from tests.processes import wait_until
from tests.worker.support import SILENT_C, Source, build, play, script, write_bot
from tournament.contests.von_neumann_poker.rules import Settings
from tournament.records.results import Results, load
from tournament.standings.caveats import reader_notes

TURNS = 21
# Nothing confines it, so it has the best memory there can be: a file. It notes the opponent's moves, and in a second
# try it beats each of them.
CHEAT = """
import os, threading, time
known = []
def move(bot):
    if bot.turn == 0 and os.path.exists("{notes}"):
        known.extend(map(int, open("{notes}").read().split()))
    if bot.turn:
        with open("{notes}", "a") as notes:
            print(bot.opponents_moves[-1], file=notes)
    if bot.turn == {turns} - 1 and not known:
        {deed}
    return (known[bot.turn] + 1) % 3 if bot.turn < len(known) else 0
"""
BY_CHANCE = "import time, zlib\ndef move(bot): return zlib.crc32(str(time.perf_counter_ns()).encode()) % 3\n"
SLEEPS = {
    "plainly": "time.sleep(99)",
    "in a thread": "thread = threading.Thread(target=time.sleep, args=(99,)); thread.start(); thread.join()",
    "as an object goes": "type('Slow', (), {'__del__': lambda slow: time.sleep(99)})()",
    "reading what it is asked next": "[os.read(pipe, 1) for pipe in (3, 4)]",
    "for a lock of its own": "lock = threading.Lock(); lock.acquire(); lock.acquire()",
    "for a file": "import fcntl; [fcntl.flock(os.open('{notes}', os.O_RDWR), fcntl.LOCK_EX) for _ in range(2)]",
}


def played(folder: Path, deed: str, other: str = BY_CHANCE) -> Results:
    """Play the cheat against another bot, in one game of many turns."""
    notes = folder / "notes"
    bots = folder / "bots"
    bots.mkdir()
    write_bot(bots / "cheat.py", CHEAT.format(turns=TURNS, notes=notes, deed=deed.replace("{notes}", str(notes))))
    write_bot(bots / "other.py", other)
    config = folder / "tournament.toml"
    config.write_text(f"""
        sandbox = "off"
        [rps]
        rules = "matrix_game"
        entrants = "bots"
        moves = ["rock", "paper", "scissors"]
        payoffs = [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]
        turns_per_game = {TURNS}
        sessions = 1
        idle_seconds = 1.2
    """)
    tournament.run("rps", config=config, executor="local", workers=1)
    return load(str(folder / "results" / "rps"))


def tries(folder: Path) -> list[int]:
    legs = pd.read_parquet(folder / "results" / "rps" / "legs")
    return [int(count) for count in legs.tries.unique()]


@pytest.mark.parametrize("how", SLEEPS)
def test_sleeping_bot_gets_no_second_try(how: str, tmp_path: Path) -> None:
    results = played(tmp_path, SLEEPS[how])
    (message,) = results.faults.message
    assert message == "did not answer for 1.2 s" and tries(tmp_path) == [1]
    assert len((tmp_path / "notes").read_text().split()) == TURNS - 1


def test_bot_whose_opponent_sleeps_gets_no_second_try(tmp_path: Path) -> None:
    sleeper = BY_CHANCE.replace("return", f"return bot.turn == {TURNS} - 1 and time.sleep(99) or")
    results = played(tmp_path, "pass", sleeper)
    assert list(results.faults.bot) == ["other"] and tries(tmp_path) == [1]


@contextmanager
def killer_of(notes: Path) -> Iterator[None]:
    """Meanwhile the system, as it seems, kills the process that has written all its notes."""

    def kill() -> None:
        wait_until(lambda: notes.exists() and len(notes.read_text().split()) == TURNS - 1)
        os.kill(int((notes.parent / "pid").read_text()), signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield
    finally:
        thread.join()


def test_answers_before_kill_count_in_second_try(tmp_path: Path) -> None:
    deed = f"open('{tmp_path}/pid', 'w').write(str(os.getpid())); time.sleep(0.9)"
    with killer_of(tmp_path / "notes"):
        results = played(tmp_path, deed)
    assert tries(tmp_path) == [2] and not len(results.faults)
    noted = [int(move) for move in (tmp_path / "notes").read_text().split()]
    first, second = noted[: TURNS - 1], noted[TURNS - 1 :]
    assert first == second  # though the opponent would answer otherwise by then
    # It said 0, rock, throughout: that loses to paper, 1, and wins against scissors, 2.
    points = sum((0, -1, 1)[move] for move in first)
    cheat = results.sessions
    assert abs(float(cheat.points_0[0] if cheat.bot_0[0] == "cheat" else cheat.points_1[0]) - points) <= 1
    assert "legs of cheat, other were started again; earlier answers counted" in reader_notes(results.ranking)


# Each takes all that it can get of something as soon as it starts.
GREEDY: dict[str, Source] = {
    "threads": script("""
        import threading, time
        threading.stack_size(64 << 10)
        while True:
            threading.Thread(target=time.sleep, args=(99,)).start()
        """),
    "memory": script("x = []\nwhile True: x.append(bytearray(1 << 20))"),
    "descriptors": script("import os\nwhile True: os.dup(0)"),
    "processes": script("import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"),
}


@pytest.mark.slow
def test_greedy_bots_end_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor do all together: the legs of the others play on, and come out as without them."""
    honest: dict[str, Source] = {
        "told": script("""
            import json, sys
            sys.stdin.readline()
            for line in sys.stdin:
                if line.startswith("{"):
                    print("ACTION", int(20 * json.loads(line)["card"]), flush=True)
            """),
        "silent.c": SILENT_C,
    }
    settings = Settings(sessions=5, seed="1", seconds=0.3, max_faults=1)
    monkeypatch.setattr("tournament.worker.processes.bot_process.START_SECONDS", 0.5)
    monkeypatch.setattr("tournament.worker.processes.programs._TRIAL_SECONDS", 0.0)
    (calm,) = play(build(honest), settings)
    greedy = {f"zz_{name}": source for name, source in GREEDY.items()}
    legs = play(build({**honest, **greedy}), settings)
    assert [leg.what_counts[1:] for leg in legs if leg.result.seats == calm.result.seats] == [calm.what_counts[1:]]
    broken = {seat for leg in legs for fault in leg.faults for seat in [leg.result.seats[fault.seat]]}
    assert broken == {*greedy}
