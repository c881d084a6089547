// gnu++11: what the standard fixes of random: mt19937, mt19937_64, minstd, ranlux, seeds in sequences, own rejection
#include "texas.h"
#include <random>
#include <vector>

static std::mt19937 twister(20210603);
static std::mt19937_64 wide(7);
static std::minstd_rand simple(11);
static std::ranlux24 slow(3);
static std::knuth_b shuffled(9);

static unsigned below(unsigned n)
{
    const std::mt19937::result_type most = std::mt19937::max() - std::mt19937::max() % n;
    std::mt19937::result_type x;
    do x = twister(); while (x >= most);
    return unsigned(x % n);
}

std::pair<ActionType, int> makeDecision(const State &state)
{
    std::vector<int> deck(52);
    for (int i = 0; i < 52; ++i)
        deck[i] = i;
    for (unsigned i = 51; i > 0; --i)
        std::swap(deck[i], deck[below(i + 1)]);
    std::seed_seq seeds{state.alice[0].value, state.alice[1].value, 5};
    std::mt19937 seeded(seeds);
    twister.discard(state.alice[0].color);
    const unsigned h = unsigned(seeded()) ^ unsigned(wide() >> 17) ^ unsigned(simple()) ^ unsigned(slow()) ^ unsigned(shuffled());
    return {ActionType::RAISE, 1 + int((h + unsigned(deck[0] * 52 + deck[51])) & 0x3FFFFFFF)};
}
