// All the chips at once, whatever the cards: the first sample's idea.
#include "texas.h"

static int stack;

std::pair<ActionType, int> makeDecision(const State &state)
{
    if (state.community[0].color == -1)  // a new hand
        stack = 100;
    if (stack == 0)
        return {ActionType::CHECK, 0};
    const int all = stack;
    stack = 0;
    return {ActionType::RAISE, all};
}
