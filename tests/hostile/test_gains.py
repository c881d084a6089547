"""Bots gain nothing by their own faults, or by slowing an opponent."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from tests.contest_runs import CONTEST, make_contest
from tests.worker.support import write_bot
from tournament.config import load_config
from tournament.records.results import load
from tournament.runner.contest_run import run_prepared
from tournament.runner.listener import NullListener
from tournament.runner.prepare import prepare_contest

# Whenever it would rather not play on: a large bet that it faces, or poor, with the lead.
DODGES = """
int a(const Bot *bot) { if (bot->money > 120 || bot->card < 0.1f) %(out)s; return bot->card > 0.6f ? 30 : 0; }
int b(const Bot *bot, const int bet) { if (bet > 25 || bot->money < 60) %(out)s; return bot->card > 0.4f; }
"""


def test_fault_scores_as_the_default_answer(tmp_path: Path) -> None:
    found = []
    for how, out in (("faults", "__builtin_trap()"), ("answers", "return 0")):
        place = make_contest(tmp_path / how, ["bold", "calm"], sessions=8, settings="max_faults = 1000")
        place.write_bot("dodges", DODGES % {"out": out})
        config = load_config(CONTEST, place.config, executor="local", workers=1)
        with prepare_contest(config.played, config, NullListener(), only_entrant="dodges") as prepared:
            run_prepared(replace(prepared, paired=True), NullListener())  # the same deals for both
        found.append(load(str(place.results)))
    faulty, plain = found
    assert faulty.entrants.faults.sum() > 100 and not plain.entrants.faults.sum()
    pd.testing.assert_frame_equal(faulty.games, plain.games)
    lines = [result.standings.drop(columns=["faults"]).to_dict() for result in found]
    assert faulty.ranking.entrants[0].adjusted_score is not None
    assert repr(lines[0]).replace("nan", "") == repr(lines[1]).replace("nan", "")


# Threads walk through memory while the opponent thinks; it answers at once itself.
SLOWS = r"""
#include <pthread.h>
#include <stdio.h>
static char cells[1 << 23];
static void *walk(void *from) {
    for (unsigned at = (unsigned)(long)from;; at += 4099) ((volatile char *)cells)[at & ((1 << 23) - 1)]++;
}
int main(void) {
    char line[256], role;
    pthread_t threads[2];
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 1 << 16);
    if (!fgets(line, sizeof line, stdin)) return 0;
    for (long n = 0; n < 2; ++n) pthread_create(threads + n, &small, walk, (void *)(n << 19));
    while (fgets(line, sizeof line, stdin) && sscanf(line, "{\"decision\": \"%c", &role) == 1) {
        puts(role == 'a' ? "ACTION 0" : "ACTION 1");
        fflush(stdout);
    }
}
"""
THINKS = """
import time
def think(answer):
    end = time.process_time() + 0.001
    while time.process_time() < end: pass
    time.sleep(0.1)
    return answer
def a(bot): return think(5)
def b(bot, bet): return think(1)
"""


@pytest.mark.slow
def test_bot_that_slows_its_opponent_pays_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tournament.worker.processes.bot_process.START_SECONDS", 0.3)
    limits = "idle_seconds = 0.5\nseconds = 0.3\nincrement_ms = 3.0\nmax_faults = 0\n"
    place = make_contest(tmp_path, [], sessions=6, settings=limits)
    place.entrants.mkdir()
    (place.entrants / "thinks.py").write_text(THINKS)
    build = 'build = ["cc", "-O1", "-w", "-pthread", "-o", "bot", "bot.c"]'
    write_bot(place.entrants / "slows", {"bot.toml": f'command = ["./bot"]\n{build}\n', "bot.c": SLOWS})
    place.play()
    results = load(str(place.results))
    assert results.entrants.set_index("name").status.to_dict() == {"slows": "disqualified", "thinks": "ok"}
    assert "processor time" in results.faults.message[0]
