// gnu++11: vectors that grow by push_back to 120 MB of the 512 that there are
#include "texas.h"
#include <vector>

static std::vector<int> grown;

std::pair<ActionType, int> makeDecision(const State &state)
{
    if (grown.empty())
        for (int i = 0; i < 30 << 20; ++i)
            grown.push_back(i * 7);
    return {ActionType::RAISE, 1 + (grown[state.alice[0].value * 2000000 - 1] ^ state.alice[1].value) % 1000000};
}
