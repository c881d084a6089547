"""Alice's wins and ties when the unknown cards are dealt at random.

Nine places have six bits each, starting with the lowest: Alice's two cards, Bob's two, the board's five. An unknown
card is 52. Python bots call this from inside their sandbox, so it needs nothing but this package's own tables.
"""

cimport cython
from libc.stdint cimport uint8_t, uint16_t

from engine.kernel.deals cimport Key, read_key, spread, start_stream, stream_word
from engine.games.holdem_training.hand_strength cimport hand_tables, strength, strength_with
from engine.games.holdem_training.unseen cimport Unseen, draw, see_all_but


@cython.final
cdef class RateSampler:
    """Samples with a new random word for each query, so that no query affects another.

    A bot learns the numbers of samples won and tied, which is little of a word. The complete word would only reveal
    that query's samples.

    Args:
        key: Key that determines the words, 32 bytes.

    Raises:
        ValueError: The key has another length.
    """

    def __init__(self, bytes key):
        cdef Key words
        read_key(&words, key)
        start_stream(&self.starts, &words, 0)
        self.tables = hand_tables()

    cdef bint sample(self, uint64_t places, int64_t samples, int64_t* wins, int64_t* ties) noexcept nogil:
        """Deal a number of samples, and count Alice's wins and ties.

        Return false, and count nothing, if a card isn't one or occurs twice.
        """
        cdef const HandTables* tables = self.tables
        cdef Unseen unseen
        cdef uint64_t hole_keys[2]
        cdef uint64_t hole_bits[2]
        cdef int unknown[3]       # numbers of Alice's, Bob's and the board's cards
        cdef uint64_t board_keys = tables.start
        cdef uint64_t board_bits = 0
        cdef uint64_t seen = 0
        cdef uint64_t start, word, keys, bits, number = 0
        cdef uint64_t player_keys[2]
        cdef uint64_t player_bits[2]
        cdef uint16_t strengths[2]
        cdef int place, player, card, drawn, _i
        cdef int64_t _sample, won = 0, tied = 0
        unknown[0] = unknown[1] = unknown[2] = 0
        hole_keys[0] = hole_keys[1] = 0
        hole_bits[0] = hole_bits[1] = 0
        for place in range(PLACES):
            card = <int>(places >> 6 * place & 63)
            player = min(place // 2, 2)
            if card == UNKNOWN:
                unknown[player] += 1
                continue
            if card > UNKNOWN or seen >> card & 1:
                return False
            seen |= 1ULL << card
            if player < 2:
                hole_keys[player] += tables.keys[card]
                hole_bits[player] |= tables.bits[card]
            else:
                board_keys += tables.keys[card]
                board_bits |= tables.bits[card]
        see_all_but(&unseen, seen)
        start = stream_word(&self.starts, self.queries)
        self.queries += 1
        if unknown[2] == 0:
            for player in range(2):
                if unknown[player] == 0:
                    strengths[player] = strength(
                        tables, board_keys + hole_keys[player], board_bits | hole_bits[player]
                    )
        for _sample in range(samples):
            word = spread(start, number)
            number += 1
            drawn = 0
            for player in range(2):
                player_keys[player] = hole_keys[player]
                player_bits[player] = hole_bits[player]
                for _i in range(unknown[player]):
                    word = draw(&unseen, drawn, word)
                    card = unseen.cards[drawn]
                    player_keys[player] += tables.keys[card]
                    player_bits[player] |= tables.bits[card]
                    drawn += 1
            keys = board_keys
            bits = board_bits
            for _i in range(unknown[2]):
                if drawn == 4:    # a word suffices for five draws
                    word = spread(start, number)
                    number += 1
                word = draw(&unseen, drawn, word)
                card = unseen.cards[drawn]
                keys += tables.keys[card]
                bits |= tables.bits[card]
                drawn += 1
            for player in range(2):
                if unknown[2] or unknown[player]:
                    strengths[player] = strength(tables, keys + player_keys[player], bits | player_bits[player])
            won += strengths[0] > strengths[1]
            tied += strengths[0] == strengths[1]
        wins[0] = won
        ties[0] = tied
        return True

    cdef int result(self, uint64_t places) noexcept nogil:
        """Return 1, 0 or -1 if Alice wins, ties or loses, and NOT_CARDS unless all nine are different cards."""
        cdef const HandTables* tables = self.tables
        cdef uint64_t keys = tables.start
        cdef uint64_t bits = 0
        cdef uint64_t seen = 0
        cdef uint8_t cards[PLACES]
        cdef int place, alices, bobs
        for place in range(PLACES):
            cards[place] = <uint8_t>(places >> 6 * place & 63)
            if cards[place] >= UNKNOWN or seen >> cards[place] & 1:
                return NOT_CARDS
            seen |= 1ULL << cards[place]
            if place >= 4:
                keys += tables.keys[cards[place]]
                bits |= tables.bits[cards[place]]
        alices = strength_with(tables, keys, bits, &cards[0])
        bobs = strength_with(tables, keys, bits, &cards[2])
        return (alices > bobs) - (alices < bobs)

    def rates(self, cards, int64_t samples):
        """Return Alice's wins and ties in a number of samples, each of which deals the unknown cards at random.

        Args:
            cards: Nine cards: Alice's two, Bob's two and the board's five. Each is from 0 to 51, or None if unknown.
            samples: Number of samples.

        Raises:
            ValueError: There aren't nine cards, one is out of range, two known ones are the same, or `samples` is
                below 1.
        """
        cdef int64_t wins = 0
        cdef int64_t ties = 0
        cdef uint64_t places = packed(cards)
        if samples < 1:
            raise ValueError("at least one sample")
        with nogil:
            good = self.sample(places, samples, &wins, &ties)
        if not good:
            raise ValueError("not different cards")
        return wins, ties

    def compare(self, cards):
        """Return 1, 0 or -1 if Alice wins, ties or loses with these nine cards.

        Raises:
            ValueError: There aren't nine different cards.
        """
        result = self.result(packed(cards))
        if result == NOT_CARDS:
            raise ValueError("not different cards")
        return result


cdef uint64_t packed(cards) except? 0:
    cdef uint64_t places = 0
    cdef int place
    if len(cards) != PLACES:
        raise ValueError("nine cards, those that aren't known as None")
    for place in range(PLACES):
        card = UNKNOWN if cards[place] is None else cards[place]
        if not 0 <= card <= UNKNOWN:
            raise ValueError("cards are 0 to 51")
        places |= <uint64_t>card << 6 * place
    return places
