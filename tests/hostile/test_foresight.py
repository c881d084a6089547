"""Bots that try to foresee cards: by working the dealer's generator back, or by guessing the seed."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.games.holdem_training.core import BOB_CALLED
from engine.kernel.deals import deal_word
from tests.holdem import play_core
from tests.oracles.deals import WORD64, key_of, splitmix
from tests.support import build_folder, play_built, poker_settings
from tournament import api
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER

BOTS = Path(__file__).parent / "foresight"
CALLER = (
    "int a(const Bot *bot) { return bot->card > 0.3f ? 10 : 0; } int b(const Bot *bot, const int bet) { return 1; }"
)
GAMMA = 0x9E37_79B9_7F4A_7C15


def block_errors(points: NDArray[np.float64]) -> float:
    """The standard error of the sum of equal blocks."""
    return float(np.std(points, ddof=1) * np.sqrt(len(points)))


def test_cards_cannot_be_worked_back(tmp_path: Path) -> None:
    """The bot wins no more than the same bot that doesn't try, on the same deals."""
    source = (BOTS / "works_back.c").read_text()
    blind = source.replace("#define WORKS_BACK 1", "#define WORKS_BACK 0")
    bots = build_folder(tmp_path, {"works_back.c": source, "blind.c": blind, "caller.c": CALLER})
    # To try all words behind a showdown takes some million instructions: more than the usual bank has for each.
    settings = poker_settings(sessions=400, fuel_per_session=200_000_000)
    tries, _ = play_built(bots["works_back"], bots["caller"], settings=settings)
    plays, _ = play_built(bots["blind"], bots["caller"], settings=settings)
    assert tries.faults == plays.faults == ()
    gained = np.array(tries.sums[0].blocks) - np.array(plays.sums[0].blocks)
    assert abs(gained.sum()) <= 4 * block_errors(gained)


def test_a_seed_that_nobody_gave_cannot_be_guessed(tmp_path: Path) -> None:
    """The bot that guesses knows all cards of a guessable seed; of one that was drawn it knows none."""
    bots = tmp_path / "bots"
    bots.mkdir()
    (bots / "a_guesser.py").write_text((BOTS / "guesses_the_seed.py").read_text())
    (bots / "caller.c").write_text(CALLER)
    config = tmp_path / "tournament.toml"
    config.write_text(
        f'[{VON_NEUMANN_POKER.name}]\nentrants = "bots"\nsessions = 60\nmemory_megabytes = 512\n'
        "cpu_seconds_per_decision = 60.0\nwall_seconds_per_decision = 60.0\n"
    )
    points = {}
    for place, seed in (("guessed", 20_200_819), ("drawn", None)):
        results = api.run(config=config, results=tmp_path / place, seed=seed, executor="local", workers=1)
        assert not len(results.faults)
        table = results.matches
        points[place] = float(table.x_points.iloc[0])
        games = results.games
        # It bets 20 unless it knows the other's card.
        points[f"{place}, foreseen"] = float(((games.bet > 20) & games.x_is_a).sum())
    assert points["guessed"] > 60 * 5
    assert points["guessed, foreseen"] > 60
    assert points["drawn, foreseen"] == 0


# What a bot could see at most: whole words, in order. No generator that is a counter, a shift register
# or a congruence could have made them.

STREAMS = [
    [deal_word(key_of(key), stream, number) for number in range(600)] for key, stream in ((0, 0), (1, 0), (1, 1))
]
IDS = ["first", "other key", "other stream"]


def unmixed(word: int) -> int:
    """The state behind a word, if it was SplitMix64's."""
    word ^= word >> 31 ^ word >> 62
    word = word * 0x3196_42B2_D24D_8EC3 & WORD64
    word ^= word >> 27 ^ word >> 54
    word = word * 0x96DE_1B17_3F11_9089 & WORD64
    return word ^ word >> 30 ^ word >> 60


def test_the_mixer_is_undone_rightly() -> None:
    words = [next(splitmix(seed)) for seed in (0, 1, 2**63)]
    assert [unmixed(word) for word in words] == [(seed + GAMMA) & WORD64 for seed in (0, 1, 2**63)]


