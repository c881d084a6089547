// All the chips as soon as more of the sampled hands are won than lost: the second sample's idea.
#include "texas.h"

static int stack;

std::pair<ActionType, int> makeDecision(const State &state)
{
    if (state.community[0].color == -1)  // a new hand
        stack = 100;
    if (stack == 0)
        return {ActionType::CHECK, 0};
    const auto [win, tie] = getRatesBySampling(state, 300);
    if (win <= 1 - win - tie)
        return {ActionType::CHECK, 0};
    const int all = stack;
    stack = 0;
    return {ActionType::RAISE, all};
}
