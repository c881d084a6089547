"""How often Alice wins and ties when the cards that aren't known are dealt at random.

Nine places in six bits each, from the lowest on: Alice's two cards, Bob's two,
the board's five; 52 is a card that isn't known.

WebAssembly bots reach both as imported functions that take and give numbers
alone (texas.h packs and unpacks them), so that nothing here touches a bot's memory.
"""

cimport cython
from libc.stdint cimport uint16_t, uintptr_t
from libc.string cimport strlen

from engine.deals cimport stream_key, stream_word
from engine.hand_strength cimport hand_tables, strength
from engine.referee cimport RuntimeValue
from engine.unseen cimport Unseen, draw, see_all_but

cdef enum:
    NOT_CARDS = -2
    # A sample takes as long as some fifty WebAssembly instructions.
    FUEL_OF_SAMPLE = 50
    FUEL_OF_RESULT = 50


@cython.final
cdef class RateSampler:
    """Samples with random streams of its own, one for each query, so that no answer moves anything else.

    `key` chooses the streams.
    """

    def __init__(self, uint64_t key):
        self.tables = hand_tables()
        self.key = key

    cdef bint sample(self, uint64_t places, int64_t samples, int64_t* wins, int64_t* ties) noexcept nogil:
        """Deal so many times; false if the known cards aren't different cards."""
        cdef const HandTables* tables = self.tables
        cdef Unseen unseen
        cdef uint64_t hole_keys[2]
        cdef uint64_t hole_bits[2]
        cdef int unknown[3]       # of Alice's, Bob's, the board's
        cdef uint64_t board_keys = tables.start
        cdef uint64_t board_bits = 0
        cdef uint64_t seen = 0
        cdef uint64_t stream, word, keys, bits, number = 0
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
        stream = stream_key(self.key, self.queries)
        self.queries += 1
        if unknown[2] == 0:
            for player in range(2):
                if unknown[player] == 0:
                    strengths[player] = strength(
                        tables, board_keys + hole_keys[player], board_bits | hole_bits[player]
                    )
        for _sample in range(samples):
            word = stream_word(stream, number)
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
                if drawn == 4:    # a word is good for five draws
                    word = stream_word(stream, number)
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
        """1, 0 or -1: Alice wins, ties, loses; NOT_CARDS unless all nine are different cards."""
        cdef const HandTables* tables = self.tables
        cdef uint64_t keys = tables.start
        cdef uint64_t bits = 0
        cdef uint64_t seen = 0
        cdef int cards[PLACES]
        cdef int place, alices, bobs
        for place in range(PLACES):
            cards[place] = <int>(places >> 6 * place & 63)
            if cards[place] >= UNKNOWN or seen >> cards[place] & 1:
                return NOT_CARDS
            seen |= 1ULL << cards[place]
            if place >= 4:
                keys += tables.keys[cards[place]]
                bits |= tables.bits[cards[place]]
        alices = strength(
            tables,
            keys + tables.keys[cards[0]] + tables.keys[cards[1]],
            bits | tables.bits[cards[0]] | tables.bits[cards[1]],
        )
        bobs = strength(
            tables,
            keys + tables.keys[cards[2]] + tables.keys[cards[3]],
            bits | tables.bits[cards[2]] | tables.bits[cards[3]],
        )
        return (alices > bobs) - (alices < bobs)

    def rates(self, cards, int64_t samples):
        """(wins, ties) of so many samples; nine cards, None for one that isn't known.

        Raises ValueError for cards that aren't different cards or fewer samples than one.
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
        """1, 0 or -1 as Alice wins, ties or loses with these nine cards. Raises ValueError as `rates` does."""
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


cdef const char* NO_STATE = b"asked a helper about a state that is none (a card twice or out of range, or one missing)"
cdef const char* NO_SAMPLES = b"asked getRatesBySampling for fewer than one sample"
cdef const char* NO_FUEL = b"ran out of fuel (too many samples?)"


cdef void* on_rates(void* helpers, void* caller, RuntimeValue* values, size_t count) noexcept nogil:
    """(nine places, samples) -> wins · 2^32 + ties."""
    return (<RateHelpers>helpers).give_rates(values)


cdef void* on_result(void* helpers, void* caller, RuntimeValue* values, size_t count) noexcept nogil:
    """(nine places) -> 1, 0 or -1."""
    return (<RateHelpers>helpers).give_result(values)


@cython.final
cdef class RateHelpers:
    """The functions that a WebAssembly bot may import: tournament_rates and tournament_result.

    `key` chooses the sampler's streams. They take their fuel from the bot's,
    and trap where they are misused, through the runtime's functions at these
    addresses and the store's context.
    """

    def __init__(self, uint64_t key, *, uintptr_t set_fuel, uintptr_t get_fuel, uintptr_t new_trap, uintptr_t context):
        self.sampler = RateSampler(key)
        self.set_fuel = <SetFuel>set_fuel
        self.get_fuel = <GetFuel>get_fuel
        self.new_trap = <NewTrap>new_trap
        self.context = <void*>context

    @property
    def functions(self):
        """By name: (address of the C function, its first argument)."""
        return {
            "tournament_rates": (<uintptr_t>&on_rates, <uintptr_t><void*>self),
            "tournament_result": (<uintptr_t>&on_result, <uintptr_t><void*>self),
        }

    cdef void* give_rates(self, RuntimeValue* values) noexcept nogil:
        """Put the rates where their question was; a trap, or NULL."""
        cdef int64_t wins = 0
        cdef int64_t ties = 0
        cdef int64_t samples = values[1].i32
        if samples < 1:
            return self.trap(NO_SAMPLES)
        if not self.pay(samples * FUEL_OF_SAMPLE):
            return self.trap(NO_FUEL)
        if not self.sampler.sample(<uint64_t>values[0].i64, samples, &wins, &ties):
            return self.trap(NO_STATE)
        values[0].i64 = wins << 32 | ties
        return NULL

    cdef void* give_result(self, RuntimeValue* values) noexcept nogil:
        """Put the result where its question was; a trap, or NULL."""
        cdef int result
        if not self.pay(FUEL_OF_RESULT):
            return self.trap(NO_FUEL)
        result = self.sampler.result(<uint64_t>values[0].i64)
        if result == NOT_CARDS:
            return self.trap(NO_STATE)
        values[0].i32 = result
        return NULL

    cdef void* trap(self, const char* reason) noexcept nogil:
        return self.new_trap(reason, strlen(reason))

    cdef bint pay(self, uint64_t price) noexcept nogil:
        """Take the price from the bot's fuel; false, and all of it gone, if there isn't as much."""
        cdef uint64_t left = 0
        self.get_fuel(self.context, &left)
        self.set_fuel(self.context, left - price if left > price else 0)
        return left > price
