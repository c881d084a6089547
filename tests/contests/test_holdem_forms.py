"""Functions in C++ and Python and programs on one leaderboard: their views, lines and faults."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine.games.holdem_training.rates import RateSampler
from tests.commands import command
from tests.holdem import build, leg_of, play_built, play_core, play_processes
from tests.oracles.holdem_training import View
from tests.worker.support import Source, script
from tournament.artifacts.bot import Entrant
from tournament.contests.settings import BankedSettings, ContestSettings, ProcessTime
from tournament.keys import helpers_key

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "holdem_training.md").read_text()

# One policy in every form: checks, folds and raises, by chances, cards, and what was raised before. 64 samples,
# for their shares are the same in six decimals.
CPP = """
#include "texas.h"
#include <algorithm>
static int stack, raised_before;
std::pair<ActionType, int> makeDecision(const State &state)
{
    for (const Card &card : state.bob)
        if (card.value != -1 || card.color != -1)
            __builtin_trap();
    if (state.community[0].value == -1)
        stack = 100;
    if (stack == 0)
        return {ActionType::CHECK, 0};
    const auto [win, tie] = getRatesBySampling(state, 64);
    const double chance = win + tie / 2;
    if (chance < 0.2 && state.alice[0].color == 3)
        return {ActionType::FOLD, 0};
    if (chance < 0.6)
        return {ActionType::CHECK, 0};
    const int raise = chance > 0.9 ? stack : std::min(stack, 1 + (state.alice[1].value + raised_before) % 40);
    raised_before = raise;
    stack -= raise;
    return {ActionType::RAISE, raise};
}
"""
PYTHON = """
from texas import UNKNOWN, ActionType, get_rates_by_sampling

raised_before = 0


def make_decision(state):
    global stack, raised_before
    if state.community[0] == UNKNOWN:
        stack = 100
    assert stack == state.stack == state.bobs_stack and state.pot == 10 + 2 * (100 - stack)
    assert state.round == {0: 1, 3: 2, 4: 3, 5: 4}[5 - state.community.count(UNKNOWN)]
    if stack == 0:
        return ActionType.CHECK
    win, tie = get_rates_by_sampling(state, 64)
    chance = win + tie / 2
    if chance < 0.2 and state.alice[0].color == 3:
        return ActionType.FOLD, 0
    if chance < 0.6:
        return ActionType.CHECK, 0
    raised_before = stack if chance > 0.9 else min(stack, 1 + (state.alice[1].value + raised_before) % 40)
    stack -= raised_before
    return ActionType.RAISE, raised_before
"""
# What a program reads and says; `decide` is its own.
LINES = """
import sys

def read():
    return sys.stdin.readline()

def say(line):
    print(line, flush=True)

for line in sys.stdin:
    word, *rest = line.split()
    if word == "STATE":
        hand, round_, stack, bobs_stack, pot, known = map(int, rest)
    elif word == "ALICE":
        alice = [int(number) for number in rest]
    elif word == "BOARD":
        decide()
    elif word in ("SCORE", "-1"):
        break
"""
CHECKS = 'say("ACTION CHECK")'


def program(decide: str) -> dict[str, str]:
    """Return a program that does this at each decision."""
    body = "\n".join(f"    {line}" for line in decide.strip("\n").split("\n"))
    return script(LINES.replace("\nfor line", f"\ndef decide():\n{body}\n\nfor line"))


PROGRAM = program(
    """
global raised_before
if stack == 0:
    return say("ACTION CHECK")
say("RATE 64")
word, win, tie = read().split()
chance = float(win) + float(tie) / 2
if chance < 0.2 and alice[0] == 3:
    return say("ACTION FOLD")
if chance < 0.6:
    return say("ACTION CHECK")
