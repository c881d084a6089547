// gnu++11: a mutex and a lock_guard in a program of one thread
#include "texas.h"
#include <mutex>

static std::mutex guard;
static std::once_flag once;
static int start;

std::pair<ActionType, int> makeDecision(const State &state)
{
    std::lock_guard<std::mutex> held(guard);
    std::call_once(once, [] { start = 7; });
    return {ActionType::RAISE, start + state.alice[0].value};
}
