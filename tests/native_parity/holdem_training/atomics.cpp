// gnu++11: atomic numbers and once-only calls, used by one thread as they are
#include "texas.h"
#include <atomic>

static std::atomic<int> asked(0);
static std::atomic<long long> total(1);
static std::atomic_flag flag = ATOMIC_FLAG_INIT;

std::pair<ActionType, int> makeDecision(const State &state)
{
    int before = asked.fetch_add(1), wanted = 10;
    total.fetch_xor(state.alice[0].value * 1000003LL);
    const bool swapped = asked.compare_exchange_strong(wanted, 0);
    const bool was = flag.test_and_set();
    if (before % 3 == 0)
        flag.clear();
    return {ActionType::RAISE, 1 + before + int(total.load() % 100003) * 10 + swapped + 2 * was + 4 * asked.is_lock_free()};
}
