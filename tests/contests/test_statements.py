"""Numbers, examples and sample bots of the contests' statements."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.native_parity.programs import Question, asked, questions_of
from tests.oracles.two_card_draw import Luck, Probabilities, play_hand
from tests.support import VIEW
from tournament.contests import find_contest
from tournament.contests.holdem_training.protocol import RATE_BUDGET
from tournament.contests.holdem_training.rules import Settings as HoldemSettings
from tournament.contests.questions import view_values
from tournament.contests.two_card_draw.rules import EXAMPLES
from tournament.contests.two_card_draw.rules import Settings as DrawSettings
from tournament.entrants.build import build_entrants
from tournament.sandbox.outside.settings import SandboxSettings

SHIPPED = Path(__file__).parents[2] / "entrants"


def answers_of(contest: str, file: str, questions: list[Question], folder: Path) -> list[int]:
    """Return answers of a shipped bot to questions."""
    shutil.copy(SHIPPED / contest / file, folder)
    rules = find_contest(contest)
    (entrant,) = build_entrants(rules, rules.settings(), SandboxSettings(), folder, lambda _text: None)
    answers = asked(rules, entrant, questions)
    assert isinstance(answers, list), answers
    return answers


def likeme(card: float, money: int, theirs: int, bet: int | None) -> int:
    if bet is not None:
        mine = likeme(card, money, theirs, None)
        return int((int(mine * 1.2) if money < 50 else mine) >= bet)
    if money < 10:
        return money
    if card > 0.5 and theirs <= 50:
        return theirs
    low, high = np.float32(0.5), np.float32(0.9)
    lead = money // (theirs + 20)
    if lead > 1:
        by = np.float32(min(lead / 2 + 1, 1.5))
        low, high = low / by, high / by
    if card < low:
        return 0
    return 50 if card > high else int((np.float32(card) - low) / (high - low) * np.float32(50))


def kuhn3(card: float, money: int, _theirs: int, bet: int | None) -> int:
    if bet is None:
        return min(10, money) if 9 * card < 1 or 3 * card > 2 else 0
    return int(money >= bet and 9 * card > 5)


SAMPLES: dict[str, Callable[[float, int, int, int | None], int]] = {
    "naive": lambda card, _money, _theirs, bet: int(50 * card - 25) if bet is None else int(card > 0.5),
    "kuhn3": kuhn3,
    "likeme": likeme,
}


@pytest.mark.parametrize("name", SAMPLES)
def test_statement_poker_bots_decide_as_given(name: str, tmp_path: Path) -> None:
    """Stacks are of all sizes, also such as no session has."""
    questions = questions_of("von_neumann_poker")
    questions += [
        (kind, VIEW.pack(card, -1, money, 200 - money, 12))
        for kind in (0, 1)
        for money in (1, 9, 10, 49, 50, 145, 146, 147, 150, 190)
        for card in (0.0, 0.1, 0.125, 0.25, 1 / 3, 0.5, 0.625, 0.6875, 0.75, 0.9375)
    ]
    wanted = []
    for kind, view in questions:
        card, _, money, theirs, bet = VIEW.unpack(view)
        wanted.append(SAMPLES[name](card, money, theirs, bet if kind else None))
    assert answers_of("von_neumann_poker", f"{name}.c", questions, tmp_path) == wanted


def test_statement_draw_bot_raises_only_pair_of_fours(tmp_path: Path) -> None:
    questions = questions_of("two_card_draw")
    answers = answers_of("two_card_draw", "sample.cpp", questions, tmp_path)
    fours = 0
    for (kind, view), answer in zip(questions, answers):
        shown = view_values(find_contest("two_card_draw").interface, kind, view)
        best = (shown.get("card1"), shown.get("card2")) == (4, 4)
        if kind in (1, 2, 4):
            assert answer == (best if kind == 1 else 1 + best)
            fours += best
    assert fours


def test_statement_example_of_hand_comes_out() -> None:
    """Bots with 1 and 2 bet, are called, draw a 4, and lose to 3 and 4 after a check and a call."""
    heard: list[tuple[str, tuple[int, ...]]] = []

    class Bot:
        """Does 1, whatever it is asked."""

        def __getattr__(self, name: str) -> Callable[..., int]:
            def answer(*told: int) -> int:
                heard.append((name, told))
                return 1

            return answer

    bot: Any = Bot()
    calls, draws_one = (0.0, 1.0, 0.0), (0.0, 1.0, 0.0)
    server: dict[Any, Probabilities] = {
        ("ROUND1", 0, 4, 1): calls,
        ("DRAW", 0, 4, 1, 1, 0): draws_one,
        ("ROUND2", 3, 4, 1, 0, 1, 1, 0): calls,
    }
    # What each is dealt, then what each may draw, of which one card is the second.
    luck = Luck([2, 1, 4, 0, 0, 4, 0, 3], dict.fromkeys(["round1, 0", "draw", "round2, 0"], 0.5))
    played = play_hand(bot, server, 3, 5, luck, 0)
    assert heard == [
        ("new_hand", (1, 2, 0)), ("draw", (1, 2, 1)), ("round2", (2, 4, 1, 0, 1)), ("showdown", (2, 4, 3, 4))
    ]  # fmt: skip
    assert played.gain_0 == -(1 + 3)


def test_numbers_of_two_card_draw() -> None:
    settings = DrawSettings()
    assert (settings.hands, settings.servers, len(EXAMPLES)) == (10_000, 16, 4)
    of_process = settings.process_time("program")
    assert (settings.memory_megabytes, of_process.bank, of_process.for_decision) == (64, 20, 20)


def test_numbers_of_holdem_training() -> None:
    """50,000 hands of the function form are five matches of the terminal form."""
    settings = HoldemSettings()
    assert (settings.hands, settings.sessions * settings.hands) == (10_000, 50_000)
    assert (settings.memory_megabytes, settings.seconds, settings.process_time("program").bank) == (512, 120, 10)
    assert RATE_BUDGET == 3_000_000
