// gnu++11: the very numbers that distributions draw, which each library has for itself
#include "texas.h"
#include <random>

static std::mt19937 twister(5);

std::pair<ActionType, int> makeDecision(const State &)
{
    std::uniform_int_distribution<int> die(1, 1000);
    std::normal_distribution<double> normal(100, 20);
    return {ActionType::RAISE, die(twister) + int(normal(twister)) * 1000};
}
