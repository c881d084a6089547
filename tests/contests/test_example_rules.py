"""The rules of examples/: exact scores, and an oracle of pots."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.chance import Rng
from tests.contest_runs import EXAMPLES
from tests.oracles.deals import key_of
from tests.oracles.poker_hands import card, worth_of_seven
from tests.python_rules import play_field, play_table
from tournament.contests.contest import Contest
from tournament.contests.rules_loader import load_rules


def rules_of(name: str) -> Contest:
    return load_rules(f"{name}.py", EXAMPLES / name)


def bots_of(name: str, *chosen: str) -> dict[str, tuple[str, str]]:
    """Return sources of an example's bots, as `play_table` takes them."""
    folder = EXAMPLES / name / "entrants" / name
    paths = {path.stem: path for path in sorted(folder.iterdir())}
    read = {
        bot: (paths[bot].suffix, paths[bot] if paths[bot].suffix else paths[bot] / "bot.py") for bot in chosen or paths
    }
    return {bot: (suffix, path.read_text()) for bot, (suffix, path) in read.items()}


def module_of(name: str) -> Any:
    """Return the module of an example's file."""
    source = rules_of(name).source
    assert source is not None and source.content is not None
    return sys.modules[f"tournament_rules_{hashlib.sha256(source.content).hexdigest()}"]


SPLITS = {"even": [2, 2, 2, 2, 2], "front": [4, 3, 3, 0, 0], "spear": [10, 0, 0, 0, 0], "wide": [1, 2, 3, 4, 0]}


def test_colonel_blotto_gives_five_fixed_bots_their_exact_scores() -> None:
    played = play_field(rules_of("blotto"), bots_of("blotto"), sessions=2)
    assert len(played) == 10
    for names, (result, _) in played.items():
        one, other = (SPLITS.get(name, [-1] * 5) for name in names)  # greedy loses every box
        won = sum((a > b) - (a < b) for a, b in zip(one, other))
        assert result.faults == () and [sums.points for sums in result.sums] == [10 * won, -10 * won], names


def payout(paid: Sequence[int], folded: Sequence[bool], hands: Mapping[int, Any], button: int) -> list[int]:
    """Share out pots chip by chip.

    Positions that paid as much as a chip's height can win it. Chips that are left of a pot go one by one to its winners
    after the button.
    """
    seats = len(paid)
    won, pots = [0] * seats, dict[frozenset[int], int]()
    live = [seat for seat in range(seats) if not folded[seat]]
    for height in range(1, max(paid) + 1):
        who = frozenset(seat for seat in live if paid[seat] >= height)
        pots[who] = pots.get(who, 0) + sum(one >= height for one in paid)
    for who, chips in pots.items():
        best = [seat for seat in who if len(live) == 1 or hands[seat] == max(hands[one] for one in who)]
        for seat in best:
            won[seat] += chips // len(best)
        for seat in sorted(best, key=lambda seat: (seat - button - 1) % seats)[: chips % len(best)]:
            won[seat] += 1
    return won


@settings(max_examples=60)
@given(st.data())
def test_holdem_hand_conserves_chips_and_pays_as_the_oracle(data: st.DataObject) -> None:
    """Chips are conserved at every question, and limits of a raise hold."""
    module = module_of("holdem")
    stacks = data.draw(st.lists(st.integers(1, 60), min_size=2, max_size=6))
    seats, button = len(stacks), data.draw(st.integers(0, len(stacks) - 1))
    deck = data.draw(st.permutations(range(52)))
    hand = module.Hand(module.Holdem(rules_of("holdem").settings()).ask, stacks, button)
    hand.cards = [deck[2 * seat : 2 * seat + 2] for seat in range(seats)]
    for shown in (0, 3, 4, 5):
        hand.board = deck[-5:][:shown]
        play, answer = hand.betting(), None
        while (question := sent(play, answer)) is not None:
            told = question.plain()
            assert sum(told["stacks"]) + told["pot"] == sum(stacks) and min(told["stacks"]) >= 0
            assert not told["folded"][question.position] and told["stacks"][question.position] > 0
            assert told["to_call"] <= told["stacks"][question.position]
            answer = data.draw(
                st.sampled_from(["call", "raise", "fold"]) if question.decision.name == "act" else st.integers(0, 70)
            )
            if question.decision.name == "raise_to":
                assert max(told["bets"]) < told["least"] <= told["most"]
        if hand.folded.count(0) == 1:
            break
    live = [seat for seat in range(seats) if not hand.folded[seat]]
    assert live
    if len(live) > 1:
        assert all(hand.paid[seat] == max(hand.paid) or not hand.stacks[seat] for seat in live)
    worth = {seat: worth_of_seven(map(card, hand.cards[seat] + hand.board)) for seat in live} if len(live) > 1 else {}
    won = hand.payout()
    assert won == payout(hand.paid, [bool(one) for one in hand.folded], worth, button)
    assert sum(won) + sum(hand.stacks) == sum(stacks)


def sent(play: Any, answer: Any) -> Any:
    """Return the next question, or None."""
    try:
        return play.send(answer)
    except StopIteration:
        return None


@pytest.mark.thorough
def test_geese_play_same_games_as_kaggle_runner(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rewards of Kaggle's `env.run` with the same bots and chance are those of our records."""
    environments = pytest.importorskip("kaggle_environments")
    source = bots_of("hungry_geese", "nearest")["nearest"]
    turns = source[1] + "\n\ndef move(view):\n    return ['NORTH', 'EAST', 'SOUTH', 'WEST'][view.step // 3 % 4]\n"
    east = (".py", "def move(view):\n    return 'EAST'\n")
    bots = {"a": source, "b": source, "c": east, "d": (".py", turns.replace("class Goose", "class _Goose"))}
    ((result, rows),) = play_table(rules_of("hungry_geese"), bots, sessions=4)
    assert result.faults == ()
    from kaggle_environments.envs.hungry_geese import hungry_geese

    for session in range(4):
        monkeypatch.setattr(hungry_geese, "sample", Rng(key_of(1), session << 32).sample)
        env = environments.make("hungry_geese", debug=True)
        monkeypatch.setattr(hungry_geese, "sample", Rng(key_of(1), session << 32).sample)
        final = env.run([kaggle_agent(text) for _, text in bots.values()])[-1]
        assert [rows["games"][f"reward_{seat}"][session] for seat in range(4)] == [one.reward for one in final]
    assert len({*map(int, rows["games"]["reward_0"])}) > 1


def kaggle_agent(source: str) -> Any:
    """Return a bot as Kaggle calls it."""
    names: dict[str, Any] = {}
    exec(source, names)
    move = names["move"] if "move" in names else names["Goose"]().move

    def act(observation: Any) -> Any:
        geese = observation["geese"]
        view = {"cells": [cell for goose in geese for cell in goose], "lengths": [*map(len, geese)]}
        told = {name: observation[name] for name in ("food", "index", "step")}
        return move(SimpleNamespace(**view, **told))

    return act
