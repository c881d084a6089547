// gnu++11: a thread, which bots can't have
#include "texas.h"
#include <thread>

std::pair<ActionType, int> makeDecision(const State &state)
{
    int x = 0;
    std::thread other([&] { x = state.alice[0].value; });
    other.join();
    return {ActionType::RAISE, 1 + x};
}
