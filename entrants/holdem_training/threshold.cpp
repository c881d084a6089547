// Raises the pot whenever its chance to win is above a threshold, higher from round to round.
// The same in Python is threshold_py.py, as a program threshold_io.
#include "texas.h"

#include <algorithm>

static int stack;

std::pair<ActionType, int> makeDecision(const State &state)
{
    int round = 1;
    if (state.community[0].color == -1)  // a new hand
        stack = 100;
    else
        round = state.community[3].color == -1 ? 2 : state.community[4].color == -1 ? 3 : 4;
    if (stack == 0)
        return {ActionType::CHECK, 0};
    const auto [win, tie] = getRatesBySampling(state, 64);
    static const double thresholds[] = {0.5, 0.6, 0.65, 0.7};
    if (win + tie / 2 < thresholds[round - 1])
        return {ActionType::CHECK, 0};
    const int pot = 10 + 2 * (100 - stack);
    const int raise = std::min(stack, pot);
    stack -= raise;
    return {ActionType::RAISE, raise};
}
