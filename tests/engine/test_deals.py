"""Deals: the published generator, and cards that are exact, uniform and independent."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernel.deals import BLOCKS_AT_ONCE, VERSIONS, blocks
from tests.oracles.deals import block_words, key_of, poker_deals
from tests.oracles.von_neumann_poker import Bot
from tests.support import constant_bot, play_core

words64 = st.integers(0, 2**64 - 1)
keys = st.binary(min_size=32, max_size=32)


def test_chacha8_gives_the_published_blocks() -> None:
    """J. Strömbergson, "Test Vectors for the Stream Cipher ChaCha" (an Internet draft of 2013): TC7, 256 bits."""
    key = bytes.fromhex("00112233445566778899aabbccddeeffffeeddccbbaa99887766554433221100")
    made = blocks(key, 0, int.from_bytes(bytes.fromhex("0f1e2d3c4b5a6978"), "little"))
    assert b"".join(struct.pack("<8Q", *block) for block in made[:2]).hex() == (
        "db43ad9d1e842d1272e4530e276b3f568f8859b3f7cf6d9d2c74fa53808cb515"
        "7a8ebf46ad3dcc4b6c7dadde131784b0120e0e22f6d5f9ffa7407d4a21b695d9"
        "c5dd30bf55612fab9bdd118920c19816470c7f5dcd42325dbbed8c57a56281c1"
        "44cb0f03e81b3004624e0650a1ce5afaf9a7cd8163f6dbd72602257dd96e471e"
    )


@given(key=keys, number=words64, stream=words64, across=st.booleans())
def test_vector_versions_give_words_of_plain_one(key: bytes, number: int, stream: int, across: bool) -> None:
    """Versions are for the vectors that a processor has. Numbers wrap around."""
    wanted = [
        block_words(key, number if across else (number + i) % 2**64, (stream + i) % 2**64 if across else stream)
        for i in range(BLOCKS_AT_ONCE)
    ]
    for version in (-1, *range(VERSIONS)):
        assert blocks(key, number, stream, across=across, version=version) == wanted


def dealt(bot: Bot, key: int, *, seats_swapped: bool = False) -> dict[tuple[int, int], tuple[float, float]]:
    """Return the cards of a leg's games by session and game."""
    record = play_core(bot, bot, key, sessions=12, seats_swapped=seats_swapped)
    return {(game.session, game.game): (game.a_card, game.b_card) for game in record.games}


@pytest.mark.parametrize("key", [7, 2**256 - 1])
def test_cards_depend_on_nothing_that_was_played(key: int) -> None:
    """Cards of a game are those of its place, whoever was A and whatever was answered."""
    deal = poker_deals(key_of(key))
    lengths = set()
    for bot in (constant_bot(0, 0), constant_bot(50, 1), constant_bot(1, 0)):
        for seats_swapped in (False, True):
            cards = dealt(bot, key, seats_swapped=seats_swapped)
            assert cards == {place: deal(*place) for place in cards}
            lengths.add(len(cards))
    assert len(lengths) > 1, "the bots should play legs of different lengths"


def test_cards_are_multiples_of_2_to_minus_24() -> None:
    """Cards are exact in a float, and use all 24 bits."""
    cards = [card for pair in dealt(constant_bot(1, 0), 11).values() for card in pair]
    assert all(0 <= card < 1 and (card * 2**24).is_integer() for card in cards)
    assert len({int(card * 2**24) % 2 for card in cards}) == 2