raised_before = stack if chance > 0.9 else min(stack, 1 + (alice[3] + raised_before) % 40)
say(f"ACTION RAISE {raised_before}")
"""
)
PROGRAM["bot.py"] = "raised_before = 0\n" + PROGRAM["bot.py"]
HEAD = "std::pair<ActionType, int> makeDecision(const State &state)"
FORMS: dict[str, Source] = {
    "bot.cpp": "#include <bits/stdc++.h>\n" + CPP,
    "hidden.cpp": CPP.replace("std::pair<ActionType, int> makeD", "static std::pair<ActionType, int> hidden_makeD"),
    "trailing.cpp": CPP.replace(HEAD, "auto makeDecision(const State &state) -> std::pair<ActionType, int>"),
    "bot.py": PYTHON,
    "bot": PROGRAM,
}


def oracles_policy(seed: int) -> Any:
    """Return the same policy for the compiled core."""
    sampler = RateSampler(helpers_key(seed))
    raised_before = 0

    def decide(view: View) -> int:
        nonlocal raised_before
        if view.stack == 0:
            return 0
        wins, ties = sampler.rates([*view.hole, None, None, *view.board, *[None] * (5 - len(view.board))], 64)
        chance = wins / 64 + ties / 128
        if chance < 0.2 and view.hole[0] // 13 == 3:
            return -1
        if chance < 0.6:
            return 0
        some = min(view.stack, 1 + (view.hole[1] % 13 + 1 + raised_before) % 40)
        raised_before = view.stack if chance > 0.9 else some
        return raised_before

    return decide


def one(folder: Path, name: str, source: Source) -> Entrant:
    place = folder / name.replace(".", "_")
    place.mkdir()
    (entrant,) = build(place, {name: source}).values()
    assert entrant.problem is None, entrant.problem
    return entrant


@pytest.mark.parametrize("name", FORMS)
def test_every_form_plays_the_same_hands(tmp_path: Path, name: str) -> None:
    """Deals, Bob's dice and the samples are the same, so with one seed all is."""
    result, record = play_built(one(tmp_path, name, FORMS[name]), 7, hands=500, random_seed=2**63 + 5)
    wanted = play_core(oracles_policy(2**63 + 5), 7, sessions=1, hands=500)
    assert record.hands == wanted.hands and record.sessions == wanted.sessions
    assert (result.sums[0].points, result.faults) == (wanted.points, ())
    assert {hand.folded_by for hand in record.hands} == {0, 1, 2} and len(wanted.asked) > 1000
    assert any(view.stack == 0 for view in wanted.asked)


def test_helpers_answer_about_any_state(tmp_path: Path) -> None:
    source = """
    from texas import *

    def make_decision(state):
        assert state.bob == (UNKNOWN, UNKNOWN) and state.alice[0] != UNKNOWN
        tie = State([(0, 1), (0, 2)], [(1, 1), (1, 2)], [Card(2, value) for value in range(9, 14)])
        assert get_result(tie) == 0 and get_rates_by_sampling(tie, 3) == (0, 1)
        win = tie._replace(alice=((0, 1), (0, 13)), community=((0, 4), (1, 6), (2, 8), (0, 10), (3, 11)))
        assert get_result(win) == 1 and get_result(win._replace(alice=win.bob, bob=win.alice)) == -1
        assert get_rates_by_sampling(win, 5) == (1, 0)
        return ActionType.RAISE, 1
    """
    result, record = play_built(one(tmp_path, "maker.py", source), 7, hands=3)
    assert result.faults == ()
    assert {hand.raises[0] for hand in record.hands} == {1}


NO_STATE = "ValueError: a helper was asked about a state that is none (a card twice or out of range, or one missing)"
PYTHON_FAULTS = {
    "return ActionType.RAISE, 101": "answered RAISE 101, which is no answer to this",
    "return ActionType.RAISE, 0": "answered RAISE 0, which is no answer to this",
    "return ActionType.CALL, 5": "answered CALL, which is no answer to this",
    "return 10": "TypeError: returned 10, expected a pair such as (ActionType.RAISE, 10)",
    "return 'CHECK', 0": "TypeError: returned 'CHECK' as the action, expected ActionType.CHECK, FOLD or RAISE",
    "return ActionType.RAISE, '5'": "TypeError: returned '5' as the raise, expected a number",
    "get_result(state)": NO_STATE,
    "get_rates_by_sampling(state._replace(bob=state.alice), 5)": NO_STATE,
    "get_rates_by_sampling(state, 0)": "ValueError: get_rates_by_sampling was asked for fewer than one sample",
    "get_rates_by_sampling(state, 2**40)": "took more than 0.3 s of processor time for a decision: it loops or is"
    " too slow",
}


