/* Works the dealer's generator back. If both cards of a game come from one word of SplitMix64, a showdown
   leaves 65,536 words; each has one that follows, and the next card of its own picks the right one.
   With WORKS_BACK 0 it plays the same way without looking ahead. */

#define WORKS_BACK 1

#define STEP UINT64_C(0x9E3779B97F4A7C15)

static uint64_t state;    /* behind the word of the last game, once known */
static int known;
static int was_a, seen;   /* in the game before, and whether it took part */
static uint32_t own_card;

static uint64_t mixed(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

static uint64_t unmixed(uint64_t z)
{
    z = (z ^ z >> 31 ^ z >> 62) * UINT64_C(0x319642B2D24D8EC3);
    z = (z ^ z >> 27 ^ z >> 54) * UINT64_C(0x96DE1B173F119089);
    return z ^ z >> 30 ^ z >> 60;
}

static uint32_t card_of(uint64_t word, int as_a)
{
    return as_a ? word >> 40 : word >> 8 & 0xFFFFFF;
}

/* The other's card in this game, or -1. */
static int64_t foreseen(const Bot *bot, int as_a)
{
    uint32_t card = bot->card * 16777216;
    int64_t other = -1;
#if WORKS_BACK
    if (known && card_of(mixed(state + STEP), as_a) == card)
        state += STEP;
    else {
        known = 0;
        if (seen && bot->opponentsPreviousCard >= 0 && was_a != as_a) {
            uint64_t others = bot->opponentsPreviousCard * 16777216;
            uint64_t a = was_a ? own_card : others, b = was_a ? others : own_card;
            for (uint64_t rest = 0; rest < 65536 && !known; rest++) {
                state = unmixed(a << 40 | rest >> 8 << 32 | b << 8 | (rest & 255)) + STEP;
                known = card_of(mixed(state), as_a) == card;
            }
        }
    }
    if (known)
        other = card_of(mixed(state), !as_a);
#endif
    own_card = card;
    was_a = as_a;
    seen = 1;
    return other;
}

int a(const Bot *bot)
{
    int64_t other = foreseen(bot, 1);
    if (other >= 0)
        return own_card > other ? 50 : 0;
    return bot->card > 0.5f ? 20 : 0;
}

int b(const Bot *bot, const int bet)
{
    int64_t other = foreseen(bot, 0);
    (void)bet;
    if (other >= 0)
        return own_card >= other;
    return bot->card > 0.4f;
}
