"""Deals: the published generators, exact cards, uniform and independent ones."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine.deals import deal_word
from tests.oracles.deals import philox, poker_deals, splitmix, stream
from tests.oracles.von_neumann_poker import Bot
from tests.support import constant_bot, play_core, poker_settings, poker_tables
from tournament.contests.von_neumann_poker import VON_NEUMANN_POKER
from tournament.leg import LegPlan

words64 = st.integers(0, 2**64 - 1)


@pytest.mark.parametrize(
    ("counter", "key", "answer"),
    [
        ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
    ],
)
def test_philox_gives_the_known_answers(counter: str, key: str, answer: str) -> None:
    """The philox4x32-10 lines of kat_vectors in the Random123 distribution."""

    def words(text: str) -> list[int]:
        return [int(word, 16) for word in text.split()]

    c0, c1, c2, c3 = words(counter)
    k0, k1 = words(key)
    assert philox((c0, c1, c2, c3), (k0, k1)) == tuple(words(answer))


def test_splitmix_gives_the_published_outputs() -> None:
    """The first outputs for seed 1234567, as other implementations list them."""
    assert list(islice(splitmix(1234567), 5)) == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(key=words64, session=words64, game=st.integers(0, 49))
def test_words_are_philox_then_splitmix(key: int, session: int, game: int) -> None:
    """The compiled words against the plain ones, with keys and sessions of any size."""
    assert deal_word(key, session, game) == next(islice(stream(key, session), game, None))


def test_the_first_word_of_all_by_hand() -> None:
    """Key, session and game 0: Philox's known answer is where SplitMix64 starts."""
    assert deal_word(0, 0, 0) == next(splitmix(0xE169C58D_6627E8D5))


def dealt(bot: Bot, key: int, *, seats_swapped: bool = False) -> dict[tuple[int, int], tuple[float, float]]:
    """The cards of a leg's games, by session and game."""
    record = play_core(bot, bot, key, sessions=12, seats_swapped=seats_swapped)
    return {(game.session, game.game): (game.a_card, game.b_card) for game in record.games}


@pytest.mark.parametrize("key", [0, 7, 2**63 + 5, 2**64 - 1])
def test_cards_depend_on_nothing_that_was_played(key: int) -> None:
    """Whatever the bots did and whoever was A, a game's cards are those of its place."""
    deal = poker_deals(key)
    lengths = set()
    for bot in (constant_bot(0, 0), constant_bot(50, 1), constant_bot(1, 0)):
        for seats_swapped in (False, True):
            cards = dealt(bot, key, seats_swapped=seats_swapped)
            assert cards == {place: deal(*place) for place in cards}
            lengths.add(len(cards))
    assert len(lengths) > 1, "the bots should play legs of different lengths"


def test_cards_are_multiples_of_2_to_the_minus_24_below_1() -> None:
    """Every card is exact in a float; both end in odd places often enough to use all 24 bits."""
    cards = [card for pair in dealt(constant_bot(1, 0), 11).values() for card in pair]
    assert all(0 <= card < 1 and (card * 2**24).is_integer() for card in cards)
    assert len({int(card * 2**24) % 2 for card in cards}) == 2


def test_both_legs_of_a_duplicate_match_have_the_same_deals() -> None:
    """Cards by session and game are equal, the roles are exchanged."""
    legs = []
    for number in (0, 1):
        tables = poker_tables()
        core = VON_NEUMANN_POKER.new_core(LegPlan(3, number, 2, deals_key=99), poker_settings(), *tables)
        while core.play(0):  # all pass
            pass
        legs.append({name: values[: tables[0].rows] for name, values in tables[0].arrays.items()})
    first, second = legs
    assert (first["a_card"] == second["a_card"]).all() and (first["b_card"] == second["b_card"]).all()
    assert (first["x_is_a"] != second["x_is_a"]).all()
    assert set(first["session"]) == {0, 1} and set(second["session"]) == {2, 3}


def test_identical_bots_mirror_each_other_in_a_duplicate_match() -> None:
    """What x wins in one leg, y wins in the other."""
    straight = play_core(constant_bot(50, 1), constant_bot(50, 1), 5, sessions=20)
    swapped = play_core(constant_bot(50, 1), constant_bot(50, 1), 5, sessions=20, seats_swapped=True)
    assert [s.x_gain for s in straight.sessions] == [-s.x_gain for s in swapped.sessions]
    assert straight.sums.points == -swapped.sums.points


def grid(keys: range, sessions: range, games: range) -> NDArray[np.float64]:
    """Cards with the axes key, session, game, (A, B)."""
    words = np.array(
        [[[deal_word(key, session, game) for game in games] for session in sessions] for key in keys], dtype=np.uint64
    )
    halves = np.stack([words >> np.uint64(32), words & np.uint64(0xFFFF_FFFF)], axis=-1)
    return (halves >> np.uint64(8)).astype(np.float64) / 2**24


def surprise(counts: NDArray[np.float64]) -> float:
    """Chi-square of counts against equal ones, in standard errors from its mean."""
    expected = counts.sum() / counts.size
    degrees = counts.size - 1
    return float((((counts - expected) ** 2 / expected).sum() - degrees) / np.sqrt(2 * degrees))


def pair_counts(one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.histogram2d(one.ravel(), other.ravel(), bins=16, range=((0, 1), (0, 1)))[0]


@pytest.mark.statistical
def test_cards_are_uniform() -> None:
    """300,000 cards in 256 bins, and their low bits, within 4 standard errors."""
    cards = grid(range(1), range(3_000), range(50)).ravel()
    assert abs(surprise(np.histogram(cards, bins=256, range=(0, 1))[0].astype(np.float64))) < 4
    assert abs(surprise(np.bincount((cards * 2**24).astype(np.int64) % 256).astype(np.float64))) < 4
    # The mean of n uniform variates has standard error 1/√(12n).
    assert abs(cards.mean() - 0.5) < 4 / np.sqrt(12 * cards.size)


@pytest.mark.statistical
def test_cards_are_independent() -> None:
    """A's and B's, and the same player's in neighbouring games, sessions and keys: 16 × 16 bins."""
    cards = grid(range(4), range(600), range(50))
    a_cards, b_cards = cards[..., 0], cards[..., 1]
    assert abs(surprise(pair_counts(a_cards, b_cards))) < 4
    for side in (a_cards, b_cards):
        assert abs(surprise(pair_counts(side[:, :, :-1], side[:, :, 1:]))) < 4
        assert abs(surprise(pair_counts(side[:, :-1], side[:, 1:]))) < 4
        assert abs(surprise(pair_counts(side[:-1], side[1:]))) < 4