def test_faults_of_python_bots_are_said_in_words(tmp_path: Path, impatient: None) -> None:
    """Bots fail in the sixth call, in round 2 of the second hand, which is then checked down."""
    head = "from texas import *\ncalls = 0\ndef make_decision(state):\n    global calls\n    calls += 1\n"
    sources = {
        f"bot{number}.py": f"{head}    if calls == 6:\n        {what}\n    return ActionType.CHECK\n"
        for number, what in enumerate(PYTHON_FAULTS)
    }
    bots = build(tmp_path, sources)
    entrants = [bots[f"bot{number}"] for number in range(len(PYTHON_FAULTS))]
    legs = [leg_of(entrant, 5) for entrant in entrants]
    played = play_processes(entrants, legs, hands=3)
    for (result, record), (what, said) in zip(played, PYTHON_FAULTS.items()):
        (fault,) = result.faults
        assert (fault.game, fault.decision) == (1, "makeDecision"), what
        seen = r"makeDecision: alice( \d+ \d+){2}, board( \d+ \d+){3}, round 2, stack 100, bobs_stack 100, pot 10"
        assert re.fullmatch(seen, fault.question_text), fault.question_text
        assert fault.message.startswith(said), (what, fault.message)
        assert [hand.answers for hand in record.hands] == [(1, 1, 1, 1)] * 3
        assert result.ended_by is None


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set a limit for each decision, which this contest doesn't have."""

    def of_process(settings: BankedSettings, kind: str) -> ProcessTime:
        return replace(ContestSettings.process_time(settings, kind), for_decision=0.3)

    monkeypatch.setattr(BankedSettings, "process_time", of_process)


# The judge's tests have the rest of what the protocol forbids.
BAD = {
    "malformed": (program('say("ACTION RAISE ten")'), 'ten is not an integer: "ACTION RAISE ten"', 0),
    "busy": (program(f"while hand == 2: pass\n{CHECKS}"), "took more than 0.3 s of processor time for a decision", 1),
}


def test_program_that_breaks_protocol_ends_its_session(tmp_path: Path, impatient: None) -> None:
    """Sessions end at the first fault, which quotes the line. Other bots play as they do alone."""
    sources: dict[str, Source] = {name: source for name, (source, _, _) in BAD.items()}
    bots = build(tmp_path, {**sources, "fine.py": PYTHON})
    legs = [leg_of(bot, 7, 9) for bot in bots.values()]
    played = dict(zip(bots, play_processes(list(bots.values()), legs, hands=60, max_faults=3)))
    wanted = play_core(oracles_policy(9), 7, sessions=1, hands=60)
    assert played["fine"][1].hands == wanted.hands and not played["fine"][0].faults
    for name, (_, said, hand) in BAD.items():
        result, record = played[name]
        (fault,) = result.faults
        assert result.ended_by == 0 and said in fault.message, (name, fault.message)
        assert fault.game == len(record.hands) == hand, name


def test_lines_written_ahead_are_taken_in_turn(tmp_path: Path) -> None:
    lines = 'print("RATE 3", flush=True); print("ACTION CHECK", flush=True)'
    ahead = script(f"import sys\nfor _ in range(900): {lines}\nfor line in sys.stdin: pass\n")
    result, record = play_built(one(tmp_path, "ahead", ahead), 7, hands=200)
    assert result.faults == ()
    assert {hand.answers for hand in record.hands} == {(1, 1, 1, 1)}


def test_documented_dialogue_is_what_commands_write(tmp_path: Path) -> None:
    (dialogue,) = re.findall(r"\n\n```\n(< .*?)```", PAGE, re.DOTALL)
    (commands,) = re.findall(r"```\n(tournament new [^`]*tournament judge [^`]*)```", PAGE)
    for line in commands.splitlines():
        ended = command(tmp_path, *shlex.split(line)[1:])
        assert ended.code == 0, ended.err
    assert (tmp_path / "said.txt").read_text() == dialogue
