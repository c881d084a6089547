"""Bots that hope for a second try, in which they would know the cards: none comes, or it changes nothing."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import tournament
from tests.worker.support import write_bot
from tournament.records.results import Results, load

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
SLEEPS = {
    "plainly": "time.sleep(99)",
    "reading what it is asked next": "[os.read(pipe, 1) for pipe in (3, 4)]",
    "for a file": "import fcntl; [fcntl.flock(os.open('{notes}', os.O_RDWR), fcntl.LOCK_EX) for _ in range(2)]",
}


def played(folder: Path, deed: str) -> Results:
    """Play the cheat against another bot, in one game of many turns."""
    notes = folder / "notes"
    bots = folder / "bots"
    bots.mkdir()
    write_bot(bots / "cheat.py", CHEAT.format(turns=TURNS, notes=notes, deed=deed.replace("{notes}", str(notes))))
    write_bot(bots / "other.py", "import random\ndef move(bot): return random.randrange(3)\n")
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


@pytest.mark.parametrize("how", SLEEPS)
def test_sleeping_bot_gets_no_second_try(how: str, tmp_path: Path) -> None:
    results = played(tmp_path, SLEEPS[how])
    assert list(results.faults.message) == ["did not answer for 1.2 s"]
    assert list(pd.read_parquet(tmp_path / "results" / "rps" / "legs").tries.unique()) == [1]
    assert len((tmp_path / "notes").read_text().split()) == TURNS - 1
