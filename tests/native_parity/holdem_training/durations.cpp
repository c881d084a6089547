// gnu++11: chrono as arithmetic: durations, ratios, casts, time points of a clock's beginning
#include "texas.h"
#include <chrono>
using namespace std::chrono;

std::pair<ActionType, int> makeDecision(const State &state)
{
    const seconds s(state.alice[0].value * 1000 + state.alice[1].value);
    const minutes m = duration_cast<minutes>(s);
    const duration<double, std::milli> ms = s;
    typedef duration<int, std::ratio<7, 3>> odd;
    const time_point<system_clock, seconds> t(s), u = t + hours(3) - m;
    return {ActionType::RAISE, 1 + int(m.count()) * 3 + int(ms.count() / 1000) + duration_cast<odd>(s).count()
        + int(u.time_since_epoch().count() % 10007) + int(duration_cast<milliseconds>(s % minutes(7)).count() % 1009) + (s > m)};
}