@pytest.mark.parametrize("words", STREAMS, ids=IDS)
def test_no_counter_stands_behind_a_mixer(words: list[int]) -> None:
    steps = [(later - earlier) & WORD64 for earlier, later in pairwise(map(unmixed, words))]
    assert GAMMA not in steps
    assert len(set(steps)) == len(steps)


@pytest.mark.parametrize("words", STREAMS, ids=IDS)
@pytest.mark.parametrize("modulus", [2**64, 2**63, 2**48, 2**61 - 1])
def test_no_congruence_gives_the_next_word(words: list[int], modulus: int) -> None:
    """Of x → ax + c, two differences give a, and so all that follow."""
    differences = [(later - earlier) % modulus for earlier, later in pairwise(words)]
    right = tried = 0
    for one, two, three in zip(differences, differences[1:], differences[2:]):
        if one % 2:
            tried += 1
            right += pow(one, -1, modulus) * two * two % modulus == three
    assert tried > 200
    assert right == 0


def linear_complexity(bits: list[int]) -> int:
    """The length of the shortest linear shift register that makes these bits (Berlekamp and Massey)."""
    current, before = 1, 1  # polynomials, a bit for each coefficient
    length, shift, register = 0, 1, 0
    for place, bit in enumerate(bits):
        register = register << 1 | bit
        if (current & register & (1 << place + 1) - 1).bit_count() % 2:
            if 2 * length <= place:
                current, before = current ^ before << shift, current
                length, shift = place + 1 - length, 1
            else:
                current ^= before << shift
                shift += 1
        else:
            shift += 1
    return length


def test_linear_complexity_knows_a_shift_register() -> None:
    """xorshift64 (G. Marsaglia, 2003) has 64 bits of state; each of its bits is a register of that length."""
    state, bits = 1, []
    for _ in range(600):
        state ^= state << 13 & WORD64
        state ^= state >> 7
        state ^= state << 17 & WORD64
        bits.append(state & 1)
    assert linear_complexity(bits) == 64


@pytest.mark.parametrize("words", STREAMS, ids=IDS)
@pytest.mark.parametrize("bit", [0, 8, 31, 32, 40, 63])
def test_no_shift_register_stands_behind_a_bit(words: list[int], bit: int) -> None:
    """For n random bits the expectation is n/2, the variance about 86/81 (R. Rueppel, 1986)."""
    found = linear_complexity([word >> bit & 1 for word in words])
    assert abs(found - len(words) / 2) < 10


@pytest.mark.parametrize("words", STREAMS, ids=IDS)
def test_equal_words_are_as_rare_as_chance_has_it(words: list[int]) -> None:
    assert len(set(words)) == len(words)


def test_another_session_or_key_tells_nothing(tmp_path: Path) -> None:
    """Words at the same place differ in half of their bits, within 4 standard errors."""
    for one, other in ((0, 1), (1, 2), (0, 2)):
        differing = [(a ^ b).bit_count() for a, b in zip(STREAMS[one], STREAMS[other])]
        assert abs(np.mean(differing) - 32) < 4 * 4 / np.sqrt(len(differing))


@pytest.mark.parametrize(("round_", "raised"), [(1, 100), (2, 8)])
def test_bobs_answers_to_one_hand_tell_nothing_of_the_next(round_: int, raised: int) -> None:
    """A bit of each word is all that Alice gets of his dice: here of a thousand, about the same cards each time.

    Rollouts go on from that word by a generator that could be run backwards; no register or habit shows in the bits.
    """
    deck = [12, 24, 19, 33, 0, 23, 37, 45, 2]
    hands = 1000
    record = play_core(
        lambda view: raised if view.round == round_ else 0, 7, sessions=1, hands=hands, decks=[deck] * hands
    )
    answers = [hand.answers[round_ - 1] for hand in record.hands]
    bits = [int(answer == BOB_CALLED) for answer in answers]
    rate = sum(bits) / hands
    assert 0.2 < rate < 0.8, rate
    assert abs(linear_complexity(bits) - hands / 2) < 10
    centred = (np.array(bits) - rate) / np.sqrt(rate * (1 - rate))
    for lag in range(1, 40):
        assert abs((centred[lag:] * centred[:-lag]).sum()) < 4 * np.sqrt(hands)
