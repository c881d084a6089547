// gnu++11: random_device and a clock as seeds, of which each gives words that differ
#include "texas.h"
#include <chrono>
#include <ctime>
#include <random>
#include <set>

static std::random_device device;
static std::mt19937 twister(device()), other((unsigned)std::chrono::system_clock::now().time_since_epoch().count()), third((unsigned)std::time(0));

std::pair<ActionType, int> makeDecision(const State &)
{
    std::set<unsigned> words;
    for (int i = 0; i < 20; ++i)
        words.insert(device());
    std::uniform_int_distribution<int> die(0, 9);
    const int d = die(twister), e = die(other), f = die(third);
    return {ActionType::RAISE, 1 + (words.size() > 15) + (d >= 0 && d < 10) + (e >= 0 && e < 10) + (f >= 0 && f < 10) + (device.max() > 65535)};
}
