"""Guesses the contest's seed: from each guess it deals the first card, by the published rules, and compares.

GUESSES are what people take for a seed. If one is right it knows all cards.
"""

import hashlib
import json
import struct

GUESSES = ["1", "42", "20200819"]


def block(key, number, stream):
    start = list(struct.unpack("<16I", b"expand 32-byte k" + key + struct.pack("<QQ", number, stream)))
    state = list(start)

    def quarter(a, b, c, d):
        for one, other, third, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            state[one] = state[one] + state[other] & 0xFFFFFFFF
            turned = state[third] ^ state[one]
            state[third] = (turned << bits | turned >> 32 - bits) & 0xFFFFFFFF

    for _ in range(4):
        for i in range(4):
            quarter(i, i + 4, i + 8, i + 12)
        for i in range(4):
            quarter(i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12)
    return struct.unpack("<8Q", struct.pack("<16I", *[a + b & 0xFFFFFFFF for a, b in zip(start, state)]))


def deals_of(seed, sessions):
    master = hashlib.scrypt(seed.encode(), salt=b"tournament", n=1 << 15, r=8, p=1, maxmem=64 << 20, dklen=32)
    label = json.dumps(["deals", "von_neumann_poker"], separators=(",", ":")).encode()
    key = hashlib.blake2b(label, key=master, digest_size=32).digest()
    words = [word for session in range(sessions) for number in range(7) for word in block(key, number, session)]
    return [((word >> 40) / 2**24, (word >> 8 & 0xFFFFFF) / 2**24) for word in words]


class Guesses:
    def __init__(self):
        self.others = None  # by whether it is A, and its card: the other's

    def other(self, bot, as_a):
        if self.others is None:
            self.others = {}
            for seed in GUESSES:
                deals = deals_of(seed, 1)
                if deals[0][0 if as_a else 1] == bot.card:
                    for a_card, b_card in deals_of(seed, 60):
                        self.others[True, a_card] = b_card
                        self.others[False, b_card] = a_card
        return self.others.get((as_a, bot.card))

    def a(self, bot):
        other = self.other(bot, True)
        if other is not None:
            return 50 if bot.card > other else 0
        return 20 if bot.card > 0.5 else 0

    def b(self, bot, bet):
        other = self.other(bot, False)
        if other is not None:
            return bot.card >= other
        return bot.card > 0.4
